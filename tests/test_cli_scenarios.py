"""Scenarios on the command line: which commands take them, and what the others say."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from command_line import only_line
from scenario_scene import SCENE

from mjscene.cli import main
from mjscene.recording import Recording
from mjscene.scenario import read_scenario

TEXT = "duration: 0.1\nscene:\n" + "".join(f"  {line}\n" for line in SCENE.splitlines())
TIMELINE = "timeline: [{at: 0.02, command: {robot: arm, to: [0.5]}}]\n"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scenario in a folder of its own, which is the current one."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "small.scenario.yaml"
    path.write_text(TEXT + TIMELINE + "expect: [{no_warnings: true}]\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("command", ["run", "check", "build", "view"])
def test_a_name_that_is_nearly_a_scenarios_is_told(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert main([command, "pick_and_lft"]) == 2
    said = only_line(capsys.readouterr().err)
    assert "no scene or scenario 'pick_and_lft' ships" in said
    assert "did you mean 'pick_and_lift'" in said
    assert "'dual_arm'" in said
    assert "'free_fall'" in said
    assert "mjscene list" in said


@pytest.mark.parametrize("what", ["small.scenario.yaml", "pick_and_lift"])
@pytest.mark.parametrize("words", [["build"], ["view"]])
@pytest.mark.usefixtures("file")
def test_a_command_of_scenes_says_which_take_scenarios(
    what: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([words[0], what, *words[1:]]) == 2
    said = only_line(capsys.readouterr().err)
    assert f"{what!r} is a scenario" in said
    assert f"mjscene run {what}" in said


@pytest.mark.parametrize("words", [["run"], ["record", "-o", "x.npz"]])
@pytest.mark.usefixtures("file")
def test_a_scenario_has_its_own_duration(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([words[0], "small.scenario.yaml", *words[1:], "--seconds", "3"]) == 2
    assert "its own duration, here 0.1 s" in only_line(capsys.readouterr().err)


def test_the_recording_is_the_scenarios(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", file.name, "-o", "run.npz"]) == 0
    assert capsys.readouterr().out == "run.npz: 50 steps of small\n"
    own = read_scenario(file).run().recording
    np.testing.assert_array_equal(Recording.load("run.npz").qpos, own.qpos)
    assert main(["record", file.name, "-o", "run.npz", "--every", "2"]) == 2
    assert "says itself what is recorded" in only_line(capsys.readouterr().err)
    failing = "expect: [{joint: {joint: arm/hinge, position: 1}}]\n"
    file.write_text(TEXT + TIMELINE + failing, encoding="utf-8")
    assert main(["record", file.name, "-o", "run.npz"]) == 1
    assert "FAILED" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["run", "check", "build"])
def test_an_error_is_json_where_json_is_asked_for(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "pick_and_lft", "--json"]) == 2
    streams = capsys.readouterr()
    error = json.loads(streams.out)["error"]
    assert "pick_and_lft" in error
    assert only_line(streams.err).endswith(error)


@pytest.mark.usefixtures("file")
def test_run_says_which_robot_was_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    rock = "  - {name: rock, shape: sphere, size: [0.05], pos: [0.45, 0, 1.3], mass: 2}\n"
    text = SCENE.replace("floor: true", rock + "floor: true")
    Path("hit.yaml").write_text(text, encoding="utf-8")
    assert main(["run", "hit.yaml", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["robots"]
    assert row["robot_mode"] == "REFLEX"
    assert main(["run", "hit.yaml"]) == 0
    assert "REFLEX" in capsys.readouterr().out
    Path("free.yaml").write_text(SCENE, encoding="utf-8")
    assert main(["run", "free.yaml", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["robots"]
    assert row["robot_mode"] == "IDLE"
