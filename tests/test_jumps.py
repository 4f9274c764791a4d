"""Jumps of effort that limits force on a switch: told with the joint and both efforts, or none."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from field_models import build
from mode_models import POSITION, TORQUE, rod

from mjscene import CtrlModeSpec, MjsceneWarning, RobotSpec, Scene

MODES = (CtrlModeSpec(TORQUE),)
NARROW = '<position name="p" joint="j" kp="20" kv="2" ctrlrange="-0.1 0.1" {more}/>'


def pushed(torque: float, more: str = "", ctrl: str = NARROW) -> Scene:
    """A rod that is moved by a torque."""
    scene = build(RobotSpec(rod(ctrl.format(more=more)), prefix="r/", modes=MODES))
    scene.set_control_mode("r", TORQUE, transfer="hold")
    scene.command[:] = torque
    scene.step(5)
    return scene


def efforts_at(scene: Scene) -> tuple[float, float]:
    """The effort under the mode of now, and after a switch to POSITION."""
    scene.forward()
    before = float(scene.joints.effort[0])
    scene.set_control_mode("r", POSITION)
    scene.forward()
    return before, float(scene.joints.effort[0])


@pytest.mark.parametrize("more", ["", 'timeconst="0.05"'])
def test_a_set_point_beyond_its_range_is_told_with_both_efforts(more: str) -> None:
    scene = pushed(6.0, more)
    with pytest.warns(
        MjsceneWarning, match=r"joint 'r/j' jumps from 6 to .* N·m: POSITION"
    ) as told:
        before, after = efforts_at(scene)
    assert before == 6.0
    assert abs(after - before) > 1.0
    said = str(told[0].message)
    assert f"to {after:.6g} N·m" in said
    assert told[0].filename == __file__


@pytest.mark.parametrize("more", ["", 'timeconst="0.05"'])
def test_nothing_is_said_where_nothing_jumps(more: str) -> None:
    scene = pushed(0.5, more)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        before, after = efforts_at(scene)
        scene.set_control_mode("r", TORQUE)
    assert after == pytest.approx(before, abs=1e-9)


def test_a_clamp_that_acted_before_is_no_jump() -> None:
    """The torque is commanded beyond what the joint lets through: what acts is what goes on."""
    limit = 'actuatorfrclimited="true" actuatorfrcrange="-3 3"'
    servo = '<position name="p" joint="j" kp="2000" kv="2"/>'
    text = rod(servo, joint=limit)
    scene = build(RobotSpec(text, prefix="r/", modes=MODES))
    scene.set_control_mode("r", TORQUE, transfer="hold")
    scene.command[:] = 3.0
    scene.step(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene.set_control_mode("r", POSITION)


def test_several_joints_are_counted() -> None:
    two = [
        RobotSpec(rod(NARROW.format(more="")), prefix=f"{n}/", pos=(0, i, 0), modes=MODES)
        for i, n in enumerate("rst")
    ]
    scene = build(*two)
    scene.set_control_mode(["r", "s", "t"], TORQUE, transfer="hold")
    scene.command[:] = (5.0, 7.0, 0.1)
    scene.step(5)
    with pytest.warns(MjsceneWarning, match=r"joint 's/j' jumps from 7 .*; so do those of 1 more$"):
        scene.set_control_mode(["r", "s", "t"], POSITION)


def test_what_is_written_while_a_robot_is_stopped_is_gone_when_it_recovers() -> None:
    scene = build(RobotSpec(rod('<position name="p" joint="j" kp="50" kv="5"/>'), prefix="r/"))
    robot = scene.robots["r"]
    robot.stop()
    scene.step(500)
    held = robot.command.copy()
    robot.command[0] = 1.0
    robot.recover()
    np.testing.assert_array_equal(robot.command, held)
    scene.step(200)
    assert abs(scene.data.qvel[0]) < 1e-2


def test_a_filtered_drive_is_switched_within_the_limits_of_the_new_one() -> None:
    """Its command does not wind up for what the limits keep from it."""
    motor = '<general name="m" joint="j" gainprm="1" dyntype="filter" dynprm="0.01"/>'
    slow = (CtrlModeSpec("VELOCITY", kv=5.0, force_limit=2.0),)
    scene = build(RobotSpec(rod(motor), prefix="r/", modes=slow))
    scene.command[:] = 8.0
    scene.step(200)
    scene.data.qvel[:] = 0.0
    scene.forward()
    assert scene.joints.effort[0] == pytest.approx(8.0, abs=1e-6)
    with pytest.warns(MjsceneWarning, match=r"jumps from 8 to 2 N·m: VELOCITY"):
        scene.set_control_mode("r", "VELOCITY")
    assert scene.command[0] == pytest.approx(2.0 / 5.0, abs=1e-6)
    scene.forward()
    assert scene.joints.effort[0] == pytest.approx(2.0, abs=1e-9)


def test_a_joints_own_limit_is_a_part_of_both_efforts() -> None:
    limit = 'actuatorfrclimited="true" actuatorfrcrange="-20 20"'
    servo = '<position name="p" joint="j" kp="100" kv="2"/>'
    scene = build(RobotSpec(rod(servo, joint=limit), prefix="r/", modes=MODES))
    scene.command[:] = 3.0
    scene.step()
    scene.forward()
    assert scene.joints.effort[0] == 20.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene.set_control_mode("r", TORQUE)
    scene.forward()
    assert scene.joints.effort[0] == 20.0


def test_a_warning_raised_as_an_error_comes_when_all_is_done() -> None:
    robots = [
        RobotSpec(rod(NARROW.format(more="")), prefix=f"{n}/", pos=(0, i, 0), modes=MODES)
        for i, n in enumerate("rs")
    ]
    scene = build(*robots)
    scene.set_control_mode("r", TORQUE, transfer="hold")
    scene.command[:] = (6.0, 0.05)
    scene.step(5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(MjsceneWarning, match="'r/j' jumps"):
            scene.set_control_mode({"r": POSITION, "s": TORQUE})
        assert [m for n in "rs" for m in scene.robots[n].ctrl_modes] == [POSITION, TORQUE]
        scene.set_control_mode("s", TORQUE)  # it is not told twice
    scene.set_control_mode("r", TORQUE, transfer="hold")
    scene.command[0] = 9.0
    scene.step(5)
    scene.robots["r"].stop()
    scene.step()
    robot = scene.robots["r"]
    robot.recover()
    assert robot.robot_mode.name == "IDLE"
    assert robot.ctrl_modes == (TORQUE,)
