"""A JSON Schema of scene files, made out of the dataclasses: for editors, and for other programs.

It says the shape (names, types, words); bounds and what fields say together are told on reading.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING, Field, fields
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from mjscene.hints import (
    Forms,
    cls_hints,
    dataclasses_in,
    form_of,
    has_default,
    mapping_in,
    members,
    sequences_in,
)
from mjscene.sceneforms import scene_forms
from mjscene.spec import SceneSpec

__all__ = ["dataclass_schema", "field_docs", "scene_schema"]

_NUMBER = {"$ref": "#/$defs/number"}
_DEGREES = {
    "anyOf": [
        {"type": "number"},
        {
            "type": "object",
            "description": "An angle in degrees.",
            "properties": {"deg": {"type": "number"}},
            "required": ["deg"],
            "additionalProperties": False,
        },
    ]
}
_BASIC: dict[Any, dict[str, Any]] = {
    type(None): {"type": "null"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: _NUMBER,
    str: {"type": "string"},
    Any: {},
}


def scene_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of scene files."""
    return dataclass_schema(SceneSpec, scene_forms(None))


def dataclass_schema(cls: type[Any], forms: Forms) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of files of a dataclass.

    Args:
        cls: The dataclass.
        forms: Types and fields that are written in another way than their hint says.
    """
    definitions: dict[str, Any] = {"number": _DEGREES}
    _define(cls, forms, definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **definitions.pop(cls.__name__),
        "$defs": definitions,
    }


def field_docs(cls: type[Any]) -> dict[str, str]:
    """What the docstring of a dataclass says of each field, by its name."""
    doc = inspect.cleandoc(cls.__doc__ or "")
    found = re.search(r"^Args:\n((?:(?:[ \t].*)?\n?)*)", doc, re.MULTILINE)
    entries = re.split(r"^    (?=\w+: )", found.group(1) if found else "", flags=re.MULTILINE)
    pairs = (entry.partition(": ") for entry in entries if ": " in entry)
    return {name: " ".join(text.split()) for name, _, text in pairs}


def _define(cls: type[Any], forms: Forms, definitions: dict[str, Any]) -> None:
    if cls.__name__ in definitions:
        return
    definitions[cls.__name__] = {}  # so that a dataclass may hold itself
    docs, hints, own = field_docs(cls), cls_hints(cls), {}
    for f in (f for f in fields(cls) if f.init):
        form = form_of(forms, hints[f.name], cls, f.name)
        if form is not None and form.schema is not None:
            shape = dict(form.schema)
        else:
            shape = _schema(hints[f.name], forms, definitions)
        own[f.name] = {**shape, **_notes(f, docs)}
    doc = inspect.cleandoc(cls.__doc__ or "").partition("\n\n")[0]
    required = [f.name for f in fields(cls) if f.init and not has_default(f)]
    definitions[cls.__name__] = {
        "title": cls.__name__,
        "description": " ".join(doc.split()),
        "type": "object",
        "properties": own,
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def _notes(f: Field[Any], docs: dict[str, str]) -> dict[str, Any]:
    notes: dict[str, Any] = {}
    if f.name in docs:
        notes["description"] = docs[f.name]
    default = None if f.default is MISSING else f.default
    if isinstance(default, tuple) and all(isinstance(v, int | float) for v in default):
        default = list(default)
    if isinstance(default, Enum):
        default = default.name
    if isinstance(default, bool | int | float | str | list):
        notes["default"] = default
    return notes


def _schema(hint: Any, forms: Forms, definitions: dict[str, Any]) -> dict[str, Any]:
    found = [_one(option, forms, definitions) for option in members(hint)]
    return found[0] if len(found) == 1 else {"anyOf": found}


def _one(option: Any, forms: Forms, definitions: dict[str, Any]) -> dict[str, Any]:
    form = form_of(forms, option)
    if form is not None and form.schema is not None:
        return dict(form.schema)
    if option in _BASIC:
        return _BASIC[option]
    if dataclasses_in((option,)):
        _define(option, forms, definitions)
        return {"$ref": f"#/$defs/{option.__name__}"}
    if get_origin(option) is Literal:
        return {"enum": list(get_args(option))}
    if isinstance(option, type) and issubclass(option, Enum):
        names = list(option.__members__)
        letters = ("".join(f"[{c.upper()}{c.lower()}]" for c in name) for name in names)
        # Words in any case are taken; the list is what editors offer.
        return {
            "anyOf": [{"enum": names}, {"type": "string", "pattern": f"^({'|'.join(letters)})$"}]
        }
    arguments = get_args(option)
    if sequences_in((option,)):
        if get_origin(option) is tuple and arguments[-1] is not Ellipsis:
            items = [_schema(a, forms, definitions) for a in arguments]
            count = len(items)
            return {"type": "array", "prefixItems": items, "minItems": count, "maxItems": count}
        item = _schema((arguments or (Any,))[0], forms, definitions)
        return {"type": "array", **({"items": item} if item else {})}
    if mapping_in((option,)) is not None:
        item = _schema((*arguments, Any, Any)[1], forms, definitions)
        return {"type": "object", **({"additionalProperties": item} if item else {})}
    return {}
