"""Which controllers a scene has: whose they are, and which joints they rule."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjscene.controllers.attached import Attached
from mjscene.controllers.base import Controller
from mjscene.errors import ControllerError, close_matches, shown

if TYPE_CHECKING:
    from mjscene.scene import Scene

__all__ = ["Register"]

Ints = NDArray[np.intp]


class Register:
    """The controllers of a scene, in the order in which they were added."""

    def __init__(self, scene: Scene) -> None:
        self._scene: Callable[[], Any] = weakref.ref(scene)
        self._attached: list[Attached] = []

    @property
    def runs(self) -> bool:
        """Whether there is anything to update."""
        return bool(self._attached)

    def on(self, robot: str) -> dict[str, Controller]:
        """The controllers of a robot, by name."""
        return {a.name: a.controller for a in self._attached if a.robot == robot}

    def on_rows(self, rows: Ints) -> bool:
        """Whether a controller rules one of the joints."""
        return any(np.isin(a.rows, rows).any() for a in self._attached)

    def ruled(self) -> NDArray[np.bool_]:
        """Which joints a controller commands (n,)."""
        ruled = np.zeros(len(self._scene().control.table), dtype=bool)
        for a in (a for a in self._attached if not a.controller.adds):
            ruled[a.rows] = True
        return ruled

    def find(self, robot: str, which: Any) -> Attached:
        """A robot's controller, by itself or by its name.

        Raises:
            ControllerError: The robot has none such.
        """
        for attached in self._attached:
            if attached.robot == robot and (which is attached.controller or which == attached.name):
                return attached
        names = tuple(self.on(robot))
        raise ControllerError(
            f"robot {robot!r} has no controller {shown(which)}",
            where="remove_controller",
            given=which,
            close=close_matches(str(which), names),
            allowed=names,
        )
