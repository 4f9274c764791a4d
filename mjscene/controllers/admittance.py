"""Joint admittance: joints give way to what pushes them, and come back.

After OpenSoT's velocity-level task ``JointAdmittance`` (ADVRHumanoids/OpenSoT,
src/tasks/velocity/JointAdmittance.cpp). With h = bias - passive, what the drives would have to
deliver, and the measured drive efforts, which are what they do deliver,

    residual = h - measured            what is left is what pushes from outside
    reference velocity = C low_pass(residual) + λ (reference - position)

which is integrated to the set-point of joints in POSITION, and sent to joints in VELOCITY. At rest
under a constant push τ the joints stand at reference + C τ / λ (element by element for a number C).

OpenSoT has C and λ per tick of its loop, C = 0.00015 rad/(N·m) and λ = 0.005, at the 2 ms that its
filter is made for. Here both are per second: C = 0.00015 / 0.002 s = 0.075 rad/(N·m·s) and
λ = 0.005 / 0.002 s = 2.5 /s. A floating base is not moved.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mjscene.controllers.base import ControlledJoints, Controller
from mjscene.controllers.filters import SecondOrderFilter
from mjscene.controllers.matrices import checked_target, checked_vector, gain_matrix, is_diagonal
from mjscene.errors import ControllerError, shown
from mjscene.periods import whole_steps
from mjscene.spec import CtrlMode

if TYPE_CHECKING:
    from mjscene.robot import Robot

__all__ = ["JointAdmittance"]

Array = NDArray[np.float64]
COMPLIANCE, LAMBDA = 0.00015 / 0.002, 0.005 / 0.002


class JointAdmittance(Controller):
    """Joints that give way to what pushes them.

    Args:
        compliance: C: a number >= 0, or a symmetric positive definite matrix (k, k) that couples
            the joints [rad/(N·m·s) or m/(N·s)].
        lambda_: λ, how fast joints come back (k,) or a number, >= 0 [1/s].
        time_step: Time between two updates, a multiple of the timestep [s]; None for every step.
        damping: Damping ratio of the filter of the residual.
        omega: Corner of that filter [rad/s].

    Raises:
        ControllerError: A compliance that is none.
        SpecError: A parameter of the filter that is none.
    """

    modes = (CtrlMode.POSITION, CtrlMode.VELOCITY)
    adds: ClassVar[bool] = False

    def __init__(
        self,
        *,
        compliance: float | Array | Sequence[Sequence[float]] = COMPLIANCE,
        lambda_: float | Sequence[float] | Array = LAMBDA,
        time_step: float | None = None,
        damping: float = 1.0,
        omega: float = 2 * math.pi * 8,
    ) -> None:
        self._filter = SecondOrderFilter(omega, damping, time_step or 0.002)
        if time_step is not None:
            self._filter.time_step = time_step
        self.period = time_step
        self._compliance: float | Array = _compliance(compliance)
        self._lambda = checked_vector(lambda_, "JointAdmittance.lambda_")
        # Value and rate of the filter (2, k), set-point and reference (k,): views of the bank's.
        self._low_passed = np.zeros((2, 0))
        self._set_point, self._reference = np.zeros(0), np.zeros(0)
        self._velocity = np.zeros(0)

    # -- parameters ------------------------------------------------------------------------------

    def set_joint_compliance(self, compliance: Any) -> None:
        """Set C: a number >= 0, or a symmetric positive definite matrix (k, k).

        Raises:
            ControllerError: It is neither, or of another size than the joints; it stays as it was.
        """
        value = _compliance(compliance)
        if self.is_attached:
            _check_size(value, len(self.joints))
        self._compliance = value
        self.parameters_changed()

    def get_joint_compliance(self) -> float | Array:
        """C as a matrix (k, k), a copy; before it has joints, as it was given."""
        if self.is_attached and not isinstance(self._compliance, np.ndarray):
            return np.eye(len(self.joints)) * self._compliance
        return np.copy(self._compliance) if np.ndim(self._compliance) else self._compliance

    @property
    def lambda_(self) -> Array:
        """λ, one number or one per joint [1/s]; assigning sets it."""
        return self._lambda.copy()

    @lambda_.setter
    def lambda_(self, value: float | Sequence[float] | Array) -> None:
        vector = checked_vector(value, "lambda_")
        if self.is_attached:
            _check_count(vector, len(self.joints), "lambda_")
        self._lambda = vector
        self.parameters_changed()

    def set_filter_params(self, time_step: float | None, damping: float, omega: float) -> None:
        """Set all parameters of the filter; its output stays continuous.

        Raises:
            SpecError: One is none, or the time step no multiple of the scene's; all stay.
        """
        new = SecondOrderFilter(omega, damping, self._own_step(time_step))
        self._filter, self.period = new, time_step
        self.parameters_changed()

    def set_filter_time_step(self, time_step: float | None) -> None:
        """Set the time between two updates [s], of which the filter is told too.

        Raises:
            SpecError: It is none, or no multiple of the scene's timestep; it stays as it was.
        """
        self.set_filter_params(time_step, self._filter.damping, self._filter.omega)

    def set_filter_damping(self, damping: float) -> None:
        """Set the filter's damping ratio.

        Raises:
            SpecError: It is none; it stays as it was.
        """
        self.set_filter_params(self.period, damping, self._filter.omega)

    def set_filter_omega(self, omega: float) -> None:
        """Set the filter's corner [rad/s].

        Raises:
            SpecError: It is none; it stays as it was.
        """
        self.set_filter_params(self.period, self._filter.damping, omega)

    def _own_step(self, time_step: float | None) -> float:
        """The filter's time step: the time between two updates [s]."""
        if not self.is_attached:
            return 0.002 if time_step is None else time_step
        step = float(self.joints.model.opt.timestep)
        if time_step is None:
            return step
        return whole_steps(time_step, step, "set_filter_time_step") * step

    @property
    def filter(self) -> SecondOrderFilter:
        """A filter with the parameters of now."""
        return SecondOrderFilter(self._filter.omega, self._filter.damping, self._filter.time_step)

    # -- what it does ----------------------------------------------------------------------------

    @property
    def reference(self) -> Array:
        """Where joints come back to (k,) [rad or m], a copy; assigning sets it.

        Raises:
            ControllerError: A wrong count, or a number that is not finite; it stays as it was.
        """
        return self._reference.copy()

    @reference.setter
    def reference(self, value: Sequence[float] | Array) -> None:
        self._reference[:] = checked_target(value, len(self.joints), "reference")

    @property
    def reference_velocity(self) -> Array:
        """The reference velocity of the last update (k,) [rad/s or m/s], a copy."""
        return self._velocity.copy()

    def bind(self, joints: ControlledJoints) -> None:
        """Rule these joints.

        Raises:
            ControllerError: A parameter is for another number of joints.
        """
        _check_size(self._compliance, len(joints))
        _check_count(self._lambda, len(joints), "lambda_")
        super().bind(joints)
        self._filter.time_step = self._own_step(self.period)

    def reset(self, robot: Robot) -> None:
        """Take the measured position as the reference, and no push."""
        joints = self.joints
        self._low_passed = np.zeros((2, len(joints)))
        self._reference, self._velocity = joints.position.copy(), np.zeros(len(joints))
        self._set_point = joints.command.copy()
        self.parameters_changed()

    def update(self, robot: Robot, dt: float) -> None:
        """Update this one alone."""
        self.make_bank([self], dt)()

    def get_state(self) -> dict[str, Any]:
        """The filter's state, the set-point, the reference and the velocity, as copies."""
        return {
            "low_passed": self._low_passed.copy(),
            "set_point": self._set_point.copy(),
            "reference": self._reference.copy(),
            "velocity": self._velocity.copy(),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a state."""
        for name, value in state.items():
            setattr(self, f"_{name}", value.copy())
        self.parameters_changed()

    def bank_key(self) -> Hashable:
        """Those with one filter are updated in one pass."""
        return (self._filter.omega, self._filter.damping, self._filter.time_step)

    @classmethod
    def make_bank(cls, members: Sequence[JointAdmittance], dt: float) -> Callable[[], None]:
        """One pass for all members."""
        return _Bank(members, dt).run


class _Bank:
    """The joints of several controllers (n), as arrays that the members have views of."""

    def __init__(self, members: Sequence[JointAdmittance], dt: float) -> None:
        joints = [m.joints for m in members]
        first = joints[0]
        self.dt, self.data, self.command = dt, first.data, first.table.command
        self.rows = np.concatenate([j.rows for j in joints])
        self.dofs = np.concatenate([j.dof_adr for j in joints])
        self.qpos_adr = np.concatenate([j.qpos_adr for j in joints])
        count = len(self.rows)
        self.transition = members[0]._filter.transition
        self.signal, self.filtered = np.zeros((3, count)), np.zeros((3, count))
        self.set_point, self.reference = np.zeros(count), np.zeros(count)
        self.velocity, self.lambda_ = np.zeros(count), np.zeros(count)
        self.in_velocity = first.table.mode[self.rows] == CtrlMode.VELOCITY
        self.some_in_velocity = bool(self.in_velocity.any())
        ends = first.table.laws.ends[self.rows, CtrlMode.POSITION]
        self.low, self.high = ends[:, 0].copy(), ends[:, 1].copy()
        matrix = np.zeros((count, count))
        start = 0
        for member, own in zip(members, joints, strict=True):
            part = slice(start, start + len(own))
            start = part.stop
            self.signal[1:, part] = member._low_passed
            self.set_point[part], self.reference[part] = member._set_point, member._reference
            self.velocity[part], self.lambda_[part] = member._velocity, member._lambda
            matrix[part, part] = member.get_joint_compliance()
            member._low_passed = self.signal[1:, part]
            member._set_point, member._reference = self.set_point[part], self.reference[part]
            member._velocity = self.velocity[part]
        self.compliance = np.diag(matrix).copy() if is_diagonal(matrix) else matrix
        self.couples = self.compliance.ndim == 2
        self.bias, self.passive = self.data.qfrc_bias, self.data.qfrc_passive
        self.measured, self.qpos = self.data.qfrc_actuator, self.data.qpos

    def run(self) -> None:
        """Update all."""
        dofs, velocity = self.dofs, self.velocity
        residual = self.signal[0]
        np.subtract(self.bias[dofs], self.passive[dofs], residual)
        residual -= self.measured[dofs]
        np.dot(self.transition, self.signal, self.filtered)
        self.signal[1:] = self.filtered[1:]
        if self.couples:
            np.dot(self.compliance, self.filtered[0], velocity)
        else:
            np.multiply(self.compliance, self.filtered[0], velocity)
        error = self.reference - self.qpos[self.qpos_adr]
        error *= self.lambda_
        velocity += error
        set_point = self.set_point
        set_point += velocity * self.dt
        # A set-point that ran away beyond its range would take as long to come back.
        np.maximum(set_point, self.low, out=set_point)
        np.minimum(set_point, self.high, out=set_point)
        if self.some_in_velocity:
            self.command[self.rows] = np.where(self.in_velocity, velocity, set_point)
        else:
            self.command[self.rows] = set_point


def _compliance(value: Any) -> float | Array:
    """C, checked: a number >= 0 or a symmetric positive definite matrix.

    Raises:
        ControllerError: It is neither.
    """
    matrix = gain_matrix(value, "set_joint_compliance")
    if matrix.ndim == 0:
        return float(matrix)
    if matrix.ndim != 2 or not np.linalg.eigvalsh(matrix).min() > 0:
        raise ControllerError(
            f"expected a number >= 0 or a symmetric positive definite matrix, got {shown(value)}",
            where="set_joint_compliance",
            given=value,
        )
    return matrix


def _check_size(value: float | Array, count: int) -> None:
    if np.ndim(value) and np.shape(value) != (count, count):
        raise ControllerError(
            f"expected a matrix ({count}, {count}), one row per joint, got {np.shape(value)}",
            where="set_joint_compliance",
            given=value,
        )


def _check_count(vector: Array, count: int, where: str) -> None:
    if vector.ndim and vector.shape != (count,):
        raise ControllerError(
            f"expected one number or one per joint ({count}), got {vector.size}",
            where=where,
            given=vector,
        )
