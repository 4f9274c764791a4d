"""All joints of a scene that take commands, as arrays: what a step does is one pass over these."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.errors import CommandError
from mjscene.geometry import as_numbers
from mjscene.laws import ActuatorLaws
from mjscene.spans import as_slice, tops_of

__all__ = ["JointTable"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


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
        command_bytes: The same memory as bytes.
        tops: The same memory, equal to itself if the commands are finite; see ``tops_of``.
        primed: Commands for a later switch with ``Transfer.KEEP`` (n, 3), NaN for none.
        is_primed: Whether there may be some.
        began_at: Where each was when it came into its mode (n,).
        short_way: How all commands come into ``data.ctrl`` at once, as they are: where to write, at
            which places, and what. None if that would not do or is not known: others may have
            written there.
        refusals: Why joints take no commands (n,), None for those that do; None if all do.
        written: The bytes of the commands when they were written last; empty if they are to be.
        controls: What was written then (n,), where it is not the commands themselves.
        delivered: What the drives delivered in the last step (nv,) [N·m or N]; kept where there are
            controllers, since ``forward`` makes ``qfrc_actuator`` what they would deliver now.
        forward: Effort that is added to what commands ask for (n,) [N·m or N]; None for none.
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
        self.command_bytes = self.command.view(np.uint8).data
        self.tops = tops_of(self.command)
        self.primed, self.is_primed, self.direct = np.full((count, 3), np.nan), False, False
        self.began_at = np.zeros(count)
        self.refusals: list[str | None] | None = None
        self.forward: Array | None = None
        self.written, self.controls = b"", np.full(count, np.nan)
        self.delivered: Array | None = None
        self.ctrl_now = self.ctrl_adr[:, 0]
        self.scale_now, self.offset_now = np.ones(count), np.zeros(count)
        self.follow()

    def __len__(self) -> int:
        return len(self.names)

    def follow(self) -> None:
        """Derive what the step needs from ``ctrl_now``, ``scale_now`` and ``offset_now``."""
        self._remember()
        self.plain = bool((self.scale_now == 1.0).all() and not self.offset_now.any())
        self.live = None if (self.mode >= 0).all() else np.flatnonzero(self.mode >= 0)
        self.direct = self.plain and self.live is None and self.forward is None
        self.short_way: tuple[Any, Any, Any] | None = None

    def _remember(self) -> None:
        """Keep what was written last where it was the commands themselves."""
        if self.direct and self.written:
            self.controls = np.frombuffer(self.written).copy()

    def _control(self) -> Array:
        """The controls that give what is commanded and fed forward (n,)."""
        control = self.command * self.scale_now + self.offset_now
        if self.forward is not None:
            control += self.forward_control(self.forward, self.mode)
        return control

    def last_controls(self) -> Array:
        """What was written last (n,), NaN for nothing yet."""
        self._remember()
        return self.controls.copy()

    def compare_with(self, controls: Array) -> None:
        """Have these controls (n,) as what was written last: the next step writes what differs."""
        self.controls, self.written = controls.copy(), b""

    def take_as_written(self) -> None:
        """Take the commands as written already: a step writes those that change."""
        self.written, self.controls = self.command.tobytes(), self._control()

    def is_pending(self) -> bool:
        """Whether commands have changed since they were written."""
        if self.command.tobytes() == self.written:
            return False
        self._remember()
        return True

    def put(self, ctrl: Array) -> None:
        """Put commands that have changed into ``data.ctrl``, as controls of what acts."""
        self.controls = self.put_aside(ctrl)

    def put_aside(self, ctrl: Array) -> Array:
        """Put commands that have changed into a copy of ``data.ctrl``, without taking note of it.

        What a program has written there stays, where commands are as they were.

        Returns:
            The controls of all commands (n,).
        """
        self._remember()
        control = self.command.copy() if self.direct else self._control()
        changed = control != self.controls
        if self.live is not None:
            changed &= self.mode >= 0
        ctrl[self.ctrl_now[changed]] = control[changed]
        return control

    def find_short_way(self, ctrl: Array) -> None:
        """Find the way into ``data.ctrl`` for the next steps, after all was put there."""
        if not self.direct:
            return
        where = as_slice(self.ctrl_now)
        if isinstance(where, slice):  # of a memoryview: numpy would take three times as long
            controls = ctrl[where].view(np.uint8).data
            self.short_way = (controls, slice(None), self.command_bytes)
        else:
            self.short_way = (ctrl, where, self.command)
        self.look_at_controls()

    def look_at_controls(self) -> None:
        """Take the long way where others have written into ``data.ctrl`` since commands were."""
        if self.short_way is not None:
            controls, where, _ = self.short_way
            if controls[where].tobytes() != self.written:
                self.short_way = None

    def forward_control(self, effort: Array, modes: Any, rows: Any = slice(None)) -> Array:
        """The controls that give efforts in some modes (k,), in the controls' own units.

        An integral would take it for an offset of the set-point, and carries loads itself: a servo
        with one gets none.
        """
        laws, column = self.laws, np.where(modes >= 0, modes, 0)
        which = np.arange(len(self.names))[rows]
        fed = np.where(laws.integral[which, column], 0.0, effort)
        return np.asarray(fed / laws.ku[which, column])

    def add_forward(self, effort: Array | None) -> None:
        """Add an effort (n,) to what commands ask for, from the next step on; None for none."""
        self.forward = effort
        self.follow()
        self.written = b""

    def drop_forward(self, rows: Ints) -> None:
        """Add no effort to the commands of joints any more."""
        if self.forward is not None:
            self.forward[rows] = 0.0
            self.written = b""

    def take_over_forward(self, rows: Ints) -> None:
        """Have the commands of joints give what was added to them, and add no more."""
        if self.forward is not None and self.forward[rows].any():
            given = self.forward_control(self.forward[rows], self.mode[rows], rows)
            acting = rows[self.mode[rows] >= 0]
            self.command[acting] += (given / self.scale_now[rows])[self.mode[rows] >= 0]
            self.drop_forward(rows)

    def refuse(self, rows: Ints, why: str | None) -> None:
        """Refuse commands to joints from now on, or with None take them again."""
        reasons = list(self.refusals or [None] * len(self.names))
        for row in rows.tolist():
            reasons[row] = why
        self.refusals = reasons if any(reasons) else None

    def check_commandable(self, rows: Ints, where: str) -> None:
        """Check that joints take commands.

        Raises:
            CommandError: One does not.
        """
        if self.refusals is not None:
            for row in rows.tolist():
                if self.refusals[row]:
                    self.refuse_command(row, where)

    def prime(self, commands: Array) -> None:
        """Have these commands for later switches (n, 3)."""
        self.primed[:] = commands
        self.is_primed = not np.isnan(commands).all()

    def checked(self, rows: Ints, value: Any, what: str) -> Array:
        """Numbers for joints (k,), checked.

        Raises:
            CommandError: A wrong count, or a number that is not finite.
        """
        numbers, names = as_numbers(value, what), [self.names[r] for r in rows.tolist()]
        if numbers.shape != (len(rows),) and not (len(rows) == 1 and numbers.shape == ()):
            raise CommandError(
                f"there are {len(rows)} joints that take commands, got {numbers.size} numbers",
                where=what,
                given=value,
                allowed=names,
            )
        numbers = numbers.reshape(-1)
        if not np.isfinite(numbers).all():
            k = int(np.flatnonzero(~np.isfinite(numbers))[0])
            raise CommandError(
                f"the command of {names[k]!r} is {numbers[k]}",
                where=f"{what}[{k}]",
                given=value,
                element=names[k],
            )
        return numbers

    def set_commands(self, rows: Ints, value: Any) -> None:
        """Set the commands of joints.

        Raises:
            CommandError: As ``checked`` and ``check_commandable``, or a joint is in no mode and the
                number is not the one it has; nothing has changed.
        """
        numbers = self.checked(rows, value, "command")
        self.check_commandable(rows, "command")
        lost = (self.mode[rows] < 0) & (numbers != self.command[rows])
        if lost.any():
            k = int(np.flatnonzero(lost)[0])
            name = self.names[rows[k]]
            raise CommandError(
                f"joint {name!r} is moved by an unmanaged drive and is in no mode",
                where=f"command[{k}]",
                given=value,
                element=name,
                hint="switch it into a mode, or set its drive: scene.actuators[name].ctrl",
            )
        self.command[rows] = numbers

    def refuse_command(self, row: int, where: str) -> None:
        """Say that a joint takes no commands.

        Raises:
            CommandError: Always.
        """
        why = (self.refusals or [None] * len(self.names))[row] or "it takes no commands"
        hint = (
            "set the controller's own reference, or remove it; inside it, use self.joints.command"
        )
        if "controller" not in why:
            hint = "recover() lets it take commands again"
        raise CommandError(
            f"joint {self.names[row]!r} is not commanded: {why}",
            where=where,
            element=self.names[row],
            hint=hint,
        )

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
