"""List the robots and scenes that ship with mjscene.

A scene's name can be given wherever a command takes SCENE; a robot is named `mjscene:NAME`, in a
spec and on the command line.
"""

from __future__ import annotations

import argparse

from mjscene.cli.base import print_json
from mjscene.cli.tables import print_table, require_rich

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = """\
  mjscene list
  mjscene list --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("--json", action="store_true", help="print them as JSON")


def run(options: argparse.Namespace) -> int:
    """Print both tables."""
    from mjscene.library import describe, robot_names, scene_names

    if not options.json:
        require_rich()
    robots = {name: describe("robots", name) for name in robot_names()}
    scenes = {name: describe("scenes", name) for name in scene_names()}
    if options.json:
        print_json({"robots": robots, "scenes": scenes})
        return 0
    print_table("scenes", ("name", "what it is"), scenes.items())
    named = [(f"mjscene:{name}", what) for name, what in robots.items()]
    print_table("robots", ("name", "what it is"), named)
    return 0
