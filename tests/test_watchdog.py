"""F50: what is not commanded in time is released, in simulated time, until commanded again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from command_models import CONTROLLER, WEIGHTLESS, box
from field_models import build
from mode_models import GRAVITY_TORQUE, POSITION, TORQUE, TWO, VELOCITY, rod, velocity

from mjscene import (
    AttachmentSpec,
    CtrlModeSpec,
    ObjectCmd,
    Pose,
    RobotSpec,
    Scene,
    SceneObject,
    SimulationError,
    Wrench,
    site,
)
from mjscene.controllers import JointAdmittance

STEP, LIMIT = 0.002, 0.1
# Steps begin at k * STEP; the first that begins later than LIMIT is the 51st after a command.
KEPT = 51
SERVO = '<position name="p" joint="j" kp="200" kv="20"/>'
MODES = (CtrlModeSpec(), velocity(20.0))


def rod_in(mode: Any, watchdog: float | None = LIMIT) -> Scene:
    spec = RobotSpec(rod(SERVO), prefix="r/", modes=MODES, initial_mode=mode, watchdog=watchdog)
    scene = build(spec)
    scene.data.qvel[:] = 0.1
    return scene


def efforts(scene: Scene, steps: int) -> np.ndarray:
    rows = []
    for _ in range(steps):
        scene.step()
        rows.append(scene.joints.effort.copy())
    return np.array(rows)


def test_f50_an_effort_is_the_last_one_in_time_and_zero_after() -> None:
    scene = rod_in(TORQUE)
    scene.apply({"r": ObjectCmd(joint_cmds=[GRAVITY_TORQUE])})
    effort = efforts(scene, 2 * KEPT)[:, 0]
    np.testing.assert_array_equal(effort[:KEPT], GRAVITY_TORQUE)
    np.testing.assert_array_equal(effort[KEPT:], 0)
    assert scene.command[0] == 0


def test_f50_without_a_watchdog_the_last_command_persists() -> None:
    scene = rod_in(TORQUE, watchdog=None)
    scene.apply({"r": ObjectCmd(joint_cmds=[GRAVITY_TORQUE])})
    np.testing.assert_array_equal(efforts(scene, 300), GRAVITY_TORQUE)
    assert not scene.watch.watches


def test_f50_a_position_is_held_where_it_is_when_the_time_is_up() -> None:
    scene = rod_in(POSITION)
    scene.apply({"r": ObjectCmd(joint_cmds=[1.0])})
    scene.step(KEPT)
    held = float(scene.data.qpos[0])
    assert scene.command[0] == 1.0
    assert 0.05 < held < 0.9, "on its way"
    for _ in range(80):
        q, v = float(scene.data.qpos[0]), float(scene.data.qvel[0])
        scene.step()
        assert scene.command[0] == held
        assert scene.joints.effort[0] == pytest.approx(200 * (held - q) - 20 * v, abs=1e-12)


def test_f50_a_velocity_becomes_zero() -> None:
    scene = rod_in(VELOCITY)
    scene.apply({"r": ObjectCmd(joint_cmds=[0.5])})
    scene.step(KEPT)
    assert scene.command[0] == 0.5
    scene.step()
    assert scene.command[0] == 0


@pytest.mark.parametrize("mode", [POSITION, TORQUE, VELOCITY])
def test_f50_steps_one_by_one_and_in_a_batch_are_the_same(mode: Any) -> None:
    one, other = rod_in(mode), rod_in(mode)
    for scene in (one, other):
        scene.apply({"r": ObjectCmd(joint_cmds=[0.4])})
    one.step(150)
    for _ in range(150):
        other.step()
    np.testing.assert_array_equal(one.data.qpos, other.data.qpos)
    np.testing.assert_array_equal(one.command, other.command)


@pytest.mark.parametrize("began", [0.0, 1.0, 1e3, 3e4, 1e5])
def test_the_time_that_is_up_does_not_depend_on_when_it_began(began: float) -> None:
    scene = rod_in(TORQUE)
    scene.data.time = began
    scene.step()
    scene.apply({"r": ObjectCmd(joint_cmds=[1.0])})
    effort = efforts(scene, KEPT + 5)[:, 0]
    assert np.count_nonzero(effort) == KEPT


FEEDS = {
    "the same command": lambda s: s.apply({"r": ObjectCmd(joint_cmds=[1.0])}),
    "a command that says nothing": lambda s: s.apply({"r": ObjectCmd()}),
    "a number written": lambda s: s.robots["r"].command.__setitem__(0, s.command[0] + 1e-3),
    "all numbers set": lambda s: setattr(s.robots["r"], "command", s.command + 1e-3),
}


@pytest.mark.parametrize("how", FEEDS)
def test_a_command_in_time_keeps_it_going(how: str) -> None:
    scene = rod_in(TORQUE)
    scene.apply({"r": ObjectCmd(joint_cmds=[1.0])})
    for _ in range(6):
        scene.step(30)
        FEEDS[how](scene)
    assert scene.command[0] >= 1.0
    scene.step(KEPT + 1)
    assert scene.command[0] == 0


def test_it_happens_once_and_again_after_the_next_command() -> None:
    scene = rod_in(TORQUE)
    scene.apply({"r": ObjectCmd(joint_cmds=[1.0])})
    scene.step(KEPT + 20)
    assert scene.command[0] == 0
    scene.apply({"r": ObjectCmd(joint_cmds=[2.0])})
    scene.step(KEPT)
    assert scene.command[0] == 2.0
    scene.step()
    assert scene.command[0] == 0


def test_a_position_is_not_taken_anew_while_nothing_is_commanded() -> None:
    scene = rod_in(POSITION)
    scene.step(KEPT + 1)
    held = scene.command[0]
    scene.step(300)
    assert scene.data.qpos[0] != held
    assert scene.command[0] == held


# Bodies


def test_a_wrench_is_released() -> None:
    scene = build(objects=[box(watchdog=LIMIT), box("other", pos=(5, 0, 1))], options=WEIGHTLESS)
    push = ObjectCmd(wrench=Wrench(force=(2.0, 0, 0)))
    scene.apply({"cube": push, "other": push})
    scene.step(3 * KEPT)
    speed = {n: scene.state(n).twist.linear[0] for n in ("cube", "other")}
    assert speed["cube"] == pytest.approx(KEPT * STEP, rel=1e-12)  # F/m is 1 m/s²
    assert speed["other"] == pytest.approx(3 * KEPT * STEP, rel=1e-12)
    assert scene.state("cube").wrench == Wrench()


def test_a_pose_is_not_followed_any_longer() -> None:
    scene = build(objects=[box(watchdog=LIMIT, controller=CONTROLLER)], options=WEIGHTLESS)
    pose = Pose(position=(0, 0, 2))
    scene.apply({"cube": ObjectCmd(enable_position_controller=1, pose=pose)})
    scene.step(KEPT)
    assert scene.state("cube").wrench.force[2] > 1
    scene.step()
    speed = scene.data.qvel.copy()
    assert scene.state("cube").wrench == Wrench()
    scene.step(50)
    np.testing.assert_array_equal(scene.data.qvel, speed)


def arm(**fields: Any) -> RobotSpec:
    hand = AttachmentSpec(rod(SERVO), attach_to=site("tip"), prefix="h/", name="hand")
    return RobotSpec(
        TWO, prefix="a/", initial_mode=TORQUE, attachments=[hand], watchdog=LIMIT, **fields
    )


def test_a_wrench_on_a_robots_link_is_released_with_the_robot() -> None:
    scene = build(arm())
    scene.apply({"a/lower": ObjectCmd(wrench=Wrench(force=(0, 0, 1.0)))})
    scene.step(2 * KEPT)
    assert not scene.data.xfrc_applied.any()


@pytest.mark.parametrize("name", ["a/upper", "a.hand"])
def test_a_command_to_a_part_of_a_robot_is_one_to_the_robot(name: str) -> None:
    scene = build(arm())
    scene.apply({"a": ObjectCmd(joint_cmds=[1.0, 0.5])})
    count = len(scene.target(name, "test").joint_names)
    numbers = scene.command[-1:] if count == 1 else scene.command[:count]
    for _ in range(2 * KEPT):
        scene.apply({name: ObjectCmd(joint_cmds=numbers.copy())})
        scene.step()
    np.testing.assert_array_equal(scene.command[:2], (1.0, 0.5))


def test_one_robots_silence_is_not_anothers() -> None:
    still = RobotSpec(TWO, prefix="b/", initial_mode=TORQUE, pos=(0, 3, 0))
    scene = build(arm(), still)
    scene.apply({n: ObjectCmd(joint_cmds=[1.0, 0.5]) for n in ("a", "b")})
    scene.step(2 * KEPT)
    np.testing.assert_array_equal(scene.robots["a"].command[:2], (0, 0))
    np.testing.assert_array_equal(scene.robots["b"].command, (1.0, 0.5))


# Time that is put back


def test_a_reset_begins_the_time_anew() -> None:
    scene = rod_in(TORQUE)
    scene.apply({"r": ObjectCmd(joint_cmds=[1.0])})
    scene.step(40)
    scene.reset()
    scene.command[:] = 1.0
    scene.step(KEPT)
    assert scene.command[0] == 1.0
    scene.step()
    assert scene.command[0] == 0


def test_a_state_put_back_brings_the_time_that_had_passed() -> None:
    scene = rod_in(TORQUE)
    scene.apply({"r": ObjectCmd(joint_cmds=[GRAVITY_TORQUE])})
    scene.step(30)
    state = scene.get_state()
    first = efforts(scene, 60)
    scene.set_state(state)
    np.testing.assert_array_equal(efforts(scene, 60), first)


def test_an_object_that_comes_does_not_feed_it() -> None:
    scene = rod_in(TORQUE)
    scene.apply({"r": ObjectCmd(joint_cmds=[1.0])})
    scene.step(30)
    scene.add_object(SceneObject("x", shape="sphere", size=(0.1,), pos=(9, 9, 9), fixed=True))
    assert np.count_nonzero(efforts(scene, 60)) == KEPT - 30


def test_a_robot_on_another_is_neither_a_command_to_it_nor_released_with_it() -> None:
    scene = build(
        RobotSpec(TWO, prefix="low/", modes=MODES, watchdog=LIMIT),
        RobotSpec(TWO, prefix="top/", modes=MODES, attach_to=site("low/tip")),
    )
    assert "top/upper" in scene.state("low").children_names
    push = ObjectCmd(wrench=Wrench(force=(1, 0, 0)))
    scene.apply({"low": ObjectCmd(joint_cmds=[0.3, 0.2]), "low/lower": push, "top/lower": push})
    for _ in range(KEPT + 1):
        scene.apply({"top": ObjectCmd(joint_cmds=[0.1, 0.1])})
        scene.step()
    assert not scene.data.body("low/lower").xfrc_applied.any(), "released, though top is commanded"
    assert scene.data.body("top/lower").xfrc_applied[0] == 1, "another robot's push goes on"


def test_it_goes_on_after_mujoco_has_reset_the_time() -> None:
    scene = rod_in(TORQUE)
    for _ in range(1000):
        scene.apply({"r": ObjectCmd(joint_cmds=[0.5])})
        scene.step()
    scene.data.qvel[0] = np.inf
    with pytest.raises(SimulationError):
        scene.step()
    assert scene.time < LIMIT
    scene.command[0] = 0.4
    scene.step(2 * KEPT + 2)
    assert scene.command[0] == 0.0


def test_joints_of_a_slow_controller_are_left_to_it() -> None:
    scenes = [rod_in(POSITION, watchdog) for watchdog in (0.01, None)]
    for scene in scenes:
        slow = JointAdmittance(time_step=0.02)
        scene.robots["r"].add_controller(slow)
        scene.step(300)
    np.testing.assert_array_equal(scenes[0].data.qpos, scenes[1].data.qpos)
    np.testing.assert_array_equal(scenes[0].command, scenes[1].command)
