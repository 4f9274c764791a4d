"""Inert: muted, the actuators of added modes change no bit of how a robot's file moves."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest
from mode_sweep import PREFIX, ModeModel, as_params, mode_model, seed, short_models
from numpy.typing import NDArray
from real_models import BROKEN, RealModel, real_models
from robot_blocks import documented_actuator_names, random_ctrl

from mjscene import PhysicsOptions, Scene, SceneSpec, build_scene
from mjscene.errors import SimulationError
from mjscene.messages import Captured

pytestmark = pytest.mark.filterwarnings("ignore::mjscene.MjsceneWarning")

Array = NDArray[np.float64]
Record = Callable[[str, object], None]
STEPS = 100
# RK4 is no part of the requirement, and holds too.
INTEGRATORS = {
    name: int(getattr(mujoco.mjtIntegrator, f"mjINT_{name.upper()}"))
    for name in ("Euler", "implicit", "implicitfast", "discrete", "RK4")
}
FIELDS = ("qpos", "qvel", "qacc", "qfrc_actuator", "time")


class _Twins:
    """A file alone and its scene with muted actuators, driven by the same controls by name."""

    def __init__(self, model: ModeModel, integrator: str) -> None:
        joints = (*model.joints, *model.drives)
        modes = model.modes(joints, limited=False, integral=True) if joints else ()
        robot = model.source.robot(PREFIX, modes=modes)
        options = PhysicsOptions(integrator=integrator)
        self.scene: Scene = build_scene(SceneSpec([robot], options=options))
        self.alone = model.source.load()
        self.alone.opt.integrator = INTEGRATORS[integrator]
        self.data = mujoco.MjData(self.alone)
        compiled = self.scene.model
        names = [PREFIX + name for name in documented_actuator_names(self.alone)]
        theirs = [compiled.actuator(name).id for name in names]
        self.ctrl = _addresses(compiled.actuator_ctrladr, compiled.actuator_ctrlnum, theirs)
        self.act = _addresses(compiled.actuator_actadr, compiled.actuator_actnum, theirs)
        self.blown_up = False
        self.added = compiled.nactuator - self.alone.nactuator
        assert len(self.ctrl) == self.alone.nu

    def start(self, rng: np.random.Generator) -> None:
        """Both at one moving state; the muted actuators have controls that would be felt."""
        velocity = 0.1 * rng.normal(size=self.alone.nv)
        for data in (self.data, self.scene.data):
            data.qpos[:], data.qvel[:] = self.alone.qpos0, velocity
            data.act[:] = 0.0
        self.scene.data.ctrl[:] = 10.0 * rng.normal(size=self.scene.model.nu)

    def first_difference(self, controls: Array) -> str:
        """The first step and quantity in which the two differ."""
        scene, data = self.scene, self.data
        for step, ctrl in enumerate(controls):
            data.ctrl[:] = scene.data.ctrl[self.ctrl] = ctrl
            try:
                scene.step()
            except SimulationError:
                return self._also_blows_up(step)
            mujoco.mj_step(self.alone, data)
            for field in FIELDS:
                if not np.array_equal(
                    getattr(scene.data, field), getattr(data, field), equal_nan=True
                ):
                    return f"{field} at step {step}"
            if not np.array_equal(scene.data.act[self.act], data.act, equal_nan=True):
                return f"act at step {step}"
        return ""

    def _also_blows_up(self, step: int) -> str:
        """The scene blew up, and looks for that half a step ahead: the file alone must, too."""
        self.blown_up = True
        with Captured() as captured:
            mujoco.mj_step(self.alone, self.data, 2)
        return "" if captured.messages else f"blow-up at step {step}"


def _addresses(first: Any, count: Any, of: list[int]) -> NDArray[np.intp]:
    parts = [np.arange(first[i], first[i] + count[i]) for i in of]
    return np.concatenate([np.zeros(0, int), *parts]).astype(np.intp)


def _refused(model: ModeModel, integrator: str) -> str:
    """What MuJoCo says where it cannot step a file under an integrator, else nothing."""
    alone = model.source.load()
    alone.opt.integrator = INTEGRATORS[integrator]
    try:
        with Captured():
            mujoco.mj_step(alone, mujoco.MjData(alone))
    except mujoco.FatalError as error:
        return str(error)
    return ""


def _check(source: RealModel, integrator: str, record: Record) -> None:
    model = mode_model(source)
    refused = _refused(model, integrator)
    if refused:
        with pytest.raises(mujoco.FatalError) as caught:
            _Twins(model, integrator).scene.step()
        assert str(caught.value) == refused
        record("refused", refused)
        return
    twins = _Twins(model, integrator)
    # Three modes, one of which a joint with an actuator of its own has already.
    assert twins.added == 2 * len(model.joints) + 3 * len(model.drives)
    rng = np.random.default_rng(seed(source, 2))
    twins.start(rng)
    controls = np.array([random_ctrl(twins.alone, rng) for _ in range(STEPS)])
    assert twins.first_difference(controls) == ""
    record("added", twins.added)
    record("blown up", int(twins.blown_up))
    del twins
    gc.collect()  # models are large, and few objects to Python


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("source", as_params(short_models()))
def test_muted_actuators_change_no_bit_of_a_few_files(
    source: RealModel, integrator: str, record_property: Record
) -> None:
    _check(source, integrator, record_property)


@pytest.mark.slow
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("source", as_params([m for m in real_models() if m.name not in BROKEN]))
def test_muted_actuators_change_no_bit_of_any_file(
    source: RealModel, integrator: str, record_property: Record
) -> None:
    _check(source, integrator, record_property)


@pytest.mark.parametrize("felt", ["armature", "damping", "group"])
def test_an_actuator_that_is_felt_is_seen(felt: str) -> None:
    twins = _Twins(mode_model(short_models()[0]), "Euler")
    twins.start(np.random.default_rng(0))
    model = twins.scene.model
    if felt == "group":
        model.opt.disableactuator = 0
    else:
        added = model.nactuator - 1
        getattr(model, f"actuator_{felt}")[added] = 1e-3
        mujoco.mj_setConst(model, twins.scene.data)
        twins.start(np.random.default_rng(0))
    controls = np.zeros((STEPS, twins.alone.nu))
    assert twins.first_difference(controls) != ""
