"""The scenarios that ship: all pass, each the same every time, and each can fail.

That each fails when its physics is another is what makes it a test: a mass, a friction, a gain or a
parameter is changed in the running model, and the expectation that is about it must see it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from mjscene import scene_names
from mjscene.cli import main
from mjscene.library import load_scenario, scenario_names, scenario_path
from mjscene.scenario import AddController, Call, Move, Push, Scenario, ScenarioResult, SetActuator

ROOT = Path(__file__).resolve().parents[1]
NAMES = scenario_names()
RESULTS: dict[str, ScenarioResult] = {}


def result_of(name: str) -> ScenarioResult:
    """The result of a scenario, which is run once."""
    if name not in RESULTS:
        RESULTS[name] = load_scenario(name).run()
    return RESULTS[name]


def test_those_that_the_issue_asks_for_are_there() -> None:
    wanted = {
        "admittance_push",
        "collision_reflex",
        "drive_and_reach",
        "grip_force",
        "hand_over",
        "pick_and_lift",
        "ten_arms_modes",
        "torque_hold",
    }
    assert wanted <= set(NAMES)
    assert len(NAMES) >= 10
    assert not set(NAMES) & set(scene_names())  # `mjscene run NAME` means one thing


@pytest.mark.parametrize("name", NAMES)
def test_scenario_passes(name: str) -> None:
    result = result_of(name)
    assert result.passed, result.text
    assert result.duration == pytest.approx(load_scenario(name).duration)


@pytest.mark.parametrize("name", ["free_fall", "collision_reflex", "grip_force"])
def test_scenario_is_the_same_every_time(name: str) -> None:
    first, again = result_of(name), load_scenario(name).run()
    assert len(first.recordings) == len(again.recordings)
    for one, other in zip(first.recordings, again.recordings, strict=True):
        np.testing.assert_array_equal(one.qpos, other.qpos)
        np.testing.assert_array_equal(one.efforts, other.efforts)


@pytest.mark.parametrize("name", NAMES)
def test_file_teaches(name: str) -> None:
    text = scenario_path(name).read_text(encoding="utf-8")
    comments = [line for line in text.splitlines() if line.lstrip().startswith("#")]
    assert len(comments) >= 5
    assert f"name: {name}\n" in text
    assert load_scenario(name).description
    assert max(map(len, text.splitlines())) <= 110


# Each can fail

Change = Callable[[Any], None]


def model(change: Change) -> Callable[[Scenario], Scenario]:
    """A change of the model before the first step."""

    def do(scene: Any) -> None:
        change(scene.model)
        scene.forward()

    return lambda s: replace(s, timeline=(Call(at=0, function=do), *s.timeline))


def part(kind: type[Any], **changes: Any) -> Callable[[Scenario], Scenario]:
    """Another value of the first action of a kind."""

    def change(s: Scenario) -> Scenario:
        first = next(a for a in s.timeline if type(a) is kind)
        changed = [replace(a, **changes) if a is first else a for a in s.timeline]
        return replace(s, timeline=changed)

    return change


def scale_mass(name: str, factor: float) -> Change:
    def change(m: Any) -> None:
        m.body(name).mass[0] *= factor
        m.body(name).inertia[:] *= factor

    return change


def no_pad_friction(m: Any) -> None:
    pads = [g for g in range(m.ngeom) if "pad" in m.geom(g).name]
    assert pads
    m.geom_friction[pads] = 1e-4


def scale_kp(prefix: str, factor: float) -> Change:
    def change(m: Any) -> None:
        mine = [a for a in range(m.nactuator) if m.actuator(a).name.startswith(prefix)]
        assert mine
        m.actuator_gainprm[mine, 0] *= factor
        m.actuator_biasprm[mine, 1] *= factor

    return change


def gravity(m: Any) -> None:
    m.opt.gravity[2] = -9.0


def wheels(m: Any) -> None:
    tyres = [g for g in range(m.ngeom) if "tyre" in m.geom(g).name]
    m.geom_friction[tyres, 0] = 0.01


CHANGES: list[tuple[str, str, Callable[[Scenario], Scenario], str]] = [
    ("pick_and_lift", "slippery pads", model(no_pad_friction), "body"),
    ("pick_and_lift", "a cube of 2 kg", model(scale_mass("cube", 20)), "contact"),
    ("pick_and_lift", "a lazy grip", part(SetActuator, to=0.05), "sensor"),
    ("hand_over", "slippery pads", model(no_pad_friction), "body"),
    ("hand_over", "a bar of 3.6 kg", model(scale_mass("bar", 30)), "contact"),
    ("drive_and_reach", "icy wheels", model(wheels), "body"),
    ("drive_and_reach", "a slow start", part(Move, over=0.7), "body"),
    ("admittance_push", "a stiffer arm", part(
        AddController, parameters={"compliance": 0.06, "lambda_": 2.5}), "joint"),
    ("admittance_push", "a weaker push", part(Push, torque=(0, 0, 7)), "joint"),
    ("collision_reflex", "a post out of reach", lambda s: replace(s, scene=replace(
        s.scene, objects=[replace(s.scene.objects[0], pos=(1, 1, 0.35))])), "contact"),
    ("collision_reflex", "a deaf reflex", lambda s: replace(s, scene=replace(
        s.scene, robots=[replace(s.scene.robots[0], reflex=False)])), "robot_mode"),
    ("torque_hold", "a heavier hand", model(scale_mass("arm/gripper/hand", 1.5)), "joint"),
    ("torque_hold", "no feed-forward", lambda s: replace(s, timeline=s.timeline[1:]), "joint"),
    ("ten_arms_modes", "a command to a bystander", lambda s: replace(
        s, timeline=[*s.timeline, Move(at=1.2, robot="arm8", to={"joint1": 0.01}, over=0.5)]),
     "moved"),
    ("ten_arms_modes", "no move", lambda s: replace(s, timeline=s.timeline[1:]), "joint"),
    ("grip_force", "a block of 7.5 kg", model(scale_mass("block", 5)), "moved"),
    ("grip_force", "another gain", model(scale_kp("hand/grip", 0.7)), "sensor"),
    ("grip_force", "a block of 0.3 kg", model(scale_mass("block", 0.2)), "body"),
    ("ft_sensor_load", "a heavier hand", model(scale_mass("arm/gripper/hand", 1.1)), "ft_sensor"),
    ("ft_sensor_load", "another push", part(Push, force=(7, 0, 0)), "ft_sensor"),
    ("cartesian_reach", "a softer spring", part(AddController, parameters={
        "body": "gripper/hand", "linear": [300, 80], "angular": [20, 4]}), "body"),
    ("free_fall", "another gravity", model(gravity), "body"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "change", "word"),
    [(n, c, w) for n, _, c, w in CHANGES],
    ids=[f"{n}: {what}" for n, what, *_ in CHANGES],
)
def test_scenario_fails_where_physics_is_another(
    name: str, change: Callable[[Scenario], Scenario], word: str
) -> None:
    result = change(load_scenario(name)).run()
    assert not result.passed
    places = [f.where.rpartition(".")[2] for f in result.failures]
    assert word in places, result.text


def test_every_scenario_was_seen_to_fail() -> None:
    assert {name for name, *_ in CHANGES} == set(NAMES)


# As tests


def test_mjscene_test_runs_them_two_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    some = ["free_fall", "grip_force", "ft_sensor_load"]
    assert main(["test", *some, "-j", "2"]) == 0
    shown = capsys.readouterr()
    assert [line.split()[0] for line in shown.out.splitlines()[:3]] == ["ok"] * 3
    assert "3 passed" in shown.out.splitlines()[-1]
    assert shown.err == ""


def test_mjscene_run_and_list_know_their_names(capsys: pytest.CaptureFixture[str]) -> None:
    import json

    assert main(["run", "free_fall", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["passed"] is True
    assert main(["list", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["scenarios"]) == set(NAMES)
    assert main(["test", "free_fal"]) == 2
    assert "free_fall" in capsys.readouterr().err
    assert main(["test"]) == 2


def test_shipped_means_all(monkeypatch: pytest.MonkeyPatch) -> None:
    from mjscene.cli import test as command

    asked: list[list[str]] = []

    def find(paths: list[str]) -> list[str]:
        asked.append(paths)
        raise SystemExit(0)

    monkeypatch.setattr(command, "find_scenarios", find)
    main(["test", "--shipped"])
    assert asked == [list(NAMES)]


def test_pytest_collects_and_fails_them(pytester: pytest.Pytester) -> None:
    good = scenario_path("free_fall")
    shutil.copyfile(good, pytester.path / "good.scenario.yaml")
    wrong = good.read_text(encoding="utf-8").replace("z: 0.2652, tolerance: 0.005", "z: 0.3")
    (pytester.path / "wrong.scenario.yaml").write_text(wrong, encoding="utf-8")
    broken = good.read_text(encoding="utf-8").replace("name: ball,", "nme: ball,")
    (pytester.path / "broken.scenario.yaml").write_text(broken, encoding="utf-8")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*wrong.scenario.yaml: *FAILED, 2 of * expectations not met*"])
    result.stdout.fnmatch_lines(["*expect*0*.body*expected 'ball' z 0.3 ± 0.001 m; seen: z 0.26*"])
    result.stdout.fnmatch_lines(["*SceneObject has no field 'nme'; did you mean 'name'*"])


# Their page


def test_page_shows_each_with_its_picture_and_entries_of_its_file() -> None:
    page = (ROOT / "docs/scenarios.md").read_text(encoding="utf-8")
    for name in NAMES:
        picture = ROOT / "docs/img/scenarios" / f"{name}.png"
        assert f"(img/scenarios/{name}.png)" in page
        assert 5_000 < picture.stat().st_size < 120_000
        section = page.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        (shown,) = re.findall(r"```yaml\n(.*?)```", section, re.DOTALL)
        file = yaml.safe_load(scenario_path(name).read_text(encoding="utf-8"))
        entries = yaml.safe_load(shown)
        assert isinstance(entries, list), name
        for entry in entries:
            assert entry in file.get("timeline", []) + file["expect"], (name, entry)


def test_every_fragment_of_the_page_is_yaml() -> None:
    page = (ROOT / "docs/scenarios.md").read_text(encoding="utf-8")
    fragments = re.findall(r"```ya?ml\n(.*?)```", page, re.DOTALL)
    assert len(fragments) >= len(NAMES)
    for fragment in fragments:
        assert isinstance(yaml.safe_load(fragment), list | dict), fragment


def test_python_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs/scenarios.md").read_text(encoding="utf-8")
    snippets = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert snippets
    for snippet in snippets:
        exec(compile(snippet, "docs/scenarios.md", "exec"), {})
    assert "passed" in capsys.readouterr().out


def test_page_names_every_action_and_expectation() -> None:
    from mjscene.scenario.actions import ACTIONS
    from mjscene.scenario.expectations import EXPECTATIONS

    page = (ROOT / "docs/scenarios.md").read_text(encoding="utf-8")
    assert [word for word in (*ACTIONS, *EXPECTATIONS) if f"| `{word}` |" not in page] == []
