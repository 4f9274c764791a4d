"""The controllers of a scene: who rules which joints, and the phase of the step that runs them."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from operator import setitem
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjscene.controllers.attached import Attached, free_name, refuse_overlap
from mjscene.controllers.base import ControlledJoints, Controller
from mjscene.controllers.passes import Bank, make_banks
from mjscene.controllers.register import Register
from mjscene.controllers.rows import wanted_modes
from mjscene.errors import ControllerError, shown
from mjscene.periods import whole_steps
from mjscene.state import read_state, write_state
from mjscene.transfer import Transfer
from mjscene.undriven import undriven, warn_switched

if TYPE_CHECKING:
    from mjscene.robot import Robot
    from mjscene.scene import Scene

__all__ = ["Runner"]

Ints = NDArray[np.intp]


class Runner(Register):
    """The controllers of a scene.

    Attributes:
        acts: Whether they are being updated.
    """

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._banks: list[Bank] | None = []
        self._changes, self.acts = 0, False  # changes of who is updated, and how
        self._table: Any = None  # the joint table in which it is kept what drives delivered

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
        refuse_overlap(self._attached, scene.control.table.names, controller, rows)
        if scene.stops.is_stopped(rows):
            raise ControllerError(
                f"{robot.title} is stopped", where="add_controller", hint="recover() first"
            )
        taken = self.on(label)
        attached = Attached(
            controller,
            free_name(controller, taken, name),
            weakref.ref(robot._place),
            robot.name,
            rows,
            scene.control.table.mode[rows].copy(),
        )
        self._measure()
        before, without = read_state(scene), undriven(scene.control)
        refusals = scene.control.table.refusals
        try:
            with self._acting():
                controller.bind(self._joints(attached))
            # Weak: a dropped scene shall go at once, with its model.
            controller._changed = weakref.WeakMethod(self.forget)
            self._start(attached)
        except BaseException:
            controller._joints = controller._changed = None
            write_state(scene, before)
            scene.control.table.refusals = refusals
            scene.control.jumped.clear()
            self.forget()  # what is fed forward is in another array now
            raise
        self._attached.append(attached)
        self.forget()
        scene.arrange()
        warn_switched(scene.control, without)

    def _joints(self, attached: Attached) -> ControlledJoints:
        scene = self._scene()
        robot, table = attached.handle(scene), scene.control.table
        where = robot.base_body_id, robot.prefix
        return ControlledJoints(scene.model, scene.data, table, attached.rows, *where)

    def _start(self, attached: Attached, *, resume: bool = False) -> None:
        """Take the joints into a mode that the controller needs, and start it."""
        scene, controller, rows = self._scene(), attached.controller, attached.rows
        if controller.modes:
            wanted = wanted_modes(scene.control.table, rows, controller.modes)
            scene.switch_rows(rows, wanted, Transfer.BUMPLESS)
        self._refuse_commands(attached)
        # Within an update it begins with the next step.
        attached.began = scene.steps + self.acts
        begin = controller.resume if resume else controller.reset
        try:
            with self._acting():
                begin(attached.handle(self._scene()))
        finally:
            self.forget()

    def _refuse_commands(self, a: Attached) -> None:
        if not a.controller.adds:
            self._scene().control.table.refuse(a.rows, f"controller {a.name!r} commands it")

    def remove(self, attached: Attached) -> None:
        """Take a controller away; its joints get their modes back, without a jump.

        Those of a stopped robot get them when it recovers.
        """
        scene, controller = self._scene(), attached.controller
        without = undriven(scene.control)
        self._attached.remove(attached)
        try:
            controller.release(attached.handle(self._scene()))
        finally:
            self._take_back(attached)
        warn_switched(scene.control, without)

    def _take_back(self, attached: Attached) -> None:
        """Have the joints of a controller that is gone as they are without it."""
        scene, controller, rows = self._scene(), attached.controller, attached.rows
        if scene.stops.is_stopped(rows):
            if controller.modes:
                scene.stops.give_back(rows, attached.before)
        else:
            if not controller.adds:
                scene.control.table.refuse(rows, None)
            if controller.modes:
                scene.switch_rows(rows, attached.before, Transfer.BUMPLESS)
        controller._joints = controller._changed = None
        if not any(a.controller.adds for a in self._attached):
            scene.control.table.add_forward(None)
        self.forget()
        scene.arrange()

    # -- the step --------------------------------------------------------------------------------

    def act(self) -> None:
        """Update those whose period begins."""
        banks = self._banks
        if banks is None:
            banks = self._banks = make_banks(self._scene, self._attached)
        before, self.acts = self.acts, True  # ``_acting`` would take a microsecond
        try:
            done = self._run(banks)
            if done is None:
                return
            todo = [a for bank in banks for a in bank[2]]  # who is added meanwhile comes next time
            while done is not None:
                todo = [a for a in todo if a in self._attached and a not in done]
                done = self._run(make_banks(self._scene, todo))
        finally:
            self.acts = before

    @contextlib.contextmanager
    def _acting(self) -> Iterator[None]:
        """Within, what controllers do must not change the model."""
        before, self.acts = self.acts, True
        try:
            yield
        finally:
            self.acts = before

    def _run(self, banks: list[Bank]) -> list[Attached] | None:
        """Update those that are due, until an update changes who else is updated, or how.

        Returns:
            Who was asked then; None if all were.
        """
        changes = self._changes
        done: list[list[Attached]] = []
        for every, began, members, run in banks:
            if every == 1 or (self._scene().steps - began) % every == 0:
                run()
            done.append(members)
            if self._changes != changes:  # another was stopped, say, or removed
                return [a for members in done for a in members]
        return None

    def forget(self) -> None:
        """Work out anew who is updated together; the stopped are not."""
        self._banks = None
        self._changes += 1

    # -- life of the scene -----------------------------------------------------------------------

    def _measure(self) -> None:
        """Begin to keep what the drives deliver, unless it is kept already."""
        scene = self._scene()
        scene.control.on_laws = weakref.WeakMethod(self.forget)
        if scene.control.table.delivered is None or not self._attached:
            self._table = scene.control.table
            self._table.delivered = scene.data.qfrc_actuator.copy()

    def keeps(self) -> Callable[[], None]:
        """What keeps it after a step."""
        scene = self._scene()
        kept, now = scene.control.table.delivered.data, scene.data.qfrc_actuator.data
        return partial(setitem, kept, slice(None), now)  # a tenth of the time of np.copyto

    def begin(self) -> None:
        """Start all controllers anew."""
        if self._table is not None:
            self._table.delivered[:] = self._scene().data.qfrc_actuator
        with ExitStack() as all_of_them:  # whichever raises
            for attached in reversed(self._attached):
                all_of_them.callback(self._start, attached)

    def resume(self, rows: Ints) -> None:
        """Let those of some joints go on that were stopped."""
        with ExitStack() as all_of_them:
            for attached in reversed(self._attached):
                if np.isin(attached.rows, rows).any():
                    all_of_them.callback(self._start, attached, resume=True)

    def rebind(self) -> None:
        """Follow the scene to a new model, whose joints that take commands are the same."""
        table, before = self._scene().control.table, self._table
        if before is not None and table is not before:
            self._measure()
            table.delivered[table.dof_adr] = before.delivered[before.dof_adr]
        with ExitStack() as all_of_them:
            for attached in reversed(self._attached):
                all_of_them.callback(self._bind_anew, attached)
        self.forget()

    def _bind_anew(self, attached: Attached) -> None:
        try:
            attached.controller.bind(self._joints(attached))
        except BaseException:  # it cannot go on
            self._attached.remove(attached)
            self._take_back(attached)
            raise

    def states(self) -> dict[tuple[str, str], dict[str, Any]]:
        """The states of all controllers, by robot and name."""
        return {
            (a.robot, a.name): {"began": a.began, "of": self._kind(a), **a.controller.get_state()}
            for a in self._attached
        }

    def _kind(self, attached: Attached) -> tuple[type[Controller], tuple[str, ...]]:
        """What a state is of: only such a controller can go on from it."""
        return type(attached.controller), attached.controller.joints.names

    def put(self, states: dict[tuple[str, str], dict[str, Any]]) -> None:
        """Let controllers go on from their states; others, and those on other joints, start."""
        stops, table = self._scene().stops, self._scene().control.table
        fed = np.zeros(len(table), dtype=bool)
        for attached in self._attached:
            state = dict(states.get((attached.robot, attached.name), {}))
            stopped = stops.is_stopped(attached.rows)
            if state.pop("of", None) == self._kind(attached):
                attached.began = state.pop("began")
                attached.controller.set_state(state)
                if not stopped:
                    self._refuse_commands(attached)
            elif not stopped:  # else it starts when the robot recovers
                self._start(attached)
            fed[attached.rows] |= attached.controller.adds
        table.take_over_forward(np.flatnonzero(~fed))
        self.forget()
