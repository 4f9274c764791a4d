"""Golden recordings: where they lie, and what is said and left behind when a run differs."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mjscene.comparison import Comparison, compare, refuse_not_finite
from mjscene.errors import MjsceneError
from mjscene.recording import Recording
from mjscene.recordingfile import RecordingError, replace_file

__all__ = ["FOLDER", "Evidence", "check_golden", "file_stem", "record_golden"]

FOLDER = "goldens"  # beside the tests' file; in it a folder for each of these
_SUFFIXES = (".png", ".txt", ".npz")
_UNFIT = re.compile(r"[^\w.,=+\-\[\]]")
_LONGEST = 200  # bytes of a file name; file systems take 255


def file_stem(name: str) -> str:
    """A file name for a test's name; names that differ have file names that differ."""
    fit = _UNFIT.sub("_", name)
    content = fit.encode("utf-8", errors="replace")
    if fit == name and len(content) <= _LONGEST and not name.startswith("."):
        return name
    short = hashlib.sha256(name.encode("utf-8", errors="surrogatepass")).hexdigest()[:8]
    return f"{content[:_LONGEST].decode('utf-8', errors='ignore').lstrip('.')}-{short}"


@dataclass(frozen=True)
class Evidence:
    """Files about one golden that is not met: a picture, a text, and the run itself.

    Attributes:
        stem: Their path without suffixes.
    """

    stem: Path

    def file(self, suffix: str) -> Path:
        """One of the files."""
        return self.stem.with_name(self.stem.name + suffix)

    def is_apart(self, golden: Path) -> bool:
        """Whether none of the files is a golden or lies among goldens, links followed."""
        folder = Path(os.path.realpath(self.stem.parent))
        tests = folder.parent.parent / f"{folder.name}.py"
        if folder.parent.name == FOLDER and tests.exists():
            return False
        own = any(_are_same(self.file(suffix), golden) for suffix in _SUFFIXES)
        return not own and not _are_same(folder, golden.parent)

    def clear(self) -> None:
        """Remove what an earlier run left."""
        for suffix in _SUFFIXES:
            with contextlib.suppress(OSError):  # where nothing can be removed, nothing is written
                self.file(suffix).unlink(missing_ok=True)

    def leave(self, golden: Recording, now: Recording, comparison: Comparison) -> str:
        """Write the files; what to say of them."""
        self.clear()
        replace_file(self.file(".txt"), f"{comparison}\n".encode(errors="replace"))
        now.save(self.file(".npz"))
        left = [str(self.file(".txt")), str(self.file(".npz"))]
        if comparison.first is not None:
            from mjscene.plots import plot_divergence

            try:
                plot_divergence(golden, now, comparison, self.file(".png"))
                left.insert(0, str(self.file(".png")))
            except Exception as error:  # noqa: BLE001 - what differs is worth more than a picture
                left.append(f"(no picture: {_said(error)})")
        return "see " + ", ".join(left)


def record_golden(path: Path, run: Recording) -> None:
    """Record a run as a golden.

    Raises:
        RecordingError: It has no steps or is not finite: nothing could be judged by it.
    """
    _check_run(run)
    refuse_not_finite(run, "the run to record")
    run.save(path)


def check_golden(path: Path, run: Recording, evidence: Evidence, **tolerances: Any) -> str | None:
    """Compare a run with its golden; None if it is met, else a text that says what differs.

    Raises:
        RecordingError: The golden is missing or damaged, or nothing could be judged by it; or the
            run has no steps.
    """
    golden = Recording.load(path)
    _check_run(run)
    _check_run(golden)
    comparison = compare(golden, run, **tolerances)
    if comparison.equal:
        if evidence.is_apart(path):
            evidence.clear()
        return None
    if not evidence.is_apart(path):
        left = f"(no files about it: {evidence.stem.parent} is a folder of goldens)"
        return f"{comparison}\ngolden: {path}\n{left}"
    try:
        left = evidence.leave(golden, run, comparison)
    except Exception as error:  # noqa: BLE001 - what differs is worth more than files about it
        left = f"(no files about it: {_said(error)})"
    return f"{comparison}\ngolden: {path}\n{left}"


def _are_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of them is not there
        return False


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, MjsceneError) else f"{type(error).__name__}: {error}"


def _check_run(run: Recording) -> None:
    if len(run) < 2:
        raise RecordingError(
            "no step was recorded", hint="run the scene inside `with scene.record() as recorder:`"
        )
