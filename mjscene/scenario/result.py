"""What came of a scenario."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mjscene.recording import Recording

__all__ = ["Checked", "Failure", "ScenarioResult"]


@dataclass(frozen=True, kw_only=True)
class Failure:
    """One thing that was not as expected.

    Attributes:
        time: When, first [s] since the scenario's start.
        expected: What was expected, with its unit.
        seen: What was seen then.
        where: Its place in the scenario, as ``expect[2]``.
        file: The scenario's file, if it has one.
        line: The line in it.
        worst: When and what was seen when it was worst, if that was later.
    """

    time: float
    expected: str
    seen: str
    where: str
    file: str | None = None
    line: int | None = None
    worst: tuple[float, str] | None = None

    def __str__(self) -> str:
        """One line, in words."""
        place = "" if self.file is None else f" ({self.file}:{self.line})"
        text = f"at t = {self.time:.6g} s: {self.where}{place}: expected {self.expected};"
        text += f" seen: {self.seen}"
        if self.worst is not None:
            text += f"; worst at {self.worst[0]:.6g} s: {self.worst[1]}"
        return text


@dataclass(frozen=True, kw_only=True)
class Checked:
    """One expectation and how it went.

    Attributes:
        where: Its place in the scenario, as ``expect[2]``.
        expected: What was expected, with its unit.
        times: When it was looked at, in words.
        passed: Whether it was met.
        decided: Whether the run got far enough to tell; what is not decided is not passed.
    """

    where: str
    expected: str
    times: str
    passed: bool
    decided: bool = True

    def __str__(self) -> str:
        """How it went, in a word or two."""
        return "ok" if self.passed else "FAILED" if self.decided else "not decided"


@dataclass(frozen=True, kw_only=True)
class ScenarioResult:
    """What came of a scenario.

    Attributes:
        name: The scenario's name.
        checked: Every expectation, in the scenario's order.
        failures: What was not as expected, in order of time; with what stopped the run.
        stopped: What stopped the run before its end; None if nothing did.
        recordings: What was recorded, from one change of objects or reset to the next.
        warnings: What was warned of.
        duration: Simulated time [s].
        wall: Time it took, building included [s].
    """

    name: str
    checked: tuple[Checked, ...]
    failures: tuple[Failure, ...]
    recordings: tuple[Recording, ...] = field(repr=False)
    warnings: tuple[str, ...]
    duration: float
    wall: float
    stopped: Failure | None = None

    @property
    def passed(self) -> bool:
        """Whether all was as expected."""
        return not self.failures

    @property
    def recording(self) -> Recording:
        """The recording of the run; that of its last part, after objects changed or a reset."""
        return self.recordings[-1]

    @property
    def text(self) -> str:
        """A short table: what stopped the run, each expectation, and the other failures."""
        wrong = sum(c.decided and not c.passed for c in self.checked)
        open_ = sum(not c.decided for c in self.checked)
        head = f"{self.name or 'scenario'}: {'passed' if self.passed else 'FAILED'}"
        if not self.passed:
            head += f", {wrong} of {len(self.checked)} expectations not met"
            head += f", {open_} not decided" if open_ else ""
        lines = [f"{head} ({self.duration:.6g} s in {self.wall:.2f} s)"]
        if self.stopped is not None:
            lines.append(f"stopped {self.stopped}")
        width = max(len(c.times) for c in self.checked)
        said = max(len("FAILED"), *(len(str(c)) for c in self.checked))
        for c in self.checked:
            lines.append(f"  {c!s:{said}} {c.times:{width}}  {c.expected}")
        lines += [str(failure) for failure in self.failures if failure is not self.stopped]
        return "\n".join(lines)
