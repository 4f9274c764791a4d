"""Gravity compensation beside other controllers, over stops, and in states put back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from controller_scenes import arm, everything_ruled, robot_of
from field_models import build
from gravity_scenes import MODES, SERVO, servo, two
from mode_models import TWO, assert_same, effort, rod, send

from mjscene import (
    ControllerError,
    CtrlMode,
    RobotSpec,
)
from mjscene.controllers import BodyPose, GravityCompensation, JointAdmittance, JointImpedance

# -- beside others, stopped, put back --------------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    [
        GravityCompensation(),
        JointImpedance(10.0, 1.0),
        BodyPose("lower", linear=(10.0, 1.0), angular=(1.0, 0.1)),
    ],
    ids=lambda c: type(c).__name__,
)
def test_gravity_is_not_carried_twice(other: Any) -> None:
    scene = two()
    robot = robot_of(scene)
    first = robot.add_controller(GravityCompensation())
    before = everything_ruled(scene)
    with pytest.raises(ControllerError, match="'gravity_compensation'") as caught:
        robot.add_controller(other)
    assert caught.value.element == "a/j1"
    assert_same(everything_ruled(scene), before)
    robot.remove_controller(first)
    robot.add_controller(other)
    before = everything_ruled(scene)
    with pytest.raises(ControllerError):
        robot.add_controller(first)
    assert_same(everything_ruled(scene), before)
    robot.remove_controller(other)
    assert scene.control.table.forward is None


def test_it_works_beside_an_admittance() -> None:
    scene = arm("panda")
    robot = robot_of(scene)
    robot.add_controller(GravityCompensation())
    scene.run(2.0)
    controller = robot.add_controller(JointAdmittance())
    scene.data.qfrc_applied[1] = 10.0
    scene.run(6.0)
    moved = scene.joints.position - controller.reference
    assert moved[1] == pytest.approx(0.075 * 10 / 2.5, rel=1e-3)


@pytest.mark.parametrize("mode", MODES)
def test_a_stop_does_not_carry_the_load_twice(mode: CtrlMode) -> None:
    scene = two()
    scene.data.qvel[:] = 0.0
    robot = robot_of(scene)
    scene.set_control_mode(robot, mode)
    robot.add_controller(GravityCompensation())
    scene.run(0.2 if mode is CtrlMode.POSITION else 0.01)
    robot.stop()
    where = scene.joints.stop_position
    scene.run(2.0)
    np.testing.assert_allclose(scene.data.qpos, where, atol=1e-6)
    send(scene)
    before = effort(scene)
    robot.recover()
    assert robot.ctrl_mode is mode
    send(scene)
    np.testing.assert_allclose(effort(scene), before, rtol=0, atol=1e-9)
    scene.run(1.0)
    np.testing.assert_allclose(scene.data.qpos, where, atol=1e-6)


def test_taken_away_while_stopped_it_leaves_the_hold_alone() -> None:
    scene = two()
    robot = robot_of(scene)
    controller = robot.add_controller(GravityCompensation())
    scene.run(0.1)
    robot.stop()
    scene.run(1.0)
    where = scene.data.qpos.copy()
    robot.remove_controller(controller)
    scene.run(1.0)
    np.testing.assert_allclose(scene.data.qpos, where, atol=1e-6)
    robot.recover()
    scene.run(1.0)
    np.testing.assert_allclose(scene.data.qpos, where, atol=1e-6)


def test_a_state_with_it_put_back_without_it_keeps_the_effort() -> None:
    scene = servo()
    robot = robot_of(scene)
    controller = robot.add_controller(GravityCompensation())
    scene.run(1.0)
    state = scene.get_state()
    robot.remove_controller(controller)
    scene.set_state(state)
    assert not np.any(scene.control.table.forward)
    scene.run(2.0)
    assert abs(scene.data.qpos[0]) < 1e-3  # cos q: the set-point does not follow the load
    other = servo()
    other.set_state(state)
    other.run(2.0)
    assert other.data.qpos[0] == scene.data.qpos[0]


def test_a_state_without_it_put_back_with_it_starts_it() -> None:
    scene = servo()
    state = scene.get_state()
    robot_of(scene).add_controller(GravityCompensation())
    scene.run(0.1)
    scene.set_state(state)
    scene.run(6.0)
    assert abs(scene.data.qpos[0]) < 1e-6


def test_two_robots_are_fed_each_its_own() -> None:
    scene = build(RobotSpec(rod(SERVO), prefix="a/"), RobotSpec(TWO, prefix="b/", pos=(0, 2, 0)))
    robots = list(scene.robots.values())
    for robot in robots:
        robot.add_controller(GravityCompensation())
    scene.run(3.0)
    np.testing.assert_allclose(scene.data.qpos, 0.0, atol=1e-6)
    robots[0].stop()
    scene.run(1.0)
    np.testing.assert_allclose(scene.data.qpos, 0.0, atol=1e-6)
    robots[0].recover()
    robots[1].remove_controller("gravity_compensation")
    scene.run(2.0)
    np.testing.assert_allclose(scene.data.qpos, 0.0, atol=1e-6)
