"""Command joints, at once or along a smooth way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import SpecError
from mjscene.scenario.base import Action, Numbers, check_numbers
from mjscene.scenario.motions import CommandMotion
from mjscene.scenario.things import unit_of
from mjscene.spec import CtrlMode, checks
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["Command", "Move"]

Ints = NDArray[np.intp]
Array = NDArray[np.float64]
_QUANTITIES = {
    CtrlMode.POSITION: "position",
    CtrlMode.TORQUE: "effort",
    CtrlMode.VELOCITY: "velocity",
}


def _refuse_beyond(stage: Stage, row: int, value: float, field: str) -> None:
    """Refuse what a joint cannot follow in the mode that it is in by then, as far as it is known.

    Raises:
        SpecError: A position beyond the joint's range, or a command beyond its drive's limits.
    """
    mode = int(stage.modes[row])
    if mode < 0:
        return
    table, model = stage.scene.control.table, stage.scene.model
    joint, name = int(table.joint_ids[row]), table.names[row]
    title = f"joint {name!r} in {CtrlMode(mode).name}"
    ranges = [(table.laws.ends[row, mode], f"limits {{}} of {title}")]
    if mode == CtrlMode.POSITION and model.jnt_limited[joint]:
        ranges.insert(0, (model.jnt_range[joint], f"range {{}} of joint {name!r}"))
    unit = unit_of(model, joint, _QUANTITIES[CtrlMode(mode)])
    for (low, high), words in ranges:
        if not low <= value <= high:
            said = words.format(f"{low:.6g} … {high:.6g} {unit}")
            raise SpecError(
                f"{value:.6g} {unit} is beyond the {said}",
                where=field,
                given=value,
                element=name,
            )


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class Command(Action):
    """Command joints, each in the unit of its mode then: rad or m, N·m or N, rad/s or m/s.

    Args:
        robot: The robot, or an attachment with modes of its own as ``robot.attachment``.
        to: One number per joint, or numbers by joint (the others keep their commands).
    """

    robot: str
    to: Numbers

    word: ClassVar[str] = "command"

    def _check_fields(self) -> None:
        self._put("robot", checks.name)
        self._put("to", check_numbers)

    def check(self, stage: Stage) -> None:
        """Look robot and joints up, whether a controller has them, and their ranges."""
        handle = stage.robot(self.robot)
        pairs = self._pairs
        if pairs is None:
            rows = stage.rows(self.robot, ())
            if len(self.to) != len(rows):
                raise SpecError(
                    f"robot {self.robot!r} has {len(rows)} joints that take commands, got "
                    f"{len(self.to)} numbers",
                    where="to",
                    given=self.to,
                    allowed=handle.joint_names,
                )
        else:
            found = [stage.rows(self.robot, [n], f"to[{n!r}]") for n, _ in pairs]
            rows = np.concatenate(found)
        stage.controllers.refuse(rows, "robot")
        numbers: Any = enumerate(self.to) if pairs is None else pairs
        for row, (key, value) in zip(rows.tolist(), numbers, strict=True):
            _refuse_beyond(stage, row, value, f"to[{key!r}]")

    @property
    def _pairs(self) -> tuple[tuple[str, float], ...] | None:
        """The numbers by joint, if they are."""
        first = self.to[0]  # type: ignore[index]
        return tuple(self.to) if isinstance(first, tuple) else None  # type: ignore[arg-type]

    def _goal(self, run: Run) -> tuple[Ints, Array]:
        """Rows and numbers."""
        pairs = self._pairs
        if pairs is None:
            return run.rows(self.robot, ()), np.array(self.to, dtype=float)
        rows = np.concatenate([run.rows(self.robot, [name]) for name, _ in pairs])
        return rows, np.array([value for _, value in pairs])

    def act(self, run: Run) -> None:
        """Command."""
        rows, goal = self._goal(run)
        run.leave(rows)
        run.scene.control.table.set_commands(rows, goal)


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class Move(Command):
    """Lead the commands of joints from where they are to a goal, with least jerk.

    In POSITION that is a motion from rest to rest; in the other modes, a ramp. A later command,
    motion, switch or stop of a joint ends it for that joint.

    Args:
        robot: The robot, or an attachment with modes of its own as ``robot.attachment``.
        to: One number per joint, or numbers by joint (the others keep their commands).
        over: How long it takes [s].
    """

    over: float

    word: ClassVar[str] = "move"

    def _check_fields(self) -> None:
        super()._check_fields()
        self._put("over", checks.number, above=0)

    def check(self, stage: Stage) -> None:
        """Look everything up, and whether it ends in time."""
        super().check(stage)
        stage.steps_over(self.over, "over")

    def act(self, run: Run) -> None:
        """Begin the motion."""
        rows, goal = self._goal(run)
        run.leave(rows)
        table = run.scene.control.table
        table.check_commandable(rows, "move.robot")
        steps = run.steps_in(self.over)
        run.begin(CommandMotion(rows, table.command[rows].copy(), goal, steps))
