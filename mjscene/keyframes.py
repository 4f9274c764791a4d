"""The start pose of a scene and its keyframes, as rows over the compiled model.

MuJoCo assembles an attached keyframe with every other robot at ``qpos0`` and leaves free joints
and mocap bodies where the file had them in its own world. Here the rows are made whole: the
owner's numbers come from its file, moved with its placement; everybody else is at the start pose.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.compose import Composition
from mjscene.errors import ComposeError, close_matches, shown
from mjscene.owners import Owner
from mjscene.poses import Transform
from mjscene.spec import SceneObject

__all__ = ["Addresses", "StateRow", "fill_keyframes", "find_keyframe", "place_owners"]

Array = NDArray[np.float64]
Fill = Callable[["StateRow", NDArray[np.bool_]], None]
Ints = NDArray[np.intp]
JNT = mujoco.mjtJoint
OBJ = mujoco.mjtObj
# qpos and qvel numbers per joint type, in the order of mjtJoint: free, ball, slide, hinge.
NQ, NV = (7, 4, 1, 1), (6, 3, 1, 1)
_FREE = int(JNT.mjJNT_FREE)
_SCALAR = (int(JNT.mjJNT_HINGE), int(JNT.mjJNT_SLIDE))


@dataclass(frozen=True)
class Addresses:
    """Where an owner's state lies in the scene's vectors; all are index arrays, in model order.

    Attributes:
        joints: Joint ids.
        qpos: Into ``qpos``.
        dofs: Into ``qvel``.
        act: Into ``act``.
        ctrl: Into ``ctrl``.
        mocap: Into ``mocap_pos``.
        free_qpos: First index in ``qpos`` of each free joint.
        free_dofs: First index in ``qvel`` of each free joint.
    """

    joints: Ints
    qpos: Ints
    dofs: Ints
    act: Ints
    ctrl: Ints
    mocap: Ints
    free_qpos: Ints
    free_dofs: Ints


def _ids(model: Any, kind: Any, names: tuple[str, ...]) -> list[int]:
    return sorted([mujoco.mj_name2id(model, kind, n) for n in names])


def _ints(values: list[int]) -> Ints:
    return np.array(values, dtype=np.intp)


def place_owners(model: Any, owners: list[Owner]) -> None:
    """Find each owner's place in the model's vectors by its names, and keep it as ``owner.at``."""
    # Lists: a build asks for a thousand single numbers, and numpy's cost ten times a list's.
    types = model.jnt_type.tolist()
    q_first, v_first = model.jnt_qposadr.tolist(), model.jnt_dofadr.tolist()
    q_runs = [range(q, q + NQ[t]) for q, t in zip(q_first, types, strict=True)]
    v_runs = [range(v, v + NV[t]) for v, t in zip(v_first, types, strict=True)]
    starts, counts = model.actuator_actadr.tolist(), model.actuator_actnum.tolist()
    act_runs = [range(a, a + n) for a, n in zip(starts, counts, strict=True)]
    starts, counts = model.actuator_ctrladr.tolist(), model.actuator_ctrlnum.tolist()
    ctrl_runs = [range(u, u + n) for u, n in zip(starts, counts, strict=True)]
    mocap_of = model.body_mocapid.tolist()
    for owner in owners:
        joints = _ids(model, OBJ.mjOBJ_JOINT, owner.names.get("joint", ()))
        actuators = _ids(model, OBJ.mjOBJ_ACTUATOR, owner.names.get("actuator", ()))
        bodies = owner.names.get("body", ()) if model.nmocap else ()
        mocap = [mocap_of[b] for b in _ids(model, OBJ.mjOBJ_BODY, bodies)]
        free = [j for j in joints if types[j] == _FREE]
        owner.at = Addresses(
            joints=_ints(joints),
            qpos=_ints([q for j in joints for q in q_runs[j]]),
            dofs=_ints([v for j in joints for v in v_runs[j]]),
            act=_ints([a for i in actuators for a in act_runs[i]]),
            ctrl=_ints([u for i in actuators for u in ctrl_runs[i]]),
            mocap=_ints([i for i in mocap if i >= 0]),
            free_qpos=_ints([q_first[j] for j in free]),
            free_dofs=_ints([v_first[j] for j in free]),
        )


@dataclass
class StateRow:
    """One state of the scene, as a keyframe holds it."""

    qpos: Array
    qvel: Array
    act: Array
    ctrl: Array
    mpos: Array
    mquat: Array

    @classmethod
    def reference(cls, model: Any) -> StateRow:
        """The state MuJoCo resets to: ``qpos0``, at rest, mocap bodies at their bodies' pose."""
        data_bodies = np.flatnonzero(model.body_mocapid >= 0)
        data_bodies = data_bodies[np.argsort(model.body_mocapid[data_bodies])]
        return cls(
            qpos=model.qpos0.copy(),
            qvel=np.zeros(model.nv),
            act=np.zeros(model.na),
            ctrl=np.zeros(model.nu),
            mpos=model.body_pos[data_bodies].copy(),
            mquat=model.body_quat[data_bodies].copy(),
        )

    @classmethod
    def of_key(cls, model: Any, key: int) -> StateRow:
        """The state that a keyframe of the model holds."""
        return cls(
            qpos=model.key_qpos[key].copy(),
            qvel=model.key_qvel[key].copy(),
            act=model.key_act[key].copy(),
            ctrl=model.key_ctrl[key].copy(),
            mpos=model.key_mpos[key].reshape(-1, 3).copy(),
            mquat=model.key_mquat[key].reshape(-1, 4).copy(),
        )

    def copy(self) -> StateRow:
        """A copy."""
        return StateRow(*(getattr(self, f).copy() for f in self.__dataclass_fields__))

    def take(self, other: StateRow, at: Addresses) -> None:
        """Take an owner's part of another row."""
        self.qpos[at.qpos] = other.qpos[at.qpos]
        self.qvel[at.dofs] = other.qvel[at.dofs]
        self.act[at.act] = other.act[at.act]
        self.ctrl[at.ctrl] = other.ctrl[at.ctrl]
        self.mpos[at.mocap] = other.mpos[at.mocap]
        self.mquat[at.mocap] = other.mquat[at.mocap]

    def move(self, at: Addresses, world_from_file: Transform) -> None:
        """Move an owner's free joints and mocap bodies with its placement.

        A free joint's linear velocity is in world axes and turns with it; its angular velocity is
        in the body's axes and stays.
        """
        for q, v in zip(at.free_qpos, at.free_dofs, strict=True):
            pos, quat = world_from_file.apply(self.qpos[q : q + 3], self.qpos[q + 3 : q + 7])
            self.qpos[q : q + 3], self.qpos[q + 3 : q + 7] = pos, quat
            self.qvel[v : v + 3] = world_from_file.rotate(self.qvel[v : v + 3])
        for i in at.mocap:
            self.mpos[i], self.mquat[i] = world_from_file.apply(self.mpos[i], self.mquat[i])

    def write_key(self, model: Any, key: int) -> None:
        """Write the state into a keyframe of the model."""
        for name in self.__dataclass_fields__:
            getattr(model, f"key_{name}")[key] = getattr(self, name).reshape(-1)


def fill_keyframes(model: Any, scene: Composition, fill: Fill) -> StateRow:
    """Make the model's keyframes whole, in place.

    Args:
        model: The compiled scene.
        scene: What it was compiled from.
        fill: Fills the controls that no file gives in a state, told which were given (nu,).

    Returns:
        The start state: every robot at its ``home``, else at ``qpos0``.

    Raises:
        ComposeError: A ``home`` names no keyframe or joint, or has too many or too few values.
    """
    owners = scene.owners
    place_owners(model, owners)
    places = {id(o): o.at for o in owners}
    authored: dict[tuple[int, str], StateRow] = {}
    times_of: dict[tuple[int, str], float] = {}
    for owner in owners:
        for name in owner.authored("key"):
            key = mujoco.mj_name2id(model, OBJ.mjOBJ_KEY, owner.prefix + name)
            row = StateRow.of_key(model, key)
            if owner.world_from_file is not None and not owner.world_from_file.is_identity:
                row.move(places[id(owner)], owner.world_from_file)
            authored[id(owner), name] = row
            times_of[id(owner), name] = float(model.key_time[key])
    start, given = StateRow.reference(model), np.zeros(model.nu, dtype=bool)
    for owner in owners:
        _apply_home(model, start, owner, places[id(owner)], authored)
        _mark_given(given, owner, getattr(owner.spec, "home", None), places[id(owner)])
    wanted = [(o.prefix + name, name, [o]) for o in owners for name in o.authored("key")]
    wanted += [(name, name, sharing) for name, sharing in scene.keyframes.items()]
    for full, name, sharing in wanted:
        row, row_given = start.copy(), given.copy()
        for owner in sharing:
            row.take(authored[id(owner), name], places[id(owner)])
            row_given[places[id(owner)].ctrl] = False
            _mark_given(row_given, owner, name, places[id(owner)])
        fill(row, row_given)
        key = mujoco.mj_name2id(model, OBJ.mjOBJ_KEY, full)
        row.write_key(model, key)
        times = {times_of[id(owner), name] for owner in sharing}
        model.key_time[key] = times.pop() if len(times) == 1 else 0.0
    fill(start, given)
    return start


def _mark_given(given: NDArray[np.bool_], owner: Owner, key: Any, at: Addresses) -> None:
    """Mark an owner's controls as given if a keyframe of its file gives them."""
    if owner.source is not None and key in owner.source.keys_with_ctrl:
        given[at.ctrl] = True


def _apply_home(
    model: Any,
    start: StateRow,
    owner: Owner,
    at: Addresses,
    authored: dict[tuple[int, str], StateRow],
) -> None:
    if isinstance(owner.spec, SceneObject) or owner.spec.home is None:
        return
    home = owner.spec.home
    where = f"{owner.where}.home"
    if isinstance(home, str):
        row = authored.get((id(owner), home))
        if row is None:
            known = owner.authored("key")
            raise ComposeError(
                f"{owner.title} has no keyframe {home!r}",
                where=where,
                given=home,
                close=close_matches(home, known),
                allowed=known,
                hint=None if known else "its file has none: give joint values",
            )
        start.take(row, at)
        return
    for joint, value in _home_values(model, owner, at, where).items():
        start.qpos[model.jnt_qposadr[joint]] = value


def _home_values(model: Any, owner: Owner, at: Addresses, where: str) -> dict[int, float]:
    """Joint id to value [rad or m] of a ``home`` given as values."""
    home: Any = getattr(owner.spec, "home", ())
    scalar = [int(j) for j in at.joints if int(model.jnt_type[j]) in _SCALAR]
    if not home or not isinstance(home[0], tuple):
        if len(home) != len(scalar):
            raise ComposeError(
                f"{owner.title} has {len(scalar)} hinge and slide joints, got {len(home)} values",
                where=where,
                given=home,
                allowed=owner.authored("joint"),
            )
        return dict(zip(scalar, home, strict=True))
    values = {}
    known = [model.joint(j).name[len(owner.prefix) :] for j in scalar]
    for name, value in home:
        full = owner.scene_name("joint", name)
        joint = -1 if full is None else mujoco.mj_name2id(model, OBJ.mjOBJ_JOINT, full)
        if joint not in scalar:
            raise ComposeError(
                f"{owner.title} has no hinge or slide joint {name!r}",
                where=where,
                given=name,
                close=close_matches(name, known),
                allowed=known,
                element=name,
            )
        values[joint] = value
    return values


def find_keyframe(model: Any, name: Any, where: str) -> int:
    """The id of a keyframe.

    Raises:
        ComposeError: There is none of that name; the message lists near matches.
    """
    key = mujoco.mj_name2id(model, OBJ.mjOBJ_KEY, name) if isinstance(name, str) else -1
    if key < 0:
        known = tuple(model.key(i).name for i in range(model.nkey))
        raise ComposeError(
            f"there is no keyframe {shown(name)}",
            where=where,
            given=name,
            close=close_matches(str(name), known),
            allowed=known,
        )
    return int(key)
