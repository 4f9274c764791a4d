"""List the robots, scenes and scenarios that ship with mjscene.

A scene's name can be given wherever a command takes SCENE; a robot is named `mjscene:NAME`, in a
spec and on the command line. A scenario's name goes to `run` and `test`.
"""

from __future__ import annotations

import argparse

from mjscene.cli.base import print_json
from mjscene.cli.tables import print_table, require_rich

__all__ = [
    "EXAMPLES",
    "add_arguments",
    "describe_robot",
    "describe_scenario",
    "describe_scene",
    "run",
]

EXAMPLES = """\
  mjscene list
  mjscene list --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("--json", action="store_true", help="print them as JSON")


def describe_robot(name: str) -> str:
    """What a robot that ships is, as its README begins."""
    import re

    from mjscene.library import robot_path

    readme = robot_path(name).with_name("README.md").read_text(encoding="utf-8")
    return re.split(r"\. |: |\n\n", readme.partition("\n\n")[2])[0].replace("\n", " ").rstrip(".")


def describe_scene(name: str) -> str:
    """What a scene that ships is, as its docstring begins; it is not run."""
    import ast

    from mjscene.library import robot_names, robot_path

    scenes = robot_path(robot_names()[0]).parents[2] / "scenes"  # they lie beside the robots
    docstring = ast.get_docstring(ast.parse((scenes / f"{name}.py").read_text(encoding="utf-8")))
    return (docstring or "").partition("\n\n")[0].replace("\n", " ").rstrip(".")


def describe_scenario(name: str) -> str:
    """What a scenario that ships is, as its description begins; its scene is not built."""
    from mjscene.library import load_scenario

    return load_scenario(name).description.partition(". ")[0].rstrip(".")


def run(options: argparse.Namespace) -> int:
    """Print the tables."""
    from mjscene.library import robot_names, scenario_names, scene_names

    if not options.json:
        require_rich()
    robots = {name: describe_robot(name) for name in robot_names()}
    scenes = {name: describe_scene(name) for name in scene_names()}
    scenarios = {name: describe_scenario(name) for name in scenario_names()}
    if options.json:
        print_json({"robots": robots, "scenes": scenes, "scenarios": scenarios})
        return 0
    print_table("scenes", ("name", "what it is"), scenes.items())
    named = [(f"mjscene:{name}", what) for name, what in robots.items()]
    print_table("scenarios", ("name", "what it is"), scenarios.items())
    print_table("robots", ("name", "what it is"), named)
    return 0
