"""Bounds of drive efforts, and of their jumps where modes switch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import SpecError
from mjscene.scenario.base import Expectation, Miss, Probe
from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["EffortBelow", "EffortJump"]


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class EffortBelow(Expectation):
    """The drives of a robot's joints deliver no more than a bound, in every step.

    Args:
        robot: The robot, or an attachment with modes of its own as ``robot.attachment``.
        below: The bound of the amount [N·m or N].
        joints: The joints; by default all.
    """

    robot: str
    below: float
    joints: Sequence[str] = ()

    word: ClassVar[str] = "effort"
    whole_run: ClassVar[bool] = True

    def _check_fields(self) -> None:
        self._put("robot", checks.name)
        self._put("below", checks.number, above=0)
        self._put("joints", checks.names)

    def check(self, stage: Stage) -> None:
        """Look robot and joints up."""
        stage.some_rows(self.robot, self.joints)

    def said(self, stage: Stage) -> str:
        """What is expected."""
        which = ", ".join(map(repr, self.joints)) or "all joints"
        return f"efforts of {which} of {self.robot!r} <= {self.below:g} N·m or N"

    def bind(self, run: Run) -> Probe:
        """Read them."""
        rows, table = run.rows(self.robot, self.joints), run.scene.control.table
        return _largest(
            run.scene.data.qfrc_actuator,
            table.dof_adr[rows],
            [table.names[r] for r in rows],
            self.below,
            "N·m or N",
        )


def _largest(
    values: NDArray[np.float64], adr: NDArray[np.intp], names: list[str], bound: float, unit: str
) -> Probe:
    """A probe of the largest of some amounts against a bound."""

    def look() -> Miss | None:
        seen = np.abs(values[adr])
        if (seen <= bound).all():
            return None
        seen = np.where(np.isnan(seen), np.inf, seen)
        k = int(seen.argmax())
        shown = f"joint {names[k]!r} {float(values[adr[k]]):.6g} {unit}"
        return Miss(shown, float(seen[k]) - bound)

    return look


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class EffortJump(Expectation):
    """No effort of a joint jumps where the timeline switches modes or controllers.

    It is what the drives would deliver in the state at the switch, right before and right after it:
    nothing has moved in between.

    Args:
        below: The bound of a jump [N·m or N].
        robot: The robot; by default all.
    """

    below: float
    robot: str | None = None

    word: ClassVar[str] = "effort_jump"
    whole: ClassVar[str | None] = "below"
    whole_run: ClassVar[bool] = True
    after_actions: ClassVar[bool] = True

    def _check_fields(self) -> None:
        self._put("below", checks.number, above=0)
        if self.robot is not None:
            self._put("robot", checks.name)

    def check(self, stage: Stage) -> None:
        """Look the robot up, and whether there is a switch at all."""
        rows = np.arange(len(stage.modes)) if self.robot is None else stage.some_rows(self.robot)
        (first, _), (last, _) = stage.now
        now = [switched for step, switched in stage.switches if first <= step <= last]
        if not any(np.isin(rows, switched).any() for switched in now):
            whose = "" if self.robot is None else f" of robot {self.robot!r}"
            raise SpecError(
                f"nothing{whose} is switched in that time: it could not fail",
                where="below",
                hint="it is about set_mode, stop, recover and the coming and going of controllers",
            )

    def said(self, stage: Stage) -> str:
        """What is expected."""
        whose = "any robot" if self.robot is None else repr(self.robot)
        return f"jumps of efforts of {whose} at switches <= {self.below:g} N·m or N"

    def bind(self, run: Run) -> Probe:
        """Look at the jumps of this step."""
        table = run.scene.control.table
        rows = run.rows(self.robot, ()) if self.robot is not None else np.arange(len(table))
        names, adr = [table.names[r] for r in rows], table.dof_adr[rows]

        def look() -> Miss | None:
            if run.jumps is None:
                return None
            return _largest(run.jumps, adr, names, self.below, "N·m or N")()

        return look
