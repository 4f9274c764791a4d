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
    """The laws of some rows' actuators, and which of their terms matter.

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
        self.gain = np.where(self.ku == 0.0, np.inf, self.ku)  # nothing makes a limp drive act
        self.has_constant = bool(self.k0.any())
        self.plain = bool((self.scale == 1.0).all() and not self.offset.any())

    def effort(self, control: Array, q: Any, v: Any) -> Array:
        """The effort of a control (n,) at a state, without limits."""
        effort: Array = control if self.unit else self.ku * control
        if not self.source_only:
            if self.has_constant:
                effort = effort + self.k0
            effort = effort + self.kq * q + self.kv * v
        return effort

    def control(self, effort: Array, q: Any, v: Any) -> Array:
        """The control (n,) that gives an effort at a state, without limits."""
        control = effort
        if not self.source_only:
            if self.has_constant:
                control = control - self.k0
            control = control - self.kq * q - self.kv * v
        return control if self.unit else control / self.gain

    def solve(self, effort: Array, q: Array, v: Array) -> Array:
        """The control (n,) that gives an effort at a state, within the limits."""
        return self.clamp(self.control(_within(effort, (self.low, self.high)), q, v))

    def limited(self, control: Array, q: Any, v: Any) -> Array:
        """The effort of a control (n,) at a state, within the limits."""
        return _within(self.effort(self.clamp(control), q, v), (self.low, self.high))

    def clamp(self, control: Array) -> Array:
        """A control (n,) within its range."""
        return _within(control, (self.ulow, self.uhigh))

    def command(self, control: Array) -> Array:
        """The command (n,) that a control stands for."""
        return control if self.plain else (control - self.offset) / self.scale


class Passage:
    """From the control under one law to the one under another that gives the same effort.

    Limits that follow one another act as one, which is worked out here.

    Attributes:
        needs_state: Whether positions and velocities matter.
        is_limited: Whether limits, of either law, have changed the last control or effort.
    """

    def __init__(self, before: Law, after: Law) -> None:
        self.before, self.after = before, after
        self.needs_state = not (before.source_only and after.source_only)
        first: _Limits = (before.ulow, before.uhigh)
        middle = _both((before.low, before.high), (after.low, after.high))
        last: _Limits = (after.ulow, after.uhigh)
        self.starts = not (before.unit and before.source_only)
        self.ends = not (after.unit and after.source_only)
        if not self.starts:
            first, middle = _FREE, _both(first, middle)
        if not self.ends:
            middle, last = _FREE, _both(middle, last)
        self.first, self.middle, self.last = map(_if_any, (first, middle, last))
        self.is_limited = False

    def control(self, control: Array, q: Array | None, v: Array | None) -> Array:
        """The new control (n,); the state is needed if ``needs_state``."""
        if self.first is not None:
            control = _within(control, self.first)
        effort = self.before.effort(control, q, v) if self.starts else control
        self.is_limited = False
        if self.middle is not None:
            effort = self._limit(effort, self.middle)
        control = self.after.control(effort, q, v) if self.ends else effort
        if self.last is not None:
            control = self._limit(control, self.last)
        return control

    def _limit(self, numbers: Array, limits: _Limits) -> Array:
        within = _within(numbers, limits)
        if within.tobytes() != numbers.tobytes():
            self.is_limited = True
        return within

    def efforts(self, old: Array, new: Array, q: Any, v: Any) -> tuple[Array, Array]:
        """The efforts of an old and a new control (n,), as MuJoCo limits them."""
        before, after = self.before, self.after
        return before.limited(old, q, v), after.limited(new, q, v)


_Limits = tuple[Any, Any]
_FREE: _Limits = (-np.inf, np.inf)


def _within(numbers: Any, limits: _Limits) -> Array:
    within: Array = np.minimum(np.maximum(numbers, limits[0]), limits[1])
    return within


def _both(first: _Limits, then: _Limits) -> _Limits:
    """The limits that act as two, one after the other."""
    return _within(first[0], then), _within(first[1], then)


def _if_any(limits: _Limits) -> _Limits | None:
    return limits if np.isfinite(limits[0]).any() or np.isfinite(limits[1]).any() else None


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
        before: How to come from the mode that the rows are in now, by that.
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
    before: dict[int, tuple[Passage, Ints, bool]] = field(default_factory=dict)

    def uniform_mode(self) -> int:
        """The one mode that all its slots are in by their layout; -1 if there is none."""
        if not self.whole:
            return -1
        mode = self.slots[0].mode
        for slot in self.slots:
            if slot.mode != mode:
                return -1
        return mode
