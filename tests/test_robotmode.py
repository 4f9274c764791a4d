"""What a robot is said to be doing, and what its commands say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from field_models import build
from mode_models import TWO, rod, velocity

from mjscene import AttachmentSpec, CommandError, CtrlModeSpec, RobotMode, RobotSpec, Scene, site
from mjscene.controllers import GravityCompensation

SAID = [m for m in RobotMode if not m.is_stopped]


def arm_and_hand() -> Scene:
    hand = AttachmentSpec(
        rod('<motor name="p" joint="j"/>'),
        attach_to=site("tip"),
        prefix="h/",
        name="hand",
        modes=(CtrlModeSpec(),),
    )
    return build(RobotSpec(TWO, prefix="arm/", attachments=(hand,), modes=(velocity(),)))


def test_it_has_the_words_and_numbers_of_libfranka() -> None:
    words = "OTHER IDLE MOVE GUIDING REFLEX USER_STOPPED AUTOMATIC_ERROR_RECOVERY".split()
    assert [m.name for m in RobotMode] == words
    assert [int(m) for m in RobotMode] == list(range(7))
    assert str(RobotMode.REFLEX) == "REFLEX"
    assert [m for m in RobotMode if m.is_stopped] == [RobotMode.REFLEX, RobotMode.USER_STOPPED]


def test_a_robot_is_idle_until_it_is_commanded() -> None:
    scene = arm_and_hand()
    arm = scene.robots["arm"]
    assert arm.robot_mode is RobotMode.IDLE
    scene.step(10)
    assert arm.robot_mode is RobotMode.IDLE
    arm.command[0] = 0.3
    assert arm.robot_mode is RobotMode.MOVE
    assert arm.attachments["hand"].robot_mode is RobotMode.MOVE
    scene.reset()
    assert arm.robot_mode is RobotMode.IDLE


def test_a_robot_with_a_controller_moves() -> None:
    scene = arm_and_hand()
    arm = scene.robots["arm"]
    controller = arm.add_controller(GravityCompensation())
    assert arm.robot_mode is RobotMode.MOVE
    scene.reset()
    assert arm.robot_mode is RobotMode.MOVE
    arm.remove_controller(controller)


@pytest.mark.parametrize("mode", SAID)
def test_a_program_says_what_no_one_else_knows(mode: RobotMode) -> None:
    scene = arm_and_hand()
    arm = scene.robots["arm"]
    arm.command[0] = 0.3
    arm.robot_mode = mode
    assert arm.robot_mode is mode, "IDLE too: what it was commanded until now is done"
    state = scene.get_state()
    arm.command[0] = 0.2
    assert arm.robot_mode is (RobotMode.MOVE if mode is RobotMode.IDLE else mode)
    arm.robot_mode = RobotMode.IDLE
    assert arm.robot_mode is RobotMode.IDLE
    scene.set_state(state)
    assert arm.robot_mode is mode
    scene.reset()
    assert arm.robot_mode is RobotMode.IDLE


def test_a_word_or_a_number_will_do() -> None:
    arm = arm_and_hand().robots["arm"]
    arm.robot_mode = "guiding"
    assert arm.robot_mode is RobotMode.GUIDING
    arm.robot_mode = 0
    assert arm.robot_mode is RobotMode.OTHER


@pytest.mark.parametrize("mode", ["GIUDING", 7, None, RobotMode.REFLEX, "user_stopped"])
def test_what_is_not_said_is_refused_and_nothing_changes(mode: Any) -> None:
    arm = arm_and_hand().robots["arm"]
    arm.robot_mode = RobotMode.GUIDING
    with pytest.raises(CommandError, match="robot_mode") as caught:
        arm.robot_mode = mode
    if mode == "GIUDING":
        assert caught.value.close == ("GUIDING",)
    assert arm.robot_mode is RobotMode.GUIDING


def test_stop_and_recover() -> None:
    scene = arm_and_hand()
    arm, hand = scene.robots["arm"], scene.robots["arm"].attachments["hand"]
    arm.robot_mode = RobotMode.GUIDING
    scene.data.qvel[:] = 0.5
    scene.step(5)
    arm.stop()
    assert arm.robot_mode is hand.robot_mode is RobotMode.USER_STOPPED
    with pytest.raises(CommandError, match="'arm' is in USER_STOPPED"):
        arm.robot_mode = RobotMode.MOVE
    with pytest.raises(CommandError, match="'arm' is in USER_STOPPED"):
        arm.command = arm.command
    # It is no reflex: what it desires is what holds it.
    assert not np.array_equal(arm.joints.desired_position, arm.joints.position)
    where = arm.joints.stop_position
    scene.step(3)
    arm.stop()
    np.testing.assert_array_equal(arm.joints.stop_position, where, "it was stopped already")
    arm.recover()
    assert arm.robot_mode is RobotMode.IDLE


def test_an_attachments_stop_stops_its_robot() -> None:
    scene = arm_and_hand()
    arm = scene.robots["arm"]
    arm.attachments["hand"].stop()
    assert arm.robot_mode is RobotMode.USER_STOPPED
    arm.attachments["hand"].recover()
    assert arm.robot_mode is RobotMode.IDLE


def test_a_stop_in_a_reflex_is_a_stop() -> None:
    scene = build(RobotSpec(TWO, prefix="arm/", reflex=True))
    arm = scene.robots["arm"]
    arm.joints.collision_threshold = 0.5
    scene.data.qfrc_applied[1] = 1.0
    scene.step()
    assert arm.robot_mode is RobotMode.REFLEX
    arm.stop()
    assert arm.robot_mode is RobotMode.USER_STOPPED
    scene.step(3)
    assert arm.robot_mode is RobotMode.USER_STOPPED, "it collides, and is stopped already"
    state, desired = scene.get_state(), arm.joints.desired_position
    assert not np.array_equal(desired, arm.joints.position)
    scene.set_state(state)
    np.testing.assert_array_equal(arm.joints.desired_position, desired)
    with pytest.raises(CommandError, match="USER_STOPPED"):
        arm.command = arm.command
