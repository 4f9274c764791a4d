"""A controller on a robot, and what it is called there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mjscene.controllers.base import Controller
from mjscene.errors import ControllerError, shown

__all__ = ["Attached", "free_name"]

Ints = NDArray[np.intp]


@dataclass(eq=False)
class Attached:
    """A controller on a robot.

    Attributes:
        controller: The controller.
        name: Its name on the robot.
        robot: The robot's name in the scene; an attachment's is ``robot.attachment``.
        rows: The joints it rules (k,).
        before: Their modes before it took them (k,).
        began: The step at which it was attached or reset.
    """

    controller: Controller
    name: str
    robot: str
    rows: Ints
    before: Ints
    began: int = 0


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
    word = re.sub(r"(?<!^)(?=[A-Z])", "_", type(controller).__name__).lower()
    known = set(taken)
    return next(n for n in (word, *(f"{word}_{k}" for k in range(2, 99))) if n not in known)
