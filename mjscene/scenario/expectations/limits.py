"""Joints within their ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from mjscene.errors import SpecError
from mjscene.scenario.base import Expectation, Miss, Probe
from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["WithinLimits"]


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class WithinLimits(Expectation):
    """The joints of a robot are within their position limits, in every step.

    Args:
        robot: The robot, or an attachment with modes of its own as ``robot.attachment``.
        margin: How far inside the limits they have to stay [rad or m]; MuJoCo's limits are soft,
            a negative margin lets a joint lean on one.
    """

    robot: str
    margin: float = 0.0

    word: ClassVar[str] = "within_limits"
    whole: ClassVar[str | None] = "robot"
    whole_run: ClassVar[bool] = True

    def _check_fields(self) -> None:
        self._put("robot", checks.name)
        self._put("margin", checks.number)

    def check(self, stage: Stage) -> None:
        """Look the robot up."""
        rows = stage.some_rows(self.robot)
        if np.isinf(stage.scene.joints.position_limits[rows]).all():
            raise SpecError(
                f"no joint of robot {self.robot!r} has limits: it could not fail",
                where="robot",
                given=self.robot,
            )

    def said(self, stage: Stage) -> str:
        """What is expected."""
        margin = f", {self.margin:g} rad or m inside" if self.margin else ""
        return f"joints of {self.robot!r} within their limits{margin}"

    def bind(self, run: Run) -> Probe:
        """Compare with the limits of now."""
        rows, table = run.rows(self.robot, ()), run.scene.control.table
        limits = run.scene.joints.position_limits[rows]
        qpos, adr = run.scene.data.qpos, table.qpos_adr[rows]

        def look() -> Miss | None:
            at = qpos[adr]
            inside = np.minimum(at - limits[:, 0], limits[:, 1] - at) - self.margin
            if (inside >= 0).all():
                return None
            beyond = np.where(np.isnan(inside), np.inf, -inside)
            k = int(beyond.argmax())
            low, high = limits[k]
            name = table.names[rows[k]]
            return Miss(
                f"joint {name!r} at {at[k]:.6g} of {low:.6g} … {high:.6g}", float(beyond[k])
            )

        return look
