"""The mode a robot is in, and the mode of its joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from mjscene.robotmode import RobotMode
from mjscene.scenario.base import Expectation, Miss, Probe
from mjscene.spec import CtrlMode, checks
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["InCtrlMode", "InRobotMode"]


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class InRobotMode(Expectation):
    """A robot is doing something: it is idle, it moves, it is in a reflex.

    Args:
        robot: The robot.
        mode: The mode.
    """

    robot: str
    mode: RobotMode

    word: ClassVar[str] = "robot_mode"

    def _check_fields(self) -> None:
        self._put("robot", checks.name)
        self._put("mode", checks.member, RobotMode)

    def check(self, stage: Stage) -> None:
        """Look the robot up."""
        stage.robot(self.robot)

    def said(self, stage: Stage) -> str:
        """What is expected."""
        return f"robot {self.robot!r} in {self.mode.name}"

    def bind(self, run: Run) -> Probe:
        """Ask it."""
        robot = run.scene.handle(self.robot)

        def look() -> Miss | None:
            seen = robot.robot_mode
            return None if seen is self.mode else Miss(seen.name)

        return look


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class InCtrlMode(Expectation):
    """Joints of a robot are in a control mode.

    Args:
        robot: The robot, or an attachment with modes of its own as ``robot.attachment``.
        mode: The mode; null where an unmanaged drive alone moves them.
        joints: The joints; by default all.
    """

    robot: str
    mode: CtrlMode | None
    joints: Sequence[str] = ()

    word: ClassVar[str] = "ctrl_mode"

    def _check_fields(self) -> None:
        self._put("robot", checks.name)
        if self.mode is not None:
            self._put("mode", checks.member, CtrlMode)
        self._put("joints", checks.names)

    def check(self, stage: Stage) -> None:
        """Look robot and joints up."""
        stage.some_rows(self.robot, self.joints)

    def said(self, stage: Stage) -> str:
        """What is expected."""
        which = ", ".join(map(repr, self.joints)) or "all joints"
        name = "no mode" if self.mode is None else self.mode.name
        return f"{which} of robot {self.robot!r} in {name}"

    def bind(self, run: Run) -> Probe:
        """Look at the joint table."""
        rows, table = run.rows(self.robot, self.joints), run.scene.control.table
        wanted = -1 if self.mode is None else int(self.mode)

        def look() -> Miss | None:
            modes = table.mode[rows]
            if (modes == wanted).all():
                return None
            k = int((modes != wanted).argmax())
            seen = "no mode" if modes[k] < 0 else CtrlMode(int(modes[k])).name
            return Miss(f"joint {table.names[rows[k]]!r} in {seen}")

        return look
