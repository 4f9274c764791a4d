"""Bumpless: right after a switch the efforts are those right before, on every real model."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest
from mode_jumps import TOLERANCE, Jump, actuators_of, switch_and_compare
from mode_sweep import (
    ALL_MODES,
    PREFIX,
    ModeModel,
    as_params,
    driven_models,
    mode_model,
    seed,
    short_models,
    tendon_models,
)
from real_models import RealModel
from robot_blocks import State

from mjscene import CtrlMode, Scene, SceneSpec, Transfer, build_scene
from mjscene.errors import SimulationError

pytestmark = pytest.mark.filterwarnings("ignore::mjscene.MjsceneWarning")

Record = Callable[[str, object], None]
POSITION, TORQUE, VELOCITY = ALL_MODES
PAIRS = tuple(itertools.permutations(ALL_MODES, 2))
SHORT_TENDONS = as_params(
    [m for m in tendon_models() if m.path.stem in ("2f85", "panda_hand", "point_mass", "quadruped")]
)
FASTEST = 1e3  # rad/s: beyond it a random pose has shot a body out of another


class _Sweep:
    """Switches of one model's joints from random moving states."""

    def __init__(self, source: RealModel, *, limited: bool) -> None:
        self.model: ModeModel = mode_model(source)
        self.joints = list(self.model.joints)
        robot = source.robot(PREFIX, modes=self.model.modes(self.joints, limited=limited))
        spec = SceneSpec([robot], options=self.model.options)
        self.scene: Scene = build_scene(spec)
        self.actuators = actuators_of(self.scene, PREFIX, self.joints, self.model.native)
        self.rng = np.random.default_rng(seed(source, 3))
        self.jumps: list[Jump] = []

    def move(self, mode: CtrlMode, calm: float = 1.0) -> bool:
        """A random state some steps after a random command; whether it is a sane one."""
        scene, rng = self.scene, self.rng
        scene.reset()
        scene.set_control_mode("a", mode, self.joints, Transfer.HOLD)
        state = State.random(self.model.alone, rng)
        scene.data.qpos[:], scene.data.qvel[:] = state.qpos, calm * state.qvel
        robot, count = scene.robots["a"], len(self.joints)
        random = rng.normal(size=count)
        if mode is POSITION:
            robot.command = scene.data.qpos[robot.qpos_adr] + 0.3 * random
        elif mode is TORQUE:
            robot.command = 0.3 * random * self.model.gains(self.joints)["limit"]
        else:
            robot.command = random
        try:
            scene.step(int(rng.integers(1, 6)))
        except SimulationError:
            return False
        return bool(np.abs(scene.data.qvel).max() < FASTEST)

    def switch(self, mode: CtrlMode) -> None:
        """All joints or some go into a mode."""
        count = len(self.joints)
        some = np.flatnonzero(self.rng.random(count) < 0.6)
        rows = np.arange(count) if self.rng.random() < 0.5 or not len(some) else some
        joints = [self.joints[k] for k in rows]
        self.jumps.append(
            switch_and_compare(self.scene, "a", mode, joints, self.actuators[rows, mode])
        )


def _check(source: RealModel, states: int, record: Record) -> None:
    sweeps = [_Sweep(source, limited=limited) for limited in (False, True)]
    for sweep in sweeps:
        for _, (old, new) in itertools.product(range(states), PAIRS):
            sane = (sweep.move(old, 0.5**attempt) for attempt in range(20))
            assert any(sane), "twenty random states in a row blew up, slower and slower"
            sweep.switch(new)
    jumps = [jump for sweep in sweeps for jump in sweep.jumps]
    assert len(jumps) == 2 * states * len(PAIRS)
    within = np.concatenate([j.within for j in jumps])
    errors = np.concatenate([j.errors for j in jumps])
    record("worst", float(errors[within].max()))
    record("worst clamped", float(errors[~within].max(initial=0.0)))
    record("within", int(within.sum()))
    record("beyond limits", int((~within).sum()))
    del sweep, sweeps
    gc.collect()  # models are large, and few objects to Python
    assert within.mean() > 0.5, "most efforts are beyond the new actuators' limits"
    assert errors.max() <= TOLERANCE


@pytest.mark.parametrize("source", as_params(short_models()))
def test_no_effort_jumps_on_a_few_models(source: RealModel, record_property: Record) -> None:
    _check(source, 1, record_property)


@pytest.mark.slow
@pytest.mark.parametrize("source", as_params(driven_models()))
def test_no_effort_jumps_on_any_model(source: RealModel, record_property: Record) -> None:
    _check(source, 8, record_property)


def _there_and_back(source: RealModel, states: int, record: Record) -> None:
    """Joints that only tendons move, from their drive into each mode and back."""
    model = mode_model(source)
    joints = list(model.drives)
    assert joints
    robot = source.robot(PREFIX, modes=model.modes(joints, limited=False))
    scene, rng = build_scene(SceneSpec([robot])), np.random.default_rng(seed(source, 4))
    actuators = actuators_of(scene, PREFIX, joints, {})
    dofs = np.array([scene.model.joint(PREFIX + j).dofadr[0] for j in joints])
    drives = sorted({name for names in model.drives.values() for name in names})
    loads, back = [], []
    jumps: list[Jump] = []
    for _, mode in itertools.product(range(states), ALL_MODES):
        scene.reset()
        for name in drives:
            limits = scene.model.actuator(PREFIX + name).ctrlrange
            low, high = limits if limits[0] < limits[1] else (-0.5, 0.5)
            scene.actuators[PREFIX + name].ctrl = rng.uniform(low, high)
        scene.step(20)
        jump = switch_and_compare(scene, "a", mode, joints, actuators[:, mode])
        jumps.append(jump)
        if not jump.within.all():
            continue
        scene.set_control_mode("a", None, joints)
        mujoco.mj_forward(scene.model, scene.data)
        loads.append(float(np.abs(jump.before).max()))
        change = np.abs(scene.data.qfrc_actuator[dofs] - jump.before)
        back.append(float((change / np.maximum(1, np.abs(jump.before))).max()))
    assert len(jumps) == states * len(ALL_MODES)
    record("worst into a mode", max(float(j.errors.max()) for j in jumps))
    record("worst back", max(back))
    assert max(loads) > 0
    assert max(float(j.errors.max()) for j in jumps) <= TOLERANCE
    assert max(back) <= TOLERANCE


@pytest.mark.parametrize("source", SHORT_TENDONS)
def test_a_few_tendons_hand_their_joints_over_and_get_them_back(
    source: RealModel, record_property: Record
) -> None:
    _there_and_back(source, 1, record_property)


@pytest.mark.slow
@pytest.mark.parametrize("source", as_params(tendon_models()))
def test_tendons_hand_their_joints_over_and_get_them_back(
    source: RealModel, record_property: Record
) -> None:
    _there_and_back(source, 4, record_property)


@pytest.mark.parametrize("transfer", [Transfer.HOLD, Transfer.BUMPLESS])
def test_a_jump_is_seen(transfer: Transfer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Holding the position drops the load, which the comparison must notice."""
    sweep = _Sweep(short_models()[0], limited=False)
    switch = Scene.set_control_mode

    def with_transfer(scene: Scene, robot: Any, mode: Any, joints: Any) -> None:
        switch(scene, robot, mode, joints, transfer)

    assert sweep.move(TORQUE)
    monkeypatch.setattr(Scene, "set_control_mode", with_transfer)
    sweep.switch(POSITION)
    jumped = bool(sweep.jumps[0].errors.max() > TOLERANCE)
    assert jumped is (transfer is Transfer.HOLD)
