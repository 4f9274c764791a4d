"""Who claims which value of an option, and what becomes of claims that differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mjscene.errors import ComposeError
from mjscene.sources import Source
from mjscene.spec.physics import WORDS

__all__ = ["Author", "Claim", "OptionRow", "by_source", "merge_claims", "plain"]


@dataclass(frozen=True)
class Author:
    """An owner, or several of one source, whose file may have authored options."""

    label: str
    source: Source
    owners: int = 1


@dataclass(frozen=True)
class OptionRow:
    """One option of the scene.

    Attributes:
        name: The option as in MJCF.
        value: The value used.
        origin: ``spec``, the owners that authored it, or ``MuJoCo's default``.
        note: What was merged or overruled.
    """

    name: str
    value: Any
    origin: str
    note: str = ""


@dataclass(frozen=True)
class Claim:
    """A value that an author gives an option."""

    value: Any
    author: Author


def by_source(authors: list[Author]) -> list[Author]:
    """One author per source, labelled with all owners that use it."""
    sharing: dict[int, list[Author]] = {}
    for author in authors:
        sharing.setdefault(id(author.source), []).append(author)
    found = []
    for same in sharing.values():
        labels = [a.label for a in same]
        label = ", ".join(labels) if len(labels) < 4 else f"{labels[0]} and {len(labels) - 1} more"
        found.append(Author(label, same[0].source, len(same)))
    return found


def plain(value: Any) -> Any:
    """An array as a tuple of floats; anything else as it is."""
    return tuple(float(v) for v in value) if isinstance(value, np.ndarray) else value


def _shown(name: str, value: Any) -> Any:
    return WORDS[name][int(value)] if name in WORDS and not isinstance(value, str) else value


def merge_claims(name: str, rule: str, wanted: Any, claims: list[Claim]) -> OptionRow | None:
    """The row of an option out of what the scene wants and the authors claim.

    Args:
        name: The option.
        rule: ``min``, ``max`` or ``error``: what becomes of claims that differ.
        wanted: What the scene's spec says; None if it leaves the option open.
        claims: Who authored it, and how.

    Returns:
        The row, or None if nobody set the option.

    Raises:
        ComposeError: Two claims differ and the rule is ``error``.
    """
    claims = [Claim(_shown(name, c.value), c.author) for c in claims]
    if wanted is not None:
        overruled = [f"{c.author.label} has {c.value}" for c in claims if c.value != wanted]
        return OptionRow(name, wanted, "spec", "; ".join(overruled))
    if not claims:
        return None
    values = list(dict.fromkeys(c.value for c in claims))
    if len(values) == 1:
        return OptionRow(name, values[0], ", ".join(c.author.label for c in claims))
    if rule == "error":
        raise _conflict(name, claims)
    value = min(values) if rule == "min" else max(values)
    origin = ", ".join(c.author.label for c in claims if c.value == value)
    others = "; ".join(f"{c.author.label} has {c.value}" for c in claims if c.value != value)
    word = "smallest" if rule == "min" else "largest"
    return OptionRow(name, value, origin, f"{word} of several: {others}")


def _conflict(name: str, claims: list[Claim]) -> ComposeError:
    first = claims[0]
    other = next(c for c in claims if c.value != first.value)

    def said(claim: Claim) -> str:
        file = claim.author.source.file
        return f"{claim.author.label} ({file or claim.author.source.label}) has {claim.value!r}"

    return ComposeError(
        f"the files do not agree on option {name!r}: {said(first)}, {said(other)}",
        where=f"options.{name}",
        given=(first.value, other.value),
        element=name,
        hint=f"decide with SceneSpec(options=PhysicsOptions({name}={first.value!r}))",
    )
