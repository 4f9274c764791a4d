"""A robot's part of a scene's vectors, found by the names of its file compiled alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray
from placement import FREE, Placement, dof_rotation

__all__ = ["Block", "State", "documented_actuator_names", "documented_joint_names", "find_block"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
OBJ = mujoco.mjtObj
NQ, NV = (7, 4, 1, 1), (6, 3, 1, 1)  # numbers per joint: free, ball, slide, hinge
BALL = 1


def documented_joint_names(model: Any) -> list[str]:
    """Joint names of a file alone, unnamed ones named ``<body>_joint<k>`` as the docs say."""
    names = []
    for joint in range(model.njnt):
        body = int(model.jnt_bodyid[joint])
        k = joint - int(model.body_jntadr[body])
        label = model.body(body).name or f"body{body}"
        names.append(model.joint(joint).name or f"{label}_joint{k}")
    return names


def documented_actuator_names(model: Any) -> list[str]:
    """Actuator names of a file alone, unnamed ones ``<target>_actuator<k>``, none for k = 0."""
    kinds = {
        **dict.fromkeys((0, 1), OBJ.mjOBJ_JOINT),
        **{2: OBJ.mjOBJ_SITE, 3: OBJ.mjOBJ_TENDON, 4: OBJ.mjOBJ_SITE, 5: OBJ.mjOBJ_BODY},
    }
    names, count = [], dict[str, int]()
    for i in range(model.nactuator):
        kind = kinds[int(model.actuator_trntype[i])]
        target = mujoco.mj_id2name(model, kind, int(model.actuator_trnid[i, 0]))
        k = count[target] = count.get(target, -1) + 1
        names.append(model.actuator(i).name or f"{target}_actuator{k or ''}")
    return names


@dataclass(frozen=True)
class State:
    """A state of a file alone, shapes as MuJoCo's."""

    qpos: Array
    qvel: Array
    act: Array
    ctrl: Array

    @classmethod
    def random(cls, model: Any, rng: np.random.Generator) -> State:
        """Joints within their range or a radian (metre) about it, any orientation, any control."""
        qpos = model.qpos0.copy()
        for joint in range(model.njnt):
            q, kind = int(model.jnt_qposadr[joint]), int(model.jnt_type[joint])
            if kind == FREE:
                qpos[q : q + 3] += rng.normal(size=3)
            if kind in (FREE, BALL):
                quat = rng.normal(size=4)
                start = q + 3 if kind == FREE else q
                qpos[start : start + 4] = quat / np.linalg.norm(quat)
            elif model.jnt_limited[joint]:
                qpos[q] = rng.uniform(*model.jnt_range[joint])
            else:
                qpos[q] += rng.normal()
        return cls(
            qpos, rng.normal(size=model.nv), rng.uniform(size=model.na), random_ctrl(model, rng)
        )


def random_ctrl(model: Any, rng: np.random.Generator) -> Array:
    """Controls (nu,), uniform in the range where there is one, else normal."""
    ranges, limited = model.actuator_ctrlrange, model.actuator_ctrllimited.astype(bool)
    uniform = rng.uniform(ranges[:, 0], np.maximum(ranges[:, 0], ranges[:, 1]))
    return np.where(limited, uniform, rng.normal(size=model.nu))


@dataclass(frozen=True)
class Block:
    """Index arrays into the scene's vectors, in the order of the file alone."""

    qpos: Ints
    dofs: Ints
    act: Ints
    ctrl: Ints
    free_qpos: Ints  # first index in the file's own qpos of each free joint
    placement: Placement
    turn: Array  # scene dofs from file dofs (nv, nv)

    def write(self, data: Any, state: State) -> None:
        """Put the robot into a state of its file, moved with its placement."""
        qpos = state.qpos.copy()
        for q in self.free_qpos:
            qpos[q : q + 7] = self.placement.free_pose(qpos[q : q + 7])
        data.qpos[self.qpos] = qpos
        data.qvel[self.dofs] = self.turn @ state.qvel
        data.act[self.act] = state.act
        data.ctrl[self.ctrl] = state.ctrl


def _runs(starts: Any, counts: Any) -> Ints:
    parts = [np.arange(s, s + n) for s, n in zip(starts, counts, strict=True)]
    return np.concatenate([np.zeros(0, int), *parts]).astype(np.intp)


def find_block(scene: Any, alone: Any, prefix: str, placement: Placement) -> Block:
    """The part of a scene's model that is the robot of that prefix."""
    joints = [scene.joint(prefix + name).id for name in documented_joint_names(alone)]
    actuators = [scene.actuator(prefix + name).id for name in documented_actuator_names(alone)]
    kinds = [int(scene.jnt_type[j]) for j in joints]
    return Block(
        qpos=_runs(scene.jnt_qposadr[joints], [NQ[k] for k in kinds]),
        dofs=_runs(scene.jnt_dofadr[joints], [NV[k] for k in kinds]),
        act=_runs(scene.actuator_actadr[actuators], scene.actuator_actnum[actuators]),
        ctrl=_runs(scene.actuator_ctrladr[actuators], scene.actuator_ctrlnum[actuators]),
        free_qpos=np.asarray(alone.jnt_qposadr[alone.jnt_type == FREE], dtype=np.intp),
        placement=placement,
        turn=dof_rotation(alone, placement),
    )
