"""The controls of a keyframe or start pose: every mode is at rest there.

What a file authors stays. Where it gives no controls, a native position servo holds the pose. Added
actuators are always filled: a position servo with the pose, a velocity servo with zero, a motor
with the torque that holds the pose against gravity and springs, so that a reset starts at rest in
any mode.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.control import ModeControl
from mjscene.gravcomp import by_drives
from mjscene.keyframes import StateRow
from mjscene.spec import CtrlMode

__all__ = ["SetPoints", "holding_effort"]

Array = NDArray[np.float64]


def holding_effort(model: Any, data: Any) -> Array:
    """The effort of the drives that holds the pose of ``data`` at rest (nv,) [N·m or N].

    It is the bias (gravity, at rest) less what springs and gravity compensation give; contacts
    and equality constraints are left out. ``data`` is overwritten.
    """
    data.qvel[:] = 0.0
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    return np.asarray(data.qfrc_bias - data.qfrc_passive - by_drives(model, data))


class SetPoints:
    """Fills controls of states of one model.

    Args:
        model: The model.
        data: Scratch data of it.
        control: The modes of its joints.
    """

    def __init__(self, model: Any, data: Any, control: ModeControl) -> None:
        self._model, self._data = model, data
        table = control.table
        self._table = table
        there = table.actuators >= 0
        columns = np.arange(3)
        self._native = there & (table.native[:, None] == columns)
        self._added = there & ~self._native
        actuators = np.where(there, table.actuators, 0)
        has_any = model.nactuator > 0
        zeros = np.zeros(actuators.shape, dtype=np.intp)
        self._act_adr = model.actuator_actadr[actuators] if has_any else zeros - 1
        self._act_num = model.actuator_actnum[actuators] if has_any else zeros
        # int(): numpy compares an array with one of MuJoCo's enums element by element in Python.
        pid = int(mujoco.mjtGain.mjGAIN_PID)
        self._is_pid = model.actuator_gaintype[actuators] == pid if has_any else zeros > 0

    def fill(self, row: StateRow, authored: NDArray[np.bool_]) -> None:
        """Fill the controls of a state, in place.

        Args:
            row: The state.
            authored: Whether each control (nu,) was given by a file.
        """
        table, laws = self._table, self._table.laws
        if not len(table):
            return
        position, torque, velocity = CtrlMode.POSITION, CtrlMode.TORQUE, CtrlMode.VELOCITY
        given = authored[table.ctrl_adr]
        wanted = np.zeros((len(table), 3))
        wanted[:, position] = row.qpos[table.qpos_adr]
        if self._added[:, torque].any():
            for name in ("qpos", "qvel", "act", "ctrl"):
                getattr(self._data, name)[:] = getattr(row, name)
            self._data.mocap_pos[:], self._data.mocap_quat[:] = row.mpos, row.mquat
            wanted[:, torque] = holding_effort(self._model, self._data)[table.dof_adr]
        control = wanted * laws.scale + laws.offset
        control = np.clip(control, laws.ulow, laws.uhigh)
        put = self._added.copy()
        put[:, position] |= self._native[:, position] & ~given[:, position]
        put[:, velocity] &= ~self._native[:, velocity]
        row.ctrl[table.ctrl_adr[put]] = control[put]
        # A filtered servo starts with its filter settled.
        settled = put & (self._act_num == 1) & (self._act_adr >= 0)
        settled &= ~self._is_pid
        row.act[self._act_adr[settled]] = control[settled]
