"""The joint table: commands in joint space, written to the right control, checked and clamped."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from field_models import build
from mode_models import (
    POSITION,
    TORQUE,
    TWO,
    VELOCITY,
    assert_same,
    effort,
    everything,
    rod,
    slider,
    velocity,
)
from test_switching import FINGERS, GRIPPER

import mjscene
from mjscene import AttachmentSpec, CommandError, CtrlModeSpec, RobotSpec, site

MODES = (CtrlModeSpec(), velocity(20.0))
SERVO = '<position name="p" joint="j" kp="200" kv="20"/>'
GRIP = AttachmentSpec(
    slider('<motor name="m" joint="s"/>'), attach_to=site("tip"), prefix="g/", name="grip"
)


def settled(scene: mjscene.Scene, n: int = 3000) -> float:
    scene.step(n)
    return float(scene.data.qpos[0])


@pytest.mark.parametrize("gear", [1.0, 0.5, 4.0, -20.0])
@pytest.mark.parametrize(
    "servo",
    [
        '<position name="p" joint="j" kp="60" kv="6" gear="{g}"/>',
        '<general name="p" joint="j" gear="{g}" gainprm="50" biastype="affine"'
        ' biasprm="3 -60 -6"/>',
        '<general name="p" joint="j" gear="{g}" gainprm="-50" biastype="affine"'
        ' biasprm="-2 -60 -6"/>',
        '<position name="p" joint="j" kp="60" kv="6" gear="{g}" timeconst=".02"/>',
        '<pid name="p" joint="j" kp="60" kv="6" gear="{g}"/>',
    ],
    ids=["plain", "gain other than kp", "negative gain", "filtered", "pid"],
)
def test_a_position_command_is_where_the_joint_goes_whatever_the_affine_law(
    servo: str, gear: float
) -> None:
    option = 'integrator="implicitfast" gravity="0 0 0"'
    scene = build(RobotSpec(rod(servo.format(g=gear), joint='damping="1"', option=option)))
    scene.robots["rod"].command = [0.5]
    assert settled(scene) == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("gear", [1.0, 0.5, 4.0, -20.0])
@pytest.mark.parametrize("gain", [1.0, -2.0])
def test_a_torque_command_is_the_torque_on_the_joint(gear: float, gain: float) -> None:
    motor = f'<general name="m" joint="j" gear="{gear}" gainprm="{gain}"/>'
    scene = build(RobotSpec(rod(motor)))
    scene.robots["rod"].command = [1.25]
    scene.step()
    assert scene.data.qfrc_actuator[0] == pytest.approx(1.25, rel=1e-12)


@pytest.mark.parametrize("gear", [1.0, 0.5, 4.0, -20.0])
def test_a_velocity_command_is_the_speed_of_the_joint(gear: float) -> None:
    option = 'integrator="implicitfast" gravity="0 0 0"'
    servo = f'<velocity name="v" joint="j" kv="9" gear="{gear}"/>'
    scene = build(RobotSpec(rod(servo, option=option)))
    scene.robots["rod"].command = [0.7]
    settled(scene, 1500)
    assert scene.data.qvel[0] == pytest.approx(0.7, abs=1e-6)


def test_joint_vectors_are_the_robots_joints_in_model_order_then_its_attachments() -> None:
    scene = build(
        RobotSpec(TWO, prefix="a/", attachments=(GRIP,), modes=MODES),
        RobotSpec(TWO, prefix="b/", modes=MODES, pos=(0, 2, 0)),
    )
    assert scene.joint_names == ("a/j1", "a/j2", "a/g/s", "b/j1", "b/j2")
    robot = scene.robots["a"]
    assert robot.joint_names == ("a/j1", "a/j2", "a/g/s")
    assert robot.attachments["grip"].joint_names == ("a/g/s",)
    for name, joint, qpos, dof in zip(
        robot.joint_names, robot.joint_ids, robot.qpos_adr, robot.dof_adr, strict=True
    ):
        assert scene.model.joint(int(joint)).name == name
        assert scene.model.joint(name).qposadr[0] == qpos
        assert scene.model.joint(name).dofadr[0] == dof


def test_a_command_goes_to_the_control_of_the_active_mode_and_to_no_other() -> None:
    # Controls and actuators are numbered apart: the ball's servo has three inputs.
    ball = '<body pos="0 1 0"><joint name="b" type="ball"/><geom size=".1" mass="1"/></body>'
    xml = TWO.replace("</worldbody>", ball + "</worldbody>")
    xml = xml.replace("<actuator>", '<actuator><orientation name="o" joint="b" kp="1"/>')
    scene = build(RobotSpec(xml, modes=MODES))
    model = scene.model
    robot = scene.robots["two"]
    robot.set_control_mode(VELOCITY, joints=["j2"])
    before = scene.data.ctrl.copy()
    robot.command = [0.25, -0.5]
    scene.step()
    before[model.actuator_ctrladr[model.actuator("p1").id]] = 0.25
    before[model.actuator_ctrladr[model.actuator("j2_velocity").id]] = -0.5
    np.testing.assert_array_equal(scene.data.ctrl, before)


def test_a_robots_command_is_a_view_of_the_scenes() -> None:
    scene = build(RobotSpec(TWO, prefix="a/"), RobotSpec(TWO, prefix="b/"))
    scene.robots["b"].command[1] = 0.5
    assert scene.command.tolist() == [0, 0, 0, 0.5]
    scene.command[0] = 0.25
    assert scene.robots["a"].command.tolist() == [0.25, 0]
    scene.robots["b"].command += 1.0
    assert scene.command.tolist() == [0.25, 0, 1.0, 1.5]


def test_a_scenes_command_may_be_assigned_and_is_checked_then() -> None:
    scene = build(RobotSpec(TWO, prefix="a/"), RobotSpec(TWO, prefix="b/", pos=(0, 3, 0)))
    array = scene.command
    scene.command = [0.1, 0.2, 0.3, 0.4]  # type: ignore[assignment]
    assert scene.command is array
    assert array.tolist() == [0.1, 0.2, 0.3, 0.4]
    scene.command += 0.5
    assert scene.command is array
    assert array[3] == 0.9
    for wrong in ([1.0] * 3, [0.0, 0.0, np.nan, 0.0]):
        with pytest.raises(CommandError):
            scene.command = wrong  # type: ignore[assignment]
    scene.robots["a"].stop()
    with pytest.raises(CommandError, match="not commanded"):
        scene.command = [1.0] * 4  # type: ignore[assignment]
    assert array[3] == 0.9
    with pytest.raises(AttributeError):
        scene.comand = array  # type: ignore[attr-defined]


def test_commands_persist_and_a_control_that_the_program_writes_does_too() -> None:
    scene = build(RobotSpec(TWO, modes=MODES))
    scene.command[:] = 0.1, 0.2
    scene.step(3)
    assert scene.data.ctrl[:2].tolist() == [0.1, 0.2]
    scene.data.ctrl[0] = 0.7
    scene.step(3)
    assert scene.data.ctrl[:2].tolist() == [0.7, 0.2]
    scene.command[1] = 0.3
    scene.step()
    assert scene.data.ctrl[1] == 0.3


WRONG: dict[str, Any] = {
    "too few": [1.0],
    "too many": [1.0, 2.0, 3.0],
    "one for all": 1.0,
    "none": [],
    "a column": [[1.0], [2.0]],
    "NaN": [0.1, float("nan")],
    "infinite": [float("inf"), 0.1],
    "words": "fast",
    "a word": ["1", "x"],
    "ragged": [[1.0], [1.0, 2.0]],
    "nothing": None,
    "a mapping": {"j1": 1.0, "j2": 2.0},
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_command_that_does_not_fit_is_refused_and_nothing_changes(kind: str) -> None:
    scene = build(RobotSpec(TWO, modes=MODES))
    robot = scene.robots["two"]
    robot.command = [0.1, 0.2]
    before = everything(scene)
    with pytest.raises(CommandError):
        robot.command = WRONG[kind]
    with pytest.raises(CommandError):
        robot.prime(TORQUE, WRONG[kind])
    assert_same(everything(scene), before)


def test_an_error_names_the_joint_and_both_counts() -> None:
    robot = build(RobotSpec(TWO, prefix="a/")).robots["a"]
    with pytest.raises(CommandError, match=r"2 joints.*got 3"):
        robot.command = [1, 2, 3]
    with pytest.raises(CommandError, match="'a/j2' is nan") as caught:
        robot.command = [0.0, float("nan")]
    assert caught.value.element == "a/j2"


@pytest.mark.parametrize("mode", ["torque", "TORQUE", TORQUE])
def test_a_mode_is_primed_by_its_name_as_it_is_switched_to(mode: Any) -> None:
    robot = build(RobotSpec(TWO, modes=MODES)).robots["two"]
    robot.prime(mode, [1.0, 2.0])
    robot.set_control_mode(mode, transfer="keep")
    assert robot.command.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("mode", ["nope", 7, None])
def test_an_unknown_mode_cannot_be_primed(mode: Any) -> None:
    robot = build(RobotSpec(TWO, modes=MODES)).robots["two"]
    with pytest.raises(mjscene.ModeError):
        robot.prime(mode, [1.0, 2.0])


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("row", [0, 1])
def test_a_step_refuses_a_command_that_is_not_finite_before_anything_happens(
    bad: float, row: int
) -> None:
    scene = build(RobotSpec(TWO, prefix="a/", modes=MODES))
    scene.step()
    scene.command[:] = 0.1
    scene.command[row] = bad
    before = everything(scene)
    for _ in range(2):
        with pytest.raises(CommandError, match=f"a/j{row + 1}") as caught:
            scene.step()
        assert caught.value.element == f"a/j{row + 1}"
        assert_same(everything(scene), before)
    scene.command[row] = 0.2
    scene.step()
    assert np.isfinite(scene.data.qpos).all()


def test_commands_that_are_huge_but_finite_are_no_error() -> None:
    xml = TWO.replace('kp="200"', 'ctrlrange="-1 1" kp="200"')
    xml = xml.replace('kp="100"', 'ctrlrange="-1 1" kp="100"')
    scene = build(RobotSpec(xml))
    scene.command[:] = 1.5e308
    scene.step()
    assert scene.robots["two"].saturated.all()
    assert np.isfinite(scene.data.qpos).all()


def test_limits_and_saturation_are_per_joint_and_mode() -> None:
    xml = TWO.replace('name="p1"', 'name="p1" ctrlrange="-1 2"')
    xml = xml.replace('name="p2"', 'name="p2" forcerange="-3 4"')
    scene = build(RobotSpec(xml, modes=MODES))
    robot, inf = scene.robots["two"], np.inf
    np.testing.assert_array_equal(robot.command_limits, [[-1, 2], [-inf, inf]])
    robot.command = [2.5, 9.0]
    assert robot.saturated.tolist() == [True, False]
    robot.set_control_mode(TORQUE)
    np.testing.assert_array_equal(robot.command_limits, [[-inf, inf], [-3, 4]])
    robot.command = [2.5, 9.0]
    assert robot.saturated.tolist() == [False, True]
    robot.set_control_mode(VELOCITY, joints=["j1"])
    np.testing.assert_array_equal(robot.command_limits, [[-inf, inf], [-3, 4]])


def test_gains_that_a_program_changes_are_followed_by_the_next_switch() -> None:
    scene = build(RobotSpec(rod(SERVO), modes=MODES))
    scene.data.qpos[:], robot = 0.2, scene.robots["rod"]
    p = scene.model.actuator("p").id
    scene.model.actuator_gainprm[p, 0] = 80.0
    scene.model.actuator_biasprm[p, :3] = (0, -80.0, -8.0)
    mujoco.mj_forward(scene.model, scene.data)
    before = effort(scene)
    assert before[0] == pytest.approx(-16.0)
    for mode in (TORQUE, VELOCITY, POSITION):
        robot.set_control_mode(mode)
        np.testing.assert_allclose(effort(scene), before, rtol=1e-9)


def test_a_gear_that_a_program_changes_is_followed_by_the_next_command() -> None:
    scene = build(RobotSpec(rod('<motor name="m" joint="j" gear="4"/>')))
    scene.command[:] = 1.0
    scene.step()
    scene.model.actuator_gear[0, 0] = 8.0
    scene.forward()
    scene.command[:] = 2.0
    scene.step(2)  # the moment arm of the first step was computed before the change
    assert scene.data.qfrc_actuator[0] == pytest.approx(2.0)


def test_a_joint_in_no_mode_refuses_to_be_assigned_a_command() -> None:
    scene = build(RobotSpec(GRIPPER, prefix="t/", modes=FINGERS))
    robot = scene.robots["t"]
    assert robot.ctrl_modes == (None, None)
    robot.command = robot.command  # changes nothing
    for assign in (
        lambda: setattr(robot, "command", [0.0, 0.1]),
        lambda: setattr(robot.joints, "command", [0.0, 0.1]),
        lambda: setattr(robot.joints["fr"], "command", 0.1),
    ):
        with pytest.raises(CommandError, match=r"'t/fr' .* in no mode"):
            assign()
        assert not robot.command.any()
    robot.set_control_mode("TORQUE")
    robot.command = [0.0, 0.1]
    assert robot.command[1] == 0.1
