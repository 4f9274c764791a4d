"""Draw a picture (.png) or a video (.mp4, .gif) of a scene, or of a scenario while it runs.

A picture shows the start, or what is there after --seconds; a video shows the run. Of a scenario a
picture shows the end, or what is there after --seconds, and a video all of it; the exit code is 1
if it fails. Without --camera it is the scene's first camera, if it has one. --distance, --lookat,
--azimuth and --elevation make a free camera instead.
"""

from __future__ import annotations

import argparse

from mjscene.cli.base import add_scene, build, positive, scenario_file, span, steps_in
from mjscene.cli.run import refuse_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mjscene.cameras import FreeCamera
    from mjscene.scene import Scene

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = """\
  mjscene render dual_arm -o start.png
  mjscene render dual_arm -o after.png --seconds 2 --camera front --size 1280x720
  mjscene render dual_arm -o fall.mp4 --seconds 2 --fps 60
  mjscene render pick_and_lift -o lift.mp4
  mjscene render my_robot.urdf -o side.png --distance 2 --lookat 0 0 0.5 --azimuth 90
"""
_VIDEO_SECONDS = 2.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add_scene(parser)
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help=".png, .mp4 or .gif")
    parser.add_argument("--camera", metavar="NAME", help="a camera of the scene")
    parser.add_argument("--size", type=_size, metavar="WxH", help="pixels, as 960x640")
    parser.add_argument(
        "--seconds", type=span, help="simulated time [s] (default: 0 of a picture, 2 of a video)"
    )
    parser.add_argument("--fps", type=positive, default=30.0, help="of a video (default: 30)")
    free = parser.add_argument_group("free camera")
    free.add_argument("--distance", type=positive, help="from the point it looks at [m]")
    free.add_argument(
        "--lookat", type=float, nargs=3, metavar=("X", "Y", "Z"), help="that point [m]"
    )
    free.add_argument("--azimuth", type=float, help="heading about z [deg]: 90 looks along y")
    free.add_argument("--elevation", type=float, help="[deg]; negative looks down")


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    try:
        return int(width), int(height)
    except ValueError as error:
        message = f"expected WIDTHxHEIGHT, as 960x640, got {text!r}"
        raise argparse.ArgumentTypeError(message) from error


def run(options: argparse.Namespace) -> int:
    """Draw and write."""
    from mjscene.pictures import picture_file, render, write_png

    target = picture_file(options.output, (".png", ".mp4", ".gif"), "render")
    file = scenario_file(options.scene)
    if file is not None:
        return _render_scenario(options, file, is_video=target.suffix.lower() != ".png")
    scene = build(options.scene)
    camera = _camera(options, scene)
    if target.suffix.lower() == ".png":
        if options.seconds:
            scene.step(steps_in(scene, options.seconds))
        width, height = options.size or (None, None)
        print(write_png(target, render(scene, camera, width=width, height=height)))
        return 0
    seconds = _VIDEO_SECONDS if options.seconds is None else options.seconds
    duration = steps_in(scene, seconds) * float(scene.model.opt.timestep)
    print(scene.record_video(target, duration, camera=camera, fps=options.fps, size=options.size))
    return 0


def _render_scenario(options: argparse.Namespace, file: str, *, is_video: bool) -> int:
    """Run a scenario and draw it; the exit code is 1 if it fails."""
    from functools import partial

    from mjscene.scenario import read_scenario
    from mjscene.scenario.filming import film, photograph

    scenario, camera = read_scenario(file), partial(_camera, options)
    if is_video:
        refuse_seconds(options, scenario)
        result = film(scenario, options.output, camera, fps=options.fps, size=options.size)
    else:
        result = photograph(
            scenario, options.output, camera, seconds=options.seconds, size=options.size
        )
    print(options.output)
    if not result.passed:
        print(result.text)
    return 0 if result.passed else 1


def _camera(options: argparse.Namespace, scene: Scene) -> str | FreeCamera | None:
    """The camera that was asked for."""
    names = ("lookat", "distance", "azimuth", "elevation")
    free = {n: getattr(options, n) for n in names if getattr(options, n) is not None}
    if free:
        from mjscene.cameras import FreeCamera
        from mjscene.errors import RenderError

        if options.camera is not None:
            raise RenderError(f"--camera and --{next(iter(free))} are two cameras: choose one")
        # What is left open is as in MuJoCo's view of the whole scene.
        return FreeCamera(**(_whole_scene(scene) | free))
    if options.camera is not None:
        return str(options.camera)
    cameras = scene.spec.cameras
    return cameras[0].name if cameras else None


def _whole_scene(scene: Scene) -> dict[str, Any]:
    from mjscene.cameras import view_of

    view = view_of(scene.model, None)
    return {n: getattr(view, n) for n in ("lookat", "distance", "azimuth", "elevation")}
