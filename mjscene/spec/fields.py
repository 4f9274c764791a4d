"""Errors of dataclasses that are made with wrong fields, in this package's own words.

Python's own TypeError says neither which field was meant nor which there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, fields
from functools import wraps
from typing import Any, TypeVar

from mjscene.errors import CommandError, SpecError, close_matches

__all__ = ["CommandFieldError", "SpecFieldError", "named_fields", "rotation_hint"]

T = TypeVar("T")
_ROTATIONS = ("euler", "rpy", "axisangle", "rot", "rotation", "orientation")
_ROTATION = "a rotation is a quaternion, quat: [x, y, z, w]; half a turn about z is [0, 0, 1, 0]"


class SpecFieldError(SpecError, TypeError):
    """A spec made with a field that it has not, or without one that it needs."""


class CommandFieldError(CommandError, TypeError):
    """A part of a message made with a field that it has not."""


FieldError = type[SpecFieldError] | type[CommandFieldError]


def named_fields(error: FieldError) -> Callable[[type[T]], type[T]]:
    """A decorator over ``@dataclass`` that raises ``error`` for fields that do not fit.

    The error is a TypeError too. Nothing else changes: the class is the same, with its fields and
    its signature, and ``dataclasses.replace`` works and refuses what the class refuses.

    Args:
        error: What to raise.
    """

    def decorate(cls: type[T]) -> type[T]:
        known = {f.name: f for f in fields(cls) if f.init}  # type: ignore[arg-type]
        made: Callable[..., None] = cls.__init__

        @wraps(made)
        def checked(self: T, *args: Any, **given: Any) -> None:
            try:
                made(self, *args, **given)
            except TypeError:
                _explain(cls.__name__, known, args, given, error)
                raise

        cls.__init__ = checked  # type: ignore[assignment]
        return cls

    return decorate


def rotation_hint(field: str, known: Iterable[str]) -> str | None:
    """What to write in place of a rotation of another kind, where there is a quaternion."""
    return _ROTATION if field in _ROTATIONS and "quat" in known else None


def _explain(
    name: str,
    known: dict[str, Field[Any]],
    args: tuple[Any, ...],
    given: dict[str, Any],
    error: FieldError,
) -> None:
    """Raise what is wrong with the fields, if it is that."""
    for field in given:
        if field not in known:
            raise error(
                "there is no such field",
                where=f"{name}.{field}",
                given=given[field],
                element=field,
                close=close_matches(field, known),
                allowed=known,
                hint=rotation_hint(field, known),
            ) from None
    first = [f.name for f in known.values() if not f.kw_only]
    if len(args) > len(first):
        shape = ", ".join([*("..." for _ in first), *_example(known, first)])
        alone = f"only {first[0]!r} may be" if first else "no field may be"
        raise error(
            f"{alone} given without its name, got {len(args)} values",
            where=name,
            given=args,
            allowed=known,
            hint=f"name them, as in {name}({shape})",
        ) from None
    for field in first[: len(args)]:
        if field in given:
            raise error("is given twice", where=f"{name}.{field}", given=given[field]) from None
    missing = [
        f.name
        for f in known.values()
        if f.default is MISSING
        and f.default_factory is MISSING
        and f.name not in given
        and f.name not in first[: len(args)]
    ]
    if missing:
        raise error(f"{name} needs {' and '.join(missing)}", where=f"{name}.{missing[0]}") from None


def _example(known: dict[str, Field[Any]], first: list[str]) -> list[str]:
    rest = [n for n in known if n not in first]
    return [f"{rest[0]}=..."] if rest else []
