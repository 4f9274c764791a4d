"""The run of a scenario: a closed list of phases per step.

At step k: what is expected in the state now; ends that are due (of a wrench); the actions of the
step; what is expected of these; motions write what holds at the end of the step; the step.
"""

from __future__ import annotations

import contextlib
import copy
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.errors import MjsceneError
from mjscene.recorder import Recorder
from mjscene.recording import Recording
from mjscene.scenario.base import Action
from mjscene.scenario.judge import Judge
from mjscene.scenario.lookup import has_name
from mjscene.scenario.motions import CommandMotion, Motion
from mjscene.scenario.prepare import Prepared, prepare
from mjscene.scenario.result import Failure, ScenarioResult
from mjscene.scenario.spec import Scenario
from mjscene.scenario.things import is_gone

__all__ = ["Run", "prepare", "run"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


class Run:
    """A scenario while it runs.

    Attributes:
        scene: The scene.
        stage: What its names were looked up in.
        step: Steps taken since the start.
        memory: What expectations keep in mind.
        jumps: How far each dof's drive effort has jumped in the actions of this step (nv,)
            [N·m or N]; None where nothing has switched.
        stopped: What stopped the run before its end; None if nothing did.
    """

    def __init__(self, scenario: Scenario, prepared: Prepared, caught: list[Any]) -> None:
        self.scenario, self.scene, self.stage = scenario, prepared.scene, prepared.stage
        self.step = 0
        self.memory: dict[int, Any] = {}
        self.jumps: Array | None = None
        self.stopped: Failure | None = None
        self._caught, self._heard = caught, 0
        self._said: dict[str, int] = {}
        self._motions: list[Motion] = []
        self._later: list[tuple[int, object, Callable[[Run], None]]] = []
        self._recorder: Recorder | None = None
        self.recordings: list[Recording] = []
        self._asked = prepared.bodies, scenario.sensors
        self._judge = Judge(self)
        self._looks_at_jumps = any(e.after_actions for e in scenario.expect)
        order = sorted(range(len(scenario.timeline)), key=lambda i: scenario.timeline[i].at)
        self._going, self._reached = self._steps(), -1
        self._actions: dict[int, list[tuple[int, Action]]] = {}
        for i in order:
            action = scenario.timeline[i]
            self._actions.setdefault(self.steps_in(action.at), []).append((i, action))

    # -- what actions and expectations ask -------------------------------------------------------

    @property
    def time(self) -> float:
        """Time since the start [s]."""
        return self.step * self.stage.timestep

    def steps_in(self, time: float) -> int:
        """The number of steps in a time that was checked to be a multiple."""
        return round(time / self.stage.timestep)

    def rows(self, robot: str, joints: Iterable[str]) -> Ints:
        """Rows of joints in the scene's joint vectors; of all of the robot's, without names."""
        return self.stage.rows(robot, joints)

    def heard(self) -> int:
        """How many warnings have come until now."""
        for k in range(self._heard, len(self._caught)):
            self._said[" ".join(str(self._caught[k].message).split())] = k
        self._heard = len(self._caught)
        return self._heard

    def warnings(self, since: int = 0) -> list[str]:
        """What was warned of until now, each once; what came after the first ``since``."""
        self.heard()
        return [text for text, last in self._said.items() if last >= since]

    def remember(self, key: int, read: Callable[[], Any]) -> None:
        """Keep what is read now, unless something is kept already."""
        if key not in self.memory:
            self.memory[key] = read()

    # -- what lasts ------------------------------------------------------------------------------

    def begin(self, motion: Motion) -> None:
        """Begin a motion."""
        self._motions.append(motion)

    def later(self, step: int, key: object, what: Callable[[Run], None]) -> None:
        """Do something before the actions of a later step."""
        self._later.append((step, key, what))

    def cancel(self, key: object) -> None:
        """End the motion of a thing, and what would be done to it later."""
        self._motions = [m for m in self._motions if m.key is None or m.key != key]
        self._later = [entry for entry in self._later if entry[1] != key]

    def key(self, kind: str, name: str) -> tuple[str, str]:
        """The key of what lasts for a body, however it is called: a robot's name is its base's."""
        body = self.scene.target(name, kind).body
        return kind, str(self.scene.model.body(body).name) or name

    def cancel_gone(self) -> None:
        """Cancel what is about parts that the scene has no more."""
        keys = [m.key for m in self._motions] + [key for _, key, _ in self._later]
        for key in keys:
            if is_gone(self.scene, key):
                self.cancel(key)

    def leave_stopped(self) -> None:
        """End all that moves joints of stopped robots."""
        held = [r for n in self.scene.robots if self._is_held(n) for r in self._rows_of(n)]
        rows = np.array(held, dtype=np.intp)
        self._motions = [m for m in self._motions if m.drop(rows)]

    def leave(self, rows: Ints) -> None:
        """End the motions of joints' commands."""
        self._motions = [
            m for m in self._motions if not isinstance(m, CommandMotion) or m.drop(rows)
        ]

    def end_all(self) -> None:
        """End every motion and all that would be done later."""
        self._motions, self._later = [], []

    @contextlib.contextmanager
    def another_recording(self) -> Iterator[None]:
        """Around a change of objects or a reset: a recording is of one model, and goes on."""
        self._stop_recording()
        yield
        self._record()

    # -- the run ---------------------------------------------------------------------------------

    def go(self) -> list[Failure]:
        """Run to the end, or until something stops it; what was not as expected."""
        for _ in self._going:
            pass
        return sorted(self._judge.failures(self.stopped), key=lambda f: f.time)

    def go_to(self, step: int) -> bool:
        """Run until so many steps are taken, before the actions then; False if it ended earlier."""
        return self._reached >= step or any(k >= step for k in self._going)

    def _steps(self) -> Iterator[int]:
        """Run, and yield the steps taken before the actions of each, and at the end."""
        self._record()
        doing: int | None = None
        try:
            for k in range(self.stage.steps + 1):
                self.step, self.jumps = k, None
                self._judge.look(after_actions=False)
                self._reached = k
                yield k
                if k == self.stage.steps or self._is_enough():
                    break
                for i, action in self._due(k):
                    doing = i
                    self._act(action)
                doing = None
                self._judge.look(after_actions=True)
                self._advance()
                self.scene.step()
        except MjsceneError as error:
            self.stopped = self._failure(error, doing)
        finally:
            self._stop_recording()

    @property
    def checked(self) -> Any:
        """Every expectation and how it went."""
        return self._judge.checked()

    def _is_enough(self) -> bool:
        return self.scenario.stop_at_first and self._judge.has_failed

    def _due(self, k: int) -> list[tuple[int, Action]]:
        for entry in [e for e in self._later if e[0] <= k]:
            self._later.remove(entry)
            entry[2](self)
        return self._actions.get(k, [])

    def _act(self, action: Action) -> None:
        if not (self._looks_at_jumps and action.switches):
            action.act(self)
            return
        before = self._efforts()
        action.act(self)
        now = np.abs(self._efforts() - before)
        self.jumps = now if self.jumps is None else np.maximum(self.jumps, now)

    def _efforts(self) -> Array:
        """What the drives would deliver in the state now, by a copy of it."""
        scene = self.scene
        trial = copy.copy(scene.data)
        scene.control.table.put_aside(trial.ctrl)
        mujoco.mj_forward(scene.model, trial)
        return np.array(trial.qfrc_actuator)

    def _advance(self) -> None:
        if not self._motions:
            return
        if self.scene.stops.holds:  # a reflex ends what it stops
            self.leave_stopped()
        self._motions = [m for m in self._motions if m.advance(self)]

    def _is_held(self, robot: str) -> bool:
        return self.scene.robots[robot].robot_mode.is_stopped

    def _rows_of(self, robot: str) -> list[int]:
        rows = self.scene.robots[robot].rows
        return list(range(rows.start, rows.stop))

    def _failure(self, error: MjsceneError, doing: int | None) -> Failure:
        place = f"timeline[{doing}]" if doing is not None else "run"
        node = None
        document = self.scenario.document
        if document is not None and doing is not None:
            node = document.root.value["timeline"].value[doing]
        return Failure(
            time=self.time,
            expected="the run to go on",
            seen=f"{type(error).__name__}: {' '.join(str(error).split())}",
            where=place,
            file=None if node is None or document is None else document.file,
            line=None if node is None else node.line,
        )

    def _record(self) -> None:
        kinds = mujoco.mjtObj.mjOBJ_BODY, mujoco.mjtObj.mjOBJ_SENSOR
        bodies, sensors = map(self._here, kinds, self._asked)
        self._recorder = Recorder(self.scene, bodies=bodies, sensors=sensors).start()

    def _here(self, kind: Any, names: Iterable[str]) -> list[str]:
        """Those of the names that the model of now has."""
        return [n for n in names if has_name(self.scene.model, kind, n)]

    def _stop_recording(self) -> None:
        if self._recorder is not None:
            self.recordings.append(self._recorder.stop())
            self._recorder = None


def run(scenario: Scenario, watch: Callable[[Run], None] | None = None) -> ScenarioResult:
    """Build a scenario's scene, look every name up, and run it.

    Args:
        scenario: The scenario.
        watch: Called before the first step; it may let the run go on as far as it likes.

    Raises:
        MjsceneError: Something is wrong before it runs.
    """
    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")  # one that comes again counts where it is looked for
        prepared = prepare(scenario)
        running = Run(scenario, prepared, caught)
        if watch is not None:
            watch(running)
        failures = running.go()
        said = running.warnings()
    once = {(w.category, str(w.message), w.filename, w.lineno): w.message for w in caught}
    for (kind, _, file, line), message in once.items():  # who runs it has filters of their own
        warnings.warn_explicit(message, kind, file, line)
    return ScenarioResult(
        name=scenario.name,
        checked=tuple(running.checked),
        failures=tuple(failures),
        recordings=tuple(running.recordings),
        warnings=tuple(said),
        duration=running.time,
        wall=time.perf_counter() - began,
        stopped=running.stopped,
    )
