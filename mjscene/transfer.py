"""The arithmetic of a switch: the effort before it, and the control that gives it after.

Laws are affine in joint space, effort = ku u + k0 + kq q + kv v (see ``mjscene.laws``). All that
does not depend on the state is worked out once per route: a set of rows and the mode they go to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjscene.groups import Slot

__all__ = ["Law", "Route", "Transfer"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


class Transfer(Enum):
    """How a switch chooses the new mode's first command."""

    BUMPLESS = "bumpless"
    """The effort right after the switch is the effort right before, within limits."""
    HOLD = "hold"
    """The measured position, zero velocity, or zero torque."""
    KEEP = "keep"
    """The command that was primed for the mode."""


class Law:
    """The laws of some rows' actuators, and which of their terms and limits matter.

    Args:
        table: ku, k0, kq, kv, low, high, ulow, uhigh, scale, offset (10, n).
    """

    def __init__(self, table: Array) -> None:
        self.table = np.ascontiguousarray(table)
        self.ku, self.k0, self.kq, self.kv = self.table[:4]
        self.low, self.high, self.ulow, self.uhigh = self.table[4:8]
        self.scale, self.offset = self.table[8:]
        self.source_only = not self.table[1:4].any()
        self.unit = bool((self.ku == 1.0).all())
        self.has_constant = bool(self.k0.any())
        self.effort_limited = bool(np.isfinite(self.table[4:6]).any())
        self.ctrl_limited = bool(np.isfinite(self.table[6:8]).any())
        self.plain = bool((self.scale == 1.0).all() and not self.offset.any())

    def effort(self, control: Array, q: Array | None, v: Array | None) -> Array:
        """The effort under a control (n,) at a state; both are needed unless ``source_only``."""
        if self.ctrl_limited:
            control = np.minimum(np.maximum(control, self.ulow), self.uhigh)
        effort: Array = control if self.unit else self.ku * control
        if q is not None and v is not None and not self.source_only:
            if self.has_constant:
                effort = effort + self.k0
            effort = effort + self.kq * q + self.kv * v
        if self.effort_limited:
            effort = np.minimum(np.maximum(effort, self.low), self.high)
        return effort

    def solve(self, effort: Array, q: Array | None, v: Array | None) -> Array:
        """The control (n,) that gives an effort at a state, within the limits."""
        if self.effort_limited:
            effort = np.minimum(np.maximum(effort, self.low), self.high)
        control = effort
        if q is not None and v is not None and not self.source_only:
            if self.has_constant:
                control = control - self.k0
            control = control - self.kq * q - self.kv * v
        if not self.unit:
            control = control / self.ku
        if self.ctrl_limited:
            control = np.minimum(np.maximum(control, self.ulow), self.uhigh)
        return control

    def clamp(self, control: Array) -> Array:
        """A control (n,) within its range."""
        return np.asarray(np.minimum(np.maximum(control, self.ulow), self.uhigh))

    def command(self, control: Array) -> Array:
        """The command (n,) that a control stands for."""
        return control if self.plain else (control - self.offset) / self.scale


@dataclass
class Route:
    """A switch of certain rows into one mode, with all that does not depend on the state.

    Attributes:
        rows: The rows: a slice where they are consecutive, else indices.
        indices: The rows as indices.
        column: The mode.
        qpos_adr, dof_adr: Where their joints are.
        ctrl_adr: The first control of each new actuator.
        actuators: The new actuators.
        law: The new laws.
        slots: The slots touched.
        whole: Whether every slot is switched as a whole.
        stateless: Whether the new actuators have no state and one input.
        before: Laws by the mode the rows are in now.
    """

    rows: Any
    indices: Ints
    column: int
    qpos_adr: Ints
    dof_adr: Ints
    ctrl_adr: Ints
    actuators: Ints
    law: Law
    slots: list[Slot]
    whole: bool
    stateless: bool
    before: dict[int, tuple[Law, Ints, bool]] = field(default_factory=dict)

    def uniform_mode(self) -> int:
        """The one mode that all its slots are in by their layout; -1 if there is none."""
        if not self.whole:
            return -1
        mode = self.slots[0].mode
        for slot in self.slots:
            if slot.mode != mode:
                return -1
        return mode
