"""F57: the same run is the same bit for bit, again, after a reset, and from the middle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from command_models import CONTROLLER, FLOATING, box
from field_models import build
from mode_models import POSITION, TORQUE, TWO, VELOCITY, velocity
from numpy.typing import NDArray
from stepped import scene_of

from mjscene import CtrlModeSpec, ObjectCmd, PhysicsOptions, Pose, RobotSpec, Scene, Wrench

Array = NDArray[np.float64]
MODES = (CtrlModeSpec(), velocity(5.0))
CHOICES = (POSITION, TORQUE, VELOCITY)


def boxes(**options: float) -> Scene:
    """Two boxes that fall on a plane, one on the other."""
    return build(
        objects=[
            box("low", pos=(0, 0, 0.5), quat=(0.1, 0.2, 0, 0.9746794344808963)),
            box("high", pos=(0.05, 0, 1.3)),
        ],
        options=PhysicsOptions(timestep=0.002, **options),
        floor=True,
    )


def busy(watchdog: float | None = None) -> Scene:
    """Robots in modes that change, bodies that follow poses and take wrenches, on a floor."""
    return build(
        RobotSpec(FLOATING, prefix="f/", controller=CONTROLLER, modes=MODES),
        RobotSpec(TWO, prefix="a/", modes=MODES, pos=(0, 3, 1), watchdog=watchdog),
        objects=[
            box("cube", pos=(2, 0, 0.4), controller=CONTROLLER),
            box("hand", pos=(3, 0, 1), mocap=True),
        ],
        floor=True,
    )


def drive(scene: Scene) -> None:
    """Command everything by what the step's number says."""
    rng = np.random.default_rng(scene.steps + 100)
    kinds = [CHOICES[k] for k in rng.integers(0, 3, size=2)]
    x, y, z = rng.normal(size=3) * 0.1
    pose = Pose(position=(3 + x, y, 1 + z))
    scene.apply(
        {
            "f": ObjectCmd(joint_cmds=rng.normal(size=2), joint_cmd_types=kinds),
            "hand": ObjectCmd(enable_position_controller=1, pose=pose),
        }
    )
    if scene.steps % 3 == 0:
        near = Pose(position=(2 + x, y, 0.6 + z))
        scene.apply({"cube": ObjectCmd(enable_position_controller=1, pose=near)})
    elif scene.steps % 3 == 1:
        scene.apply({"cube": ObjectCmd(wrench=Wrench(force=rng.normal(size=3)))})
    if scene.steps % 50 < 20:
        scene.apply({"a": ObjectCmd(joint_cmds=rng.normal(size=2))})


def rollout(scene: Scene, steps: int, policy: Callable[[Scene], None] | None = None) -> Array:
    """States after each step, with the controls and efforts of it."""
    rows = []
    for _ in range(steps):
        if policy is not None and scene.steps % 5 == 0:
            policy(scene)
        scene.step()
        data = scene.data
        parts = [data.qpos, data.qvel, data.act, data.ctrl, data.qfrc_actuator]
        rows.append(np.concatenate([*parts, data.xfrc_applied.ravel(), scene.command]))
    return np.array(rows)


def test_f57_a_the_same_scene_falls_the_same_way_twice() -> None:
    first, second = rollout(boxes(), 600), rollout(boxes(), 600)
    np.testing.assert_array_equal(first, second)
    assert np.ptp(first[:, 2]) > 0.1
    heavier = boxes()
    heavier.model.body("low").mass[0] *= 1.01
    assert not np.array_equal(rollout(heavier, 600), first), "a real change shows"


def test_f57_b_a_scene_falls_the_same_way_after_a_reset() -> None:
    scene = boxes()
    first = rollout(scene, 600)
    scene.reset()
    np.testing.assert_array_equal(rollout(scene, 600), first)


def test_f57_c_a_start_that_is_off_by_rounding_ends_within_a_billionth() -> None:
    scene, shifted = boxes(), boxes()
    shifted.data.qpos[2] += 1e-12
    first, second = rollout(scene, 600), rollout(shifted, 600)
    assert 0 < np.abs(first[:, :14] - second[:, :14]).max() < 1e-9


@pytest.mark.parametrize("middle", [1, 137, 300])
def test_f57_d_a_state_put_back_in_the_middle_goes_on_the_same_way(middle: int) -> None:
    scene = boxes()
    rollout(scene, middle)
    state = scene.get_state()
    rest = rollout(scene, 600 - middle)
    scene.set_state(state)
    np.testing.assert_array_equal(rollout(scene, 600 - middle), rest)
    other = boxes()
    other.set_state(state)
    np.testing.assert_array_equal(rollout(other, 600 - middle), rest)


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast", "discrete"])
def test_every_integrator_goes_on_the_same_way_from_the_middle(integrator: str) -> None:
    scene = scene_of("lively", integrator)
    rng = np.random.default_rng(1)
    scene.data.ctrl[:] = rng.normal(size=scene.model.nu) * 0.2
    rollout(scene, 33)
    state = scene.get_state()
    rest = rollout(scene, 40)
    scene.set_state(state)
    np.testing.assert_array_equal(rollout(scene, 40), rest)


def test_a_busy_scene_is_the_same_twice_and_after_a_reset() -> None:
    scene = busy()
    first = rollout(scene, 300, drive)
    np.testing.assert_array_equal(rollout(busy(), 300, drive), first)
    scene.reset()
    np.testing.assert_array_equal(rollout(scene, 300, drive), first)


@pytest.mark.parametrize("watchdog", [None, 0.05])
@pytest.mark.parametrize("middle", [3, 95, 150])
def test_a_busy_scene_goes_on_from_the_middle_with_its_modes_commands_and_poses(
    middle: int, watchdog: float | None
) -> None:
    scene = busy(watchdog)
    rollout(scene, middle, drive)
    state, steps = scene.get_state(), scene.steps
    modes = [r.ctrl_modes for r in scene.robots.values()]
    # No command for long enough that the watchdog acts, then all of them again.
    rest = rollout(scene, 120)
    scene.command[:] = 0.1
    rollout(scene, 10, drive)
    for other in (scene, busy(watchdog)):
        other.set_state(state)
        assert other.steps == steps
        assert [r.ctrl_modes for r in other.robots.values()] == modes
        np.testing.assert_array_equal(rollout(other, 120), rest)


def test_reading_changes_nothing() -> None:
    scene, silent = busy(), busy()

    def reading(given: Scene) -> None:
        drive(given)
        for state in given.states().values():
            state.to_dict()
        _ = given.joints.position, given.joints.saturated, given.get_state()
        given.forward()

    np.testing.assert_array_equal(rollout(scene, 150, reading), rollout(silent, 150, drive))
