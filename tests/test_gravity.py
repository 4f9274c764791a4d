"""Gravity compensation: a robot owes its drives nothing, whatever the mode, gear or file."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from controller_scenes import arm, robot_of
from field_models import build
from gravity_scenes import MODES, servo, servo_in, two
from mode_models import GRAVITY_TORQUE, effort, rod, send, velocity

from mjscene import (
    AttachmentSpec,
    CtrlMode,
    CtrlModeSpec,
    PhysicsOptions,
    RobotSpec,
    body,
)
from mjscene.controllers import GravityCompensation

# -- F36: what sags and drifts without it ----------------------------------------------------------


def test_f36_a_position_servo_sags_and_with_it_does_not() -> None:
    scene = servo()
    scene.run(6.0)
    # kp q = m g L/2 cos q
    angle = 0.0
    for _ in range(50):
        angle = -GRAVITY_TORQUE * np.cos(angle) / 200
    assert scene.data.qpos[0] == pytest.approx(angle, abs=1e-9)
    assert angle == pytest.approx(-0.0122616, abs=5e-8)
    robot_of(scene).add_controller(GravityCompensation())
    scene.run(6.0)
    assert abs(scene.data.qpos[0]) < 1e-6


def test_f36_b_velocity_servo_drifts_and_with_it_does_not() -> None:
    scene = servo()
    scene.set_control_mode("a", CtrlMode.VELOCITY)
    scene.command[:] = 0.0
    scene.run(0.1)
    assert scene.data.qvel[0] == pytest.approx(-GRAVITY_TORQUE / 20, rel=1e-3)
    robot_of(scene).add_controller(GravityCompensation())
    scene.run(1.0)
    assert abs(scene.data.qvel[0]) < 1e-9


def test_f36_c_torque_of_zero_falls_and_with_it_does_not() -> None:
    scene = servo()
    scene.set_control_mode("a", CtrlMode.TORQUE)
    scene.command[:] = 0.0
    scene.step()
    assert scene.data.qacc[0] == pytest.approx(-28.6053, abs=1e-4)
    scene.reset()
    scene.set_control_mode("a", CtrlMode.TORQUE)
    robot_of(scene).add_controller(GravityCompensation())
    scene.command[:] = 0.0
    scene.step()
    assert abs(scene.data.qacc[0]) < 1e-9


# -- F51: once, and in the right unit --------------------------------------------------------------

WEIGHTLESS = rod('<motor name="T" joint="j"/>').replace('name="link"', 'name="link" gravcomp="1"')
TOOL = """<mujoco model="tool"><worldbody><body name="tool">
 <geom size=".02" mass=".5" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""
VARIANTS: dict[str, RobotSpec] = {
    "plain": RobotSpec(rod('<motor name="T" joint="j"/>'), prefix="a/"),
    "gravcomp": RobotSpec(WEIGHTLESS, prefix="a/"),
    "gear 20": RobotSpec(
        rod('<motor name="T" joint="j" gear="20" ctrllimited="true" ctrlrange="-1 1"/>'),
        prefix="a/",
    ),
    "gear -3": RobotSpec(rod('<motor name="T" joint="j" gear="-3"/>'), prefix="a/"),
    "tool without gravcomp": RobotSpec(
        WEIGHTLESS,
        prefix="a/",
        attachments=[AttachmentSpec(TOOL, attach_to=body("link"), pos=(0.5, 0, 0), prefix="t/")],
    ),
    "by the drive": RobotSpec(
        WEIGHTLESS.replace('axis="0 -1 0"', 'axis="0 -1 0" actuatorgravcomp="true"'), prefix="a/"
    ),
    "half by the drive": RobotSpec(
        WEIGHTLESS.replace('gravcomp="1"', 'gravcomp=".5"').replace(
            'axis="0 -1 0"', 'axis="0 -1 0" actuatorgravcomp="true"'
        ),
        prefix="a/",
    ),
    "servo with a gear": RobotSpec(
        rod('<position name="P" joint="j" kp="8" kv="2" gear="5"/>'), prefix="a/"
    ),
}
OWED = {"gravcomp": 0.0, "tool without gravcomp": 0.5 * 9.81 * 0.5, "by the drive": 0.0}


@pytest.mark.parametrize("name", VARIANTS)
def test_f51_nothing_accelerates(name: str) -> None:
    scene = build(VARIANTS[name])
    robot_of(scene).add_controller(GravityCompensation())
    scene.command[:] = 0.0
    scene.step()
    assert abs(scene.data.qacc[0]) < 1e-9
    if name in OWED:
        forward = scene.control.table.forward
        assert forward is not None
        assert forward[0] == pytest.approx(OWED[name], abs=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_a_moving_arm_keeps_what_its_law_gives(mode: CtrlMode) -> None:
    """M qacc = the bare law's effort: gravity and Coriolis forces are gone, in every mode."""
    scene = two()
    table = scene.control.table
    scene.set_control_mode("a", mode)
    robot_of(scene).add_controller(GravityCompensation())
    scene.command[:] = command = np.array([0.1, -0.2])
    q, v = scene.data.qpos.copy(), scene.data.qvel.copy()
    bare = {
        CtrlMode.POSITION: np.array([200.0, 100.0]) * (command - q) - np.array([20.0, 10.0]) * v,
        CtrlMode.VELOCITY: 10.0 * (command - v),
        CtrlMode.TORQUE: command,
    }[mode]
    scene.model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    owed = scene.data.qfrc_bias.copy()
    scene.step()
    np.testing.assert_allclose(scene.data.qfrc_actuator - owed, bare, rtol=0, atol=1e-12)
    assert table.forward is not None


def test_without_gravity_or_weight_it_gives_nothing() -> None:
    scene = servo_in(PhysicsOptions(gravity=(0, 0, 0)))
    robot_of(scene).add_controller(GravityCompensation())
    scene.run(0.1)
    np.testing.assert_array_equal(scene.data.qfrc_actuator, 0.0)


def test_a_servo_with_an_integral_carries_its_load_itself() -> None:
    pid = CtrlModeSpec(CtrlMode.POSITION, kp=200.0, kd=20.0, ki=400.0)
    scene = build(RobotSpec(rod('<motor name="T" joint="j"/>'), prefix="a/", modes=[pid]))
    robot = robot_of(scene)
    scene.set_control_mode(robot, CtrlMode.POSITION)
    robot.command[:] = 0.0
    scene.run(10.0)
    before = effort(scene)
    robot.add_controller(GravityCompensation())
    scene.run(10.0)
    assert abs(scene.data.qpos[0]) < 1e-6
    np.testing.assert_allclose(effort(scene), before, atol=1e-6)
    for mode in (CtrlMode.TORQUE, CtrlMode.POSITION):
        before = effort(scene)
        scene.set_control_mode(robot, mode)
        np.testing.assert_allclose(effort(scene), before, rtol=0, atol=1e-9)
        scene.run(0.5)
    before = effort(scene)
    robot.remove_controller("gravity_compensation")
    scene.run(0.5)
    np.testing.assert_allclose(effort(scene), before, atol=1e-5)


# -- without jumps ---------------------------------------------------------------------------------


@pytest.mark.parametrize("first", MODES)
@pytest.mark.parametrize("second", MODES)
def test_switching_with_it_on_is_bumpless(first: CtrlMode, second: CtrlMode) -> None:
    scene = two()
    scene.set_control_mode("a", first)
    robot_of(scene).add_controller(GravityCompensation())
    scene.run(0.02)
    before = effort(scene)
    scene.set_control_mode("a", second)
    np.testing.assert_allclose(effort(scene), before, rtol=0, atol=1e-9)
    now, command = scene.control.table.mode.copy(), scene.command.copy()
    assert (now == int(second)).all()
    # What is commanded stands for the law's own part: the rest is fed forward at the next step.
    q, v, owed = scene.data.qpos.copy(), scene.data.qvel.copy(), scene.data.qfrc_bias.copy()
    scene.step()
    bare = {
        CtrlMode.POSITION: np.array([200.0, 100.0]) * (command - q) - np.array([20.0, 10.0]) * v,
        CtrlMode.VELOCITY: 10.0 * (command - v),
        CtrlMode.TORQUE: command,
    }[second]
    np.testing.assert_allclose(scene.data.qfrc_actuator, bare + owed, rtol=0, atol=1e-9)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["two", "panda", "ur5e"])
def test_taking_it_away_is_bumpless_in_every_mode(kind: str, mode: CtrlMode) -> None:
    if kind == "two":
        scene = two()
    else:
        scene = arm(kind, modes=[velocity(100.0), CtrlModeSpec(CtrlMode.TORQUE)])
    robot = robot_of(scene)
    scene.set_control_mode(robot, mode)
    controller = robot.add_controller(GravityCompensation())
    scene.run(0.1)
    send(scene)
    before = effort(scene)
    robot.remove_controller(controller)
    assert scene.control.table.forward is None
    send(scene)
    np.testing.assert_allclose(effort(scene), before, rtol=0, atol=1e-9)


def test_in_torque_it_takes_over_from_the_command() -> None:
    scene = two()
    scene.set_control_mode("a", CtrlMode.TORQUE)
    scene.command[:] = (3.0, -1.0)
    send(scene)
    before = effort(scene)
    robot_of(scene).add_controller(GravityCompensation())
    np.testing.assert_allclose(scene.command, (3.0, -1.0) - scene.data.qfrc_bias, atol=1e-12)
    send(scene)
    np.testing.assert_allclose(effort(scene), before, rtol=0, atol=1e-9)
