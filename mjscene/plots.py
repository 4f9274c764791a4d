"""Plots of recordings: ``pip install 'mjscene[plot]'``.

Figures are made without ``pyplot``: a program's own backend and open figures are left alone.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mjscene.comparison import Comparison, Divergence
from mjscene.errors import MjsceneError
from mjscene.quantities import QUANTITIES, mode_name, unit_of_command
from mjscene.recording import Recording
from mjscene.recordingfile import RecordingError, replace_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot", "plot_divergence"]

# Paul Tol's bright scheme, told apart by colour-blind readers (personal.sron.nl/~pault).
NOW, GOLDEN, TARGET, ALARM = "#4477AA", "#222222", "#EE6677", "#CC3311"
BANDS = {0: "#4477AA", 1: "#CCBB44", 2: "#228833", -1: "#BBBBBB"}
MOST_JOINTS = 12  # rows of a plot where nobody chose
_SMALLEST, _LARGEST = 1e-200, 1e200  # of a logarithmic axis; matplotlib's ticks overflow beyond
_AROUND = 60  # rows shown on either side of a divergence


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """A plot of odd numbers or names is odd; its warnings, errors to some, say nothing more."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


@_quietly()
def plot(
    recording: Recording,
    path: str | os.PathLike[str] | None = None,
    *,
    joints: Sequence[str] | None = None,
    against: Recording | None = None,
) -> Figure:
    """Positions with their targets, efforts, and modes as coloured bands; a row for each joint.

    Args:
        recording: What to plot.
        path: The file to write: ``.png``, ``.svg`` or ``.pdf``.
        joints: The joints, by the scene's names; the first 12 that take commands by default.
        against: A golden recording, drawn wide and grey below.

    Returns:
        The figure, to be changed or saved otherwise.

    Raises:
        UnknownNameError: There is no such joint.
        RecordingError: There is no joint to plot, or the file cannot be written.
        MjsceneError: Matplotlib is missing.
    """
    names = list(recording.joint_names[:MOST_JOINTS] if joints is None else joints)
    if isinstance(joints, str) or not names:
        raise RecordingError(
            "the scene has no joints that take commands; name some"
            if joints is None
            else f"expected a list of joints, got {joints!r}",
            where="plot.joints",
        )
    tracks = [recording.joint(name) for name in names]
    figure = _figure(11, 1.1 + 1.35 * len(names))
    grid = figure.subplots(len(names), 2, sharex=True, squeeze=False)
    for (left, right), track in zip(grid, tracks, strict=True):
        golden = None
        if against is not None and track.name in {j["name"] for j in against.header["joints"]}:
            golden = against.joint(track.name)
        _draw_position(left, recording, track, golden)
        _draw_effort(right, recording, track, golden)
    grid[0][0].set_title("position and target", fontsize=10)
    grid[0][1].set_title("effort", fontsize=10)
    for axes in grid[-1]:
        axes.set_xlabel("time [s]")
    total = len(recording.joint_names)
    part = f" ({len(names)} of {total} joints)" if joints is None and len(names) < total else ""
    figure.suptitle(f"{recording.header['scene']}{part}", fontsize=12)
    _legend(figure, tracks, against is not None)
    return _finish(figure, path)


@_quietly()
def plot_divergence(
    golden: Recording,
    now: Recording,
    comparison: Comparison,
    path: str | os.PathLike[str] | None = None,
) -> Figure:
    """What differs first: both runs around that time, the whole run, and how far they are apart.

    Args:
        golden: The run that is right.
        now: The run that is judged.
        comparison: What ``mjscene.comparison.compare`` found.
        path: The file to write: ``.png``, ``.svg`` or ``.pdf``.

    Raises:
        RecordingError: The trajectories do not differ, or the file cannot be written.
        MjsceneError: Matplotlib is missing.
    """
    first = comparison.first
    if first is None:
        raise RecordingError("the trajectories do not differ", where="plot_divergence")
    figure = _figure(10, 7.5)
    whole, near, apart = figure.subplots(3, 1)
    rows = min(len(golden), len(now))
    both = [_column(recording, first, rows) for recording in (golden, now)]
    low, high = max(0, first.row - _AROUND), min(rows, first.row + _AROUND + 1)
    for axes, part in ((whole, slice(0, rows)), (near, slice(low, high))):
        # Mode and contact counts change at once, from row to row.
        style = {"drawstyle": "steps-post"} if QUANTITIES[first.quantity].exact else {}
        few = {"marker": ".", "markersize": 4} if axes is near else {}
        axes.plot(golden.time[part], both[0][part], color=GOLDEN, lw=2.2, alpha=0.45, **style)
        axes.plot(golden.time[part], both[1][part], color=NOW, lw=1.2, **style, **few)
        axes.axvline(first.time, color=ALARM, lw=1, ls="--")
        axes.set_ylabel(_axis_label(first))
        if first.quantity == "modes":
            axes.set_yticks([-1, 0, 1, 2], [mode_name(m) for m in (-1, 0, 1, 2)])
    whole.set_title("whole run", loc="left", fontsize=10)
    near.set_title(f"around t = {first.time:.6g} s", loc="left", fontsize=10)
    whole.legend(
        ["golden", "now", "first difference"], loc="lower right", bbox_to_anchor=(1, 1), ncols=3,
        frameon=False, fontsize=9,
    )  # fmt: skip
    _draw_apart(apart, golden, first, np.abs(both[1] - both[0]))
    text = str(first)
    figure.suptitle(text if len(text) < 110 else text.partition(" (by")[0], fontsize=11)
    return _finish(figure, path)


def _figure(width: float, height: float) -> Figure:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MjsceneError(
            "plots need matplotlib", where="plot", hint="pip install 'mjscene[plot]'"
        ) from error
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _draw_position(axes: Any, recording: Recording, track: Any, golden: Any) -> None:
    _bands(axes, track)
    several = track.position.ndim > 1
    if golden is not None:
        axes.plot(golden.time, golden.position, color=GOLDEN, lw=2.2, alpha=0.45)
    axes.plot(track.time, track.position, color=None if several else NOW, lw=1.2)
    if track.command is not None:
        target = np.where(track.mode == 0, track.command, np.nan)
        axes.plot(track.time, target, color=TARGET, lw=1.1, ls="--")
    unit = "" if several else f" [{unit_of_command(recording, track.name, 0)}]"
    # The joint's name above its row: beside it, long names would run into each other.
    axes.text(0, 1.04, track.name, transform=axes.transAxes, fontsize=8.5, weight="bold")
    axes.set_ylabel(unit.strip(), fontsize=9)
    _tidy(axes)


def _draw_effort(axes: Any, recording: Recording, track: Any, golden: Any) -> None:
    _bands(axes, track)
    if golden is not None and golden.effort is not None:
        axes.plot(golden.time, golden.effort, color=GOLDEN, lw=2.2, alpha=0.45)
    if track.effort is not None:
        axes.plot(track.time, track.effort, color=NOW, lw=1.2)
        target = np.where(track.mode == 1, track.command, np.nan)
        axes.plot(track.time, target, color=TARGET, lw=1.1, ls="--")
    axes.set_ylabel(f"[{unit_of_command(recording, track.name, 1)}]", fontsize=9)
    _tidy(axes)


def _bands(axes: Any, track: Any) -> None:
    """Colour the background by mode."""
    if track.mode is None:
        return
    starts = np.flatnonzero(np.diff(track.mode, prepend=track.mode[0] - 1))
    ends = [*starts[1:], len(track.mode) - 1]
    for start, end in zip(starts, ends, strict=True):
        mode = int(track.mode[start])
        axes.axvspan(track.time[start], track.time[end], color=BANDS[mode], alpha=0.13, lw=0)


def _legend(figure: Any, tracks: list[Any], has_golden: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [Line2D([], [], color=NOW, lw=1.2, label="measured")]
    handles.append(Line2D([], [], color=TARGET, lw=1.1, ls="--", label="target"))
    if has_golden:
        handles.append(Line2D([], [], color=GOLDEN, lw=2.2, alpha=0.45, label="golden"))
    used = {int(m) for t in tracks if t.mode is not None for m in np.unique(t.mode)}
    handles += [
        Patch(color=colour, alpha=0.25, label=mode_name(mode))
        for mode, colour in BANDS.items()
        if mode in used
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)


def _tidy(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25, lw=0.5)
    axes.margins(x=0)
    axes.tick_params(labelsize=8)
    low, high = axes.get_ylim()
    if high - low < 1e-3 * max(1.0, abs(low)):  # noise would fill the plot
        middle, half = (low + high) / 2, 0.5e-3 * max(1.0, abs(low))
        axes.set_ylim(middle - half, middle + half)


def _draw_apart(axes: Any, golden: Recording, first: Divergence, apart: Any) -> None:
    rows = len(apart)
    shown = np.where(apart > 0, apart, np.nan)
    drawn = shown[np.isfinite(shown)]
    if drawn.size and not QUANTITIES[first.quantity].exact:
        # Its limits are set here: matplotlib finds none around numbers that differ in a last bit.
        within = [*drawn, first.tolerance] if first.tolerance > 0 else drawn
        low = min(max(min(within) / 2, _SMALLEST), _LARGEST / 10)
        axes.set_ylim(low, max(min(max(within) * 2, _LARGEST), 10 * low))
        axes.semilogy(golden.time[:rows], shown, color=NOW, lw=1.2)
        axes.axhline(first.tolerance, color=ALARM, lw=1, ls=":")
        axes.set_title("how far apart (dotted: tolerance)", loc="left", fontsize=10)
    else:
        differ = apart != 0
        axes.fill_between(golden.time[:rows], differ.astype(float), step="post", color=NOW)
        axes.set_yticks([0, 1], ["same", "differs"])
        axes.set_title("where they differ", loc="left", fontsize=10)
    axes.axvline(first.time, color=ALARM, lw=1, ls="--")
    axes.set_xlabel("time [s]")
    axes.set_ylabel(f"[{first.unit}]" if first.unit else "")


def _axis_label(first: Divergence) -> str:
    words = {"efforts": "effort", "qpos": "position", "qvel": "velocity", "modes": "mode"}
    label = words.get(first.quantity, first.quantity)
    return f"{label} [{first.unit}]" if first.unit else label


def _column(recording: Recording, first: Divergence, rows: int) -> Any:
    if first.quantity == "contacts":
        sets = [
            next((n for a, b, n in pairs if f"{a} and {b}" == first.name), 0)
            for pairs in recording.header["contact_sets"]
        ]
        return np.array(sets, dtype=float)[recording.arrays["contacts"][:rows]]
    quantity = QUANTITIES[first.quantity]
    column = quantity.columns(recording).index(first.name)
    return quantity.read(recording)[:rows, column].astype(float)


def _finish(figure: Figure, path: str | os.PathLike[str] | None) -> Figure:
    if path is not None:
        import io
        from pathlib import Path

        target = Path(path)
        kinds = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
        if target.suffix not in kinds:
            raise RecordingError(
                f"no plot is written as {target.suffix!r}",
                where="plot.path",
                given=target.suffix,
                allowed=tuple(kinds),
            )
        buffer = io.BytesIO()
        metadata = kinds[target.suffix]  # no clock or version in the file
        figure.savefig(buffer, format=target.suffix[1:], dpi=110, metadata=metadata)
        replace_file(target, buffer.getvalue())
    return figure
