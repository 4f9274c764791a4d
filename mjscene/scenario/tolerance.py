"""Tolerances: of numbers, and of nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mjscene.errors import SpecError
from mjscene.scenario.base import Range
from mjscene.spec import checks

__all__ = ["check_tolerance"]


def check_tolerance(value: Any, where: str, wanted: Iterable[Any]) -> float | None:
    """A tolerance, or None where none is given; beside bounds alone it would do nothing.

    Raises:
        SpecError: It is none, or nothing that is wanted is a number.
    """
    if value is None:
        return None
    number = checks.number(value, where, at_least=0)
    if all(item is None or isinstance(item, Range) for item in wanted):
        raise SpecError(
            "bounds have no tolerance", where=where, given=value, hint="widen min and max by it"
        )
    return number
