"""Which body of a robot is its base."""

from __future__ import annotations

from collections import Counter
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["base_id_of", "base_of", "free_joint_of"]


def base_of(model: Any, bodies: tuple[str, ...]) -> str:
    """The base of an owner: the first body of the largest tree of its file, mocap bodies apart.

    Bodies without names count with the tree they are in; an owner that has no named body stands for
    the world.
    """
    root: dict[int, int] = {}
    for body in sorted(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, n) for n in bodies if n):
        parent = int(model.body_parentid[body])
        while parent > 0 and parent not in root and not model.body(parent).name:
            parent = int(model.body_parentid[parent])
        root[body] = root.get(parent, body)
    sizes = Counter(r for r in root.values() if model.body_mocapid[r] < 0)
    if not sizes:
        return bodies[0] if bodies else "world"
    return str(model.body(max(sizes, key=lambda r: (sizes[r], -r))).name)


def base_id_of(model: Any, bodies: tuple[str, ...], joints: NDArray[np.intp]) -> int:
    """The id of an owner's base, which need not have a name; 0 (the world) if there is none.

    Args:
        model: The compiled scene.
        bodies: The scene's names of the owner's bodies.
        joints: Ids of its joints (n,).
    """
    name = base_of(model, bodies)
    if name not in ("", "world"):
        return int(model.body(name).id)
    inside = [int(model.body(n).id) for n in bodies if n]
    inside += [int(b) for b in model.jnt_bodyid[joints]]
    body = min(inside, default=0)
    while body and model.body_parentid[body] and not model.body(model.body_parentid[body]).name:
        body = int(model.body_parentid[body])
    return body


def free_joint_of(model: Any, body: int) -> str | None:
    """The name of a body's free joint; None if it has none."""
    first = int(model.body_jntadr[body])
    if first < 0 or model.jnt_type[first] != mujoco.mjtJoint.mjJNT_FREE:
        return None
    return str(model.joint(first).name)
