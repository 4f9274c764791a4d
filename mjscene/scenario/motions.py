"""Motions that an action begins and that are written step by step: minimum-jerk ramps.

The polynomial of Flash and Hogan (1985, doi:10.1523/JNEUROSCI.05-07-01688.1985), eq. 14: from rest
to rest with s(0) = 0, s(1) = 1 and zero velocity and acceleration at both ends,

    s(x) = 10 x³ - 15 x⁴ + 6 x⁵

Its greatest velocity is 15/8 of the mean one, its greatest acceleration 10/√3 of distance/time².
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mjscene.geometry import Pose

if TYPE_CHECKING:
    from mjscene.scenario.run import Run

__all__ = ["CommandMotion", "Motion", "PoseMotion", "ValueMotion", "minimum_jerk"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


def minimum_jerk(x: float) -> float:
    """The part of the way after a part ``x`` of the time, both within 0 and 1."""
    x = min(1.0, max(0.0, x))
    return x**3 * (10.0 - 15.0 * x + 6.0 * x**2)


class Motion(ABC):
    """A motion over a number of steps; its last step writes the goal itself.

    Args:
        key: What it moves; another motion of the same takes its place.
        steps: Number of steps.
        rows: The joints that it moves; a stop of one of them ends it.
    """

    def __init__(self, key: object, steps: int, rows: Ints | None = None) -> None:
        self.key = key
        self.rows = np.zeros(0, dtype=np.intp) if rows is None else rows
        self._steps, self._done = steps, 0

    def advance(self, run: Run) -> bool:
        """Write what holds at the end of the step to come; whether more follows."""
        self._done += 1
        self.write(
            run, 1.0 if self._done >= self._steps else minimum_jerk(self._done / self._steps)
        )
        return self._done < self._steps

    def drop(self, rows: Ints) -> bool:
        """Leave some joints alone from now on; whether any is left to move."""
        return not np.isin(self.rows, rows).any()

    @abstractmethod
    def write(self, run: Run, part: float) -> None:
        """Write the value after a part of the way."""


class CommandMotion(Motion):
    """Commands of joints, in the units of their modes.

    Args:
        rows: The joints (k,).
        start: Their commands now (k,).
        goal: Their commands at the end (k,).
        steps: Number of steps.
    """

    def __init__(self, rows: Ints, start: Array, goal: Array, steps: int) -> None:
        super().__init__(None, steps, rows)
        self._start, self._goal = start, goal

    def drop(self, rows: Ints) -> bool:
        """Leave some joints alone from now on; whether any is left."""
        left = ~np.isin(self.rows, rows)
        self.rows, self._start, self._goal = (
            self.rows[left],
            self._start[left],
            self._goal[left],
        )
        return bool(left.any())

    def write(self, run: Run, part: float) -> None:
        """Write the commands."""
        way = self._goal if part >= 1.0 else self._start + part * (self._goal - self._start)
        run.scene.control.table.command[self.rows] = way


class ValueMotion(Motion):
    """Numbers that a function takes: a reference, a control."""

    def __init__(
        self,
        key: object,
        start: Sequence[float] | Array,
        goal: Sequence[float] | Array,
        steps: int,
        put: Callable[[Array], None],
        rows: Ints | None = None,
    ) -> None:
        super().__init__(key, steps, rows)
        self._start, self._goal = np.asarray(start, float), np.asarray(goal, float)
        self._write = put

    def write(self, run: Run, part: float) -> None:
        """Hand them over."""
        way = self._goal if part >= 1.0 else self._start + part * (self._goal - self._start)
        self._write(way)


class PoseMotion(Motion):
    """A pose that a function takes: along a line, and turned about one axis."""

    def __init__(
        self,
        key: object,
        start: Pose,
        goal: Pose,
        steps: int,
        put: Callable[[Pose], None],
        rows: Ints | None = None,
    ) -> None:
        super().__init__(key, steps, rows)
        self._start, self._goal, self._write = start, goal, put

    def write(self, run: Run, part: float) -> None:
        """Hand it over."""
        if part >= 1.0:
            self._write(self._goal)
            return
        a, b = np.array(self._start.position), np.array(self._goal.position)
        position = a + part * (b - a)
        orientation = slerp(
            np.array(self._start.orientation), np.array(self._goal.orientation), part
        )
        self._write(Pose(position=tuple(position), orientation=tuple(orientation)))


def slerp(first: Array, last: Array, part: float) -> Array:
    """The quaternion a part of the shorter way between two unit quaternions (4,)."""
    cosine = float(first @ last)
    if cosine < 0.0:
        last, cosine = -last, -cosine
    angle = float(np.arccos(min(1.0, cosine)))
    if angle < 1e-6:  # the sine would be lost in rounding, and a line is as good
        mixed = (1.0 - part) * first + part * last
    else:
        mixed = np.sin((1.0 - part) * angle) * first + np.sin(part * angle) * last
    return np.asarray(mixed / np.linalg.norm(mixed))
