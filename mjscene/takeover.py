"""Actuators with a state of their own, and drives that move several joints."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["set_states", "take_over"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


def set_states(model: Any, data: Any, actuators: Ints) -> None:
    """Set activations to match the controls: filters settled, integrals at zero."""
    for a in actuators.tolist():
        first, count = int(model.actuator_actadr[a]), int(model.actuator_actnum[a])
        if count <= 0:
            continue
        control = data.ctrl[model.actuator_ctrladr[a]]
        if model.actuator_ctrllimited[model.actuator_ctrladr[a]]:
            control = np.clip(control, *model.actuator_ctrlrange[model.actuator_ctrladr[a]])
        data.act[first : first + count] = 0.0
        if model.actuator_gaintype[a] != mujoco.mjtGain.mjGAIN_PID:
            data.act[first] = control
        elif count == 2 or model.actuator_gainprm[a, 0] == 0:
            data.act[first] = control  # the slew state, which comes before the integral


def take_over(
    model: Any, data: Any, a: int, dof_adr: Ints, effort: Array, *, hold: bool = False
) -> None:
    """Set a drive's control so that it gives its joints what they had, as well as it can.

    One drive on several joints cannot match them all: its force is the least-squares fit. A drive
    whose law is not affine keeps its control.

    Args:
        model: The model.
        data: Its data, forwarded at this state; the control is changed.
        a: The drive's actuator id.
        dof_adr: The dofs of its joints (k,).
        effort: The effort on each before (k,) [N·m or N].
        hold: Rest at this length instead.
    """
    if (
        model.actuator_gaintype[a] != mujoco.mjtGain.mjGAIN_FIXED
        or model.actuator_gainprm[a, 0] == 0
        or model.actuator_outnum[a] != 1
    ):
        return
    out = int(model.actuator_outadr[a])
    moment = np.zeros((model.nout, model.nv))
    mujoco.mju_sparse2dense(
        moment,
        data.actuator_moment,
        data.moment_rownnz,
        data.moment_rowadr,
        data.moment_colind,
    )
    arm = moment[out, dof_adr]
    norm = float(arm @ arm)
    force = 0.0 if hold or norm == 0 else float(arm @ effort) / norm
    bias = np.zeros(3)
    if model.actuator_biastype[a] == mujoco.mjtBias.mjBIAS_AFFINE:
        bias = model.actuator_biasprm[a, :3]
    speed = 0.0 if hold else float(data.actuator_velocity[out])
    rest = bias[0] + bias[1] * float(data.actuator_length[out]) + bias[2] * speed
    data.ctrl[model.actuator_ctrladr[a]] = (force - rest) / model.actuator_gainprm[a, 0]
    set_states(model, data, np.array([a]))
