"""All joints of a scene that take commands, as arrays: what a step does is one pass over these.

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

from mjscene.errors import CommandError
from mjscene.spec import CtrlMode

__all__ = ["ActuatorLaws", "JointTable"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
# int(): numpy compares an array with one of MuJoCo's enums element by element in Python.
_PID = int(mujoco.mjtGain.mjGAIN_PID)
_FILTERS = (int(mujoco.mjtDyn.mjDYN_FILTER), int(mujoco.mjtDyn.mjDYN_FILTEREXACT))
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
    """

    def __init__(self, model: Any, actuators: Ints, joint_ids: Ints) -> None:
        self._model = model
        self._joints = joint_ids
        self._ids = np.where(actuators >= 0, actuators, 0)
        self._there = actuators >= 0
        self._sources = (
            *(model.actuator_gainprm, model.actuator_biasprm, model.actuator_gear),
            *(model.actuator_forcerange, model.actuator_ctrlrange, model.jnt_actfrcrange),
            *(model.actuator_forcelimited, model.actuator_ctrllimited, model.jnt_actfrclimited),
        )
        self._read_from: tuple[bytes, ...] = ()
        self.refresh()

    def refresh(self) -> bool:
        """Read the laws again if the model's parameters have changed; whether they have."""
        flags = int(self._model.opt.disableflags).to_bytes(8, "little", signed=True)
        now = (flags, *[source.tobytes() for source in self._sources])
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
            return
        gear = np.where(there, model.actuator_gear[model.actuator_outadr[ids], 0], 1.0)
        bias = np.where(
            (model.actuator_biastype[ids] == _AFFINE)[..., None],
            model.actuator_biasprm[ids, :3],
            0.0,
        )
        is_pid = model.actuator_gaintype[ids] == _PID
        gain = np.where(is_pid, -bias[..., 1], model.actuator_gainprm[ids, 0])
        self.ku = np.where(there, gear * gain, 1.0)
        self.k0 = gear * bias[..., 0]
        self.kq = gear * gear * bias[..., 1]
        self.kv = gear * gear * bias[..., 2]
        self._read_limits(gear)
        self.scale = np.ones_like(self.ku)
        self.offset = np.zeros_like(self.ku)
        position, torque, velocity = CtrlMode.POSITION, CtrlMode.TORQUE, CtrlMode.VELOCITY
        self.scale[:, position] = -self.kq[:, position] / self.ku[:, position]
        self.offset[:, position] = -self.k0[:, position] / self.ku[:, position]
        self.scale[:, torque] = 1.0 / self.ku[:, torque]
        self.scale[:, velocity] = -self.kv[:, velocity] / self.ku[:, velocity]
        # x / x is 1, but a x (1 / x) need not be: plain servos and motors must scale by exactly 1.
        self.scale[~there | (self.scale == 0)] = 1.0
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


class JointTable:
    """The joints that take commands, robot by robot: a robot's own, then its attachments'.

    Attributes:
        names: The scene's names (n).
        joint_ids, qpos_adr, dof_adr: Where each is in the model (n,).
        actuators: Actuator ids by mode (n, 3), -1 where the joint does not offer the mode.
        native: The mode its file's own actuator gives (n,), -1 for none.
        initial: The mode it starts in (n,), -1 for none.
        owner: The owner that switches it (n,), -1 for joints that only have their native mode.
        mode: The mode it is in (n,), -1 while an unmanaged drive moves it.
        command: The command of each (n,), in the unit of its mode; write to it.
        primed: Commands for a later switch with ``Transfer.KEEP`` (n, 3), NaN for none.
    """

    def __init__(
        self,
        model: Any,
        names: list[str],
        actuators: Ints,
        native: Ints,
        initial: Ints,
        owner: Ints,
    ) -> None:
        count = len(names)
        self.names = tuple(names)
        ids = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, n) for n in names]
        self.joint_ids = np.array(ids, dtype=np.intp)
        self.qpos_adr = np.asarray(model.jnt_qposadr[self.joint_ids], dtype=np.intp)
        self.dof_adr = np.asarray(model.jnt_dofadr[self.joint_ids], dtype=np.intp)
        self.actuators, self.native, self.initial, self.owner = actuators, native, initial, owner
        self.laws = ActuatorLaws(model, actuators, self.joint_ids)
        there = np.where(actuators >= 0, actuators, 0)
        has_any = model.nactuator > 0
        zeros = np.zeros((count, 3), dtype=np.intp)
        self.ctrl_adr = np.asarray(model.actuator_ctrladr[there], np.intp) if has_any else zeros
        self.mode = np.full(count, -1, dtype=np.intp)
        self.command = np.zeros(count)
        self.primed = np.full((count, 3), np.nan)
        self.written = b""
        self.ctrl_now = self.ctrl_adr[:, 0]
        self.scale_now, self.offset_now = np.ones(count), np.zeros(count)
        self.follow()

    def __len__(self) -> int:
        return len(self.names)

    def follow(self) -> None:
        """Derive what the step needs from ``ctrl_now``, ``scale_now`` and ``offset_now``."""
        self.plain = bool((self.scale_now == 1.0).all() and not self.offset_now.any())
        self.live = None if (self.mode >= 0).all() else np.flatnonzero(self.mode >= 0)
        self.direct = self.plain and self.live is None

    def put(self, ctrl: Array) -> None:
        """Put the commands into ``data.ctrl``, as controls of what acts."""
        control = self.command * self.scale_now + self.offset_now
        if self.live is None:
            ctrl[self.ctrl_now] = control
        else:
            ctrl[self.ctrl_now[self.live]] = control[self.live]

    def refuse_what_is_not_finite(self) -> None:
        """Refuse a command that is not finite.

        Raises:
            CommandError: It names the joint.
        """
        bad = np.flatnonzero(~np.isfinite(self.command))
        if len(bad):
            name, value = self.names[bad[0]], float(self.command[bad[0]])
            raise CommandError(
                f"the command of joint {name!r} is {value}",
                where="command",
                given=value,
                element=name,
                hint="one NaN would make MuJoCo zero every control of the scene",
            )

    def saturated(self) -> NDArray[np.bool_]:
        """Whether each command is beyond its actuator's control range (n,)."""
        rows = np.arange(len(self.names))
        column = np.where(self.mode >= 0, self.mode, 0)
        low, high = self.laws.ends[rows, column].T
        beyond = (self.command < low) | (self.command > high)
        return np.asarray(beyond & (self.mode >= 0))

    def command_limits(self) -> Array:
        """The range of each command in its mode's unit (n, 2); infinite where there is none."""
        rows = np.arange(len(self.names))
        column = np.where(self.mode >= 0, self.mode, 0)
        return np.array(self.laws.ends[rows, column])
