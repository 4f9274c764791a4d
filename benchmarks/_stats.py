"""Numbers out of repeated timings: median, spread, and the ratio of two series taken in turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Comparison", "Spread", "Times", "compare", "noise", "series", "spread"]

# One build: wall and processor time [s], and pages got from the system.
Times = dict[str, float]


@dataclass(frozen=True)
class Spread:
    """Median and quartiles of a series, its least value and its length."""

    median: float
    low: float
    high: float
    least: float
    count: int


@dataclass(frozen=True)
class Comparison:
    """How much longer one way takes than another, both measured in turns.

    Attributes:
        ratio: Ratio of the medians.
        pairs: Of the ratios of the two values measured in one turn. A slow machine slows both
            values of a pair, so that this shows more of the programs and less of the machine.
        difference: Of the differences of these pairs [s].
    """

    ratio: float
    pairs: Spread
    difference: Spread


def series(times: Sequence[Times], clock: str = "wall") -> list[float]:
    """What one clock said of every build."""
    return [t[clock] for t in times]


def spread(values: Sequence[float]) -> Spread:
    """Median, quartiles (linear interpolation), least value and length of a series.

    Raises:
        ValueError: The series is empty.
    """
    if not len(values):
        raise ValueError("no values")
    low, median, high = (float(q) for q in np.percentile(values, (25, 50, 75)))
    return Spread(median, low, high, float(min(values)), len(values))


def compare(times: Sequence[Times], base: Sequence[Times], clock: str = "wall") -> Comparison:
    """Compare a way with another; the k-th builds of both were measured in the k-th turn.

    Raises:
        ValueError: They are empty or of different length.
    """
    values, others = series(times, clock), series(base, clock)
    pairs = list(zip(values, others, strict=True))
    return Comparison(
        ratio=spread(values).median / spread(others).median,
        pairs=spread([value / other for value, other in pairs]),
        difference=spread([value - other for value, other in pairs]),
    )


def noise(values: Sequence[float]) -> float:
    """The ratio of the medians of two halves of one series; without noise it is 1.

    The halves are the even and the odd turns: a ratio of two ways that is nearer to 1 than this
    says nothing.

    Raises:
        ValueError: There are fewer than two values.
    """
    return spread(values[1::2]).median / spread(values[::2]).median
