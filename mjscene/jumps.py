"""Jumps of effort that a switch of modes cannot avoid: they are beyond the new mode's limits."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.callers import callers_level
from mjscene.errors import MjsceneWarning
from mjscene.gravcomp import by_drives
from mjscene.spec import CtrlMode

if TYPE_CHECKING:
    from mjscene.control import ModeControl

__all__ = ["at_joints", "note_jumps", "warn_jumps"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
_SLIDE = int(mujoco.mjtJoint.mjJNT_SLIDE)
_ROUNDED = 1e-9  # of the larger effort, or [N·m or N]


def at_joints(modes: ModeControl, rows: Ints, effort: Array) -> Array:
    """What efforts of drives (n,) are at their joints: gravity compensation added, and limited."""
    model, table = modes.model, modes.table
    joints, dofs = table.joint_ids[rows], table.dof_adr[rows]
    total = effort + by_drives(model, modes.data, dofs)
    within = np.clip(total, *model.jnt_actfrcrange[joints].T)
    return np.asarray(np.where(model.jnt_actfrclimited[joints] != 0, within, total))


def note_jumps(modes: ModeControl, rows: Ints, column: int, before: Array, after: Array) -> None:
    """Take note of joints whose effort jumps in a switch that was to be without a jump.

    They are told by ``warn_jumps`` when all is done: a warning may be raised as an error.

    Args:
        modes: The scene's modes.
        rows: The joints (n,).
        column: Their new mode, -1 for the drive of their file.
        before: The efforts at the joints before it (n,) [N·m or N].
        after: Those after it (n,).
    """
    apart = np.abs(after - before)
    beyond = apart > _ROUNDED * np.maximum(np.maximum(np.abs(before), np.abs(after)), 1.0)
    if not beyond.any():
        return
    k = int(np.argmax(np.where(beyond, apart, 0.0)))
    others = int(beyond.sum()) - 1
    slides = modes.model.jnt_type[modes.table.joint_ids[rows[k]]] == _SLIDE
    mode = CtrlMode(column).name if column >= 0 else "the drive of its file"
    modes.jumped.append(
        f"the effort of joint {modes.table.names[rows[k]]!r} jumps from {before[k]:.6g} to "
        f"{after[k]:.6g} {'N' if slides else 'N·m'}: {mode} cannot give the former within its "
        f"limits here{f'; so do those of {others} more' if others else ''}"
    )


def warn_jumps(modes: ModeControl) -> None:
    """Warn of the jumps that were noted."""
    noted, modes.jumped[:] = list(modes.jumped), []
    for text in noted:
        warnings.warn(text, MjsceneWarning, stacklevel=callers_level())
