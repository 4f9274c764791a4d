"""Short pieces of work timed in turns, in one process, and what their medians say."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

__all__ = ["Row", "arguments", "in_turns", "report"]

Row = dict[str, float | str]
Times = Mapping[str, list[float]]


def in_turns(
    work: Mapping[str, Callable[[int], object]],
    turns: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, list[float]]:
    """Seconds that each piece of work takes, one of each a turn; the first tenth is left out.

    Every turn begins with another one, so that none always finds the caches as the same other
    one left them.
    """
    pieces = list(work.items())
    times: dict[str, list[float]] = {name: [] for name in work}
    for turn in range(turns):
        first = turn % len(pieces)
        for name, piece in pieces[first:] + pieces[:first]:
            began = clock()
            piece(turn)
            times[name].append(clock() - began)
    return {name: series[turns // 10 :] for name, series in times.items()}


def quartiles(series: list[float]) -> tuple[float, float, float]:
    """Lower quartile, median, upper quartile [s]."""
    low, median, high = np.percentile(series, (25, 50, 75))
    return float(low), float(median), float(high)


def report(
    title: str,
    times: Times | Sequence[Times],
    base: str,
    targets: Mapping[str, float],
) -> list[Row]:
    """Print a table of medians and their ratio to the base's, and return its rows.

    Of several runs, each on objects of its own, the ratio is the median of theirs, and the last
    column says how far they are apart: what lies where in memory makes a hundredth or two.
    """
    runs = [times] if isinstance(times, Mapping) else list(times)
    print(f"\n{title}")
    print(f"  {'':34}  {'median':>9}  {'quartiles':>19}  {'ratio':>6}  target")
    rows: list[Row] = []
    for name in runs[0]:
        low, median, high = quartiles([second for run in runs for second in run[name]])
        ratios = sorted(quartiles(run[name])[1] / quartiles(run[base])[1] for run in runs)
        ratio = float(np.median(ratios))
        target = targets.get(name)
        wanted = "" if target is None else f"<= {target:g}"
        apart = f"{ratios[0]:.3f} - {ratios[-1]:.3f}" if len(runs) > 1 and name != base else ""
        spread = f"{low * 1e6:8.2f} - {high * 1e6:8.2f}"
        line = f"  {name:34}  {median * 1e6:6.2f} us  {spread}  {ratio:6.3f}  {wanted:8}  {apart}"
        print(line.rstrip())
        rows.append({"title": title, "name": name, "median_us": median * 1e6, "ratio": ratio})
    return rows


def arguments(description: str, turns: int, *, peers: bool = False) -> argparse.Namespace:
    """The options that all of these have: --quick, --turns, --json; and --peers where there are."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="a smoke run")
    parser.add_argument("--turns", type=int, default=turns)
    parser.add_argument("--json", type=Path, help="write the rows here too")
    if peers:
        parser.add_argument("--peers", action="store_true", help="peers too, each in its own venv")
    options = parser.parse_args()
    if options.quick:
        options.turns = min(options.turns, 60)
    return options


def write_json(path: Path | None, rows: list[Row]) -> None:
    """Write the rows of all tables."""
    if path is not None:
        path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
