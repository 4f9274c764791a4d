"""Commands, run in a process of their own or in this one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GL = ("DISPLAY", "WAYLAND_DISPLAY", "MUJOCO_GL", "PYOPENGL_PLATFORM")


def command(
    *words: str | Path, cwd: Path, backend: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run `python -m mjscene` without a display, with a value of MUJOCO_GL or with none."""
    environ = {k: v for k, v in os.environ.items() if k not in GL} | environment
    environ["PYTHONPATH"] = str(ROOT)
    if backend is not None:
        environ["MUJOCO_GL"] = backend
    return subprocess.run(
        [sys.executable, "-m", "mjscene", *map(str, words)],
        cwd=cwd,
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def only_line(text: str) -> str:
    """The one line that a text has."""
    lines = text.splitlines()
    assert len(lines) == 1, text
    return lines[0]
