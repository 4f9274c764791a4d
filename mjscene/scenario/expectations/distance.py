"""The distance between two bodies or sites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mjscene.scenario.base import (
    Expectation,
    Miss,
    Probe,
    Value,
    check_pair,
    check_value,
    excess,
    said_value,
)
from mjscene.scenario.expectations.body import point_of
from mjscene.scenario.tolerance import check_tolerance
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["Distance"]


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class Distance(Expectation):
    """The origins of two bodies or sites are so far apart.

    Args:
        between: Two bodies or sites.
        value: The distance [m], or its bounds.
        tolerance: Of a number [m]; by default 0.001 m.
    """

    between: tuple[str, str]
    value: Value
    tolerance: float | None = None

    word: ClassVar[str] = "distance"

    def _check_fields(self) -> None:
        self._put("between", check_pair)
        self._put("value", check_value)
        self._put("tolerance", check_tolerance, [self.value])

    @property
    def _tolerance(self) -> float:
        return 1e-3 if self.tolerance is None else self.tolerance

    def bodies(self) -> tuple[str, ...]:
        """Both."""
        return self.between

    def check(self, stage: Stage) -> None:
        """Look both up."""
        for k, name in enumerate(self.between):
            stage.place(name, f"between[{k}]")

    def said(self, stage: Stage) -> str:
        """What is expected."""
        first, last = self.between
        return f"distance of {first!r} and {last!r} {said_value(self.value, self._tolerance, 'm')}"

    def bind(self, run: Run) -> Probe:
        """Measure it."""
        first, last = (point_of(run, name) for name in self.between)

        def look() -> Miss | None:
            seen = float(np.linalg.norm(first - last))
            beyond = excess(seen, self.value, self._tolerance)
            return None if beyond <= 0 else Miss(f"{seen:.6g} m", beyond)

        return look
