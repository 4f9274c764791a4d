"""Print the JSON Schema of scene or scenario files, with which editors check and complete them."""

from __future__ import annotations

import argparse

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = """\
  mjscene schema -o mjscene.schema.json
  mjscene schema --scenario -o mjscene.scenario.schema.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("--scenario", action="store_true", help="that of scenario files")
    parser.add_argument("-o", "--output", metavar="FILE", help="write it there instead")


def run(options: argparse.Namespace) -> int:
    """Print or write it."""
    import json

    if options.scenario:
        from mjscene.scenario import scenario_schema as schema
    else:
        from mjscene.schema import scene_schema as schema

    text = json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
    if options.output is None:
        print(text, end="")
        return 0
    from pathlib import Path

    file = Path(options.output)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    print(options.output)
    return 0
