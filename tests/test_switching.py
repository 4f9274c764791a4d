"""What a switch does: it touches its own joints only, and chooses the first command as asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from field_models import build
from mode_models import (
    POSITION,
    TORQUE,
    TWO,
    VELOCITY,
    acting,
    effort,
    everything,
    rod,
    send,
    slider,
    velocity,
)

import mjscene
from mjscene import AttachmentSpec, CtrlMode, CtrlModeSpec, RobotSpec, Transfer, site

MODES = (CtrlModeSpec(), velocity(20.0))
FILTERED = TWO.replace('kp="200" kv="20"', 'kp="200" kv="20" timeconst=".02"')
PID = TWO.replace('<position name="p1" joint="j1"', '<pid ki="50" name="p1" joint="j1"')
GRIPPER = """<mujoco model="grip"><option timestep="0.002" integrator="implicitfast"/><worldbody>
 <body name="l"><joint name="fl" type="slide" axis="0 1 0" damping="5"/>
  <geom size=".02" mass=".2" contype="0" conaffinity="0"/></body>
 <body name="r"><joint name="fr" type="slide" axis="0 -1 0" damping="5"/>
  <geom size=".02" mass=".2" contype="0" conaffinity="0"/></body></worldbody>
 <tendon><fixed name="t"><joint joint="fl" coef=".5"/><joint joint="fr" coef=".5"/></fixed></tendon>
 <actuator><position name="pull" tendon="t" kp="100" kv="5"/></actuator></mujoco>"""
FINGERS = (CtrlModeSpec(joints=("fl", "fr")),)


def pair(first: str, modes: Any = MODES) -> mjscene.Scene:
    """Robots a (which switches) and b (which must not notice), in one scene."""
    return build(
        RobotSpec(first, prefix="a/", modes=modes), RobotSpec(FILTERED, prefix="b/", modes=MODES)
    )


def moving(scene: mjscene.Scene, seed: int = 0) -> mjscene.Scene:
    """The scene in a state in which every joint moves, after a few steps."""
    rng = np.random.default_rng(seed)
    scene.data.qpos[:] = rng.normal(size=scene.model.nq) * 0.3
    scene.data.qvel[:] = rng.normal(size=scene.model.nv)
    scene.step(3)
    return scene


# Isolation

SWITCHING = {
    "servo": (TWO, MODES, (TORQUE, VELOCITY, POSITION)),
    "filtered": (FILTERED, MODES, (TORQUE, VELOCITY, POSITION)),
    "pid": (PID, MODES, (TORQUE, VELOCITY, POSITION)),
    "tendon": (GRIPPER, FINGERS, (TORQUE, None)),
}


@pytest.mark.parametrize("kind", ["bumpless", "hold", "keep"])
@pytest.mark.parametrize("first", SWITCHING)
def test_a_switch_of_one_robot_leaves_the_trajectory_of_another_bit_for_bit(
    first: str, kind: str
) -> None:
    xml, modes, cycle = SWITCHING[first]
    still, switched = moving(pair(xml, modes)), moving(pair(xml, modes))
    rows = switched.robots["b"].qpos_adr
    for scene in (still, switched):
        scene.robots["b"].set_control_mode(VELOCITY, joints=["j2"])
        scene.robots["b"].command = [0.2, -0.3]
    seen = []
    for i in range(60):
        if i % 7 == 0:
            mode = cycle[i // 7 % len(cycle)]
            if mode is not None:
                switched.robots["a"].prime(mode, [0.1, 0.2])
            switched.set_control_mode("a", mode, transfer=kind)
            seen.append(switched.robots["a"].ctrl_mode)
        still.step()
        switched.step()
        np.testing.assert_array_equal(switched.data.qpos[rows], still.data.qpos[rows])
        np.testing.assert_array_equal(switched.data.qvel[rows], still.data.qvel[rows])
    assert seen == [cycle[i % len(cycle)] for i in range(len(seen))]
    assert not np.array_equal(switched.data.qpos, still.data.qpos), "the other one did switch"


# Transfer

PAIRS = [(a, b) for a in CtrlMode for b in CtrlMode if a is not b]


@pytest.mark.parametrize(("before", "after"), PAIRS)
@pytest.mark.parametrize("xml", [TWO, FILTERED, PID], ids=["servo", "filtered", "pid"])
def test_bumpless_keeps_the_effort_of_a_moving_robot(
    xml: str, before: CtrlMode, after: CtrlMode
) -> None:
    scene = moving(build(RobotSpec(xml, modes=MODES)))
    robot = scene.robots["two"]
    robot.set_control_mode(before)
    robot.command = robot.command + 0.1
    scene.step(5)
    wanted = effort(scene)
    assert np.abs(wanted).min() > 1e-3
    robot.set_control_mode(after)
    np.testing.assert_allclose(effort(scene), wanted, rtol=1e-9, atol=1e-9)
    commanded = robot.command.copy()  # and the command says the same as the control
    for other in (1.0, 0.0):
        robot.command = commanded + other
        send(scene)
    np.testing.assert_allclose(effort(scene), wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("xml", [TWO, FILTERED, PID], ids=["servo", "filtered", "pid"])
def test_hold_commands_the_measured_position_no_velocity_or_no_torque(xml: str) -> None:
    for mode in (TORQUE, VELOCITY, POSITION):
        scene = moving(build(RobotSpec(xml, modes=MODES)))
        robot = scene.robots["two"]
        if mode is POSITION:
            robot.set_control_mode(TORQUE)
        robot.set_control_mode(mode, transfer=Transfer.HOLD)
        wanted = scene.data.qpos if mode is POSITION else [0.0, 0.0]
        np.testing.assert_allclose(robot.command, wanted, atol=1e-15)
        law = {
            TORQUE: [0, 0],
            VELOCITY: -20 * scene.data.qvel,
            POSITION: [-20, -10] * scene.data.qvel,
        }
        np.testing.assert_allclose(effort(scene), law[mode], rtol=1e-9, atol=1e-9)


def test_keep_starts_with_what_was_primed_once() -> None:
    scene = moving(build(RobotSpec(TWO, modes=MODES)))
    robot = scene.robots["two"]
    robot.prime(TORQUE, [1.5, -0.5])
    robot.set_control_mode(TORQUE, transfer=Transfer.KEEP)
    np.testing.assert_array_equal(robot.command, [1.5, -0.5])
    np.testing.assert_array_equal(effort(scene), [1.5, -0.5])
    robot.set_control_mode(POSITION)
    before = everything(scene)
    with pytest.raises(mjscene.ModeError, match="primed"):
        robot.set_control_mode(TORQUE, transfer="keep")
    np.testing.assert_array_equal(everything(scene)["mode"], before["mode"])


def test_no_stale_command_of_a_mode_comes_back() -> None:
    # A torque commanded long ago, a target set before, and a command primed before the mode was
    # entered and left in another way: none is what the mode starts with later.
    scene = moving(build(RobotSpec(TWO, modes=MODES)))
    robot = scene.robots["two"]
    robot.prime(TORQUE, [9.0, 9.0])
    robot.set_control_mode(TORQUE, transfer="hold")
    robot.command = [7.0, 7.0]
    scene.step()
    robot.set_control_mode(POSITION, transfer="hold")
    scene.step(5)
    wanted = effort(scene)
    robot.set_control_mode(TORQUE)
    np.testing.assert_allclose(robot.command, wanted, rtol=1e-9)
    robot.set_control_mode(POSITION)
    with pytest.raises(mjscene.ModeError, match="primed"):
        robot.set_control_mode(TORQUE, transfer="keep")


def test_a_command_that_no_step_has_taken_yet_is_not_the_effort_before() -> None:
    scene = build(RobotSpec(TWO, modes=MODES))
    scene.step(200)
    robot, wanted = scene.robots["two"], effort(scene)
    robot.command = [3.0, 3.0]
    robot.set_control_mode(TORQUE, joints=["j1"])
    assert robot.command[0] == pytest.approx(wanted[0], rel=1e-9)
    assert robot.command[1] == 3.0
    scene.step()
    assert scene.data.ctrl[scene.model.actuator("p2").id] == 3.0, "the other's is still to come"


def test_position_to_torque_and_back_without_a_command_holds_the_arm() -> None:
    scene = build(RobotSpec(TWO, modes=MODES))
    scene.step(2000)
    start, robot = scene.data.qpos.copy(), scene.robots["two"]
    robot.set_control_mode(TORQUE)
    scene.step(50)
    robot.set_control_mode(POSITION)
    scene.step(50)
    assert np.abs(scene.data.qpos - start).max() < 1e-3


def test_an_integral_servo_holds_too_for_its_integral_takes_the_load() -> None:
    # A rod at rest with no sag. If the effort went into the target instead, the integral would
    # carry the rod to it: m g L/2 / kp = 0.01226 rad off.
    servo = CtrlModeSpec(POSITION, kp=200.0, kd=20.0, ki=2000.0, joints=("j",))
    scene = build(RobotSpec(rod(), modes=(servo, CtrlModeSpec(joints=("j",)))))
    scene.step(4000)
    start, load = scene.data.qpos.copy(), effort(scene)
    assert abs(start[0]) < 1e-9
    robot = scene.robots["rod"]
    robot.set_control_mode(TORQUE)
    scene.step(10)
    robot.set_control_mode(POSITION)
    np.testing.assert_allclose(effort(scene), load, rtol=1e-9)
    scene.step(1500)
    assert np.abs(scene.data.qpos - start).max() < 1e-3


# Drives that are no joint's own


def test_a_tendon_is_muted_while_a_joint_of_it_is_in_an_added_mode() -> None:
    scene = build(RobotSpec(GRIPPER, modes=FINGERS))
    robot = scene.robots["grip"]
    scene.actuators["pull"].ctrl = 0.1
    scene.step(50)
    assert robot.ctrl_modes == (None, None)
    assert acting(scene) == {"pull"}
    wanted = effort(scene)
    robot.set_control_mode(TORQUE, joints=["fl"])
    assert acting(scene) == {"fl_torque"}
    assert effort(scene)[0] == pytest.approx(wanted[0], rel=1e-9)
    robot.set_control_mode(TORQUE)
    assert acting(scene) == {"fl_torque", "fr_torque"}
    robot.set_control_mode(None, joints=["fr"])
    assert robot.ctrl_modes == (TORQUE, None)
    assert acting(scene) == {"fl_torque"}
    robot.set_control_mode(None)
    assert robot.ctrl_modes == (None, None)
    assert acting(scene) == {"pull"}


@pytest.mark.parametrize("transfer", ["bumpless", "hold"])
def test_a_tendon_that_takes_over_does_not_jump(transfer: str) -> None:
    scene = build(RobotSpec(GRIPPER, modes=FINGERS))
    robot = scene.robots["grip"]
    robot.set_control_mode(TORQUE, transfer="hold")
    robot.command = [0.7, 0.7]
    scene.step(30)
    scene.forward()  # after a step, lengths are those of the state before
    length = scene.data.ten_length[0]
    robot.set_control_mode(None, transfer=transfer)
    assert robot.ctrl_modes == (None, None)
    if transfer == "bumpless":
        np.testing.assert_allclose(effort(scene), [0.7, 0.7], rtol=1e-9)
    else:
        assert scene.actuators["pull"].ctrl[0] == pytest.approx(length, rel=1e-9)


SEVERAL = {
    "two servos": '<position name="x" joint="s" kp="90"/><position name="y" joint="s" kp="50"/>',
    "intvelocity": '<intvelocity name="x" joint="s" kp="90" kv="9" actrange="-9 9"/>',
    "damped motor": '<general name="x" joint="s" biastype="affine" biasprm="0 0 -9"/>',
    "delay": '<motor name="x" joint="s" delay=".004" nsample="4"/>',
}


@pytest.mark.parametrize("kind", SEVERAL)
def test_what_drives_a_joint_unmanaged_gives_it_the_effort_it_had(kind: str) -> None:
    scene = build(RobotSpec(slider(SEVERAL[kind]), modes=(CtrlModeSpec(joints=("s",)),)))
    robot = scene.robots["slider"]
    robot.set_control_mode(TORQUE, transfer="hold")
    robot.command = [2.0]
    scene.step(20)
    robot.set_control_mode(None)
    assert robot.ctrl_modes == (None,)
    assert effort(scene)[0] == pytest.approx(2.0, rel=1e-9)
    if kind == "intvelocity":
        assert scene.actuators["x"].ctrl == [0.0], "its control is a speed: it starts from rest"


def test_a_switch_of_named_joints_with_those_of_an_attachment_is_whole() -> None:
    # Two of three joints switch, one of which belongs to an attachment that owns no slot.
    part = AttachmentSpec(slider('<motor name="m" joint="s"/>'), attach_to=site("tip"), prefix="g_")
    scene = build(RobotSpec(TWO, attachments=(part,), modes=MODES))
    scene.robots["two"].set_control_mode(TORQUE, joints=["j1", "g_s"])
    assert scene.robots["two"].ctrl_modes == (TORQUE, POSITION, TORQUE)
    assert acting(scene) == {"j1_torque", "p2", "g_m"}


def test_a_switch_leaves_no_trace_in_what_the_next_step_starts_from() -> None:
    # Friction makes a constraint, whose solver starts from the warm start.
    xml = FILTERED.replace('name="j1"', 'name="j1" frictionloss=".5"')
    plain, scene = (
        moving(build(RobotSpec(xml, modes=MODES))),
        moving(build(RobotSpec(xml, modes=MODES))),
    )
    warm = scene.data.qacc_warmstart.copy()
    assert warm.any()
    scene.robots["two"].set_control_mode(TORQUE)
    np.testing.assert_array_equal(scene.data.qacc_warmstart, warm)
    assert scene.data.time == plain.data.time
    scene.step()
    plain.step()
    np.testing.assert_allclose(scene.data.qacc, plain.data.qacc, rtol=1e-9)
