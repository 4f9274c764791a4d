"""What MuJoCo says, caught: its warnings become Python's, its errors lose no line number.

MuJoCo prints warnings to stderr and appends them to ``MUJOCO_LOG.TXT`` in the working directory,
and its bindings repeat some of them as Python warnings. Inside :class:`Captured` they are
collected instead, and nothing is written. The hook is MuJoCo's one per process: it is put back
on the way out.
"""

from __future__ import annotations

import re
import warnings
from types import TracebackType
from typing import Any

import mujoco

from mjscene.callers import callers_level
from mjscene.errors import MjsceneWarning
from mjscene.listening import settle

__all__ = ["Captured", "element_of", "first_line", "line_of", "warn_all"]

_LINE = re.compile(r"\bline(?: number)?[ =](\d+)", re.IGNORECASE)
# Scenes are saved in a way of their own, see mjscene.save.
_NO_CONCERN = "Attaching a spec with an empty prefix may prevent the model from being saved"
_LEAD = re.compile(r"^(?:(?:(?:XML )?Error|ParseXML|Error parsing XML|Schema violation): ?)+")
_ELEMENT = re.compile(r"Element(?: name)? '([^']*)'")


class Captured:
    """Context in which MuJoCo's warnings are collected in ``messages``.

    Python warnings raised inside by MuJoCo's bindings are collected too (``python=True``); those of
    other origin are passed on afterwards.
    """

    def __init__(self, *, python: bool = True) -> None:
        self.messages: list[str] = []
        self._catch = warnings.catch_warnings(record=True) if python else None
        self._seen: list[Any] | None = None
        self._previous: Any = None

    def __enter__(self) -> Captured:
        self._previous = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(self._add)
        if self._catch is not None:
            self._seen = self._catch.__enter__()
            warnings.simplefilter("always")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        mujoco.set_mju_user_warning(self._previous)
        settle()
        if self._catch is None:
            return
        self._catch.__exit__(kind, error, trace)
        for caught in self._seen or ():
            if caught.category is UserWarning:
                self._add(str(caught.message))
            else:
                warnings.warn_explicit(
                    caught.message, caught.category, caught.filename, caught.lineno
                )

    def _add(self, message: str) -> None:
        text = message.strip()
        if text.startswith(_NO_CONCERN):
            return
        # The bindings repeat the spec's warnings at every compile, with the details after them.
        for i, known in enumerate(self.messages):
            if text.startswith(known):
                self.messages[i] = text
                return
            if known.startswith(text):
                return
        self.messages.append(text)

    def emit(self, stacklevel: int) -> None:
        """Pass the collected messages on as Python warnings."""
        for message in self.messages:
            warnings.warn(message, MjsceneWarning, stacklevel=stacklevel + 1)


def warn_all(messages: list[str]) -> None:
    """Pass messages on as Python warnings, and forget them."""
    said = list(dict.fromkeys(messages))
    messages.clear()
    for message in said:
        warnings.warn(message, MjsceneWarning, stacklevel=callers_level())


def line_of(message: str) -> int | None:
    """The line number in one of MuJoCo's messages."""
    found = _LINE.search(message)
    return int(found.group(1)) if found else None


def element_of(message: str) -> str | None:
    """The element's tag or name in one of MuJoCo's messages."""
    found = _ELEMENT.search(message)
    return found.group(1) if found and found.group(1) else None


def first_line(message: str) -> str:
    """The first line of a message, without the words that every message starts with."""
    head = message.strip().splitlines()[0] if message.strip() else "unknown error"
    return _LEAD.sub("", head).strip()
