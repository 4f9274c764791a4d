"""Two robots, and controllers that do something else in an update."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import mujoco
import numpy as np
from field_models import build
from mode_models import TORQUE, TWO

from mjscene import (
    CtrlModeSpec,
    RobotSpec,
    Scene,
)
from mjscene.controllers import (
    Controller,
)

MODES = (CtrlModeSpec(TORQUE),)
STATE = mujoco.mjtState.mjSTATE_INTEGRATION


def pair(**fields: Any) -> Scene:
    return build(
        RobotSpec(TWO, prefix="a/", modes=MODES, **fields),
        RobotSpec(TWO, prefix="b/", pos=(0, 3, 0), modes=MODES, **fields),
    )


@contextlib.contextmanager
def put_back(model: Any, data: Any) -> Iterator[None]:
    """Afterwards the state is what it was before."""
    state = np.zeros(mujoco.mj_stateSize(model, STATE))
    mujoco.mj_getState(model, data, state, STATE)
    yield
    mujoco.mj_setState(model, data, state, STATE)


def rollout(model: Any, data: Any) -> None:
    with put_back(model, data):
        mujoco.mj_step(model, data, 20)


def reset_and_back(model: Any, data: Any) -> None:
    with put_back(model, data):
        mujoco.mj_resetData(model, data)


class Does(Controller):
    """Does something in one of its updates, and rules no joint."""

    needs_joints = False
    adds = True

    def __init__(self, act: Callable[[], object], at: int = 2, *, every: bool = False) -> None:
        self.act, self.at, self.every, self.count = act, at, every, 0

    def reset(self, robot: Any) -> None:
        """Nothing to start with."""

    def update(self, robot: Any, dt: float) -> None:
        self.count += 1
        if self.every or self.count == self.at:
            self.act()
