"""What every controller is: a law that commands joints of one robot, once a control period."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mjscene.gravcomp import by_drives
from mjscene.measured import sealed
from mjscene.periods import whole_steps
from mjscene.spec import CtrlMode

if TYPE_CHECKING:
    from mjscene.joints import JointTable
    from mjscene.robot import Robot

__all__ = ["ControlledJoints", "Controller"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


class ControlledJoints:
    """The joints that a controller rules (k of them), in the scene's current model.

    Attributes:
        names: The scene's names.
        rows: Their rows in the scene's joint vectors (k,).
        qpos_adr, dof_adr: Where they are in ``data.qpos`` and ``data.qvel`` (k,).
        base_body: The id of the robot's base body.
        prefix: The robot's prefix.
        model, data: MuJoCo's own.
        table: The scene's joint table.
    """

    # No other attributes: a misspelled one is an error.
    __slots__ = (
        *("base_body", "data", "dof_adr", "model", "names", "prefix", "qpos_adr", "rows", "table"),
    )

    def __init__(
        self, model: Any, data: Any, table: JointTable, rows: Ints, base_body: int, prefix: str
    ) -> None:
        self.model, self.data, self.table = model, data, table
        self.rows = rows
        self.names = tuple(table.names[r] for r in rows)
        self.qpos_adr, self.dof_adr = table.qpos_adr[rows], table.dof_adr[rows]
        self.base_body, self.prefix = base_body, prefix

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def position(self) -> Array:
        """Positions (k,) [rad or m]."""
        return np.asarray(self.data.qpos[self.qpos_adr])

    @property
    def velocity(self) -> Array:
        """Velocities (k,) [rad/s or m/s]."""
        return np.asarray(self.data.qvel[self.dof_adr])

    @property
    def effort(self) -> Array:
        """What the drives delivered in the last step (k,) [N·m or N]."""
        kept = self.table.delivered
        return np.asarray((self.data.qfrc_actuator if kept is None else kept)[self.dof_adr])

    @property
    def command(self) -> Array:
        """Their commands (k,), each in the unit of its mode; assigning sets them.

        It is a copy, sealed against writing: a write would not reach the joints.
        """
        return sealed(self.table.command[self.rows])

    @command.setter
    def command(self, value: Array) -> None:
        """Set all of them.

        Raises:
            CommandError: A wrong count, or a number that is not finite; nothing has changed.
        """
        self.table.give(self.rows, self.table.checked(self.rows, value, "joints.command"))

    @property
    def load(self) -> Array:
        """h = bias - passive (k,) [N·m or N]: what holds the joints in their motion of now."""
        data, dofs = self.data, self.dof_adr
        return np.asarray(data.qfrc_bias[dofs] - data.qfrc_passive[dofs])

    @property
    def owed(self) -> Array:
        """``load``, less the gravity compensation that MuJoCo adds to the drives (k,)."""
        return self.load - by_drives(self.model, self.data, self.dof_adr)

    @property
    def mode(self) -> Ints:
        """Their modes (k,)."""
        return np.asarray(self.table.mode[self.rows])


class Controller(ABC):
    """A law that commands joints of a robot, once a control period.

    ``robot.add_controller(controller)`` takes its joints into a mode that it needs, calls
    ``reset`` and from then on ``update`` before every step that begins a period.

    Attributes:
        modes: The modes it can command in, the preferred first; empty for any.
        adds: Whether it only adds to what others command. Of those that do not, a joint has one.
        carries_load: Whether it commands what the drives owe gravity itself, so that nothing else
            may add that.
        needs_joints: Whether it needs joints to command.
        joints: The joints it rules, while it is attached.
    """

    modes: tuple[CtrlMode, ...] = ()
    adds: ClassVar[bool] = False
    carries_load: ClassVar[bool] = False
    needs_joints: bool = True

    # With those of the classes here no other attributes: a misspelled one is an error. Classes
    # without slots may have any. These are not there until they are set.
    __slots__ = ("__weakref__", "_changed", "_joints", "_period")
    _joints: ControlledJoints | None
    _changed: Callable[[], Callable[[], None] | None] | None  # weak
    _period: float | None

    def __repr__(self) -> str:
        held = getattr(self, "_joints", None)
        rules = "attached to no robot" if held is None else f"on {', '.join(held.names) or 'none'}"
        return f"<{type(self).__name__}, {rules}>"

    @property
    def period(self) -> float | None:
        """Time between two updates [s], a multiple of the timestep; None for every step."""
        return getattr(self, "_period", None)

    @period.setter
    def period(self, value: float | None) -> None:
        if self.is_attached and value is not None:
            whole_steps(value, self.joints.model.opt.timestep, f"{type(self).__name__}.period")
        self._period = value
        self.parameters_changed()

    @property
    def joints(self) -> ControlledJoints:
        """The joints it rules.

        Raises:
            ControllerError: It is attached to no robot.
        """
        joints: ControlledJoints | None = getattr(self, "_joints", None)
        if joints is None:
            from mjscene.errors import ControllerError

            raise ControllerError(
                f"{type(self).__name__} is attached to no robot",
                hint="robot.add_controller(controller) first",
            )
        return joints

    @property
    def is_attached(self) -> bool:
        """Whether a robot has it."""
        return getattr(self, "_joints", None) is not None

    def bind(self, joints: ControlledJoints) -> None:
        """Rule these joints; called when it is attached and whenever the model is a new one."""
        self._joints = joints

    def release(self, robot: Robot) -> None:
        """Take back what it added; called before its joints get their modes back."""
        return

    @abstractmethod
    def reset(self, robot: Robot) -> None:
        """Start anew at the robot's state of now."""

    def resume(self, robot: Robot) -> None:
        """Go on after the robot was stopped and has recovered: by default start anew."""
        self.reset(robot)

    @abstractmethod
    def update(self, robot: Robot, dt: float) -> None:
        """Command the joints for the period that begins.

        What it raises comes out of ``scene.step()``: the step is not taken, controllers that were
        added before it have had their turn, and the next step asks it again.

        Args:
            robot: The robot.
            dt: The period [s].
        """

    def get_state(self) -> dict[str, Any]:
        """What it must have to go on later as it would now: arrays and numbers, as copies."""
        return {}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a state that ``get_state`` gave."""
        return

    def bank_key(self) -> Hashable:
        """Controllers of one class with equal keys are updated in one pass over arrays."""
        return id(self)

    @classmethod
    def make_bank(cls, members: Sequence[Any], dt: float) -> Callable[[], None] | None:
        """One pass that updates all members; None to update them one by one."""
        return None

    def parameters_changed(self) -> None:
        """To be called by setters: what was worked out for the pass is worked out again."""
        changed = getattr(self, "_changed", None)
        forget = changed() if changed is not None else None
        if forget is not None:
            forget()
