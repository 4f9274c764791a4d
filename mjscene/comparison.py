"""Two recordings side by side: what differs first, and what the runs were of.

A comparison fails when the trajectories differ beyond the tolerance, or when the runs are of
different things: another timestep, integrator or other option, another mass, gain or contact
setting, other joints, modes, sensors or lengths. Other versions of MuJoCo, Python and so on are
reported as facts and fail nothing by themselves: that a trajectory stays the same under them is
what a comparison is there to show.

What is not finite never passes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjscene.divergence import Divergence
from mjscene.errors import close_matches
from mjscene.facts import Fact, compare_headers
from mjscene.quantities import QUANTITIES, Quantity, mode_name
from mjscene.recording import Recording
from mjscene.recordingfile import RecordingError

__all__ = ["Comparison", "Divergence", "Fact", "compare"]

TOLERANCE = 1e-6
RELATIVE = 1e-6
_TIME = 1e-9  # times are sums of one timestep: rounding alone tells them apart [s]
_LISTED = 12  # facts in a text before it says how many more there are


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What ``compare`` found; true if the runs are the same.

    Attributes:
        header: Facts that differ: options, masses, names, versions …
        divergences: Where each quantity first differs, the earliest first; at the same time causes
            before effects (modes, commands, controls, contacts, efforts, velocities, positions).
        compared: Whether the trajectories could be compared: not with other joints or timesteps.
        until: Simulated time of the last rows compared [s], where one run is longer than the other.
    """

    header: tuple[Fact, ...]
    divergences: tuple[Divergence, ...]
    compared: bool = True
    until: float | None = None

    @property
    def equal(self) -> bool:
        """Whether the runs are the same, versions aside."""
        return self.compared and not self.divergences and not any(f.fails for f in self.header)

    @property
    def first(self) -> Divergence | None:
        """What differs first; None if nothing does or the trajectories cannot be compared."""
        return self.divergences[0] if self.divergences else None

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        lines = ["the run is the golden's" if self.equal else "the run differs from its golden"]
        if self.first is not None:
            lines.append(f"first, at t = {self.first.time:.6g} s (row {self.first.row}):")
            lines.append(f"  {self.first}")
        elif not self.compared:
            lines.append("the trajectories cannot be compared:")
        elif not self.equal:
            part = "" if self.until is None else f" until t = {self.until:.6g} s, where one ends"
            lines.append(f"the trajectories agree{part}, but what ran does not:")
        failing = [f for f in self.header if f.fails]
        if failing:
            if self.first is not None:
                lines.append("what ran is not the same:")
            lines += [f"  {fact}" for fact in failing[:_LISTED]]
            if len(failing) > _LISTED:
                lines.append(f"  … and {len(failing) - _LISTED} more")
        others = self.divergences[1:]
        if others:
            lines.append("then:")
            lines += [f"  t = {d.time:.6g} s: {d}" for d in others]
        notes = [f for f in self.header if not f.fails]
        if notes:
            lines.append("other versions (no failure by themselves):")
            lines += [f"  {fact}" for fact in notes]
        return "\n".join(lines)


def compare(
    golden: Recording,
    now: Recording,
    *,
    tolerance: float | Mapping[str, float] = TOLERANCE,
    relative: float = RELATIVE,
) -> Comparison:
    """Compare a run with a golden one, row by row.

    Two values agree if ``|now - golden| <= tolerance + relative * |golden|``; modes and contacts
    agree if they are the same. ``tolerance=0, relative=0`` asks for the same bits (but for the
    sign of zero).

    Args:
        golden: The run that is right.
        now: The run to judge.
        tolerance: The absolute tolerance, in the unit of each quantity: one for all, or one for
            each named quantity (``qpos``, ``qvel``, ``ctrl``, ``efforts``, ``commands``,
            ``sensors``, ``bodies``) with 1e-6 for the others.
        relative: The relative tolerance.

    Raises:
        RecordingError: A tolerance is none, or the golden has values that are not finite: nothing
            could be judged by it.
    """
    for name, given in (("golden", golden), ("now", now)):
        if not isinstance(given, Recording):
            raise RecordingError(f"expected a Recording, got {given!r}", where=f"compare.{name}")
    tolerances = _tolerances(tolerance)
    _check_tolerance(relative, "compare.relative")
    refuse_not_finite(golden)
    header = compare_headers(golden, now)
    compared = not any(fact.separates for fact in header)
    found: list[Divergence] = []
    if compared:
        rows = min(len(golden), len(now))
        for quantity in QUANTITIES.values():
            kind = _exact if quantity.exact else _close
            args = (tolerances.get(quantity.name, 0.0), relative)
            one = kind(golden, now, rows, quantity, *args)
            if one is not None:
                found.append(one)
    found.sort(key=lambda d: d.row)  # stable: quantities are listed causes first
    until = None
    if compared and len(golden) != len(now):
        until = float(golden.time[min(len(golden), len(now)) - 1])
    return Comparison(header=header, divergences=tuple(found), compared=compared, until=until)


def refuse_not_finite(recording: Recording, where: str = "golden") -> None:
    """Refuse a recording with values that are not finite.

    Raises:
        RecordingError: It says where the first is.
    """
    for quantity in QUANTITIES.values():
        if quantity.exact:
            continue
        values = quantity.read(recording)
        rows, columns = np.nonzero(~np.isfinite(values))
        if len(rows):
            name = quantity.columns(recording)[columns[0]]
            value = float(values[rows[0], columns[0]])
            raise RecordingError(
                f"{quantity.words.format(name=name)} is {value}"
                f" at t = {recording.time[rows[0]]:.6g} s: nothing can be judged by it",
                where=where,
                given=value,
                element=name,
            )


def _close(
    golden: Recording, now: Recording, rows: int, quantity: Quantity, within: float, relative: float
) -> Divergence | None:
    """Where numbers first differ, and in that row the one furthest beyond its tolerance."""
    right, values = quantity.read(golden)[:rows], quantity.read(now)[:rows]
    if quantity.name == "time":
        within, relative = _TIME, 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(values - right)
        allowed = within + relative * np.abs(right)
    bad = ~(apart <= allowed)  # so that NaN is bad
    if not bad.any():
        return None
    row = int(np.argmax(bad.any(axis=1)))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        excess = np.where(bad[row], apart[row] / allowed[row], -1.0)
    excess[~np.isfinite(values[row])] = math.inf
    column = int(np.argmax(excess))
    units = [quantity.unit(recording, row, column) for recording in (golden, now)]
    return Divergence(
        row=row,
        time=float(golden.time[row]),
        quantity=quantity.name,
        name=quantity.columns(golden)[column],
        golden=float(right[row, column]),
        now=float(values[row, column]),
        unit=units[0],
        now_unit=None if units[0] == units[1] else units[1],
        by=float(apart[row, column]),
        tolerance=float(allowed[row, column]),
    )


def _exact(
    golden: Recording, now: Recording, rows: int, quantity: Quantity, *_: float
) -> Divergence | None:
    """Where modes or contacts first differ."""
    if quantity.name == "modes":
        differ = golden.modes[:rows] != now.modes[:rows]
        if not differ.any():
            return None
        row = int(np.argmax(differ.any(axis=1)))
        column = int(np.argmax(differ[row]))
        old, new = (mode_name(int(r.modes[row, column])) for r in (golden, now))
        name = golden.joint_names[column]
        return _divergence(golden, row, "modes", name, old, new)
    row_or_none = _first_contact_row(golden, now, rows)
    if row_or_none is None:
        return None
    before, after = golden.contacts(row_or_none), now.contacts(row_or_none)
    pairs = sorted(before.keys() | after.keys())
    pair = next(p for p in pairs if before.get(p, 0) != after.get(p, 0))
    name = f"{pair[0]} and {pair[1]}"
    counts = before.get(pair, 0), after.get(pair, 0)
    return _divergence(golden, row_or_none, "contacts", name, *counts)


def _first_contact_row(golden: Recording, now: Recording, rows: int) -> int | None:
    """The first row whose sets of contacts differ."""
    known: dict[tuple[Any, ...], int] = {}

    def numbers(recording: Recording) -> NDArray[np.intp]:
        sets = [tuple(tuple(p) for p in pairs) for pairs in recording.header["contact_sets"]]
        own = [known.setdefault(s, len(known)) for s in sets]
        return np.asarray(np.array(own, dtype=np.intp)[recording.arrays["contacts"][:rows]])

    differ = np.flatnonzero(numbers(golden) != numbers(now))
    return int(differ[0]) if len(differ) else None


def _divergence(golden: Recording, row: int, quantity: str, name: str, *both: Any) -> Divergence:
    apart = float(abs(both[1] - both[0])) if isinstance(both[0], int) else None
    time = float(golden.time[row])
    return Divergence(
        row=row, time=time, quantity=quantity, name=name, golden=both[0], now=both[1], by=apart
    )


def _tolerances(given: float | Mapping[str, float]) -> dict[str, float]:
    names = [q.name for q in QUANTITIES.values() if not q.exact and q.name != "time"]
    if not isinstance(given, Mapping):
        _check_tolerance(given, "compare.tolerance")
        return dict.fromkeys(names, float(given))
    for name, value in given.items():
        if name not in names:
            raise RecordingError(
                f"there is no quantity {name!r}",
                where="compare.tolerance",
                given=name,
                close=close_matches(str(name), names),
                allowed=names,
            )
        _check_tolerance(value, f"compare.tolerance[{name!r}]")
    return {name: float(given.get(name, TOLERANCE)) for name in names}


def _check_tolerance(value: Any, where: str) -> None:
    number = not isinstance(value, bool) and isinstance(value, int | float | np.number)
    if not number or not 0 <= float(value) < math.inf:
        raise RecordingError(f"expected a number >= 0, got {value!r}", where=where, given=value)
