"""A scene's whole state, to be put back later: MuJoCo's, and the modes and commands beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.bodies import BodyControl
from mjscene.control import ModeControl
from mjscene.errors import ComposeError, shown

__all__ = ["SceneState", "read_state", "write_state"]

_ALL = mujoco.mjtState.mjSTATE_INTEGRATION


@dataclass(frozen=True, eq=False)
class SceneState:
    """The state of a scene at one time; its arrays are sealed.

    Attributes:
        physics: MuJoCo's ``mjSTATE_INTEGRATION`` vector.
        joint_names: The joints that take commands.
        modes: The mode of each, -1 for none.
        command: The command of each, in its mode's unit.
        primed: Commands primed for each mode (n, 3), NaN for none.
        pending: Whether commands wait to be written.
        followed: What bodies follow, see ``mjscene.bodies``.
        watched: How long what is watched has been silent, see ``mjscene.watchdog``.
    """

    physics: NDArray[np.float64]
    joint_names: tuple[str, ...]
    modes: NDArray[np.intp]
    command: NDArray[np.float64]
    primed: NDArray[np.float64]
    pending: bool
    followed: tuple[NDArray[Any], ...] = ()
    watched: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        """Seal the arrays."""
        for array in (self.physics, self.modes, self.command, self.primed):
            array.setflags(write=False)


def read_state(
    model: Any, data: Any, control: ModeControl, bodies: BodyControl, watched: tuple[Any, ...]
) -> SceneState:
    """The state now."""
    physics = np.zeros(mujoco.mj_stateSize(model, _ALL))
    mujoco.mj_getState(model, data, physics, _ALL)
    table = control.table
    return SceneState(
        physics=physics,
        joint_names=table.names,
        modes=table.mode.copy(),
        command=table.command.copy(),
        primed=table.primed.copy(),
        pending=table.command.tobytes() != table.written,
        followed=bodies.rows(),
        watched=watched,
    )


def write_state(
    model: Any, data: Any, control: ModeControl, bodies: BodyControl, state: SceneState
) -> None:
    """Put a state back.

    Raises:
        ComposeError: It is of a scene with other joints or objects; nothing has changed.
    """
    table = control.table
    if not isinstance(state, SceneState):
        raise ComposeError(
            f"expected a SceneState, got {shown(state)}", where="set_state", given=state
        )
    if state.joint_names != table.names or len(state.physics) != mujoco.mj_stateSize(model, _ALL):
        raise ComposeError(
            "the state is of another scene, or of this one with other objects", where="set_state"
        )
    rows = np.flatnonzero(state.modes >= 0)
    if (table.actuators[rows, state.modes[rows]] < 0).any():
        raise ComposeError(
            "the state has joints in modes that this scene does not offer", where="set_state"
        )
    mujoco.mj_setState(model, data, state.physics, _ALL)
    control.take_modes(state.modes)
    table.command[:] = state.command
    table.primed[:] = state.primed
    bodies.put(state.followed)
    table.written = b"" if state.pending else table.command.tobytes()
