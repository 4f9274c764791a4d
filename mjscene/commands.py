"""Messages: commands to objects and their states back, in the form of AMBF's and ROS's.

The field names are those of AMBF's ``ObjectCmd``/``RigidBodyCmd`` and ``ObjectState``/
``RigidBodyState`` and of ROS's ``std_msgs`` and ``geometry_msgs``; ``from_dict`` and ``to_dict``
take and give plain dicts with their keys, so that a bridge is a loop over dicts. Quaternions are
(x, y, z, w). All messages are frozen, and a malformed one cannot be made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import CommandError, article, shown
from mjscene.geometry import (
    Header,
    Pose,
    Twist,
    Vector,
    Wrench,
    check_keys,
    is_sequence,
    mapping,
)
from mjscene.spec import CtrlMode
from mjscene.spec.fields import CommandFieldError, named_fields

__all__ = ["Header", "ObjectCmd", "Pose", "Twist", "Wrench"]

Cmd = TypeVar("Cmd")
# AMBF's RigidBodyCmd codes of a joint command's type.
AMBF_TYPES = {0: CtrlMode.TORQUE, 1: CtrlMode.POSITION, 2: CtrlMode.VELOCITY}
_ARRAY, _FLOAT = np.ndarray, np.dtype(float)
_put: Any = object.__setattr__  # what is frozen can only be set so
AMBF_CODES = {mode: code for code, mode in AMBF_TYPES.items()}


def _quickly_made(cls: type[Cmd]) -> type[Cmd]:
    """Have a command of joints alone, which is made every step, made without the other fields.

    A frozen dataclass's own constructor takes longer than half a step of an arm.
    """
    made: Any = cls.__init__

    @wraps(made)
    def __init__(self: Cmd, *args: Any, joint_cmds: Any = None, **others: Any) -> None:  # noqa: N807
        if others or args or joint_cmds is None:
            made(self, *args, joint_cmds=joint_cmds, **others)
            return
        if type(joint_cmds) is not _ARRAY or joint_cmds.dtype is not _FLOAT or joint_cmds.ndim != 1:
            joint_cmds = _vector(joint_cmds)
        _put(self, "joint_bytes", joint_cmds.tobytes())  # the class holds the rest

    cls.__init__ = __init__  # type: ignore[assignment]
    cls.joint_cmds = _FromBytes()  # type: ignore[attr-defined]
    return cls


class _FromBytes:
    """The joint commands of a command that has nothing else, read when they are asked for."""

    def __get__(self, command: Any, owner: type) -> Vector | None:
        numbers: bytes | None = getattr(command, "joint_bytes", None)
        return None if numbers is None else np.frombuffer(numbers)


@_quickly_made
@named_fields(CommandFieldError)
@dataclass(frozen=True, kw_only=True, eq=False)
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
        joint_cmd_types: The newer form: the mode of each number, or its name.
        publish_children_names, publish_joint_names, publish_joint_positions: Ask a body that is
            no root to report them from now on.
    """

    header: Header | None = None
    enable_position_controller: bool | int = False
    pose: Pose | None = None
    wrench: Wrench | None = None
    twist: Twist | None = None
    joint_cmds: Sequence[float] | Vector | None = None
    position_controller_mask: Sequence[bool | int] | None = None
    joint_cmd_types: Sequence[CtrlMode | str] | None = None
    publish_children_names: bool | None = None
    publish_joint_names: bool | None = None
    publish_joint_positions: bool | None = None

    joint_bytes: ClassVar[bytes | None] = None
    """The joint commands as doubles, if it has nothing else; each is in its joint's mode."""

    def __post_init__(self) -> None:
        """Check what can be checked without the scene.

        Raises:
            CommandError: A wrong type, a mask and types together, or a pose controller without
                a pose.
        """
        if self.joint_cmds is not None:
            _put(self, "joint_cmds", _vector(self.joint_cmds))
        self._check()

    def _check(self) -> None:
        """Check all but the joint commands."""
        self._check_part("header", Header)
        self._check_part("pose", Pose)
        self._check_part("wrench", Wrench)
        self._check_part("twist", Twist)
        if self.enable_position_controller is not False:
            self._check_enabled()
        if self.publish is not None:
            self._check_published()
        if self.position_controller_mask is not None and self.joint_cmd_types is not None:
            raise CommandError(
                "give position_controller_mask or joint_cmd_types, not both",
                where="joint_cmd_types",
            )
        if self.joint_cmd_types is not None:
            _put(self, "joint_cmd_types", _modes(self.joint_cmd_types))

    def __eq__(self, other: object) -> bool:
        """Field by field; sequences by their entries."""
        if type(other) is not ObjectCmd:
            return NotImplemented
        return all(_plain(getattr(self, n)) == _plain(getattr(other, n)) for n in _FIELDS)

    def _check_published(self) -> None:
        for name, value in zip(_PUBLISH, self.publish or (), strict=True):
            if value is not None and not (type(value) in (bool, int) and value in (0, 1)):
                raise CommandError(
                    f"expected True or False, got {shown(value)}", where=name, given=value
                )

    @property
    def publish(self) -> tuple[bool | None, bool | None, bool | None] | None:
        """What is asked to be published (children, joints, positions); None if nothing is said."""
        asked = (
            self.publish_children_names,
            self.publish_joint_names,
            self.publish_joint_positions,
        )
        return None if asked == (None, None, None) else asked

    def _check_part(self, name: str, kind: type[Any]) -> None:
        value = getattr(self, name)
        if value is not None and type(value) is not kind:
            raise CommandError(
                f"expected {article(kind.__name__)}, got {shown(value)}", where=name, given=value
            )

    def _check_enabled(self) -> None:
        if not isinstance(self.enable_position_controller, int | np.bool_) or (
            self.enable_position_controller not in (0, 1)
        ):
            raise CommandError(
                f"expected 0 or 1, got {shown(self.enable_position_controller)}",
                where="enable_position_controller",
                given=self.enable_position_controller,
            )
        if self.enable_position_controller and self.pose is None:
            raise CommandError("the position controller is enabled without a pose", where="pose")

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> ObjectCmd:
        """A command from a dict with AMBF's keys (of ``ObjectCmd`` or ``RigidBodyCmd``).

        AMBF fills what a sender leaves out with zeros: a pose that is not enabled is not read,
        and so may hold a zero quaternion. Its ``joint_cmds_types`` are its own codes
        (0 effort, 1 position, 2 velocity).

        Raises:
            CommandError: A wrong key or value.
        """
        allowed = (*_FIELDS, "joint_cmds_types", "cartesian_cmd_type")
        check_keys(mapping(value, "ObjectCmd"), allowed, "ObjectCmd")
        fields = dict(value)
        kind = fields.pop("cartesian_cmd_type", None)
        if kind is not None:
            if not isinstance(kind, int | np.integer) or kind not in (0, 1, 2):
                raise CommandError(
                    f"unknown type {kind!r}",
                    where="cartesian_cmd_type",
                    given=kind,
                    allowed=("0 (force)", "1 (position)", "2 (velocity)"),
                )
            kind = int(kind)
            fields["enable_position_controller"] = kind == 1
            for name in {0: ("pose", "twist"), 1: ("wrench",), 2: ("pose", "wrench")}[kind]:
                fields.pop(name, None)
        enabled = fields.get("enable_position_controller")
        if enabled is None or (isinstance(enabled, int | float | np.generic) and not enabled):
            fields.pop("pose", None)
        codes = fields.pop("joint_cmds_types", None)
        if codes is not None:
            if "joint_cmd_types" in fields:
                raise CommandError(
                    "give joint_cmds_types or joint_cmd_types, not both", where="joint_cmd_types"
                )
            if not is_sequence(codes):
                raise CommandError(
                    f"expected a sequence, got {shown(codes)}",
                    where="joint_cmds_types",
                    given=codes,
                )
            fields["joint_cmd_types"] = [_ambf_type(c, i) for i, c in enumerate(codes)]
        parts = {"header": Header, "pose": Pose, "wrench": Wrench, "twist": Twist}
        for name, part in parts.items():
            if isinstance(fields.get(name), Mapping):
                fields[name] = part.from_dict(fields[name])  # type: ignore[attr-defined]
        return cls(**fields)

    def to_dict(self) -> dict[str, Any]:
        """The command with AMBF's keys, without what is None."""
        result: dict[str, Any] = {}
        for name in _FIELDS:
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


_FIELDS = tuple(f.name for f in fields(ObjectCmd))
_PUBLISH = ("publish_children_names", "publish_joint_names", "publish_joint_positions")


def _modes(value: Any) -> Any:
    """Modes, with the names of modes read as such; anything else is for ``apply`` to refuse."""
    if not is_sequence(value):
        return value
    known = CtrlMode.__members__
    return tuple(known.get(m.upper(), m) if isinstance(m, str) else m for m in value)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, list | tuple | np.ndarray) else value


def _vector(value: Any) -> NDArray[np.float64]:
    """A sealed copy of joint commands.

    Raises:
        CommandError: They are no vector of numbers.
    """
    try:
        numbers = np.array(value)
        fits = numbers.ndim == 1 and (numbers.dtype.kind in "fiu" or not len(numbers))
        numbers = np.asarray(numbers, dtype=float) if fits else numbers
    except (TypeError, ValueError, OverflowError):
        fits = False
    if not fits or isinstance(value, str | bytes):
        raise CommandError(f"expected numbers, got {shown(value)}", where="joint_cmds", given=value)
    numbers.setflags(write=False)
    return numbers


def _ambf_type(code: Any, index: int) -> CtrlMode:
    if not isinstance(code, int | np.integer) or code not in AMBF_TYPES:
        raise CommandError(
            f"unknown type {code!r}",
            where=f"joint_cmds_types[{index}]",
            given=code,
            allowed=("0 (effort)", "1 (position)", "2 (velocity)"),
        )
    return AMBF_TYPES[int(code)]
