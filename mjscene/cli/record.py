"""Run a scene without commands, or a scenario, and record it, for `mjscene compare` or for plots.

A scenario runs as it says itself, and what is recorded is its last part where objects changed or a
reset was done; the exit code is 1 if it fails.
"""

from __future__ import annotations

import argparse

from mjscene.cli.base import add_scene, build, count, plot_file, positive, scenario_file, steps_in
from mjscene.cli.run import run_scenario
from mjscene.cli.tables import with_progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mjscene.recording import Recording

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = """\
  mjscene record dual_arm -o golden.npz --seconds 2
  mjscene record dual_arm -o now.npz --seconds 2 --bodies cube --plot now.png
  mjscene record pick_and_lift -o lift.npz --plot lift.png
  mjscene compare golden.npz now.npz
"""
_SECONDS = 1.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add_scene(parser)
    parser.add_argument(
        "-o", "--output", type=_file, required=True, metavar="FILE", help=".npz or .parquet"
    )
    parser.add_argument(
        "--seconds", type=positive, help="simulated time [s] of a scene (default: 1)"
    )
    parser.add_argument("--every", type=count, default=1, metavar="K", help="every K-th step alone")
    parser.add_argument(
        "--bodies", nargs="+", default=(), metavar="NAME", help="record their poses"
    )
    parser.add_argument("--sensors", nargs="+", default=(), metavar="NAME", help="record these too")
    parser.add_argument(
        "--plot", type=plot_file, metavar="FILE", help="plot it too: .png, .svg or .pdf"
    )


def _file(text: str) -> str:
    """A recording's file; looked at before the run, not after it."""
    if not text.endswith((".npz", ".parquet")):
        raise argparse.ArgumentTypeError(f"expected a file .npz or .parquet, got {text!r}")
    return text


def run(options: argparse.Namespace) -> int:
    """Record and save."""
    file = scenario_file(options.scene)
    if file is not None:
        return _record_scenario(options, file)
    scene = build(options.scene)
    steps = steps_in(scene, _SECONDS if options.seconds is None else options.seconds)
    with scene.record(options.sensors, options.bodies, options.every) as recorder:
        with_progress(scene.spec.name, steps, scene.step)
    recording = recorder.recording
    recording.save(options.output)
    said = f"{steps} steps, {scene.time:.6g} s of {scene.spec.name}"
    print(f"{options.output}: {said}; {_rows(recording)}")
    _plot(options, recording)
    return 0


def _rows(recording: Recording) -> str:
    """How many there are: of few steps, --every keeps none but the start."""
    return "1 row, the start alone" if len(recording) == 1 else f"{len(recording)} rows"


def _plot(options: argparse.Namespace, recording: Recording) -> None:
    if options.plot is not None:
        from mjscene.plots import plot

        plot(recording, options.plot)
        print(options.plot)


def _record_scenario(options: argparse.Namespace, file: str) -> int:
    """Run a scenario and save its own recording."""
    if options.every != 1 or options.bodies or options.sensors:
        from mjscene.errors import ComposeError

        raise ComposeError(
            "a scenario says itself what is recorded, at every step",
            where="record",
            hint="name bodies and sensors in the file: bodies: [...], sensors: [...]",
        )
    result = run_scenario(options, file)
    result.recording.save(options.output)
    steps = len(result.recording) - 1
    print(f"{options.output}: {steps} steps of {result.name}")
    _plot(options, result.recording)
    if not result.passed:
        print(result.text)
    return 0 if result.passed else 1
