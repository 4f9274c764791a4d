"""Set-points of start poses and keyframes: whatever the mode, a reset is at rest."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from field_models import alone, build
from mode_models import GRAVITY_TORQUE, POSITION, TORQUE, TWO, VELOCITY, effort, rod, velocity
from test_switching import FINGERS, GRIPPER

import mjscene
from mjscene import CtrlMode, CtrlModeSpec, RobotSpec
from mjscene.setpoints import holding_effort

SERVO = '<position name="p" joint="j" kp="200" kv="20"/>'
KEYS = """<keyframe><key name="home" qpos=".8" ctrl=".8"/><key name="qonly" qpos=".8"/>
 <key name="off" qpos=".8" ctrl=".5"/><key name="fast" qpos=".3" qvel="2"/></keyframe>"""
MODES = (CtrlModeSpec(), velocity(20.0))


def sag(kp: float, target: float) -> float:
    """Where kp (target - q) = m g L/2 cos q, by fixed-point iteration."""
    q = target
    for _ in range(100):
        q = target - GRAVITY_TORQUE * math.cos(q) / kp
    return q


def keyed(actuator: str = SERVO, **fields: str) -> mjscene.Scene:
    return build(RobotSpec(rod(actuator, tail=KEYS, **fields), home="home", modes=MODES))


def test_f43_a_scene_without_any_command_holds_its_start_pose_but_for_the_sag() -> None:
    for start in (0.0, 0.8):
        xml = rod(SERVO, tail=f'<keyframe><key name="h" qpos="{start}"/></keyframe>')
        scene = build(RobotSpec(xml, home="h"))
        assert scene.robots["rod"].ctrl_mode is POSITION
        assert scene.robots["rod"].command.tolist() == [start]
        scene.step(3000)
        assert scene.data.qpos[0] == pytest.approx(sag(200, start), abs=1e-7)
        assert abs(scene.data.qpos[0] - start) < 0.013


def test_f43_it_keeps_holding_while_another_robot_switches_and_lets_go() -> None:
    scene = build(
        RobotSpec(rod(SERVO), prefix="a/"), RobotSpec(rod(SERVO), prefix="b/", pos=(0, 1, 0))
    )
    scene.step(100)
    scene.set_control_mode("b", TORQUE, transfer="hold")
    scene.step(900)
    a, b = scene.robots["a"].qpos_adr[0], scene.robots["b"].qpos_adr[0]
    assert scene.data.qpos[a] == pytest.approx(-0.0122616, abs=1e-6)
    assert abs(scene.data.qpos[b]) > 1, "torque 0 is a fall"


@pytest.mark.parametrize("key", ["home", "qonly"])
@pytest.mark.parametrize("before", list(CtrlMode))
def test_f55_position_holds_after_a_reset_to_a_key_with_or_without_ctrl(
    key: str, before: CtrlMode
) -> None:
    scene = keyed()
    robot = scene.robots["rod"]
    robot.set_control_mode(before)
    robot.command = [0.4]
    scene.step(20)
    scene.reset(key)
    assert robot.ctrl_mode is POSITION
    assert robot.command.tolist() == [0.8]
    assert (scene.time, scene.data.qpos[0], scene.data.qvel[0]) == (0.0, 0.8, 0.0)
    scene.step(500)
    assert scene.data.qpos[0] == pytest.approx(0.791381, abs=2e-6)


@pytest.mark.parametrize("key", ["home", "qonly", None])
def test_f55_torque_starts_with_what_holds_the_pose_against_gravity(key: str | None) -> None:
    scene = keyed()
    robot = scene.robots["rod"]
    robot.set_control_mode(TORQUE)
    robot.command = [9.0]
    scene.step(20)
    scene.reset(key, keep_modes=True)
    assert robot.ctrl_mode is TORQUE
    assert robot.command[0] == pytest.approx(GRAVITY_TORQUE * math.cos(0.8), rel=1e-12)
    scene.step(100)
    assert scene.data.qpos[0] == pytest.approx(0.8, abs=1e-9)


@pytest.mark.parametrize("key", ["home", "qonly", None])
def test_f55_velocity_starts_with_none(key: str | None) -> None:
    scene = keyed()
    robot = scene.robots["rod"]
    robot.set_control_mode(VELOCITY)
    robot.command = [3.0]
    scene.step(20)
    scene.reset(key, keep_modes=True)
    assert robot.ctrl_mode is VELOCITY
    assert robot.command.tolist() == [0.0]
    scene.step(50)  # F36 (b): it yields at the load over the gain
    load = GRAVITY_TORQUE * math.cos(0.8)
    assert scene.data.qvel[0] == pytest.approx(-load / 20, rel=0.03)


def test_what_a_keyframe_says_of_its_own_actuator_stays() -> None:
    scene = keyed()
    scene.reset("off")
    assert scene.robots["rod"].command.tolist() == [0.5]
    scene.reset("fast")
    assert (scene.data.qpos[0], scene.data.qvel[0]) == (0.3, 2.0)
    assert scene.robots["rod"].command.tolist() == [0.3]


def test_by_a_files_own_motor_torque_starts_with_what_its_keyframe_gives_else_none() -> None:
    scene = keyed('<motor name="m" joint="j" gear="4"/>')
    assert scene.robots["rod"].command[0] == pytest.approx(0.8 * 4)
    scene.reset("qonly")
    assert scene.robots["rod"].command.tolist() == [0.0]


FORCES = {
    "gravity": "",
    "a spring": 'stiffness="3" springref=".4"',
    "armature and damping": 'armature=".2" damping="5"',
    "gravity compensation": "",
    "gravity compensation by its drive": 'actuatorgravcomp="true"',
}


@pytest.mark.parametrize("kind", FORCES)
def test_the_holding_torque_leaves_no_acceleration(kind: str) -> None:
    xml = rod(SERVO, joint=FORCES[kind], tail=KEYS)
    if "compensation" in kind:
        xml = xml.replace('name="link"', 'name="link" gravcomp=".75"')
    scene = build(RobotSpec(xml, home="home", modes=MODES, initial_mode=TORQUE))
    mujoco.mj_forward(scene.model, scene.data)
    assert scene.data.qacc[0] == pytest.approx(0, abs=1e-9)
    assert abs(effort(scene)[0]) > 0.1
    scene.step(100)
    assert scene.data.qpos[0] == pytest.approx(0.8, abs=1e-9)


def test_the_holding_torque_of_an_arm_is_the_lever_of_its_weights() -> None:
    # Link 1 with its centre at .25 cos a, link 2 at .5 cos a + .15 cos(a + b), 1 kg each.
    a, b = 0.4, -0.9
    key = f'<keyframe><key name="home" qpos="{a} {b}"/></keyframe></mujoco>'
    scene = build(RobotSpec(TWO.replace("</mujoco>", key), home="home", initial_mode=TORQUE))
    second = 9.81 * 0.15 * math.cos(a + b)
    first = 9.81 * (0.25 * math.cos(a) + 0.5 * math.cos(a)) + second
    np.testing.assert_allclose(scene.command, [first, second], rtol=1e-12)


def test_holding_effort_is_at_rest_whatever_the_velocity() -> None:
    model = alone(rod(SERVO))
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = 0.3, 5.0
    assert holding_effort(model, data)[0] == pytest.approx(GRAVITY_TORQUE * math.cos(0.3))


@pytest.mark.parametrize("actuator", ["position", "general"])
def test_a_filter_starts_settled(actuator: str) -> None:
    servo = {
        "position": '<position name="p" joint="j" kp="200" kv="20" timeconst=".1"/>',
        "general": '<general name="p" joint="j" dyntype="filter" dynprm=".1" gainprm="200"'
        ' biastype="affine" biasprm="4 -200 -20"/>',
    }[actuator]
    scene = keyed(servo)
    scene.reset("qonly")
    assert scene.data.act[0] == scene.data.ctrl[0]
    assert effort(scene)[0] == pytest.approx(0, abs=1e-12)
    scene.step(500)
    assert scene.data.qpos[0] == pytest.approx(sag(200, 0.8), abs=2e-6)


def test_a_start_pose_beyond_the_range_is_held_at_its_end_and_says_so() -> None:
    servo = '<position name="p" joint="j" kp="200" kv="20" ctrlrange="-.5 .5"/>'
    scene = keyed(servo)
    scene.reset("qonly")
    assert scene.data.ctrl[0] == 0.5
    scene.step(600)
    assert scene.data.qpos[0] == pytest.approx(sag(200, 0.5), abs=2e-5)


def test_every_keyframe_has_a_control_for_every_actuator_that_was_added() -> None:
    scene = keyed()
    model = scene.model
    load = {q: GRAVITY_TORQUE * math.cos(q) for q in (0.8, 0.3)}
    for name, q, ctrl in (("home", 0.8, 0.8), ("qonly", 0.8, 0.8), ("off", 0.8, 0.5)):
        key = model.key(name)
        by_name = {
            n: float(key.ctrl[model.actuator(n).id]) for n in ("p", "j_torque", "j_velocity")
        }
        assert by_name["p"] == ctrl
        assert by_name["j_torque"] == pytest.approx(load[q], rel=1e-12)
        assert by_name["j_velocity"] == 0.0


def test_a_joint_without_a_mode_has_no_command() -> None:
    key = rod(SERVO, tail=KEYS)
    scene = build(RobotSpec(key, home="home"), RobotSpec(GRIPPER, prefix="g/", modes=FINGERS))
    assert scene.robots["rod"].command.tolist() == [0.8]
    assert scene.robots["g"].ctrl_modes == (None, None)
    assert scene.robots["g"].command.tolist() == [0, 0]
