"""Compose a scene and say what became of it: names, options and who set them, contacts, warnings.

With -o it is saved so that it loads anywhere: to a folder, or to a file by its ending (.xml, .mjz,
or .mjb, MuJoCo's binary).
"""

from __future__ import annotations

import argparse

from mjscene.cli.base import add_scene, build, print_json

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = """\
  mjscene build dual_arm
  mjscene build my_scene.yaml -o saved/
  mjscene build my_scene.py -o my_scene.mjz --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add_scene(parser)
    parser.add_argument("-o", "--output", metavar="OUT", help="save it: a folder, .xml, .mjz, .mjb")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(options: argparse.Namespace) -> int:
    """Build, report, save."""
    scene = build(options.scene)
    saved = None if options.output is None else scene.save(options.output)
    if options.json:
        from dataclasses import asdict

        print_json(asdict(scene.report) | {"saved": saved})
        return 0
    print(scene.report)
    if saved is not None:
        print(f"\nsaved: {saved}")
    return 0
