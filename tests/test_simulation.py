"""Runs with a policy, control periods and progress; time, steps and what a reset puts back."""

from __future__ import annotations

import math
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from command_models import CONTROLLER, FLOATING, box
from field_models import build
from mode_models import POSITION, TORQUE, TWO

from mjscene import (
    CommandError,
    ObjectCmd,
    Pose,
    RobotSpec,
    Scene,
    SceneObject,
    SimulationError,
    SpecError,
)

STEP = 0.002


def arm() -> Scene:
    return build(RobotSpec(TWO, prefix="a/"))


def sine(scene: Scene) -> dict[str, ObjectCmd]:
    """A policy."""
    return {"a": ObjectCmd(joint_cmds=0.3 * np.sin(7 * scene.time + np.arange(2)))}


def test_a_run_without_a_policy_is_so_many_steps() -> None:
    one, other = arm(), arm()
    one.run(0.1)
    other.step(50)
    assert one.steps == 50
    assert one.time == other.time
    np.testing.assert_array_equal(one.data.qpos, other.data.qpos)


@pytest.mark.parametrize("every", [1, 2, 5, 7, 50, 80])
def test_a_policy_is_called_before_each_period_and_its_commands_are_applied(every: int) -> None:
    scene, by_hand = arm(), arm()
    calls: list[int] = []

    def policy(given: Scene) -> Any:
        assert given is scene
        calls.append(scene.steps)
        return sine(given)

    scene.run(50 * STEP, policy, period=every * STEP)
    assert calls == list(range(0, 50, every))
    for k in range(50):
        if k % every == 0:
            by_hand.apply(sine(by_hand))
        by_hand.step()
    np.testing.assert_array_equal(scene.data.qpos, by_hand.data.qpos)
    assert scene.steps == 50


def test_the_period_is_a_timestep_by_default() -> None:
    scene, calls = arm(), []
    scene.run(10 * STEP, lambda s: calls.append(s.time))
    assert calls == pytest.approx(STEP * np.arange(10), abs=1e-15)


def test_a_policy_may_write_commands_itself_and_return_nothing() -> None:
    one, other = arm(), arm()

    def policy(scene: Scene) -> None:
        scene.command[:] = 0.3 * np.sin(7 * scene.time + np.arange(2))

    one.run(0.08, policy, period=0.004)
    other.run(0.08, sine, period=0.004)
    np.testing.assert_array_equal(one.data.qpos, other.data.qpos)


def test_runs_add_up() -> None:
    one, other = arm(), arm()
    one.run(0.1, sine, period=0.02)
    for _ in range(5):
        other.run(0.02, sine, period=0.02)
    assert one.steps == other.steps == 50
    np.testing.assert_array_equal(one.data.qpos, other.data.qpos)


@pytest.mark.parametrize("duration", [0.002, 0.1, 1.0, 0.3 - 0.1, 0.1 + 0.2])
def test_a_duration_is_so_many_steps_whatever_its_rounding(duration: float) -> None:
    scene = arm()
    scene.run(duration)
    assert scene.steps == round(duration / STEP)


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no time": ({"duration": 0}, "run.duration"),
    "a time before": ({"duration": -0.1}, "run.duration"),
    "NaN": ({"duration": math.nan}, "run.duration"),
    "for ever": ({"duration": math.inf}, "run.duration"),
    "a word": ({"duration": "1"}, "run.duration"),
    "nothing": ({"duration": None}, "run.duration"),
    "a truth": ({"duration": True}, "run.duration"),
    "half a step": ({"duration": STEP / 2}, "run.duration"),
    "a step and a half": ({"duration": 1.5 * STEP}, "run.duration"),
    "a thousand steps and a bit": ({"duration": 1000.01 * STEP}, "run.duration"),
    "no period": ({"duration": 0.1, "period": 0}, "run.period"),
    "a period that is no multiple": ({"duration": 0.1, "period": 0.003}, "run.period"),
    "a period of NaN": ({"duration": 0.1, "period": math.nan}, "run.period"),
    "a period that is a word": ({"duration": 0.1, "period": "x"}, "run.period"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_time_that_is_no_multiple_of_the_timestep_is_refused_before_anything(what: str) -> None:
    scene, calls = arm(), []
    fields, where = BAD[what]
    with pytest.raises(SpecError) as caught:
        scene.run(policy=lambda s: calls.append(0), **fields)
    assert caught.value.where == where
    assert (scene.steps, calls) == (0, [])


class PolicyError(Exception):
    """What a policy raises."""


def test_what_a_policy_raises_ends_the_run() -> None:
    scene = arm()

    def policy(given: Scene) -> None:
        if given.steps >= 20:
            raise PolicyError

    with pytest.raises(PolicyError):
        scene.run(1.0, policy, period=10 * STEP)
    assert scene.steps == 20


def test_a_bad_command_of_a_policy_and_a_blow_up_end_the_run() -> None:
    scene = arm()
    with pytest.raises(CommandError, match="joint_cmds"):
        scene.run(1.0, lambda s: {"a": ObjectCmd(joint_cmds=[1] * (2 + (s.steps >= 20)))})
    assert scene.steps == 20
    scene.data.qvel[0] = np.nan
    with pytest.raises(SimulationError):
        scene.run(1.0)


# Progress


class Bar:
    """What stands in for tqdm's bar."""

    made: list[Bar] = []  # noqa: RUF012

    def __init__(self, items: Any, **_: Any) -> None:
        self.items, self.seen = items, 0
        Bar.made.append(self)

    def __iter__(self) -> Any:
        for item in self.items:
            self.seen += 1
            yield item


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[Bar]:
    module = ModuleType("tqdm")
    module.tqdm = Bar  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tqdm", module)
    Bar.made.clear()
    return Bar.made


def test_a_progress_bar_is_shown_only_when_asked_for_and_changes_nothing(bars: list[Bar]) -> None:
    one, other = arm(), arm()
    one.run(0.1, sine, period=0.01)
    assert bars == []
    other.run(0.1, sine, period=0.01, progress=True)
    assert [bar.seen for bar in bars] == [10]
    np.testing.assert_array_equal(one.data.qpos, other.data.qpos)


def test_without_tqdm_a_run_needs_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    scene = arm()
    scene.run(0.01)
    with pytest.raises(SpecError, match=r"mjscene\[progress\]"):
        scene.run(0.01, progress=True)
    assert scene.steps == 5


# Steps, resets and states


def test_steps_are_counted_from_the_last_reset_and_outlive_objects() -> None:
    scene = arm()
    scene.step(3)
    scene.add_object(SceneObject("x", shape="sphere", size=(0.1,), pos=(9, 9, 9)))
    scene.step(2)
    assert scene.steps == 5
    assert scene.time == pytest.approx(5 * STEP)
    scene.reset()
    assert (scene.steps, scene.time) == (0, 0.0)


def test_forward_changes_nothing_that_a_later_step_shows() -> None:
    one, other = (
        build(RobotSpec(FLOATING, prefix="f/"), floor=True, objects=[box(pos=(2, 0, 0.3))])
        for _ in range(2)
    )
    for _ in range(100):
        one.step()
        one.forward()
        other.step()
    assert one.data.ncon > 0
    np.testing.assert_array_equal(one.data.qpos, other.data.qpos)
    np.testing.assert_array_equal(one.data.qvel, other.data.qvel)


def test_a_reset_takes_commands_modes_and_forces_back() -> None:
    scene, fresh = (
        build(RobotSpec(FLOATING, prefix="f/", controller=CONTROLLER)) for _ in range(2)
    )
    command = ObjectCmd(
        enable_position_controller=1,
        pose=Pose(position=(1, 0, 1)),
        joint_cmds=[3.0, 0.2],
        position_controller_mask=[0, 1],
    )
    scene.apply({"f": command})
    scene.step(30)
    assert scene.robots["f"].ctrl_modes == (TORQUE, POSITION)
    scene.reset()
    scene.step(30)
    fresh.step(30)
    np.testing.assert_array_equal(scene.data.qpos, fresh.data.qpos)
    assert scene.robots["f"].ctrl_modes == fresh.robots["f"].ctrl_modes
