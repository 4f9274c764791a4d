"""The record of joints: what is measured, commanded, desired and allowed, read when asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import UnknownNameError, close_matches
from mjscene.gains import position_gain, set_position_gain, set_velocity_gain, velocity_gain
from mjscene.measured import MeasuredJoints, sealed
from mjscene.spec import CtrlMode
from mjscene.thresholds import Thresholds

if TYPE_CHECKING:
    from mjscene.joint import Joint

__all__ = ["Joints"]

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Joints(MeasuredJoints):
    """Joints that take commands: a robot's, or all of a scene; ``joints["elbow"]`` is one.

    Every array is a copy of the values now, sealed against writing: a write would not reach the
    simulation. They stay valid when objects are added or removed, and so does the handle of one
    joint. Gains and thresholds are set by assignment. Efforts, accelerations and what is told
    from them are of the step just taken.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{len(self)} joints: {', '.join(self.names) or 'none'}>"

    def __iter__(self) -> Iterator[Joint]:
        return (self[name] for name in self.names)

    def __getitem__(self, name: str) -> Joint:
        """One joint, by the scene's name or the file's own.

        Raises:
            UnknownNameError: There is none of that name.
        """
        from mjscene.joint import Joint

        names = self.names
        authored = [o.scene_name("joint", str(name)) for o in self._owners]
        for full in (name, *authored):
            if full in names:
                return Joint(self, str(full))
        raise UnknownNameError(
            f"there is no joint {name!r} that takes commands",
            given=name,
            close=close_matches(str(name), names),
            allowed=names,
        )

    def alone(self, name: str) -> Joints:
        """A view of one of them in the model of now, by the scene's name."""
        one, row = Joints(), self._rows.start + self.names.index(name)
        rows = slice(row, row + 1)
        one.bind(self._control, self._records, self._stops, rows, self._owners)
        return one

    def is_of_the_model_of(self, other: Joints) -> bool:
        """Whether both are bound to one model: they are not after an object was added since."""
        return self._control is other._control

    # -- commanded and desired -------------------------------------------------------------------

    @property
    def command(self) -> Array:
        """Their commands (n,), each in the unit of its mode; assigning sets them."""
        return sealed(self._control.table.command[self._rows].copy())

    @command.setter
    def command(self, value: float | Sequence[float] | Array) -> None:
        self._control.table.set_commands(self._indices, value)

    @property
    def saturated(self) -> Bools:
        """Whether each command is beyond its actuator's range and is clamped by MuJoCo (n,)."""
        return sealed(self._control.saturated()[self._rows])

    @property
    def control_method(self) -> tuple[CtrlMode | None, ...]:
        """The mode of each; None while only an unmanaged actuator moves it."""
        modes = self._control.table.mode[self._rows].tolist()
        return tuple(CtrlMode(m) if m >= 0 else None for m in modes)

    @property
    def target_position(self) -> Array:
        """Set-points in POSITION, else the positions at which the mode started (n,) [rad or m]."""
        table = self._control.table
        held, rows = table.mode[self._rows] == CtrlMode.POSITION, self._rows
        return sealed(np.where(held, table.command[rows], table.began_at[rows]))

    @property
    def target_velocity(self) -> Array:
        """Set-points in VELOCITY, else 0 (n,) [rad/s or m/s]."""
        table = self._control.table
        moving = table.mode[self._rows] == CtrlMode.VELOCITY
        return sealed(np.where(moving, table.command[self._rows], 0.0))

    @property
    def desired_position(self) -> Array:
        """``target_position`` in POSITION and TORQUE, else measured, as in a reflex (n,)."""
        given = self._is_in(CtrlMode.POSITION, CtrlMode.TORQUE)
        return sealed(np.where(given, self.target_position, self.position))

    @property
    def desired_velocity(self) -> Array:
        """The set-point in VELOCITY, else measured, as in a reflex (n,) [rad/s or m/s]."""
        given = self._is_in(CtrlMode.VELOCITY)
        return sealed(np.where(given, self.target_velocity, self.velocity))

    @property
    def desired_acceleration(self) -> Array:
        """0 in TORQUE, else measured, as in a reflex (n,) [rad/s² or m/s²]."""
        return sealed(np.where(self._is_in(CtrlMode.TORQUE), 0.0, self.acceleration))

    @property
    def desired_torque(self) -> Array:
        """The command in TORQUE, else 0, as in a reflex (n,) [N·m or N]."""
        command = self._control.table.command[self._rows]
        return sealed(np.where(self._is_in(CtrlMode.TORQUE), command, 0.0))

    def _is_in(self, *modes: CtrlMode) -> Bools:
        """Whether each is in one of the modes, and its robot in no reflex."""
        rows = self._rows
        inside = np.isin(self._control.table.mode[rows], [int(m) for m in modes])
        return np.asarray(inside & ~self._stops.in_reflex[rows])

    @property
    def stop_position(self) -> Array:
        """Where each was when its robot was stopped last (n,) [rad or m]; NaN if it never was."""
        return sealed(self._stops.position[self._rows].copy())

    # -- settings --------------------------------------------------------------------------------

    @property
    def position_gain(self) -> Array:
        """Position gains of the acting drives (n,) [N·m/rad or N/m]; 0 outside POSITION.

        Assigning sets them: one number, or one per joint.
        """
        return sealed(position_gain(self._control, self._indices))

    @position_gain.setter
    def position_gain(self, value: float | Sequence[float] | Array) -> None:
        set_position_gain(self._control, self._indices, value)

    @property
    def velocity_gain(self) -> Array:
        """Velocity gains of the acting drives (n,) [N·m·s/rad or N·s/m]; assigning sets them."""
        return sealed(velocity_gain(self._control, self._indices))

    @velocity_gain.setter
    def velocity_gain(self, value: float | Sequence[float] | Array) -> None:
        set_velocity_gain(self._control, self._indices, value)

    contact_threshold = Thresholds("contact_threshold")
    collision_threshold = Thresholds("collision_threshold")

    @property
    def is_in_contact(self) -> Bools:
        """Whether the effort that is looked at is beyond the contact threshold (n,)."""
        records = self._records
        beyond: Bools = (records.signal > records.contact_threshold)[self._rows]
        beyond.setflags(False)  # type: ignore[call-arg]
        return beyond

    @property
    def is_in_collision(self) -> Bools:
        """Whether the effort that is looked at is beyond the collision threshold (n,)."""
        records = self._records
        beyond: Bools = (records.signal > records.collision_threshold)[self._rows]
        beyond.setflags(False)  # type: ignore[call-arg]
        return beyond
