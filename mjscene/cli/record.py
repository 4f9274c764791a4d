"""Run a scene without commands and record it, for `mjscene compare` or for plots."""

from __future__ import annotations

import argparse

from mjscene.cli.base import add_scene, build, count, positive, steps_in
from mjscene.cli.tables import with_progress

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = """\
  mjscene record dual_arm -o golden.npz --seconds 2
  mjscene record dual_arm -o now.npz --seconds 2 --bodies cube --plot now.png
  mjscene compare golden.npz now.npz
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add_scene(parser)
    parser.add_argument(
        "-o", "--output", type=_file, required=True, metavar="FILE", help=".npz or .parquet"
    )
    parser.add_argument(
        "--seconds", type=positive, default=1.0, help="simulated time [s] (default: 1)"
    )
    parser.add_argument("--every", type=count, default=1, metavar="K", help="every K-th step alone")
    parser.add_argument(
        "--bodies", nargs="+", default=(), metavar="NAME", help="record their poses"
    )
    parser.add_argument("--sensors", nargs="+", default=(), metavar="NAME", help="record these too")
    parser.add_argument("--plot", metavar="FILE", help="plot it too: .png, .svg or .pdf")


def _file(text: str) -> str:
    """A recording's file; looked at before the run, not after it."""
    if not text.endswith((".npz", ".parquet")):
        raise argparse.ArgumentTypeError(f"expected a file .npz or .parquet, got {text!r}")
    return text


def run(options: argparse.Namespace) -> int:
    """Record and save."""
    scene = build(options.scene)
    steps = steps_in(scene, options.seconds)
    with scene.record(options.sensors, options.bodies, options.every) as recorder:
        with_progress(scene.spec.name, steps, scene.step)
    recorder.recording.save(options.output)
    print(f"{options.output}: {steps} steps, {scene.time:.6g} s of {scene.spec.name}")
    if options.plot is not None:
        from mjscene.plots import plot

        plot(recorder.recording, options.plot)
        print(options.plot)
    return 0
