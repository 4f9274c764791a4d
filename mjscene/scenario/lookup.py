"""Names looked up in a model, with what is near to those that it lacks."""

from __future__ import annotations

from typing import Any

import mujoco

from mjscene.errors import SpecError, close_matches

__all__ = ["find_id", "has_name", "names_of"]


def has_name(model: Any, kind: Any, name: str) -> bool:
    """Whether a model has an element of a kind and name."""
    return int(mujoco.mj_name2id(model, kind, name)) >= 0


def find_id(model: Any, kind: Any, name: str, what: str, field: str) -> int:
    """The id of an element.

    Raises:
        SpecError: There is none.
    """
    found = int(mujoco.mj_name2id(model, kind, name))
    if found < 0:
        names = names_of(model, kind)
        raise SpecError(
            f"there is no {what} {name!r}",
            where=field,
            given=name,
            close=close_matches(name, names),
            allowed=names,
        )
    return found


def names_of(model: Any, kind: Any) -> list[str]:
    """The names of all elements of a kind, in the model's order."""
    obj = mujoco.mjtObj
    count = {
        obj.mjOBJ_BODY: model.nbody,
        obj.mjOBJ_JOINT: model.njnt,
        obj.mjOBJ_SENSOR: model.nsensor,
        obj.mjOBJ_SITE: model.nsite,
        obj.mjOBJ_GEOM: model.ngeom,
        obj.mjOBJ_KEY: model.nkey,
    }[kind]
    return [n for i in range(count) if (n := mujoco.mj_id2name(model, kind, i))]
