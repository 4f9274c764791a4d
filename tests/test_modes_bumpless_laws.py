"""Bumpless, law by law: whatever actuator a joint has, no effort jumps at a switch.

The arms and their actuators are in ``mode_laws``; what the new actuators could give is measured on
MuJoCo itself (``mode_jumps``).
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from mode_jumps import TOLERANCE, Jump, switch_and_compare
from mode_laws import DRIVES, JOINTS, LAWS, MODES, URDF, arm

from mjscene import CtrlMode, PhysicsOptions, RobotSpec, Scene, SceneSpec, Transfer, build_scene

pytestmark = pytest.mark.filterwarnings("ignore::mjscene.MjsceneWarning")

PAIRS = tuple(itertools.permutations(CtrlMode, 2))
STATES = 20
POSITION, TORQUE, VELOCITY = CtrlMode


def _scene(source: str, **options: Any) -> Scene:
    robot = RobotSpec(source, prefix="a_", modes=MODES)
    return build_scene(SceneSpec([robot], options=PhysicsOptions(**options)))


def _move(scene: Scene, mode: CtrlMode | None, rng: np.random.Generator) -> None:
    """A random moving state some steps after a random command (or control, in no mode)."""
    scene.reset()
    if mode is not None:
        scene.set_control_mode("a", mode, transfer=Transfer.HOLD)
        scene.command[:] = rng.normal(size=2) * (3.0 if mode is TORQUE else 1.0)
    for name in scene.unmanaged:
        scene.actuators[name].ctrl = 0.8 * rng.uniform(-1, 1)
    scene.data.qpos[:], scene.data.qvel[:] = rng.normal(size=2), 2 * rng.normal(size=2)
    scene.step(int(rng.integers(1, 30)))


def _acting(scene: Scene) -> list[int]:
    """The actuator on each joint whose group is enabled, in joint order."""
    model = scene.model
    mask = int(model.opt.disableactuator)
    found = []
    for joint in JOINTS:
        j = model.joint(f"a_{joint}").id
        on = [
            i
            for i in range(model.nactuator)
            if model.actuator_trnid[i, 0] == j and not mask >> int(model.actuator_group[i]) & 1
        ]
        assert len(on) == 1
        found += on
    return found


def _switch(scene: Scene, mode: CtrlMode) -> Jump:
    trial = scene.get_state()
    scene.set_control_mode("a", mode, JOINTS)
    actuators = _acting(scene)
    scene.set_state(trial)
    return switch_and_compare(scene, "a", mode, list(JOINTS), actuators)


@pytest.mark.parametrize("law", LAWS)
def test_no_effort_jumps_at_a_switch(law: str) -> None:
    scene, rng = _scene(LAWS[law]), np.random.default_rng(1)
    for old, new in PAIRS:
        within = 0
        for _ in range(STATES):
            _move(scene, old, rng)
            jump = _switch(scene, new)
            assert jump.errors.max() <= TOLERANCE, (old, new, jump)
            within += int(jump.within.sum())
        assert within >= STATES // 2, "most efforts were beyond the new actuators' limits"


@pytest.mark.parametrize("law", LAWS)
def test_activations_are_such_that_the_effort_stays(law: str) -> None:
    """In the step after the switch the effort changes as the motion does, and no more.

    In two steps of 1 ns, with accelerations below 1e5 rad/s² and damping below 320 N·m·s/rad (the
    pid with gear -4), that is below 0.064 N·m; an activation that is out of its range, or behind
    its control, moves it by 1 N·m and more.
    """
    scene, rng = _scene(LAWS[law]), np.random.default_rng(2)
    step = scene.model.opt.timestep
    for (old, new), _ in itertools.product(PAIRS, range(STATES)):
        scene.model.opt.timestep = step
        _move(scene, old, rng)
        scene.model.opt.timestep = 1e-9
        scene.set_control_mode("a", new)
        mujoco.mj_forward(scene.model, scene.data)
        before = scene.data.qfrc_actuator.copy()
        scene.step(2)
        mujoco.mj_forward(scene.model, scene.data)
        after = scene.data.qfrc_actuator
        np.testing.assert_allclose(after, before, rtol=0, atol=0.064, err_msg=f"{old} to {new}")


@pytest.mark.parametrize("mode", CtrlMode, ids=lambda m: m.name)
@pytest.mark.parametrize("drive", DRIVES)
def test_named_joints_take_over_from_their_drive_and_give_back(drive: str, mode: CtrlMode) -> None:
    """A drive gets its joints back with the efforts that it gave them before."""
    scene, rng = _scene(DRIVES[drive]), np.random.default_rng(3)
    robot = scene.robots["a"]
    for _ in range(STATES):
        _move(scene, None, rng)
        assert robot.ctrl_modes == (None, None)
        mujoco.mj_forward(scene.model, scene.data)
        before = scene.data.qfrc_actuator.copy()
        assert np.abs(before).max() > 1e-3
        for now in (mode, None):
            scene.set_control_mode("a", now, JOINTS)
            assert robot.ctrl_modes == (now, now)
            mujoco.mj_forward(scene.model, scene.data)
            jump = np.abs(scene.data.qfrc_actuator - before) / np.maximum(1, np.abs(before))
            assert jump.max() <= TOLERANCE, (now, before, scene.data.qfrc_actuator)


def test_joints_of_an_urdf_switch_between_all_modes(tmp_path: Path) -> None:
    path = tmp_path / "two.urdf"
    path.write_text(URDF)
    scene, rng = _scene(str(path)), np.random.default_rng(4)
    assert scene.robots["a"].joint_names == ("a_j1", "a_j2")
    within = 0
    for _, (old, new) in itertools.product(range(STATES), PAIRS):
        _move(scene, old, rng)
        jump = _switch(scene, new)
        assert jump.errors.max() <= TOLERANCE, (old, new, jump)
        within += int(jump.within.sum())
    assert within >= STATES * len(PAIRS)


def test_a_drive_that_integrates_its_control_stays_where_it_takes_over() -> None:
    """A control of an intvelocity is a speed: a joint at rest stays at rest."""
    source = arm('<intvelocity name="a@" joint="j@" kp="300" kv="20" actrange="-3 3"/>')
    scene = _scene(source)
    scene.data.qpos[:] = (0.5, 0.3)
    scene.set_control_mode("a", POSITION, transfer=Transfer.HOLD)
    scene.step(2000)
    start = scene.data.qpos.copy()
    scene.set_control_mode("a", None)
    assert scene.robots["a"].ctrl_modes == (None, None)
    scene.step(100)
    assert np.abs(scene.data.qpos - start).max() < 1e-3
