"""How a body that follows a pose answers: the closed form, and scenes to see it in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjscene import ObjectCmd, PhysicsOptions, Pose, Scene

__all__ = ["OMEGA", "STEP", "follow", "oscillator", "world"]

Array = NDArray[np.float64]
STEP = 0.001
OMEGA = 6.0  # natural frequency of every controller here [rad/s]


def oscillator(t: Array, damping: float, start: float = 1.0, omega: float = OMEGA) -> Array:
    """x(t) of x'' + 2 d w x' + w² x = 0 from x = start at rest, for any d > 0."""
    d, w = complex(damping), omega
    root = np.sqrt(d * d - 1)
    if abs(root) < 1e-9:
        return np.asarray(start * (1 + w * t) * np.exp(-w * t))
    fast, slow = -w * (d + root), -w * (d - root)
    return np.asarray(
        (start * (fast * np.exp(slow * t) - slow * np.exp(fast * t)) / (fast - slow)).real
    )


def follow(scene: Scene, name: str = "cube", **fields: Any) -> None:
    scene.apply({name: ObjectCmd(enable_position_controller=True, pose=Pose(**fields))})


def world(step: float = STEP, **fields: Any) -> PhysicsOptions:
    """Gravity in no special direction."""
    return PhysicsOptions(**{"timestep": step, "gravity": (1.0, -2.0, -9.81)} | fields)
