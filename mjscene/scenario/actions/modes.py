"""Switch joints into a mode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from mjscene.errors import ModeError
from mjscene.scenario.base import Action, Ints
from mjscene.spec import CtrlMode, checks
from mjscene.spec.fields import SpecFieldError, named_fields
from mjscene.transfer import Transfer

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["SetMode"]


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class SetMode(Action):
    """Switch joints of a robot into a mode.

    Args:
        robot: The robot, or an attachment with modes of its own as ``robot.attachment``.
        mode: The mode; null gives joints back to the unmanaged drive that moves them.
        joints: The joints, by the file's or the scene's names; by default all that offer the mode.
        transfer: How the first command is chosen.
    """

    robot: str
    mode: CtrlMode | None
    joints: Sequence[str] = ()
    transfer: Transfer = Transfer.BUMPLESS

    word: ClassVar[str] = "set_mode"
    switches: ClassVar[bool] = True

    def _check_fields(self) -> None:
        self._put("robot", checks.name)
        if self.mode is not None:
            self._put("mode", checks.member, CtrlMode)
        self._put("joints", checks.names)
        self._put("transfer", checks.member, Transfer)

    def check(self, stage: Stage) -> None:
        """Look robot, joints and mode up, and whether a controller has them."""
        rows = stage.rows(self.robot, self.joints)
        column = -1 if self.mode is None else int(self.mode)
        moving = rows[stage.scene.control.offers(rows, column)]
        stage.controllers.refuse(moving, "joints" if self.joints else "robot")
        stage.modes[moving] = column
        if self.mode is None:
            return
        table = stage.scene.control.table
        able = table.actuators[rows, int(self.mode)] >= 0
        if not (able.all() if self.joints else able.any()):
            lacking = table.names[int(rows[~able][0])] if len(rows) else None
            offered = [m.name for m in CtrlMode if (table.actuators[rows, m] >= 0).any()]
            raise ModeError(
                f"{'joint ' + repr(lacking) if self.joints else 'no joint of ' + repr(self.robot)} "
                f"{'does not offer' if self.joints else 'offers'} {self.mode.name}",
                where="mode",
                given=self.mode.name,
                allowed=offered,
                element=lacking,
                hint="add it to the modes=[...] of its spec",
            )

    def switched(self, stage: Stage) -> Ints:
        """Its joints."""
        return stage.rows(self.robot, self.joints)

    def act(self, run: Run) -> None:
        """Switch."""
        robot = run.scene.handle(self.robot)
        run.leave(run.rows(self.robot, self.joints))
        robot.set_control_mode(self.mode, list(self.joints) or None, self.transfer)
