"""A program's own controllers: when they are asked, and what an exception leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from controller_scenes import Wave, everything_ruled, robot_of, two
from mode_models import assert_same

from mjscene import (
    SpecError,
)
from mjscene.controllers import Controller, JointAdmittance


class Nudge(Controller):
    """Adds to nothing, wants no joints: it only watches."""

    needs_joints = False
    adds = True

    def __init__(self, log: list[Any]) -> None:
        self.log = log

    def reset(self, robot: Any) -> None:
        self.log.append("begins")

    def update(self, robot: Any, dt: float) -> None:
        self.log.append("watches")


# -- when ---------------------------------------------------------------------------------------


def test_updates_come_in_the_order_of_adding_and_at_their_periods() -> None:
    scene = two("a", "b")
    a, b = scene.robots.values()
    log: list[Any] = []
    b.add_controller(Wave(None, log))
    a.add_controller(Wave(0.006, log))
    a.add_controller(Nudge(log))
    assert log == [("reset", "b"), ("reset", "a"), "begins"]
    log.clear()
    scene.step()
    assert log == [("b", 0.002), ("a", pytest.approx(0.006)), "watches"]
    log.clear()
    scene.step(5)
    assert [entry[0] for entry in log] == ["b", "w", "b", "w", "b", "a", "w", "b", "w", "b", "w"]


def test_a_period_begins_where_the_controller_was_added() -> None:
    scene = two()
    scene.step(2)
    log: list[Any] = []
    robot_of(scene).add_controller(Wave(0.008, log))
    log.clear()
    calls = []
    for _ in range(9):
        scene.step()
        calls.append(len(log))
    assert calls == [1, 1, 1, 1, 2, 2, 2, 2, 3]


def test_a_controller_sees_the_state_and_rules_the_step_that_follows() -> None:
    scene = two()
    seen: list[Any] = []

    class Look(Wave):
        def update(self, robot: Any, dt: float) -> None:
            seen.append((scene.time, self.joints.position, self.joints.velocity))
            self.joints.command = np.full(2, 0.1)

    robot_of(scene).add_controller(Look())
    scene.data.qvel[:] = (0.5, 0.2)
    before = (scene.time, scene.data.qpos.copy(), scene.data.qvel.copy())
    scene.step()
    np.testing.assert_equal(seen, [before])
    np.testing.assert_array_equal(scene.data.ctrl[scene.control.table.ctrl_now], 0.1)


@pytest.mark.parametrize("period", [0.003, 0.0, -0.002, float("nan"), True])
def test_a_period_that_is_no_multiple_is_refused(period: Any) -> None:
    scene = two()
    before = everything_ruled(scene)
    with pytest.raises(SpecError, match=r"period|time"):
        robot_of(scene).add_controller(Wave(period))
    assert_same(everything_ruled(scene), before)


def test_an_exception_in_an_update_takes_no_step_and_the_next_one_asks_again() -> None:
    scene = two("a", "b")
    a, b = scene.robots.values()
    first, log = a.add_controller(Wave()), []

    class Fails(Wave):
        fails = True

        def update(self, robot: Any, dt: float) -> None:
            if self.fails:
                raise ZeroDivisionError("by the controller")
            super().update(robot, dt)

    second = b.add_controller(Fails(None, log))
    scene.data.qvel[:] = 0.1
    scene.forward()
    before = everything_ruled(scene)
    with pytest.raises(ZeroDivisionError):
        scene.step()
    assert scene.steps == 0
    after = everything_ruled(scene)
    command = after.pop("command")
    assert_same(after, {k: v for k, v in before.items() if k != "command"})
    np.testing.assert_array_equal(command[b.rows], before["command"][b.rows])
    assert first.phase == pytest.approx(0.004)  # it had its turn
    second.fails = False
    scene.step()
    assert (scene.steps, log[-1]) == (1, ("b", 0.002))


def test_a_timestep_that_changes_leaves_the_periods_as_they_are() -> None:
    """After ``scene.forward()`` a period is another count of steps; a filter is told too."""
    scene, log = two("a", "b"), []
    robot_of(scene).add_controller(Wave(0.004, log))
    admittance = robot_of(scene, 1).add_controller(JointAdmittance())
    scene.step(2)
    scene.model.opt.timestep = 0.001
    scene.forward()
    log.clear()
    scene.step(40)
    assert log == [("a", 0.004)] * 10
    assert admittance.filter.time_step == 0.001
    scene.model.opt.timestep = 0.003
    scene.forward()
    with pytest.raises(SpecError, match="multiple of the timestep"):
        scene.step()
