"""A scene's whole state, to be put back later: MuJoCo's, and all that mjscene has beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.aside import put_measured, read_measured
from mjscene.errors import ComposeError, shown

if TYPE_CHECKING:
    from mjscene.simulation import Simulation

__all__ = ["SceneState", "read_state", "write_measured", "write_state"]

# What is of the last step and not of the state: controllers and records go on from it.
_ALL = mujoco.mjtState.mjSTATE_INTEGRATION


@dataclass(frozen=True, eq=False)
class SceneState:
    """The state of a scene at one time; its arrays are sealed.

    Attributes:
        physics: MuJoCo's ``mjSTATE_INTEGRATION`` vector.
        parts: The scene's robots, attachments and objects, and its bodies, in order.
        joint_names: The joints that take commands.
        modes: The mode of each, -1 for none.
        command: The command of each, in its mode's unit.
        primed: Commands primed for each mode (n, 3), NaN for none.
        began_at: Where each joint was when it came into its mode.
        forward: Effort that is added to what commands ask for; None for none.
        controls: What was written for the commands last (n,), NaN for nothing yet.
        followed: What bodies follow, see ``mjscene.bodies``.
        watched: How long what is watched has been silent, see ``mjscene.watchdog``.
        stopped: Which robots are stopped, see ``mjscene.stops``.
        controllers: The states of controllers, by robot and name.
        past, kept: The states after the last steps and what the last was taken with, see
            ``mjscene.cycle``.
        measured: Efforts, accelerations and sensors of the last step, by their names in ``data``.
        delivered: What controllers take for the drives' efforts in it (nv,), if there are any.
        external: What constraints and applied forces did to dofs in the last step (nv,).
        steps: Steps taken since the last reset.
        published: What bodies were asked to publish, by their names.
    """

    physics: NDArray[np.float64]
    parts: tuple[str, ...]
    joint_names: tuple[str, ...]
    modes: NDArray[np.intp]
    command: NDArray[np.float64]
    primed: NDArray[np.float64]
    began_at: NDArray[np.float64]
    forward: NDArray[np.float64] | None
    controls: NDArray[np.float64]
    followed: tuple[NDArray[Any], ...]
    watched: tuple[Any, ...]
    stopped: tuple[Any, ...]
    controllers: dict[tuple[str, str], dict[str, Any]]
    past: tuple[bytes, ...]
    kept: tuple[Any, Any] | None
    measured: dict[str, NDArray[np.float64]]
    delivered: NDArray[np.float64] | None
    external: NDArray[np.float64]
    steps: int
    published: dict[str, tuple[bool, bool, bool]]

    def __post_init__(self) -> None:
        """Seal the arrays."""
        for array in (self.physics, self.modes, self.command, self.primed, self.began_at):
            array.setflags(write=False)
        self.controls.setflags(write=False)


def read_state(scene: Simulation) -> SceneState:
    """The state now."""
    model, data, table = scene.model, scene.data, scene.control.table
    physics = np.zeros(mujoco.mj_stateSize(model, _ALL))
    mujoco.mj_getState(model, data, physics, _ALL)
    return SceneState(
        physics=physics,
        parts=scene.parts,
        joint_names=table.names,
        modes=table.mode.copy(),
        command=table.command.copy(),
        primed=table.primed.copy(),
        began_at=table.began_at.copy(),
        forward=None if table.forward is None else table.forward.copy(),
        controls=table.last_controls(),
        followed=scene.bodies.rows(),
        watched=scene.watch.rows(),
        stopped=scene.stops.rows(),
        controllers=scene.controllers.states(),
        past=tuple(scene.cycle.states),
        kept=scene.cycle.kept,
        measured=read_measured(data),
        # Without controllers it is not kept up to date.
        delivered=None if not scene.controllers.runs else np.copy(table.delivered),  # type: ignore[arg-type]
        external=scene.records.external(slice(None)).copy(),
        steps=scene.steps,
        published=dict(scene.published),
    )


def write_state(scene: Simulation, state: SceneState) -> None:
    """Put a state back; what follows from it is not computed yet.

    Raises:
        ComposeError: It is of a scene with other robots, joints or objects; nothing has changed.
    """
    model, data, control = scene.model, scene.data, scene.control
    table = control.table
    if not isinstance(state, SceneState):
        raise ComposeError(
            f"expected a SceneState, got {shown(state)}", where="set_state", given=state
        )
    same = state.parts == scene.parts and state.joint_names == table.names
    if not same or len(state.physics) != mujoco.mj_stateSize(model, _ALL):
        raise ComposeError(
            "the state is of another scene, or of this one with other objects or in another order",
            where="set_state",
            element=next((p for p in state.parts if p not in scene.parts), None),
        )
    rows = np.flatnonzero(state.modes >= 0)
    if (table.actuators[rows, state.modes[rows]] < 0).any():
        raise ComposeError(
            "the state has joints in modes that this scene does not offer", where="set_state"
        )
    mujoco.mj_setState(model, data, state.physics, _ALL)
    table.forward = None if state.forward is None else state.forward.copy()
    control.take_modes(state.modes)
    table.command[:] = state.command
    table.prime(state.primed)
    table.began_at[:] = state.began_at
    scene.bodies.put(state.followed)
    table.compare_with(state.controls)


def write_measured(scene: Simulation, state: SceneState) -> None:
    """Put back what was measured, after all that follows from the state was computed."""
    put_measured(scene.data, state.measured)
    table = scene.control.table
    if table.delivered is not None:
        given = state.delivered
        table.delivered[:] = scene.data.qfrc_actuator if given is None else given
    scene.cycle.put(state.past, state.kept, state.steps)
    scene.published = dict(state.published)
    scene.records.put_external(state.external)
