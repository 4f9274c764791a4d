"""No warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from mjscene.scenario.base import Expectation, Miss, Probe
from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["NoWarnings"]


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class NoWarnings(Expectation):
    """Nothing warns, neither while the scene is built nor in the run.

    In a span of time, only what warns in it counts; at a time, all until then.

    Args:
        but: Texts; a warning that has one of them may come.
    """

    but: Sequence[str] = ()

    word: ClassVar[str] = "no_warnings"
    whole_run: ClassVar[bool] = True

    def _check_fields(self) -> None:
        self._put("but", checks.names)

    def check(self, stage: Stage) -> None:
        """There is no name to look up."""
        return

    def said(self, stage: Stage) -> str:
        """What is expected."""
        return "no warnings" + (f" but of {', '.join(map(repr, self.but))}" if self.but else "")

    def bind(self, run: Run) -> Probe:
        """Look at what has been said until now; from the start of a later span on."""
        is_later = self.once is None and (self.during or (self.since or 0.0,))[0] > 0
        run.remember(id(self), run.heard if is_later else int)
        first = run.memory[id(self)]

        def look() -> Miss | None:
            texts = [w for w in run.warnings(first) if not any(b in w for b in self.but)]
            return Miss(texts[0], float(len(texts))) if texts else None

        return look
