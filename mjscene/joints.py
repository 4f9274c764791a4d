"""All joints of a scene that take commands, as arrays: what a step does is one pass over these."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.errors import CommandError
from mjscene.geometry import as_numbers
from mjscene.laws import ActuatorLaws
from mjscene.writing import Writing

__all__ = ["JointTable"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


class JointTable(Writing):
    """The joints that take commands, robot by robot: a robot's own, then its attachments'.

    Attributes:
        names: The scene's names (n).
        joint_ids, qpos_adr, dof_adr: Where each is in the model (n,).
        actuators: Actuator ids by mode (n, 3), -1 where the joint does not offer the mode.
        native: The mode its file's own actuator gives (n,), -1 for none.
        initial: The mode it starts in (n,), -1 for none.
        owner: The owner that switches it (n,), -1 for joints that only have their native mode.
        primed: Commands for a later switch with ``Transfer.KEEP`` (n, 3), NaN for none.
        is_primed: Whether there may be some.
        began_at: Where each was when it came into its mode (n,).
        refusals: Why joints take no commands (n,), None for those that do; None if all do.
        delivered: What the drives delivered in the last step (nv,) [N·m or N]; kept where there are
            controllers, since ``forward`` makes ``qfrc_actuator`` what they would deliver now.
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
        there = np.where(actuators >= 0, actuators, 0)
        has_any = model.nactuator > 0
        zeros = np.zeros((count, 3), dtype=np.intp)
        self.ctrl_adr = np.asarray(model.actuator_ctrladr[there], np.intp) if has_any else zeros
        super().__init__(ActuatorLaws(model, actuators, self.joint_ids), self.ctrl_adr)
        self.primed, self.is_primed = np.full((count, 3), np.nan), False
        self.began_at = np.zeros(count)
        self.refusals: list[str | None] | None = None
        self.delivered: Array | None = None
        self._given = (b"", b"")  # commands given last, and those written by then

    def __len__(self) -> int:
        return len(self.names)

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
                f"there are {len(rows)} joints that take commands, got "
                + (f"{numbers.size} numbers" if numbers.ndim < 2 else f"shape {numbers.shape}"),
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
        try:
            self._set_commands(rows, value)
        except CommandError:
            # ``command += x`` has changed the array before it is assigned.
            if value is self.command or getattr(value, "base", None) is self.command:
                self._take_back(rows)
            raise

    def _take_back(self, rows: Ints) -> None:
        """Have the commands that were given last, or written if that was later."""
        given, then = self._given
        last = given if then is self.written else self.written
        if last:
            self.command[rows] = np.frombuffer(last)[rows]

    def _set_commands(self, rows: Ints, value: Any) -> None:
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
        self.give(rows, numbers)

    def give(self, rows: Any, numbers: Array) -> None:
        """Give joints commands that were checked: they are written even if they are as before."""
        self.command[rows] = numbers
        self.tell(rows)
        self._given = (self.command.tobytes(), self.written)

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
