"""Run a scene without commands and record it, for `mjscene compare` or for plots."""

from __future__ import annotations

import argparse

from mjscene.cli.base import add_scene, build, positive, steps_in
from mjscene.cli.tables import with_progress

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = """\
  mjscene record dual_arm -o golden.npz --seconds 2
  mjscene record my_scene.yaml -o now.npz && mjscene compare golden.npz now.npz
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add_scene(parser)
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the file, .npz")
    parser.add_argument(
        "--seconds", type=positive, default=1.0, help="simulated time [s] (default: 1)"
    )


def run(options: argparse.Namespace) -> int:
    """Record and save."""
    scene = build(options.scene)
    steps = steps_in(scene, options.seconds)
    with scene.record() as recording:
        with_progress(scene.spec.name, steps, scene.step)
    recording.save(options.output)
    print(f"{options.output}: {steps} steps, {scene.time:.6g} s of {scene.spec.name}")
    return 0
