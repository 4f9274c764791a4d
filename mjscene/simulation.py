"""A compiled scene that runs: its data, its modes and commands, and the step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.apply import apply_commands
from mjscene.bodies import BodyControl
from mjscene.commands import ObjectCmd
from mjscene.control import ModeControl
from mjscene.controllers.runner import Runner
from mjscene.cycle import Cycle
from mjscene.errors import SpecError
from mjscene.jumps import warn_jumps
from mjscene.keyframes import StateRow, find_keyframe
from mjscene.listening import heard
from mjscene.messages import warn_all
from mjscene.objectstate import ObjectState, state_now
from mjscene.periods import run_for
from mjscene.phases import arrange
from mjscene.records import JointRecords
from mjscene.requests import switch_rows
from mjscene.snapshot import Snapshot
from mjscene.spec import SceneSpec
from mjscene.state import SceneState, read_state, write_measured, write_state
from mjscene.stops import Stops
from mjscene.streamed import apply_streamed
from mjscene.targets import Target, find_target
from mjscene.transfer import Transfer
from mjscene.watchdog import Watch

if TYPE_CHECKING:
    from mjscene.build import Built
    from mjscene.robot import Robot

__all__ = ["Simulation"]


class Simulation:
    """What of a scene runs; see :class:`mjscene.Scene`."""

    watch: Watch
    stops: Stops
    controllers: Runner
    observers: list[Callable[[], None]]
    spec: SceneSpec

    # No other attributes: a misspelled one is an error.
    __slots__ = (
        *("__weakref__", "began", "bodies", "control", "controllers", "cycle", "data", "joints"),
        *("mjspec", "model", "observers", "parts", "records", "report", "spec", "stops", "watch"),
        *("_as_built", "_composition", "_places", "_plan", "published"),
        *("_rebuild", "_start", "_step", "known_targets"),
    )

    def _take(self, built: Built) -> None:
        self._composition = built.composition
        self._start: StateRow = built.start
        self.spec: SceneSpec = built.composition.spec
        self.mjspec: Any = built.composition.mjspec
        self.model: Any = built.model
        bodies = [str(built.model.body(b).name) for b in range(built.model.nbody)]
        self.parts = (*(o.label for o in built.composition.owners), *bodies)
        self.data: Any = built.data
        self.control: ModeControl = built.control
        self.cycle = Cycle(built.model, built.data, built.control)
        self.records = JointRecords(built.control, self.cycle, built.composition.owners)
        self._step = self.cycle.bind()
        self._plan = built.plan
        self._as_built = Snapshot(built.model)
        self.bodies = BodyControl(built.model, built.data)
        self.known_targets: dict[Any, Target] = {}
        self.published: dict[str, tuple[bool, bool, bool]] = {}

    def all_handles(self) -> list[tuple[str, Robot]]:
        """Robots and attachments, each with its name in the scene."""
        raise NotImplementedError

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.data.time)

    def step(self, n: int = 1) -> None:
        """Advance by ``n`` steps of ``model.opt.timestep``: the phases of ``mjscene.cycle``.

        Commands that have changed are written into ``data.ctrl`` first. Afterwards poses,
        velocities, position and velocity sensors and the bias describe the new state; efforts,
        accelerations and force sensors are those of the step just taken.

        Raises:
            SpecError: ``n`` is no whole number >= 1.
            CommandError: A command is not finite; nothing has happened.
            SimulationError: MuJoCo warned of a blow-up or of a full buffer, or reset the state.
        """
        if n is _ONE:  # by far the most frequent; an equal number of another type goes on below
            step = self._step  # called as a method it would be looked for in the class first
            return step()
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise SpecError(f"expected a whole number of steps >= 1, got {n!r}", where="step.n")
        for _ in range(n):
            self._step()  # another one where a callback has added or removed an object

    def forward(self) -> None:
        """Compute everything that follows from the state, and leave no trace in it.

        ``mj_forward`` also overwrites the warm start of the next step. Call it after writing into
        ``model``: what a step begins with (gravity, masses …), gears and gains are read again.
        """
        self.control.refresh()
        if self.cycle.timestep != self.model.opt.timestep:
            self.controllers.rebind()  # their periods are other counts of steps now
        warmstart = self.data.qacc_warmstart.copy()
        mujoco.mj_forward(self.model, self.data)
        self.data.qacc_warmstart[:] = warmstart
        self.cycle.forget_warnings()  # so that a step says it too, if it lasts
        self.cycle.saw()
        self.records.forget()
        warn_all(heard)

    def reset(self, keyframe: str | None = None, *, keep_modes: bool = False) -> None:
        """Go back to the start pose, or to a keyframe.

        Without a keyframe every robot is at its ``home``, else at its file's reference pose, at
        rest, at time 0. Objects are where the spec put them. Joints are in their initial modes,
        with commands that hold the pose (in TORQUE by a file's own motor: what its keyframe gives,
        else none).

        Args:
            keyframe: A keyframe's name: a merged one (``home``) or a robot's (``left/home``).
            keep_modes: Stay in the modes of now instead.

        Raises:
            ComposeError: There is no such keyframe.
        """
        self._go_to_start(keyframe, keep_modes=keep_modes)
        self.stops.begin()
        self.controllers.begin()
        self.stops.take_note()
        self.watch.reset()
        self.arrange()
        warn_jumps(self.control)

    def _go_to_start(self, keyframe: str | None, *, keep_modes: bool) -> None:
        """Put MuJoCo's state, modes and commands to the start, or to a keyframe."""
        if self.control.table.forward is not None:
            self.control.table.forward[:] = 0.0
        if keyframe is None:
            mujoco.mj_resetData(self.model, self.data)
            start = self._start
            self.data.qpos[:] = start.qpos
            self.data.qvel[:] = start.qvel
            self.data.act[:] = start.act
            self.data.ctrl[:] = start.ctrl
            self.data.mocap_pos[:] = start.mpos
            self.data.mocap_quat[:] = start.mquat
        else:
            key = find_keyframe(self.model, keyframe, "reset.keyframe")
            mujoco.mj_resetDataKeyframe(self.model, self.data, key)
        table = self.control.table
        self.control.take_modes(self.stops.modes() if keep_modes else table.initial)
        self.bodies.release_all()
        self.cycle.steps = 0
        self.cycle.states.clear()  # no step has led here
        self.forward()

    def get_state(self) -> SceneState:
        """The whole state: MuJoCo's, modes and commands. It can be put back any number of times."""
        return read_state(self)

    def set_state(self, state: SceneState) -> None:
        """Put a state back.

        Raises:
            ComposeError: It is of a scene with other robots, joints or objects, or with the same in
                another order; nothing has changed.
        """
        write_state(self, state)
        self.watch.put(state.watched)
        self.stops.put(state.stopped)
        self.forward()
        write_measured(self, state)
        self.controllers.put(state.controllers)
        self.arrange()
        warn_jumps(self.control)

    # -- commands and states --------------------------------------------------------------------

    def target(self, name: Any, where: str) -> Target:
        """The robot or body of a name.

        Raises:
            CommandError: There is none; the message lists near matches.
        """
        try:
            return self.known_targets[name]
        except (KeyError, TypeError):
            scene: Any = self
            target = self.known_targets[name] = find_target(scene, name, where)
            return target

    def apply(self, commands: Mapping[str, ObjectCmd]) -> None:
        """Command robots and bodies; each command persists until it is replaced.

        Args:
            commands: Commands by the name of a robot, or of any body.

        Raises:
            CommandError: A command cannot be applied: it names object, field and index. All are
                checked before any takes effect: nothing has changed.
        """
        if type(commands) is not dict or not apply_streamed(self, commands):
            apply_commands(self, commands)  # type: ignore[arg-type]

    def state(self, name: str) -> ObjectState:
        """The state of a robot or body.

        A robot or object reports its children and joints; another body those that were asked for.

        Raises:
            CommandError: There is none of that name.
        """
        known = self.known_targets
        target = known[name] if type(name) is str and name in known else self.target(name, "state")
        publish = _ALL if target.is_root else self.published.get(name, _NOTHING)
        return state_now(self, target, publish)  # type: ignore[arg-type]

    def states(self) -> dict[str, ObjectState]:
        """The states of all robots and objects, by name."""
        robots = [name for name, handle in self.all_handles() if handle.is_robot]
        return {name: self.state(name) for name in (*robots, *(o.name for o in self.spec.objects))}

    def publish(self, target: Target, asked: tuple[bool | None, ...]) -> None:
        """Follow what a command asks a body to publish from now on."""
        before = self.published.get(target.name, _NOTHING)
        after = [old if new is None else bool(new) for old, new in zip(before, asked, strict=True)]
        self.published[target.name] = (after[0], after[1], after[2])

    def switch_rows(self, rows: NDArray[np.intp], modes: NDArray[np.intp], how: Transfer) -> None:
        """Switch rows of the joint table, each into a mode that it offers."""
        switch_rows(self.control, rows, modes, how)

    def arrange(self) -> None:
        """Follow a change of what a step does besides MuJoCo's own."""
        arrange(self)

    def on_step(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call a function after every step from now on; it outlives changes of objects.

        Returns:
            A function that ends it; ending twice is no error.
        """
        if not callable(callback):
            raise SpecError(f"expected a function, got {callback!r}", where="on_step.callback")
        self.observers.append(callback)
        self.arrange()

        def end() -> None:
            if callback in self.observers:
                self.observers.remove(callback)
                self.arrange()

        return end

    @property
    def steps(self) -> int:
        """Steps taken since the last reset."""
        return self.cycle.steps

    def run(
        self,
        duration: float,
        policy: Callable[[Any], Mapping[str, ObjectCmd] | None] | None = None,
        *,
        period: float | None = None,
        progress: bool = False,
    ) -> None:
        """Run for a while, with a policy called once a control period.

        Args:
            duration: Simulated time [s].
            policy: Called with the scene before each period; it may return commands to apply.
            period: The control period [s], a multiple of the timestep; the timestep by default.
            progress: Show a progress bar (with ``tqdm``).

        Raises:
            SpecError: A duration or period that is none, or no multiple of the timestep.
            SimulationError: The simulation blew up.
        """
        run_for(self, duration, policy, period, progress=progress)


_ONE = 1
_NOTHING = (False, False, False)
_ALL = (True, True, True)
