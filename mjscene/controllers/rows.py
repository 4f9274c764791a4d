"""Which joints a controller rules, and the mode that each of them must be in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import ControllerError, ModeError, shown
from mjscene.rows import find_rows
from mjscene.spec import CtrlMode

if TYPE_CHECKING:
    from mjscene.robot import Robot
    from mjscene.scene import Scene

__all__ = ["check_modes", "controlled_rows", "wanted_modes"]

Ints = NDArray[np.intp]


def controlled_rows(
    scene: Scene, robot: Robot, controller: Any, joints: Sequence[str] | None
) -> Ints:
    """The rows of the joints that a controller is to rule (k,).

    Raises:
        ModeError: A named joint is not there or offers no mode that the controller can command in,
            or no joint of the robot does.
        ControllerError: Its modes are none.
    """
    table = scene.control.table
    if hasattr(controller, "modes"):
        check_modes(controller)
    modes: tuple[CtrlMode, ...] = getattr(controller, "modes", ())
    columns = [int(m) for m in modes] or [0, 1, 2]
    if not getattr(controller, "needs_joints", True):
        return np.zeros(0, dtype=np.intp)
    rows = robot.own_rows if joints is None else find_rows(robot, joints, "add_controller.joints")
    able = (table.actuators[rows][:, columns] >= 0).any(axis=1)
    if joints is None:
        rows = rows[able]
    elif not able.all():
        row = int(rows[np.flatnonzero(~able)[0]])
        raise ModeError(
            f"joint {table.names[row]!r} offers no mode of {', '.join(m.name for m in modes)}",
            where="add_controller.joints",
            element=table.names[row],
            hint="add one to the modes=[...] of its spec",
        )
    if not len(rows) and getattr(controller, "needs_joints", True):
        raise ModeError(
            f"no joint of {robot.title} offers a mode of {', '.join(m.name for m in modes)}"
            if modes
            else f"{robot.title} has no joint that takes commands",
            where="add_controller",
            hint="add one to the modes=[...] of its spec" if modes else None,
        )
    return np.array(rows)


def check_modes(controller: Any) -> None:
    """Check the modes that a class of one's own says it can command in.

    Raises:
        ControllerError: One is no CtrlMode.
    """
    modes = controller.modes
    if not isinstance(modes, tuple | list) or not all(isinstance(m, CtrlMode) for m in modes):
        raise ControllerError(
            f"expected a tuple of CtrlMode, got {shown(modes)}",
            where=f"{type(controller).__name__}.modes",
            given=modes,
            allowed=[f"CtrlMode.{m.name}" for m in CtrlMode],
        )


def wanted_modes(table: Any, rows: Ints, modes: tuple[CtrlMode, ...]) -> Ints:
    """The mode for each row: that of now if it is one of ``modes``, else the first it offers."""
    columns = np.array([int(m) for m in modes], dtype=np.intp)
    offered = table.actuators[rows][:, columns] >= 0
    now = table.mode[rows]
    first: Ints = columns[np.argmax(offered, axis=1)]
    return np.where(np.isin(now, columns), now, first)
