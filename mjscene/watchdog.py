"""The watchdog: what is not commanded in time is released."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mjscene.spec import CtrlMode
from mjscene.targets import Target

if TYPE_CHECKING:
    from mjscene.scene import Scene

__all__ = ["Watch"]


class Watch:
    """When each watched robot or object was last commanded, in simulated time.

    When no command came for longer than the spec's ``watchdog``, a body's wrench and pose command
    are released, efforts and velocities become zero and positions are held where they are. It
    happens once, until the next command. A command is what ``scene.apply`` brings; of a robot also
    a change of its joints' commands. The commands of a stopped robot are left alone.

    Attributes:
        watches: Whether anything is watched.
    """

    def __init__(self, scene: Scene, targets: list[Target]) -> None:
        self._scene = weakref.proxy(scene)
        self._targets = [t for t in targets if t.watchdog is not None]
        self.watches = bool(self._targets)
        self._fed = dict.fromkeys((t.name for t in self._targets), 0.0)
        self._parts: dict[str, list[Target]] = {}
        self._released: set[str] = set()
        self._seen = {t.name: b"" for t in self._targets}
        self.reset()

    def reset(self) -> None:
        """Start anew, at the scene's time."""
        for target in self._targets:
            self._feed(target)

    def expect(self, effects: list[Callable[[], None]], target: Target) -> None:
        """Add to the effects of a command that it feeds whatever it is a part of."""
        effects += [partial(self._feed, watched) for watched in self._watching(target)]

    def feed(self, target: Target) -> None:
        """Take note of a command that was applied."""
        for watched in self._watching(target):
            self._feed(watched)

    def _watching(self, target: Target) -> list[Target]:
        """Those watched that a command to a target is a command to."""
        known = self._parts.get(target.name)
        if known is None:
            known = [watched for watched in self._targets if target.body in watched.bodies]
            self._parts[target.name] = known
        return known

    def rows(self) -> tuple[dict[str, float], frozenset[str], dict[str, bytes]]:
        """When each was fed, what is released, and the commands then, as copies; see ``put``."""
        return dict(self._fed), frozenset(self._released), dict(self._seen)

    def put(self, rows: tuple[Any, ...]) -> None:
        """Be as when ``rows`` was taken, by name; what was not there then starts anew."""
        self.reset()
        if not rows:
            return
        fed, released, seen = rows
        self._fed.update({n: t for n, t in fed.items() if n in self._fed})
        self._seen.update({n: c for n, c in seen.items() if n in self._fed})
        self._released = {n for n in released if n in self._fed}

    def _feed(self, target: Target) -> None:
        self._fed[target.name] = self._scene.data.time
        self._seen[target.name] = self._commands(target)
        self._released.discard(target.name)

    def _commands(self, target: Target) -> bytes:
        commands = self._scene.command[target.rows]
        if self._scene.stops.holds:  # what holds a stopped robot is no command
            commands = np.where(self._scene.stops.held()[target.rows], 0.0, commands)
        return bytes(commands.tobytes())

    def look(self) -> None:
        """Release what is overdue."""
        now = self._scene.data.time
        # Times are sums of many steps: a thousandth of one is rounding.
        margin = 1e-3 * self._scene.model.opt.timestep
        for target in self._targets:
            if self._commands(target) != self._seen[target.name]:
                self._feed(target)
            if now < self._fed[target.name]:  # MuJoCo has reset the state
                self._fed[target.name] = now
            overdue = now - self._fed[target.name] > float(target.watchdog or 0.0) + margin
            if overdue and target.name not in self._released:
                self._release(target)

    def _release(self, target: Target) -> None:
        scene, rows = self._scene, target.rows
        scene.bodies.release(target.body)
        scene.arrange()
        scene.data.xfrc_applied[target.bodies] = 0.0
        table = scene.control.table
        rows = rows[~(scene.stops.held() | scene.controllers.ruled())[rows]]
        held = table.mode[rows] == CtrlMode.POSITION
        table.command[rows] = np.where(held, scene.data.qpos[table.qpos_adr[rows]], 0.0)
        self._seen[target.name] = self._commands(target)
        self._released.add(target.name)
