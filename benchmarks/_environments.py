"""Environments of their own for peers, which want other versions of MuJoCo than mjscene."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

__all__ = ["PACKAGES", "interpreter", "make", "measured"]

PEERS = Path(__file__).resolve().parent / "peers"
# Threads of numpy's linear algebra that wait for each other measure the machine's load.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
# Every peer with the newest MuJoCo that it works on.
PACKAGES = {
    "dm_control": ("mujoco>=3.10,<4", "dm_control"),
    "mujoco-robot": ("mujoco>=4.0,<5", "mujoco-robot"),
    "robosuite": ("mujoco>=3.3,<3.4", "robosuite>=1.5,<1.6"),
}


def _folder(peer: str) -> Path:
    return Path(tempfile.gettempdir()) / f"mjscene-benchmark-{peer}"


def interpreter(peer: str) -> str:
    """The Python of a peer's environment, whether it is made or not."""
    return str(_folder(peer) / "bin" / "python")


def make(peer: str) -> None:
    """Make a peer's environment, unless it is there with the same packages.

    Raises:
        SystemExit: The packages cannot be installed.
    """
    ready, packages = _folder(peer) / "ready", PACKAGES[peer]
    wanted = "\n".join(packages) + "\n"
    if ready.exists() and ready.read_text(encoding="utf-8") == wanted:
        return
    print(f"making {_folder(peer)} with {' '.join(packages)}", file=sys.stderr, flush=True)
    venv.create(_folder(peer), with_pip=True, clear=True)
    command = [interpreter(peer), "-m", "pip", "install", "-q", *packages]
    if subprocess.run(command).returncode:
        sys.exit(f"{peer} cannot be installed: run without --peers")
    ready.write_text(wanted, encoding="utf-8")


def measured(peer: str, *arguments: object, python: str | None = None) -> Any:
    """Run a peer's program, ``peers/by_<peer>.py``, and read what it prints last.

    It runs in a folder that goes afterwards, since MuJoCo leaves its log in the working directory.

    Raises:
        SystemExit: The program failed.
    """
    program = PEERS / f"by_{peer.replace('-', '_')}.py"
    command = [python or interpreter(peer), str(program), *(str(a) for a in arguments)]
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", **ONE_THREAD}
    environment.pop("PYTHONPATH", None)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{program.name} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])
