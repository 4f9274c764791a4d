"""Type hints of dataclasses taken apart: what a field may hold, in types and in words."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from mjscene.yamlnodes import Node

if TYPE_CHECKING:
    from mjscene.fields import Reader

__all__ = [
    "Form",
    "Forms",
    "cls_hints",
    "dataclasses_in",
    "described",
    "enums_in",
    "fits",
    "form_of",
    "has_default",
    "mapping_in",
    "members",
    "sequences_in",
]


@dataclass(frozen=True, kw_only=True)
class Form:
    """How a type or field is written in a file, where its hint does not say it.

    Args:
        read: (reader, node, path of the field) to the value.
        write: (value, path of the field) to plain data.
        schema: Its JSON Schema.
    """

    read: Callable[[Reader, Node, str], Any] | None = None
    write: Callable[[Any, str], Any] | None = None
    schema: Mapping[str, Any] | None = None


Forms = Mapping[Any, Form]
"""Forms by type, by (type of the field, its name) or by (dataclass, name of the field)."""


def form_of(forms: Forms, hint: Any, cls: type[Any] | None = None, name: str = "") -> Form | None:
    """The form of a hint, or of a field of a dataclass."""
    if cls is None:
        return forms.get(hint)
    return forms.get((cls, name)) or forms.get((hint, name))


def cls_hints(cls: Any) -> Mapping[str, Any]:
    """The type hints of a dataclass's fields."""
    return _cls_hints(cls)


@lru_cache(maxsize=256)
def _cls_hints(cls: Any) -> Mapping[str, Any]:
    return get_type_hints(cls)


def has_default(f: Field[Any]) -> bool:
    """Whether a field may be left out."""
    return f.default is not MISSING or f.default_factory is not MISSING


def members(hint: Any) -> tuple[Any, ...]:
    """The members of a union; of anything else, itself."""
    if get_origin(hint) in (Union, types.UnionType):
        return tuple(m for part in get_args(hint) for m in members(part))
    return (hint,)


def dataclasses_in(options: tuple[Any, ...]) -> tuple[type[Any], ...]:
    """The dataclasses among hints."""
    return tuple(o for o in options if isinstance(o, type) and is_dataclass(o))


def enums_in(options: tuple[Any, ...]) -> tuple[type[Enum], ...]:
    """The enums among hints."""
    return tuple(o for o in options if isinstance(o, type) and issubclass(o, Enum))


def sequences_in(options: tuple[Any, ...]) -> tuple[Any, ...]:
    """The hints of sequences among hints."""
    kinds = (Sequence, list, tuple)
    return tuple(o for o in options if get_origin(o) in kinds or o in kinds)


def mapping_in(options: tuple[Any, ...]) -> Any:
    """The first hint of a mapping among hints, or None."""
    kinds = (Mapping, dict)
    return next((o for o in options if get_origin(o) in kinds or o in kinds), None)


def fits(node: Node, hint: Any) -> bool:
    """Whether a node looks like a hint, so far as kinds and the first item of a list tell."""
    value, options = node.value, members(hint)
    if Any in options:
        return True
    if isinstance(value, list):
        found = sequences_in(options)
        items = [(get_args(o) or (Any,))[0] for o in found]
        return bool(found) and (not value or any(fits(value[0], item) for item in items))
    if isinstance(value, dict):
        number = float in options and "deg" in value
        return number or bool(dataclasses_in(options)) or mapping_in(options) is not None
    if value is None:
        return type(None) in options
    if isinstance(value, bool):
        return bool in options
    if isinstance(value, int | float):
        return bool({int, float} & set(options))
    words = bool(enums_in(options)) or any(get_origin(o) is Literal for o in options)
    return str in options or words


def described(hint: Any) -> str:
    """A hint in words, for messages: ``a number or a list of numbers``."""
    parts = dict.fromkeys(
        _described(option) for option in members(hint) if option is not type(None)
    )
    words = list(parts)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


_WORDS = {float: "number", int: "whole number", str: "string"}


def _described(option: Any) -> str:
    if option is bool:
        return "true or false"
    if option in _WORDS:
        return f"a {_WORDS[option]}"
    if get_origin(option) is Literal:
        return "one of " + ", ".join(map(repr, get_args(option)))
    if enums_in((option,)):
        return "one of " + ", ".join(option.__members__)
    if sequences_in((option,)):
        item = (get_args(option) or (Any,))[0]
        return f"a list of {_WORDS[item]}s" if item in _WORDS else "a list"
    if dataclasses_in((option,)):
        return f"a mapping ({option.__name__})"
    return "a mapping" if mapping_in((option,)) is not None else "a value"
