"""How far something has moved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mjscene.errors import SpecError
from mjscene.scenario.base import (
    Expectation,
    Miss,
    Probe,
    Value,
    check_value,
    excess,
    said_value,
)
from mjscene.scenario.expectations.body import point_of
from mjscene.scenario.tolerance import check_tolerance
from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["Moved"]


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class Moved(Expectation):
    """A body or site, or the robot's joint that moved most, has moved so far since a time.

    Args:
        body: The body or site.
        robot: A robot, whose joints are looked at.
        by: The distance from where it was [m; of joints rad or m], or its bounds.
        after: The time from which on it counts [s].
        tolerance: Of a number [m; of joints rad or m]; by default 0.001.
    """

    body: str | None = None
    robot: str | None = None
    by: Value
    after: float = 0.0
    tolerance: float | None = None

    word: ClassVar[str] = "moved"

    def _check_fields(self) -> None:
        self._put(self._one_of("body", "robot"), checks.name)
        self._put("by", check_value)
        self._put("after", checks.number, at_least=0)
        self._put("tolerance", check_tolerance, [self.by])

    def looks_from(self) -> float | None:
        """When it counts from."""
        return self.after

    @property
    def _tolerance(self) -> float:
        return 1e-3 if self.tolerance is None else self.tolerance

    def bodies(self) -> tuple[str, ...]:
        """The body."""
        return () if self.body is None else (self.body,)

    def check(self, stage: Stage) -> None:
        """Look it up, and whether it is there when it counts from."""
        start = stage.step_of(self.after, "after")
        if stage.now[0][0] < start:
            raise SpecError(
                f"it is looked at before it counts, from {self.after:g} s on", where="after"
            )
        with stage.since(start):
            if self.body is not None:
                stage.place(self.body, "body")
            else:
                stage.some_rows(str(self.robot))

    def said(self, stage: Stage) -> str:
        """What is expected."""
        unit = "m" if self.body is not None else "rad or m"
        name = self.body if self.body is not None else self.robot
        since = f" since {self.after:g} s" if self.after else ""
        return f"{name!r} moved {said_value(self.by, self._tolerance, unit)}{since}"

    def bind(self, run: Run) -> Probe:
        """Compare with where it was."""
        key = id(self)
        unit = "m" if self.body is not None else "rad or m"
        if self.body is not None:
            point = point_of(run, self.body)
            read: Callable[[], Any] = point.copy
        else:
            adr = run.scene.control.table.qpos_adr[run.rows(str(self.robot), ())]
            read = partial(run.scene.data.qpos.take, adr)

        run.remember(key, read)

        def look() -> Miss | None:
            off = read() - run.memory[key]
            seen = float(np.linalg.norm(off) if self.body is not None else np.abs(off).max())
            beyond = excess(seen, self.by, self._tolerance)
            return None if beyond <= 0 else Miss(f"{seen:.6g} {unit}", beyond)

        return look
