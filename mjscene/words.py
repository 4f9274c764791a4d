"""Names of classes as words of files and messages."""

from __future__ import annotations

import re
from collections.abc import Container

__all__ = ["free_word", "snake_case"]

_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


def snake_case(name: str) -> str:
    """The name of a class as a word: ``SetActuator`` as ``set_actuator``."""
    return _CAPITAL.sub("_", name).lower()


def free_word(word: str, taken: Container[str]) -> str:
    """A word, or with a number from 2 on the first that is not taken."""
    return next(w for w in (word, *(f"{word}_{k}" for k in range(2, 99))) if w not in taken)
