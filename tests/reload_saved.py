"""Load saved scenes in a process that knows nothing of how they were made: no mjscene.

Usage: reload_saved.py CONTROLS.npy FILE... For each file the model is written beside it as
``FILE.reloaded.mjb`` and what it does under the controls as ``FILE.npy``, one row per step.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["load", "trajectory"]


def load(file: Path) -> Any:
    """The model in a file: ``.mjb``, ``.mjz`` or XML."""
    if file.suffix == ".mjb":
        return mujoco.MjModel.from_binary_path(str(file))
    if file.suffix == ".mjz":  # MjModel.from_xml_path cannot read it
        return mujoco.MjSpec.from_file(str(file)).compile()
    return mujoco.MjModel.from_xml_path(str(file))


def trajectory(model: Any, controls: NDArray[np.float64]) -> NDArray[np.float64]:
    """qpos and qvel after each step (steps, nq + nv) under controls (steps, nu)."""
    data = mujoco.MjData(model)
    rows = []
    for ctrl in controls:
        data.ctrl[:] = ctrl
        mujoco.mj_step(model, data)
        rows.append(np.concatenate([data.qpos, data.qvel]))
    return np.array(rows)


def main() -> None:
    controls = np.load(sys.argv[1])
    for name in sys.argv[2:]:
        model = load(Path(name))
        mujoco.mj_saveModel(model, f"{name}.reloaded.mjb")
        np.save(f"{name}.npy", trajectory(model, controls))


if __name__ == "__main__":
    main()
