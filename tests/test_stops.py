"""Stopped robots: what stops them, what they hold, what they refuse, and how they go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from field_models import build
from mode_models import POSITION, TORQUE, TWO, VELOCITY, effort, rod, velocity
from pressing import (
    FREE,
    MOTORS,
    THRESHOLD,
    VELOCITIES,
    gap,
    motors_only,
    press,
    pressing,
    with_actuators,
)
from test_switching import FILTERED, FINGERS, GRIPPER, PID

from mjscene import (
    AttachmentSpec,
    CommandError,
    CtrlMode,
    CtrlModeSpec,
    JointLimits,
    ModeError,
    ObjectCmd,
    PhysicsOptions,
    RobotMode,
    RobotSpec,
    Scene,
    site,
)

ALL = (CtrlModeSpec(), velocity(20.0))


def collided(**fields: Any) -> Scene:
    """The arm right after the step in which it collided."""
    scene = pressing(**fields)
    for _ in range(400):
        if scene.robots["arm"].robot_mode is RobotMode.REFLEX:
            return scene
        press(scene)
    raise AssertionError("it never collided")


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


# What a robot is, the modes it can be stopped in, and the one that holds it.
HELD = {
    "servo": (RobotSpec(TWO, prefix="arm/", modes=ALL), tuple(CtrlMode), POSITION),
    "filtered servo": (RobotSpec(FILTERED, prefix="arm/", modes=ALL), tuple(CtrlMode), POSITION),
    "pid": (RobotSpec(PID, prefix="arm/", modes=ALL), tuple(CtrlMode), POSITION),
    "motors": (RobotSpec(MOTORS, prefix="arm/"), (TORQUE,), TORQUE),
    "geared motors": (
        RobotSpec(with_actuators('motor gear="-20" joint="j{}"'), prefix="arm/"),
        (TORQUE,),
        TORQUE,
    ),
    "filtered motors": (
        RobotSpec(
            with_actuators('general joint="j{}" dyntype="filterexact" dynprm=".02" gainprm="3"'),
            prefix="arm/",
        ),
        (TORQUE,),
        TORQUE,
    ),
    "velocity": (
        RobotSpec(VELOCITIES, prefix="arm/", modes=(velocity(20.0),)),
        (VELOCITY, TORQUE),
        VELOCITY,
    ),
    "a real arm with motors": (
        RobotSpec(motors_only(), prefix="arm/", home=(0, -1.2, 1.6, -2, -1.6, 0)),
        (TORQUE,),
        TORQUE,
    ),
}
HELD_FROM = [(kind, before) for kind, (_, modes, _) in HELD.items() for before in modes]


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


@pytest.mark.parametrize("timestep", [1e-4, 0.002, 0.01, 0.02])
def test_a_hold_by_torque_is_stable_at_any_step(timestep: float) -> None:
    scene = build(RobotSpec(MOTORS, prefix="arm/"), options=PhysicsOptions(timestep=timestep))
    scene.data.qvel[:] = 0.05
    scene.step()
    scene.robots["arm"].stop()
    scene.step(round(2.0 / timestep) if timestep > 1e-3 else 4000)
    assert gap(scene) < 1e-3


def test_every_joint_of_a_hold_by_torque_comes_back_as_a_critically_damped_spring() -> None:
    """e(t) = e'(0) t exp(-w t) with w = 50 rad/s, whatever the joints' weights and couplings."""
    scene = build(RobotSpec(MOTORS, prefix="arm/"), options=PhysicsOptions(timestep=1e-4))
    scene.data.qvel[:] = (0.1, -0.2)
    scene.step()
    arm = scene.robots["arm"]
    speed, start = arm.joints.velocity, arm.joints.position
    arm.stop()
    for _ in range(1000):
        scene.step()
        t = scene.time - 1e-4
        wanted = speed * t * np.exp(-50.0 * t)
        # First order in the step: a hundredth of the largest excursion, v / (e w).
        np.testing.assert_allclose(arm.joints.position - start, wanted, atol=5e-5)


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


def stopped_motors() -> Scene:
    scene = build(RobotSpec(MOTORS, prefix="arm/"))
    scene.step()
    scene.robots["arm"].stop()
    return scene


def test_a_wrench_on_a_stopped_robot_is_no_command_of_its_joints() -> None:
    scene = stopped_motors()
    scene.data.body("arm/lower").xfrc_applied[2] = 3.0
    scene.step(200)
    assert 1e-4 < gap(scene) < 0.05


# How it goes on


@pytest.mark.parametrize(("kind", "before"), HELD_FROM)
def test_recover_gives_the_modes_back_without_a_jump_of_effort(kind: str, before: CtrlMode) -> None:
    scene = build(HELD[kind][0])
    arm = scene.robots["arm"]
    assert before in arm.offers[arm.joint_names[0]]
    arm.set_control_mode(before)
    scene.step(3)
    arm.stop()
    scene.data.body(arm.prefix + ("lower" if "real" not in kind else "forearm_link")).xfrc_applied[
        2
    ] = 1.0
    scene.step(30)
    wanted = effort(scene)
    arm.recover()
    assert arm.robot_mode is RobotMode.IDLE
    assert arm.ctrl_modes == (before,) * len(arm.joint_names)
    np.testing.assert_allclose(effort(scene), wanted, atol=1e-9)
    if before is not POSITION:
        np.testing.assert_array_equal(arm.joints.target_position, arm.joints.position)
    arm.command = arm.command + 0.01
    assert arm.robot_mode is RobotMode.MOVE
    scene.step()


def test_recover_from_a_collision_that_lasts_stops_it_again() -> None:
    scene = collided()
    arm = scene.robots["arm"]
    scene.step(50)
    arm.joints.collision_threshold = 0.01
    arm.recover()
    scene.step()
    assert arm.robot_mode is RobotMode.REFLEX
    arm.joints.collision_threshold = np.inf
    arm.recover()
    scene.step(5)
    assert arm.robot_mode is RobotMode.IDLE


def test_joints_of_a_tendon_get_it_back() -> None:
    scene = build(RobotSpec(GRIPPER, prefix="arm/", modes=FINGERS))
    arm = scene.robots["arm"]
    scene.actuators["arm/pull"].ctrl = 0.1
    scene.step(20)
    arm.stop()
    assert arm.ctrl_modes == (TORQUE, TORQUE)
    scene.step(200)
    assert gap(scene) < 1e-3
    arm.recover()
    assert arm.ctrl_modes == (None, None)
    scene.step(20)


def test_recover_of_a_robot_that_is_not_stopped_is_refused() -> None:
    scene = pressing()
    with pytest.raises(CommandError, match="'arm' is not stopped: it is in IDLE"):
        scene.robots["arm"].recover()


def test_a_reset_clears_and_keeps_the_modes_of_before_if_asked() -> None:
    scene, fresh = collided(), pressing()
    scene.reset()
    arm = scene.robots["arm"]
    assert arm.robot_mode is RobotMode.IDLE
    assert np.isnan(arm.joints.stop_position).all()
    for _ in range(20):
        press(scene)
        press(fresh)
        np.testing.assert_array_equal(scene.data.qpos, fresh.data.qpos)
    scene = pressing()
    scene.set_control_mode("arm", TORQUE, ["elbow_joint"])
    modes = scene.robots["arm"].ctrl_modes
    scene.robots["arm"].stop()
    assert scene.robots["arm"].ctrl_modes != modes
    scene.reset(keep_modes=True)
    assert scene.robots["arm"].ctrl_modes == modes
    scene.robots["arm"].command = scene.robots["arm"].command


@pytest.mark.parametrize("kind", ["collided", "motors", "velocity"])
def test_a_state_in_the_middle_of_a_reflex_goes_on_bit_for_bit(kind: str) -> None:
    make = {
        "collided": lambda: collided(),
        "motors": stopped_motors,
        "velocity": lambda: build(HELD["velocity"][0]),
    }[kind]
    scene, other = make(), make()
    if kind == "velocity":
        scene.robots["arm"].stop()
    scene.step(7)
    state, wanted = scene.get_state(), rollout(scene)
    other.reset()
    other.step(3)
    for one in (scene, other):
        one.set_state(state)
        arm = one.robots["arm"]
        assert arm.robot_mode.is_stopped
        np.testing.assert_array_equal(
            arm.joints.stop_position, scene.robots["arm"].joints.stop_position
        )
        with pytest.raises(CommandError):
            arm.command = arm.command
        np.testing.assert_array_equal(rollout(one), wanted)
    # And a state of before takes the reflex away.
    fresh = make()
    fresh.reset()
    other.set_state(fresh.get_state())
    assert other.robots["arm"].robot_mode is RobotMode.IDLE
    other.robots["arm"].command = other.robots["arm"].command


def rollout(scene: Scene) -> np.ndarray:
    """Positions while it holds, when it recovers, and after."""
    rows = []
    for k in range(40):
        if k == 20:
            scene.robots["arm"].recover()
        scene.step()
        joints = scene.joints
        rows.append(np.concatenate([scene.data.qpos, joints.external_effort, joints.jerk]))
    return np.array(rows)


@pytest.mark.parametrize("kind", ["collided", "motors"])
def test_objects_come_and_go_in_a_reflex(kind: str) -> None:
    make = {"collided": collided, "motors": stopped_motors}[kind]
    plain, scene = make(), make()
    scene.add_object(FREE)
    arm = scene.robots["arm"]
    assert arm.robot_mode is plain.robots["arm"].robot_mode
    with pytest.raises(CommandError):
        arm.command = arm.command
    for k in range(40):
        if k == 10:
            scene.remove_object("far")
        if k == 20:
            arm.recover()
            plain.robots["arm"].recover()
        scene.step()
        plain.step()
        # A larger problem of contacts is solved in another order: rounding.
        there = scene.data.qpos[: plain.model.nq]
        atol = 1e-12 if plain.data.ncon else 0.0
        np.testing.assert_allclose(there, plain.data.qpos, rtol=0, atol=atol)
    assert arm.ctrl_modes == plain.robots["arm"].ctrl_modes
    arm.joints.collision_threshold = 0.0
    assert arm.joints.collision_threshold.tolist() == [0.0] * len(arm.joint_names)


def test_the_watchdog_leaves_the_commands_of_a_stopped_robot() -> None:
    watched = RobotSpec(TWO, prefix="arm/", modes=ALL, watchdog=0.01)
    scene, plain = build(watched), build(RobotSpec(TWO, prefix="arm/", modes=ALL))
    for one in (scene, plain):
        one.step()
        one.robots["arm"].stop()
        one.data.body("arm/lower").xfrc_applied[1] = 1e-9
        one.step(20)
    np.testing.assert_array_equal(scene.data.qpos, plain.data.qpos)
    assert not scene.data.xfrc_applied.any(), "but it releases its wrench"
    assert plain.data.xfrc_applied.any()
    scene.robots["arm"].recover()
    scene.step(20)


def test_only_robots_that_ask_for_it_have_a_reflex() -> None:
    limits = (JointLimits(collision_threshold=0.5),)
    spec = {"limits": limits, "modes": ALL}
    scene = build(
        RobotSpec(TWO, prefix="a/", reflex=True, **spec),
        RobotSpec(TWO, prefix="b/", pos=(0, 2, 0), **spec),
        RobotSpec(TWO, prefix="c/", pos=(0, 4, 0), reflex=True, **spec),
    )
    scene.data.joint("a/j2").qfrc_applied[0] = 1.0
    scene.data.joint("b/j2").qfrc_applied[0] = 1.0
    scene.step(3)
    found = {n: r.robot_mode for n, r in scene.robots.items()}
    assert found == {"a": RobotMode.REFLEX, "b": RobotMode.IDLE, "c": RobotMode.IDLE}
    scene.robots["c"].command = [0.1, 0.1]
    scene.robots["b"].command = [0.1, 0.1]
    scene.step()
