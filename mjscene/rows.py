"""Rows of the joint table, by the names of joints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import ModeError, close_matches, shown

if TYPE_CHECKING:
    from mjscene.robot import Robot

__all__ = ["find_rows"]

Ints = NDArray[np.intp]


def find_rows(handle: Robot, joints: Any, where: str = "set_control_mode.joints") -> Ints:
    """Rows of named joints, in the order of the names: the scene's or the file's own."""
    if isinstance(joints, str):
        raise ModeError(
            f"expected a sequence of joint names, got the string {joints!r}",
            where=where,
            given=joints,
            hint=f"write [{joints!r}]",
        )
    if not isinstance(joints, Iterable):
        raise ModeError(
            f"expected a sequence of joint names, got {joints!r}",
            where=where,
            given=joints,
        )
    rows = [_row_of(handle, name, where) for name in joints]
    if len(set(rows)) != len(rows):
        raise ModeError("a joint is named twice", where=where, given=tuple(joints))
    return np.array(rows, dtype=np.intp)


def _row_of(handle: Robot, joint: Any, where: str) -> int:
    """The row of a joint, by the scene's or the file's own name."""
    names = handle.joint_names
    if not isinstance(joint, str):
        raise ModeError(
            f"expected a joint's name, got {shown(joint)}", where=where, given=joint, allowed=names
        )
    owners = handle.owners
    asked = [joint, *(o.scene_name("joint", joint) for o in owners)]
    for full in asked:
        if full in names:
            return int(handle.rows.start) + names.index(str(full))
    passive = any(full in o.names.get("joint", ()) for o in owners for full in asked)
    hint = f"it is a joint without a drive: name it in a CtrlModeSpec(joints=[{joint!r}])"
    raise ModeError(
        f"{handle.title} has no joint {joint!r} that takes commands",
        where=where,
        given=joint,
        close=close_matches(joint, names),
        allowed=names,
        element=joint,
        hint=hint if passive else None,
    )
