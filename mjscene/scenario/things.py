"""What a name stands for in a scene: places, and geoms to touch with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.errors import CommandError
from mjscene.scenario.lookup import has_name

if TYPE_CHECKING:
    from mjscene.scene import Scene

__all__ = ["geoms_of", "is_gone", "must_place", "place_of", "unit_of"]


def place_of(scene: Scene, name: str) -> tuple[str | None, int]:
    """Whether a name is that of a body or a site, and its id."""
    body = int(mujoco.mj_name2id(scene.model, mujoco.mjtObj.mjOBJ_BODY, name))
    if body >= 0:
        return "body", body
    site = int(mujoco.mj_name2id(scene.model, mujoco.mjtObj.mjOBJ_SITE, name))
    return ("site", site) if site >= 0 else (None, -1)


def must_place(scene: Scene, name: str) -> tuple[str, int]:
    """As ``place_of``, of a name that the scene has now.

    Raises:
        CommandError: It has none; an id of -1 would be that of the last site.
    """
    kind, what = place_of(scene, name)
    if kind is None:
        raise CommandError(f"there is no body or site {name!r} now", given=name)
    return kind, what


def geoms_of(scene: Scene, name: str) -> NDArray[np.bool_] | None:
    """Which geoms (ngeom,) a robot, a body with all below it, or a geom has.

    Of the world only its own. None if nothing has the name.
    """
    model = scene.model
    handle = dict(scene.all_handles()).get(name)
    body = int(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name))
    if handle is not None:
        body = handle.base_body_id
    if body >= 0:
        inside = np.zeros(model.nbody, dtype=bool)
        inside[body] = True
        for b in range(body + 1, model.nbody if body else 0):  # the world is only itself
            inside[b] |= inside[model.body_parentid[b]]
        return np.asarray(inside[model.geom_bodyid])
    geom = int(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, name))
    if geom < 0:
        return None
    mask = np.zeros(model.ngeom, dtype=bool)
    mask[geom] = True
    return mask


def is_gone(scene: Scene, key: Any) -> bool:
    """Whether a key of what lasts, a kind and a name, is of a body or actuator that has gone."""
    kinds = {
        "pose": mujoco.mjtObj.mjOBJ_BODY,
        "wrench": mujoco.mjtObj.mjOBJ_BODY,
        "set": mujoco.mjtObj.mjOBJ_ACTUATOR,
    }
    if not isinstance(key, tuple) or key[0] not in kinds:
        return False
    return not has_name(scene.model, kinds[key[0]], key[1]) and key[1] not in scene.robots


def unit_of(model: Any, joint: int, quantity: str) -> str:
    """The unit of the position, velocity or effort of a hinge or slide joint."""
    hinge = model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_HINGE
    units = {"position": ("m", "rad"), "velocity": ("m/s", "rad/s"), "effort": ("N", "N·m")}
    return units[quantity][int(hinge)]
