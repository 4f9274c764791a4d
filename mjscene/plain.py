"""Dataclasses as plain data (mappings, lists, numbers, text): what a file of them holds.

What equals its default is left out. It is the way back of :mod:`mjscene.fields`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from typing import Any

from mjscene.errors import SpecError, shown
from mjscene.hints import Forms, cls_hints, dataclasses_in, form_of, mapping_in, members

__all__ = ["plain_data"]


def plain_data(value: Any, forms: Forms, path: str = "") -> dict[str, Any]:
    """The fields of a dataclass instance as plain data, in their order, defaults left out.

    Args:
        value: The instance.
        forms: Types and fields that are written in another way than their hint says.
        path: Its field's path, for messages.

    Raises:
        SpecError: It holds what no file can hold.
    """
    found: dict[str, Any] = {}
    cls = type(value)
    hints = cls_hints(cls)
    for f in fields(cls):
        item = getattr(value, f.name)
        if not f.init or (_is_default(f, item) and not _names(f, item)):
            continue
        where = f"{path}.{f.name}" if path else f.name
        form = form_of(forms, hints[f.name], cls, f.name)
        if form is not None and form.write is not None:
            found[f.name] = form.write(item, where)
        else:
            found[f.name] = _plain(item, hints[f.name], forms, where)
    return found


def _is_default(f: Field[Any], value: Any) -> bool:
    if f.default_factory is not MISSING:
        default = f.default_factory()
    elif f.default is not MISSING:
        default = f.default
    else:
        return False
    # The repr tells -0.0 from 0.0 and False from 0.
    return type(value) is type(default) and repr(value) == repr(default) and value == default


def _names(f: Field[Any], value: Any) -> bool:
    """Whether a field says what its dataclass is about, and so is written even if default."""
    return not f.kw_only and isinstance(value, str | Enum)


def _plain(value: Any, hint: Any, forms: Forms, path: str) -> Any:
    options = members(hint)
    form = next((f for o in options if (f := form_of(forms, o)) is not None), None)
    if form is not None and form.write is not None and value is not None:
        return form.write(value, path)
    if isinstance(value, Enum):
        return value.name
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if bool in options and _is_bare(value, options):
        return True
    if is_dataclass(value):
        return plain_data(value, forms, path)
    if isinstance(value, Mapping):
        return {str(k): _plain(v, Any, forms, f"{path}[{k!r}]") for k, v in value.items()}
    if isinstance(value, tuple | list):
        if mapping_in(options) is not None and value and all(map(_is_pair, value)):
            return {k: _plain(v, Any, forms, f"{path}[{k!r}]") for k, v in value}
        return [_plain(item, Any, forms, f"{path}[{i}]") for i, item in enumerate(value)]
    raise SpecError(f"{shown(value)} cannot be written to a file", where=path, given=value)


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)


def _is_bare(value: Any, options: tuple[Any, ...]) -> bool:
    """Whether ``true`` says it: the dataclass with nothing set, or a list of one such."""
    item = value[0] if isinstance(value, tuple) and len(value) == 1 else value
    if type(item) not in dataclasses_in(options):
        return False
    return all(_is_default(f, getattr(item, f.name)) for f in fields(item))
