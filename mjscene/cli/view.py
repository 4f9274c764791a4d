"""Look at a scene while it runs, in MuJoCo's viewer. It needs a display."""

from __future__ import annotations

import argparse
import os
import sys
import time

from mjscene.cli.base import add_scene, build, read_spec

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = """\
  mjscene view dual_arm
  mjscene view my_robot.urdf
  mjscene view my_scene.yaml --paused
"""
_FRAME = 1 / 60  # between two pictures [s]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add_scene(parser)
    parser.add_argument("--paused", action="store_true", help="show the start, do not run")


def run(options: argparse.Namespace) -> int:
    """Open the viewer and run in real time until it is closed."""
    from mjscene.errors import RenderError

    read_spec(options.scene)  # a scene that is not there is not to be drawn either
    displays = ("DISPLAY", "WAYLAND_DISPLAY")
    if sys.platform == "linux" and not any(os.environ.get(name) for name in displays):
        raise RenderError(
            "there is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set)",
            hint=f"mjscene render {options.scene} -o picture.png needs none",
        )
    scene = build(options.scene)
    import glfw
    import mujoco.viewer

    if not glfw.init():  # MuJoCo's viewer would end the process
        raise RenderError(
            "no window can be opened on this display",
            given=os.environ.get("DISPLAY"),
            hint=f"mjscene render {options.scene} -o picture.png needs none",
        )
    try:
        viewer = mujoco.viewer.launch_passive(scene.model, scene.data)
    except RuntimeError as error:
        raise RenderError(
            f"MuJoCo's viewer does not start: {error}",
            hint="on macOS it needs mjpython: mjpython -m mjscene view …",
        ) from error
    timestep = float(scene.model.opt.timestep)
    with viewer:
        began, start = time.perf_counter(), scene.time
        while viewer.is_running():
            shown = time.perf_counter()
            behind = (shown - began) - (scene.time - start)
            if not options.paused and behind >= timestep:
                if behind > 1.0:  # it cannot keep up, or the machine slept: go on from here
                    began, start, behind = shown, scene.time, _FRAME
                with viewer.lock():
                    scene.step(max(1, int(behind / timestep)))
            viewer.sync()
            time.sleep(max(0.0, _FRAME - (time.perf_counter() - shown)))
    return 0
