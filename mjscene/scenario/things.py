"""What a name stands for in a scene: places, and geoms to touch with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mjscene.scene import Scene

__all__ = ["geoms_of", "place_of"]


def place_of(scene: Scene, name: str) -> tuple[str | None, int]:
    """Whether a name is that of a body or a site, and its id."""
    body = int(mujoco.mj_name2id(scene.model, mujoco.mjtObj.mjOBJ_BODY, name))
    if body >= 0:
        return "body", body
    site = int(mujoco.mj_name2id(scene.model, mujoco.mjtObj.mjOBJ_SITE, name))
    return ("site", site) if site >= 0 else (None, -1)


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
