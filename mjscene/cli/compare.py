"""Compare a recording with a golden one: exit 0 if they are the same, else 1, and say what differs.

Numbers may differ by what --tolerance says, in the unit of each quantity; modes and contacts not.
A recording of one row is an error: nothing would be compared.
"""

from __future__ import annotations

import argparse
import sys

from mjscene.cli.base import plot_file, print_json, tolerance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mjscene.comparison import Comparison
    from mjscene.recording import Recording

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = """\
  mjscene compare golden.npz now.npz
  mjscene compare golden.npz now.npz --tolerance 0
  mjscene compare golden.npz now.npz --plot difference.png --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("golden", metavar="GOLDEN", help="the recording as it should be")
    parser.add_argument("now", metavar="NOW", help="the recording to be judged")
    parser.add_argument(
        "--tolerance",
        type=tolerance,
        metavar="X",
        help="how far numbers may be apart; 0: same bits",
    )
    parser.add_argument(
        "--plot",
        type=plot_file,
        metavar="FILE",
        help="plot what differs first: .png, .svg, .pdf",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(options: argparse.Namespace) -> int:
    """Load both and compare."""
    from mjscene.comparison import compare
    from mjscene.recording import Recording

    golden, now = Recording.load(options.golden), Recording.load(options.now)
    _refuse_still(golden, options.golden)
    _refuse_still(now, options.now)
    given = options.tolerance
    within: dict[str, Any] = {} if given is None else {"tolerance": given, "relative": given}
    result = compare(golden, now, **within)
    first = result.first
    if options.json:
        names = ("row", "time", "quantity", "name")
        found = None if first is None else {name: getattr(first, name) for name in names}
        print_json({"equal": result.equal, "first": found, "text": str(result)})
    else:
        print(result)
    if options.plot is not None and first is not None:
        _plot(options, golden, now, result)
    return 0 if result.equal else 1


def _refuse_still(recording: Recording, file: str) -> None:
    """Refuse a recording of one moment: two of them would be the same whatever the scene does."""
    from mjscene.recordingfile import RecordingError

    if len(recording) < 2:
        raise RecordingError(
            f"has {len(recording)} row: no step was recorded, and nothing can be compared",
            file=file,
            hint="record more steps, or more of them (mjscene record --seconds, --every)",
        )


def _plot(options: Any, golden: Recording, now: Recording, result: Comparison) -> None:
    """Draw what differs; the comparison stands whatever becomes of its plot."""
    from mjscene.plots import plot_divergence

    try:
        plot_divergence(golden, now, result, options.plot)
    except Exception as error:  # noqa: BLE001 - see above
        if options.traceback:
            import traceback

            traceback.print_exception(error)
        print(f"mjscene compare: no plot: {' '.join(str(error).split())}", file=sys.stderr)
