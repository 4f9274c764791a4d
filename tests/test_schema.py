"""The JSON Schema: equal to the dataclasses, and to what the reader accepts."""

from __future__ import annotations

import copy
import dataclasses
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from bad_scene_files import KEYS, PATHS, TYPES, VALUES

import mjscene
from mjscene import SpecError, scene_from_yaml, scene_names, scene_schema, spec
from mjscene.schema import field_docs
from mjscene.yamlfile import parse_yaml, read_yaml

SCHEMA = scene_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
SCENES = Path(mjscene.__file__).resolve().parents[1] / "scenes"
DATACLASSES = {
    name: item
    for name, item in vars(spec).items()
    if dataclasses.is_dataclass(item) and isinstance(item, type)
}
# How they are written is the reader's own: a word or {site: name}.
OTHERWISE = {"AttachTarget"}


def of(name: str) -> dict[str, Any]:
    return SCHEMA if name == "SceneSpec" else SCHEMA["$defs"][name]


def test_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA
    assert scene_schema() == SCHEMA


@pytest.mark.parametrize("name", sorted(DATACLASSES.keys() - OTHERWISE))
def test_schema_has_the_fields_of_every_dataclass(name: str) -> None:
    fields = dataclasses.fields(DATACLASSES[name])
    shape = of(name)
    assert list(shape["properties"]) == [f.name for f in fields]
    assert shape["additionalProperties"] is False
    needed = [
        f.name
        for f in fields
        if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING
    ]
    assert shape.get("required", []) == needed
    for f in fields:
        doc = shape["properties"][f.name].get("description", "")
        assert len(doc) > 5, f"{name}.{f.name} is not in the docstring's Args"
        assert "\n" not in doc


def test_schema_has_no_other_dataclass() -> None:
    found = set(SCHEMA["$defs"]) - {"number"} | {"SceneSpec"}
    assert found == DATACLASSES.keys() - OTHERWISE


def test_docs_are_those_of_the_docstring() -> None:
    docs = field_docs(mjscene.CameraSpec)
    assert docs["fovy"] == "Vertical field of view [degrees]."
    assert docs["look_at"].startswith("Instead of ``quat``: a point")
    assert docs["look_at"].endswith("z axis up.")


@pytest.mark.parametrize("name", scene_names())
def test_scenes_that_ship_are_valid(name: str) -> None:
    VALIDATOR.validate(read_yaml(SCENES / f"{name}.yaml").root.plain)


SHAPES = [case for case in KEYS + TYPES if case.where is not None]
# Of the right shape: how many numbers, how large and which names is told on reading.
MEANING = {
    "too few numbers",
    "infinite number",
    "number that overflows",
    "whole number that overflows",
    "no number",
    "attachment on the world",
}


@pytest.mark.parametrize("case", SHAPES, ids=lambda case: case.name)
def test_wrong_shapes_are_invalid_too(case: Any) -> None:
    data = parse_yaml(case.text.replace("«", "")).root.plain
    assert VALIDATOR.is_valid(data) == (case.name in MEANING)


def test_what_is_invalid_is_refused() -> None:
    checked = 0
    for case in KEYS + TYPES + VALUES + PATHS:
        text = case.text.replace("«", "")
        try:
            data = parse_yaml(text).root.plain
        except SpecError:
            continue
        if not VALIDATOR.is_valid(data):
            checked += 1
            with pytest.raises(SpecError):
                scene_from_yaml(text)
    assert checked > 25


# What a value may be swapped for, to see that schema and reader agree on it.
OTHERS: list[Any] = [None, True, 7, "word", [], [1, 2, 3], ["a", "b"], [["a", "b"]], [{}]]
OTHERS += [{"deg": 90}, {"site": "s"}]


def swapped(data: Any, other: Any) -> list[Any]:
    """Copies of data, each with one value swapped."""
    found = []
    for key in data if isinstance(data, dict) else range(len(data)):
        one = copy.deepcopy(data)
        one[key] = other
        found.append(one)
        if isinstance(data[key], dict | list):
            for inner in swapped(data[key], other):
                one = copy.deepcopy(data)
                one[key] = inner
                found.append(one)
    return found


@pytest.mark.parametrize("other", OTHERS, ids=repr)
def test_schema_and_reader_agree_on_every_value_of_a_scene(other: Any) -> None:
    """What the schema takes, the reader takes or refuses for what it means, and the reverse."""
    data = {
        "robots": [
            {
                "path": "mjscene:panda",
                "prefix": "a/",
                "attach_to": "world",
                "home": {"joint1": 1},
                "pos": [0, 0, 1],
                "contact_exclusions": [["a", "b"]],
                "modes": [{"mode": "VELOCITY", "kv": 3.5}],
                "controller": {"linear": [1, 2], "angular": [3, 4]},
                "regroup": True,
                "watchdog": 0.1,
                "attachments": [{"path": "mjscene:gripper", "attach_to": {"site": "s"}}],
            }
        ],
        "objects": [{"name": "o", "shape": "box", "size": [1, 1, 1], "condim": 3}],
        "cameras": [{"name": "c", "fovy": 45, "resolution": [640, 480]}],
        "options": {"timestep": 0.002, "solver": "CG", "flags": {"contact": False}},
        "floor": True,
        "light": [{"name": "sun"}],
    }
    VALIDATOR.validate(data)
    cases = [(json.dumps(one), VALIDATOR.is_valid(one)) for one in swapped(data, other)]
    for text, is_valid in cases:  # JSON is YAML
        refusal = refusal_of(text)
        if not is_valid:
            assert refusal, text
        assert not is_valid or refusal is None or is_about_meaning(refusal), (refusal, text)


def refusal_of(text: str) -> str | None:
    try:
        scene_from_yaml(text)
    except SpecError as error:
        return error.message
    return None


def is_about_meaning(message: str) -> bool:
    """Whether a message is about a value of the right shape: bounds, counts, what goes together."""
    if any(words in message for words in ("numbers, got", "number >", "a non-empty", "as a name")):
        return True
    shapes = ("expected", "no field", "needs '", "unknown value", "of kind")
    return not any(words in message for words in shapes)
