"""Jumps of effort that a switch of modes cannot avoid: they are beyond the new mode's limits."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.errors import MjsceneWarning
from mjscene.spec import CtrlMode
from mjscene.undriven import callers_level

if TYPE_CHECKING:
    from mjscene.control import ModeControl
    from mjscene.transfer import Route

__all__ = ["warn_jumps"]

Array = NDArray[np.float64]
_SLIDE = int(mujoco.mjtJoint.mjJNT_SLIDE)
_ROUNDED = 1e-9  # of the larger effort


def warn_jumps(modes: ModeControl, route: Route, before: Array, after: Array) -> None:
    """Warn of joints whose effort jumps in a switch that was to be without a jump.

    Args:
        modes: The scene's modes.
        route: The switch.
        before: The efforts before it (n,) [N·m or N].
        after: Those after it (n,).
    """
    beyond = np.abs(after - before) > _ROUNDED * np.maximum(np.abs(before), np.abs(after))
    if not beyond.any():
        return
    k = int(np.argmax(np.where(beyond, np.abs(after - before), 0.0)))
    others = int(beyond.sum()) - 1
    unit = "N" if modes.model.jnt_type[modes.table.joint_ids[route.indices[k]]] == _SLIDE else "N·m"
    name, mode = modes.table.names[route.indices[k]], CtrlMode(route.column).name
    more = f"; so do those of {others} more" if others else ""
    warnings.warn(
        f"the effort of joint {name!r} jumps from {before[k]:.6g} to {after[k]:.6g} {unit}: {mode} "
        f"cannot give the former within its limits here{more}",
        MjsceneWarning,
        stacklevel=callers_level(),
    )
