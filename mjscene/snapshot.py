"""What a model was when it was built, to tell later what a program has changed in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ELEMENTS", "Snapshot", "options_of"]

# Kinds of element: the prefix of their fields in mjModel and the field that counts them.
ELEMENTS = {
    "body": "nbody",
    "jnt": "njnt",
    "dof": "nv",
    "qpos": "nq",
    "geom": "ngeom",
    "site": "nsite",
    "cam": "ncam",
    "light": "nlight",
    "mat": "nmat",
    "pair": "npair",
    "eq": "neq",
    "tendon": "ntendon",
    "actuator": "nactuator",
    "sensor": "nsensor",
    "numeric": "nnumeric",
}
# Integers of these fields are settings, not structure.
_SETTINGS = {
    *("actuator_group", "geom_contype", "geom_conaffinity", "geom_condim", "geom_group"),
    *("geom_priority", "site_group", "eq_active0", "jnt_limited", "actuator_ctrllimited"),
    *("actuator_forcelimited", "jnt_actfrclimited", "tendon_limited", "pair_dim"),
}


def options_of(model: Any) -> dict[str, Any]:
    """The values of ``model.opt`` by name; arrays are copies."""
    opt = model.opt
    values = {name: getattr(opt, name) for name in dir(opt) if not name.startswith("_")}
    return {
        name: value.copy() if isinstance(value, np.ndarray) else value
        for name, value in values.items()
    }


_VISUAL = ("global_", "quality", "headlight", "map", "scale", "rgba")


def visual_of(model: Any) -> dict[tuple[str, str], Any]:
    """The values of ``model.vis`` by group and name; arrays are copies."""
    found = {}
    for group in _VISUAL:
        part = getattr(model.vis, group)
        for name in dir(part):
            if not name.startswith("_"):
                value = getattr(part, name)
                found[group, name] = value.copy() if isinstance(value, np.ndarray) else value
    return found


class Snapshot:
    """The values of a model that a program may change while it runs.

    Attributes:
        fields: Copies of the arrays, by field and kind of element.
        options: ``model.opt``.
    """

    def __init__(self, model: Any) -> None:
        self.fields: dict[str, tuple[str, NDArray[Any]]] = {}
        for name in _names(model):
            kind = "qpos" if name == "qpos0" else name.split("_", 1)[0]
            value = getattr(model, name)
            if isinstance(value, np.ndarray) and value.shape[:1] == (
                getattr(model, ELEMENTS[kind]),
            ):
                self.fields[name] = (kind, value.copy())
        self.options = options_of(model)
        self.visual = visual_of(model)

    def changes(self, model: Any) -> dict[str, tuple[str, NDArray[np.intp]]]:
        """Fields that differ from the snapshot: kind of element and the rows that do."""
        changed = {}
        for name, (kind, before) in self.fields.items():
            now = getattr(model, name)
            if not np.array_equal(now, before, equal_nan=before.dtype.kind == "f"):
                rows = (now != before).reshape(len(before), -1).any(axis=1)
                changed[name] = (kind, np.flatnonzero(rows))
        return changed

    def changed_visual(self, model: Any) -> dict[tuple[str, str], Any]:
        """Visual options that differ from the snapshot, with their values now."""
        return {
            name: value
            for name, value in visual_of(model).items()
            if not np.array_equal(value, self.visual[name])
        }

    def changed_options(self, model: Any) -> dict[str, Any]:
        """Options that differ from the snapshot, with their values now."""
        return {
            name: value
            for name, value in options_of(model).items()
            if not np.array_equal(value, self.options[name])
        }


def _names(model: Any) -> list[str]:
    """Fields of the model that hold one row per element and may be changed."""
    if not _FIELDS:
        for name in dir(type(model)):
            kind = name.split("_", 1)[0]
            if name == "qpos0" or ("_" in name and kind in ELEMENTS):
                value = getattr(model, name)
                if isinstance(value, np.ndarray) and (value.dtype.kind == "f" or name in _SETTINGS):
                    _FIELDS.append(name)
    return _FIELDS


_FIELDS: list[str] = []
