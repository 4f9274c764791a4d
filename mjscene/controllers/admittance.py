"""Joint admittance: joints give way to what pushes them, and come back.

After OpenSoT's velocity-level task ``JointAdmittance`` (ADVRHumanoids/OpenSoT,
src/tasks/velocity/JointAdmittance.cpp). With h = bias - passive, what the drives would have to
deliver, and the measured drive efforts, which are what they do deliver,

    residual = h - measured            what is left is what pushes from outside
    reference velocity = C low_pass(residual) + λ (reference - position)

which is integrated to the set-point of joints in POSITION, and sent to joints in VELOCITY. At rest
under a constant push τ the joints stand at reference + C τ / λ (element by element for a number C).

A velocity servo carries a load only while it is behind its command, by effort / kv. Joints in
VELOCITY go on with the lag that they carry their load with when they start, so that nothing drops;
later they give way by 1/kv beside C, and to what the load has changed by. Gravity compensation,
attached before, keeps the load out of that.

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

from mjscene.controllers.admittance_bank import AdmittanceBank
from mjscene.controllers.base import ControlledJoints, Controller
from mjscene.controllers.filters import SecondOrderFilter
from mjscene.controllers.matrices import checked_target, checked_vector, gain_matrix
from mjscene.errors import ControllerError, shown
from mjscene.measured import sealed
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

    __slots__ = (
        *("_base", "_compliance", "_dt", "_filter", "_lambda"),
        *("_low_passed", "_move", "_reference"),
    )

    def __init__(
        self,
        *,
        compliance: float | Array | Sequence[Sequence[float]] = COMPLIANCE,
        lambda_: float | Sequence[float] | Array = LAMBDA,
        time_step: float | None = None,
        damping: float = 1.0,
        omega: float = 2 * math.pi * 8,
    ) -> None:
        self._filter = SecondOrderFilter(omega, damping, 0.002 if time_step is None else time_step)
        self.period = time_step
        self._compliance: float | Array = _compliance(compliance)
        self._lambda = checked_vector(lambda_, "JointAdmittance.lambda_")
        # Filter (2, k), base, reference and move (k,): views of the bank's, see there.
        self._low_passed = np.zeros((2, 0))
        self._base, self._reference = np.zeros(0), np.zeros(0)
        self._move, self._dt = np.zeros(0), 1.0

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
        """λ, one number or one per joint [1/s]: a sealed copy; assigning sets it."""
        return sealed(self._lambda.copy())

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
        """Where joints come back to (k,) [rad or m]: a sealed copy; assigning sets it.

        Raises:
            ControllerError: A wrong count, or a number that is not finite; it stays as it was.
        """
        return sealed(self._reference.copy())

    @reference.setter
    def reference(self, value: Sequence[float] | Array) -> None:
        self._reference[:] = checked_target(value, len(self.joints), "reference")

    @property
    def reference_velocity(self) -> Array:
        """The reference velocity of the last update (k,) [rad/s or m/s], a copy."""
        return self._move / self._dt

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
        self._reference, self._move = joints.position.copy(), np.zeros(len(joints))
        self._base = joints.command.copy()
        in_velocity = joints.mode == CtrlMode.VELOCITY
        self._base[in_velocity] -= joints.velocity[in_velocity]
        self.parameters_changed()

    def share(
        self, low_passed: Array, base: Array, reference: Array, move: Array, dt: float
    ) -> None:
        """Have what it remembers in these arrays (2, k), (k,) from now on."""
        low_passed[:], base[:] = self._low_passed, self._base
        reference[:], move[:] = self._reference, self._move * (dt / self._dt)
        self._low_passed, self._base = low_passed, base
        self._reference, self._move, self._dt = reference, move, dt

    def update(self, robot: Robot, dt: float) -> None:
        """Update this one alone."""
        self.make_bank([self], dt)()
        self.parameters_changed()  # what it remembers is in other arrays now

    def get_state(self) -> dict[str, Any]:
        """The filter's state, the set-point, the reference and the velocity, as copies."""
        return {
            "low_passed": self._low_passed.copy(),
            "base": self._base.copy(),
            "reference": self._reference.copy(),
            "move": self._move.copy(),
            "dt": self._dt,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a state."""
        for name, value in state.items():
            setattr(self, f"_{name}", np.copy(value) if np.ndim(value) else value)
        self.parameters_changed()

    def bank_key(self) -> Hashable:
        """Those with one filter are updated in one pass."""
        return (self._filter.omega, self._filter.damping, self._filter.time_step)

    @classmethod
    def make_bank(cls, members: Sequence[JointAdmittance], dt: float) -> Callable[[], None]:
        """One pass for all members."""
        return AdmittanceBank(members, dt).bind()


def _compliance(value: Any) -> float | Array:
    """C, checked: a number >= 0 or a symmetric positive definite matrix.

    Raises:
        ControllerError: It is neither.
    """
    matrix = gain_matrix(value, "set_joint_compliance")
    if matrix.ndim == 0:
        return float(matrix)
    # An eigenvalue of zero comes out within the rounding of the largest.
    if matrix.ndim != 2 or not _smallest(matrix) > len(matrix) * np.finfo(float).eps:
        raise ControllerError(
            f"expected a number >= 0 or a symmetric positive definite matrix, got {shown(value)}",
            where="set_joint_compliance",
            given=value,
        )
    return matrix


def _smallest(matrix: Array) -> float:
    """The smallest eigenvalue as a share of the largest."""
    values = np.linalg.eigvalsh(matrix)
    return float(values[0] / values[-1]) if values[-1] > 0 else 0.0


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
