"""Exactness: in any mix of modes a robot moves as a model with only the acting actuators does."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import pytest
from mode_sweep import (
    ALL_MODES,
    PREFIX,
    WITHOUT_MODES,
    ModeModel,
    as_params,
    driven_models,
    mixes,
    mode_model,
    seed,
    short_models,
)
from numpy.typing import NDArray
from real_models import RealModel, real_models
from robot_blocks import documented_actuator_names, documented_joint_names

from mjscene import CtrlMode, RobotSpec, Scene, SceneSpec, build_scene
from mjscene.errors import SimulationError
from mjscene.messages import Captured

pytestmark = pytest.mark.filterwarnings("ignore::mjscene.MjsceneWarning")

Array = NDArray[np.float64]
Record = Callable[[str, object], None]
Mix = tuple[CtrlMode, ...]
POSITION, TORQUE, VELOCITY = ALL_MODES
STEPS = 200
HELD = 10  # steps for which a random command stands
STILL = "<mujoco><worldbody><body name='still'/></worldbody></mujoco>"
YES, NO = mujoco.mjtLimited.mjLIMITED_TRUE, mujoco.mjtLimited.mjLIMITED_FALSE
# All that an actuator inherits from a file's <default>.
INHERITED = (
    *("gear", "armature", "damping", "gaintype", "gainprm", "biastype", "biasprm", "dyntype"),
    *("dynprm", "ctrllimited", "ctrlrange", "forcelimited", "forcerange", "actlimited"),
    *("actrange", "actdim", "actearly", "delay", "nsample", "interp", "inheritrange"),
)


@functools.lru_cache(maxsize=1)
def _file_alone(model: ModeModel) -> Any:
    """The file's own MjSpec, its joints and actuators named, without keyframes (they hold ctrl)."""
    with Captured():
        spec = mujoco.MjSpec.from_file(str(model.source.path))
    for joint, name in zip(spec.joints, documented_joint_names(model.alone), strict=True):
        joint.name = name
    for actuator, name in zip(spec.actuators, documented_actuator_names(model.alone), strict=True):
        actuator.name = name
    if model.options.integrator:
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    for key in list(spec.keys):
        spec.delete(key)
    return spec


def _acting_alone(model: ModeModel, mix: Mix) -> Any:
    """The oracle: the file with the acting actuators only, the added ones written out by hand."""
    spec = _file_alone(model).copy()
    gains = model.gains(model.joints)
    for k, (joint, law, mode) in enumerate(
        zip(model.joints, model.native.values(), mix, strict=True)
    ):
        if mode is law.mode:
            continue
        spec.delete(spec.actuator(law.actuator))
        actuator = spec.add_actuator(
            name=_added(joint, mode), trntype=mujoco.mjtTrn.mjTRN_JOINT, target=joint
        )
        clean = mujoco.MjSpec().add_actuator()
        for field in INHERITED:
            setattr(actuator, field, getattr(clean, field))
        limit = gains["limit"][k]
        actuator.ctrllimited = actuator.forcelimited = NO
        if mode is TORQUE:
            actuator.ctrllimited, actuator.ctrlrange = YES, (-limit, limit)
            continue
        actuator.forcelimited, actuator.forcerange = YES, (-limit, limit)
        kp, kv = (gains["kp"][k], gains["kd"][k]) if mode is POSITION else (0.0, gains["kv"][k])
        actuator.gainprm[0] = kp or kv
        actuator.biastype = mujoco.mjtBias.mjBIAS_AFFINE
        actuator.biasprm[:3] = (0.0, -kp, -kv)
        j = model.joint_id(joint)
        if mode is POSITION and model.alone.jnt_limited[j]:
            actuator.ctrllimited, actuator.ctrlrange = YES, model.alone.jnt_range[j]
    with Captured():
        return spec.compile()


def _added(joint: str, mode: CtrlMode) -> str:
    return f"{joint}_{mode.name.lower()}"


@dataclass
class _Twins:
    """The scene and its oracle, with where each acting actuator's numbers are in both."""

    model: ModeModel
    scene: Scene
    oracle: Any
    mix: Mix

    def __post_init__(self) -> None:
        self.data = mujoco.MjData(self.oracle)
        model = self.scene.model
        names = [self.oracle.actuator(i).name for i in range(self.oracle.nactuator)]
        ours = [model.actuator(PREFIX + name).id for name in names]
        theirs = np.arange(self.oracle.nactuator)
        self.ctrl = model.actuator_ctrladr[ours], self.oracle.actuator_ctrladr[theirs]
        stateful = [k for k in theirs if self.oracle.actuator_actnum[k]]
        assert (self.oracle.actuator_actnum <= 1).all()
        self.act = (
            model.actuator_actadr[[ours[k] for k in stateful]],
            self.oracle.actuator_actadr[stateful],
        )
        managed = {law.actuator for law in self.model.native.values()}
        self.unmanaged = [n for n in names if n in set(_actuators(self.model)) - managed]
        self.acting = [
            law.actuator if mode is law.mode else _added(joint, mode)
            for (joint, law), mode in zip(self.model.native.items(), self.mix, strict=True)
        ]

    def start(self, rng: np.random.Generator) -> None:
        """Both at one moving state; whatever is muted has controls that would be felt."""
        scene, twin = self.scene, self.data
        scene.reset()
        scene.data.ctrl[:] = rng.normal(size=scene.model.nu)
        scene.data.qvel[:] = 0.1 * rng.normal(size=scene.model.nv)
        for mode in ALL_MODES:
            joints = [j for j, m in zip(self.model.joints, self.mix, strict=True) if m is mode]
            if joints:
                scene.set_control_mode("a", mode, joints)
        twin.qpos[:], twin.qvel[:] = scene.data.qpos, scene.data.qvel
        twin.act[self.act[1]] = scene.data.act[self.act[0]]

    def command(self, rng: np.random.Generator) -> None:
        """New random commands for all joints, and controls for what takes no command."""
        commands = _random_commands(self.model, self.mix, rng)
        rows = [self.scene.joint_names.index(PREFIX + j) for j in self.model.joints]
        self.scene.command[rows] = commands
        for name in self.unmanaged:
            self.scene.actuators[PREFIX + name].ctrl = rng.uniform(-0.5, 0.5)
        self.expected = np.array(
            [
                law.control(c) if mode is law.mode else c
                for law, mode, c in zip(self.model.native.values(), self.mix, commands, strict=True)
            ]
        )

    def difference(self) -> str:
        """Advance both by one step; in what they differ then."""
        scene, twin = self.scene, self.data
        try:
            scene.step()
        except SimulationError:
            return self._also_blows_up()
        found = np.array([scene.data.ctrl[self.address(name)] for name in self.acting])
        np.testing.assert_allclose(found, self.expected, rtol=1e-14, atol=1e-14)
        twin.ctrl[self.ctrl[1]] = scene.data.ctrl[self.ctrl[0]]
        mujoco.mj_step(self.oracle, twin)
        for field in ("qpos", "qvel", "qacc", "qfrc_actuator", "time"):
            if not np.array_equal(getattr(scene.data, field), getattr(twin, field)):
                return field
        same = np.array_equal(scene.data.act[self.act[0]], twin.act[self.act[1]])
        return "" if same else "act"

    def _also_blows_up(self) -> str:
        """The scene blew up, and looks for that half a step ahead: the oracle must, too."""
        self.blown_up = True
        for name, control in zip(self.acting, self.expected, strict=True):
            self.data.ctrl[self.oracle.actuator_ctrladr[self.oracle.actuator(name).id]] = control
        with Captured() as captured:
            mujoco.mj_step(self.oracle, self.data, 2)
        return "" if captured.messages else "blow-up"

    def same_for(self, steps: int, rng: np.random.Generator) -> bool:
        """Whether both ran on for so many steps under random commands, and never differed."""
        self.blown_up = False
        for step in range(steps):
            if step % HELD == 0:
                self.command(rng)
            assert self.difference() == "", f"{self.mix} at step {step}"
            if self.blown_up:
                return False
        return True

    def address(self, name: str) -> int:
        model = self.scene.model
        return int(model.actuator_ctrladr[model.actuator(PREFIX + name).id])

    def acting_groups(self) -> set[int]:
        model = self.scene.model
        return {int(model.actuator_group[model.actuator(PREFIX + n).id]) for n in self.acting}


def _actuators(model: ModeModel) -> list[str]:
    return documented_actuator_names(model.alone)


def _random_commands(model: ModeModel, mix: Mix, rng: np.random.Generator) -> Array:
    """Commands within their range (n,), in each mode's unit and joint space."""
    alone, commands = model.alone, []
    limits = model.gains(model.joints)["limit"]
    for (joint, law), mode, limit in zip(model.native.items(), mix, limits, strict=True):
        j = model.joint_id(joint)
        if mode is VELOCITY:
            low, high = -1.0, 1.0
        elif mode is TORQUE:
            low, high = -limit / 2, limit / 2
            i = _actuators(model).index(law.actuator)
            if law.mode is TORQUE and alone.actuator_ctrllimited[i]:
                low, high = sorted(alone.actuator_ctrlrange[i] * law.g * law.gear)
        elif alone.jnt_limited[j]:
            low, high = alone.jnt_range[j]
        else:
            middle = alone.qpos0[alone.jnt_qposadr[j]]
            low, high = middle - 0.5, middle + 0.5
        commands.append(rng.uniform(low, high))
    return np.array(commands)


def _scene(model: ModeModel, *, shared: bool) -> Scene:
    """The robot alone, or as the eleventh of owners, the last two of which share a slot."""
    robot = model.source.robot(PREFIX, modes=model.modes(model.joints, limited=True))
    still = [RobotSpec(STILL, prefix=f"still{k}_", modes=()) for k in range(10)]
    robots = [*still, robot] if shared else [robot]
    scene = build_scene(SceneSpec(robots, options=model.options))
    handle = scene.robots["a"]
    assert handle.joint_names == tuple(PREFIX + joint for joint in model.joints)
    assert handle.ctrl_modes == tuple(law.mode for law in model.native.values())
    return scene


def _sweep(source: RealModel, count: int, record: Record) -> None:
    model = mode_model(source)
    assert model.joints
    rng = np.random.default_rng(seed(source, 1))
    scenes = {shared: _scene(model, shared=shared) for shared in (False, True)}
    done = tried = 0
    for mix in mixes(len(model.joints), count, rng):
        oracle = _acting_alone(model, mix)
        for shared, scene in scenes.items():
            twins = _Twins(model, scene, oracle, mix)
            twins.start(rng)
            by_mode = len(set(mix)) == 1 and not shared
            first = 28 if shared else 1
            assert twins.acting_groups() == {first + int(mix[0]) if by_mode else first}
            done += twins.same_for(STEPS, rng)
            tried += 1
        del oracle, twins
        gc.collect()  # models are large, and few objects to Python
    record("mixes", (done, tried))
    assert done >= 0.9 * tried, "too many runs ended early: the file itself is unstable then"


@pytest.mark.parametrize("source", as_params(short_models()))
def test_a_few_mixes_of_modes_move_as_the_acting_actuators_alone(
    source: RealModel, record_property: Record
) -> None:
    _sweep(source, 2, record_property)


@pytest.mark.slow
@pytest.mark.parametrize("source", as_params(driven_models()))
def test_twenty_mixes_of_modes_move_as_the_acting_actuators_alone(
    source: RealModel, record_property: Record
) -> None:
    _sweep(source, 20, record_property)


@pytest.mark.slow
def test_the_files_left_out_have_no_actuator_that_gives_a_mode() -> None:
    left_out = [m for m in real_models() if m.name in WITHOUT_MODES]
    assert len(left_out) == len(WITHOUT_MODES)
    assert {m.name for m in left_out if mode_model(m).native} == set()


def test_an_actuator_that_should_be_muted_is_seen() -> None:
    model = mode_model(short_models()[0])
    mix = (TORQUE,) * len(model.joints)
    twins = _Twins(model, _scene(model, shared=False), _acting_alone(model, mix), mix)
    rng = np.random.default_rng(0)
    twins.start(rng)
    twins.command(rng)
    twins.scene.model.opt.disableactuator = 0
    assert twins.difference() != ""
