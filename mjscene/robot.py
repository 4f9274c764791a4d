"""A robot's or attachment's handle: what of the scene is its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.bases import base_id_of, base_of, free_joint_of
from mjscene.errors import CommandError, ModeError, UnknownNameError, close_matches
from mjscene.ft_sensors import FtSensors
from mjscene.geometry import as_numbers
from mjscene.handles import Handles
from mjscene.keyframes import Addresses
from mjscene.measured import Joints
from mjscene.owners import Owner
from mjscene.places import Place
from mjscene.poses import xyzw
from mjscene.sources import KINDS
from mjscene.spec import CtrlMode
from mjscene.transfer import Transfer

if TYPE_CHECKING:
    from mjscene.scene import Scene

__all__ = ["Robot"]

_SCALAR = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
Array = NDArray[np.float64]
Ints = NDArray[np.intp]


class Robot:
    """A robot of the scene, or an attachment of one.

    It stays valid when objects are added or removed. Indices are into the scene's current model.
    Joint vectors have one order: its own joints that take commands, in model order, then those of
    its attachments.

    Attributes:
        name: Its name in the scene; an attachment's within its robot.
        prefix: Put before each of its authored names.
    """

    __slots__ = ("__weakref__", "_place", "_scene", "name", "prefix")

    def __init__(self, scene: Scene, place: Place, name: str) -> None:
        self._scene = scene
        self._place = place
        self.name = name
        self.prefix = place.owner.prefix

    def __eq__(self, other: object) -> bool:
        """Whether it is a handle of the same robot of the same scene."""
        return isinstance(other, Robot) and other._place is self._place

    def __hash__(self) -> int:
        return id(self._place)

    @property
    def attachments(self) -> Handles:
        """Handles of what is attached to it, by name."""
        parts = {n: Robot(self._scene, p, n) for n, p in self._place.attached.items()}
        return Handles(parts, "attachment")

    @property
    def joints(self) -> Joints:
        """What is measured at its joints."""
        return self._place.joints

    @property
    def ft_sensors(self) -> FtSensors:
        """Its force/torque sensors and its attachments', by their sites' names."""
        return FtSensors(self._scene, self._place)

    @property
    def own_rows(self) -> Ints:
        """Rows of its own joints in the scene's joint vectors, without its attachments' (n,)."""
        return self._place.own_rows

    @property
    def _owner(self) -> Owner:
        return self._place.owner

    @property
    def _at(self) -> Addresses:
        return self._place.at

    def __repr__(self) -> str:
        return f"<{self._owner.title}, {len(self.joint_names)} joints>"

    @property
    def title(self) -> str:
        """What it is called in messages."""
        return self._owner.title

    @property
    def spec(self) -> Any:
        """What the scene's spec says of it."""
        return self._owner.spec

    @property
    def owners(self) -> list[Owner]:
        """Itself and its attachments, as the composition knows them."""
        return [self._owner, *(p.owner for p in self._place.attached.values())]

    @property
    def is_robot(self) -> bool:
        """Whether it is a robot of its own, not an attachment."""
        return self._owner.kind == "robot"

    @property
    def rows(self) -> slice:
        """Where its joints and its attachments' are in the scene's joint vectors."""
        return self._place.rows

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The scene's names of its joints that take commands, and its attachments'."""
        return self._scene.control.table.names[self.rows]

    @property
    def command(self) -> Array:
        """Commands of its joints (n,), each in the unit of its mode, in joint space: a view.

        Write to it (``robot.command[:] = q``) or assign; it takes effect at the next step and
        persists until it is replaced.
        """
        return self._scene.control.table.command[self.rows]

    @command.setter
    def command(self, value: Sequence[float] | Array) -> None:
        """Set all its commands.

        Raises:
            CommandError: A wrong count, or a number that is not finite; nothing has changed.
        """
        self.command[:] = self._checked(value, "command")

    def _checked(self, value: Any, what: str) -> Array:
        numbers = as_numbers(value, what)
        count = len(self.joint_names)
        if numbers.shape != (count,):
            raise CommandError(
                f"{self.title} has {count} joints that take commands, got {numbers.size} numbers",
                where=what,
                given=value,
                allowed=self.joint_names,
            )
        if not np.isfinite(numbers).all():
            k = int(np.flatnonzero(~np.isfinite(numbers))[0])
            raise CommandError(
                f"the command of {self.joint_names[k]!r} is {numbers[k]}",
                where=f"{what}[{k}]",
                given=value,
                element=self.joint_names[k],
            )
        return numbers

    @property
    def saturated(self) -> NDArray[np.bool_]:
        """Whether each command is beyond its actuator's range and is clamped by MuJoCo (n,)."""
        return self._scene.control.saturated()[self.rows]

    @property
    def command_limits(self) -> Array:
        """The range of each command in its mode's unit (n, 2); infinite where there is none."""
        return self._scene.control.command_limits()[self.rows]

    @property
    def ctrl_modes(self) -> tuple[CtrlMode | None, ...]:
        """The mode of each joint; None while only an unmanaged actuator moves it."""
        modes = self._scene.control.table.mode[self.rows].tolist()
        return tuple(CtrlMode(m) if m >= 0 else None for m in modes)

    @property
    def ctrl_mode(self) -> CtrlMode | None:
        """The mode of all its joints, or None when they differ."""
        modes = set(self.ctrl_modes)
        return modes.pop() if len(modes) == 1 else None

    @property
    def offers(self) -> Mapping[str, tuple[CtrlMode, ...]]:
        """The modes that each joint can be in, by the scene's joint names."""
        actuators = self._scene.control.table.actuators[self.rows]
        return MappingProxyType(
            {
                name: tuple(m for m in CtrlMode if ids[m] >= 0)
                for name, ids in zip(self.joint_names, actuators, strict=True)
            }
        )

    def set_control_mode(
        self,
        mode: CtrlMode | str | None,
        joints: Sequence[str] | None = None,
        transfer: Transfer | str = Transfer.BUMPLESS,
    ) -> None:
        """Switch its joints into a mode; see ``Scene.set_control_mode``.

        Raises:
            ModeError: No such joint, or the mode is not offered; nothing has changed.
        """
        self._scene.set_control_mode(self, mode, joints, transfer)

    def prime(self, mode: CtrlMode | str, command: Sequence[float] | Array) -> None:
        """Give the commands that a later switch into ``mode`` with ``Transfer.KEEP`` starts with.

        Args:
            mode: The mode.
            command: One number per joint (n,), in that mode's unit.

        Raises:
            CommandError: A wrong count, or a number that is not finite; nothing has changed.
        """
        try:
            column = int(CtrlMode[mode.upper()] if isinstance(mode, str) else CtrlMode(mode))
        except (KeyError, ValueError):
            raise ModeError(
                f"unknown mode {mode!r}",
                where="prime.mode",
                given=mode,
                allowed=[m.name for m in CtrlMode],
            ) from None
        numbers = self._checked(command, "prime.command")
        self._scene.control.table.primed[self.rows, column] = numbers

    @property
    def joint_ids(self) -> Ints:
        """Model ids of ``joint_names`` (n,)."""
        return self._scene.control.table.joint_ids[self.rows]

    @property
    def qpos_adr(self) -> Ints:
        """Addresses of ``joint_names`` in ``data.qpos`` (n,)."""
        return self._scene.control.table.qpos_adr[self.rows]

    @property
    def dof_adr(self) -> Ints:
        """Addresses of ``joint_names`` in ``data.qvel`` (n,)."""
        return self._scene.control.table.dof_adr[self.rows]

    @property
    def all_joint_names(self) -> tuple[str, ...]:
        """All hinge and slide joints of its own file, driven or not, by the scene's names."""
        model = self._scene.model
        own = self._at.joints[np.isin(model.jnt_type[self._at.joints], _SCALAR)]
        return tuple(str(model.joint(int(j)).name) for j in own)

    def names(self, kind: str) -> tuple[str, ...]:
        """The scene's names of its own elements of a kind (``body``, ``geom``, ``sensor`` …).

        Raises:
            UnknownNameError: There is no such kind.
        """
        known = self._owner.names
        if kind not in known and kind not in KINDS:
            raise UnknownNameError(
                f"there is no kind of element {kind!r}",
                given=kind,
                close=close_matches(kind, KINDS),
                allowed=KINDS,
            )
        gone = self._scene._composition.merged_assets if kind in ("mesh", "texture") else ()
        return tuple(n for n in known.get(kind, ()) if n not in gone)

    @property
    def base_joint(self) -> str | None:
        """The free joint that carries it; None for a fixed base."""
        return free_joint_of(self._scene.model, self.base_body_id)

    @property
    def base_body(self) -> str:
        """The body that ``base_pose`` speaks of: the first of the largest tree of its file."""
        return base_of(self._scene.model, self.names("body"))

    @property
    def base_body_id(self) -> int:
        """The id of ``base_body``, which need not have a name; 0 (the world) if there is none."""
        return base_id_of(self._scene.model, self.names("body"), self._at.joints)

    @property
    def base_pose(self) -> tuple[Array, Array]:
        """World pose of ``base_body``: position (3,) [m] and quaternion (4,) xyzw, copies."""
        data = self._scene.data
        body = self.base_body_id
        return data.xpos[body].copy(), np.array(xyzw(data.xquat[body]))
