"""Actuators with a state of their own, and drives that move several joints."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["has_integral", "set_integrals", "set_states", "take_over"]

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


def has_integral(model: Any, actuators: Ints) -> NDArray[np.bool_]:
    """Which actuators are pid servos with integral action (n,)."""
    is_pid = model.actuator_gaintype[actuators] == mujoco.mjtGain.mjGAIN_PID
    return np.asarray(is_pid & (model.actuator_gainprm[actuators, 0] > 0))


def set_integrals(model: Any, data: Any, actuators: Ints, effort: Array) -> None:
    """Let the integral terms of pid servos give an effort (n,) [N·m or N], within their limits.

    The force is ki times the integral, which is the last activation; ``imax`` bounds it.
    """
    last = model.actuator_actadr[actuators] + model.actuator_actnum[actuators] - 1
    gear = model.actuator_gear[model.actuator_outadr[actuators], 0]
    ki, imax = model.actuator_gainprm[actuators, 0], model.actuator_gainprm[actuators, 1]
    bound = np.where(imax > 0, imax, np.inf)
    data.act[last] = np.clip(effort / (gear * ki), -bound, bound)


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
        or model.actuator_plugin[a] >= 0
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
    value = (force - rest) / model.actuator_gainprm[a, 0]
    ctrl = int(model.actuator_ctrladr[a])
    if model.actuator_dyntype[a] == mujoco.mjtDyn.mjDYN_INTEGRATOR:
        data.ctrl[ctrl] = 0.0
        data.act[model.actuator_actadr[a]] = value
        return
    data.ctrl[ctrl] = value
    set_states(model, data, np.array([a]))
    if model.actuator_delay[a] > 0:
        n = int(model.actuator_history[a, 0])
        times = data.time - model.opt.timestep * np.arange(n, 0, -1)
        mujoco.mj_initCtrlHistory(model, data, a, times, np.full(n, value))
