"""Actions and expectations in files: entries of one word and a time, read and written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import partial
from typing import Any

from mjscene.errors import MjsceneError, SpecError, close_matches, shown
from mjscene.fields import Reader
from mjscene.hints import Form, Forms, cls_hints
from mjscene.plain import plain_data
from mjscene.scenario.base import Action, Expectation
from mjscene.scenario.expectations import BodyAt, Distance, JointValue
from mjscene.words import snake_case
from mjscene.yamlnodes import Node

__all__ = ["NO_ANGLES", "Part", "is_optional", "parts_form"]

Part = type[Action] | type[Expectation]


def _read_no_angle(cls: Part, name: str, reader: Reader, node: Node, path: str) -> Any:
    if isinstance(node.value, dict) and "deg" in node.value:
        raise reader.document.error(
            "is no angle and takes no degrees", node, path, given=node.plain
        )
    return reader.value(node, cls_hints(cls)[name], path)


NO_ANGLES: Forms = {
    (cls, name): Form(read=partial(_read_no_angle, cls, name))
    for cls, names in ((BodyAt, "x y z"), (Distance, "value"), (JointValue, "effort"))
    for name in names.split()
}
"""Values that are angles of nothing, so that ``deg`` is a mistake there."""


def parts_form(words: Mapping[str, Part], what: str, forms: Forms) -> Form:
    """The form of a list of actions or expectations."""

    def read(reader: Reader, node: Node, path: str) -> tuple[Any, ...]:
        if not isinstance(node.value, list):
            raise reader.document.error(f"expected a list, got {node.kind}", node, path)
        return tuple(
            _read_part(reader, item, f"{path}[{i}]", words, what)
            for i, item in enumerate(node.value)
        )

    def write(value: Any, path: str) -> list[Any]:
        return [_written_part(p, f"{path}[{i}]", words, forms) for i, p in enumerate(value)]

    return Form(read=read, write=write)


def _read_part(
    reader: Reader, node: Node, path: str, words: Mapping[str, Part], what: str
) -> Action | Expectation:
    error = reader.document.error
    if not isinstance(node.value, dict):
        hint = None
        if isinstance(node.value, str) and node.value in words:
            alone = "true" if is_optional(words[node.value]) else "…"
            hint = f"write {node.value}: {alone}"
        raise error(f"expected a mapping, got {node.kind}", node, path, given=node.plain, hint=hint)
    timing = next(iter(words.values())).timing
    for key, at in node.keys.items():
        if key not in words and key not in timing:
            known = (*words, *timing)
            # Its class may have another name than its word: SetActuator is written set.
            classes = {snake_case(p.__name__): word for word, p in words.items()}
            close = (key,) if key in classes else close_matches(key, (*known, *classes))
            raise error(
                f"there is no {what} {shown(key)}",
                at,
                path,
                given=key,
                close=tuple(dict.fromkeys(classes.get(name, name) for name in close)),
                hint=f"there are {', '.join(known)}",
            )
    named = [key for key in node.value if key in words]
    if len(named) != 1:
        said = f"got {' and '.join(named)}" if named else "got none"
        hint = f"begin another entry for each {what}" if named else f"name one: {', '.join(words)}"
        at = node.keys[named[1]] if named else node
        raise error(f"expected one {what} in an entry, {said}", at, path, hint=hint)
    (word,) = named
    cls = words[word]
    _refuse_twice(reader, node, word, path, cls)
    merged, is_short = _merged(node, word, cls)
    try:
        part: Action | Expectation = reader.instance(merged, cls, f"{path}.{word}")
    except MjsceneError as failed:
        raise failed.at(where=_said_path(failed.where, path, cls, is_short)) from None
    return part


def _refuse_twice(reader: Reader, node: Node, word: str, path: str, cls: Part) -> None:
    """Refuse a time inside an action or expectation that has one beside it."""
    inner = node.value[word]
    if cls.whole == "object" or not isinstance(inner.value, dict):
        return
    for key, at in inner.keys.items():
        if key in cls.timing and key in node.value:
            raise reader.document.error(
                f"{key!r} is given twice: here and beside {word!r}",
                at,
                f"{path}.{word}.{key}",
                given=inner.value[key].plain,
                hint=f"keep the one beside {word!r}",
            )


def _merged(node: Node, word: str, cls: Part) -> tuple[Node, bool]:
    """The fields of an action or expectation and its time as one node."""
    inner = node.value[word]
    outer = {k: v for k, v in node.value.items() if k != word}
    is_object = cls.whole == "object"
    if isinstance(inner.value, dict) and not is_object:
        keys = {**inner.keys, **{k: node.keys[k] for k in outer}}
        return Node({**inner.value, **outer}, inner.line, inner.column, keys), False
    if inner.value in (True, None) and is_optional(cls):
        keys = {k: node.keys[k] for k in outer}
        return Node(outer, inner.line, inner.column, keys), False
    if cls.whole is None:
        return inner, False  # the error says that a mapping belongs there
    keys = {cls.whole: inner, **{k: node.keys[k] for k in outer}}
    return Node({cls.whole: inner, **outer}, inner.line, inner.column, keys), True


def is_optional(cls: Part) -> bool:
    """Whether no field has to be given, beside its time."""
    free = (MISSING, MISSING)
    return not any(
        (f.default, f.default_factory) == free and f.name not in cls.timing for f in fields(cls)
    )


def _said_path(where: str | None, path: str, cls: Part, is_short: bool) -> str | None:
    """A field's path as the file has it."""
    if where is None:
        return None
    head = f"{path}.{cls.word}."
    rest = where.removeprefix(head)
    if rest == where:
        return where
    first = rest.partition(".")[0].partition("[")[0]
    if first in cls.timing:
        return f"{path}.{rest}"
    if is_short and first == cls.whole:
        return f"{path}.{cls.word}" + rest.removeprefix(first)
    return where


def _written_part(
    part: Action | Expectation, path: str, words: Mapping[str, Part], forms: Forms
) -> dict[str, Any]:
    if words.get(part.word) is not type(part):
        raise SpecError(
            f"a {type(part).__name__} cannot be written to a file",
            where=path,
            hint="functions are of the Python form alone",
        )
    data = plain_data(part, forms, path)
    times = {k: data.pop(k) for k in part.timing if k in data}
    inner: Any = data
    if part.whole is not None and list(data) == [part.whole]:
        inner = data[part.whole]
    elif not data:
        inner = True
    if isinstance(part, Action):
        return {**times, part.word: inner}
    return {part.word: inner, **times}
