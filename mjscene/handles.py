"""Handles by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from mjscene.errors import ModeError, UnknownNameError, close_matches

if TYPE_CHECKING:
    from mjscene.robot import Robot

__all__ = ["Handles", "find_handle"]


class Handles(Mapping[str, "Robot"]):
    """Handles by name, in the order of the spec; a wrong name gets the closest ones."""

    __slots__ = ("_handles", "_what")

    def __init__(self, handles: dict[str, Robot], what: str) -> None:
        self._handles = handles
        self._what = what

    def __getitem__(self, name: str) -> Robot:
        try:
            return self._handles[name]
        except KeyError:
            raise UnknownNameError(
                f"there is no {self._what} {name!r}",
                given=name,
                close=close_matches(str(name), self._handles),
                allowed=tuple(self._handles),
                hint=f"an attachment is scene.handle({name!r})" if "." in str(name) else None,
            ) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._handles)

    def __len__(self) -> int:
        return len(self._handles)

    def __repr__(self) -> str:
        return f"{self._what}s: {', '.join(self._handles) or 'none'}"


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
