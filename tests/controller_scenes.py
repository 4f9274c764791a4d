"""Robots that the tests of controllers share, and what these ask of a running scene."""

from __future__ import annotations

from typing import Any

import numpy as np
from field_models import build
from mode_models import everything, velocity
from numpy.typing import NDArray
from real_models import ur5e_and_gripper

from mjscene import Robot, RobotSpec, Scene

__all__ = ["ARMS", "PUSH", "arm", "everything_ruled", "robot_of"]

Array = NDArray[np.float64]
ARMS = ("panda", "ur5e")
# Outside torques that no drive of either arm is short of [N m].
PUSH = np.array([8.0, -6.0, 5.0, 4.0, 3.0, -2.0, 0.5])


def arm(kind: str, **fields: Any) -> Scene:
    """A real arm at its home: the panda that ships, or Menagerie's UR5e."""
    path = "mjscene:panda" if kind == "panda" else ur5e_and_gripper()[0]
    return build(
        RobotSpec(path, **{"prefix": "arm/", "home": "home", "modes": [velocity(500.0)]} | fields)
    )


def robot_of(scene: Scene, k: int = 0) -> Robot:
    """The k-th robot."""
    return tuple(scene.robots.values())[k]


def everything_ruled(scene: Scene) -> dict[str, Any]:
    """Copies of all that a refused call about controllers must leave alone."""
    table = scene.control.table
    return {
        **everything(scene),
        "refusals": table.refusals,
        "began_at": table.began_at.copy(),
        "forward": None if table.forward is None else table.forward.copy(),
        "controllers": {n: tuple(h.controllers) for n, h in scene.all_handles()},
    }
