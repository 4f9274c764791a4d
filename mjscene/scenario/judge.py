"""Looks at expectations when it is time, and keeps what was not met."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mjscene.scenario.base import Expectation, Miss, Probe
from mjscene.scenario.result import Checked, Failure

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["Judge", "span_of"]


def span_of(expectation: Expectation, stage: Stage) -> tuple[int, int]:
    """The first and last step at which an expectation is looked at.

    Raises:
        SpecError: A time is between two steps.
    """
    for name in ("during", "once"):
        span = getattr(expectation, name)
        if span is not None:
            return stage.step_of(span[0], name), stage.step_of(span[1], name)
    if expectation.at is not None:
        step = stage.step_of(expectation.at, "at")
        return step, step
    if expectation.since is not None:
        return stage.step_of(expectation.since, "since"), stage.steps
    return (0 if expectation.whole_run else stage.steps), stage.steps


@dataclass(eq=False)
class _Watched:
    """An expectation of a run.

    Attributes:
        first, last: Steps at which it is looked at.
        binds: The step from which on it looks.
        looks: How often it was looked at.
        met: How often it was met.
        misses: The first miss and its step, and the worst.
    """

    index: int
    expectation: Expectation
    expected: str
    first: int
    last: int
    binds: int
    probe: Probe | None = None
    looks: int = 0
    met: int = 0
    misses: list[tuple[int, Miss]] = field(default_factory=list)

    @property
    def is_once(self) -> bool:
        return self.expectation.once is not None

    def passed(self) -> bool:
        """Whether it was met; one that the run did not get to was not."""
        if self.is_once:
            return self.met > 0
        return self.looks == self.last - self.first + 1 and not self.misses

    def decided(self) -> bool:
        """Whether the run got far enough to tell."""
        if self.looks == self.last - self.first + 1:
            return True
        return self.met > 0 if self.is_once else bool(self.misses)

    def keep(self, step: int, miss: Miss | None) -> None:
        """Take note of a look."""
        self.looks += 1
        if miss is None:
            self.met += 1
        elif not self.misses:
            self.misses = [(step, miss)] * 2
        elif miss.excess > self.misses[1][1].excess:
            self.misses[1] = (step, miss)


class Judge:
    """Judges the expectations of a run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._model = run.scene.model
        stage = run.stage
        self._all = []
        for i, expectation in enumerate(run.scenario.expect):
            first, last = span_of(expectation, stage)
            if expectation.after_actions:
                last = min(last, stage.steps - 1)  # nothing is done at the end
            start = expectation.looks_from()
            binds = first if start is None else min(first, run.steps_in(start))
            with stage.within(first, last):
                said = expectation.said(stage)
            self._all.append(_Watched(i, expectation, said, first, last, binds))
        self.has_failed = False

    def look(self, *, after_actions: bool) -> None:
        """Look at what is expected at this step."""
        run, step = self._run, self._run.step
        if run.scene.model is not self._model:
            self._model = run.scene.model
            for watched in self._all:
                watched.probe = None
        for watched in self._all:
            if not watched.binds <= step <= watched.last:
                continue
            if watched.expectation.after_actions is not after_actions:
                continue
            if watched.probe is None:
                watched.probe = watched.expectation.bind(run)
            if step >= watched.first:
                miss = watched.probe()
                watched.keep(step, miss)
                over = step == watched.last and not watched.passed()
                self.has_failed |= over if watched.is_once else miss is not None

    def checked(self) -> list[Checked]:
        """Every expectation and how it went."""
        return [
            Checked(
                where=self._where(w),
                expected=w.expected,
                times=self._times(w),
                passed=w.passed(),
                decided=w.decided(),
            )
            for w in self._all
        ]

    def failures(self, stopped: Failure | None) -> list[Failure]:
        """What was not as expected, with what stopped the run, if anything did."""
        found = [] if stopped is None else [stopped]
        return found + [self._failure(w) for w in self._all if w.decided() and not w.passed()]

    def _where(self, watched: _Watched) -> str:
        return f"expect[{watched.index}].{watched.expectation.word}"

    def _times(self, watched: _Watched) -> str:
        first, last = (s * self._run.stage.timestep for s in (watched.first, watched.last))
        if watched.first == watched.last:
            return f"at {first:.6g} s"
        return f"{'once ' if watched.is_once else ''}{first:.6g} … {last:.6g} s"

    def _failure(self, watched: _Watched) -> Failure:
        timestep = self._run.stage.timestep
        document, file, line = self._run.scenario.document, None, None
        if document is not None:
            file = document.file
            line = document.root.value["expect"].value[watched.index].line
        (when, miss), (later, most) = watched.misses
        seen, worst = miss.seen, None
        if later != when:
            worst = (later * timestep, most.seen)
        if watched.is_once:
            when = watched.last
            seen = f"it was not so in any of {watched.looks} steps; at first {seen}"
        expected = f"{'once ' if watched.is_once else ''}{watched.expected}"
        return Failure(
            time=when * timestep,
            expected=expected,
            seen=seen,
            where=self._where(watched),
            file=file,
            line=line,
            worst=worst,
        )
