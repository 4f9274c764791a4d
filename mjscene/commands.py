"""Messages: commands to objects and their states back, in the form of AMBF's and ROS's.

The field names are those of AMBF's ``ObjectCmd``/``RigidBodyCmd`` and ``ObjectState``/
``RigidBodyState`` and of ROS's ``std_msgs`` and ``geometry_msgs``; ``from_dict`` and ``to_dict``
take and give plain dicts with their keys, so that a bridge is a loop over dicts. Quaternions are
(x, y, z, w). All messages are frozen, and a malformed one cannot be made.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import CommandError, close_matches
from mjscene.spec import CtrlMode

__all__ = ["Header", "ObjectCmd", "Pose", "Twist", "Wrench"]

Vector = Sequence[float] | NDArray[np.float64]
# AMBF's RigidBodyCmd codes of a joint command's type.
AMBF_TYPES = {0: CtrlMode.TORQUE, 1: CtrlMode.POSITION, 2: CtrlMode.VELOCITY}
AMBF_CODES = {mode: code for code, mode in AMBF_TYPES.items()}
# How far a quaternion's norm may be from 1 before it is taken for a mistake.
QUAT_TOLERANCE = 1e-3


def _numbers(value: Any, where: str, size: int) -> tuple[float, ...]:
    """A tuple of ``size`` finite floats."""
    if isinstance(value, Mapping):
        value = _components(value, where)
    try:
        numbers = tuple(float(v) for v in value)
    except (TypeError, ValueError):
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


def _components(value: Mapping[str, Any], where: str) -> list[Any]:
    """The numbers of a ROS vector or quaternion dict, in the order x, y, z, w."""
    _check_keys(value, ("x", "y", "z", "w"), where)
    return [value[k] for k in ("x", "y", "z", "w") if k in value]


def _check_keys(value: Mapping[str, Any], allowed: Sequence[str], where: str) -> None:
    for key in value:
        if key not in allowed:
            raise CommandError(
                f"unknown key {key!r}",
                where=where,
                given=key,
                close=close_matches(str(key), allowed),
                allowed=allowed,
            )


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise CommandError(f"expected a mapping, got {value!r}", where=where, given=value)
    return value


def _xyz(vector: Vector) -> dict[str, float]:
    return dict(zip("xyz", (float(v) for v in vector), strict=True))


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

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], where: str = "header") -> Header:
        """A header from a dict with ROS's keys; ``stamp`` is seconds, or {secs, nsecs}.

        Raises:
            CommandError: A wrong key or value.
        """
        _check_keys(_mapping(value, where), ("seq", "stamp", "frame_id"), where)
        stamp = value.get("stamp", 0.0)
        if isinstance(stamp, Mapping):
            known = ("secs", "nsecs", "sec", "nanosec")
            _check_keys(stamp, known, f"{where}.stamp")
            seconds = stamp.get("secs", stamp.get("sec", 0))
            stamp = seconds + 1e-9 * stamp.get("nsecs", stamp.get("nanosec", 0))
        (seconds,) = _numbers([stamp], f"{where}.stamp", 1)
        return cls(seq=value.get("seq", 0), stamp=seconds, frame_id=value.get("frame_id", ""))

    def to_dict(self) -> dict[str, Any]:
        """The header with ROS's keys."""
        return {"seq": self.seq, "stamp": self.stamp, "frame_id": self.frame_id}


@dataclass(frozen=True, kw_only=True)
class Pose:
    """A pose.

    Args:
        position: (3,) [m].
        orientation: Unit quaternion (4,), (x, y, z, w).
    """

    position: Vector = (0.0, 0.0, 0.0)
    orientation: Vector = (0.0, 0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        """Check and normalise.

        Raises:
            CommandError: Not finite, a wrong count, or no unit quaternion.
        """
        put = object.__setattr__
        put(self, "position", _numbers(self.position, "pose.position", 3))
        quat = _numbers(self.orientation, "pose.orientation", 4)
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
        _check_keys(_mapping(value, where), ("position", "orientation"), where)
        return cls(**value)

    def to_dict(self) -> dict[str, Any]:
        """The pose with ROS's keys."""
        orientation = dict(zip("xyzw", (float(q) for q in self.orientation), strict=True))
        return {"position": _xyz(self.position), "orientation": orientation}


@dataclass(frozen=True, kw_only=True)
class Wrench:
    """A force and a torque in world axes, at a body's centre of mass.

    Args:
        force: (3,) [N].
        torque: (3,) [N·m].
    """

    force: Vector = (0.0, 0.0, 0.0)
    torque: Vector = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Check.

        Raises:
            CommandError: Not finite, or a wrong count.
        """
        object.__setattr__(self, "force", _numbers(self.force, "wrench.force", 3))
        object.__setattr__(self, "torque", _numbers(self.torque, "wrench.torque", 3))

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], where: str = "wrench") -> Wrench:
        """A wrench from a dict with ROS's keys.

        Raises:
            CommandError: A wrong key or value.
        """
        _check_keys(_mapping(value, where), ("force", "torque"), where)
        return cls(**value)

    def to_dict(self) -> dict[str, Any]:
        """The wrench with ROS's keys."""
        return {"force": _xyz(self.force), "torque": _xyz(self.torque)}


@dataclass(frozen=True, kw_only=True)
class Twist:
    """A velocity of a body's frame, in world axes.

    Args:
        linear: Of the frame's origin (3,) [m/s].
        angular: (3,) [rad/s].
    """

    linear: Vector = (0.0, 0.0, 0.0)
    angular: Vector = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Check.

        Raises:
            CommandError: Not finite, or a wrong count.
        """
        object.__setattr__(self, "linear", _numbers(self.linear, "twist.linear", 3))
        object.__setattr__(self, "angular", _numbers(self.angular, "twist.angular", 3))

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], where: str = "twist") -> Twist:
        """A twist from a dict with ROS's keys.

        Raises:
            CommandError: A wrong key or value.
        """
        _check_keys(_mapping(value, where), ("linear", "angular"), where)
        return cls(**value)

    def to_dict(self) -> dict[str, Any]:
        """The twist with ROS's keys."""
        return {"linear": _xyz(self.linear), "angular": _xyz(self.angular)}


@dataclass(frozen=True, kw_only=True)
class ObjectCmd:
    """A command to a robot or a body. What is left None keeps what was commanded before.

    Args:
        header: Which command this is.
        enable_position_controller: Whether the body follows ``pose`` (and ``twist``, as the
            velocity that goes with it) instead of taking ``wrench``.
        pose: Where the body shall be, in its parent's frame.
        wrench: Force and torque on the body.
        twist: The velocity that the body shall have; alone, it is followed without a pose.
        joint_cmds: One number per joint that takes commands below the body, in the order of
            ``ObjectState.joint_names``; it may be shorter: the rest keep their commands.
        position_controller_mask: Per joint, whether its number is a position target (true) or an
            effort (false); missing entries are false. Without a mask a number is in the unit of
            its joint's mode.
        joint_cmd_types: The newer form: the mode of each number.
        publish_children_names, publish_joint_names, publish_joint_positions: Ask a body that is
            no root to report them from now on.
    """

    header: Header | None = None
    enable_position_controller: bool | int = False
    pose: Pose | None = None
    wrench: Wrench | None = None
    twist: Twist | None = None
    joint_cmds: Vector | None = None
    position_controller_mask: Sequence[bool | int] | None = None
    joint_cmd_types: Sequence[CtrlMode] | None = None
    publish_children_names: bool | None = None
    publish_joint_names: bool | None = None
    publish_joint_positions: bool | None = None

    def __post_init__(self) -> None:
        """Check what can be checked without the scene.

        Raises:
            CommandError: A wrong type, a mask and types together, or a pose controller without
                a pose.
        """
        for name, kind in (
            ("header", Header),
            ("pose", Pose),
            ("wrench", Wrench),
            ("twist", Twist),
        ):
            value = getattr(self, name)
            if value is not None and type(value) is not kind:
                raise CommandError(
                    f"expected a {kind.__name__}, got {value!r}", where=name, given=value
                )
        if self.enable_position_controller not in (0, 1):
            raise CommandError(
                f"expected 0 or 1, got {self.enable_position_controller!r}",
                where="enable_position_controller",
                given=self.enable_position_controller,
            )
        if self.enable_position_controller and self.pose is None:
            raise CommandError("the position controller is enabled without a pose", where="pose")
        if self.position_controller_mask is not None and self.joint_cmd_types is not None:
            raise CommandError(
                "give position_controller_mask or joint_cmd_types, not both",
                where="joint_cmd_types",
            )

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> ObjectCmd:
        """A command from a dict with AMBF's keys (of ``ObjectCmd`` or ``RigidBodyCmd``).

        AMBF fills what a sender leaves out with zeros: a pose that is not enabled is not read,
        and so may hold a zero quaternion. Its ``joint_cmds_types`` are its own codes
        (0 effort, 1 position, 2 velocity).

        Raises:
            CommandError: A wrong key or value.
        """
        allowed = (*cls.__dataclass_fields__, "joint_cmds_types", "cartesian_cmd_type")
        _check_keys(_mapping(value, "ObjectCmd"), allowed, "ObjectCmd")
        fields = dict(value)
        kind = fields.pop("cartesian_cmd_type", None)
        if kind is not None:
            if kind not in (0, 1, 2):
                raise CommandError(
                    f"unknown type {kind!r}",
                    where="cartesian_cmd_type",
                    given=kind,
                    allowed=("0 (force)", "1 (position)", "2 (velocity)"),
                )
            fields["enable_position_controller"] = kind == 1
            for name in {0: ("pose", "twist"), 1: ("wrench",), 2: ("pose", "wrench")}[kind]:
                fields.pop(name, None)
        if not fields.get("enable_position_controller"):
            fields.pop("pose", None)
        codes = fields.pop("joint_cmds_types", None)
        if codes is not None:
            fields["joint_cmd_types"] = [_ambf_type(c, i) for i, c in enumerate(codes)]
        parts = {"header": Header, "pose": Pose, "wrench": Wrench, "twist": Twist}
        for name, part in parts.items():
            if isinstance(fields.get(name), Mapping):
                fields[name] = part.from_dict(fields[name])  # type: ignore[attr-defined]
        return cls(**fields)

    def to_dict(self) -> dict[str, Any]:
        """The command with AMBF's keys, without what is None."""
        result: dict[str, Any] = {}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if value is None:
                continue
            if name == "joint_cmd_types":
                result["joint_cmds_types"] = [AMBF_CODES[CtrlMode(m)] for m in value]
            elif name == "joint_cmds":
                result[name] = [float(v) for v in value]
            elif name == "position_controller_mask":
                result[name] = [bool(v) for v in value]
            elif isinstance(value, Header | Pose | Wrench | Twist):
                result[name] = value.to_dict()
            else:
                result[name] = bool(value)
        return result


def _ambf_type(code: Any, index: int) -> CtrlMode:
    if code not in AMBF_TYPES:
        raise CommandError(
            f"unknown type {code!r}",
            where=f"joint_cmds_types[{index}]",
            given=code,
            allowed=("0 (effort)", "1 (position)", "2 (velocity)"),
        )
    return AMBF_TYPES[code]
