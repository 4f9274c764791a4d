"""What a scenario is: a scene, what is done to it and when, and what has to come of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mjscene.errors import SpecError, shown
from mjscene.scenario.base import Action, Expectation
from mjscene.spec import SceneSpec, checks
from mjscene.spec.fields import SpecFieldError, named_fields
from mjscene.yamlnodes import Document

if TYPE_CHECKING:
    from mjscene.cameras import FreeCamera
    from mjscene.scenario.result import ScenarioResult

__all__ = ["Scenario"]


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A timeline on a scene, with what is expected of it: a regression test by itself.

    At a time, first what is expected then is looked at, in the state that the steps until then have
    led to; then the actions of that time are done, in the order of the list.

    Args:
        scene: A scene that ships, by its name; the path of a scene file; or a scene.
        duration: How long it runs [s], a multiple of the timestep.
        timeline: What is done, and when.
        expect: What has to be so, and when; a scenario without is no test.
        name: Its name; by default, of one from a file, the file's.
        description: What it shows.
        bodies: Bodies whose poses are recorded, beside those that are expected to be somewhere.
        sensors: Sensors that are recorded.
        stop_at_first: Whether the run ends at the first expectation that is not met.
    """

    scene: str | SceneSpec = field(kw_only=False)
    duration: float
    timeline: Sequence[Action] = ()
    expect: Sequence[Expectation] = ()
    name: str = ""
    description: str = ""
    bodies: Sequence[str] = ()
    sensors: Sequence[str] = ()
    stop_at_first: bool = False
    document: Document | None = field(default=None, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            SpecError: A wrong type or value, a time after the end, or nothing to expect.
        """
        put = object.__setattr__
        if not isinstance(self.scene, SceneSpec):
            if not isinstance(self.scene, str):
                raise SpecError(
                    f"expected a scene's name, file or spec, got {shown(self.scene)}",
                    where="Scenario.scene",
                )
            checks.text(self.scene, "Scenario.scene")
        put(self, "duration", checks.number(self.duration, "Scenario.duration", above=0))
        put(self, "timeline", checks.tuple_of(self.timeline, "Scenario.timeline", Action))
        put(self, "expect", checks.tuple_of(self.expect, "Scenario.expect", Expectation))
        if not self.expect:
            raise SpecError("it expects nothing, and so cannot fail", where="Scenario.expect")
        for name in ("name", "description"):
            if not isinstance(getattr(self, name), str):
                raise SpecError("expected a text", where=f"Scenario.{name}")
        for name in ("bodies", "sensors"):
            put(self, name, checks.names(getattr(self, name), f"Scenario.{name}"))
        checks.boolean(self.stop_at_first, "Scenario.stop_at_first")
        self._check_times()

    def _check_times(self) -> None:
        for i, action in enumerate(self.timeline):
            if not action.at < self.duration:
                raise SpecError(
                    f"{action.at:g} s is not before the end at {self.duration:g} s",
                    where=f"Scenario.timeline[{i}].at",
                    given=action.at,
                )
        for i, expectation in enumerate(self.expect):
            for name in expectation.timing:
                time: Any = getattr(expectation, name)
                last = time[1] if isinstance(time, tuple) else time
                if last is not None and last > self.duration:
                    raise SpecError(
                        f"{last:g} s is after the end at {self.duration:g} s",
                        where=f"Scenario.expect[{i}].{name}",
                        given=time,
                    )

    def with_scene(self, scene: str | SceneSpec) -> Scenario:
        """The same timeline and expectations on another scene."""
        return replace(self, scene=scene)

    def check(self) -> None:
        """Build its scene and look every name up, without running it.

        Raises:
            MjsceneError: Something is wrong; with file, line and column, for one from a file.
        """
        from mjscene.scenario.run import prepare

        prepare(self)

    def run(self) -> ScenarioResult:
        """Build its scene, look every name up, and run it.

        Raises:
            MjsceneError: Something is wrong before it runs; with file, line and column, for one
                from a file. What goes wrong while it runs is a failure in the result.
        """
        from mjscene.scenario.run import run

        return run(self)

    def record_video(
        self,
        path: str | os.PathLike[str],
        *,
        camera: str | FreeCamera | None = None,
        fps: float = 30,
        size: tuple[int, int] | None = None,
    ) -> ScenarioResult:
        """Run it, as ``run`` does, and write a video of it; it ends where the run does.

        Args:
            path: A file ending in ``.mp4`` or ``.gif``; its folder is made.
            camera: A camera's name, a free camera, or None for MuJoCo's view of the whole scene.
            fps: Frames per second of simulated time, at most 50 in a GIF.
            size: Width and height [pixels]; by default the camera's own, else 960 x 640.

        Raises:
            RenderError: As ``scene.record_video``.
            MjsceneError: As ``run``.
        """
        from mjscene.scenario.filming import film

        return film(self, path, lambda _: camera, fps=fps, size=size)
