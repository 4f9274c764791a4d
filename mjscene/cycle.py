"""The step: a closed list of phases, each one pass over arrays.

watchdog, controllers, commands to ``ctrl`` and ``xfrc_applied``, ``mj_step2``, ``mj_step1``.

``mj_step2; mj_step1`` is ``mj_step`` begun in its middle: bit for bit the same for Euler, implicit,
implicitfast and discrete. After it poses, position and velocity sensors and the bias describe the
new state, while efforts, accelerations and force sensors are those of the step just taken. RK4 has
no such middle, and bodies that sleep are woken in its first half: there ``mj_step`` is followed by
``mj_step1``.

The first half of a step is already done when a step begins. If ``qpos``, ``qvel``, mocap poses or
equality activations were written since, or MuJoCo's counters say that somebody has computed with
the data, it is done again before anything else, so that a program gets what ``mj_step`` would give.
After a change of the *model* (gravity, masses, the integrator) call ``scene.forward()``: it acts in
the first half too, or in how a step is begun.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

import mujoco
import numpy as np
from mujoco import mj_step, mj_step1, mj_step2

from mjscene.control import ModeControl
from mjscene.errors import SimulationError
from mjscene.listening import heard, hears
from mjscene.messages import warn_all
from mjscene.spans import bytes_of, places_of

__all__ = ["Cycle"]

_NO_AUTORESET = int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
_RK4 = int(mujoco.mjtIntegrator.mjINT_RK4)
_SLEEP = int(mujoco.mjtEnableBit.mjENBL_SLEEP)
_WARNING = mujoco.mjtWarning
# What makes MuJoCo reset the state. The number beside the count is the dof; of a position it is its
# place in qpos, although MuJoCo's message says "DOF".
_BAD_QPOS = int(_WARNING.mjWARN_BADQPOS)
_BAD_CTRL = int(_WARNING.mjWARN_BADCTRL)
_UNSTABLE = [
    int(w) for w in (_WARNING.mjWARN_BADQPOS, _WARNING.mjWARN_BADQVEL, _WARNING.mjWARN_BADQACC)
]
_TIME = re.compile(r"Time = ([0-9]+\.[0-9]+)")


class Cycle:
    """The step of one model and data.

    Attributes:
        steps: Steps taken since the last reset.
        before: Phases that come before the commands, in order: watchdog, controllers. Each is
            called once a step.
        after: Phases that come after the step.
        states: The bytes of ``qpos``, ``qvel`` and ``ctrl`` after the last steps, at most three,
            the newest last; one alone after anything but a step has changed the state.
        qpos_at, qvel_at: Where ``qpos`` and ``qvel`` begin in them.
        seen: The bytes as they were last; another object than the last state's where a program has
            written to ``ctrl`` since.
        counted: MuJoCo's counters of warnings and computations after the last step.
        others_seen: The bytes of what else the first half of the next step is done for; None if it
            was undone.
        timestep: The time a step takes [s], as it was when the state was taken note of.
        duration: The same as an array (): NumPy divides by it in a quarter of the time.
        kept: The bias and passive forces (nv,) that the step was taken with, where it is taken as
            a whole; None otherwise.
    """

    def __init__(self, model: Any, data: Any, control: ModeControl) -> None:
        self.model, self.data, self.table = model, data, control.table
        self.steps = 0
        self.before: list[Callable[[], None]] = []
        self.after: list[Callable[[], None]] = []
        self._warned, self._about = data.warning.number, data.warning.lastinfo
        # MuJoCo counts its warnings, and how often it has worked out each part of what follows from
        # the state: who resets the data or computes something with it moves these counters.
        timer = data.timer
        self._count_bytes, places = places_of(
            self._about, self._warned, timer.duration, timer.number
        )
        self._timers = slice(places[2].start, None)
        # What the first half of a step is done for. MuJoCo changes the state in a step, the others
        # never: it is enough to look at them before it.
        self._bytes, places = places_of(data.qpos, data.qvel, data.ctrl)
        self.qpos_at, self.qvel_at = places[0].start, places[1].start
        self._state = slice(self.qpos_at, places[1].stop)
        self._others_bytes = bytes_of(data.eq_active, data.mocap_pos, data.mocap_quat)
        self.states: deque[bytes] = deque(maxlen=3)
        self.timestep = 0.0
        self.saw()

    def saw(self) -> None:
        """Take note of the state that the first half of the next step is done for."""
        self.others_seen: bytes | None = self._others_bytes()
        self.counted = self._count_bytes()
        self.seen, opt = self._bytes(), self.model.opt
        timestep = float(opt.timestep)
        if not self.states or timestep != self.timestep or self._has_moved():
            self.begin_states()
        self.table.look_at_controls()
        self.timestep = timestep
        self.duration = np.array(self.timestep)
        self.whole = opt.integrator == _RK4 or bool(opt.enableflags & _SLEEP)
        self.keep()

    def begin_states(self) -> None:
        """Take what was seen for a state that no step has led to."""
        self.states.clear()
        self.states.append(self.seen)

    def _has_moved(self) -> bool:
        """Whether the state that was seen is another than the last step's."""
        return self.seen[self._state] != self.states[-1][self._state]

    def look(self) -> None:
        """Find out what was written since the last step, and follow it.

        Raises:
            SimulationError: MuJoCo warned of it.
        """
        self.table.look_at_controls()
        self.seen, others = self._bytes(), self._others_bytes()
        moved = self._has_moved()
        if moved:
            self.begin_states()
        if moved or others != self.others_seen:  # a mocap body that moves moves no joint
            self.others_seen = others
            mj_step1(self.model, self.data)
            self.counted = self._count_bytes()
            if self._warned.any():
                self.blow_up()

    def put(self, states: Iterable[bytes], kept: Any, steps: int) -> None:
        """Go on from the last steps of a state that is put back; see ``SceneState``.

        Where a program had written to it since, the next step sees that now as it would have then.
        """
        self.states.clear()
        self.states.extend(states)
        self.seen = b""  # what was written to is not known
        self.kept, self.steps = kept, steps

    def keep(self) -> None:
        """Keep what a whole step overwrites, and what belongs to its efforts."""
        data = self.data
        self.kept = (data.qfrc_bias.copy(), data.qfrc_passive.copy()) if self.whole else None

    def bind(self) -> Callable[[], None]:
        """One step as a function of no arguments, with all that it reads at hand.

        A step by hand takes some ten microseconds: looking up two dozen attributes would show.

        The function raises SimulationError where MuJoCo warned or reset the simulation, and
        CommandError where a command is not finite (nothing has happened then). It is not kept
        here: it would hold this object, and so the model, until some garbage collection.
        """
        model, data, table = self.model, self.data, self.table
        ctrl, command_bytes, tops = data.ctrl, table.command_bytes.tobytes, table.tops
        seen_bytes, others_bytes = self._bytes, self._others_bytes
        count_bytes = self._count_bytes
        # Views of a few numbers are compared in half the time of their bytes.
        warned, unwarned = self._warned.data, np.zeros_like(self._warned).data
        before, after, take_note = self.before, self.after, self.states.append

        def step() -> None:
            if heard or count_bytes() != self.counted:
                self.follow_others()
            if seen_bytes() != self.seen or others_bytes() != self.others_seen:
                self.look()
            if before:
                if tops != tops:  # before a controller goes on
                    table.refuse_what_is_not_finite()
                for phase in tuple(before):  # one may change what comes
                    phase()
                if heard or count_bytes() != self.counted:
                    self.follow_others()
                if seen_bytes() != self.seen or others_bytes() != self.others_seen:
                    self.look()
            now = command_bytes()
            if now != table.written:
                if tops != tops:
                    table.refuse_what_is_not_finite()
                if table.short_way is not None:
                    controls, where, commands = table.short_way
                    controls[where] = commands if commands is not None else table.convert()
                    table.written = now
                else:
                    table.put(ctrl)
                    table.written = now
                    table.find_short_way(ctrl)
            if self.whole:
                mj_step(model, data)
                self.keep()
                table.look_at_controls()  # a control callback may have written there
            else:
                mj_step2(model, data)
            # What a control callback writes in the first half of the next step is another's.
            self.seen = seen = seen_bytes()
            take_note(seen)
            mj_step1(model, data)
            self.counted = count_bytes()
            self.steps += 1
            if warned != unwarned:
                self.blow_up()
            if after:
                for phase in tuple(after):  # one may end itself
                    phase()

        return step

    def forget_warnings(self) -> None:
        """Let MuJoCo warn again of what it has warned of."""
        self._warned[:] = 0
        self._about[:] = 0

    def follow_others(self) -> None:
        """Follow what went on outside a step: warnings are passed on.

        Where something was computed with the data, the first half of the step may be that of
        another state, or none after a reset: it is done again.
        """
        now, kinds = self._count_bytes(), np.flatnonzero(self._warned).tolist()
        if now[self._timers] != self.counted[self._timers]:
            self.others_seen = None
        self.forget_warnings()
        self.counted = self._count_bytes()
        if kinds and not heard and not hears():  # a program has taken the hook
            heard.append(_said(kinds))
        warn_all(heard)

    def _at_fault(self, kind: int) -> tuple[str, int]:
        """The joint and dof that a warning is about; a quaternion's fourth is its last dof's."""
        model, number = self.model, int(self.data.warning[kind].lastinfo)
        if kind != _BAD_QPOS:
            joint = int(model.dof_jntid[number])
            return str(model.joint(joint).name), number
        joint = int(np.flatnonzero(model.jnt_qposadr <= number)[-1])
        dofs = np.flatnonzero(model.dof_jntid == joint)
        inside = min(number - int(model.jnt_qposadr[joint]), len(dofs) - 1)
        return str(model.joint(joint).name), int(dofs[inside])

    def _commanded_by(self, ctrl: int) -> tuple[str | None, int | None]:
        """The joint that takes commands through a control, and its dof, if one does.

        What MuJoCo calls an actuator's number here is the control's.
        """
        actuator = int(np.flatnonzero(self.model.actuator_ctrladr <= ctrl)[-1])
        row = np.flatnonzero((self.table.actuators == actuator).any(axis=1))
        if not len(row):
            return None, None
        return self.table.names[row[0]], int(self.table.dof_adr[row[0]])

    def blow_up(self) -> None:
        """Raise what MuJoCo warned of in this step.

        Raises:
            SimulationError: Always.
        """
        messages = " ".join(dict.fromkeys(heard))
        heard.clear()
        kinds = np.flatnonzero(self._warned).tolist()
        unstable = [k for k in _UNSTABLE if k in kinds]
        dof = joint = None
        if unstable:
            joint, dof = self._at_fault(unstable[0])
        elif _BAD_CTRL in kinds:
            joint, dof = self._commanded_by(int(self.data.warning[_BAD_CTRL].lastinfo))
        self.forget_warnings()
        self.counted = self._count_bytes()
        reset = bool(unstable) and not self.model.opt.disableflags & _NO_AUTORESET
        if reset:
            self.table.written = b""  # its controls are gone
            self.table.controls[:] = np.nan
        found = _TIME.search(messages)
        raise SimulationError(
            messages or _said(kinds),  # another thread's scene may have taken what was heard
            time=float(found.group(1)) if found else float(self.data.time),
            joint=joint,
            dof=dof,
            was_reset=reset,
        )


def _said(kinds: list[int]) -> str:
    """What MuJoCo warned of, where its own words are not known."""
    return "MuJoCo warned: " + ", ".join(_WARNING(k).name for k in kinds)
