"""Robots and what is attached to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from mjscene.errors import SpecError
from mjscene.spec import checks
from mjscene.spec.attach import WORLD, AttachKind, AttachTarget, check_target
from mjscene.spec.fields import SpecFieldError, named_fields
from mjscene.spec.limits import JointLimits
from mjscene.spec.modes import BodyController, CtrlMode, CtrlModeSpec

__all__ = ["AttachmentSpec", "Home", "RobotSpec"]

Home = str | Sequence[float] | Sequence[tuple[str, float]] | Mapping[str, float] | None
"""A start pose: a keyframe's name, one number per joint, or numbers by joint (kept as pairs)."""


def source_label(source: Any) -> str:
    """A short name for a source: the model's name or the file's stem."""
    if isinstance(source, str):
        if source.lstrip("\ufeff \t\r\n").startswith("<"):
            found = re.search(r"<mujoco[^>]*\bmodel\s*=\s*[\"']([^\"']+)", source)
            return found.group(1) if found else "robot"
        head, _, tail = source.partition(":")
        if head in ("menagerie", "mjscene") and tail:
            return tail.split("/")[0]
        return PurePath(source).stem
    return str(getattr(source, "modelname", None) or getattr(source, "model", None) or "robot")


def prefix_label(prefix: str) -> str:
    """The prefix without its separator: ``left`` for ``left/``, ``left_`` or ``left-``."""
    return prefix.rstrip("/_-.: ")


def check_home(value: Any, where: str) -> Home:
    """A start pose in its normal form."""
    if value is None:
        return None
    if isinstance(value, str):
        return checks.name(value, where)
    if isinstance(value, Mapping):
        value = tuple(value.items())
    if not isinstance(value, Iterable):
        raise SpecError(
            f"expected a keyframe's name or joint values, got {value!r}", where=where, given=value
        )
    items = tuple(value)
    if items and all(isinstance(i, tuple | list) and len(i) == 2 for i in items):
        pairs = tuple(
            (checks.name(n, f"{where}[{k}]"), checks.number(v, f"{where}[{n!r}]"))
            for k, (n, v) in enumerate(items)
        )
        checks.unique((n for n, _ in pairs), where, "joint")
        return pairs
    return tuple(checks.number(v, f"{where}[{i}]") for i, v in enumerate(items))


def _checked(spec: RobotSpec | AttachmentSpec, *checking: Callable[[Any], None]) -> None:
    """Run checks; an error says which of several robots it is about."""
    try:
        for check in checking:
            check(spec)
    except SpecError as error:
        words = (spec.name, prefix_label(spec.prefix) if isinstance(spec.prefix, str) else None)
        label = next((w for w in words if isinstance(w, str) and w.isprintable() and w), None)
        if label is None:
            raise
        kind = "robot" if isinstance(spec, RobotSpec) else "attachment"
        raise error.of(f"{kind} {label!r}") from None


def _check_common(spec: RobotSpec | AttachmentSpec) -> None:
    kind = type(spec).__name__
    put = object.__setattr__
    put(spec, "path", checks.source(spec.path, f"{kind}.path"))
    checks.name(spec.prefix, f"{kind}.prefix", empty=True)
    if spec.name is not None:
        checks.name(spec.name, f"{kind}.name")
    check_target(spec.attach_to, f"{kind}.attach_to")
    put(spec, "pos", checks.vector(spec.pos, f"{kind}.pos", 3))
    put(spec, "quat", checks.unit_quat(spec.quat, f"{kind}.quat"))
    put(spec, "modes", checks.tuple_of(spec.modes, f"{kind}.modes", CtrlModeSpec))
    put(spec, "home", check_home(spec.home, f"{kind}.home"))
    put(spec, "limits", checks.tuple_of(spec.limits, f"{kind}.limits", JointLimits))
    checks.boolean(spec.regroup, f"{kind}.regroup")
    checks.boolean(spec.drop_world, f"{kind}.drop_world")
    where = f"{kind}.contact_exclusions"
    given = checks.sequence(spec.contact_exclusions, where, "pairs of body names")
    if any(isinstance(pair, str) for pair in given):
        raise SpecError(
            f"expected pairs of body names, got {given!r}",
            where=where,
            given=given,
            hint="write [('a', 'b')]",
        )
    pairs = tuple(checks.names(pair, f"{where}[{i}]") for i, pair in enumerate(given))
    for i, pair in enumerate(pairs):
        if len(pair) != 2:
            raise SpecError(
                f"expected two body names, got {pair!r}", where=f"{where}[{i}]", given=pair
            )
    put(spec, "contact_exclusions", pairs)


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class AttachmentSpec:
    """Something attached to a robot: a mount, a sensor, a gripper, a further arm.

    Args:
        path: The model: a path, ``menagerie:NAME``, ``mjscene:NAME``, XML, an MjSpec or a PyMJCF
            element.
        attach_to: The body, site or frame of the robot, or of an earlier attachment, that the
            model's world is attached to; names are the file's own.
        prefix: Put before every name of the model, after the robot's prefix.
        name: The attachment's name within the robot; by default the prefix without its separator,
            else the model's name.
        pos: Position in the frame of ``attach_to`` [m].
        quat: Orientation in the frame of ``attach_to``, (x, y, z, w).
        modes: Control modes of its own, which make it an owner that switches by itself. Without
            any, its joints have the modes of the file's actuators, and switch and are commanded
            with the robot's.
        contact_exclusions: Pairs (body of the robot, body of the attachment) that never touch.
        home: Its start pose: a keyframe's name of its file, or joint values.
        regroup: Move actuator groups that the file assigns to group 0 instead of raising.
        drop_world: Leave out the geoms, lights and sky of the file's world.
        initial_mode: The mode it starts in; by default what its own actuators give.
        limits: Limits and contact thresholds of its joints.
    """

    path: Any = field(kw_only=False)
    attach_to: AttachTarget
    prefix: str = ""
    name: str | None = None
    pos: Sequence[float] = (0.0, 0.0, 0.0)
    quat: Sequence[float] = (0.0, 0.0, 0.0, 1.0)
    modes: Sequence[CtrlModeSpec] = ()
    contact_exclusions: Sequence[tuple[str, str]] = ()
    home: Home = None
    regroup: bool = False
    drop_world: bool = False
    initial_mode: CtrlMode | None = None
    limits: Sequence[JointLimits] = ()

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            SpecError: A wrong type, value or name.
        """
        _checked(self, _check_common, _check_initial_mode)
        if self.attach_to.kind is AttachKind.WORLD:
            raise SpecError(
                "an attachment is attached to a body, site or frame of its robot",
                where="AttachmentSpec.attach_to",
                given=self.attach_to,
                hint="to stand in the world, make it a robot of its own",
            )

    @property
    def label(self) -> str:
        """The attachment's name within its robot."""
        return self.name or prefix_label(self.prefix) or source_label(self.path)


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class RobotSpec:
    """A robot: its model, where it stands, what is attached to it and how it is controlled.

    Args:
        path: The model: a path (.xml, .urdf, .mjz), ``menagerie:NAME``, ``mjscene:NAME``, XML, an
            MjSpec or a PyMJCF element.
        prefix: Put before every name of the model. Prefixes are unique in a scene.
        name: The robot's name in the scene; by default the prefix without its separator, else the
            model's name.
        attach_to: The world, or a body, site or frame of an earlier robot or an object, by its
            name in the scene.
        pos: Position in the frame of ``attach_to`` [m].
        quat: Orientation in the frame of ``attach_to``, (x, y, z, w).
        attachments: What is attached to it, in order.
        modes: Control modes beside those its own actuators give; TORQUE by default.
        home: What ``reset()`` starts from: a keyframe's name of its file, or values [rad or m],
            one per hinge or slide joint of its file in model order or by joint name.
        contact_exclusions: Pairs (body elsewhere in the scene or of the robot, or ``world``; body
            of the robot) that never touch.
        regroup: Move actuator groups that the file assigns to group 0 instead of raising.
        drop_world: Leave out the geoms, lights and sky of the file's world.
        initial_mode: The mode it starts in; by default what its own actuators give.
        controller: Gains for pose commands of its base (a free joint).
        watchdog: Simulated time without a new command after which efforts are released and
            positions held [s]; None for never.
        limits: Limits and contact thresholds of its joints.
        reflex: Whether a collision stops it: it holds where it is and refuses commands until
            ``robot.recover()``.
    """

    path: Any = field(kw_only=False)
    prefix: str = ""
    name: str | None = None
    attach_to: AttachTarget = WORLD
    pos: Sequence[float] = (0.0, 0.0, 0.0)
    quat: Sequence[float] = (0.0, 0.0, 0.0, 1.0)
    attachments: Sequence[AttachmentSpec] = ()
    modes: Sequence[CtrlModeSpec] = (CtrlModeSpec(),)
    home: Home = None
    contact_exclusions: Sequence[tuple[str, str]] = ()
    regroup: bool = False
    drop_world: bool = False
    initial_mode: CtrlMode | None = None
    controller: BodyController | None = None
    watchdog: float | None = None
    limits: Sequence[JointLimits] = ()
    reflex: bool = False

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            SpecError: A wrong type, value or name, or two attachments of one name or prefix.
        """
        _checked(self, _check_common, _check_initial_mode, RobotSpec._check_parts)

    def _check_parts(self) -> None:
        put = object.__setattr__
        attachments = checks.tuple_of(self.attachments, "RobotSpec.attachments", AttachmentSpec)
        put(self, "attachments", attachments)
        where = "RobotSpec.attachments"
        check_prefixes(attachments, where)
        checks.unique((a.label for a in attachments), where, "attachment name")
        if self.controller is not None:
            checks.instance(self.controller, "RobotSpec.controller", BodyController)
        checks.boolean(self.reflex, "RobotSpec.reflex")
        if self.watchdog is not None:
            put(self, "watchdog", checks.number(self.watchdog, "RobotSpec.watchdog", above=0))

    @property
    def label(self) -> str:
        """The robot's name in the scene."""
        return self.name or prefix_label(self.prefix) or source_label(self.path)


def check_prefixes(parts: Sequence[RobotSpec | AttachmentSpec], where: str) -> None:
    """Refuse a prefix that two have; their names are often equal by that alone.

    Raises:
        SpecError: It names both, and says whether their names are equal, too.
    """
    first: dict[str, int] = {}
    for i, part in enumerate(parts):
        k = first.setdefault(part.prefix, i)
        if k == i or (isinstance(part, AttachmentSpec) and not part.prefix):
            continue
        labels = (parts[k].label, part.label)
        if labels[0] == labels[1]:
            both = f"{where}[{k}] and {where}[{i}], and so is the name {labels[0]!r}"
        else:
            both = f"{where}[{k}] ({labels[0]}) and {where}[{i}] ({labels[1]})"
        raise SpecError(
            f"the prefix {part.prefix!r} is used twice: {both}",
            where=f"{where}[{i}].prefix",
            given=part.prefix,
            hint="give each a prefix of its own, such as 'left/' and 'right/'",
        )


def _check_initial_mode(spec: RobotSpec | AttachmentSpec) -> None:
    if spec.initial_mode is not None:
        where = f"{type(spec).__name__}.initial_mode"
        object.__setattr__(spec, "initial_mode", checks.member(spec.initial_mode, where, CtrlMode))
