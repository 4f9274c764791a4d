"""Gravity compensation: what the drives owe the motion is fed forward, whatever the mode."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mjscene.controllers.base import Controller
from mjscene.spec import CtrlMode

if TYPE_CHECKING:
    from mjscene.robot import Robot

__all__ = ["GravityCompensation"]

Array = NDArray[np.float64]


class GravityCompensation(Controller):
    """Adds the effort that the drives owe to what is commanded: bias less gravity compensation.

    It works in every mode and beside other controllers: commands keep their meaning, and a position
    servo no longer sags. The effort is that of MuJoCo's ``qfrc_bias`` (gravity and Coriolis) less
    ``qfrc_gravcomp``, what the file's ``gravcomp`` carries already, in joint space whatever the
    gear; it is subject to the actuators' limits.

    Of joints in TORQUE the command is lowered by as much when it starts, so that nothing jumps. In
    POSITION and VELOCITY the command stays, and the effort steps by what had been missing. When it
    is removed the commands take over what it gave, in every mode, and when its robot recovers from
    a stop it takes over from them. Servos with an integral carry their load themselves.
    """

    adds: ClassVar[bool] = True

    __slots__ = ()

    def reset(self, robot: Robot) -> None:
        """Start to feed forward, with the commands of TORQUE lowered by as much."""
        self._begin(self.joints.mode == CtrlMode.TORQUE)

    def resume(self, robot: Robot) -> None:
        """Feed forward what commands carried while the robot was stopped."""
        self._begin(self.joints.mode >= 0)

    def _begin(self, lowered: NDArray[np.bool_]) -> None:
        joints = self.joints
        table, rows = joints.table, joints.rows
        more = self._owed() - self._forward[rows]
        self._feed(rows, self._owed())
        given = table.forward_control(more, joints.mode, rows) / table.scale_now[rows]
        table.command[rows[lowered]] -= given[lowered]

    @property
    def _forward(self) -> Array:
        table = self.joints.table
        if table.forward is None:
            table.add_forward(np.zeros(len(table)))
        return np.asarray(table.forward)

    def _owed(self) -> Array:
        joints = self.joints
        data, dofs = joints.data, joints.dof_adr
        return np.asarray(data.qfrc_bias[dofs] - data.qfrc_gravcomp[dofs])

    def _feed(self, rows: Any, effort: Array) -> None:
        self._forward[rows] = effort
        self.joints.table.written = b""

    def update(self, robot: Robot, dt: float) -> None:
        """Feed forward what is owed now."""
        self._feed(self.joints.rows, self._owed())

    def release(self, robot: Robot) -> None:
        """Let the commands take over what was fed forward."""
        self.joints.table.take_over_forward(self.joints.rows)

    def bank_key(self) -> Hashable:
        """All are updated in one pass."""
        return None

    @classmethod
    def make_bank(cls, members: Sequence[GravityCompensation], dt: float) -> Callable[[], None]:
        """One pass for all members."""
        first = members[0].joints
        table, data = first.table, first.data
        rows = np.concatenate([m.joints.rows for m in members])
        dofs = np.concatenate([m.joints.dof_adr for m in members])
        forward, bias, carried = members[0]._forward, data.qfrc_bias, data.qfrc_gravcomp
        some = first.model.ngravcomp > 0  # else MuJoCo carries nothing

        def run() -> None:
            owed = bias[dofs]
            forward[rows] = owed - carried[dofs] if some else owed
            table.written = b""

        return run
