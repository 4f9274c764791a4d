"""A controller on a robot, and what it is called there."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjscene.controllers.base import Controller
from mjscene.errors import ControllerError, shown
from mjscene.places import Place
from mjscene.robot import Robot
from mjscene.words import free_word, snake_case

if TYPE_CHECKING:
    from mjscene.scene import Scene

__all__ = ["Attached", "free_name", "refuse_overlap"]

Ints = NDArray[np.intp]


@dataclass(eq=False)
class Attached:
    """A controller on a robot.

    Attributes:
        controller: The controller.
        name: Its name on the robot.
        place: Where its robot is in the scene; weak, since a place leads to the runner.
        called: The robot's name; an attachment's within its robot.
        rows: The joints it rules (k,).
        before: Their modes before it took them (k,).
        began: The step at which it was attached or reset.
    """

    controller: Controller
    name: str
    place: weakref.ref[Place]
    called: str
    rows: Ints
    before: Ints
    began: int = 0

    @property
    def robot(self) -> str:
        """The robot's name in the scene; an attachment's is ``robot.attachment``."""
        return self._there.owner.label

    def handle(self, scene: Scene) -> Robot:
        """A handle of the robot, made without looking through all of the scene's."""
        return Robot(scene, self._there, self.called)

    @property
    def _there(self) -> Place:
        """The place, which lives as long as the scene."""
        place: Any = self.place()
        return place  # type: ignore[no-any-return]


def free_name(controller: Controller, taken: Iterable[str], name: str | None) -> str:
    """The name for a controller on a robot: the one given, or its class's with a number.

    Raises:
        ControllerError: The name is taken, or none.
    """
    if name is not None:
        if not isinstance(name, str) or not name or name in set(taken):
            raise ControllerError(
                f"a controller cannot be called {shown(name)} here",
                where="add_controller.name",
                given=name,
                hint="the name is taken" if isinstance(name, str) and name else "give a word",
            )
        return name
    return free_word(snake_case(type(controller).__name__), set(taken))


def refuse_overlap(
    attached: Sequence[Attached], names: Sequence[str], controller: Controller, rows: Ints
) -> None:
    """Refuse a controller of joints that have another which does not go with it.

    Raises:
        ControllerError: They have.
    """
    for other in attached:
        if type(other.controller).adds != controller.adds:
            both = {type(other.controller), type(controller)}
            if not any(kind.carries_load for kind in both):
                continue
        shared = rows[np.isin(rows, other.rows)]
        if len(shared):
            raise ControllerError(
                f"joint {names[shared[0]]!r} has the controller {other.name!r} "
                f"({type(other.controller).__name__}) already",
                where="add_controller",
                element=names[shared[0]],
                hint="remove it first, or give other joints",
            )
