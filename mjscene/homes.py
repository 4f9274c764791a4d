"""What a ``home`` says of the joints: whether it puts one beyond its range."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.owners import Owner

__all__ = ["home_warnings"]

_SCALAR = (int(mujoco.mjtJoint.mjJNT_SLIDE), int(mujoco.mjtJoint.mjJNT_HINGE))
_ROUNDED = 1e-4  # how far four digits may be beyond a range that is written with more [rad or m]


def home_warnings(model: Any, qpos: NDArray[np.float64], owners: list[Owner]) -> list[str]:
    """Warnings of joints that a robot's or attachment's ``home`` puts beyond their range.

    MuJoCo does not refuse such a pose: it starts with a joint limit that pushes.

    Args:
        model: The compiled scene.
        qpos: The start pose (nq,) [rad or m].
        owners: The scene's owners, placed.

    Returns:
        One line per joint, with its value and its range.
    """
    found = []
    for owner in owners:
        if getattr(owner.spec, "home", None) is None:
            continue
        for joint in owner.at.joints.tolist():
            if not model.jnt_limited[joint] or int(model.jnt_type[joint]) not in _SCALAR:
                continue
            low, high = model.jnt_range[joint].tolist()
            value = float(qpos[model.jnt_qposadr[joint]])
            if not low - _ROUNDED <= value <= high + _ROUNDED:
                found.append(
                    f"{owner.where}.home: joint {model.joint(joint).name!r} starts at {value:.6g}, "
                    f"beyond its range from {low:.6g} to {high:.6g}"
                )
    return found
