"""Warn of servo gains that the scene's integrator and step cannot follow.

A velocity gain kv acting on inertia I is integrated explicitly by Euler and RK4: the velocity
error is multiplied by 1 - h kv / I every step, which diverges for h kv / I > 2 (for RK4, whose
region of stability reaches -2.785 on the real axis, beyond that). A position gain kp is explicit in
all integrators but ``discrete``: the oscillation diverges for h² kp / I > 4 (semi-implicit Euler;
2.828² for RK4). I is the joint's diagonal entry of the mass matrix at the reference pose; for
damping, servos that act on one another through the mass matrix are taken together.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.joints import JointTable
from mjscene.spec import CtrlMode
from mjscene.spec.physics import WORDS

__all__ = ["unstable_gains"]

_INTEGRATOR = mujoco.mjtIntegrator
_DAMPING_LIMIT = {_INTEGRATOR.mjINT_EULER: 2.0, _INTEGRATOR.mjINT_RK4: 2.785}
_STIFFNESS_LIMIT = {
    _INTEGRATOR.mjINT_EULER: 4.0,
    _INTEGRATOR.mjINT_RK4: 8.0,
    _INTEGRATOR.mjINT_IMPLICIT: 4.0,
    _INTEGRATOR.mjINT_IMPLICITFAST: 4.0,
}


def _damping_together(model: Any, table: JointTable) -> dict[CtrlMode, NDArray[np.float64]]:
    """The largest rate [1/s] at which all servos of a mode together damp each joint (n,).

    Light links on damped ones make the rate larger than kv / I of any joint: it is an eigenvalue of
    M^-1 diag(kv), taken for a joint over the vectors in which it has a part of 5 % at least.
    """
    data = mujoco.MjData(model)
    mujoco.mj_fwdPosition(model, data)
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    inverse = np.linalg.inv(mass)
    rates = {}
    for mode in (CtrlMode.POSITION, CtrlMode.VELOCITY):
        damping = np.zeros(model.nv)
        offered = table.actuators[:, mode] >= 0
        damping[table.dof_adr] = np.where(offered, -table.laws.kv[:, mode], 0.0)
        root = np.sqrt(np.maximum(damping, 0.0))
        values, vectors = np.linalg.eigh(root[:, None] * inverse * root)
        taking_part = np.where(vectors**2 > 0.05, values[None, :], 0.0)
        rates[mode] = taking_part.max(axis=1)[table.dof_adr]
    return rates


def unstable_gains(model: Any, table: JointTable) -> list[str]:
    """A warning for every joint and mode whose gain is beyond what the integrator can follow."""
    step, integrator = float(model.opt.timestep), int(model.opt.integrator)
    damping_limit = _DAMPING_LIMIT.get(integrator)
    stiffness_limit = _STIFFNESS_LIMIT.get(integrator)
    inertia = model.dof_M0[table.dof_adr]
    damped = damping_limit is not None and len(table)
    rates = _damping_together(model, table) if damped else {}
    warnings = []
    for mode in (CtrlMode.POSITION, CtrlMode.VELOCITY):
        stiffness = -table.laws.kq[:, mode] * step * step / np.maximum(inertia, 1e-12)
        damping = rates[mode] * step if rates else np.zeros(len(table))
        for what, values, limit in (
            ("timestep*kv/I", damping, damping_limit),
            ("timestep²*kp/I", stiffness, stiffness_limit),
        ):
            if limit is None:
                continue
            for row in np.flatnonzero((values > limit) & (table.actuators[:, mode] >= 0)):
                warnings.append(
                    f"joint {table.names[row]!r}: its {mode.name} gain is unstable under "
                    f"integrator {WORDS['integrator'][integrator]} with timestep {step:g}: {what} "
                    f"= {values[row]:.3g} > {limit:g}; lower the gain or the timestep"
                    + (", or use implicitfast" if what.endswith("kv/I") else "")
                )
    return warnings
