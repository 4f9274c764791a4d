"""A robot's or attachment's handle: what of the scene is its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from mjscene.controllers.rows import controlled_rows
from mjscene.elements import Elements
from mjscene.errors import ModeError
from mjscene.ft_sensors import FtSensors
from mjscene.handles import Handles, Named
from mjscene.jointarrays import Joints
from mjscene.measured import sealed
from mjscene.places import Place
from mjscene.robotmode import RobotMode
from mjscene.spec import CtrlMode
from mjscene.transfer import Transfer

if TYPE_CHECKING:
    from mjscene.controllers.base import Controller
    from mjscene.scene import Scene

C = TypeVar("C", bound="Controller")

__all__ = ["Robot"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


class Robot(Elements):
    """A robot of the scene, or an attachment of one.

    It stays valid when objects are added or removed. Indices are into the scene's current model.
    Joint vectors have one order: its own joints that take commands, in model order, then those of
    its attachments.

    Attributes:
        name: Its name in the scene; an attachment's within its robot.
        prefix: Put before each of its authored names.
    """

    __slots__ = ("__weakref__", "name", "prefix")

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

    def __repr__(self) -> str:
        return f"<{self._owner.title}, {len(self.joint_names)} joints>"

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
        persists until it is replaced. It is of the current model: after an object was added or
        removed, ask for it again. A joint in no mode (None) takes no command: an assignment says
        so, what is written into the view is without effect.
        """
        return self._scene.control.table.command[self.rows]

    @command.setter
    def command(self, value: Sequence[float] | Array) -> None:
        """Set all its commands.

        Raises:
            CommandError: A wrong count, a number that is not finite, or a joint that takes no
                commands (its robot is stopped, a controller commands it, it is in no mode);
                nothing has changed.
        """
        self._scene.control.table.set_commands(np.arange(self.rows.start, self.rows.stop), value)

    @property
    def saturated(self) -> NDArray[np.bool_]:
        """Whether each command is beyond its actuator's range and is clamped by MuJoCo (n,)."""
        return sealed(self._scene.control.saturated()[self.rows])

    @property
    def command_limits(self) -> Array:
        """The range of each command in its mode's unit (n, 2); infinite where there is none."""
        return sealed(self._scene.control.command_limits()[self.rows])

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
            column = int(mode if isinstance(mode, CtrlMode) else CtrlMode[mode.upper()])
        except (AttributeError, KeyError):
            raise ModeError(
                f"unknown mode {mode!r}",
                where="prime.mode",
                given=mode,
                allowed=[m.name for m in CtrlMode],
            ) from None
        table = self._scene.control.table
        rows = np.arange(self.rows.start, self.rows.stop)
        commands = table.primed.copy()
        commands[rows, column] = table.checked(rows, command, "prime.command")
        table.prime(commands)

    # -- controllers -----------------------------------------------------------------------------

    @property
    def controllers(self) -> Mapping[str, Controller]:
        """Its controllers, by name."""
        return Named(self._scene.controllers.on(self.label), "controller")

    def add_controller(
        self,
        controller: C,
        *,
        joints: Sequence[str] | None = None,
        name: str | None = None,
    ) -> C:
        """Put a controller on its joints: it takes them into a mode that it needs, without a jump.

        Args:
            controller: The controller.
            joints: The joints it rules, by the file's or the scene's names, in the order of its
                gains and targets; by default its own joints that offer a mode it can command in.
            name: Its name on this robot; by default its class's.

        Returns:
            The controller.

        Raises:
            ControllerError: It is none, or a joint cannot be its; nothing has changed.
            ModeError: A joint is not there or offers no mode that the controller needs.
        """
        rows = controlled_rows(self._scene, self, controller, joints)
        self._scene.controllers.add(self, controller, rows, name)
        return controller

    def remove_controller(self, controller: Controller | str) -> None:
        """Take a controller away; its joints get their modes back, without a jump.

        Raises:
            ControllerError: It has no such controller.
        """
        runner = self._scene.controllers
        runner.remove(runner.find(self.label, controller))

    # -- what it is doing ------------------------------------------------------------------------

    @property
    def robot_mode(self) -> RobotMode:
        """What it is doing; an attachment says what its robot does.

        A program may say OTHER, IDLE, GUIDING, MOVE or AUTOMATIC_ERROR_RECOVERY by assigning it;
        IDLE gives the word back to the commands.

        Raises:
            CommandError: On assigning: it is stopped, or the mode is none that is said.
        """
        return self._scene.stops.mode(self._owner.root.label)

    @robot_mode.setter
    def robot_mode(self, mode: RobotMode) -> None:
        self._scene.stops.say(self._owner.root.label, mode)

    def stop(self) -> None:
        """Let it hold where it is and take no commands, as its user's stop button does.

        An attachment's stops its robot. Attachments with modes of their own go on.
        """
        self._scene.stops.stop(self._owner.root.label, RobotMode.USER_STOPPED)

    def recover(self) -> None:
        """After a reflex or stop: its joints get their modes back, and it takes commands.

        What was written into its commands meanwhile is dropped. Its controllers start anew from
        where it is: an admittance comes back to there until its ``reference`` is set again.

        Raises:
            CommandError: It is not stopped.
        """
        self._scene.stops.recover(self._owner.root.label)

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
