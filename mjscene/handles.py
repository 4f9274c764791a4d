"""Handles by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from mjscene.errors import ModeError, UnknownNameError, close_matches

if TYPE_CHECKING:
    from mjscene.robot import Robot

__all__ = ["Handles", "Named", "find_handle"]

T = TypeVar("T")


class Named(Mapping[str, T]):
    """Things by name, in their order; a wrong name gets the closest ones."""

    __slots__ = ("_things", "_what")

    def __init__(self, things: dict[str, T], what: str) -> None:
        self._things = things
        self._what = what

    def __getitem__(self, name: str) -> T:
        try:
            return self._things[name]
        except (KeyError, TypeError):
            raise UnknownNameError(
                f"there is no {self._what} {name!r}",
                given=name,
                close=close_matches(str(name), self._things),
                allowed=tuple(self._things),
                hint=self._hint(str(name)),
            ) from None

    def _hint(self, name: str) -> str | None:
        """What else a name may mean."""
        return None

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def __len__(self) -> int:
        return len(self._things)

    def __repr__(self) -> str:
        return f"{self._what}s: {', '.join(self._things) or 'none'}"


class Handles(Named["Robot"]):
    """Handles by name, in the order of the spec."""

    __slots__ = ()

    def _hint(self, name: str) -> str | None:
        return f"an attachment is scene.handle({name!r})" if "." in name else None


def find_handle(known: Mapping[str, Robot], name: str) -> Robot:
    """The handle of that name.

    Raises:
        ModeError: There is none.
    """
    try:
        return known[name]
    except (KeyError, TypeError):
        raise ModeError(
            f"there is no robot {name!r}",
            given=name,
            close=close_matches(str(name), known),
            allowed=known,
        ) from None
