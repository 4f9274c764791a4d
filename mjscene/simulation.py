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
from mjscene.cycle import Cycle
from mjscene.errors import ComposeError, SpecError, close_matches
from mjscene.keyframes import StateRow
from mjscene.listening import heard
from mjscene.messages import warn_all
from mjscene.objectstate import ObjectState
from mjscene.periods import whole_steps, with_bar
from mjscene.requests import switch_rows
from mjscene.snapshot import Snapshot
from mjscene.spec import SceneSpec
from mjscene.state import SceneState, read_state, write_state
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
    _observers: list[Callable[[], None]]
    spec: SceneSpec

    # No other attributes: a misspelled one is an error.
    __slots__ = (
        *("__weakref__", "began", "bodies", "control", "data", "joints", "mjspec", "model"),
        *("report", "spec", "watch", "_as_built", "_command", "_composition", "_cycle", "_places"),
        *("_observers", "_plan", "_published", "_rebuild", "_start", "_step", "_targets"),
    )

    def _take(self, built: Built) -> None:
        self._composition = built.composition
        self._start: StateRow = built.start
        self.spec: SceneSpec = built.composition.spec
        self.mjspec: Any = built.composition.mjspec
        self.model: Any = built.model
        self.data: Any = built.data
        self.control: ModeControl = built.control
        self._cycle = Cycle(built.model, built.data, built.control, self._observers)
        self._step = self._cycle.bind()
        self._command = built.control.table.command
        self._plan = built.plan
        self._as_built = Snapshot(built.model)
        self.bodies = BodyControl(built.model, built.data)
        self._targets: dict[Any, Target] = {}
        self._published: dict[str, tuple[bool, bool, bool]] = {}

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
        step = self._step
        if type(n) is int and n == 1:
            step()
            return
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise SpecError(f"expected a whole number of steps >= 1, got {n!r}", where="step.n")
        for _ in range(n):
            step()

    def forward(self) -> None:
        """Compute everything that follows from the state, and leave no trace in it.

        MuJoCo's ``mj_forward`` also overwrites the warm start of the next step. Call it after
        writing into ``model``: what the first half of a step depends on (gravity, masses …) and the
        gears and gains that commands are scaled with are read again.
        """
        self.control.refresh()
        warmstart = self.data.qacc_warmstart.copy()
        mujoco.mj_forward(self.model, self.data)
        self.data.qacc_warmstart[:] = warmstart
        self._cycle.saw()
        self._cycle.forget_warnings()  # so that a step says it too, if it lasts
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
            key = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_KEY, keyframe)
            if key < 0:
                known = tuple(self.model.key(i).name for i in range(self.model.nkey))
                raise ComposeError(
                    f"there is no keyframe {keyframe!r}",
                    where="reset.keyframe",
                    given=keyframe,
                    close=close_matches(keyframe, known),
                    allowed=known,
                )
            mujoco.mj_resetDataKeyframe(self.model, self.data, key)
        table = self.control.table
        self.control.take_modes(table.mode.copy() if keep_modes else table.initial)
        self.bodies.release_all()
        self._cycle.steps = 0
        self.forward()
        self._watch_anew()

    def get_state(self) -> SceneState:
        """The whole state: MuJoCo's, modes and commands. It can be put back any number of times."""
        return read_state(self.model, self.data, self.control, self.bodies, self.watch.rows())

    def set_state(self, state: SceneState) -> None:
        """Put a state back.

        Raises:
            ComposeError: It is of a scene with other joints or objects; nothing has changed.
        """
        write_state(self.model, self.data, self.control, self.bodies, state)
        self.watch.put(state.watched)
        self.follow_bodies()
        self.forward()

    # -- commands and states --------------------------------------------------------------------

    def target(self, name: Any, where: str) -> Target:
        """The robot or body of a name.

        Raises:
            CommandError: There is none; the message lists near matches.
        """
        try:
            return self._targets[name]
        except (KeyError, TypeError):
            target = find_target(self, name, where)  # type: ignore[arg-type]
            self._targets[name] = target
            return target

    def apply(self, commands: Mapping[str, ObjectCmd]) -> None:
        """Command robots and bodies; each command persists until it is replaced.

        Args:
            commands: Commands by the name of a robot, or of any body.

        Raises:
            CommandError: A command cannot be applied: it names object, field and index. All are
                checked before any takes effect: nothing has changed.
        """
        apply_commands(self, commands)  # type: ignore[arg-type]

    def state(self, name: str) -> ObjectState:
        """The state of a robot or body.

        A robot or object reports its children and joints; another body those that were asked for.

        Raises:
            CommandError: There is none of that name.
        """
        target = self.target(name, "state")
        publish = _ALL if target.is_root else self._published.get(name, _NOTHING)
        return ObjectState.read(self, target, publish)  # type: ignore[arg-type]

    def states(self) -> dict[str, ObjectState]:
        """The states of all robots and objects, by name."""
        robots = [name for name, handle in self.all_handles() if handle.is_robot]
        return {name: self.state(name) for name in (*robots, *(o.name for o in self.spec.objects))}

    def publish(self, target: Target, asked: tuple[bool | None, ...]) -> None:
        """Follow what a command asks a body to publish from now on."""
        before = self._published.get(target.name, _NOTHING)
        after = [old if new is None else bool(new) for old, new in zip(before, asked, strict=True)]
        self._published[target.name] = (after[0], after[1], after[2])

    def switch_rows(self, rows: NDArray[np.intp], modes: NDArray[np.intp], how: Transfer) -> None:
        """Switch rows of the joint table, each into a mode that it offers."""
        switch_rows(self.control, rows, modes, how)

    def follow_bodies(self) -> None:
        """Follow a change of what comes before the commands in a step."""
        phases: list[Callable[[], None]] = []
        if self.watch.watches:
            phases.append(self.watch.look)
        if len(self.bodies):
            phases.append(self.bodies.act)
        self._cycle.before[:] = phases

    def on_step(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call a function after every step from now on; it outlives changes of objects.

        Returns:
            A function that ends it; ending twice is no error.
        """
        if not callable(callback):
            raise SpecError(f"expected a function, got {callback!r}", where="on_step.callback")
        self._observers.append(callback)

        def end() -> None:
            if callback in self._observers:
                self._observers.remove(callback)

        return end

    def _watch_anew(self) -> None:
        """Start the watchdog, at the time of now."""
        if hasattr(self, "watch"):
            self.watch.reset()
            self.follow_bodies()

    @property
    def steps(self) -> int:
        """Steps taken since the last reset."""
        return self._cycle.steps

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
        step = float(self.model.opt.timestep)
        each = 1 if period is None else whole_steps(period, step, "run.period")
        total = whole_steps(duration, step, "run.duration")
        starts: Any = range(0, total, each)
        if progress:
            starts = with_bar(starts)
        for start in starts:
            if policy is not None:
                commands = policy(self)
                if commands is not None:
                    self.apply(commands)
            self.step(min(each, total - start))


_NOTHING = (False, False, False)
_ALL = (True, True, True)
