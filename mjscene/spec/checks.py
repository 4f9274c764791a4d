"""Checks of spec fields: each takes a value and returns it in its one normal form.

They raise :class:`~mjscene.errors.SpecError` that names the field, so that a spec which exists
is a spec that is well-formed. Nothing here knows MuJoCo.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from numbers import Real
from typing import Any, TypeVar

from mjscene.errors import SpecError, article, close_matches, shown

T = TypeVar("T")
E = TypeVar("E", bound=Enum)

# Kinds of model file, as they are written: MuJoCo minds their case.
MODEL_SUFFIXES = (".xml", ".urdf", ".mjz", ".zip")

# A quaternion typed by hand with four digits has a norm within 1e-4 of 1.
QUAT_TOLERANCE = 1e-3


def number(
    value: Any,
    where: str,
    *,
    above: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
) -> float:
    """A finite float within bounds."""
    if isinstance(value, bool) or not isinstance(value, Real):
        degrees = isinstance(value, Mapping) and list(value) == ["deg"]
        hint = "angles are in rad here: math.radians(...)" if degrees else None
        raise SpecError(
            f"expected a number, got {shown(value)}", where=where, given=value, hint=hint
        )
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise SpecError(f"expected a finite number, got {result}", where=where, given=value)
    if above is not None and not result > above:
        raise SpecError(f"expected a number > {above:g}, got {result:g}", where=where, given=value)
    if at_least is not None and not result >= at_least:
        raise SpecError(
            f"expected a number >= {at_least:g}, got {result:g}", where=where, given=value
        )
    if at_most is not None and not result <= at_most:
        raise SpecError(
            f"expected a number <= {at_most:g}, got {result:g}", where=where, given=value
        )
    return result


def integer(
    value: Any, where: str, *, at_least: int | None = None, at_most: int = 2**31 - 1
) -> int:
    """An int, not a bool, within bounds; MuJoCo's ints have 32 bits."""
    result = int(number(value, where))
    if result != value:
        raise SpecError(f"expected a whole number, got {shown(value)}", where=where, given=value)
    if at_least is not None and result < at_least:
        raise SpecError(
            f"expected a whole number >= {at_least}, got {result}", where=where, given=value
        )
    if result > at_most:
        raise SpecError(
            f"expected a whole number <= {at_most}, got {result}", where=where, given=value
        )
    return result


def boolean(value: Any, where: str) -> bool:
    """True or False, nothing that merely counts as one of them."""
    if not isinstance(value, bool):
        raise SpecError(f"expected True or False, got {shown(value)}", where=where, given=value)
    return value


def vector(
    value: Any,
    where: str,
    sizes: int | tuple[int, ...],
    *,
    at_least: float | None = None,
    at_most: float | None = None,
) -> tuple[float, ...]:
    """A tuple of finite floats with one of the given sizes."""
    allowed = (sizes,) if isinstance(sizes, int) else sizes
    wanted = " or ".join(str(s) for s in allowed)
    wanted += " number" if allowed == (1,) else " numbers"
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise SpecError(f"expected {wanted}, got {shown(value)}", where=where, given=value)
    items = tuple(value)
    if len(items) not in allowed:
        raise SpecError(f"expected {wanted}, got {len(items)}: {items!r}", where=where, given=value)
    return tuple(
        number(item, f"{where}[{i}]", at_least=at_least, at_most=at_most)
        for i, item in enumerate(items)
    )


def per_joint(
    value: Any, where: str, joints: int, one: Callable[[Any, str], float]
) -> float | tuple[float, ...] | None:
    """None, one number, or one per joint.

    Args:
        value: What was given.
        where: The field.
        joints: How many joints are named; 0 for any count.
        one: The check of one number, (value, where) to its normal form.
    """
    if value is None:
        return None
    if isinstance(value, str) or not isinstance(value, Iterable):
        return one(value, where)
    items = tuple(one(v, f"{where}[{i}]") for i, v in enumerate(value))
    if joints and len(items) != joints:
        raise SpecError(
            f"expected one number or one per joint ({joints}), got {len(items)}",
            where=where,
            given=items,
        )
    return items


def unit_quat(value: Any, where: str) -> tuple[float, ...]:
    """A unit quaternion (x, y, z, w), normalised if it is within 1e-3 of one."""
    quat = vector(value, where, 4)
    norm = math.sqrt(sum(q * q for q in quat))
    if norm < 1e-9:
        raise SpecError(
            "the zero quaternion is no rotation",
            where=where,
            given=quat,
            hint="the identity is (0, 0, 0, 1): mjscene's order is (x, y, z, w)",
        )
    unit = tuple(q / norm for q in quat)
    if abs(norm - 1.0) > QUAT_TOLERANCE:
        shown = ", ".join(f"{q:.6g}" for q in unit)
        raise SpecError(
            f"expected a unit quaternion (x, y, z, w), got {quat} with norm {norm:.6g}",
            where=where,
            given=quat,
            hint=f"normalised it would be ({shown})",
        )
    return quat if abs(norm - 1.0) < 1e-15 else unit


def text(value: Any, where: str) -> str:
    """A non-empty string."""
    if not isinstance(value, str) or not value:
        raise SpecError(
            f"expected a non-empty string, got {shown(value)}", where=where, given=value
        )
    return value


def name(value: Any, where: str, *, empty: bool = False) -> str:
    """A legal MuJoCo name or prefix: printable, and no white space at either end."""
    if not isinstance(value, str) or (not value and not empty):
        kind = "a string" if empty else "a non-empty string"
        raise SpecError(f"expected {kind} as a name, got {shown(value)}", where=where, given=value)
    if not value.isprintable() or value != value.strip():
        raise SpecError(
            f"{shown(value)} is not a legal name",
            where=where,
            given=value,
            hint="use printable characters and no spaces at the ends",
        )
    return value


def choice(value: Any, where: str, allowed: Iterable[str]) -> str:
    """One of the allowed words."""
    options = tuple(allowed)
    if not isinstance(value, str) or value not in options:
        close = close_matches(value, options) if isinstance(value, str) else ()
        raise SpecError(
            f"unknown value {shown(value)}", where=where, given=value, allowed=options, close=close
        )
    return value


def member(value: Any, where: str, enum: type[E]) -> E:
    """A member of ``enum``; its name or value as a string is taken too."""
    if isinstance(value, enum):
        return value
    names = {m.name: m for m in enum}
    if isinstance(value, str) and value.upper() in names:
        return names[value.upper()]
    close = close_matches(value.upper(), names) if isinstance(value, str) else ()
    raise SpecError(
        f"expected {article(enum.__name__)}, got {shown(value)}",
        where=where,
        given=value,
        allowed=names,
        close=close,
    )


def instance(value: Any, where: str, cls: type[T], hint: str | None = None) -> T:
    """An instance of ``cls``."""
    if not isinstance(value, cls):
        wanted = article(cls.__name__)
        raise SpecError(
            f"expected {wanted}, got {shown(value)}", where=where, given=value, hint=hint
        )
    return value


def sequence(value: Any, where: str, what: str = "items") -> tuple[Any, ...]:
    """A tuple out of any iterable but a string or a mapping."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise SpecError(
            f"expected a sequence of {what}, got {shown(value)}", where=where, given=value
        )
    return tuple(value)


def tuple_of(value: Any, where: str, cls: type[T]) -> tuple[T, ...]:
    """A tuple of instances of ``cls`` out of any sequence of them."""
    if isinstance(value, cls):
        raise SpecError(
            f"expected a sequence of {cls.__name__}, got a single one",
            where=where,
            given=value,
            hint="put it into a list: [...]",
        )
    items = sequence(value, where, cls.__name__)
    return tuple(instance(item, f"{where}[{i}]", cls) for i, item in enumerate(items))


def names(value: Any, where: str) -> tuple[str, ...]:
    """A tuple of distinct names out of any sequence of strings (not one string)."""
    if isinstance(value, str):
        raise SpecError(
            f"expected a sequence of names, got the string {value!r}",
            where=where,
            given=value,
            hint=f"write [{value!r}]",
        )
    found = tuple(name(item, f"{where}[{i}]") for i, item in enumerate(tuple_of(value, where, str)))
    unique(found, where, "name")
    return found


def unique(items: Iterable[str], where: str, what: str) -> None:
    """Raise if an item occurs twice."""
    seen: dict[str, int] = {}
    for i, item in enumerate(items):
        if item in seen:
            raise SpecError(
                f"{what} {item!r} is used twice: [{seen[item]}] and [{i}]", where=where, given=item
            )
        seen[item] = i


def source(value: Any, where: str) -> Any:
    """What a model can come from: a path, a name or XML as a string, an MjSpec, a PyMJCF element.

    Types of MuJoCo and dm_control are told by their names, since a spec imports neither.
    """
    if isinstance(value, str):
        return text(value, where)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if type(value).__name__ == "MjSpec" or hasattr(value, "to_xml_string"):
        return value
    raise SpecError(
        f"no source of a model: {shown(value)}",
        where=where,
        given=value,
        hint=(
            "give a path (.xml, .urdf, .mjz), 'menagerie:NAME', 'mjscene:NAME', an XML string, "
            "a mujoco.MjSpec or a PyMJCF RootElement"
        ),
    )
