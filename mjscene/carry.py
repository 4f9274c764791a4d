"""Carry a running scene over to a new model: state, controls and changed values, by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.control import ModeControl
from mjscene.joints import JointTable
from mjscene.snapshot import ELEMENTS, Snapshot

__all__ = ["Running", "carry_over", "element_keys"]

Ints = NDArray[np.intp]
# qpos and qvel numbers per joint type, in the order of mjtJoint: free, ball, slide, hinge.
_NQ, _NV = np.array([7, 4, 1, 1]), np.array([6, 3, 1, 1])
_OBJECTS = {
    "body": mujoco.mjtObj.mjOBJ_BODY,
    "jnt": mujoco.mjtObj.mjOBJ_JOINT,
    "geom": mujoco.mjtObj.mjOBJ_GEOM,
    "site": mujoco.mjtObj.mjOBJ_SITE,
    "cam": mujoco.mjtObj.mjOBJ_CAMERA,
    "light": mujoco.mjtObj.mjOBJ_LIGHT,
    "mat": mujoco.mjtObj.mjOBJ_MATERIAL,
    "pair": mujoco.mjtObj.mjOBJ_PAIR,
    "eq": mujoco.mjtObj.mjOBJ_EQUALITY,
    "tendon": mujoco.mjtObj.mjOBJ_TENDON,
    "actuator": mujoco.mjtObj.mjOBJ_ACTUATOR,
    "sensor": mujoco.mjtObj.mjOBJ_SENSOR,
    "numeric": mujoco.mjtObj.mjOBJ_NUMERIC,
}


@dataclass(frozen=True)
class Running:
    """A scene while it runs: model, data and the modes of its joints."""

    model: Any
    data: Any
    control: ModeControl


def carry_over(old: Running, new: Running, as_built: Snapshot) -> None:
    """Carry state, controls and changed values of everything that is in both scenes over.

    Args:
        old: The scene that was.
        new: The scene that is to be, at its start; changed in place.
        as_built: The old model as it was built: what differs from it now was changed since.
    """
    maps = {kind: _pairs(old.model, new.model, kind) for kind in ELEMENTS}
    _carry_changes(old.model, new.model, maps, as_built)
    _carry_state(old.model, old.data, new.model, new.data, maps)
    _carry_modes(old.control.table, new.control)


def _carry_modes(old: JointTable, new: ModeControl) -> None:
    """Modes and commands; only objects change, so that the joints that take commands stay."""
    new.table.forward = None if old.forward is None else old.forward.copy()
    new.table.refusals = None if old.refusals is None else list(old.refusals)
    new.take_modes(old.mode)
    new.table.began_at[:] = old.began_at
    new.table.command[:] = old.command
    new.table.prime(old.primed)
    new.table.compare_with(old.last_controls())


def element_keys(model: Any, kind: str) -> list[tuple[Any, ...]]:
    """A key for every element of a kind that means the same in another model of the scene.

    It is the name; for an unnamed element of a body, the body's key and its place there; for other
    unnamed elements, their place among the unnamed.
    """
    if kind == "dof":
        joints = element_keys(model, "jnt")
        return [
            (*joints[j], int(dof) - int(model.jnt_dofadr[j]))
            for dof, j in enumerate(model.dof_jntid)
        ]
    if kind == "qpos":
        joints = element_keys(model, "jnt")
        counts = _NQ[model.jnt_type]
        return [(*key, k) for key, n in zip(joints, counts, strict=True) for k in range(n)]
    count = getattr(model, ELEMENTS[kind])
    names = [mujoco.mj_id2name(model, _OBJECTS[kind], i) for i in range(count)]
    if all(names):
        return [(n,) for n in names]
    if kind == "body":
        keys: list[tuple[Any, ...]] = []
        children: dict[int, int] = {}
        for i, name in enumerate(names):
            parent = int(model.body_parentid[i])
            place = children[parent] = children.get(parent, -1) + 1
            keys.append((name,) if name else (*keys[parent], place))
        return keys
    bodies = getattr(model, f"{kind}_bodyid", None)
    body_keys = element_keys(model, "body") if bodies is not None else None
    seen: dict[Any, int] = {}
    keys = []
    for i, name in enumerate(names):
        owner = body_keys[int(bodies[i])] if bodies is not None and body_keys else ()
        if kind == "eq" and not name:
            owner = _equality_ends(model, i)
        place = seen[owner] = seen.get(owner, -1) + 1 if not name else seen.get(owner, -1)
        keys.append((name,) if name else (*owner, "#", place))
    return keys


def _equality_ends(model: Any, i: int) -> tuple[Any, ...]:
    """What an equality ties, by name: of unnamed ones it tells one from another."""
    kinds = {
        int(mujoco.mjtEq.mjEQ_JOINT): mujoco.mjtObj.mjOBJ_JOINT,
        int(mujoco.mjtEq.mjEQ_TENDON): mujoco.mjtObj.mjOBJ_TENDON,
    }
    kind = kinds.get(int(model.eq_type[i]), int(model.eq_objtype[i]))
    ends = (int(model.eq_obj1id[i]), int(model.eq_obj2id[i]))
    return tuple(mujoco.mj_id2name(model, kind, end) or end for end in ends)


def _pairs(old: Any, new: Any, kind: str) -> tuple[Ints, Ints]:
    """Ids in the old and new model of the elements that are in both."""
    ids = {key: i for i, key in enumerate(element_keys(new, kind))}
    found = [(i, ids[key]) for i, key in enumerate(element_keys(old, kind)) if key in ids]
    pairs = np.array(found, dtype=np.intp).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _carry_changes(
    old: Any, new: Any, maps: dict[str, tuple[Ints, Ints]], as_built: Snapshot
) -> None:
    for name, (kind, rows) in as_built.changes(old).items():
        source, target = maps[kind]
        kept = np.isin(source, rows)
        getattr(new, name)[target[kept]] = getattr(old, name)[source[kept]]
    # The world's is a sum over the whole scene.
    children = np.flatnonzero(new.body_parentid == 0)[1:]
    new.body_subtreemass[0] = new.body_mass[0] + new.body_subtreemass[children].sum()
    for (group, name), value in as_built.changed_visual(old).items():
        part = getattr(new.vis, group)
        if isinstance(value, np.ndarray):
            getattr(part, name)[:] = value
        else:
            setattr(part, name, value)
    for name, value in as_built.changed_options(old).items():
        if isinstance(value, np.ndarray):
            getattr(new.opt, name)[:] = value
        else:
            setattr(new.opt, name, value)


def _runs(starts: Iterable[Any], counts: Iterable[Any]) -> Ints:
    runs = [
        np.arange(int(s), int(s) + int(c)) for s, c in zip(starts, counts, strict=True) if c > 0
    ]
    return np.concatenate(runs).astype(np.intp) if runs else np.zeros(0, dtype=np.intp)


def _carry_state(
    old: Any, old_data: Any, new: Any, new_data: Any, maps: dict[str, tuple[Ints, Ints]]
) -> None:
    new_data.time = old_data.time
    a, b = maps["jnt"]
    counts = _NQ[old.jnt_type[a]]
    new_data.qpos[_runs(new.jnt_qposadr[b], counts)] = old_data.qpos[
        _runs(old.jnt_qposadr[a], counts)
    ]
    a, b = maps["dof"]
    for field in ("qvel", "qacc_warmstart", "qfrc_applied"):
        getattr(new_data, field)[b] = getattr(old_data, field)[a]
    a, b = maps["body"]
    new_data.xfrc_applied[b] = old_data.xfrc_applied[a]
    mocap = (old.body_mocapid[a] >= 0) & (new.body_mocapid[b] >= 0)
    source, target = old.body_mocapid[a[mocap]], new.body_mocapid[b[mocap]]
    new_data.mocap_pos[target] = old_data.mocap_pos[source]
    new_data.mocap_quat[target] = old_data.mocap_quat[source]
    a, b = maps["actuator"]
    for field in ("ctrl", "act"):
        adr, num = f"actuator_{field}adr", f"actuator_{field}num"
        counts = getattr(old, num)[a]
        getattr(new_data, field)[_runs(getattr(new, adr)[b], counts)] = getattr(old_data, field)[
            _runs(getattr(old, adr)[a], counts)
        ]
    a, b = maps["eq"]
    new_data.eq_active[b] = old_data.eq_active[a]
    size = min(old.nuserdata, new.nuserdata)
    new_data.userdata[:size] = old_data.userdata[:size]
    _carry_buffers(old, old_data, new, new_data, maps)


def _carry_buffers(
    old: Any, old_data: Any, new: Any, new_data: Any, maps: dict[str, tuple[Ints, Ints]]
) -> None:
    """Buffers that elements have an address in: delays, plastic springs, plugins."""
    buffers = {
        "history": ("actuator_historyadr", "sensor_historyadr"),
        "plastic": ("jnt_plasticadr", "tendon_plasticadr", "flex_plasticadr"),
    }
    for buffer, fields in buffers.items():
        total = getattr(old, f"n{buffer}")
        if not total:
            continue
        starts = np.sort(np.concatenate([getattr(old, f)[getattr(old, f) >= 0] for f in fields]))
        ends = dict(zip(starts.tolist(), [*starts[1:].tolist(), total], strict=True))
        for field in fields:
            kind = field.split("_", 1)[0]
            if kind not in maps:
                continue
            for i, k in zip(*maps[kind], strict=True):
                at, to = int(getattr(old, field)[i]), int(getattr(new, field)[k])
                if at >= 0 and to >= 0:
                    size = ends[at] - at
                    getattr(new_data, buffer)[to : to + size] = getattr(old_data, buffer)[
                        at : at + size
                    ]
    if old.nplugin and old.npluginstate:
        names = {mujoco.mj_id2name(new, _PLUGIN, i): i for i in range(new.nplugin)}
        for i in range(old.nplugin):
            k = names.get(mujoco.mj_id2name(old, _PLUGIN, i))
            if k is not None:
                at, to = int(old.plugin_stateadr[i]), int(new.plugin_stateadr[k])
                size = int(old.plugin_statenum[i])
                new_data.plugin_state[to : to + size] = old_data.plugin_state[at : at + size]


_PLUGIN = mujoco.mjtObj.mjOBJ_PLUGIN
