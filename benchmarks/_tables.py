"""What was measured, as tables, and against what issue 2 asks for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from _stats import Times, compare, noise, series, spread

__all__ = ["HANDS", "SUBJECT", "Results", "lines", "targets"]

SUBJECT = "mjscene"
HANDS = ("hand", "hand-parsing")
# Issue 2, row "speed": at ten arms, against the faster of the two ways by hand.
COLD_LIMIT, WARM_LIMIT, BYTES_LIMIT = 1.05, 1.15, 1.05
# With fewer turns a median says too little to be held against a limit.
ENOUGH_TURNS = 11


@dataclass
class Results:
    """All that was measured: times by mode, arms and way; facts of models by arms and way."""

    cold: dict[int, dict[str, list[Times]]] = field(default_factory=dict)
    warm: dict[int, dict[str, list[Times]]] = field(default_factory=dict)
    later: dict[int, dict[str, list[Times]]] = field(default_factory=dict)
    facts: dict[int, dict[str, dict[str, Any]]] = field(default_factory=dict)
    machine: dict[str, Any] = field(default_factory=dict)
    targets: list[dict[str, Any]] = field(default_factory=list)


def targets(results: Results) -> list[dict[str, Any]]:
    """The ratios at the largest scene, with issue 2's limit where it sets one."""
    rows = []
    for mode, limit in (("cold", COLD_LIMIT), ("warm", WARM_LIMIT), ("later", WARM_LIMIT)):
        by_way = getattr(results, mode)[max(getattr(results, mode))]
        best = min(HANDS, key=lambda way: spread(series(by_way[way])).median)
        enough = len(by_way[SUBJECT]) >= ENOUGH_TURNS
        for base in HANDS:
            wall = compare(by_way[SUBJECT], by_way[base])
            cpu = compare(by_way[SUBJECT], by_way[base], "cpu")
            rows.append(
                {
                    "what": f"{mode}, {max(getattr(results, mode))} arms, {SUBJECT} / {base}",
                    "wall": wall.ratio,
                    "wall_pairs": [wall.pairs.low, wall.pairs.median, wall.pairs.high],
                    "cpu": cpu.ratio,
                    "cpu_pairs": [cpu.pairs.low, cpu.pairs.median, cpu.pairs.high],
                    "cpu_more": cpu.difference.median,
                    "limit": limit if base == best and enough else None,
                }
            )
    least, most = min(results.facts), max(results.facts)
    if least != most:
        sizes = [results.facts[count][SUBJECT]["bytes"] for count in (least, most)]
        what = f"model bytes, {most} arms / {least}"
        rows.append({"what": what, "bytes": sizes[1] / sizes[0], "limit": BYTES_LIMIT})
    return rows


def _target_line(row: dict[str, Any]) -> str:
    values = {name: row[name] for name in ("wall", "cpu", "bytes") if name in row}
    parts = []
    for name, value in values.items():
        text = f"{name} {value:.3f}"
        if f"{name}_pairs" in row:
            low, median, high = row[f"{name}_pairs"]
            text += f" (pairs {median:.3f} [{low:.3f} – {high:.3f}])"
        parts.append(text)
    if "cpu_more" in row:
        parts.append(f"{row['cpu_more'] * 1e3:+.1f} ms CPU")
    if row["limit"] is not None:
        verdicts = [f"{n} {'met' if v <= row['limit'] else 'MISSED'}" for n, v in values.items()]
        parts.append(f"target <= {row['limit']:.2f}: {', '.join(verdicts)}")
    return f"{row['what']}: {'; '.join(parts)}"


def _times(by_count: dict[int, dict[str, list[Times]]], in_turns: tuple[str, ...]) -> list[str]:
    rows = [
        "arms  way             builds  wall [ms]  25% – 75%          min     CPU [ms]  pages"
        "   wall/hand  pairs [25% – 75%]        CPU/hand  halves"
    ]
    for count, by_way in by_count.items():
        base = by_way["hand"]
        for way, times in by_way.items():
            wall, cpu = spread(series(times)), spread(series(times, "cpu"))
            pages = spread(series(times, "faults")).median
            row = (
                f"{count:4d}  {way:14s}  {wall.count:6d}  {wall.median * 1e3:9.1f}"
                f"  {wall.low * 1e3:7.1f} – {wall.high * 1e3:7.1f}  {wall.least * 1e3:7.1f}"
                f"  {cpu.median * 1e3:9.1f}  {pages:6.0f}"
            )
            if way in in_turns:
                walls, cpus = compare(times, base), compare(times, base, "cpu")
                pairs = walls.pairs
                shown = f"{pairs.median:.3f} [{pairs.low:.3f} – {pairs.high:.3f}]"
                row += f"  {walls.ratio:9.3f}  {shown:22s}  {cpus.ratio:8.3f}"
            else:
                ratios = [
                    spread(series(times, c)).median / spread(series(base, c)).median
                    for c in ("wall", "cpu")
                ]
                row += f"  {ratios[0]:9.3f}  {'':22s}  {ratios[1]:8.3f}"
            rows.append(row + (f"  {noise(series(times)):6.3f}" if wall.count > 1 else ""))
    return rows


def lines(results: Results, in_turns: tuple[str, ...]) -> list[str]:
    """The whole report; ``in_turns`` are the ways that took turns with those by hand."""
    rows = []
    for title, by_count in (
        ("cold: first build in a fresh process, imports not counted", results.cold),
        ("warm: second build in that process", results.warm),
        ("later: further builds in one process, whose allocator keeps its pages", results.later),
    ):
        rows += [title, *_times(by_count, in_turns), ""]
    rows += ["arms  way             model [MB]  meshes  peak memory of a cold process [MB]"]
    for count, by_way in results.facts.items():
        for way, fact in by_way.items():
            peak = f"{fact['peak'] / 1e6:.0f}" if "peak" in fact else ""
            megabytes = fact["bytes"] / 1e6
            rows.append(f"{count:4d}  {way:14s}  {megabytes:10.2f}  {fact['meshes']:6d}  {peak}")
    rows += ["", *(_target_line(row) for row in results.targets)]
    rows.append(", ".join(f"{k.replace('_', ' ')} {v}" for k, v in results.machine.items()))
    return rows
