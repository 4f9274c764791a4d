"""The joints of several admittance controllers, updated in one pass over arrays.

The filter is ``SecondOrderFilter``'s step (its module says where it comes from), written out by
element: what a joint gets does not depend on which others are in the pass, to the last bit, as it
would with a matrix product.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mjscene.controllers.matrices import is_diagonal
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
        velocity: The reference velocity (n,).
    """

    def __init__(self, members: Sequence[JointAdmittance], dt: float) -> None:
        joints = [m.joints for m in members]
        self.table, self.data = joints[0].table, joints[0].data
        self.rows = np.concatenate([j.rows for j in joints])
        self.dofs = np.concatenate([j.dof_adr for j in joints])
        self.qpos_adr = np.concatenate([j.qpos_adr for j in joints])
        count = len(self.rows)
        self.filter = members[0].filter
        self.state = np.zeros((2, count))
        self.base, self.reference = np.zeros(count), np.zeros(count)
        self.velocity, self.lambda_ = np.zeros(count), np.zeros(count)
        in_velocity = self.table.mode[self.rows] == CtrlMode.VELOCITY
        self.sent = in_velocity.astype(float) if in_velocity.any() else None
        self.integrated = np.where(in_velocity, 0.0, dt)
        ends = self.table.laws.ends[self.rows, self.table.mode[self.rows]]
        self.low, self.high = ends[:, 0].copy(), ends[:, 1].copy()
        matrix = np.zeros((count, count))
        start = 0
        for member, own in zip(members, joints, strict=True):
            part = slice(start, start + len(own))
            start = part.stop
            self.lambda_[part] = member.lambda_
            matrix[part, part] = member.get_joint_compliance()
            member.share(
                self.state[:, part], self.base[part], self.reference[part], self.velocity[part]
            )
        self.compliance = np.diag(matrix).copy()
        self.coupling = None if is_diagonal(matrix) else np.ascontiguousarray(matrix.T)

    def bind(self) -> Callable[[], None]:
        """One update of all as a function, with all that it reads at hand."""
        data, dofs, rows, qpos_adr = self.data, self.dofs, self.rows, self.qpos_adr
        bias, passive, measured, qpos = (
            *(data.qfrc_bias, data.qfrc_passive),
            *(data.qfrc_actuator, data.qpos),
        )
        command, velocity, base = self.table.command, self.velocity, self.base
        reference, lambda_, integrated = self.reference, self.lambda_, self.integrated
        compliance, coupling, sent = self.compliance, self.coupling, self.sent
        (value, rate), (gain, share, back) = self.state, self.filter.change
        low, high = self.low, self.high
        change, change_of_rate = np.zeros(len(rows)), np.zeros(len(rows))
        coupled = None if coupling is None else np.zeros_like(coupling)
        add, subtract, multiply = np.add, np.subtract, np.multiply
        minimum, maximum, total = np.minimum, np.maximum, np.add.reduce

        def run() -> None:
            subtract(bias[dofs], passive[dofs], change)
            subtract(change, measured[dofs], change)  # the residual
            subtract(change, value, change)
            multiply(change, gain, change)
            multiply(rate, share, velocity)
            add(change, velocity, change)
            add(value, change, velocity)  # the filtered residual
            add(velocity, change, value)
            multiply(change, back, change_of_rate)
            subtract(change_of_rate, rate, rate)
            if coupling is None:
                multiply(velocity, compliance, velocity)
            else:  # a sum by rows adds column by column, in one order whoever else is here
                total(multiply(coupling, velocity[:, None], coupled), axis=0, out=velocity)
            error = subtract(reference, qpos[qpos_adr])
            multiply(error, lambda_, error)
            add(velocity, error, velocity)
            multiply(velocity, integrated, error)
            add(base, error, base)
            # A set-point that ran away beyond its range would take as long to come back.
            minimum(maximum(base, low, out=base), high, out=base)
            command[rows] = base if sent is None else base + velocity * sent

        return run
