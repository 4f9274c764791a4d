"""What is measured at joints: arrays that are read when they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mjscene.control import ModeControl

__all__ = ["Joints"]

Array = NDArray[np.float64]


class Joints:
    """Joints that take commands: a robot's, or all of a scene.

    Every array is a copy of the values now, sealed against writing: a write would not reach the
    simulation.
    """

    def __init__(self) -> None:
        self._control: Any = None

    def bind(self, control: ModeControl, rows: slice) -> None:
        """Be the joints of some rows of a scene's joint table."""
        table, data = control.table, control.data
        self._control, self._rows = control, rows
        self._qpos, self._qvel, self._effort = data.qpos, data.qvel, data.qfrc_actuator
        self._qpos_adr, self._dof_adr = table.qpos_adr[rows], table.dof_adr[rows]

    @property
    def names(self) -> tuple[str, ...]:
        """Their names in the scene."""
        names: tuple[str, ...] = self._control.table.names[self._rows]
        return names

    @property
    def position(self) -> Array:
        """Positions (n,) [rad or m]."""
        # Indexing is faster than take, and setflags than flags: they are read every step.
        array: Array = self._qpos[self._qpos_adr]
        array.setflags(False)  # type: ignore[call-arg]
        return array

    @property
    def velocity(self) -> Array:
        """Velocities (n,) [rad/s or m/s]."""
        array: Array = self._qvel[self._dof_adr]
        array.setflags(False)  # type: ignore[call-arg]
        return array

    @property
    def effort(self) -> Array:
        """What the drives deliver to the joints, of the step just taken (n,) [N·m or N]."""
        array: Array = self._effort[self._dof_adr]
        array.setflags(False)  # type: ignore[call-arg]
        return array

    @property
    def command(self) -> Array:
        """Their commands (n,), each in the unit of its mode."""
        array: Array = self._control.table.command[self._rows].copy()
        array.setflags(False)  # type: ignore[call-arg]
        return array

    @property
    def saturated(self) -> NDArray[np.bool_]:
        """Whether each command is beyond its actuator's range and is clamped by MuJoCo (n,)."""
        return np.asarray(self._control.saturated()[self._rows])

    def __len__(self) -> int:
        return len(self.names)
