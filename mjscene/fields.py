"""Dataclasses read from a YAML tree, by their type hints.

Whatever the fields of a dataclass are, a file has the same names: new fields need nothing here.
A type or field that is written in another way than its hint says has a :class:`Form`. Every error
names the field's path and where the value stands in the file, also when the dataclass itself
refuses the value.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import fields as dataclass_fields
from typing import Any, Literal, get_args, get_origin

from mjscene.errors import MjsceneError, close_matches, shown
from mjscene.hints import (
    Forms,
    cls_hints,
    dataclasses_in,
    described,
    enums_in,
    fits,
    form_of,
    has_default,
    mapping_in,
    members,
    sequences_in,
)
from mjscene.spec.fields import rotation_hint
from mjscene.yamlnodes import Document, Node

__all__ = ["Reader"]

_SEGMENT = re.compile(r"\.?([A-Za-z_]\w*)|\[(\d+)\]|\[('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")\]")
_YES_NO = ("yes", "no", "on", "off", "y", "n")


@dataclass(frozen=True)
class Reader:
    """Reads dataclasses out of a document.

    Args:
        document: The document.
        forms: Types and fields that are written in another way than their hint says.
    """

    document: Document
    forms: Forms

    def read(self, cls: type[Any]) -> Any:
        """The document as an instance of a dataclass.

        Raises:
            SpecError: With file, line, column and the field's path.
        """
        return self.instance(self.document.root, cls, "")

    def instance(self, node: Node, cls: type[Any], path: str) -> Any:
        """An instance of a dataclass out of a mapping node."""
        if not isinstance(node.value, dict):
            raise self.expected(node, cls, path)
        names = [f.name for f in dataclass_fields(cls) if f.init]
        for key, at in node.keys.items():
            if key not in names:
                raise self.document.error(
                    f"{cls.__name__} has no field {shown(key)}",
                    at,
                    _join(path, key),
                    given=key,
                    close=close_matches(key, names),
                    allowed=names,
                    hint=rotation_hint(key, names),
                )
        hints = cls_hints(cls)
        values = {}
        for key, child in node.value.items():
            form = form_of(self.forms, hints[key], cls, key)
            where = _join(path, key)
            if form is not None and form.read is not None:
                values[key] = form.read(self, child, where)
            else:
                values[key] = self.value(child, hints[key], where)
        for f in dataclass_fields(cls):
            if f.init and f.name not in values and not has_default(f):
                raise self.document.error(
                    f"{cls.__name__} needs {f.name!r}", node, _join(path, f.name)
                )
        return self.made(lambda: cls(**values), node, cls, values.get("name"), path)

    def made(
        self, make: Callable[[], Any], node: Node, cls: type[Any], name: Any, path: str
    ) -> Any:
        """What ``make`` makes; an error of the dataclass gets the place of the value at fault."""
        try:
            return make()
        except MjsceneError as error:
            rest = error.where or ""
            for head in (f"{cls.__name__}({name!r})", cls.__name__):
                if rest.startswith(head):
                    rest = rest[len(head) :].removeprefix(".")
                    break
            at = locate(node, rest)
            where = rest if not path else path + rest if rest[:1] in ("[", "") else f"{path}.{rest}"
            raise error.at(
                where=where or None, file=self.document.file, line=at.line, column=at.column
            ) from None

    def value(self, node: Node, hint: Any, path: str) -> Any:
        """A value out of a node, as a type hint says."""
        options = members(hint)
        form = next((f for o in options if (f := form_of(self.forms, o)) is not None), None)
        if form is not None and form.read is not None and node.value is not None:
            return form.read(self, node, path)
        if node.value is None:
            if type(None) in options or Any in options:
                return None
            raise self.expected(node, hint, path)
        if isinstance(node.value, dict):
            return self._mapping(node, hint, options, path)
        if isinstance(node.value, list):
            return self._sequence(node, hint, options, path)
        return self._scalar(node, hint, options, path)

    def expected(self, node: Node, hint: Any, path: str) -> MjsceneError:
        """The error that a value is of another kind than its field."""
        value, options, advice = node.value, members(hint), None
        if isinstance(value, str):
            if bool in options and value.lower() in _YES_NO:
                advice = "write true or false"
            elif {float, int} & set(options) and re.fullmatch(r"[-+]?[\d_.:xo]+", value):
                advice = "write a decimal number, without quotes or leading zeros: 90, 0.5, 1e-3"
        elif str in options and not isinstance(value, list | dict) and value is not None:
            advice = f"put it into quotes: '{str(value).lower()}'"
        return self.document.error(
            f"expected {described(hint)}, got {node.kind}",
            node,
            path,
            given=node.plain,
            hint=advice,
        )

    def _scalar(self, node: Node, hint: Any, options: tuple[Any, ...], path: str) -> Any:
        value = node.value
        if Any in options:
            return value
        for option in options:
            if get_origin(option) is Literal and value in get_args(option):
                return value
        if isinstance(value, bool):
            if bool in options:
                return value
        elif isinstance(value, int | float):
            if float in options:
                return as_float(value)
            if int in options and value == value // 1:
                return int(value)
        elif isinstance(value, str):
            names = [name for enum in enums_in(options) for name in enum.__members__]
            for enum in enums_in(options):
                for name, member in enum.__members__.items():
                    if name.lower() == value.lower():
                        return member
            names += [w for o in options if get_origin(o) is Literal for w in get_args(o)]
            if str in options:
                return value
            if names:
                raise self.document.error(
                    f"unknown value {node.kind}",
                    node,
                    path,
                    given=value,
                    allowed=names,
                    close=close_matches(value.upper(), names) or close_matches(value, names),
                )
        raise self.expected(node, hint, path)

    def _sequence(self, node: Node, hint: Any, options: tuple[Any, ...], path: str) -> Any:
        if Any in options:
            return node.plain
        choices = sequences_in(options)
        if not choices:
            raise self.expected(node, hint, path)
        choice = next((c for c in choices if fits(node, c)), choices[0])
        items = get_args(choice) or (Any,)
        if get_origin(choice) is tuple and items[-1] is not Ellipsis:
            if len(node.value) != len(items):
                message = f"expected {len(items)} items, got {len(node.value)}"
                raise self.document.error(message, node, path, given=node.plain)
        else:
            items = (items[0],) * len(node.value)
        pairs = zip(node.value, items, strict=True)
        return tuple(self.value(n, h, f"{path}[{i}]") for i, (n, h) in enumerate(pairs))

    def _mapping(self, node: Node, hint: Any, options: tuple[Any, ...], path: str) -> Any:
        if Any in options:
            return node.plain
        if float in options and list(node.value) == ["deg"]:
            if _NO_ANGLES.intersection(_WORD.findall(path)[-1:]):
                raise self.document.error(
                    "is no angle and takes no degrees", node, path, given=node.plain
                )
            degrees = self.value(node.value["deg"], float, f"{path}.deg")
            if isinstance(degrees, float):
                return math.radians(degrees)
        classes, mapping = dataclasses_in(options), mapping_in(options)
        if classes:
            return self.instance(node, _closest(classes, node), path)
        if mapping is not None:
            item = (*get_args(mapping), Any, Any)[1]
            return {k: self.value(n, item, f"{path}[{shown(k)}]") for k, n in node.value.items()}
        raise self.expected(node, hint, path)


# Numbers that are angles in no file: a ``deg`` there is a mistake, not another unit.
_NO_ANGLES = frozenset(
    "pos size mass density friction rgba kp kd ki kv force_limit contact_threshold"
    " collision_threshold watchdog duration timestep gravity look_at height force torque".split()
)
_WORD = re.compile(r"[A-Za-z_]\w*")


def as_float(value: float) -> float:
    """A float; infinity for an int beyond its range."""
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def locate(node: Node, where: str) -> Node:
    """The node of a field's path below a node, or the deepest one on the way that is there."""
    position = 0
    while position < len(where):
        found = _SEGMENT.match(where, position)
        if found is None:
            return node
        name, index, quoted = found.groups()
        key = name if quoted is None else ast.literal_eval(quoted)
        if isinstance(node.value, dict) and key in node.value:
            node = node.value[key]
        elif isinstance(node.value, list) and index is not None and int(index) < len(node.value):
            node = node.value[int(index)]
        elif not (isinstance(node.value, dict) and index == "0"):  # one where several may be
            return node
        position = found.end()
    return node


def _join(path: str, key: str) -> str:
    if not key.isidentifier():
        return f"{path}[{shown(key)}]"
    return f"{path}.{key}" if path else key


def _closest(classes: tuple[type[Any], ...], node: Node) -> type[Any]:
    """The dataclass that has most of a mapping's keys and misses fewest of its own."""

    def score(cls: type[Any]) -> tuple[int, int]:
        own = {f.name: has_default(f) for f in dataclass_fields(cls) if f.init}
        missing = sum(not free and name not in node.value for name, free in own.items())
        return sum(key in own for key in node.value), -missing

    return max(classes, key=score)
