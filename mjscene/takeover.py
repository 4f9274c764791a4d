"""Actuators with a state of their own, and drives that move several joints."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["has_integral", "other_inputs", "set_integrals", "set_states", "take_over"]

_VELOCITY_INPUT, _FORWARD_INPUT = 2, 4  # bits of a pid's ctrlspec; position is 1

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


def set_states(model: Any, data: Any, actuators: Ints, *, keep_integrals: bool = False) -> None:
    """Set activations to match the controls: filters settled, integrals at zero."""
    for a in actuators.tolist():
        first, count = int(model.actuator_actadr[a]), int(model.actuator_actnum[a])
        if count <= 0:
            continue
        ctrl = int(model.actuator_ctrladr[a])
        control = data.ctrl[ctrl]
        if model.actuator_ctrllimited[ctrl]:
            control = np.clip(control, *model.actuator_ctrlrange[ctrl])
        if model.actuator_gaintype[a] != mujoco.mjtGain.mjGAIN_PID:
            if model.actuator_actlimited[a]:
                control = np.clip(control, *model.actuator_actrange[a])
            data.act[first : first + count] = 0.0
            data.act[first] = control
            continue
        integrates = model.actuator_gainprm[a, 0] != 0
        if integrates and not keep_integrals:
            data.act[first + count - 1] = 0.0
        if count == 2 or not integrates:
            data.act[first] = control  # the slew state, which comes before the integral


def has_integral(model: Any, actuators: Ints) -> NDArray[np.bool_]:
    """Which actuators are pid servos with integral action (n,)."""
    is_pid = model.actuator_gaintype[actuators] == int(mujoco.mjtGain.mjGAIN_PID)
    return np.asarray(is_pid & (model.actuator_gainprm[actuators, 0] > 0))


def other_inputs(model: Any, data: Any, actuators: Ints) -> Array:
    """The effort from the velocity and feed-forward inputs of pid servos (n,) [N·m or N]."""
    efforts = np.zeros(len(actuators))
    for k, a in enumerate(actuators.tolist()):
        if model.actuator_gaintype[a] != mujoco.mjtGain.mjGAIN_PID:
            continue
        inputs = int(model.actuator_ctrlspec[a])
        ctrl = int(model.actuator_ctrladr[a]) + 1  # after the position
        force = 0.0
        if inputs & _VELOCITY_INPUT:
            force -= float(model.actuator_biasprm[a, 2] * data.ctrl[ctrl])
            ctrl += 1
        if inputs & _FORWARD_INPUT:
            force += float(data.ctrl[ctrl])
        efforts[k] = force * model.actuator_gear[model.actuator_outadr[a], 0]
    return efforts


def set_integrals(model: Any, data: Any, actuators: Ints, effort: Array) -> Array:
    """Let the integral terms of pid servos give an effort (n,) [N·m or N], within their limits.

    The force is ki times the integral, which is the last activation; ``imax`` bounds it.

    Returns:
        What is left of the effort (n,).
    """
    left = effort.copy()
    for k in np.flatnonzero(has_integral(model, actuators)).tolist():
        a = int(actuators[k])
        ki, imax = model.actuator_gainprm[a, 0], model.actuator_dynprm[a, 0]
        gain = ki * model.actuator_gear[model.actuator_outadr[a], 0]
        bound = imax if imax > 0 else np.inf
        value = float(np.clip(effort[k] / gain, -bound, bound))
        data.act[model.actuator_actadr[a] + model.actuator_actnum[a] - 1] = value
        left[k] -= gain * value
    return left


def take_over(
    model: Any, data: Any, drives: Ints, dof_adr: Ints, effort: Array, *, hold: bool = False
) -> None:
    """Set drives' controls so that together they give joints what they had, as well as they can.

    Their forces are the least-squares fit through their moment arms. A drive whose law is not
    affine keeps its control.

    Args:
        model: The model.
        data: Its data, forwarded at this state; controls are changed.
        drives: The drives' actuator ids (d,).
        dof_adr: The dofs of the joints they move (k,).
        effort: The effort on each before (k,) [N·m or N].
        hold: Rest at this length instead.
    """
    able = np.array([a for a in drives.tolist() if _is_affine(model, a)], dtype=np.intp)
    if not len(able):
        return
    moment = np.zeros((model.nout, model.nv))
    mujoco.mju_sparse2dense(
        moment,
        data.actuator_moment,
        data.moment_rownnz,
        data.moment_rowadr,
        data.moment_colind,
    )
    outs = model.actuator_outadr[able]
    arms = moment[outs][:, dof_adr]
    forces = np.zeros(len(able)) if hold else np.linalg.lstsq(arms.T, effort, rcond=None)[0]
    for a, out, force in zip(able.tolist(), outs.tolist(), forces.tolist(), strict=True):
        _give_force(model, data, a, out, force, hold=hold)


def _is_affine(model: Any, a: int) -> bool:
    return bool(
        model.actuator_gaintype[a] == mujoco.mjtGain.mjGAIN_FIXED
        and model.actuator_gainprm[a, 0] != 0
        and model.actuator_outnum[a] == 1
        and model.actuator_plugin[a] < 0
    )


def _give_force(model: Any, data: Any, a: int, out: int, force: float, *, hold: bool) -> None:
    """Set the control with which an actuator gives a force at this state, its state settled."""
    bias = np.zeros(3)
    if model.actuator_biastype[a] == mujoco.mjtBias.mjBIAS_AFFINE:
        bias = model.actuator_biasprm[a, :3]
    speed = 0.0 if hold else float(data.actuator_velocity[out])
    rest = bias[0] + bias[1] * float(data.actuator_length[out]) + bias[2] * speed
    value = (force - rest) / model.actuator_gainprm[a, 0]
    ctrl = int(model.actuator_ctrladr[a])
    if model.actuator_dyntype[a] == mujoco.mjtDyn.mjDYN_INTEGRATOR:
        data.ctrl[ctrl] = 0.0  # its control is a speed
        data.act[model.actuator_actadr[a]] = value
        return
    data.ctrl[ctrl] = value
    set_states(model, data, np.array([a]))
    if model.actuator_delay[a] > 0:
        count = int(model.actuator_history[a, 0])
        times = data.time - model.opt.timestep * np.arange(count, 0, -1)
        mujoco.mj_initCtrlHistory(model, data, a, times, np.full(count, value))
