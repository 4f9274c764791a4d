"""A JSON Schema of scenario files, made out of the dataclasses: for editors, and other programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mjscene.scenario.actions import ACTIONS
from mjscene.scenario.expectations import EXPECTATIONS
from mjscene.scenario.files import scenario_forms
from mjscene.scenario.parts import Part, is_optional
from mjscene.scenario.spec import Scenario
from mjscene.schema import dataclass_schema
from mjscene.spec import SceneSpec

__all__ = ["scenario_schema"]


def scenario_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of scenario files."""
    forms = scenario_forms(None)
    schema = dataclass_schema(Scenario, forms)
    definitions: dict[str, Any] = schema["$defs"]

    def define(cls: type[Any]) -> dict[str, Any]:
        """Add a class and all that it needs to the definitions; its own schema."""
        own = dataclass_schema(cls, forms)
        definitions.update(own.pop("$defs"))
        own.pop("$schema")
        return own

    definitions["SceneSpec"] = define(SceneSpec)
    properties = schema["properties"]
    scene = [{"type": "string"}, {"$ref": "#/$defs/SceneSpec"}]
    properties["scene"] = {**_described(properties["scene"]), "anyOf": scene}
    for name, words in (("timeline", ACTIONS), ("expect", EXPECTATIONS)):
        entries = _entries(words, define)
        definitions[name] = entries
        items = {"type": "array", "items": {"$ref": f"#/$defs/{name}"}}
        properties[name] = {**_described(properties[name]), **items}
    return schema


def _described(shape: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in shape.items() if k == "description"}


def _entries(words: Mapping[str, Part], define: Any) -> dict[str, Any]:
    """The schema of an entry: one of the words, and its time."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for word, cls in words.items():
        own = define(cls)
        fields = own["properties"]
        for time in cls.timing:
            properties.setdefault(time, fields[time])
            del fields[time]
        required = [t for t in cls.timing if t in own.get("required", ())]
        own["required"] = [f for f in own.get("required", ()) if f not in cls.timing]
        properties[word] = _shape(cls, own, fields)
    one = [{"required": [word]} for word in words]
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "oneOf": one,
        "additionalProperties": False,
    }


def _shape(cls: Part, own: dict[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of what follows a word: a mapping, or the one field that says it all."""
    if cls.whole == "object":
        return dict(fields[cls.whole])
    shapes = [own]
    if cls.whole is not None:
        shapes.append(dict(fields[cls.whole]))
    if is_optional(cls):
        shapes.append({"enum": [True, None]})
    if len(shapes) == 1:
        return own
    return {"description": own.get("description", ""), "anyOf": shapes}
