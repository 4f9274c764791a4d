"""Scenarios to YAML and back with nothing lost, where scenes are found, and the schema."""

from __future__ import annotations

import json
import shutil
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from bad_scenarios import FORM, BadScenario
from scenario_scene import SCENE, scenario

from mjscene import ComposeError, MjsceneError, RobotSpec, SceneSpec, SpecError
from mjscene.library import load_scenario, scenario_names, scenario_path
from mjscene.scenario import (
    AddController,
    AddObject,
    Call,
    Check,
    JointValue,
    Move,
    NoWarnings,
    Range,
    Scenario,
    read_scenario,
    scenario_from_yaml,
    scenario_schema,
    scenario_to_yaml,
)
from mjscene.scenario.actions import ACTIONS
from mjscene.scenario.expectations import EXPECTATIONS


@pytest.mark.parametrize("name", scenario_names())
def test_shipped_scenario_comes_back_from_its_text(name: str) -> None:
    original = load_scenario(name)
    text = scenario_to_yaml(original)
    assert scenario_from_yaml(text) == original
    assert scenario_to_yaml(scenario_from_yaml(text)) == text


def test_values_come_back_to_the_last_bit() -> None:
    original = Scenario(
        "arm_gripper",
        duration=0.1 + 0.2,
        name="on",
        description="two\nlines: # and: a sign",
        timeline=[
            Move(at=1e-3, robot="arm", to={"joint1": 1 / 3, "joint2": -0.0}, over=1e-3),
            AddController(
                at=0,
                robot="arm",
                controller="JointImpedance",
                parameters={"stiffness": [1.5] * 7, "damping": 1e-300},
            ),
        ],
        expect=[
            NoWarnings(but=["on", "1e3"], once=(0.1, 0.2)),
            JointValue(joint="x", effort=Range(max=-1 / 3)),
            JointValue(joint="x", velocity=2.0, tolerance=0),
        ],
        sensors=["a"],
        bodies=["b", "c"],
        stop_at_first=True,
    )
    back = scenario_from_yaml(scenario_to_yaml(original))
    assert back == original
    assert repr(back) == repr(original)


def test_functions_and_objects_cannot_be_written() -> None:
    small = scenario()
    for change in (
        {"timeline": [Call(at=0, function=print)]},
        {"expect": [Check(function=print)]},
    ):
        with pytest.raises(SpecError, match="cannot be written") as caught:
            scenario_to_yaml(replace(small, **change))  # type: ignore[arg-type]
        assert caught.value.where in ("timeline[0]", "expect[0]")


def test_every_field_is_documented_and_words_are_their_own() -> None:
    from mjscene.schema import field_docs

    base = {"at", "during", "since", "once", "document"}
    for cls in (*ACTIONS.values(), *EXPECTATIONS.values(), Scenario):
        documented = set(field_docs(cls))
        assert {f.name for f in fields(cls)} - base == documented - base, cls
    assert not set(ACTIONS) & set(EXPECTATIONS)


def test_scene_of_a_file_counts_from_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "scenes").mkdir()
    (tmp_path / "scenes/small.yaml").write_text(SCENE, encoding="utf-8")
    file = tmp_path / "tests.scenario.yaml"
    file.write_text("scene: scenes/small.yaml\nduration: 0.01\nexpect: [no_warnings: true]\n")
    found = read_scenario(file)
    assert found.scene == str(tmp_path / "scenes/small.yaml")
    assert found.name == "tests"
    assert found.run().passed
    assert "scene: scenes/small.yaml\n" in scenario_to_yaml(found, folder=tmp_path)
    assert scenario_from_yaml(scenario_to_yaml(found, folder=tmp_path), folder=tmp_path) == found


@pytest.mark.parametrize(
    ("scene", "says", "close"),
    [
        ("arm_griper", "no scene 'arm_griper' ships", "arm_gripper"),
        ("smal.yaml", "no file 'smal.yaml'", "small.yaml"),
        ("small.py", "no scene 'small.py'", None),
        ("[1]", "a mapping", None),
    ],
)
def test_wrong_scene_is_refused_where_it_stands(
    scene: str, says: str, close: str | None, tmp_path: Path
) -> None:
    (tmp_path / "small.yaml").write_text(SCENE, encoding="utf-8")
    file = tmp_path / "a.scenario.yaml"
    file.write_text(f"duration: 1\nscene: {scene}\nexpect: [no_warnings: true]\n")
    with pytest.raises(SpecError) as caught:
        read_scenario(file)
    assert says in str(caught.value)
    assert (caught.value.where, caught.value.line, caught.value.column) == ("scene", 2, 8)
    if close is not None:
        assert close in caught.value.close


def test_scene_that_cannot_be_built_is_told_with_its_place(tmp_path: Path) -> None:
    inside = "robots:\n  - path: mjscene:panda\n    attach_to: {site: nowhere}\n"
    indented = "".join(f"  {line}\n" for line in inside.splitlines())
    end = "duration: 1\nexpect: [no_warnings: true]\n"
    file = tmp_path / "a.scenario.yaml"
    file.write_text(f"scene:\n{indented}{end}")
    with pytest.raises(ComposeError) as caught:
        read_scenario(file).run()
    assert caught.value.where == "scene.robots[0].attach_to"
    assert (caught.value.file, caught.value.line) == (str(file), 4)
    (tmp_path / "scene.yaml").write_text(inside)
    file.write_text(f"scene: scene.yaml\n{end}")
    with pytest.raises(MjsceneError) as caught:
        read_scenario(file).run()
    assert (caught.value.file, caught.value.line) == (str(tmp_path / "scene.yaml"), 3)


def test_object_that_cannot_be_added_is_told_before_the_run(tmp_path: Path) -> None:
    file = tmp_path / "a.scenario.yaml"
    file.write_text(
        "scene: arm_gripper\nduration: 1\nexpect: [no_warnings: true]\ntimeline:\n"
        "  - {at: 0, remove_object: cube}\n"
        "  - {at: 0.5, add_object: {name: late, path: 'mjscene:tabel'}}\n"
    )
    with pytest.raises(ComposeError) as caught:
        read_scenario(file).run()
    assert caught.value.line == 6
    assert "tabel" in str(caught.value)


def test_parts_refuse_what_is_none() -> None:
    with pytest.raises(SpecError, match="sequence"):
        Scenario("a", duration=1, expect=NoWarnings())  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="Action"):
        Scenario("a", duration=1, timeline=[NoWarnings()], expect=[NoWarnings()])  # type: ignore[list-item]
    with pytest.raises(SpecError, match="scene"):
        Scenario(3, duration=1, expect=[NoWarnings()])  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="function"):
        Call(at=0, function="f")  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="SceneObject"):
        AddObject(at=0, object="ball")  # type: ignore[arg-type]


# The schema


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    found = scenario_schema()
    jsonschema.Draft202012Validator.check_schema(found)
    return found


@pytest.mark.parametrize("name", scenario_names())
def test_schema_takes_what_ships(name: str, schema: dict[str, Any]) -> None:
    data = yaml.safe_load(scenario_path(name).read_text(encoding="utf-8"))
    jsonschema.validate(data, schema)
    jsonschema.validate(yaml.safe_load(scenario_to_yaml(load_scenario(name))), schema)


# What the schema does not say: what controllers take, and what is only told on reading.
NOT_SAID = ("unknown controller", "unknown parameter", "missing parameter")


@pytest.mark.parametrize(
    "case",
    [c for c in FORM if c.name.startswith(("unknown", "missing", "no time", "no action", "two a"))],
    ids=lambda case: case.name,
)
def test_schema_refuses_wrong_words(case: BadScenario, schema: dict[str, Any]) -> None:
    data = yaml.safe_load(f"duration: 1\nscene: arm_gripper\n{case.text.replace('«', '')}")
    is_valid = jsonschema.Draft202012Validator(schema).is_valid(data)
    assert is_valid is (case.name in NOT_SAID)


@pytest.mark.parametrize(
    ("make", "where", "close"),
    [
        (lambda: Scenario("dual_arm", duraton=1), "Scenario.duraton", "duration"),  # type: ignore[call-arg]
        *[
            (lambda cls=cls: cls(during_=1), f"{cls.__name__}.during_", None)
            for cls in (*ACTIONS.values(), *EXPECTATIONS.values(), Call, Check, Range)
        ],
    ],
)
def test_a_wrong_field_in_python_is_named(make: Any, where: str, close: str | None) -> None:
    with pytest.raises(SpecError, match="there is no such field") as told:
        make()
    assert told.value.where == where
    assert close is None or close in told.value.close


def test_schema_is_printed(capsys: pytest.CaptureFixture[str], schema: dict[str, Any]) -> None:
    from mjscene.cli import main

    assert main(["schema", "--scenario"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(schema))


# The library


def test_unknown_scenario_is_refused_with_near_names() -> None:
    with pytest.raises(ComposeError) as caught:
        load_scenario("pick_and_lif")
    assert "pick_and_lift" in caught.value.close
    assert caught.value.allowed == scenario_names()
    for name in ("../scenarios/free_fall", "free_fall.scenario", ""):
        with pytest.raises(ComposeError):
            scenario_path(name)


def test_scenario_of_a_path(tmp_path: Path) -> None:
    copy = tmp_path / "mine.yaml"
    shutil.copyfile(scenario_path("free_fall"), copy)
    assert load_scenario(copy) == load_scenario("free_fall")


def test_spec_of_a_scene_may_be_given_in_python() -> None:
    spec = SceneSpec([RobotSpec("mjscene:panda", prefix="arm/", home="home")])
    made = Scenario(spec, duration=0.01, expect=[NoWarnings()])
    assert made.run().passed
    assert made.with_scene("arm_gripper").scene == "arm_gripper"
