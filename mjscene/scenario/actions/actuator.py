"""Set the control of a drive that gives no joint a mode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from mjscene.errors import SpecError, close_matches
from mjscene.scenario.base import Action
from mjscene.scenario.motions import ValueMotion
from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["SetActuator"]


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class SetActuator(Action):
    """Set the control of a drive that gives no joint a mode, such as a gripper's tendon.

    Args:
        actuator: Its name in the scene.
        to: The control, in the actuator's own unit.
        over: How long the way there takes [s], with least jerk; 0 jumps.
    """

    actuator: str
    to: float
    over: float = 0.0

    word: ClassVar[str] = "set"

    def _check_fields(self) -> None:
        self._put("actuator", checks.name)
        self._put("to", checks.number)
        self._put("over", checks.number, at_least=0)

    def check(self, stage: Stage) -> None:
        """Look it up; a control beyond its range would be clamped silently."""
        names = stage.scene.unmanaged
        if self.actuator not in names:
            managed = self.actuator in stage.scene.actuator_names
            raise SpecError(
                f"actuator {self.actuator!r} is a mode of a joint"
                if managed
                else f"there is no actuator {self.actuator!r}",
                where="actuator",
                given=self.actuator,
                close=close_matches(self.actuator, names),
                allowed=names,
                hint="command its joint" if managed else None,
            )
        stage.refuse_absent_part(self.actuator, "actuator")
        low, high = stage.scene.actuators[self.actuator].ctrlrange
        if not low <= self.to <= high:
            raise SpecError(
                f"{self.to:g} is beyond the range {low:g} … {high:g} of {self.actuator!r}",
                where="to",
                given=self.to,
            )
        if self.over:
            stage.steps_over(self.over, "over")

    def act(self, run: Run) -> None:
        """Set it, or begin to."""
        actuator = run.scene.actuators[self.actuator]
        key = ("set", self.actuator)
        run.cancel(key)
        if not self.over:
            actuator.ctrl = self.to
            return

        def put(value: object) -> None:
            run.scene.actuators[self.actuator].ctrl = value

        goal = [self.to] * len(actuator.ctrl)
        run.begin(ValueMotion(key, actuator.ctrl, goal, run.steps_in(self.over), put))
