"""Gains of the acting drives: they are the actuators' own parameters.

In joint space the law of a drive is effort = ku u + k0 + kq q + kv v (see ``mjscene.laws``): its
position gain is -kq and its velocity gain -kv. A new position gain scales gain and bias alike, so
that the command keeps its meaning. What is set stays through resets, restored states and changes
of objects, as everything that is changed in ``model``.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.control import ModeControl
from mjscene.errors import ModeError
from mjscene.geometry import as_numbers
from mjscene.spec import CtrlMode

__all__ = ["position_gain", "set_position_gain", "set_velocity_gain", "velocity_gain"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
_PID = int(mujoco.mjtGain.mjGAIN_PID)


def _acting(control: ModeControl, rows: Ints) -> tuple[Ints, Ints]:
    """Rows and modes of joints; the mode is 0 where there is none."""
    mode = control.table.mode[rows]
    return mode, np.where(mode >= 0, mode, 0)


def position_gain(control: ModeControl, rows: Ints) -> Array:
    """The acting drives' position gains (k,) [N·m/rad or N/m]; 0 outside POSITION."""
    control.refresh()
    mode, column = _acting(control, rows)
    return np.where(mode == CtrlMode.POSITION, -control.table.laws.kq[rows, column], 0.0)


def velocity_gain(control: ModeControl, rows: Ints) -> Array:
    """The acting drives' velocity gains (k,) [N·m·s/rad or N·s/m]; 0 where they have none."""
    control.refresh()
    mode, column = _acting(control, rows)
    return np.where(mode >= 0, -control.table.laws.kv[rows, column], 0.0)


def set_position_gain(control: ModeControl, rows: Ints, value: Any) -> None:
    """Set the position gains of joints in POSITION.

    Args:
        control: The modes.
        rows: The joints (k,).
        value: One number > 0, or one per joint (k,) [N·m/rad or N/m].

    Raises:
        ModeError: A joint is not in POSITION, or a number is none; nothing has changed.
    """
    gains = _checked(control, rows, value, "position_gain", above=True)
    _refuse_others(control, rows, (CtrlMode.POSITION,), "position_gain")
    factors = gains / position_gain(control, rows)
    model = control.model
    for a, factor in zip(_actuators(control, rows), factors.tolist(), strict=True):
        if model.actuator_gaintype[a] != _PID:  # a pid's gain is -b1 by itself
            model.actuator_gainprm[a, 0] *= factor
        model.actuator_biasprm[a, :2] *= factor
    control.refresh()


def set_velocity_gain(control: ModeControl, rows: Ints, value: Any) -> None:
    """Set the velocity gains of joints in POSITION (>= 0) or VELOCITY (> 0).

    Args:
        control: The modes.
        rows: The joints (k,).
        value: One number, or one per joint (k,) [N·m·s/rad or N·s/m].

    Raises:
        ModeError: A joint is in another mode, or a number is none; nothing has changed.
    """
    mode = control.table.mode[rows]
    gains = _checked(control, rows, value, "velocity_gain", above=mode == CtrlMode.VELOCITY)
    _refuse_others(control, rows, (CtrlMode.POSITION, CtrlMode.VELOCITY), "velocity_gain")
    model = control.model
    laws = control.table.laws
    for k, a in enumerate(_actuators(control, rows)):
        row, column = int(rows[k]), int(mode[k])
        if column == CtrlMode.VELOCITY:
            factor = gains[k] / -laws.kv[row, column]
            model.actuator_gainprm[a, 0] *= factor
            model.actuator_biasprm[a, :3] *= factor
        else:
            gear = float(model.actuator_gear[model.actuator_outadr[a], 0])
            model.actuator_biasprm[a, 2] = -gains[k] / gear**2
    control.refresh()


def _actuators(control: ModeControl, rows: Ints) -> list[int]:
    """The acting actuators of rows."""
    table = control.table
    ids: list[int] = table.actuators[rows, table.mode[rows]].tolist()
    return ids


def _checked(control: ModeControl, rows: Ints, value: Any, what: str, above: Any) -> Array:
    names = [control.table.names[r] for r in rows]
    numbers = np.atleast_1d(as_numbers(value, what, ModeError))
    if numbers.size not in (1, len(rows)) or numbers.ndim != 1:
        raise ModeError(
            f"expected one number or one per joint ({len(rows)}), got {numbers.size}",
            where=what,
            given=value,
            allowed=names,
        )
    gains = np.broadcast_to(numbers, len(rows)).astype(float)
    bad = ~np.isfinite(gains) | (gains < 0) | (np.asarray(above) & (gains == 0))
    if bad.any():
        k = int(np.flatnonzero(bad)[0])
        raise ModeError(
            f"the gain of {names[k]!r} cannot be {gains[k]:g}",
            where=f"{what}[{k}]",
            given=value,
            element=names[k],
        )
    return gains


def _refuse_others(
    control: ModeControl, rows: Ints, modes: tuple[CtrlMode, ...], what: str
) -> None:
    now = control.table.mode[rows]
    wrong = np.flatnonzero(~np.isin(now, [int(m) for m in modes]))
    if len(wrong):
        row = int(rows[wrong[0]])
        name, mode = control.table.names[row], int(now[wrong[0]])
        raise ModeError(
            f"joint {name!r} is in {CtrlMode(mode).name if mode >= 0 else 'no mode'}, which has no "
            f"{what.replace('_', ' ')}",
            where=what,
            element=name,
            allowed=[m.name for m in modes],
        )
