"""The controllers of a scene: who rules which joints, and the phase of the step that runs them."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjscene.controllers.base import ControlledJoints, Controller
from mjscene.controllers.rows import wanted_modes
from mjscene.errors import ControllerError, close_matches, shown
from mjscene.periods import whole_steps
from mjscene.transfer import Transfer

if TYPE_CHECKING:
    from mjscene.robot import Robot
    from mjscene.scene import Scene

__all__ = ["Attached", "Runner"]

Ints = NDArray[np.intp]


@dataclass(eq=False)
class Attached:
    """A controller on a robot.

    Attributes:
        controller: The controller.
        name: Its name on the robot.
        robot: The robot's name in the scene; an attachment's is ``robot.attachment``.
        rows: The joints it rules (k,).
        before: Their modes before it took them (k,).
        began: The step at which it was attached or reset.
    """

    controller: Controller
    name: str
    robot: str
    rows: Ints
    before: Ints
    began: int = 0


class Runner:
    """The controllers of a scene."""

    def __init__(self, scene: Scene) -> None:
        self._scene: Callable[[], Any] = weakref.ref(scene)
        self._attached: list[Attached] = []
        self._banks: list[tuple[int, int, Callable[[], None]]] | None = []

    @property
    def runs(self) -> bool:
        """Whether there is anything to update."""
        return bool(self._attached)

    def on(self, robot: str) -> dict[str, Controller]:
        """The controllers of a robot, by name."""
        return {a.name: a.controller for a in self._attached if a.robot == robot}

    def on_rows(self, rows: Ints) -> bool:
        """Whether a controller rules one of the joints."""
        return any(np.isin(a.rows, rows).any() for a in self._attached)

    def add(self, robot: Robot, controller: Controller, rows: Ints, name: str | None) -> None:
        """Let a controller rule joints: they are taken into a mode that it needs, and it starts.

        Raises:
            ControllerError: It is none, rules joints already, or the joints cannot be its; nothing
                has changed.
        """
        scene = self._scene()
        if not isinstance(controller, Controller):
            raise ControllerError(
                f"expected a controller, got {shown(controller)}", where="add_controller"
            )
        if controller.is_attached:
            raise ControllerError(
                f"this {type(controller).__name__} has a robot already",
                where="add_controller",
                hint="make another one, or remove it there first",
            )
        if controller.period is not None:
            whole_steps(controller.period, scene.model.opt.timestep, "add_controller.period")
        label = robot.label
        self._refuse_overlap(controller, rows)
        if scene.stops.is_stopped(rows):
            raise ControllerError(
                f"{robot.title} is stopped", where="add_controller", hint="recover() first"
            )
        taken = self.on(label)
        attached = Attached(
            controller,
            self._free_name(controller, taken, name),
            label,
            rows,
            scene.control.table.mode[rows].copy(),
        )
        controller.bind(self._joints(attached))
        controller._changed = self.forget
        self._attached.append(attached)
        try:
            self._start(attached)
        except BaseException:
            self.remove(attached)
            raise
        scene.arrange()

    def _free_name(self, controller: Controller, taken: Iterable[str], name: str | None) -> str:
        if name is not None:
            if not isinstance(name, str) or not name or name in taken:
                raise ControllerError(
                    f"a controller cannot be called {name!r} here",
                    where="add_controller.name",
                    given=name,
                    hint="the name is taken" if name in taken else "give a word",
                )
            return name
        word = re.sub(r"(?<!^)(?=[A-Z])", "_", type(controller).__name__).lower()
        known = set(taken)
        return next(n for n in (word, *(f"{word}_{k}" for k in range(2, 99))) if n not in known)

    def _refuse_overlap(self, controller: Controller, rows: Ints) -> None:
        names = self._scene().control.table.names
        for other in self._attached:
            if type(other.controller).adds != controller.adds:
                both = {type(other.controller), type(controller)}
                if not any(kind.carries_load for kind in both):
                    continue
            shared = rows[np.isin(rows, other.rows)]
            if len(shared):
                raise ControllerError(
                    f"joint {names[shared[0]]!r} has the controller {other.name!r} "
                    f"({type(other.controller).__name__}) already",
                    where="add_controller",
                    element=names[shared[0]],
                    hint="remove it first, or give other joints",
                )

    def _joints(self, attached: Attached) -> ControlledJoints:
        scene = self._scene()
        robot = scene.handle(attached.robot)
        return ControlledJoints(
            scene.model,
            scene.data,
            scene.control.table,
            attached.rows,
            robot.base_body_id,
            robot.prefix,
        )

    def _robot(self, attached: Attached) -> Robot:
        robot: Robot = self._scene().handle(attached.robot)
        return robot

    def _start(self, attached: Attached) -> None:
        """Take the joints into a mode that the controller needs, and start it."""
        scene, controller = self._scene(), attached.controller
        table, rows = scene.control.table, attached.rows
        if controller.modes:
            scene.switch_rows(rows, wanted_modes(table, rows, controller.modes), Transfer.BUMPLESS)
        if not controller.adds and controller.modes:
            table.refuse(rows, f"controller {attached.name!r} commands it")
        attached.began = scene.steps
        controller.reset(self._robot(attached))
        self.forget()

    def remove(self, attached: Attached) -> None:
        """Take a controller away; its joints get their modes back, without a jump."""
        scene, controller = self._scene(), attached.controller
        self._attached.remove(attached)
        controller.release(self._robot(attached))
        if not controller.adds and controller.modes:
            scene.control.table.refuse(attached.rows, None)
        if controller.modes:
            scene.switch_rows(attached.rows, attached.before, Transfer.BUMPLESS)
        controller._joints = controller._changed = None
        self.forget()
        scene.arrange()

    def find(self, robot: str, which: Any) -> Attached:
        """A robot's controller, by itself or by its name.

        Raises:
            ControllerError: The robot has none such.
        """
        for attached in self._attached:
            if attached.robot == robot and which in (attached.name, attached.controller):
                return attached
        names = tuple(self.on(robot))
        raise ControllerError(
            f"robot {robot!r} has no controller {shown(which)}",
            where="remove_controller",
            given=which,
            close=close_matches(str(which), names),
            allowed=names,
        )

    # -- the step --------------------------------------------------------------------------------

    def act(self) -> None:
        """Update those whose period begins."""
        if self._banks is None:
            self._banks = self._make_banks()
        steps = self._scene().steps
        for every, began, run in self._banks:
            if every == 1 or (steps - began) % every == 0:
                run()

    def forget(self) -> None:
        """Work out anew who is updated together; the stopped are not."""
        self._banks = None

    def _make_banks(self) -> list[tuple[int, int, Callable[[], None]]]:
        """What is updated together, in the order in which it was added."""
        scene = self._scene()
        step = float(scene.model.opt.timestep)
        groups: dict[Any, list[Attached]] = {}
        for a in self._attached:
            if scene.stops.is_stopped(a.rows):
                continue
            period = a.controller.period
            every = 1 if period is None else whole_steps(period, step, f"{a.name}.period")
            key = (type(a.controller), every, a.began % every, a.controller.bank_key())
            groups.setdefault(key, []).append(a)
        banks = []
        for (kind, every, began, _), members in groups.items():
            dt = every * step
            run = kind.make_bank([m.controller for m in members], dt)
            banks.append((every, began, run or partial(self._one_by_one, members, dt)))
        return banks

    def _one_by_one(self, members: list[Attached], dt: float) -> None:
        for member in members:
            member.controller.update(self._robot(member), dt)

    # -- life of the scene -----------------------------------------------------------------------

    def begin(self, rows: Ints | None = None) -> None:
        """Start controllers anew: all, or those of some joints."""
        for attached in self._attached:
            if rows is None or np.isin(attached.rows, rows).any():
                self._start(attached)

    def rebind(self) -> None:
        """Follow the scene to a new model."""
        for attached in self._attached:
            attached.controller.bind(self._joints(attached))
        self.forget()

    def states(self) -> dict[tuple[str, str], dict[str, Any]]:
        """The states of all controllers, by robot and name."""
        return {
            (a.robot, a.name): {"began": a.began, **a.controller.get_state()}
            for a in self._attached
        }

    def put(self, states: dict[tuple[str, str], dict[str, Any]]) -> None:
        """Let the controllers that are there go on from states; others start anew."""
        for attached in self._attached:
            state = dict(states.get((attached.robot, attached.name), {}))
            if not state:
                self._start(attached)
                continue
            attached.began = state.pop("began")
            attached.controller.set_state(state)
        self.forget()
