"""The parts that messages are made of: header, pose, wrench and twist, as in ROS."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import CommandError, MjsceneError, close_matches, shown
from mjscene.spec.fields import CommandFieldError, named_fields

__all__ = [
    *("Header", "Pose", "Twist", "Vector", "Wrench"),
    *("as_numbers", "as_vector", "check_keys", "is_sequence", "mapping"),
]

Vector = Sequence[float] | NDArray[np.float64]
# How far a quaternion's norm may be from 1 before it is taken for a mistake.
QUAT_TOLERANCE = 1e-3


def as_vector(value: Any, where: str, size: int) -> tuple[float, ...]:
    """A tuple of ``size`` finite floats, from a sequence or a dict with ROS's keys (x, y, z, w).

    Raises:
        CommandError: It is none.
    """
    if isinstance(value, Mapping):
        value = _components(value, where, size)
    if isinstance(value, str | bytes | Set):
        raise CommandError(f"expected {size} numbers, got {value!r}", where=where, given=value)
    try:
        numbers = tuple(_number(v) for v in value)
    except (TypeError, ValueError, OverflowError):
        raise CommandError(
            f"expected {size} numbers, got {value!r}", where=where, given=value
        ) from None
    if len(numbers) != size:
        raise CommandError(
            f"expected {size} numbers, got {len(numbers)}: {numbers}", where=where, given=value
        )
    for i, number in enumerate(numbers):
        if not math.isfinite(number):
            raise CommandError(
                f"expected finite numbers, got {number}", where=f"{where}[{i}]", given=value
            )
    return numbers


def _number(value: Any) -> float:
    if isinstance(value, str | bytes):
        raise TypeError(value)
    return float(value)


def _components(value: Mapping[str, Any], where: str, size: int) -> list[Any]:
    """The numbers of a ROS vector or quaternion dict, in the order x, y, z, w."""
    names = tuple("xyzw"[:size])
    check_keys(value, names, where)
    return [value[k] for k in names if k in value]


def check_keys(value: Mapping[str, Any], allowed: Sequence[str], where: str) -> None:
    """Refuse keys that are none of the allowed ones.

    Raises:
        CommandError: It names the key and the closest allowed ones.
    """
    for key in value:
        if key not in allowed:
            raise CommandError(
                f"unknown key {key!r}",
                where=where,
                given=key,
                close=close_matches(str(key), allowed),
                allowed=allowed,
            )


def mapping(value: Any, where: str) -> Mapping[str, Any]:
    """A mapping, or an error.

    Raises:
        CommandError: It is none.
    """
    if not isinstance(value, Mapping):
        raise CommandError(f"expected a mapping, got {value!r}", where=where, given=value)
    return value


def _xyz(vector: Vector) -> dict[str, float]:
    return dict(zip("xyz", (float(v) for v in vector), strict=True))


def is_sequence(value: Any) -> bool:
    """Whether it has entries in an order, and is no text."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def as_numbers(
    value: Any, where: str, error: type[MjsceneError] = CommandError
) -> NDArray[np.float64]:
    """Real numbers as an array; not words, truth values, complex numbers or times.

    Raises:
        CommandError: They are none; or ``error``, where another class is given.
    """
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        array = np.array(None)
    if array.dtype.kind not in "fiu":  # what is too long for 64 bits is an object, too
        raise error(f"expected numbers, got {shown(value)}", where=where, given=value)
    return np.asarray(array, dtype=float)


@named_fields(CommandFieldError)
@dataclass(frozen=True, kw_only=True)
class Header:
    """Which message this is.

    Args:
        seq: Its number.
        stamp: Time [s].
        frame_id: The frame that poses are in.
    """

    seq: int = 0
    stamp: float = 0.0
    frame_id: str = ""

    def __post_init__(self) -> None:
        """Check.

        Raises:
            CommandError: A number that is no whole one, a time that is none, a frame without name.
        """
        if isinstance(self.seq, bool) or not isinstance(self.seq, int | np.integer):
            raise CommandError(
                f"expected a whole number, got {self.seq!r}", where="header.seq", given=self.seq
            )
        object.__setattr__(self, "stamp", as_vector([self.stamp], "header.stamp", 1)[0])
        if not isinstance(self.frame_id, str):
            raise CommandError(
                f"expected a name, got {self.frame_id!r}",
                where="header.frame_id",
                given=self.frame_id,
            )

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], where: str = "header") -> Header:
        """A header from a dict with ROS's keys; ``stamp`` is seconds, or {secs, nsecs}.

        Raises:
            CommandError: A wrong key or value.
        """
        check_keys(mapping(value, where), ("seq", "stamp", "frame_id"), where)
        stamp = value.get("stamp", 0.0)
        if isinstance(stamp, Mapping):
            known = ("secs", "nsecs", "sec", "nanosec")
            check_keys(stamp, known, f"{where}.stamp")
            whole = stamp.get("secs", stamp.get("sec", 0))
            parts = (whole, stamp.get("nsecs", stamp.get("nanosec", 0)))
            seconds, nanoseconds = as_vector(parts, f"{where}.stamp", 2)
            stamp = seconds + 1e-9 * nanoseconds
        (seconds,) = as_vector([stamp], f"{where}.stamp", 1)
        return cls(seq=value.get("seq", 0), stamp=seconds, frame_id=value.get("frame_id", ""))

    def to_dict(self) -> dict[str, Any]:
        """The header with ROS's keys."""
        return {"seq": self.seq, "stamp": self.stamp, "frame_id": self.frame_id}


@named_fields(CommandFieldError)
@dataclass(frozen=True, kw_only=True)
class Pose:
    """A pose.

    Args:
        position: (3,) [m].
        orientation: Unit quaternion (4,), (x, y, z, w).
    """

    position: Vector = field(default=(0.0, 0.0, 0.0), kw_only=False)
    orientation: Vector = (0.0, 0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        """Check and normalise.

        Raises:
            CommandError: Not finite, a wrong count, or no unit quaternion.
        """
        put = object.__setattr__
        put(self, "position", as_vector(self.position, "pose.position", 3))
        quat = as_vector(self.orientation, "pose.orientation", 4)
        norm = math.sqrt(sum(q * q for q in quat))
        if abs(norm - 1.0) > QUAT_TOLERANCE:
            raise CommandError(
                f"expected a unit quaternion (x, y, z, w), got {quat} with norm {norm:.6g}",
                where="pose.orientation",
                given=quat,
                hint="the identity is (0, 0, 0, 1)",
            )
        put(self, "orientation", tuple(q / norm for q in quat))

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], where: str = "pose") -> Pose:
        """A pose from a dict with ROS's keys.

        Raises:
            CommandError: A wrong key or value.
        """
        check_keys(mapping(value, where), ("position", "orientation"), where)
        return cls(**value)

    def to_dict(self) -> dict[str, Any]:
        """The pose with ROS's keys."""
        orientation = dict(zip("xyzw", (float(q) for q in self.orientation), strict=True))
        return {"position": _xyz(self.position), "orientation": orientation}


@named_fields(CommandFieldError)
@dataclass(frozen=True, kw_only=True)
class Wrench:
    """A force and a torque in world axes, at a body's centre of mass.

    Args:
        force: (3,) [N].
        torque: (3,) [N·m].
    """

    force: Vector = field(default=(0.0, 0.0, 0.0), kw_only=False)
    torque: Vector = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Check.

        Raises:
            CommandError: Not finite, or a wrong count.
        """
        object.__setattr__(self, "force", as_vector(self.force, "wrench.force", 3))
        object.__setattr__(self, "torque", as_vector(self.torque, "wrench.torque", 3))

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], where: str = "wrench") -> Wrench:
        """A wrench from a dict with ROS's keys.

        Raises:
            CommandError: A wrong key or value.
        """
        check_keys(mapping(value, where), ("force", "torque"), where)
        return cls(**value)

    def to_dict(self) -> dict[str, Any]:
        """The wrench with ROS's keys."""
        return {"force": _xyz(self.force), "torque": _xyz(self.torque)}


@named_fields(CommandFieldError)
@dataclass(frozen=True, kw_only=True)
class Twist:
    """A velocity of a body's frame, in world axes.

    Args:
        linear: Of the frame's origin (3,) [m/s].
        angular: (3,) [rad/s].
    """

    linear: Vector = field(default=(0.0, 0.0, 0.0), kw_only=False)
    angular: Vector = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Check.

        Raises:
            CommandError: Not finite, or a wrong count.
        """
        object.__setattr__(self, "linear", as_vector(self.linear, "twist.linear", 3))
        object.__setattr__(self, "angular", as_vector(self.angular, "twist.angular", 3))

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], where: str = "twist") -> Twist:
        """A twist from a dict with ROS's keys.

        Raises:
            CommandError: A wrong key or value.
        """
        check_keys(mapping(value, where), ("linear", "angular"), where)
        return cls(**value)

    def to_dict(self) -> dict[str, Any]:
        """The twist with ROS's keys."""
        return {"linear": _xyz(self.linear), "angular": _xyz(self.angular)}
