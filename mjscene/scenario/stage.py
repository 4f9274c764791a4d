"""A scenario's names looked up in its scene before the run, each as it will be at its time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.errors import MjsceneError, SpecError, close_matches
from mjscene.rows import find_rows
from mjscene.scenario.lookup import find_id, has_name, names_of
from mjscene.scenario.presence import Moment, Presence
from mjscene.scenario.ruled import Ruled
from mjscene.scenario.things import geoms_of, place_of
from mjscene.targets import how_it_moves

if TYPE_CHECKING:
    from mjscene.robot import Robot
    from mjscene.scene import Scene
    from mjscene.spec import SceneObject
    from mjscene.targets import Target

__all__ = ["UNKNOWN", "Stage", "at_field"]

Ints = NDArray[np.intp]
UNKNOWN = -2
_SCALAR = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))


@contextlib.contextmanager
def at_field(field: str) -> Iterator[None]:
    """Let errors inside be about a field."""
    try:
        yield
    except MjsceneError as error:
        raise error.at(where=field) from None


class Stage:
    """The scene that a scenario is checked against: with every object that it ever has.

    Args:
        scene: The scene at the start.
        duration: How long the run is [s].
        there: The objects that are there at the start.
        coming: The objects that are added.

    Attributes:
        scene: The scene that holds for ``now``, not to be stepped.
        steps: Number of steps of the run.
        timestep: The timestep [s].
        now: When what is being checked happens, from and to.
        switches: The steps at which the timeline switches modes or controllers, and of which rows.
        controllers: Which controllers there are.
        modes: The mode of each joint that takes commands, as the timeline leaves it (njoints,); -1
            for none, UNKNOWN where a function may have changed it. A controller that takes joints
            into a mode of its own gives the old one back, and they take no commands before.
    """

    def __init__(
        self, scene: Scene, duration: float, there: Iterable[str], coming: Iterable[str]
    ) -> None:
        self._scenes: list[tuple[Moment, Scene]] = [((0, -1), scene)]
        self.now: tuple[Moment, Moment] = ((0, -1), (0, -1))
        self.timestep = float(scene.model.opt.timestep)
        self.steps = self.step_of(duration, "duration")
        if not self.steps:
            raise SpecError(
                f"{duration:g} s is shorter than the timestep {self.timestep:g} s",
                where="duration",
                given=duration,
            )
        self.switches: list[tuple[int, Ints]] = []
        self.controllers = Ruled(scene.joint_names)
        self.modes = np.array(scene.control.table.initial)
        self._presence = Presence(there, coming)

    @property
    def scene(self) -> Scene:
        """The scene for ``now``: a name may mean another object at another time."""
        return next(s for since, s in reversed(self._scenes) if since <= self.now[0])

    def becomes(self, scene: Scene) -> None:
        """From now on names mean what they mean in another scene of the same robots."""
        self._scenes.append((self.now[0], scene))

    def step_of(self, time: float, field: str) -> int:
        """The number of steps until a time.

        Raises:
            SpecError: It is between two steps.
        """
        count = round(time / self.timestep)
        if abs(count * self.timestep - time) > 1e-6 * self.timestep * max(1, count):
            below = int(time / self.timestep)
            near = f"{below * self.timestep:.9g} s or {(below + 1) * self.timestep:.9g} s"
            raise SpecError(
                f"{time:g} s is no multiple of the timestep {self.timestep:g} s",
                where=field,
                given=time,
                hint=f"take {near}",
            )
        return count

    def steps_over(self, over: float, field: str) -> int:
        """The number of steps, at least one, of a motion that begins now and ends in the run."""
        count = self.step_of(over, field)
        if self.now[0][0] + count > self.steps:
            raise SpecError(
                f"it would last until {self.now[0][0] * self.timestep + over:g} s, after the "
                f"scenario's end at {self.steps * self.timestep:g} s",
                where=field,
                given=over,
            )
        return max(1, count)

    @contextlib.contextmanager
    def within(self, first: int, last: int) -> Iterator[None]:
        """Let what is asked inside be about a span of steps, before the actions of each."""
        now, self.now = self.now, ((first, -1), (last, -1))
        try:
            yield
        finally:
            self.now = now

    def since(self, step: int) -> contextlib.AbstractContextManager[None]:
        """Let what is checked inside be about an earlier beginning."""
        return self.within(min(step, self.now[0][0]), self.now[1][0])

    # -- objects ---------------------------------------------------------------------------------

    def add(self, thing: SceneObject, field: str) -> None:
        """An object is there from now on.

        Raises:
            SpecError: It is there already.
        """
        self._presence.add(thing.name, self.now[0], field)

    def remove(self, name: str, field: str) -> None:
        """An object is there no more.

        Raises:
            SpecError: There is none.
        """
        self._presence.remove(name, self.now[0], field)

    def _refuse_absent(self, body: int, name: str, field: str) -> None:
        """Refuse what belongs to an object that is not there, all the time."""
        model = self.scene.model
        while body > 0:
            self._presence.refuse_absent(str(model.body(body).name), name, self.now, field)
            body = int(model.body_parentid[body])

    def refuse_absent_part(self, name: str, field: str) -> None:
        """Refuse a sensor or actuator of an object that is not there, all the time.

        Raises:
            SpecError: It is not.
        """
        self._presence.refuse_absent_part(name, self.now, field)

    # -- names -----------------------------------------------------------------------------------

    def robot(self, name: str, field: str = "robot") -> Robot:
        """The handle of a robot, or of an attachment as ``robot.attachment``."""
        with at_field(field):
            return self.scene.handle(name)

    def target(self, name: str, field: str) -> Target:
        """A robot or body that is there."""
        with at_field(field):
            target = self.scene.target(name, field)
        self._refuse_absent(target.body, name, field)
        return target

    def rows(self, robot: str, joints: Iterable[str], field: str = "joints") -> Ints:
        """Rows of some of a robot's joints in the scene's joint vectors; of all, without names."""
        handle, names = self.robot(robot), list(joints)
        if not names:
            return np.arange(handle.rows.start, handle.rows.stop)
        with at_field(field):
            return np.asarray(find_rows(handle, names, field))

    def some_rows(self, robot: str, joints: Iterable[str] = ()) -> Ints:
        """Rows as of ``rows``, at least one: what is said of no joint could not fail.

        Raises:
            SpecError: The robot has no joint that takes commands.
        """
        rows = self.rows(robot, joints)
        if not len(rows):
            raise SpecError(
                f"robot {robot!r} has no joint that takes commands: there is nothing to look at",
                where="robot",
                given=robot,
            )
        return rows

    def is_body(self, name: str) -> bool:
        """Whether there ever is a body of that name."""
        kind = mujoco.mjtObj.mjOBJ_BODY
        return any(has_name(scene.model, kind, name) for _, scene in self._scenes)

    def any_body(self, name: str, field: str) -> None:
        """See that there ever is a body of that name."""
        self._any(mujoco.mjtObj.mjOBJ_BODY, name, "body", field)

    def body(self, name: str, field: str = "body") -> int:
        """The id of a body that is there."""
        found = find_id(self.scene.model, mujoco.mjtObj.mjOBJ_BODY, name, "body", field)
        self._refuse_absent(found, name, field)
        return found

    def moving_body(self, name: str) -> int:
        """The id of a body that is there and that joints move: the speed of others is always 0."""
        found = self.body(name)
        if how_it_moves(self.scene.model, found) in ("fixed", "mocap"):
            raise SpecError(
                f"no joint moves body {name!r}: it is always at rest", where="body", given=name
            )
        return found

    def joint(self, name: str, field: str = "joint") -> int:
        """The id of a hinge or slide joint."""
        found = find_id(self.scene.model, mujoco.mjtObj.mjOBJ_JOINT, name, "joint", field)
        if self.scene.model.jnt_type[found] not in _SCALAR:
            raise SpecError(
                f"joint {name!r} has no single position",
                where=field,
                given=name,
                hint="expect something of its body",
            )
        self._refuse_absent(int(self.scene.model.jnt_bodyid[found]), name, field)
        return found

    def any_sensor(self, name: str, field: str) -> None:
        """See that there ever is a sensor of that name."""
        self._any(mujoco.mjtObj.mjOBJ_SENSOR, name, "sensor", field)

    def _any(self, kind: Any, name: str, what: str, field: str) -> None:
        if not any(has_name(scene.model, kind, name) for _, scene in self._scenes):
            find_id(self._scenes[0][1].model, kind, name, what, field)  # raises it

    def sensor(self, name: str, field: str = "sensor") -> int:
        """The id of a sensor that is there."""
        found = find_id(self.scene.model, mujoco.mjtObj.mjOBJ_SENSOR, name, "sensor", field)
        self.refuse_absent_part(name, field)
        return found

    def keyframe(self, name: str, field: str = "keyframe") -> int:
        """The id of a keyframe."""
        return find_id(self.scene.model, mujoco.mjtObj.mjOBJ_KEY, name, "keyframe", field)

    def place(self, name: str, field: str) -> None:
        """See that a body or site is there."""
        kind, what = place_of(self.scene, name)
        if kind is None:
            names = [
                *names_of(self.scene.model, mujoco.mjtObj.mjOBJ_BODY),
                *names_of(self.scene.model, mujoco.mjtObj.mjOBJ_SITE),
            ]
            close = close_matches(name, names)
            raise SpecError(
                f"there is no body or site {name!r}", where=field, given=name, close=close
            )
        model = self.scene.model
        body = what if kind == "body" else int(model.site_bodyid[what])
        self._refuse_absent(body, name, field)

    def geoms(self, name: str, field: str) -> NDArray[np.bool_]:
        """Which geoms a robot, a body with all below it, or a geom has."""
        mask = geoms_of(self.scene, name)
        if mask is None:
            known = [
                *dict(self.scene.all_handles()),
                *names_of(self.scene.model, mujoco.mjtObj.mjOBJ_BODY),
                *names_of(self.scene.model, mujoco.mjtObj.mjOBJ_GEOM),
            ]
            close = close_matches(name, known)
            raise SpecError(
                f"there is no robot, body or geom {name!r}", where=field, given=name, close=close
            )
        if not mask.any():
            raise SpecError(f"{name!r} has no geom to touch with", where=field, given=name)
        bodies = np.unique(self.scene.model.geom_bodyid[mask])
        self._refuse_absent(int(bodies[0]), name, field)
        return mask
