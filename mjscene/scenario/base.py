"""What a timeline and its expectations are made of: bases, values with tolerances, and times."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import SpecError
from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = [
    "Action",
    "Expectation",
    "Ints",
    "Miss",
    "Numbers",
    "Probe",
    "Range",
    "Value",
    "check_numbers",
    "check_pair",
    "check_value",
    "excess",
    "said_value",
]

Ints = NDArray[np.intp]
"""Indices, of rows or steps."""
Numbers = Sequence[float] | Mapping[str, float] | Sequence[tuple[str, float]]
"""One number per joint in their order, or numbers by joint (kept as pairs)."""


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class Range:
    """Bounds of a value, themselves allowed.

    Args:
        min: The least.
        max: The largest.
    """

    min: float = -math.inf
    max: float = math.inf

    def __post_init__(self) -> None:
        """Check.

        Raises:
            SpecError: A bound that is no number, or no bound, or none that anything fulfils.
        """
        for name in ("min", "max"):
            value = getattr(self, name)
            if not (isinstance(value, float) and math.isinf(value)):
                object.__setattr__(self, name, checks.number(value, f"Range.{name}"))
        if not self.min <= self.max or self.min == math.inf or self.max == -math.inf:
            raise SpecError(f"nothing is between {self.min} and {self.max}", where="Range.min")
        if self.min == -math.inf and self.max == math.inf:
            raise SpecError("give min or max", where="Range")


Value = float | Range
"""A number, met within a tolerance, or bounds."""


def check_value(value: Any, where: str) -> Value:
    """A finite number or bounds."""
    return value if isinstance(value, Range) else checks.number(value, where)


def check_numbers(value: Any, where: str) -> Any:
    """Numbers as a tuple, or as a tuple of pairs with names."""
    if isinstance(value, Mapping):
        value = tuple(value.items())
    items = checks.sequence(value, where, "numbers")
    if not items:
        raise SpecError("expected numbers, got none", where=where, given=value)
    if all(isinstance(i, tuple | list) and len(i) == 2 for i in items):
        pairs = tuple(
            (checks.name(n, f"{where}[{k}]"), checks.number(v, f"{where}[{n!r}]"))
            for k, (n, v) in enumerate(items)
        )
        checks.unique((n for n, _ in pairs), where, "name")
        return pairs
    return tuple(checks.number(v, f"{where}[{i}]") for i, v in enumerate(items))


def check_pair(value: Any, where: str) -> tuple[str, str]:
    """Two different names."""
    names = checks.names(value, where)
    if len(names) != 2:
        raise SpecError(f"expected two names, got {len(names)}", where=where, given=value)
    return names[0], names[1]


def excess(seen: float, wanted: Value, tolerance: float) -> float:
    """How far a value is beyond what is wanted; <= 0 is within, and infinity stands for NaN."""
    if isinstance(wanted, Range):
        beyond = max(wanted.min - seen, seen - wanted.max)
    else:
        beyond = abs(seen - wanted) - tolerance
    return math.inf if math.isnan(beyond) or math.isnan(seen) else beyond


def said_value(wanted: Value, tolerance: float, unit: str) -> str:
    """What is wanted, in words."""
    unit = f" {unit}" if unit else ""
    if not isinstance(wanted, Range):
        return f"{wanted:.6g} ± {tolerance:.3g}{unit}"
    if wanted.max == math.inf:
        return f">= {wanted.min:.6g}{unit}"
    if wanted.min == -math.inf:
        return f"<= {wanted.max:.6g}{unit}"
    return f"within {wanted.min:.6g} … {wanted.max:.6g}{unit}"


@dataclass(frozen=True)
class Miss:
    """What was seen where an expectation was not met.

    Attributes:
        seen: In words.
        excess: How far it is beyond what is allowed, in the unit of what is seen.
    """

    seen: str
    excess: float = math.inf


Probe = Callable[[], Miss | None]
"""Looks at the scene now; None where all is as expected."""


@dataclass(frozen=True, kw_only=True)
class Action(ABC):
    """Something that is done at a time.

    A subclass has its ``word`` in files; where a file may give one field alone instead of a
    mapping, ``whole`` names it.

    Args:
        at: When [s], a multiple of the timestep, before the scenario's end.
    """

    at: float = field(kw_only=True)

    word: ClassVar[str] = ""
    whole: ClassVar[str | None] = None
    timing: ClassVar[tuple[str, ...]] = ("at",)
    switches: ClassVar[bool] = False
    """Whether it may change modes, so that an expectation of jumps looks at it."""

    def __post_init__(self) -> None:
        """Check the fields."""
        name = f"{type(self).__name__}.at"
        object.__setattr__(self, "at", checks.number(self.at, name, at_least=0))
        self._check_fields()

    def _check_fields(self) -> None:
        """Check the fields of the variant.

        Raises:
            SpecError: A wrong type or value.
        """
        return

    def _put(self, name: str, check: Callable[..., Any], *args: Any, **bounds: Any) -> None:
        """Keep a field in its normal form."""
        where = f"{type(self).__name__}.{name}"
        object.__setattr__(self, name, check(getattr(self, name), where, *args, **bounds))

    @abstractmethod
    def check(self, stage: Stage) -> None:
        """Look every name up in the scene as it will be then.

        Raises:
            MjsceneError: ``where`` is the field at fault.
        """

    def switched(self, stage: Stage) -> Ints:
        """The rows of the joints whose efforts it may make jump, if it ``switches``."""
        return np.arange(len(stage.modes))

    @abstractmethod
    def act(self, run: Run) -> None:
        """Do it.

        Raises:
            MjsceneError: It cannot be done in the state of now.
        """


@dataclass(frozen=True, kw_only=True)
class Expectation(ABC):
    """Something that has to be so: at a time, or in every step of a span of time.

    Give at most one of the times. Without any it is looked at when the scenario ends; one that
    bounds something (``whole_run``), in every step of the run. What is expected at a time is looked
    at before what is done at that time.

    Args:
        at: When [s].
        during: From when to when [s]; both ends belong to it.
        since: From when to the end [s].
        once: From when to when [s]: it is enough if it is so in one step.
    """

    at: float | None = None
    during: tuple[float, float] | None = None
    since: float | None = None
    once: tuple[float, float] | None = None

    word: ClassVar[str] = ""
    whole: ClassVar[str | None] = None
    timing: ClassVar[tuple[str, ...]] = ("at", "during", "since", "once")
    whole_run: ClassVar[bool] = False
    after_actions: ClassVar[bool] = False
    """Whether it is about what is done at a time, and so looked at after that."""

    def __post_init__(self) -> None:
        """Check the fields."""
        cls = type(self).__name__
        given = [name for name in self.timing if getattr(self, name) is not None]
        if len(given) > 1:
            raise SpecError(f"give one time, not {' and '.join(given)}", where=f"{cls}.{given[1]}")
        for name in ("at", "since"):
            if getattr(self, name) is not None:
                self._put(name, checks.number, at_least=0)
        for name in ("during", "once"):
            if getattr(self, name) is None:
                continue
            self._put(name, checks.vector, 2, at_least=0)
            first, last = getattr(self, name)
            if not first < last:
                raise SpecError(
                    f"the span ends at {last:g} s before it has begun at {first:g} s",
                    where=f"{cls}.{name}",
                )
        self._check_fields()

    def _check_fields(self) -> None:
        """Check the fields of the variant.

        Raises:
            SpecError: A wrong type or value.
        """
        return

    def _put(self, name: str, check: Callable[..., Any], *args: Any, **bounds: Any) -> None:
        """Keep a field in its normal form."""
        where = f"{type(self).__name__}.{name}"
        object.__setattr__(self, name, check(getattr(self, name), where, *args, **bounds))

    def _one_of(self, *names: str) -> str:
        """The one of several fields that is given."""
        given = [n for n in names if getattr(self, n) is not None]
        if len(given) != 1:
            said = "nothing" if not given else " and ".join(given)
            raise SpecError(
                f"give one of {', '.join(names)}; {said} is given",
                where=f"{type(self).__name__}.{given[-1]}" if given else type(self).__name__,
            )
        return given[0]

    def looks_from(self) -> float | None:
        """The time [s] from which on it keeps something in mind; None if it does not."""
        return None

    def bodies(self) -> tuple[str, ...]:
        """Names of bodies that a recording of the run shall have."""
        return ()

    @abstractmethod
    def check(self, stage: Stage) -> None:
        """Look every name up in the scene as it will be then.

        Raises:
            MjsceneError: ``where`` is the field at fault.
        """

    @abstractmethod
    def said(self, stage: Stage) -> str:
        """What is expected, in words and units."""

    @abstractmethod
    def bind(self, run: Run) -> Probe:
        """The function that looks at the scene now; made anew whenever the model is a new one."""
