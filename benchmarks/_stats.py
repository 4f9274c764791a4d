"""Numbers out of repeated timings: median, spread, and the ratio of two interleaved series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Comparison", "Spread", "compare", "noise", "spread"]


@dataclass(frozen=True)
class Spread:
    """Median and quartiles of a series, in its own unit."""

    median: float
    low: float
    high: float
    least: float
    count: int


@dataclass(frozen=True)
class Comparison:
    """How much longer one series takes than another, both measured in turns.

    Attributes:
        ratio: Ratio of the medians.
        pairs: Of the ratios of the two values measured in one turn. A slow machine slows both
            values of a pair, so that this shows more of the programs and less of the machine.
    """

    ratio: float
    pairs: Spread


def spread(values: Sequence[float]) -> Spread:
    """Median, quartiles (linear interpolation), least value and length of a series.

    Raises:
        ValueError: The series is empty.
    """
    if not len(values):
        raise ValueError("no values")
    low, median, high = (float(q) for q in np.percentile(values, (25, 50, 75)))
    return Spread(median, low, high, float(min(values)), len(values))


def compare(values: Sequence[float], base: Sequence[float]) -> Comparison:
    """Compare a series with a base; the k-th values of both were measured in the k-th turn.

    Raises:
        ValueError: They are empty or of different length.
    """
    pairs = [value / other for value, other in zip(values, base, strict=True)]
    return Comparison(spread(values).median / spread(base).median, spread(pairs))


def noise(values: Sequence[float]) -> float:
    """What the ratio of medians comes to between two halves of one series; ideally 1.

    The halves are the even and the odd turns: a ratio of two programs that is nearer to 1 than
    this says nothing.

    Raises:
        ValueError: There are fewer than two values.
    """
    return spread(values[1::2]).median / spread(values[::2]).median
