"""Warn of servo gains that the scene's integrator and step cannot follow.

A velocity gain kv acting on inertia I is integrated explicitly by Euler and RK4: the velocity
error is multiplied by 1 - h kv / I every step, which diverges for h kv / I > 2 (for RK4, whose
region of stability reaches -2.785 on the real axis, beyond that). A position gain kp is explicit in
all integrators but ``discrete``: the oscillation diverges for h² kp / I > 4 (semi-implicit Euler;
2.828² for RK4). I is the joint's diagonal entry of the mass matrix at the reference pose.
"""

from __future__ import annotations

from typing import Any

import mujoco

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


def unstable_gains(model: Any, table: JointTable) -> list[str]:
    """A warning for every joint and mode whose gain is beyond what the integrator can follow."""
    step, integrator = float(model.opt.timestep), int(model.opt.integrator)
    warnings = []
    for row, name in enumerate(table.names):
        inertia = float(model.dof_M0[table.dof_adr[row]])
        for mode in (CtrlMode.POSITION, CtrlMode.VELOCITY):
            if table.actuators[row, mode] < 0 or inertia <= 0:
                continue
            damping = -float(table.laws.kv[row, mode]) * step / inertia
            stiffness = -float(table.laws.kq[row, mode]) * step * step / inertia
            limits = (
                ("timestep*kv/I", damping, _DAMPING_LIMIT.get(integrator)),
                ("timestep²*kp/I", stiffness, _STIFFNESS_LIMIT.get(integrator)),
            )
            for what, value, limit in limits:
                if limit is not None and value > limit:
                    warnings.append(
                        f"joint {name!r}: its {mode.name} gain is unstable under integrator "
                        f"{WORDS['integrator'][integrator]} with timestep {step:g}: {what} = "
                        f"{value:.3g} > {limit:g}; lower the gain or the timestep"
                        + (", or use implicitfast" if what.endswith("kv/I") else "")
                    )
    return warnings
