"""Run scenarios as tests: files, names of those that ship, and every *.scenario.yaml in folders.

The exit code is 0 if all pass, 1 if one fails, 2 if one cannot be read or there is none.
"""

from __future__ import annotations

import argparse
import os
import time

from mjscene.cli.base import count, is_scenario, print_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

__all__ = ["EXAMPLES", "add_arguments", "find_scenarios", "run"]

EXAMPLES = """\
  mjscene test scenarios/
  mjscene test scenarios/ pick.scenario.yaml -j 4
  mjscene test scenarios/ --json
  mjscene test pick_and_lift
  mjscene test --shipped -j 2
"""
_SAID = {"passed": "ok", "failed": "FAILED", "error": "ERROR"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "paths", metavar="FOLDER_FILE_OR_NAME", nargs="*", help="where scenarios are"
    )
    parser.add_argument("--shipped", action="store_true", help="also run all those that ship")
    parser.add_argument(
        "-j", "--jobs", type=count, default=1, metavar="N", help="how many at once (default: 1)"
    )
    parser.add_argument("--json", action="store_true", help="print the results as JSON")


def find_scenarios(paths: Iterable[str]) -> list[str]:
    """Files as given, those of names, and the scenarios in folders, sorted; each once.

    Raises:
        ComposeError: A path is not there, or a folder holds no scenario.
    """
    from mjscene.errors import ComposeError, close_matches
    from mjscene.library import scenario_names, scenario_path

    found: list[str] = []
    for path in paths:
        if os.path.isdir(path):
            inside = sorted(
                os.path.join(folder, name)
                for folder, _, names in os.walk(path)
                for name in names
                if is_scenario(name)
            )
            if not inside:
                raise ComposeError("holds no file *.scenario.yaml", where="test", file=path)
            found += inside
        elif os.path.isfile(path):
            found.append(path)
        elif path in scenario_names():
            found.append(str(scenario_path(path)))
        else:
            raise ComposeError(
                "there is no such file or folder, and no scenario of that name ships",
                where="test",
                file=path,
                close=close_matches(path, scenario_names()),
            )
    return list(dict.fromkeys(found))


def run(options: argparse.Namespace) -> int:
    """Run all, say each as it ends."""
    from mjscene.library import scenario_names

    paths = [*options.paths, *(scenario_names() if options.shipped else ())]
    if not paths:
        from mjscene.errors import ComposeError

        raise ComposeError("name scenarios, files or folders, or --shipped", where="test")
    files = find_scenarios(paths)
    began = time.perf_counter()
    results = []
    for result in _results(files, min(options.jobs, len(files))):
        results.append(result)
        if not options.json:
            said = _SAID[result["status"]]
            print(f"{said:7} {result['file']} ({result['wall']:.2f} s)", flush=True)
            if result["status"] != "passed":
                print("        " + result["text"].strip().replace("\n", "\n        "))
            for text in result["warnings"]:
                print(f"        warning: {text}")
    counts = {s: sum(r["status"] == s for r in results) for s in _SAID}
    wall = time.perf_counter() - began
    if options.json:
        print_json({"counts": counts, "wall": wall, "results": results})
    else:
        said = ", ".join(f"{n} {s}" for s, n in counts.items() if n or s == "passed")
        print(f"{said} in {wall:.2f} s")
    return 2 if counts["error"] else 1 if counts["failed"] else 0


def _results(files: list[str], jobs: int) -> Iterator[dict[str, Any]]:
    """The result of every file, in their order."""
    if jobs == 1:
        yield from map(_result, files)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # Nothing is loaded here yet, and there is one thread: a fork is safe, and starts at once.
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        # The longest first: the last one to end is then a short one.
        order = sorted(files, key=_simulated, reverse=True)
        running = {file: pool.submit(_result, file) for file in order}
        for file in files:
            try:
                yield running[file].result()
            except BrokenProcessPool:
                text = "not finished: the process of this or of another scenario died"
                yield {"file": file, "status": "error", "text": text, "warnings": [], "wall": 0.0}


def _simulated(file: str) -> float:
    """How long a scenario says that it runs [s]; 0 where that cannot be told at a glance."""
    import re

    try:
        with open(file, encoding="utf-8") as text:
            found = re.search(r"^duration:\s*([0-9.]+)\s*$", text.read(), re.MULTILINE)
        return float(found.group(1)) if found else 0.0
    except (OSError, ValueError):
        return 0.0


def _result(file: str) -> dict[str, Any]:
    """Run one scenario; what went wrong is part of the result."""
    import warnings

    from mjscene.errors import MjsceneError, SimulationError

    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            from mjscene.scenario import read_scenario

            result = read_scenario(file).run()
            status, text = "passed" if result.passed else "failed", str(result.text)
        except SimulationError as error:
            status, text = "failed", str(error)
        except MjsceneError as error:
            status, text = "error", str(error)
        except Exception as error:  # noqa: BLE001 - the other scenarios go on
            status, text = "error", f"{type(error).__name__}: {error}"
    said = list(dict.fromkeys(" ".join(str(w.message).split()) for w in caught))
    wall = time.perf_counter() - began
    return {"file": file, "status": status, "text": text, "warnings": said, "wall": wall}
