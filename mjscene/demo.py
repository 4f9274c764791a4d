"""The main job on the robots that ship: build a scene, switch its modes while it runs, look at it.

``python -m mjscene.demo`` (or ``make run``); ``--help`` lists what can be chosen.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

from mjscene.build import build_scene
from mjscene.cli.base import positive
from mjscene.errors import MjsceneError
from mjscene.library import load_scene, scene_names
from mjscene.pictures import picture_file
from mjscene.scene import Scene
from mjscene.spec import CtrlMode

__all__ = ["main"]

STAGES = (
    ("position: the start pose", (CtrlMode.POSITION,)),
    ("torque: gravity is held", (CtrlMode.TORQUE,)),
    ("velocity: zero", (CtrlMode.VELOCITY,)),
    ("mixed: by turns", (CtrlMode.POSITION, CtrlMode.TORQUE, CtrlMode.VELOCITY)),
)


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m mjscene.demo", description=__doc__)
    parser.add_argument("--scene", default="dual_arm", help=f"one of {', '.join(scene_names())}")
    parser.add_argument("--seconds", type=positive, default=2.0, help="simulated time to run")
    parser.add_argument("--picture", default="mjscene-demo.png", help="where to write the picture")
    parser.add_argument("--no-picture", action="store_true", help="write no picture")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Run the demo; returns the exit code."""
    options = _arguments(argv)
    try:
        if not options.no_picture:
            picture_file(options.picture, (".png",), "--picture")
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
    """Run a part in each mode; at every switch say how much the drives' effort changed."""
    steps = max(1, round(seconds / len(STAGES) / scene.model.opt.timestep))
    print(f"{'stage':30}  {'robot':12}  {'modes':28}  effort jump  motion since")
    for title, modes in STAGES:
        jump = _switch(scene, modes)
        start = scene.data.qpos.copy()
        began = time.perf_counter()
        scene.step(steps)
        wall = time.perf_counter() - began
        for name, robot in scene.robots.items():
            now = ", ".join(
                sorted({m.name if m is not None else "native" for m in robot.ctrl_modes})
            )
            moved = np.abs(scene.data.qpos - start)[robot.qpos_adr].max(initial=0.0)
            print(f"{title:30}  {name:12}  {now:28}  {jump[name]:8.1e} Nm  {moved:7.4f} rad")
        title_time = f"  {steps} steps, {scene.time:.2f} s of simulation so far"
        print(f"{title_time}, {steps * scene.model.opt.timestep / wall:.0f} times real time")


def _switch(scene: Scene, modes: tuple[CtrlMode, ...]) -> dict[str, float]:
    """Switch every robot's joints to the modes by turns; the largest change of effort of each."""
    scene.forward()
    before = scene.data.qfrc_actuator.copy()
    for robot in scene.robots.values():
        for k, mode in enumerate(modes):
            names = [n for n in robot.joint_names[k :: len(modes)] if mode in robot.offers[n]]
            if names:
                robot.set_control_mode(mode, joints=names)
    scene.forward()
    change = np.abs(scene.data.qfrc_actuator - before)
    return {n: float(change[r.dof_adr].max(initial=0.0)) for n, r in scene.robots.items()}


def _picture(scene: Scene, path: str) -> None:
    from mjscene.pictures import RenderError, render, write_png

    cameras = [c.name for c in scene.spec.cameras]
    try:
        picture = render(scene, cameras[0] if cameras else None, width=960, height=640)
    except RenderError as error:  # the demo is worth running where nothing can render, too
        print(f"no picture: {error}", file=sys.stderr)
        return
    print(f"picture: {write_png(path, picture)}")


if __name__ == "__main__":
    sys.exit(main())
