"""Joint impedance: joints as springs and dampers about a target."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mjscene.controllers.base import ControlledJoints, Controller
from mjscene.controllers.matrices import as_matrix, checked_target, gain_matrix
from mjscene.measured import sealed
from mjscene.spec import CtrlMode

if TYPE_CHECKING:
    from mjscene.robot import Robot

__all__ = ["JointImpedance"]

Array = NDArray[np.float64]
Gain = float | Sequence[float] | Sequence[Sequence[float]] | Array


class JointImpedance(Controller):
    """Torque = K (q_d - q) + D (v_d - v) + h, with h = bias - passive, in TORQUE.

    h cancels gravity, Coriolis forces, springs and friction of the joints, so that they answer a
    push like springs K and dampers D in front of their inertia.

    Args:
        stiffness: K: a number >= 0, one per joint, or a symmetric positive semidefinite matrix
            (k, k) [N·m/rad or N/m].
        damping: D, likewise [N·m·s/rad or N·s/m].

    Raises:
        ControllerError: A gain that is none.
    """

    modes = (CtrlMode.TORQUE,)
    adds: ClassVar[bool] = False
    carries_load: ClassVar[bool] = True

    __slots__ = ("_damping", "_position", "_stiffness", "_velocity")

    def __init__(self, stiffness: Gain, damping: Gain) -> None:
        self._stiffness = gain_matrix(stiffness, "JointImpedance.stiffness")
        self._damping = gain_matrix(damping, "JointImpedance.damping")
        self._position, self._velocity = np.zeros(0), np.zeros(0)

    @property
    def stiffness(self) -> Array:
        """K as it was given, a sealed copy; assigning sets it."""
        return sealed(self._stiffness.copy())

    @stiffness.setter
    def stiffness(self, value: Gain) -> None:
        self._stiffness = self._gain(value, "stiffness")
        self.parameters_changed()

    @property
    def damping(self) -> Array:
        """D as it was given, a sealed copy; assigning sets it."""
        return sealed(self._damping.copy())

    @damping.setter
    def damping(self, value: Gain) -> None:
        self._damping = self._gain(value, "damping")
        self.parameters_changed()

    def _gain(self, value: Gain, where: str) -> Array:
        gain = gain_matrix(value, where)
        if self.is_attached:
            as_matrix(gain, len(self.joints), where)
        return gain

    @property
    def target(self) -> tuple[Array, Array]:
        """Target positions and velocities (k,): sealed copies; ``set_target`` sets them."""
        return sealed(self._position.copy()), sealed(self._velocity.copy())

    def set_target(
        self, position: Sequence[float] | Array, velocity: Sequence[float] | Array | None = None
    ) -> None:
        """Set the target.

        Args:
            position: One per joint (k,) [rad or m].
            velocity: One per joint (k,) [rad/s or m/s]; zero by default.

        Raises:
            ControllerError: A wrong count, or a number that is not finite; it stays as it was.
        """
        count = len(self.joints)
        wanted = checked_target(position, count, "set_target.position")
        moving = np.zeros(count)
        if velocity is not None:
            moving = checked_target(velocity, count, "set_target.velocity")
        self._position[:], self._velocity[:] = wanted, moving

    def bind(self, joints: ControlledJoints) -> None:
        """Rule these joints.

        Raises:
            ControllerError: A gain is for another number of joints.
        """
        as_matrix(self._stiffness, len(joints), "JointImpedance.stiffness")
        as_matrix(self._damping, len(joints), "JointImpedance.damping")
        super().bind(joints)

    def reset(self, robot: Robot) -> None:
        """Take the measured position as the target, at rest."""
        self._position = self.joints.position.copy()
        self._velocity = np.zeros(len(self.joints))
        self.parameters_changed()

    def update(self, robot: Robot, dt: float) -> None:
        """Update this one alone."""
        self.make_bank([self], dt)()
        self.parameters_changed()  # what it remembers is in other arrays now

    def get_state(self) -> dict[str, Any]:
        """The target, as copies."""
        return {"position": self._position.copy(), "velocity": self._velocity.copy()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a state."""
        self._position, self._velocity = state["position"].copy(), state["velocity"].copy()
        self.parameters_changed()

    def bank_key(self) -> Hashable:
        """All are updated in one pass."""
        return None

    @classmethod
    def make_bank(cls, members: Sequence[JointImpedance], dt: float) -> Callable[[], None]:
        """One pass for all members, whose targets become views of one array."""
        joints = ControlledJoints(
            members[0].joints.model,
            members[0].joints.data,
            members[0].joints.table,
            np.concatenate([m.joints.rows for m in members]),
            members[0].joints.base_body,
            members[0].joints.prefix,
        )
        count = len(joints)
        stiffness, damping = np.zeros((count, count)), np.zeros((count, count))
        position, velocity = np.zeros(count), np.zeros(count)
        start = 0
        for member in members:
            size = len(member.joints)
            part = slice(start, start + size)
            start = part.stop
            stiffness[part, part] = as_matrix(member._stiffness, size, "stiffness")
            damping[part, part] = as_matrix(member._damping, size, "damping")
            position[part], velocity[part] = member._position, member._velocity
            member._position, member._velocity = position[part], velocity[part]

        # A product of matrices sums in an order that depends on their size: a joint's last bit
        # would depend on who else is here. A sum by rows adds column by column.
        springs, dampers = np.ascontiguousarray(stiffness.T), np.ascontiguousarray(damping.T)

        def run() -> None:
            torque = np.add.reduce(springs * (position - joints.position)[:, None], axis=0)
            torque += np.add.reduce(dampers * (velocity - joints.velocity)[:, None], axis=0)
            joints.command = torque + joints.owed

        return run
