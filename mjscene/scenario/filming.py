"""Pictures and videos of a scenario while it runs, as it is run and judged without them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from mjscene.cameras import FreeCamera
from mjscene.errors import SpecError
from mjscene.pictures import picture_file, render, write_png
from mjscene.renderer import Renderer
from mjscene.scenario.run import Run, run
from mjscene.video import frame_rate, frame_size, frames_due, write_video

if TYPE_CHECKING:
    from mjscene.scenario.result import ScenarioResult
    from mjscene.scenario.spec import Scenario
    from mjscene.videofiles import Frame

__all__ = ["Camera", "film", "photograph"]

Camera = str | FreeCamera | None
Path = str | os.PathLike[str]


def film(
    scenario: Scenario,
    path: Path,
    camera: Callable[[Any], Camera],
    *,
    fps: float = 30,
    size: tuple[int, int] | None = None,
) -> ScenarioResult:
    """Run a scenario and write a video of it, which ends where the run does.

    Args:
        scenario: The scenario.
        path: A file ending in ``.mp4`` or ``.gif``.
        camera: Gives the camera, for the scene at the start.
        fps: Frames per second of simulated time.
        size: Width and height [pixels].

    Raises:
        RenderError: As ``scene.record_video``.
        MjsceneError: Something is wrong before it runs.
    """

    def watch(running: Run) -> None:
        eye = camera(running.scene)
        write_video(
            path,
            lambda shape: _frames(running, eye, fps, shape),
            frame_size(running.scene, eye, size, "record_video.size"),
            fps=fps,
            is_exact=size is not None,
        )

    return run(scenario, watch)


def _frames(running: Run, camera: Camera, fps: float, size: tuple[int, int]) -> Iterator[Frame]:
    """A frame k of the time k / fps, to the nearest step; after a stop, one more."""
    stage, (width, height) = running.stage, size
    rate = frame_rate(fps, "record_video.fps")
    with Renderer(running.scene, camera, width=width, height=height) as renderer:
        for steps in frames_due(stage.steps, stage.timestep, rate):
            there = running.go_to(steps)
            yield renderer.render()
            if not there:
                return


def photograph(
    scenario: Scenario,
    path: Path,
    camera: Callable[[Any], Camera],
    *,
    seconds: float | None = None,
    size: tuple[int, int] | None = None,
) -> ScenarioResult:
    """Run a scenario and write a picture of a time, by default of its end.

    Args:
        scenario: The scenario.
        path: A file ending in ``.png``.
        camera: Gives the camera, for the scene at that time.
        seconds: The time [s], to the nearest step.
        size: Width and height [pixels].

    Raises:
        SpecError: The time is after the scenario's end.
        RenderError: As ``scene.render``.
        MjsceneError: Something is wrong before it runs.
    """
    target = picture_file(path, (".png",), "render.path")

    def watch(running: Run) -> None:
        running.go_to(_step_of(seconds, running))
        scene, (width, height) = running.scene, size or (None, None)
        write_png(target, render(scene, camera(scene), width=width, height=height))

    return run(scenario, watch)


def _step_of(seconds: float | None, running: Run) -> int:
    stage = running.stage
    step = stage.steps if seconds is None else round(seconds / stage.timestep)
    if step > stage.steps:
        raise SpecError(
            f"{seconds:g} s is after the end at {stage.steps * stage.timestep:g} s",
            where="--seconds",
            given=seconds,
        )
    return step
