"""Stopped robots: what stops them, what they hold, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from field_models import build
from held_robots import ALL, HELD, HELD_FROM, collided, stopped_motors
from mode_models import POSITION, TORQUE, TWO, VELOCITY, rod, velocity
from pressing import (
    THRESHOLD,
    gap,
    press,
    pressing,
)

from mjscene import (
    AttachmentSpec,
    CommandError,
    CtrlMode,
    ModeError,
    ObjectCmd,
    RobotMode,
    RobotSpec,
    Scene,
    site,
)

# What stops


def test_a_reflex_comes_with_the_first_step_whose_effort_is_beyond_a_threshold() -> None:
    scene, slow = pressing(), pressing(reflex=False)
    arm = scene.robots["arm"]
    for _ in range(400):
        press(scene)
        press(slow)
        np.testing.assert_array_equal(scene.data.qpos, slow.data.qpos)
        beyond = bool((np.abs(slow.joints.external_effort) > THRESHOLD).any())
        assert (arm.robot_mode is RobotMode.REFLEX) == beyond
        assert arm.joints.is_in_collision.any() == beyond
        if beyond:
            break
    np.testing.assert_array_equal(arm.joints.stop_position, slow.joints.position)
    assert arm.joints.is_in_collision.any()


def test_a_reflex_brakes_from_the_next_step_on_and_holds() -> None:
    scene = collided()
    arm = scene.robots["arm"]
    speed = np.abs(arm.joints.velocity).max()
    speeds, gaps = [], []
    for _ in range(1000):
        scene.step()
        speeds.append(np.abs(arm.joints.velocity).max())
        gaps.append(gap(scene))
    assert speed > 0.1
    assert speeds[100] < 0.2 * speed
    assert speeds[-1] < 1e-4
    # The table gives back what the arm had pressed into it.
    assert max(gaps) < 0.02
    assert arm.robot_mode is RobotMode.REFLEX
    joints = arm.joints
    np.testing.assert_array_equal(joints.desired_position, joints.position)
    np.testing.assert_array_equal(joints.desired_velocity, joints.velocity)
    np.testing.assert_array_equal(joints.desired_acceleration, joints.acceleration)
    np.testing.assert_array_equal(joints.desired_torque, np.zeros(6))


@pytest.mark.parametrize(("kind", "before"), HELD_FROM)
def test_a_stopped_robot_holds_in_whatever_mode_it_has(kind: str, before: CtrlMode) -> None:
    spec, _, mode = HELD[kind]
    scene = build(spec)
    arm = scene.robots["arm"]
    assert before in arm.offers[arm.joint_names[0]]
    arm.set_control_mode(before)
    scene.data.qvel[:] = 0.2
    scene.step(3)
    arm.stop()
    assert arm.robot_mode is RobotMode.USER_STOPPED
    gaps = []
    for _ in range(800):
        scene.step()
        gaps.append(gap(scene))
    assert max(gaps) < 0.03
    assert gaps[-1] < 2e-3
    assert np.abs(scene.data.qvel).max() < 1e-2
    assert arm.ctrl_modes == (mode,) * len(arm.joint_names)


def test_attachments_with_modes_of_their_own_and_other_robots_go_on_bit_for_bit() -> None:
    hand = AttachmentSpec(
        rod('<motor name="p" joint="j"/>'),
        attach_to=site("attachment_site"),
        prefix="h/",
        name="hand",
        modes=(velocity(2.0),),
    )
    other = RobotSpec(TWO, prefix="o/", modes=ALL, pos=(0, 5, 0))
    scene, alone = collided_with(other, hand), pressing(other, attachments=(hand,))
    arm = scene.robots["arm"]
    own, of_hand = arm.own_rows, arm.attachments["hand"]
    stepped = scene.steps
    for _ in range(stepped):
        alone.robots["o"].command[:] = wave(alone.time)
        press(alone)
        assert alone.robots["arm"].robot_mode is not RobotMode.REFLEX or alone.steps == stepped
    modes = of_hand.ctrl_modes
    for k in range(100):
        scene.robots["o"].command[:] = wave(scene.time)
        of_hand.command = [0.3]
        if k == 50:
            of_hand.set_control_mode(VELOCITY)
        scene.step()
    assert arm.robot_mode is RobotMode.REFLEX
    assert of_hand.robot_mode is RobotMode.REFLEX, "it says what its robot is doing"
    assert modes == (TORQUE,)
    assert of_hand.ctrl_modes == (VELOCITY,)
    assert scene.command[of_hand.own_rows[0]] == 0.3
    assert not np.isnan(arm.joints.stop_position[own]).any()
    assert np.isnan(of_hand.joints.stop_position).all()
    free = build(other)
    for _ in range(scene.steps):
        free.robots["o"].command[:] = wave(free.time)
        free.step()
    dofs = scene.robots["o"].dof_adr
    np.testing.assert_array_equal(scene.data.qvel[dofs], free.data.qvel)
    np.testing.assert_array_equal(scene.data.qpos[scene.robots["o"].qpos_adr], free.data.qpos)


def wave(t: float) -> tuple[float, float]:
    return 0.3 * np.sin(3 * t), 0.2 * np.cos(2 * t)


def collided_with(other: RobotSpec, hand: AttachmentSpec) -> Scene:
    scene = pressing(other, attachments=(hand,))
    while scene.robots["arm"].robot_mode is not RobotMode.REFLEX:
        scene.robots["o"].command[:] = wave(scene.time)
        press(scene)
        assert scene.steps < 400
    return scene


# What is refused

REFUSED: dict[str, Callable[[Scene], Any]] = {
    "apply": lambda s: s.apply({"arm": ObjectCmd(joint_cmds=[0.0] * 6)}),
    "apply to some": lambda s: s.apply({"arm": ObjectCmd(joint_cmds=[0.0])}),
    "robot.command =": lambda s: setattr(s.robots["arm"], "command", [0.0] * 6),
    "joints.command =": lambda s: setattr(s.robots["arm"].joints, "command", [0.0] * 6),
    "joint.command =": lambda s: setattr(s.joints["arm/elbow_joint"], "command", 0.1),
    "another mode": lambda s: s.set_control_mode("arm", TORQUE),
    "the mode of now": lambda s: s.set_control_mode("arm", POSITION),
    "a mode of some": lambda s: s.robots["arm"].set_control_mode("torque", ["elbow_joint"]),
}


@pytest.mark.parametrize("how", REFUSED)
def test_a_stopped_robot_refuses_and_nothing_changes(how: str) -> None:
    scene = collided()
    before = scene.get_state()
    with pytest.raises((CommandError, ModeError), match="'arm' is in REFLEX") as caught:
        REFUSED[how](scene)
    assert "recover()" in (caught.value.hint or "")
    assert caught.value.element is not None
    after = scene.get_state()
    np.testing.assert_array_equal(after.physics, before.physics)
    np.testing.assert_array_equal(after.command, before.command)
    np.testing.assert_array_equal(after.modes, before.modes)


@pytest.mark.parametrize("path", [None, "motors"])
def test_a_command_written_in_place_is_refused_by_the_step_which_is_not_taken(path: Any) -> None:
    scene = collided() if path is None else stopped_motors()
    arm = scene.robots["arm"]
    scene.step()
    held, steps, time = arm.command.copy(), scene.steps, scene.time
    arm.command[2 if path is None else 1] += 0.1
    with pytest.raises(CommandError, match=r"robot 'arm' is in (REFLEX|USER_STOPPED)") as caught:
        scene.step()
    assert caught.value.element == arm.joint_names[2 if path is None else 1]
    assert (scene.steps, scene.time) == (steps, time)
    np.testing.assert_array_equal(arm.command, held)
    scene.step()
    assert scene.steps == steps + 1


def test_a_wrench_on_a_stopped_robot_is_no_command_of_its_joints() -> None:
    scene = stopped_motors()
    scene.data.body("arm/lower").xfrc_applied[2] = 3.0
    scene.step(200)
    assert 1e-4 < gap(scene) < 0.05
