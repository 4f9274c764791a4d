"""The main job on the robots that ship: build a scene, read its report, run it, look at it.

``python -m mjscene.demo`` (or ``make run``); ``--help`` lists what can be chosen.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from mjscene.build import build_scene
from mjscene.errors import MjsceneError
from mjscene.library import load_scene, scene_names
from mjscene.scene import Scene

__all__ = ["main"]


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m mjscene.demo", description=__doc__)
    parser.add_argument("--scene", default="dual_arm", help=f"one of {', '.join(scene_names())}")
    parser.add_argument("--seconds", type=float, default=2.0, help="simulated time to run")
    parser.add_argument("--picture", default="mjscene-demo.png", help="where to write the picture")
    parser.add_argument("--no-picture", action="store_true", help="write no picture")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Run the demo; returns the exit code."""
    options = _arguments(argv)
    try:
        began = time.perf_counter()
        scene = build_scene(load_scene(options.scene))
        print(f"built in {time.perf_counter() - began:.2f} s\n")
        print(scene.report, "\n")
        _run(scene, options.seconds)
        if not options.no_picture:
            _picture(scene, options.picture)
    except MjsceneError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _run(scene: Scene, seconds: float) -> None:
    steps = max(1, round(seconds / scene.model.opt.timestep))
    began = time.perf_counter()
    scene.step(steps)
    wall = time.perf_counter() - began
    print(f"ran {steps} steps, {scene.time:.2f} s of simulation, in {wall:.2f} s")
    for name, robot in scene.robots.items():
        angles = " ".join(f"{q:+.3f}" for q in scene.data.qpos[robot.qpos_adr])
        print(f"  {name}: {angles}")


def _picture(scene: Scene, path: str) -> None:
    from mjscene.pictures import RenderError, render, write_png

    cameras = [c.name for c in scene.spec.cameras]
    try:
        picture = render(scene, cameras[0] if cameras else None)
    except RenderError as error:
        print(f"no picture: {error}", file=sys.stderr)
        return
    print(f"picture: {write_png(Path(path), picture)}")


if __name__ == "__main__":
    sys.exit(main())
