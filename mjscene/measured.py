"""What is measured at joints: arrays that are read when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
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

    Args:
        control: Gives the scene's modes as they are now.
        rows: Gives the rows of the joint table.
    """

    def __init__(self, control: Callable[[], ModeControl], rows: Callable[[], slice]) -> None:
        self._control, self._rows = control, rows
        self._bound: Any = None

    def _bind(self) -> tuple[Any, Any, Any]:
        """Data and addresses, found anew when the scene has new ones."""
        control = self._control()
        bound = self._bound
        if bound is None or bound[0] is not control:
            rows, table = self._rows(), control.table
            addresses = (table.qpos_adr[rows], table.dof_adr[rows])
            self._bound = bound = (control, control.data, *addresses)
        return bound[1], bound[2], bound[3]

    @property
    def names(self) -> tuple[str, ...]:
        """Their names in the scene."""
        return self._control().table.names[self._rows()]

    @property
    def position(self) -> Array:
        """Positions (n,) [rad or m]."""
        data, qpos_adr, _ = self._bind()
        return _sealed(data.qpos.take(qpos_adr))

    @property
    def velocity(self) -> Array:
        """Velocities (n,) [rad/s or m/s]."""
        data, _, dof_adr = self._bind()
        return _sealed(data.qvel.take(dof_adr))

    @property
    def effort(self) -> Array:
        """What the drives deliver to the joints, of the step just taken (n,) [N·m or N]."""
        data, _, dof_adr = self._bind()
        return _sealed(data.qfrc_actuator.take(dof_adr))

    @property
    def command(self) -> Array:
        """Their commands (n,), each in the unit of its mode."""
        return _sealed(self._control().table.command[self._rows()].copy())

    @property
    def saturated(self) -> NDArray[np.bool_]:
        """Whether each command is beyond its actuator's range and is clamped by MuJoCo (n,)."""
        return self._control().saturated()[self._rows()]

    def __len__(self) -> int:
        return len(self.names)


def _sealed(array: Array) -> Array:
    array.flags.writeable = False
    return array
