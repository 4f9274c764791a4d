"""Contact between things, or none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import SpecError
from mjscene.scenario.base import Expectation, Miss, Probe, check_pair
from mjscene.scenario.things import geoms_of
from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["Contact", "NoContact"]

Bools = NDArray[np.bool_]


def _mask(run: Run, name: str) -> Bools:
    """Which geoms a thing has; none while it is not there."""
    mask = geoms_of(run.scene, name)
    return np.zeros(run.scene.model.ngeom, dtype=bool) if mask is None else mask


def _touching(run: Run, first: Bools, last: Bools) -> Callable[[], Any]:
    """A function that gives the pairs of geoms (n, 2) of two sets that touch now.

    What MuJoCo only keeps an eye on (within ``margin`` and not within ``gap``) exerts no force and
    is no contact.
    """
    contact = run.scene.data.contact

    def pairs() -> Any:
        if not len(contact):
            return np.zeros((0, 2), dtype=int)
        geoms = contact.geom[contact.efc_address >= 0]
        geoms = geoms[(geoms >= 0).all(axis=1)]
        a, b = geoms[:, 0], geoms[:, 1]
        return geoms[(first[a] & last[b]) | (first[b] & last[a])]

    return pairs


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class Contact(Expectation):
    """Two things touch.

    Args:
        between: Two robots, bodies (each with all below it) or geoms.
    """

    between: tuple[str, str]

    word: ClassVar[str] = "contact"

    def _check_fields(self) -> None:
        self._put("between", check_pair)

    def check(self, stage: Stage) -> None:
        """Look both up."""
        for k, name in enumerate(self.between):
            stage.geoms(name, f"between[{k}]")

    def said(self, stage: Stage) -> str:
        """What is expected."""
        return f"contact of {self.between[0]!r} and {self.between[1]!r}"

    def bind(self, run: Run) -> Probe:
        """Look at the contacts."""
        first, last = (_mask(run, name) for name in self.between)
        pairs = _touching(run, first, last)
        return lambda: None if len(pairs()) else Miss("no contact")


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class NoContact(Expectation):
    """Two things do not touch, or a thing touches nothing but what is listed.

    Without a time it is looked at in every step of the run.

    Args:
        between: Two robots, bodies (each with all below it) or geoms.
        of: One of these: it touches nothing else.
        but: What ``of`` may touch; contacts of its own parts always may be.
    """

    between: tuple[str, str] | None = None
    of: str | None = None
    but: Sequence[str] = ()

    word: ClassVar[str] = "no_contact"
    whole_run: ClassVar[bool] = True

    def _check_fields(self) -> None:
        if self._one_of("between", "of") == "between":
            self._put("between", check_pair)
            if self.but:
                raise SpecError("it goes with 'of' alone", where="NoContact.but")
        else:
            self._put("of", checks.name)
        self._put("but", checks.names)

    def check(self, stage: Stage) -> None:
        """Look all up."""
        for k, name in enumerate(self.between or ()):
            stage.geoms(name, f"between[{k}]")
        if self.of is not None:
            stage.geoms(self.of, "of")
        for k, name in enumerate(self.but):
            stage.geoms(name, f"but[{k}]")

    def said(self, stage: Stage) -> str:
        """What is expected."""
        if self.between is not None:
            return f"no contact of {self.between[0]!r} and {self.between[1]!r}"
        but = f" but with {', '.join(map(repr, self.but))}" if self.but else ""
        return f"no contact of {self.of!r}{but}"

    def bind(self, run: Run) -> Probe:
        """Look at the contacts."""
        if self.between is not None:
            first, last = (_mask(run, name) for name in self.between)
        else:
            first = _mask(run, str(self.of))
            allowed = first.copy()
            for name in self.but:
                allowed |= _mask(run, name)
            last = ~allowed
        pairs, model = _touching(run, first, last), run.scene.model

        def look() -> Miss | None:
            found = pairs()
            if not len(found):
                return None
            names = [model.geom(int(g)).name or f"geom {g}" for g in found[0]]
            return Miss(f"{names[0]!r} touches {names[1]!r}", float(len(found)))

        return look
