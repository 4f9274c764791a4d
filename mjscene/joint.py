"""The record of one joint."""

from __future__ import annotations

from typing import Any, overload

from mjscene.jointarrays import Joints
from mjscene.spec import CtrlMode

__all__ = ["Joint"]


class Number:
    """One number of a joint's record: the entry of an array of ``Joints``, with its unit.

    Args:
        settable: Whether assigning sets it.
    """

    def __init__(self, *, settable: bool = False) -> None:
        self._settable = settable

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._name = name
        self.__doc__ = getattr(Joints, name).__doc__

    @overload
    def __get__(self, joint: None, owner: type[Any]) -> Number: ...
    @overload
    def __get__(self, joint: Joint, owner: type[Any]) -> float: ...
    def __get__(self, joint: Joint | None, owner: type[Any]) -> Number | float:
        """The number now."""
        if joint is None:
            return self
        return float(getattr(joint._joints, self._name)[0])

    def __set__(self, joint: Joint, value: float) -> None:
        """Set it, where it can be set.

        Raises:
            AttributeError: It cannot be set.
        """
        if not self._settable:
            raise AttributeError(f"{self._name} of joint {joint.name!r} is measured, not set")
        setattr(joint._joints, self._name, value)


class Joint:
    """One joint that takes commands: what :class:`mjscene.jointarrays.Joints` says of it.

    It stays valid when objects are added or removed.

    Args:
        joints: Joints that it is one of.
        name: Its name in the scene.
    """

    __slots__ = ("_alone", "_among", "_name")

    def __init__(self, joints: Joints, name: str) -> None:
        self._among, self._name = joints, name
        self._alone = joints.alone(name)

    @property
    def _joints(self) -> Joints:
        """A view of it alone."""
        if not self._alone.is_of_the_model_of(self._among):
            self._alone = self._among.alone(self._name)
        return self._alone

    def __repr__(self) -> str:
        mode = self.control_method
        return f"<joint {self.name!r}, {self.type}, {mode.name if mode else 'no mode'}>"

    @property
    def name(self) -> str:
        """Its name in the scene."""
        return self._joints.names[0]

    @property
    def type(self) -> str:
        """``hinge`` or ``slide``."""
        return self._joints.types[0]

    @property
    def axis(self) -> tuple[float, float, float]:
        """Its axis in the frame of its body."""
        x, y, z = self._joints.axis[0].tolist()
        return x, y, z

    @property
    def control_method(self) -> CtrlMode | None:
        """Its mode; None while only an unmanaged actuator moves it."""
        return self._joints.control_method[0]

    link_mass = Number()
    position = Number()
    velocity = Number()
    acceleration = Number()
    jerk = Number()
    effort = Number()
    gravity = Number()
    external_effort = Number()
    target_position = Number()
    target_velocity = Number()
    desired_position = Number()
    desired_velocity = Number()
    desired_acceleration = Number()
    desired_torque = Number()
    stop_position = Number()
    velocity_limit = Number()
    acceleration_limit = Number()
    jerk_limit = Number()
    position_gain = Number(settable=True)
    velocity_gain = Number(settable=True)
    contact_threshold = Number(settable=True)
    collision_threshold = Number(settable=True)
    command = Number(settable=True)

    @property
    def position_limits(self) -> tuple[float, float]:
        """Range of its position [rad or m]."""
        return _pair(self._joints.position_limits)

    @property
    def effort_limits(self) -> tuple[float, float]:
        """Range of what its acting drive can give [N·m or N]."""
        return _pair(self._joints.effort_limits)

    @property
    def saturated(self) -> bool:
        """Whether its command is beyond its actuator's range and is clamped by MuJoCo."""
        return bool(self._joints.saturated[0])

    @property
    def is_in_contact(self) -> bool:
        """Whether the effort that is looked at is beyond the contact threshold."""
        return bool(self._joints.is_in_contact[0])

    @property
    def is_in_collision(self) -> bool:
        """Whether the effort that is looked at is beyond the collision threshold."""
        return bool(self._joints.is_in_collision[0])


def _pair(array: Any) -> tuple[float, float]:
    low, high = array[0].tolist()
    return low, high
