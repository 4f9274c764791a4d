"""The running scene."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.actuators import Actuators
from mjscene.carry import Running, carry_over
from mjscene.control import ModeControl
from mjscene.errors import ComposeError, SpecError, close_matches, shown
from mjscene.handles import Handles, find_handle
from mjscene.keyframes import StateRow
from mjscene.messages import Captured
from mjscene.owners import Owner
from mjscene.report import SceneReport, make_report
from mjscene.requests import set_modes
from mjscene.robot import Robot
from mjscene.save import save_scene
from mjscene.snapshot import Snapshot
from mjscene.spec import CtrlMode, SceneObject, SceneSpec
from mjscene.state import SceneState, read_state, write_state
from mjscene.transfer import Transfer

if TYPE_CHECKING:
    from mjscene.build import Built

__all__ = ["Scene"]


class Scene:
    """A compiled scene and its state.

    Attributes:
        model: MuJoCo's own model, free to use; a new one after an object was added or removed.
        data: MuJoCo's own data, free to use; a new one after an object was added or removed.
        spec: The scene spec it is built from, with the objects as they are now.
        robots: Handles by name; they stay valid when objects change.
        report: What became of the spec; prints as a table.
        mjspec: The composed MjSpec.
        control: The modes of all joints.
    """

    def __init__(self, built: Built, rebuild: Callable[[SceneSpec], Built]) -> None:
        self._rebuild = rebuild
        self._take(built)
        self.reset()
        self.report: SceneReport = make_report(built.composition, self.model, self.data)
        self._handles: dict[str, Robot] = {}
        for owner in self._owners():
            if owner.kind == "robot":
                self._handles[owner.label] = Robot(self, owner, owner.label)
            elif owner.parent is not None:
                robot = self._handles[owner.parent.label]
                name = owner.spec.label
                robot._attached[name] = Robot(self, owner, name)
        self.robots = Handles(self._handles, "robot")

    def _take(self, built: Built) -> None:
        self._composition = built.composition
        self._start: StateRow = built.start
        self.spec: SceneSpec = built.composition.spec
        self.mjspec: Any = built.composition.mjspec
        self.model: Any = built.model
        self.data: Any = built.data
        self.control: ModeControl = built.control
        self._plan = built.plan
        self._as_built = Snapshot(built.model)

    def _owners(self) -> list[Owner]:
        return self._composition.owners

    def __repr__(self) -> str:
        robots = ", ".join(self.robots) or "none"
        objects = ", ".join(o.name for o in self.spec.objects) or "none"
        return f"<Scene {self.spec.name!r}: robots {robots}; objects {objects}>"

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.data.time)

    def step(self, n: int = 1) -> None:
        """Advance by ``n`` steps of ``model.opt.timestep``.

        Commands that have changed are written into ``data.ctrl`` first.

        Raises:
            SpecError: ``n`` is no whole number >= 1.
            CommandError: A command is not finite; nothing has happened.
        """
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise SpecError(f"expected a whole number of steps >= 1, got {n!r}", where="step.n")
        self.control.table.write(self.data.ctrl)
        with Captured(python=False) as captured:
            mujoco.mj_step(self.model, self.data, n)
        captured.emit(stacklevel=2)

    def forward(self) -> None:
        """Compute everything that follows from the state, and leave no trace in it.

        MuJoCo's ``mj_forward`` also overwrites the warm start of the next step.
        """
        warmstart = self.data.qacc_warmstart.copy()
        with Captured(python=False) as captured:
            mujoco.mj_forward(self.model, self.data)
        captured.emit(stacklevel=2)
        self.data.qacc_warmstart[:] = warmstart

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
        self.forward()

    def set_control_mode(
        self,
        robot: Any,
        mode: CtrlMode | str | None = None,
        joints: Sequence[str] | None = None,
        transfer: Transfer | str = Transfer.BUMPLESS,
    ) -> None:
        """Switch joints into a mode. Nothing jumps, and nothing else is touched.

        Args:
            robot: A robot's name (an attachment with modes of its own is ``robot.attachment``), a
                handle, several of these, or a mapping of names to modes: all switch at once.
            mode: The new mode; None gives joints back to an unmanaged drive that moves them.
            joints: The joints to switch, by the file's or the scene's names. By default every
                joint of the robot that offers the mode; the others stay in theirs.
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
        return find_handle(dict(self._all_handles()), name)

    def _all_handles(self) -> list[tuple[str, Robot]]:
        """Robots and attachments, each with its owner's label."""
        parts = [
            (f"{label}.{part}", attached)
            for label, handle in self._handles.items()
            for part, attached in handle._attached.items()
        ]
        return [*self._handles.items(), *parts]

    @property
    def command(self) -> NDArray[np.float64]:
        """Commands of all joints that take them (n,), robot by robot; a view to write to.

        Each is in the unit of its joint's mode, in joint space: rad or m, N·m or N, rad/s or m/s.
        They take effect at the next step and persist until they are replaced.
        """
        return self.control.table.command

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

    def get_state(self) -> SceneState:
        """The whole state: MuJoCo's, modes and commands. It can be put back any number of times."""
        return read_state(self.model, self.data, self.control)

    def set_state(self, state: SceneState) -> None:
        """Put a state back.

        Raises:
            ComposeError: It is of a scene with other joints or objects; nothing has changed.
        """
        write_state(self.model, self.data, self.control, state)
        self.forward()

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Save the scene so that it loads anywhere, with the robots' own folders gone.

        Values that were changed in ``model`` since it was built are saved too.

        Args:
            path: A folder (``scene.xml`` and ``assets/`` in it), or a file ending in ``.xml``,
                ``.mjz`` (one archive) or ``.mjb`` (MuJoCo's binary, for its own version only).

        Returns:
            The file to load.

        Raises:
            ComposeError: It cannot be written, or the scene cannot be said in MJCF.
        """
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
        left = tuple(o for o in self.spec.objects if o.name != name)
        self._change(replace(self.spec, objects=left))

    def _change(self, spec: SceneSpec) -> None:
        """Become the scene of another spec and carry over what survives."""
        built = self._rebuild(spec)
        was, as_built = Running(self.model, self.data, self.control), self._as_built
        self._take(built)
        self.reset()
        report = make_report(built.composition, self.model, self.data)
        carry_over(was, Running(self.model, self.data, self.control), as_built)
        self.forward()
        self.report = report
        for label, handle in self._all_handles():
            handle._bind(next(o for o in self._owners() if o.label == label))
