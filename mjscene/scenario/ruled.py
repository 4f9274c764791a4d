"""Which controllers a scenario has put on which joints, while it is checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import SpecError, close_matches
from mjscene.words import free_word, snake_case

__all__ = ["Ruled"]

Ints = NDArray[np.intp]


class Ruled:
    """The controllers at a time, by robot and name.

    Args:
        joints: The scene's names of all joints that take commands.
    """

    def __init__(self, joints: Sequence[str]) -> None:
        self._joints = joints
        self._there: dict[str, dict[str, tuple[Any, Ints]]] = {}

    def take(self, robot: str, name: str | None, made: Any, rows: Ints) -> None:
        """A controller is on a robot from now on.

        Raises:
            SpecError: Its name or a joint is taken.
        """
        there = self._there.setdefault(robot, {})
        if name is None:
            name = free_word(snake_case(type(made).__name__), there)
        elif name in there:
            raise SpecError(f"the name {name!r} is taken", where="name", given=name)
        if not type(made).adds:
            self.refuse(rows, "robot")
        there[name] = made, rows

    def find(self, robot: str, name: str, field: str = "name") -> tuple[Any, Ints]:
        """A controller that is there, and the rows that it rules.

        Raises:
            SpecError: There is none.
        """
        there = self._there.get(robot, {})
        if name not in there:
            raise SpecError(
                f"robot {robot!r} has no controller {name!r} at this time",
                where=field,
                given=name,
                close=close_matches(name, there),
                allowed=there,
            )
        return there[name]

    def give(self, robot: str, name: str) -> None:
        """A controller is on a robot no more.

        Raises:
            SpecError: There is none.
        """
        self.find(robot, name)
        del self._there[robot][name]

    def ruled(self) -> Ints:
        """The rows that controllers are on."""
        found = [rows for there in self._there.values() for _, rows in there.values()]
        return np.concatenate([np.zeros(0, dtype=np.intp), *found])

    def refuse(self, rows: Ints, field: str) -> None:
        """Refuse to command joints that a controller commands.

        Raises:
            SpecError: One does.
        """
        for there in self._there.values():
            for name, (made, ruled) in there.items():
                shared = np.intersect1d(rows, ruled)
                if len(shared) and not type(made).adds:
                    joint = self._joints[int(shared[0])]
                    raise SpecError(
                        f"the controller {name!r} commands joint {joint!r} at this time",
                        where=field,
                        element=joint,
                        hint="set_controller leads it, remove_controller ends it",
                    )
