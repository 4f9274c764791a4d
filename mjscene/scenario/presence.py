"""When the objects of a scenario are there."""

from __future__ import annotations

from collections.abc import Iterable

from mjscene.errors import SpecError, close_matches

__all__ = ["Moment", "Presence"]

Moment = tuple[int, int]
"""A step, and how many of its actions have been done; before any of them, -1."""
_FOREVER: Moment = (2**62, 0)


class Presence:
    """The spans of time in which each object is there.

    Args:
        there: The objects that are there at the start.
        coming: The objects that are added.
    """

    def __init__(self, there: Iterable[str], coming: Iterable[str]) -> None:
        self._spans: dict[str, list[tuple[Moment, Moment]]] = {
            **{name: [] for name in coming},
            **{name: [((0, -1), _FOREVER)] for name in there},
        }

    def add(self, name: str, now: Moment, field: str) -> None:
        """An object is there from now on.

        Raises:
            SpecError: It is there already.
        """
        spans = self._spans[name]
        if spans and spans[-1][1] is _FOREVER:
            raise SpecError(f"there is an object {name!r} already", where=field, given=name)
        spans.append((now, _FOREVER))

    def remove(self, name: str, now: Moment, field: str) -> None:
        """An object is there no more.

        Raises:
            SpecError: There is none.
        """
        there = [n for n, spans in self._spans.items() if spans and spans[-1][1] is _FOREVER]
        if name not in there:
            raise SpecError(
                f"there is no object {name!r} at this time",
                where=field,
                given=name,
                close=close_matches(name, there),
                allowed=there,
            )
        spans = self._spans[name]
        spans[-1] = (spans[-1][0], now)

    def refuse_absent(self, owner: str, name: str, now: tuple[Moment, Moment], field: str) -> None:
        """Refuse what belongs to an object that is not there all the time.

        Raises:
            SpecError: It is not.
        """
        first, last = now
        if owner in self._spans and not any(
            a <= first and last <= b for a, b in self._spans[owner]
        ):
            raise SpecError(
                f"the object {owner!r} is not there all the time that this is about",
                where=field,
                given=name,
            )

    def refuse_absent_part(self, name: str, now: tuple[Moment, Moment], field: str) -> None:
        """Refuse what has a name as in an object's file, and is not there all the time.

        Raises:
            SpecError: It is not.
        """
        for owner in self._spans:
            if name.startswith(f"{owner}/"):
                self.refuse_absent(owner, name, now, field)
