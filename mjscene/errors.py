"""The exceptions and the warning of mjscene.

Every error keeps its facts as attributes, so that a program can act on them without parsing the
message: ``where`` (the field or object at fault), ``given``, ``allowed``, ``close`` (near matches
of a wrong name), ``hint`` (what to do next), ``file``, ``line``, ``column`` and ``element``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = [
    "CommandError",
    "ComposeError",
    "ControllerError",
    "MjsceneError",
    "MjsceneWarning",
    "ModeError",
    "RenderError",
    "SimulationError",
    "SpecError",
    "UnknownNameError",
    "article",
    "close_matches",
    "shown",
]

_LONGEST = 100  # characters of a value that is shown
_SHOWN = 12  # names listed in a message before it says how many more there are


def close_matches(name: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """Names out of ``candidates`` that resemble ``name``, best first, at most three.

    A candidate also counts as near when ``name`` is what is left of it without its prefix
    (``elbow`` for ``left/elbow``).
    """
    pool = sorted({c for c in candidates if c and c != name})
    tails = [c for c in pool if name and c.endswith(name)]
    # One wrong character of a name such as "j9" leaves half of it.
    cutoff = 0.6 if len(name) > 3 else 0.5
    lowered: dict[str, list[str]] = {}
    for candidate in pool:
        lowered.setdefault(candidate.lower(), []).append(candidate)
    similar = difflib.get_close_matches(name.lower(), list(lowered), n=3, cutoff=cutoff)
    found = dict.fromkeys(tails[:3] + [c for s in similar for c in lowered[s]])
    return tuple(found)[:3]


def article(noun: str) -> str:
    """A noun with its indefinite article, as it is said: an ObjectCmd, an MjSpec, a box."""
    said_as_vowel = noun[:1].lower() in "aeio" or noun.startswith(("Mj", "XML", "hfield"))
    return f"an {noun}" if said_as_vowel else f"a {noun}"


def shown(value: Any) -> str:
    """A value in a message: short, and on one line."""
    text = repr(value)
    if len(text) <= _LONGEST and text.isprintable():
        return text
    if isinstance(value, str):
        return repr(value[: _LONGEST // 2] + "…")
    return article(type(value).__name__)


def _listed(values: Iterable[Any]) -> str:
    items = [repr(v) if isinstance(v, str) else str(v) for v in values]
    if len(items) > _SHOWN:
        return ", ".join(items[:_SHOWN]) + f", … ({len(items) - _SHOWN} more)"
    return ", ".join(items)


class MjsceneError(Exception):
    """Base of all errors of mjscene.

    Args:
        message: What is wrong, as one sentence.
        where: The field (``robots[1].attachments[0].attach_to``) or object at fault.
        given: What was given.
        allowed: The allowed values or names, if they can be listed.
        close: Near matches of a wrong name.
        hint: What to do next.
        file: The file at fault.
        line: The line of that file, counted from 1.
        column: The column in that line, counted from 1.
        element: The XML element or the name of the model element at fault.
    """

    def __init__(
        self,
        message: str,
        *,
        where: str | None = None,
        given: Any = None,
        allowed: Iterable[Any] = (),
        close: Iterable[str] = (),
        hint: str | None = None,
        file: str | Path | None = None,
        line: int | None = None,
        column: int | None = None,
        element: str | None = None,
    ) -> None:
        self.message = message
        self.where = where
        self.given = given
        self.allowed = tuple(allowed)
        self.close = tuple(close)
        self.hint = hint
        self.file = None if file is None else str(file)
        self.line = line
        self.column = column
        self.element = element
        super().__init__(self._text())

    def _text(self) -> str:
        place = "" if self.file is None else self.file
        if not place.isprintable():
            place = repr(place)
        if self.line is not None:
            place = f"{place}:{self.line}" if place else f"line {self.line}"
            if self.column is not None:
                place += f":{self.column}" if self.file is not None else f", column {self.column}"
        head = ": ".join(part for part in (self.where, place, self.message) if part)
        tail = []
        if self.close:
            tail.append(f"did you mean {' or '.join(repr(c) for c in self.close)}?")
        if self.allowed:
            tail.append(f"allowed: {_listed(self.allowed)}")
        if self.hint:
            tail.append(self.hint)
        for part in tail:
            head += f" {part}" if head.endswith("?") else f"; {part}"
        return head

    def of(self, what: str) -> MjsceneError:
        """The same error, with what it is about added to its message."""
        facts = self.__dict__.copy()
        facts["message"] = f"{self.message} ({what})"
        return _rebuild(type(self), facts)

    def at(self, **facts: Any) -> MjsceneError:
        """The same error with other facts: where it was found, once that is known.

        Args:
            **facts: New values of the error's attributes (``where``, ``file``, ``line`` …).
        """
        if facts.get("file") is not None:
            facts["file"] = str(facts["file"])
        return _rebuild(type(self), self.__dict__ | facts)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by attributes: an error may cross a process (pytest-xdist, multiprocessing)."""
        return _rebuild, (type(self), self.__dict__.copy())


def _rebuild(cls: type[MjsceneError], facts: dict[str, Any]) -> MjsceneError:
    error = cls.__new__(cls)
    error.__dict__.update(facts)
    Exception.__init__(error, MjsceneError._text(error))
    return error


class SpecError(MjsceneError, ValueError):
    """A spec that cannot be: a wrong type, value, unit or name, found when it is made."""


class ComposeError(MjsceneError):
    """A source that cannot be read or sources that cannot become one model."""


class ModeError(MjsceneError):
    """A control mode that is not there or that cannot be switched to."""


class CommandError(MjsceneError):
    """A command that names no such object or joint, or has the wrong size or values."""


class ControllerError(MjsceneError):
    """A controller, or a parameter of one, that cannot be where it was put."""


class RenderError(MjsceneError):
    """A picture or video that cannot be made here, of that camera or size, or in that file."""


class SimulationError(MjsceneError):
    """A simulation that blew up, or that MuJoCo reset.

    Args:
        message: What MuJoCo said.
        time: Simulated time at which the step began [s].
        joint: The joint at fault, if MuJoCo names one.
        dof: Its degree of freedom.
        was_reset: Whether MuJoCo has reset the state (its flag ``autoreset``).
    """

    def __init__(
        self,
        message: str,
        *,
        time: float = 0.0,
        joint: str | None = None,
        dof: int | None = None,
        was_reset: bool = False,
    ) -> None:
        self.time, self.joint, self.dof, self.was_reset = time, joint, dof, was_reset
        place = f" (joint {joint!r}, dof {dof})" if joint is not None else ""
        after = "; MuJoCo has reset the state" if was_reset else ""
        super().__init__(
            f"at t = {time:.6g} s{place}: {message}{after}",
            where="step",
            element=joint,
            hint="lower the gains or the timestep, or look at what happened before",
        )


class UnknownNameError(MjsceneError, KeyError):
    """A name that nothing in the scene has."""

    def __str__(self) -> str:
        return self._text()  # KeyError would show the repr of the message


class MjsceneWarning(UserWarning):
    """Something the user should know and that the scene's report lists too."""
