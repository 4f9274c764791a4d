"""Compare a recording with a golden one: exit 0 if they are equal, else 1 and say what differs."""

from __future__ import annotations

import argparse

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = """\
  mjscene compare golden.npz now.npz
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("golden", metavar="GOLDEN", help="the recording as it should be")
    parser.add_argument("now", metavar="NOW", help="the recording to be judged")


def run(options: argparse.Namespace) -> int:
    """Load both and compare."""
    from mjscene.comparison import compare
    from mjscene.recording import Recording

    result = compare(Recording.load(options.golden), Recording.load(options.now))
    print(result)
    return 0 if result.equal else 1
