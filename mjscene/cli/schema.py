"""Print the JSON Schema of scene files, with which editors check and complete them."""

from __future__ import annotations

import argparse

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = """\
  mjscene schema -o mjscene.schema.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("-o", "--output", metavar="FILE", help="write it there instead")


def run(options: argparse.Namespace) -> int:
    """Print or write it."""
    import json

    from mjscene.schema import scene_schema

    text = json.dumps(scene_schema(), indent=2, ensure_ascii=False) + "\n"
    if options.output is None:
        print(text, end="")
        return 0
    from pathlib import Path

    Path(options.output).write_text(text, encoding="utf-8")
    print(options.output)
    return 0
