"""Stop a robot, let it recover, and begin anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from mjscene.scenario.base import Action, Ints
from mjscene.scenario.stage import UNKNOWN
from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["Recover", "Reset", "Stop"]


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class Stop(Action):
    """Stop a robot, as its user's stop button does.

    Args:
        robot: The robot.
    """

    robot: str

    word: ClassVar[str] = "stop"
    whole: ClassVar[str | None] = "robot"
    switches: ClassVar[bool] = True

    def _check_fields(self) -> None:
        self._put("robot", checks.name)

    def check(self, stage: Stage) -> None:
        """Look the robot up."""
        stage.robot(self.robot)

    def switched(self, stage: Stage) -> Ints:
        """The robot's joints; an attachment stops its robot, of which all are taken."""
        is_robot = self.robot in stage.scene.robots
        return stage.rows(self.robot, ()) if is_robot else super().switched(stage)

    def act(self, run: Run) -> None:
        """Stop it, and what moves it."""
        run.scene.handle(self.robot).stop()
        run.leave_stopped()


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class Recover(Stop):
    """Let a stopped robot take commands again, in the modes it had.

    Args:
        robot: The robot.
    """

    word: ClassVar[str] = "recover"

    def act(self, run: Run) -> None:
        """Recover."""
        run.leave_stopped()  # a reflex in the step just before has not ended them yet
        run.scene.handle(self.robot).recover()


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class Reset(Action):
    """Go back to the start pose, or to a keyframe; the scenario's time goes on.

    Args:
        keyframe: The keyframe's name.
        keep_modes: Stay in the modes of then.
    """

    keyframe: str | None = None
    keep_modes: bool = False

    word: ClassVar[str] = "reset"
    whole: ClassVar[str | None] = "keyframe"

    def _check_fields(self) -> None:
        if self.keyframe is not None:
            self._put("keyframe", checks.name)
        self._put("keep_modes", checks.boolean)

    def check(self, stage: Stage) -> None:
        """Look the keyframe up."""
        if self.keyframe is not None:
            stage.keyframe(self.keyframe)
        if not self.keep_modes:
            stage.modes[:] = stage.scene.control.table.initial
            stage.modes[stage.controllers.ruled()] = UNKNOWN

    def act(self, run: Run) -> None:
        """Reset, and end every motion."""
        run.end_all()
        with run.another_recording():
            run.scene.reset(self.keyframe, keep_modes=self.keep_modes)
