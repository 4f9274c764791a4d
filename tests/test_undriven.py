"""A switch that leaves a joint without any drive says so."""

from __future__ import annotations

import warnings

import pytest

from mjscene import (
    CtrlMode,
    CtrlModeSpec,
    MjsceneWarning,
    ObjectCmd,
    RobotSpec,
    Scene,
    SceneSpec,
    build_scene,
)

FINGERS = """
<mujoco model="hand">
  <worldbody>
    <body name="left"><joint name="left" type="slide"/><geom size=".1"/></body>
    <body name="right" pos="1 0 0"><joint name="right" type="slide"/><geom size=".1"/></body>
    <body name="free" pos="2 0 0"><joint name="free" type="slide"/><geom size=".1"/></body>
  </worldbody>
  <tendon>
    <fixed name="t"><joint joint="left" coef=".5"/><joint joint="right" coef=".5"/></fixed>
  </tendon>
  <equality>{equality}</equality>
  <actuator>
    <position name="pull" tendon="t" kp="100" kv="5"/>{more}
  </actuator>
</mujoco>
"""
UNDRIVEN = (
    "joint 'h/right' is driven by nothing now: its drive 'h/pull' is muted while 'h/left' is in a "
    "mode of its own; switch them together"
)


def hand(*joints: str, equality: str = "", more: str = "") -> Scene:
    text = FINGERS.format(equality=equality, more=more)
    modes = [CtrlModeSpec(CtrlMode.POSITION, joints=joints, kp=100)]
    return build_scene(SceneSpec([RobotSpec(text, prefix="h/", modes=modes)]))


def test_the_other_finger_of_a_tendon_is_named() -> None:
    scene = hand("left", "right")
    with pytest.warns(MjsceneWarning) as said:
        scene.set_control_mode("h", "position", ["left"])
    assert [str(w.message) for w in said] == [UNDRIVEN]
    assert said[0].filename == __file__


def test_a_finger_that_takes_no_modes_is_named_too() -> None:
    scene = hand("left")
    with pytest.warns(MjsceneWarning, match="'h/right' is driven by nothing"):
        scene.robots["h"].set_control_mode("position", ["left"])


def test_a_command_that_switches_one_finger_warns() -> None:
    scene = hand("left", "right")
    with pytest.warns(MjsceneWarning, match="'h/right' is driven by nothing") as said:
        scene.apply({"h": ObjectCmd(joint_cmds=[0.1], joint_cmd_types=[CtrlMode.POSITION])})
    assert said[0].filename == __file__


def test_giving_one_finger_back_warns_of_it() -> None:
    scene = hand("left", "right")
    scene.set_control_mode("h", "position")
    with pytest.warns(MjsceneWarning, match="'h/right' is driven by nothing"):
        scene.set_control_mode("h", None, ["right"])


def test_what_was_said_is_not_said_again() -> None:
    scene = hand("left", "right", "free")
    scene.set_control_mode("h", "position", ["free"])
    with pytest.warns(MjsceneWarning):
        scene.set_control_mode("h", "position", ["left"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene.set_control_mode("h", "position", ["right"])


@pytest.mark.parametrize(
    ("equality", "more"),
    [
        ("<joint joint1='left' joint2='right'/>", ""),
        ("", "<motor name='own' joint='right'/>"),
    ],
)
def test_a_finger_that_something_else_moves_is_none(equality: str, more: str) -> None:
    scene = hand("left", equality=equality, more=more)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene.set_control_mode("h", "position", ["left"])


def test_fingers_that_switch_together_are_silent() -> None:
    scene = hand("left", "right")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene.set_control_mode("h", "position")
        scene.set_control_mode("h", None)


def test_a_warning_that_is_an_error_comes_when_all_is_done() -> None:
    scene = hand("left")
    robot = scene.robots["h"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(MjsceneWarning):
            scene.apply({"h": ObjectCmd(joint_cmds=[0.3], joint_cmd_types=["POSITION"])})
        assert robot.command[0] == 0.3
        scene.set_control_mode("h", None)
        with pytest.raises(MjsceneWarning):
            robot.stop()
        scene.step()
        robot.recover()
        scene.step()
        assert robot.ctrl_modes == (None,)
