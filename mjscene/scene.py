"""The running scene."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mujoco

from mjscene.carry import carry_over
from mjscene.errors import ComposeError, SpecError, close_matches
from mjscene.keyframes import StateRow
from mjscene.messages import Captured
from mjscene.owners import Owner
from mjscene.report import SceneReport, make_report
from mjscene.robot import Handles, Robot
from mjscene.save import save_scene
from mjscene.snapshot import Snapshot
from mjscene.spec import SceneObject, SceneSpec

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
        self.data: Any = mujoco.MjData(built.model)
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

        Raises:
            SpecError: ``n`` is no whole number >= 1.
        """
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise SpecError(f"expected a whole number of steps >= 1, got {n!r}", where="step.n")
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

    def reset(self, keyframe: str | None = None) -> None:
        """Go back to the start pose, or to a keyframe.

        Without a keyframe every robot is at its ``home``, else at its file's reference pose, at
        rest, at time 0. Objects are where the spec put them.

        Args:
            keyframe: A keyframe's name: a merged one (``home``) or a robot's (``left/home``).

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
            raise SpecError(f"expected a SceneObject, got {thing!r}", where="add_object")
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
        model, data, as_built, owners = self.model, self.data, self._as_built, self._owners()
        self._take(built)
        self.reset()
        start_report = make_report(built.composition, self.model, self.data)
        carry_over((model, data, owners), (self.model, self.data, self._owners()), as_built)
        self.forward()
        self.report = start_report
        for owner in self._owners():
            if owner.kind == "robot":
                self._handles[owner.label]._bind(owner)
            elif owner.parent is not None:
                self._handles[owner.parent.label]._attached[owner.spec.label]._bind(owner)
