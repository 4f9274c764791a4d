"""Gains set while a scene runs, against the drives' laws by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from field_models import build
from mode_models import POSITION, TORQUE, VELOCITY, assert_same, everything, rod, velocity

from mjscene import CtrlModeSpec, MjsceneError, PhysicsOptions, RobotSpec, Scene, SceneObject

WEIGHTLESS = PhysicsOptions(gravity=(0, 0, 0), timestep=0.002)
# What drives the joint, and its position gain, velocity gain and integral gain in joint space.
SERVOS = {
    "servo": ('<position name="p" joint="j" kp="20" kv="2"/>', 20.0, 2.0, 0.0),
    "geared": ('<position name="p" joint="j" kp="20" kv="2" gear="-3"/>', 180.0, 18.0, 0.0),
    "affine": (
        '<general name="p" joint="j" gear="2" gainprm="7" biastype="affine" biasprm="1.5 -5 -.3"/>',
        20.0,
        1.2,
        0.0,
    ),
    "pid": ('<pid name="p" joint="j" kp="20" ki="30" kv="2"/>', 20.0, 2.0, 30.0),
    "geared pid": ('<pid name="p" joint="j" kp="20" ki="30" kv="2" gear="2"/>', 80.0, 8.0, 120.0),
}
each_servo = pytest.mark.parametrize("kind", SERVOS)


def one(kind: str) -> Scene:
    """A joint with a servo and the other modes."""
    spec = RobotSpec(rod(SERVOS[kind][0]), modes=(CtrlModeSpec(), velocity(20.0)))
    return build(spec, options=WEIGHTLESS)


def effort_at(scene: Scene, q: float, v: float, command: float) -> float:
    """What the drive gives at a state, its integral emptied."""
    scene.reset(keep_modes=True)
    scene.data.qpos[0], scene.data.qvel[0] = q, v
    scene.data.act[:] = 0.0
    scene.command[0] = command
    scene.step()
    return float(scene.joints.effort[0])


@each_servo
def test_gains_are_those_of_the_drive_in_joint_space(kind: str) -> None:
    scene = one(kind)
    _, kp, kd, _ = SERVOS[kind]
    joint = scene.joints["j"]
    assert joint.position_gain == pytest.approx(kp, rel=1e-14)
    assert joint.velocity_gain == pytest.approx(kd, rel=1e-14)
    scene.set_control_mode("rod", VELOCITY)
    assert (joint.position_gain, joint.velocity_gain) == (0.0, 20.0)
    scene.set_control_mode("rod", TORQUE)
    assert (joint.position_gain, joint.velocity_gain) == (0.0, 0.0)


@each_servo
def test_effort_follows_the_law_with_new_gains_and_the_command_keeps_its_meaning(kind: str) -> None:
    scene = one(kind)
    joint = scene.joints["j"]
    joint.position_gain, joint.velocity_gain = 55.0, 3.3
    assert joint.position_gain == pytest.approx(55.0, rel=1e-14)
    assert joint.velocity_gain == pytest.approx(3.3, rel=1e-14)
    for q, v, command in ((0.1, 0.4, 0.3), (-0.2, -1.0, 0.0), (0.25, 0.0, 0.25)):
        wanted = 55.0 * (command - q) - 3.3 * v
        assert effort_at(scene, q, v, command) == pytest.approx(wanted, rel=1e-12, abs=1e-12)
    joint.velocity_gain = 0.0
    assert effort_at(scene, 0.1, 5.0, 0.1) == pytest.approx(0.0, abs=1e-12)


@each_servo
def test_a_command_given_before_a_new_gain_keeps_its_meaning(kind: str) -> None:
    scene = one(kind)
    scene.command[0] = 0.3
    scene.step()
    scene.joints["j"].position_gain = 55.0
    scene.data.qpos[0], scene.data.qvel[0], scene.data.act[:] = 0.1, 0.0, 0.0
    scene.step()
    assert scene.joints["j"].effort == pytest.approx(55.0 * 0.2, rel=1e-12)


@pytest.mark.parametrize("kind", ["pid", "geared pid"])
def test_a_pids_integral_keeps_its_gain(kind: str) -> None:
    scene = one(kind)
    ki = SERVOS[kind][3]
    scene.joints["j"].position_gain = 55.0
    effort_at(scene, 0.1, 0.0, 0.3)
    before = scene.joints["j"].effort
    scene.data.qpos[0], scene.data.qvel[0] = 0.1, 0.0
    scene.step()
    assert before == pytest.approx(55.0 * 0.2, rel=1e-12)
    assert scene.joints["j"].effort - before == pytest.approx(ki * 0.002 * 0.2, rel=1e-9)


@pytest.mark.parametrize("gear", ["1", "-4"])
def test_a_velocity_servos_gain(gear: str) -> None:
    actuator = f'<velocity name="v" joint="j" kv="5" gear="{gear}"/>'
    scene = build(RobotSpec(rod(actuator)), options=WEIGHTLESS)
    joint = scene.joints["j"]
    assert joint.velocity_gain == 5.0 * float(gear) ** 2
    joint.velocity_gain = 12.0
    for v, command in ((0.3, 1.0), (-1.0, 0.5), (0.5, 0.5)):
        found = effort_at(scene, 0.0, v, command)
        assert found == pytest.approx(12.0 * (command - v), rel=1e-12, abs=1e-12)


def test_gains_of_several_joints_and_of_an_added_drive() -> None:
    modes = (CtrlModeSpec(POSITION, kp=30.0, kd=3.0), velocity(20.0))
    servo, motor = rod(SERVOS["geared"][0]), rod('<motor name="m" joint="j" gear="9"/>')
    scene = build(
        RobotSpec(servo, prefix="a/", modes=modes), RobotSpec(motor, prefix="b/", modes=modes)
    )
    scene.set_control_mode("b", POSITION)
    np.testing.assert_allclose(scene.joints.position_gain, [180.0, 30.0], rtol=1e-14)
    scene.joints.position_gain = [70.0, 90.0]
    scene.joints.velocity_gain = 4.0
    np.testing.assert_allclose(scene.joints.position_gain, [70.0, 90.0], rtol=1e-14)
    np.testing.assert_allclose(scene.joints.velocity_gain, [4.0, 4.0], rtol=1e-14)
    scene.set_control_mode("b", VELOCITY)
    assert scene.joints.velocity_gain[1] == 20.0, "each drive has its own"
    scene.set_control_mode("b", POSITION)
    assert scene.joints.position_gain[1] == pytest.approx(90.0, rel=1e-14)


def test_new_gains_survive_resets_states_and_changes_of_objects() -> None:
    scene = one("geared")
    state, joint = scene.get_state(), scene.joints["j"]
    joint.position_gain, joint.velocity_gain = 55.0, 3.3
    scene.set_control_mode("rod", VELOCITY)
    joint.velocity_gain = 7.0
    ball = SceneObject("far", shape="sphere", size=(0.1,), pos=(9, 9, 9))
    for change in (
        scene.reset,
        lambda: scene.set_state(state),
        lambda: scene.add_object(ball),
        lambda: scene.remove_object("far"),
    ):
        change()
        joint = scene.joints["j"]
        scene.set_control_mode("rod", POSITION)
        assert joint.position_gain == pytest.approx(55.0, rel=1e-14)
        assert joint.velocity_gain == pytest.approx(3.3, rel=1e-14)
        assert effort_at(scene, 0.1, 0.4, 0.3) == pytest.approx(11.0 - 1.32, rel=1e-12)
        scene.set_control_mode("rod", VELOCITY)
        assert joint.velocity_gain == pytest.approx(7.0, rel=1e-14)


def test_a_switch_after_a_new_gain_is_bumpless_by_the_new_law() -> None:
    scene = one("servo")
    joint = scene.joints["j"]
    joint.position_gain = 300.0
    scene.command[0] = 0.2
    scene.step(5)
    scene.set_control_mode("rod", TORQUE)
    wanted = 300.0 * (0.2 - joint.position) - 2.0 * joint.velocity
    assert scene.command[0] == pytest.approx(wanted, rel=1e-12)


BAD: dict[str, tuple[str, Any, str]] = {
    "negative": ("position_gain", -1.0, "cannot be -1"),
    "zero": ("position_gain", 0.0, "cannot be 0"),
    "nan": ("position_gain", np.nan, "cannot be nan"),
    "infinite": ("velocity_gain", np.inf, "cannot be inf"),
    "a count": ("position_gain", [1.0, 2.0, 3.0], "one per joint"),
    "a matrix": ("position_gain", np.ones((2, 1)), "one per joint"),
    "words": ("velocity_gain", "much", "number"),
    "nothing": ("velocity_gain", None, "expected numbers"),
    "one of two": ("position_gain", [5.0, -5.0], "'b/j' cannot be -5"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_wrong_gain_is_refused_and_nothing_changes(kind: str) -> None:
    xml = rod(SERVOS["servo"][0])
    scene = build(RobotSpec(xml, prefix="a/"), RobotSpec(xml, prefix="b/"))
    name, value, words = BAD[kind]
    before, gains = everything(scene), scene.model.actuator_biasprm.copy()
    with pytest.raises(MjsceneError, match=words) as caught:
        setattr(scene.joints, name, value)
    assert name in str(caught.value)
    assert_same(everything(scene), before)
    np.testing.assert_array_equal(scene.model.actuator_biasprm, gains)


@pytest.mark.parametrize(
    ("mode", "name"),
    [(TORQUE, "position_gain"), (TORQUE, "velocity_gain"), (VELOCITY, "position_gain")],
)
def test_a_gain_that_the_mode_has_not_is_refused(mode: Any, name: str) -> None:
    scene = build(
        RobotSpec(rod(SERVOS["servo"][0]), prefix="a/"),
        RobotSpec(rod(SERVOS["servo"][0]), prefix="b/", modes=(CtrlModeSpec(), velocity(20.0))),
    )
    scene.set_control_mode("b", mode)
    parameters = scene.model.actuator_biasprm.copy()
    with pytest.raises(MjsceneError, match=f"'b/j' is in {mode.name}, which has no") as caught:
        setattr(scene.joints, name, 3.0)
    assert caught.value.element == "b/j"
    np.testing.assert_array_equal(scene.model.actuator_biasprm, parameters)


def test_a_velocity_servo_takes_no_gain_of_zero() -> None:
    scene = one("servo")
    scene.set_control_mode("rod", VELOCITY)
    with pytest.raises(MjsceneError, match="cannot be 0"):
        scene.joints["j"].velocity_gain = 0.0
    assert scene.joints["j"].velocity_gain == 20.0
