"""The step: a closed list of phases, each one pass over arrays.

watchdog, controllers, commands to ``ctrl`` and ``xfrc_applied``, ``mj_step2``, ``mj_step1``.

``mj_step2; mj_step1`` is ``mj_step`` begun in its middle: bit for bit the same for Euler, implicit,
implicitfast and discrete. After it poses, position and velocity sensors and the bias describe the
new state, while efforts, accelerations and force sensors are those of the step just taken. RK4 has
no such middle: there ``mj_step`` is followed by ``mj_step1``.

The first half of a step is already done when a step begins. If ``qpos``, ``qvel``, mocap poses or
equality activations were written since, it is done again, so that a program which writes them
gets what ``mj_step`` would give.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import mujoco
from mujoco import mj_step, mj_step1, mj_step2

from mjscene.control import ModeControl
from mjscene.errors import SimulationError
from mjscene.listening import heard
from mjscene.messages import warn_all

__all__ = ["Cycle"]

_RK4 = int(mujoco.mjtIntegrator.mjINT_RK4)
_DOF = re.compile(r"at DOF (\d+)")


class Cycle:
    """The step of one model and data.

    Attributes:
        steps: Steps taken since the last reset.
        before: Phases that come before the commands, in order: watchdog, controllers. Each is
            called once a step.
        after: Phases that come after the step.
    """

    def __init__(self, model: Any, data: Any, control: ModeControl) -> None:
        self.model, self.data = model, data
        self.table, self.ctrl = control.table, data.ctrl
        self.qpos, self.qvel, self.opt = data.qpos, data.qvel, model.opt
        self._inputs = [data.mocap_pos, data.mocap_quat] if model.nmocap else []
        if model.neq:
            self._inputs.append(data.eq_active)
        self.steps = 0
        self.before: list[Callable[[], None]] = []
        self.after: list[Callable[[], None]] = []
        self.saw()

    def saw(self) -> None:
        """Take note of the state that the first half of the next step is done for."""
        self.qpos_seen, self.qvel_seen = self.qpos.tobytes(), self.qvel.tobytes()
        self.time_seen = self.data.time
        if self._inputs:
            self.inputs_seen = self._inputs_now()

    def _inputs_now(self) -> bytes:
        return b"".join([array.tobytes() for array in self._inputs])

    def step(self) -> None:
        """Take one step: all phases.

        Raises:
            SimulationError: MuJoCo warned, or reset the simulation.
            CommandError: A command is not finite; nothing has happened.
        """
        for phase in self.before:
            phase()
        command = self.table.command.tobytes()
        if command != self.table.written:
            self.table.write(self.ctrl, command)
        if heard:
            warn_all(heard)
        data, qpos, qvel = self.data, self.qpos, self.qvel
        if (
            qpos.tobytes() != self.qpos_seen
            or qvel.tobytes() != self.qvel_seen
            or (self._inputs and self._inputs_now() != self.inputs_seen)
        ):
            mj_step1(self.model, data)
        if self.opt.integrator == _RK4:
            mj_step(self.model, data)
        else:
            mj_step2(self.model, data)
        mj_step1(self.model, data)
        self.steps += 1
        self.qpos_seen, self.qvel_seen = qpos.tobytes(), qvel.tobytes()
        if self._inputs:
            self.inputs_seen = self._inputs_now()
        time = data.time
        if heard or time < self.time_seen:
            self.blow_up()
        self.time_seen = time
        for phase in self.after:
            phase()

    def blow_up(self) -> None:
        """Raise what MuJoCo warned of in this step.

        Raises:
            SimulationError: Always.
        """
        messages = list(dict.fromkeys(heard))
        heard.clear()
        dof = self._dof(messages)
        joint = None
        if dof is not None:
            joint = str(self.model.joint(int(self.model.dof_jntid[dof])).name)
        self.data.warning.number[:] = 0  # so that MuJoCo says it again if it happens again
        began = self.time_seen
        reset = self.data.time < began
        self.time_seen = self.data.time
        raise SimulationError(
            " ".join(messages) or "the time ran backwards: MuJoCo reset the simulation",
            time=began,
            joint=joint,
            dof=dof,
            was_reset=reset,
        )

    def _dof(self, messages: list[str]) -> int | None:
        for message in messages:
            found = _DOF.search(message)
            if found:
                return int(found.group(1))
        return None
