"""Moving pictures of a scene while it runs: as arrays, as MP4, as GIF.

A frame k shows the scene at time k / fps after the start, to the nearest step: a video plays at the
speed of the simulation, whatever the timestep is.
"""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from mjscene.cameras import FreeCamera, picture_size, view_of
from mjscene.errors import RenderError, shown
from mjscene.periods import whole_steps
from mjscene.pictures import picture_file, writing
from mjscene.renderer import Renderer
from mjscene.videofiles import WRITERS, Frame, replacing

if TYPE_CHECKING:
    from mjscene.commands import ObjectCmd
    from mjscene.scene import Scene

__all__ = [
    "Policy",
    "Shot",
    "frame_rate",
    "frame_size",
    "frames",
    "frames_due",
    "record_video",
    "write_video",
]

Policy = Callable[[Any], "Mapping[str, ObjectCmd] | None"]


class Shot(TypedDict, total=False):
    """How a run is filmed: the keyword arguments of ``frames`` and ``record_video``."""

    period: float | None
    camera: str | FreeCamera | None
    fps: float
    size: tuple[int, int] | None


_GIF_FPS = 50  # viewers show frames of less than 2/100 s for a tenth of a second


def frames(
    scene: Scene,
    duration: float,
    policy: Policy | None = None,
    *,
    period: float | None = None,
    camera: str | FreeCamera | None = None,
    fps: float = 30,
    size: tuple[int, int] | None = None,
) -> Iterator[Frame]:
    """Run the scene and yield pictures of it, the first of the state it is in now.

    The scene runs on as far as the frames are taken: all of them run ``duration``.

    Args:
        scene: The scene.
        duration: Simulated time [s].
        policy: Called with the scene before each period; it may return commands to apply.
        period: The control period [s], a multiple of the timestep; the timestep by default.
        camera: A camera's name, a free camera, or None for MuJoCo's view of the whole scene.
        fps: Frames per second of simulated time.
        size: Width and height [pixels]; by default the camera's own, else 960 x 640.

    Yields:
        RGB, (height, width, 3).

    Raises:
        SpecError: A duration or period that is none, or no multiple of the timestep.
        RenderError: No such camera, size or rate, or nothing here can render.
        SimulationError: The simulation blew up.
    """
    step = float(scene.model.opt.timestep)
    total = whole_steps(duration, step, "frames.duration")
    each = 1 if period is None else whole_steps(period, step, "frames.period")
    rate = frame_rate(fps, "frames.fps")
    width, height = frame_size(scene, camera, size, "frames.size")
    renderer = Renderer(scene, camera, width=width, height=height)
    return _frames(scene, renderer, policy, each, total, frames_due(total, step, rate))


def _frames(
    scene: Scene,
    renderer: Renderer,
    policy: Policy | None,
    each: int,
    total: int,
    due: list[int],
) -> Iterator[Frame]:
    """The frames due after so many steps; the rest of the steps comes after the last."""
    now = 0

    def advance(stop: int) -> None:
        nonlocal now
        while now < stop:
            if policy is not None and now % each == 0:
                scene.apply(policy(scene) or {})
            count = stop - now if policy is None else min(stop - now, each - now % each)
            scene.step(count)
            now += count

    with renderer:
        for steps in due:
            advance(steps)
            yield renderer.render()
        advance(total)


def record_video(
    scene: Scene,
    path: str | os.PathLike[str],
    duration: float,
    policy: Policy | None = None,
    *,
    period: float | None = None,
    camera: str | FreeCamera | None = None,
    fps: float = 30,
    size: tuple[int, int] | None = None,
) -> Path:
    """Run the scene and write a video of it; see ``frames``.

    If the simulation blows up the video ends there: it shows what happened before. After any other
    error a file that was there before is there still.

    Args:
        scene: The scene.
        path: A file ending in ``.mp4`` (H.264) or ``.gif``; its folder is made.
        duration: Simulated time [s].
        policy: Called with the scene before each period; it may return commands to apply.
        period: The control period [s], a multiple of the timestep; the timestep by default.
        camera: A camera's name, a free camera, or None for MuJoCo's view of the whole scene.
        fps: Frames per second, at most 50 in a GIF.
        size: Width and height [pixels], even numbers in an MP4; by default the camera's own, else
            960 x 640.

    Returns:
        The path.

    Raises:
        SpecError: A duration or period that is none, or no multiple of the timestep.
        RenderError: No such camera, size, rate or kind of file, the file cannot be written, or a
            package is missing; it says what to install.
        SimulationError: The simulation blew up.
    """
    return write_video(
        path,
        lambda shape: frames(
            scene, duration, policy, period=period, camera=camera, fps=fps, size=shape
        ),
        frame_size(scene, camera, size, "record_video.size"),
        fps=fps,
        is_exact=size is not None,
    )


def write_video(
    path: str | os.PathLike[str],
    taken: Callable[[tuple[int, int]], Iterator[Frame]],
    size: tuple[int, int],
    *,
    fps: float,
    is_exact: bool,
) -> Path:
    """Write frames as they come; all that can be refused is refused before the first is taken.

    Args:
        path: A file ending in ``.mp4`` or ``.gif``.
        taken: Gives the frames, for their width and height.
        size: Width and height [pixels].
        fps: Frames per second.
        is_exact: Whether the size was asked for, so that another would not do.

    Raises:
        RenderError: No such size, rate or kind of file, the file cannot be written, or a package is
            missing.
    """
    where = "record_video.path"
    target = picture_file(path, tuple(WRITERS), where)
    rate = frame_rate(fps, "record_video.fps")
    suffix = target.suffix.lower()
    width, height = size
    if suffix == ".gif" and rate > _GIF_FPS:
        raise RenderError(
            f"a GIF has at most {_GIF_FPS} frames a second, not {fps:g}",
            where="record_video.fps",
            given=fps,
        )
    if suffix == ".mp4":  # its colours have half the resolution
        if not is_exact:
            width, height = max(2, width - width % 2), max(2, height - height % 2)
        elif width % 2 or height % 2:
            raise RenderError(
                f"width and height of an MP4 are even, not {width} x {height}",
                where="record_video.size",
                given=size,
                hint=f"use {width + width % 2} x {height + height % 2}, or write a .gif",
            )
    write = WRITERS[suffix]()  # before anything runs: its package may be missing
    pictures: Any = taken((width, height))
    with closing(pictures), writing(target, where), replacing(target) as fresh:
        write(fresh, pictures, rate)
    return target


def frames_due(total: int, step: float, rate: Fraction) -> list[int]:
    """After how many steps, of so many of a length [s], each frame is due."""
    count = max(1, round(total * step * rate))
    return [min(total, round(k / rate / step)) for k in range(count)]


def frame_rate(fps: Any, where: str) -> Fraction:
    """Frames a second as a fraction: 29.97 is 30000 / 1001."""
    is_number = isinstance(fps, numbers.Real) and not isinstance(fps, bool)
    if not is_number or not math.isfinite(fps) or not 0.1 <= fps <= 1000:
        raise RenderError(
            f"expected a number of frames per second from 0.1 to 1000, got {shown(fps)}",
            where=where,
            given=fps,
        )
    return Fraction(float(fps)).limit_denominator(1001)


def frame_size(
    scene: Scene, camera: str | FreeCamera | None, size: Any, where: str
) -> tuple[int, int]:
    """Width and height of a frame."""
    wide, high = None, None
    if size is not None:
        try:
            wide, high = size
        except (TypeError, ValueError) as error:
            raise RenderError(
                f"expected (width, height), got {shown(size)}", where=where, given=size
            ) from error
    return picture_size(scene.model, view_of(scene.model, camera), wide, high)
