"""The joints of several admittance controllers, updated in one pass over arrays.

The filter is ``SecondOrderFilter``'s step (its module says where it comes from), written out by
element: what a joint gets does not depend on which others are in the pass, to the last bit, as it
would with a matrix product.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjscene.controllers.matrices import is_diagonal
from mjscene.spans import as_slice
from mjscene.spec import CtrlMode

if TYPE_CHECKING:
    from mjscene.controllers.admittance import JointAdmittance

__all__ = ["AdmittanceBank"]

Array = NDArray[np.float64]


class AdmittanceBank:
    """The joints of several controllers (n) with one filter, as arrays that these have views of.

    Attributes:
        state: Value and rate of the filter (2, n).
        base: Set-point of joints in POSITION; of others the velocity that carries their load (n,).
        reference: Where joints come back to (n,).
        move: The reference velocity times the period (n,).
    """

    def __init__(self, members: Sequence[JointAdmittance], dt: float) -> None:
        joints = [m.joints for m in members]
        self.table, self.data = joints[0].table, joints[0].data
        self.rows = np.concatenate([j.rows for j in joints])
        self.dofs = np.concatenate([j.dof_adr for j in joints])
        self.qpos_adr = np.concatenate([j.qpos_adr for j in joints])
        count = len(self.rows)
        self.filter = members[0].filter
        # The filter's input, rate and value: what is multiplied together lies together.
        self.signals = np.zeros((3, count))
        self.state = self.signals[:0:-1]
        self.base, self.reference = np.zeros(count), np.zeros(count)
        self.move, self.lambda_ = np.zeros(count), np.zeros(count)
        in_velocity = self.table.mode[self.rows] == CtrlMode.VELOCITY
        # In POSITION the move is added to the set-point, in VELOCITY its rate is sent.
        self.sent = np.where(in_velocity, 1 / dt, 0.0) if in_velocity.any() else None
        self.integrated = np.where(in_velocity, 0.0, 1.0)
        ends = self.table.laws.ends[self.rows, self.table.mode[self.rows]]
        self.low, self.high = ends[:, 0].copy(), ends[:, 1].copy()
        matrix = np.zeros((count, count))
        start = 0
        for member, own in zip(members, joints, strict=True):
            part = slice(start, start + len(own))
            start = part.stop
            self.lambda_[part] = member.lambda_ * dt
            matrix[part, part] = np.multiply(member.get_joint_compliance(), dt)
            member.share(
                self.state[:, part], self.base[part], self.reference[part], self.move[part], dt
            )
        self.compliance = np.diag(matrix).copy()
        self.coupling = None if is_diagonal(matrix) else np.ascontiguousarray(matrix.T)

    def bind(self) -> Callable[[], None]:
        """One update of all as a function, with all that it reads at hand."""
        data, rows = self.data, as_slice(self.rows)
        dofs, qpos_adr = as_slice(self.dofs), as_slice(self.qpos_adr)
        bias, passive = data.qfrc_bias, data.qfrc_passive
        measured: Any = self.table.delivered
        qpos, command = data.qpos, self.table.command
        base, move, reference = self.base, self.move, self.reference
        compliance, coupling, lambda_ = self.compliance, self.coupling, self.lambda_
        integrated, sent, low, high = self.integrated, self.sent, self.low, self.high
        (value, rate), (gain, share, back) = self.state, self.filter.change
        count, doubled = len(base), np.array(back)  # NumPy takes twice as long with a float
        residual, change = np.zeros(data.qvel.shape), self.signals[0]
        filtered, gains = self.signals[:2], np.repeat([[gain], [share]], count, axis=1)
        # What moves joints: what the filter passes and their error, by compliance and lambda.
        moved, factors = np.zeros((2, count)), np.stack([compliance, lambda_])
        (passed, error), product = moved, np.zeros((2, count))
        first, second = product
        coupled = None if coupling is None else np.zeros_like(coupling)
        add, subtract, multiply = np.add, np.subtract, np.multiply
        minimum, maximum, total = np.minimum, np.maximum, np.add.reduce

        def run() -> None:
            # Picking joints out of an array takes longer than a sum over all of them.
            subtract(bias, passive, residual)
            subtract(residual, measured, residual)
            subtract(residual[dofs], value, change)
            multiply(filtered, gains, product)
            add(first, second, change)
            add(value, change, passed)
            add(passed, change, value)
            multiply(change, doubled, change)
            subtract(change, rate, rate)
            subtract(reference, qpos[qpos_adr], error)
            if coupling is None:
                multiply(moved, factors, moved)
            else:  # a sum by rows adds column by column, in one order whoever else is here
                total(multiply(coupling, passed[:, None], coupled), axis=0, out=passed)
                multiply(error, lambda_, error)
            add(passed, error, move)
            if sent is None:
                add(base, move, base)
            else:
                add(base, multiply(move, integrated, error), base)
            # A set-point that ran away beyond its range would take as long to come back.
            minimum(maximum(base, low), high, out=base)
            command[rows] = base if sent is None else base + move * sent

        return run
