"""Every kind of named element in a compiled model, read through MuJoCo's own name tables."""

from __future__ import annotations

from typing import Any

import mujoco
from robot_blocks import documented_actuator_names, documented_joint_names

__all__ = ["ASSETS", "KINDS", "authored_names", "names_of"]

_OBJ = mujoco.mjtObj
# Kind: the size that counts it in mjModel, and its object type.
KINDS = {
    "body": ("nbody", _OBJ.mjOBJ_BODY),
    "joint": ("njnt", _OBJ.mjOBJ_JOINT),
    "geom": ("ngeom", _OBJ.mjOBJ_GEOM),
    "site": ("nsite", _OBJ.mjOBJ_SITE),
    "camera": ("ncam", _OBJ.mjOBJ_CAMERA),
    "light": ("nlight", _OBJ.mjOBJ_LIGHT),
    "flex": ("nflex", _OBJ.mjOBJ_FLEX),
    "mesh": ("nmesh", _OBJ.mjOBJ_MESH),
    "skin": ("nskin", _OBJ.mjOBJ_SKIN),
    "hfield": ("nhfield", _OBJ.mjOBJ_HFIELD),
    "texture": ("ntex", _OBJ.mjOBJ_TEXTURE),
    "material": ("nmat", _OBJ.mjOBJ_MATERIAL),
    "pair": ("npair", _OBJ.mjOBJ_PAIR),
    "exclude": ("nexclude", _OBJ.mjOBJ_EXCLUDE),
    "equality": ("neq", _OBJ.mjOBJ_EQUALITY),
    "tendon": ("ntendon", _OBJ.mjOBJ_TENDON),
    "actuator": ("nactuator", _OBJ.mjOBJ_ACTUATOR),
    "sensor": ("nsensor", _OBJ.mjOBJ_SENSOR),
    "numeric": ("nnumeric", _OBJ.mjOBJ_NUMERIC),
    "text": ("ntext", _OBJ.mjOBJ_TEXT),
    "tuple": ("ntuple", _OBJ.mjOBJ_TUPLE),
    "key": ("nkey", _OBJ.mjOBJ_KEY),
    "plugin": ("nplugin", _OBJ.mjOBJ_PLUGIN),
}
# Kinds of which equal elements are merged into one.
ASSETS = ("mesh", "texture")


def names_of(model: Any, kind: str) -> list[str]:
    """The names of all elements of a kind in model order, empty for unnamed ones, no world."""
    size, obj = KINDS[kind]
    first = 1 if kind == "body" else 0
    return [mujoco.mj_id2name(model, obj, i) or "" for i in range(first, getattr(model, size))]


def authored_names(alone: Any, kind: str) -> list[str]:
    """What mjscene calls the elements of a file: as it does, joints and actuators always named."""
    if kind == "joint":
        return documented_joint_names(alone)
    return documented_actuator_names(alone) if kind == "actuator" else names_of(alone, kind)
