"""The record of joints, its first half: which they are, their limits, what is measured of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import mujoco
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mjscene.control import ModeControl
    from mjscene.owners import Owner
    from mjscene.records import JointRecords
    from mjscene.stops import Stops

__all__ = ["MeasuredJoints", "sealed"]

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
S = TypeVar("S", bound=np.generic)
_TYPES = {int(mujoco.mjtJoint.mjJNT_HINGE): "hinge", int(mujoco.mjtJoint.mjJNT_SLIDE): "slide"}


class MeasuredJoints:
    """Which joints they are, what limits them and what is measured of them."""

    # No other attributes: a misspelled one is an error.
    __slots__ = (
        *("_control", "_dof_adr", "_effort", "_indices", "_owners", "_qpos", "_qpos_adr", "_qvel"),
        *("_records", "_rows", "_stops"),
    )

    def __init__(self) -> None:
        self._control: Any = None

    def bind(
        self,
        control: ModeControl,
        records: JointRecords,
        stops: Stops,
        rows: slice,
        owners: Sequence[Owner],
    ) -> None:
        """Be the joints of some rows of a scene's joint table, whose files are their owners'."""
        table, data = control.table, control.data
        self._control, self._rows, self._owners = control, rows, owners
        self._records, self._stops = records, stops
        self._qpos, self._qvel, self._effort = data.qpos, data.qvel, data.qfrc_actuator
        self._qpos_adr, self._dof_adr = table.qpos_adr[rows], table.dof_adr[rows]
        self._indices = np.arange(rows.start, rows.stop)

    # -- which they are --------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """Their names in the scene."""
        names: tuple[str, ...] = self._control.table.names[self._rows]
        return names

    def __len__(self) -> int:
        return len(self.names)

    @property
    def types(self) -> tuple[str, ...]:
        """``hinge`` or ``slide``."""
        kinds = self._control.model.jnt_type[self._control.table.joint_ids[self._rows]]
        return tuple(_TYPES[k] for k in kinds.tolist())

    @property
    def axis(self) -> Array:
        """Their axes in the frames of their bodies (n, 3)."""
        return sealed(self._control.model.jnt_axis[self._control.table.joint_ids[self._rows]])

    @property
    def link_mass(self) -> Array:
        """Masses of the bodies that they move (n,) [kg]."""
        model = self._control.model
        return sealed(model.body_mass[model.jnt_bodyid[self._control.table.joint_ids[self._rows]]])

    # -- limits ----------------------------------------------------------------------------------

    @property
    def position_limits(self) -> Array:
        """Ranges of their positions (n, 2) [rad or m], infinite where the file gives none."""
        model, ids = self._control.model, self._control.table.joint_ids[self._rows]
        limited = model.jnt_limited[ids][:, None] != 0
        return sealed(np.where(limited, model.jnt_range[ids], np.array([-np.inf, np.inf])))

    @property
    def effort_limits(self) -> Array:
        """Ranges of what their acting drives can give (n, 2) [N·m or N]."""
        return sealed(self._records.effort_limits(self._rows))

    @property
    def velocity_limit(self) -> Array:
        """Velocity limits of the spec (n,) [rad/s or m/s], infinite where there is none."""
        return sealed(self._records.velocity[self._rows].copy())

    @property
    def acceleration_limit(self) -> Array:
        """Acceleration limits of the spec (n,) [rad/s² or m/s²]."""
        return sealed(self._records.acceleration[self._rows].copy())

    @property
    def jerk_limit(self) -> Array:
        """Jerk limits of the spec (n,) [rad/s³ or m/s³]."""
        return sealed(self._records.jerk[self._rows].copy())

    # -- measured --------------------------------------------------------------------------------

    @property
    def position(self) -> Array:
        """Positions (n,) [rad or m]; those of joints without limits go on beyond a turn."""
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
        """What the drives deliver to the joints (n,) [N·m or N]."""
        array: Array = self._effort[self._dof_adr]
        array.setflags(False)  # type: ignore[call-arg]
        return array

    @property
    def acceleration(self) -> Array:
        """Differences of velocity over the last step (n,) [rad/s² or m/s²]; 0 before the first."""
        array = self._records.measured_acceleration(self._dof_adr)
        array.setflags(False)  # type: ignore[call-arg]
        return array

    @property
    def jerk(self) -> Array:
        """Differences of acceleration over the last step (n,) [rad/s³ or m/s³]; 0 on the first."""
        return sealed(self._records.measured_jerk(self._dof_adr))

    @property
    def gravity(self) -> Array:
        """The effort that holds them against gravity at this position (n,) [N·m or N].

        The gradient of the potential energy, without Coriolis forces or gravity compensation.
        """
        return sealed(self._records.gravity(self._rows))

    @property
    def external_effort(self) -> Array:
        """What contacts, other constraints and applied forces do to them (n,) [N·m or N]."""
        array = self._records.external(self._dof_adr)
        array.setflags(False)  # type: ignore[call-arg]
        return array


def sealed(array: NDArray[S]) -> NDArray[S]:
    """An array that cannot be written to."""
    array.setflags(False)  # type: ignore[call-arg]  # a quarter of what flags.writeable takes
    return array
