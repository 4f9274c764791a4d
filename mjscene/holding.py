"""What holds joints where they are, in each mode.

A position servo rests at its set-point less the load over its gain, unless an integral carries the
load: it is given a set-point that is ahead by as much, once. Joints without one are held step by
step by what their drives owe the motion, and towards their positions at a corner w [rad/s]:

* TORQUE: Λ (w² (q_stop - q) - 2 w q̇) + owed, which is computed torque (Craig, Introduction to
  Robotics, ch. 10): every joint comes back critically damped, whatever the others weigh. Λ is the
  inertia that these joints feel while nothing holds the rest, such as a floating base: the inverse
  of their part of M⁻¹ (Khatib 1987). Where a floor holds the base they are softer, never harder;
* VELOCITY: owed / kv + w (q_stop - q), since a velocity servo lags by its load over its gain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.gains import position_gain
from mjscene.spec import CtrlMode
from mjscene.takeover import other_inputs, set_integrals

if TYPE_CHECKING:
    from mjscene.control import ModeControl
    from mjscene.records import JointRecords

__all__ = ["held_commands", "rest_ahead"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
_CORNER = 50.0  # [rad/s]: back within 0.1 s
# Of 1/timestep: a critically damped spring of a tenth is damped by a fifth of the velocity a step.
_OF_THE_STEP = 0.1
# Of 1/lag: with a first-order lag T the loop is T s³ + s² + 2 w s + w², stable below w = 2/T.
_OF_THE_LAG = 0.5
_FILTERS = (int(mujoco.mjtDyn.mjDYN_FILTER), int(mujoco.mjtDyn.mjDYN_FILTEREXACT))


def rest_ahead(control: ModeControl, records: JointRecords, rows: Ints) -> Array:
    """How far set-points must be ahead of where joints in POSITION shall rest (k,) [rad or m].

    Integrals are set to carry what they can; 0 for joints in other modes.
    """
    table, model, data = control.table, control.model, control.data
    dofs = table.dof_adr[rows]
    carried = records.gravity(rows) - data.qfrc_gravcomp[dofs] - data.qfrc_spring[dofs]
    gain = position_gain(control, rows)
    servos = np.flatnonzero(gain > 0)
    acting = table.actuators[rows[servos], CtrlMode.POSITION]
    left = carried[servos] - other_inputs(model, data, acting)
    ahead = np.zeros(len(rows))
    ahead[servos] = set_integrals(model, data, acting, left) / gain[servos]
    return ahead


def held_commands(control: ModeControl, rows: Ints, position: Array) -> Array:
    """Commands with which joints in TORQUE or VELOCITY hold a position now (k,)."""
    table, model, data = control.table, control.model, control.data
    dofs, mode = table.dof_adr[rows], table.mode[rows]
    in_torque = mode == CtrlMode.TORQUE
    error, velocity = position - data.qpos[table.qpos_adr[rows]], data.qvel[dofs]
    owed = data.qfrc_bias[dofs] - data.qfrc_passive[dofs]
    corner = np.minimum(_CORNER, _OF_THE_STEP / model.opt.timestep)
    lag = _lags(model, table.actuators[rows, mode])
    corner = np.minimum(corner, _OF_THE_LAG / np.maximum(lag, 1e-9))
    wanted = (corner**2 * error - 2.0 * corner * velocity)[in_torque]
    force = np.zeros(len(rows))
    force[in_torque] = _force_for(model, data, dofs[in_torque], wanted)
    kv = np.where(in_torque, 1.0, -table.laws.kv[rows, mode])
    # A joint of inertia I behind a velocity servo is itself a lag of I/kv.
    inertia = data.M[model.M_rowadr + model.M_rownnz - 1][dofs]
    slow = np.minimum(corner, _OF_THE_LAG / 2.0 * kv / inertia)
    return np.asarray(np.where(in_torque, force + owed, owed / kv + slow * error))


def _force_for(model: Any, data: Any, dofs: Ints, acceleration: Array) -> Array:
    """Forces on some dofs that accelerate them so, beside everything else (k,) [N·m or N]."""
    count = len(dofs)
    unit, mobility = np.zeros((count, model.nv)), np.zeros((count, model.nv))
    unit[np.arange(count), dofs] = 1.0
    mujoco.mj_solveM(model, data, mobility, unit)
    return np.asarray(np.linalg.solve(mobility[:, dofs], acceleration))


def _lags(model: mujoco.MjModel, actuators: Ints) -> Array:
    """Time constants of filters, and delays (k,) [s]."""
    filters = np.isin(model.actuator_dyntype[actuators], _FILTERS)
    lag = np.where(filters, model.actuator_dynprm[actuators, 0], 0.0)
    return np.asarray(lag + model.actuator_delay[actuators])
