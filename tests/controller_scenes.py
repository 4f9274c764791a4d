"""Robots that the tests of controllers share, and what these ask of a running scene."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from field_models import build
from mode_models import TWO, assert_same, everything, velocity
from numpy.typing import NDArray
from real_models import ur5e_and_gripper

from mjscene import ControllerError, CtrlMode, CtrlModeSpec, Robot, RobotSpec, Scene
from mjscene.controllers import Controller

__all__ = ["ARMS", "PUSH", "Wave", "arm", "everything_ruled", "refused", "robot_of", "two"]

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


class Wave(Controller):
    """Swings its joints about where it began: it has a period, and a phase as its state."""

    modes = (CtrlMode.POSITION,)

    def __init__(self, period: float | None = None, log: list[Any] | None = None) -> None:
        self.period = period
        self.log = log if log is not None else []
        self.phase = 0.0

    def reset(self, robot: Any) -> None:
        self.phase = 0.0
        self.log.append(("reset", robot.name))

    def update(self, robot: Any, dt: float) -> None:
        self.phase += 2.0 * dt
        self.log.append((robot.name, dt))
        self.joints.command = 0.3 * np.sin(self.phase + np.arange(len(self.joints)))

    def get_state(self) -> dict[str, Any]:
        return {"phase": self.phase}

    def set_state(self, state: dict[str, Any]) -> None:
        self.phase = state["phase"]


def two(*prefixes: str, **fields: Any) -> Scene:
    modes = [velocity(10.0), CtrlModeSpec(CtrlMode.TORQUE)]
    return build(
        *(
            RobotSpec(TWO, prefix=f"{p}/", pos=(0, 2.0 * k, 0), **{"modes": modes} | fields)
            for k, p in enumerate(prefixes or ("a",))
        )
    )


def refused(scene: Scene, add: Any, kind: type[Exception] = ControllerError) -> Any:
    before = everything_ruled(scene)
    with pytest.raises(kind) as caught:
        add()
    assert_same(everything_ruled(scene), before)
    return caught.value
