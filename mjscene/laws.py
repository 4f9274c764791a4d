"""What actuators do to joints: their laws and limits, in joint space.

The law of an actuator with control u on a joint at q with velocity v is affine in joint space,
effort = ku u + k0 + kq q + kv v, where ku = gear g, k0 = gear b0, kq = gear² b1 and kv = gear² b2
(MuJoCo, Computation: actuation model; length = gear q, effort = gear force). A command is in the
unit of the joint's mode, u = scale * command + offset:

* POSITION: the law's rest, ku u + k0 + kq q = 0, is at the commanded q: scale = -kq/ku and
  offset = -k0/ku (for a plain servo scale = gear);
* TORQUE: scale = 1/ku; VELOCITY: the law's rest is at the commanded v: scale = -kv/ku.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.spans import bytes_of
from mjscene.spec import CtrlMode

__all__ = ["ActuatorLaws"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
# int(): numpy compares an array with one of MuJoCo's enums element by element in Python.
_PID = int(mujoco.mjtGain.mjGAIN_PID)
_FILTERS = (int(mujoco.mjtDyn.mjDYN_FILTER), int(mujoco.mjtDyn.mjDYN_FILTEREXACT))
_PADDING = 63  # between MuJoCo's arrays [bytes]; whatever else lies there changes by itself
_AFFINE = int(mujoco.mjtBias.mjBIAS_AFFINE)


class ActuatorLaws:
    """The laws and limits of the joints' actuators, by row of the joint table and mode (n, 3).

    Entries of actuators that are not there are harmless numbers. They are read from the model, and
    read again when the model's parameters have changed.

    Attributes:
        ku, k0, kq, kv: The law's coefficients in joint space.
        low, high: Effort limits [N·m or N].
        ulow, uhigh: Control limits, in the control's own unit.
        scale, offset: control = scale * command + offset.
        integral: Whether it has integral action.
    """

    def __init__(self, model: Any, actuators: Ints, joint_ids: Ints) -> None:
        self._model, self._opt = model, model.opt
        self._joints = joint_ids
        self._ids = np.where(actuators >= 0, actuators, 0)
        self._there = actuators >= 0
        self._sources = bytes_of(
            *(model.actuator_gainprm, model.actuator_biasprm, model.actuator_gear),
            *(model.actuator_forcerange, model.actuator_ctrlrange, model.jnt_actfrcrange),
            *(model.actuator_forcelimited, model.actuator_ctrllimited, model.jnt_actfrclimited),
            *(model.actuator_actlimited, model.actuator_actrange, model.actuator_dyntype),
            *(model.actuator_biastype, model.actuator_gaintype),
            gap=_PADDING,
        )
        self._read_from: tuple[int, bytes] | None = None
        self.refresh()

    def refresh(self) -> bool:
        """Read the laws again if the model's parameters have changed; whether they have."""
        now = (self._opt.disableflags, self._sources())
        if now == self._read_from:
            return False
        self._read_from = now
        self._read()
        return True

    def _read(self) -> None:
        model, ids, there = self._model, self._ids, self._there
        if not model.nactuator:
            shape = ids.shape
            self.ku, self.scale = np.ones(shape), np.ones(shape)
            self.k0 = self.kq = self.kv = self.offset = np.zeros(shape)
            self.low = self.ulow = np.full(shape, -np.inf)
            self.high = self.uhigh = np.full(shape, np.inf)
            self.ends = np.stack([self.low, self.high], axis=-1)
            self.integral = np.zeros(shape, dtype=bool)
            return
        gear = np.where(there, model.actuator_gear[model.actuator_outadr[ids], 0], 1.0)
        bias = np.where(
            (model.actuator_biastype[ids] == _AFFINE)[..., None],
            model.actuator_biasprm[ids, :3],
            0.0,
        )
        is_pid = model.actuator_gaintype[ids] == _PID
        self.integral = there & is_pid & (model.actuator_gainprm[ids, 0] > 0)
        gain = np.where(is_pid, -bias[..., 1], model.actuator_gainprm[ids, 0])
        self.ku = np.where(there, gear * gain, 1.0)
        self.k0 = gear * bias[..., 0]
        self.kq = gear * gear * bias[..., 1]
        self.kv = gear * gear * bias[..., 2]
        self._read_limits(gear)
        self.scale = np.ones_like(self.ku)
        self.offset = np.zeros_like(self.ku)
        position, torque, velocity = CtrlMode.POSITION, CtrlMode.TORQUE, CtrlMode.VELOCITY
        with np.errstate(divide="ignore", invalid="ignore"):
            self.scale[:, position] = -self.kq[:, position] / self.ku[:, position]
            self.offset[:, position] = -self.k0[:, position] / self.ku[:, position]
            self.scale[:, torque] = 1.0 / self.ku[:, torque]
            self.scale[:, velocity] = -self.kv[:, velocity] / self.ku[:, velocity]
        # x / x is 1, but a x (1 / x) need not be: plain servos and motors must scale by exactly 1.
        # A drive made limp, with a gain of 0, takes any command and gives nothing.
        self.scale[~there | (self.scale == 0) | ~np.isfinite(self.scale)] = 1.0
        self.offset[~np.isfinite(self.offset)] = 0.0
        ends = np.stack([self.ulow, self.uhigh], axis=-1) - self.offset[..., None]
        self.ends = np.sort(ends / self.scale[..., None], axis=-1)
        # A torque is also clamped by its actuator's force range and by its joint's own.
        own = model.jnt_actfrcrange[self._joints].copy()
        own[model.jnt_actfrclimited[self._joints] == 0] = (-np.inf, np.inf)
        low = np.maximum(self.low[:, torque], own[:, 0])
        high = np.minimum(self.high[:, torque], own[:, 1])
        self.ends[:, torque, 0] = np.maximum(self.ends[:, torque, 0], low)
        self.ends[:, torque, 1] = np.minimum(self.ends[:, torque, 1], high)

    def _read_limits(self, gear: Array) -> None:
        model, ids, there = self._model, self._ids, self._there
        limited = there & (model.actuator_forcelimited[ids] != 0)
        ends = model.actuator_forcerange[ids] * gear[..., None]
        self.low = np.where(limited, ends.min(axis=-1), -np.inf)
        self.high = np.where(limited, ends.max(axis=-1), np.inf)
        ctrl = model.actuator_ctrladr[ids]
        clamps = not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL
        limited = there & (model.actuator_ctrllimited[ctrl] != 0) & clamps
        self.ulow = np.where(limited, model.actuator_ctrlrange[ctrl, 0], -np.inf)
        self.uhigh = np.where(limited, model.actuator_ctrlrange[ctrl, 1], np.inf)
        # A filter cannot pass on more than its activation may be.
        filters = np.isin(model.actuator_dyntype[ids], _FILTERS)
        limited = there & filters & (model.actuator_actlimited[ids] != 0)
        ends = model.actuator_actrange[ids]
        self.ulow = np.where(limited, np.maximum(self.ulow, ends[..., 0]), self.ulow)
        self.uhigh = np.where(limited, np.minimum(self.uhigh, ends[..., 1]), self.uhigh)
