"""Push a body with a wrench."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from mjscene.commands import ObjectCmd
from mjscene.errors import SpecError
from mjscene.geometry import Wrench
from mjscene.scenario.base import Action
from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["Push"]


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class Push(Action):
    """Push a body with a constant wrench, in world axes at its centre of mass.

    Args:
        body: The body; a robot's name means its base.
        force: The force [N].
        torque: The torque [N·m].
        until: When it ends [s]; without it the body is pushed until it is pushed otherwise.
    """

    body: str
    force: Sequence[float] = (0.0, 0.0, 0.0)
    torque: Sequence[float] = (0.0, 0.0, 0.0)
    until: float | None = None

    word: ClassVar[str] = "wrench"

    def _check_fields(self) -> None:
        self._put("body", checks.name)
        self._put("force", checks.vector, 3)
        self._put("torque", checks.vector, 3)
        if self.until is not None:
            self._put("until", checks.number)
            if not self.until > self.at:
                raise SpecError(
                    f"the wrench ends at {self.until:g} s, before it begins", where="Push.until"
                )

    def check(self, stage: Stage) -> None:
        """Look the body up, and whether it moves."""
        target = stage.target(self.body, "body")
        if target.moves in ("fixed", "mocap"):
            raise SpecError(
                f"{target.title} does not move by forces: it is {target.moves}",
                where="body",
                given=self.body,
            )
        if self.until is not None:
            stage.step_of(self.until, "until")
            stage.steps_over(self.until - self.at, "until")

    def act(self, run: Run) -> None:
        """Push, and let it end."""
        push = Wrench(force=self.force, torque=self.torque)
        run.scene.apply({self.body: ObjectCmd(wrench=push)})
        key = run.key("wrench", self.body)
        run.cancel(key)
        if self.until is not None:
            run.later(run.step + run.steps_in(self.until - self.at), key, self._end)

    def _end(self, run: Run) -> None:
        run.scene.apply({self.body: ObjectCmd(wrench=Wrench())})
