"""The running scene."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjscene.actuators import Actuators
from mjscene.carry import Running, carry_over
from mjscene.controllers.runner import Runner
from mjscene.errors import ComposeError, SpecError, close_matches, shown
from mjscene.handles import Handles, find_handle
from mjscene.jointarrays import Joints
from mjscene.listening import listen
from mjscene.observed import Observed
from mjscene.owners import Owner
from mjscene.places import bind_places, make_places
from mjscene.report import SceneReport, make_report
from mjscene.requests import NO_MODE, set_modes
from mjscene.robot import Robot
from mjscene.save import save_scene
from mjscene.spec import CtrlMode, SceneObject, SceneSpec
from mjscene.stops import Stops
from mjscene.transfer import Transfer
from mjscene.watchdog import Watch

if TYPE_CHECKING:
    from mjscene.build import Built

__all__ = ["Scene"]


class Scene(Observed):
    """A compiled scene and its state.

    Attributes:
        model: MuJoCo's own model, free to use; a new one after an object was added or removed.
        data: MuJoCo's own data, free to use; a new one after an object was added or removed.
        spec: The scene spec it is built from, with the objects as they are now.
        report: What became of the spec; prints as a table.
        mjspec: The composed MjSpec.
        control: The modes of all joints.
        command: Commands of all joints that take them (n,), robot by robot, each in the unit of its
            mode, in joint space: rad or m, N·m or N, rad/s or m/s. Write to it
            (``scene.command[:] = q``) or assign, which is checked; it takes effect at the next step
            and persists until it is replaced. Another array after an object was added or removed.
    """

    # The array itself: a property that returns it would be a twentieth of what a step may cost.
    __slots__ = ("command",)
    command: NDArray[np.float64]

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute; assigning commands sets the numbers, as with a robot.

        Raises:
            CommandError: Commands of a wrong count, that are not finite, or to a joint that takes
                none; nothing has changed.
        """
        if name == "command":
            table = self.control.table
            table.set_commands(np.arange(len(table)), value)
        else:
            super().__setattr__(name, value)

    def __init__(self, built: Built, rebuild: Callable[[SceneSpec], Built]) -> None:
        self._rebuild = rebuild
        listen(self)
        self.observers: list[Callable[[], None]] = []
        self._take(built)
        self._places = make_places(self._owners())
        self.joints = Joints()
        self.controllers = Runner(self)
        self.stops = Stops(self, self._rows_of_robots())
        self._bind_joints()
        self._go_to_start(None, keep_modes=False)
        self.report: SceneReport = make_report(built.composition, self.model, self.data)
        self.began = time.perf_counter()
        self._watch_all()
        self.stops.take_note()

    def _owners(self) -> list[Owner]:
        return self._composition.owners

    def __repr__(self) -> str:
        robots = ", ".join(self.robots) or "none"
        objects = ", ".join(o.name for o in self.spec.objects) or "none"
        return f"<Scene {self.spec.name!r}: robots {robots}; objects {objects}>"

    def set_control_mode(
        self,
        robot: Any,
        mode: CtrlMode | str | None = NO_MODE,
        joints: Sequence[str] | None = None,
        transfer: Transfer | str = Transfer.BUMPLESS,
    ) -> None:
        """Switch joints into a mode. Nothing jumps, and nothing else is touched.

        Args:
            robot: A robot's name (an attachment with modes of its own is ``robot.attachment``), a
                handle, several of these, or a mapping of names to modes: all switch at once.
            mode: The new mode, where ``robot`` is no mapping; None gives joints back to an
                unmanaged drive that moves them.
            joints: The joints to switch, by the file's or the scene's names. By default every
                joint of the robot that offers the mode; the others stay in theirs, and so do
                those of attachments with modes of their own.
            transfer: How the first command is chosen: so that the effort stays (``BUMPLESS``), to
                hold the position (``HOLD``), or as primed (``KEEP``).

        Raises:
            ModeError: No such robot or joint, or the mode is not offered; nothing has changed.
        """
        set_modes(self, robot, mode, joints, transfer)

    def handle(self, name: str) -> Robot:
        """The handle of a robot, or of an attachment as ``robot.attachment``.

        Raises:
            ModeError: There is none of that name.
        """
        return find_handle(dict(self.all_handles()), name)

    def all_handles(self) -> list[tuple[str, Robot]]:
        """Robots and attachments, each with its owner's label."""
        robots = [(label, Robot(self, p, label)) for label, p in self._places.items()]
        parts = [
            (f"{label}.{name}", Robot(self, part, name))
            for label, place in self._places.items()
            for name, part in place.attached.items()
        ]
        return [*robots, *parts]

    @property
    def robots(self) -> Handles:
        """Handles by name; they stay valid when objects change."""
        return Handles({n: Robot(self, p, n) for n, p in self._places.items()}, "robot")

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints of ``command``, by the scene's names."""
        return self.control.table.names

    @property
    def actuators(self) -> Actuators:
        """All actuators by name; those of ``unmanaged`` have controls to set."""
        return Actuators(self)

    @property
    def actuator_names(self) -> tuple[str, ...]:
        """The scene's names of all actuators, in model order."""
        return tuple(self.model.actuator(i).name for i in range(self.model.nactuator))

    @property
    def unmanaged(self) -> tuple[str, ...]:
        """Actuators that give no joint a mode: tendons, muscles, and those their file disables."""
        return tuple(self._plan.unmanaged)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Save the scene so that it loads anywhere, with the robots' own folders gone.

        Values that were changed in ``model`` since it was built are saved too.

        Args:
            path: A folder (``scene.xml`` and ``assets/`` in it), or a file ending in ``.xml``,
                ``.mjz`` (one archive) or ``.mjb`` (MuJoCo's binary, for its own version only).

        Returns:
            The file to load.

        Raises:
            ComposeError: It cannot be written, has another ending, or cannot be said in MJCF.
        """
        if not isinstance(path, str | os.PathLike) or not os.fspath(path):
            raise ComposeError(
                f"expected a path, got {shown(path)}",
                where="save.path",
                given=path,
                hint="'.' is the working folder",
            )
        return save_scene(self._composition, self.model, Path(path))

    def add_object(self, thing: SceneObject) -> None:
        """Add an object while the scene runs.

        Time, state, controls and applied forces of everything that was there stay, and so do
        values changed in ``model``. ``model`` and ``data`` are new ones.

        Raises:
            SpecError: It is no SceneObject, or its name is taken.
            ComposeError: It cannot be composed; the scene stays as it was.
        """
        if not isinstance(thing, SceneObject):
            raise SpecError(f"expected a SceneObject, got {shown(thing)}", where="add_object")
        self._change(replace(self.spec, objects=(*self.spec.objects, thing)))

    def remove_object(self, name: str) -> None:
        """Remove an object while the scene runs; see ``add_object``.

        Raises:
            ComposeError: There is no such object, or something is attached to it; the scene
                stays as it was.
        """
        names = [o.name for o in self.spec.objects]
        if name not in names:
            raise ComposeError(
                f"there is no object {name!r}",
                where="remove_object",
                given=name,
                close=close_matches(str(name), names),
                allowed=names,
            )
        for robot in self.spec.robots:
            if robot.attach_to.name.startswith(f"{name}/"):
                raise ComposeError(
                    f"{name!r} cannot be removed: a robot stands on its {robot.attach_to}",
                    where="remove_object",
                    given=name,
                )
        left = tuple(o for o in self.spec.objects if o.name != name)
        self._change(replace(self.spec, objects=left))

    def _bind_joints(self) -> None:
        object.__setattr__(self, "command", self.control.table.command)
        every = slice(0, len(self.control.table))
        self.joints.bind(self.control, self.records, self.stops, every, ())
        bind_places(self._places, self, self._owners())

    def _rows_of_robots(self) -> dict[str, NDArray[np.intp]]:
        """Rows of each robot's joints: its own and those of attachments without modes."""
        rows: dict[str, NDArray[np.intp]] = {}
        names = self.control.table.names
        for label in self._places:
            mine = {
                name
                for owner in self._owners()
                if owner.root.kind == "robot" and owner.root.label == label
                if owner.kind == "robot" or not getattr(owner.spec, "modes", ())
                for name in owner.names.get("joint", ())
            }
            rows[label] = np.flatnonzero([n in mine for n in names])
        return rows

    def _watch_all(self) -> None:
        """Watch every robot and object whose spec asks for it."""
        robots = [(name, h.spec) for name, h in self.all_handles() if h.is_robot]
        watched = [*robots, *((o.name, o) for o in self.spec.objects)]
        names = [name for name, spec in watched if spec.watchdog is not None]
        self.watch = Watch(self, [self.target(n, "watchdog") for n in names])
        self.arrange()

    def _change(self, spec: SceneSpec) -> None:
        """Become the scene of another spec and carry over what survives."""
        if self.controllers.acts:
            raise ComposeError(
                "objects cannot be added or removed within a controller's update",
                hint="do it after the step: scene.on_step(...)",
            )
        built = self._rebuild(spec)
        was, as_built = Running(self.model, self.data, self.control), self._as_built
        bodies, published, steps = self.bodies, self.published, self.cycle.steps
        watched = self.watch.rows()
        records = self.records
        self._take(built)
        self._go_to_start(None, keep_modes=False)
        report = make_report(built.composition, self.model, self.data)
        carry_over(was, Running(self.model, self.data, self.control), as_built)
        self.bodies.take_over(bodies)
        self.published, self.cycle.steps = published, steps
        self.forward()
        self.report = report
        self.records.keep_thresholds(records)
        self._bind_joints()
        try:
            self.controllers.rebind()
        finally:
            self._watch_all()
            self.watch.put(watched)


# Python's own errors about arguments name a method by this: its users know it as the scene's.
for _base in Scene.__mro__[1:-1]:
    for _name, _method in vars(_base).items():
        if isinstance(_method, FunctionType) and not _name.startswith("_"):
            _method.__qualname__ = f"Scene.{_name}"
