"""Robots that are stopped, by a collision or by their user: they hold, and take no commands.

A stopped robot holds its stop position: joints that offer POSITION by a servo that rests there
under the load of now, others that offer VELOCITY by it, and those with nothing but TORQUE by that,
both led step by step (see ``mjscene.holding``). ``recover`` gives joints back their modes, without
a jump.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import CommandError, close_matches
from mjscene.holding import held_commands, rest_ahead
from mjscene.robotmode import RobotMode
from mjscene.spec import CtrlMode, RobotSpec
from mjscene.transfer import Transfer
from mjscene.undriven import undriven, warn_switched

if TYPE_CHECKING:
    from mjscene.scene import Scene

__all__ = ["Stops"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass
class _Stopped:
    """A robot that is stopped.

    Attributes:
        rows: Its joints (k,).
        modes: Their modes before (k,).
        commands: The commands that hold them (k,); anything else is refused.
        led: Which of ``rows`` are commanded anew every step: those without a position servo.
    """

    rows: Ints
    modes: Ints
    commands: bytes
    led: Ints


class Stops:
    """The robot modes of a scene's robots, and what holds those that are stopped.

    Attributes:
        position: Where each joint was when it was stopped last (n,), NaN if it never was.
        in_reflex: Whether each joint's robot is in REFLEX (n,).
    """

    def __init__(self, scene: Scene, rows: dict[str, Ints]) -> None:
        self._scene = weakref.proxy(scene)
        count = len(scene.control.table)
        self.position = np.full(count, np.nan)
        self.in_reflex = np.zeros(count, dtype=bool)
        self._rows = rows
        self._said = dict.fromkeys(rows, RobotMode.IDLE)
        self._stopped: dict[str, _Stopped] = {}
        self._begun = scene.control.table.command.copy()
        specs = {r.label: r for r in scene.spec.robots}
        self._watched = [name for name in rows if _has_reflex(specs.get(name))]
        parts = [rows[name] for name in self._watched]
        self._all = np.concatenate(parts) if parts else np.zeros(0, dtype=np.intp)
        self._no_hit = bytes(count)
        self._whose = np.repeat(np.arange(len(parts)), [len(p) for p in parts])

    @property
    def watches(self) -> bool:
        """Whether a collision can stop a robot."""
        return bool(self._watched)

    @property
    def holds(self) -> bool:
        """Whether a robot is stopped."""
        return bool(self._stopped)

    def mode(self, name: str) -> RobotMode:
        """What a robot is doing."""
        said = self._said[name]
        if said is not RobotMode.IDLE:
            return said
        rows, table = self._rows[name], self._scene.control.table
        moved = not np.array_equal(table.command[rows], self._begun[rows])
        ruled = self._scene.controllers.on_rows(rows)
        return RobotMode.MOVE if moved or ruled else RobotMode.IDLE

    def say(self, name: str, mode: Any) -> None:
        """Say what a robot is doing.

        Raises:
            CommandError: It is stopped, or the mode is none, or one that only ``stop`` or a
                collision gives.
        """
        try:
            mode = RobotMode[mode.upper()] if isinstance(mode, str) else RobotMode(mode)
        except (KeyError, ValueError):
            raise CommandError(
                f"there is no robot mode {mode!r}",
                where="robot_mode",
                given=mode,
                close=close_matches(str(mode).upper(), RobotMode.__members__),
                allowed=[m.name for m in RobotMode if not m.is_stopped],
            ) from None
        if self._said[name].is_stopped:
            raise CommandError(
                f"robot {name!r} is in {self._said[name].name}",
                where="robot_mode",
                hint="recover() first",
            )
        if mode.is_stopped:
            raise CommandError(
                f"{mode.name} is not said: stop() or a collision brings it", where="robot_mode"
            )
        self._said[name] = mode
        if mode is RobotMode.IDLE:  # what it was commanded until now is done
            rows = self._rows[name]
            self._begun[rows] = self._scene.control.table.command[rows]

    def look(self) -> None:
        """Stop robots that collided in this step."""
        records = self._scene.records
        beyond = records.signal > records.collision_threshold
        if beyond.tobytes() == self._no_hit:
            return
        hit = beyond[self._all]
        for k in np.unique(self._whose[hit]).tolist():
            if self._watched[k] not in self._stopped:
                self.stop(self._watched[k], RobotMode.REFLEX)

    def stop(self, name: str, why: RobotMode) -> None:
        """Stop a robot: from the next step on it holds where it is."""
        scene, rows = self._scene, self._rows[name]
        table = scene.control.table
        self._said[name] = why
        self.in_reflex[rows] = why is RobotMode.REFLEX
        table.refuse(rows, f"robot {name!r} is in {why.name}")
        if name in self._stopped:
            return
        before, without = table.mode[rows].copy(), undriven(scene.control)
        measured = scene.data.qpos[table.qpos_adr[rows]]
        self.position[rows] = measured
        table.drop_forward(rows)  # what holds them carries all
        can = table.actuators[rows] >= 0
        order = np.array([CtrlMode.POSITION, CtrlMode.VELOCITY, CtrlMode.TORQUE], dtype=np.intp)
        holding = order[np.argmax(can[:, order], axis=1)]
        scene.switch_rows(rows, holding, Transfer.HOLD)
        table.command[rows] = np.where(
            holding == CtrlMode.POSITION,
            measured + rest_ahead(scene.control, scene.records, rows),
            0.0,
        )
        led = rows[holding != CtrlMode.POSITION]
        table.tell(rows)  # whatever a program has written to their controls
        self._stopped[name] = _Stopped(rows, before, b"", led)
        self._hold(self._stopped[name])
        scene.controllers.forget()
        scene.arrange()
        warn_switched(scene.control, without)

    def hold(self) -> None:
        """Before a step: hold what is stopped.

        Raises:
            CommandError: A joint of a stopped robot was commanded; its command is as it was.
        """
        table = self._scene.control.table
        for name, stopped in self._stopped.items():
            now = table.command[stopped.rows]
            if now.tobytes() != stopped.commands:
                held = np.frombuffer(stopped.commands)
                k = int(np.flatnonzero(now != held)[0])
                table.command[stopped.rows] = held
                table.refuse_command(int(stopped.rows[k]), f"robots[{name!r}].command")
            if len(stopped.led):
                self._hold(stopped)

    def _hold(self, stopped: _Stopped) -> None:
        """Lead joints that have no position servo, and note what the commands shall stay."""
        table, rows = self._scene.control.table, stopped.led
        if len(rows):
            held = held_commands(self._scene.control, rows, self.position[rows])
            table.command[rows] = held
        stopped.commands = table.command[stopped.rows].tobytes()

    def recover(self, name: str) -> None:
        """Give a stopped robot's joints back their modes; it takes commands again.

        Raises:
            CommandError: It is not stopped.
        """
        if name not in self._stopped:
            raise CommandError(
                f"robot {name!r} is not stopped: it is in {self.mode(name).name}", where="recover"
            )
        stopped = self._stopped.pop(name)
        scene, table = self._scene, self._scene.control.table
        without = undriven(scene.control)
        table.refuse(stopped.rows, None)
        table.command[stopped.rows] = np.frombuffer(stopped.commands)  # others were refused
        self.in_reflex[stopped.rows] = False
        self._said[name] = RobotMode.IDLE
        scene.switch_rows(stopped.rows, stopped.modes, Transfer.BUMPLESS)
        # Those that were held in their own mode start it anew, too.
        table.began_at[stopped.rows] = scene.data.qpos[table.qpos_adr[stopped.rows]]
        self._begun[stopped.rows] = table.command[stopped.rows]
        scene.controllers.resume(stopped.rows)
        scene.arrange()
        warn_switched(scene.control, without)

    def give_back(self, rows: Ints, modes: Ints) -> None:
        """Have joints of a stopped robot in these modes when it recovers."""
        wanted = dict(zip(rows.tolist(), modes.tolist(), strict=True))
        for stopped in self._stopped.values():
            for k, row in enumerate(stopped.rows.tolist()):
                stopped.modes[k] = wanted.get(row, stopped.modes[k])

    def begin(self) -> None:
        """Start anew: nothing is stopped."""
        table = self._scene.control.table
        for stopped in self._stopped.values():
            table.refuse(stopped.rows, None)
        self._stopped.clear()
        self._said = dict.fromkeys(self._rows, RobotMode.IDLE)
        self.in_reflex[:] = False
        self.position[:] = np.nan

    def take_note(self) -> None:
        """What is commanded now is the start: a robot moves when it is commanded otherwise."""
        self._begun = self._scene.control.table.command.copy()

    def modes(self) -> Ints:
        """The modes of all joints (n,); of stopped robots those that ``recover`` gives back."""
        modes: Ints = self._scene.control.table.mode.copy()
        for stopped in self._stopped.values():
            modes[stopped.rows] = stopped.modes
        return modes

    def held(self) -> NDArray[np.bool_]:
        """Which joints are of stopped robots (n,)."""
        held = np.zeros(len(self.position), dtype=bool)
        for stopped in self._stopped.values():
            held[stopped.rows] = True
        return held

    def is_stopped(self, rows: Ints) -> bool:
        """Whether some of the joints are of a stopped robot."""
        return any(np.isin(rows, s.rows).any() for s in self._stopped.values())

    # -- what a state keeps ----------------------------------------------------------------------

    def rows(self) -> tuple[Any, ...]:
        """All that is stopped or said, as copies; see ``put``."""
        kept = {n: (s.modes.copy(), s.commands) for n, s in self._stopped.items()}
        return self.position.copy(), dict(self._said), kept, self._begun.copy()

    def put(self, rows: tuple[Any, ...]) -> None:
        """Be as when ``rows`` was taken, in the same modes and with the same commands."""
        self.begin()
        if not rows:
            return
        position, said, kept, begun = rows
        self.position[:], self._begun = position, begun.copy()
        self._said.update({n: m for n, m in said.items() if n in self._said})
        table = self._scene.control.table
        for name, (modes, commands) in kept.items():
            mine = self._rows[name]
            led = mine[table.mode[mine] != CtrlMode.POSITION]
            self._stopped[name] = _Stopped(mine, modes.copy(), commands, led)
            self.in_reflex[mine] = self._said[name] is RobotMode.REFLEX
            table.refuse(mine, f"robot {name!r} is in {self._said[name].name}")


def _has_reflex(spec: RobotSpec | None) -> bool:
    return spec is not None and spec.reflex
