"""Draw the pictures of docs/scenarios.md: every scenario that ships, at a moment that tells it.

    python tools/draw_scenarios.py [NAME ...]

Off screen; set MUJOCO_GL=egl on a machine without a display. Needs Pillow (extra ``test``).
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

os.environ.setdefault("MUJOCO_GL", "egl")

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from mjscene import FreeCamera, build_scene, load_scene
from mjscene.library import load_scenario, scenario_names
from mjscene.scenario import Call, Scenario

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "img" / "scenarios"
SIZE = (640, 420)
COLOURS = 200  # of a picture's palette: a sixth of the bytes, and nothing to be seen of it

# When; from where: target [m], distance [m], azimuth and elevation [degrees]; and earlier times
# that shine through, to show what has moved.
Picture = NDArray[np.uint8]
View = tuple[tuple[float, float, float], float, float, float]
SHOTS: dict[str, tuple[float, View, tuple[float, ...]]] = {
    "admittance_push": (2.8, ((0.14, 0.06, 0.36), 1.3, 150, -24), (0.3,)),
    "cartesian_reach": (2.6, ((0.17, 0.08, 0.38), 1.35, 140, -16), (0.3, 0.98)),
    "collision_reflex": (2.0, ((0.1, 0.08, 0.37), 1.3, 165, -22), (0.3, 0.9)),
    "drive_and_reach": (5.0, ((0.78, 0, 0.42), 2.1, 115, -16), (0.1,)),
    "free_fall": (0.9, ((0.2, 0, 0.5), 1.75, 90, -8), (0.1, 0.2, 0.3, 0.4, 0.7, 0.8)),
    "ft_sensor_load": (1.7, ((0.2, 0.1, 0.36), 1.1, 130, -14), ()),
    "grip_force": (2.0, ((0, 0, 0.235), 0.46, 140, -12), ()),
    "hand_over": (5.9, ((0.1, 0, 1.07), 1.0, 176, -6), ()),
    "pick_and_lift": (4.6, ((0.27, 0, 0.3), 1.25, 125, -14), (2.2,)),
    "ten_arms_modes": (1.4, ((0.62, -0.1, 0.1), 4.7, 148, -26), ()),
    "torque_hold": (2.9, ((0.14, 0.03, 0.36), 1.3, 155, -22), (2.4,)),
}


def draw(name: str) -> Path:
    """Run a scenario until its moment, and draw it."""
    at, view, earlier = SHOTS[name]
    target, distance, azimuth, elevation = view
    camera = FreeCamera(lookat=target, distance=distance, azimuth=azimuth, elevation=elevation)
    pictures: list[Picture] = []

    def take(scene: Any) -> None:
        pictures.append(scene.render(camera, *SIZE))

    scenario: Scenario = load_scenario(name)
    calls = [Call(at=time, function=take) for time in (*earlier, at)]
    result = replace(scenario, timeline=[*scenario.timeline, *calls]).run()
    if not result.passed:
        raise SystemExit(result.text)
    file = FOLDER / f"{name}.png"
    image = Image.fromarray(shining_through(pictures, empty_scene(scenario, camera)))
    image = image.quantize(COLOURS, dither=Image.Dither.NONE)
    image.save(file, optimize=True)
    return file


def empty_scene(scenario: Scenario, camera: FreeCamera) -> Picture:
    """A picture of the scene without what moves."""
    spec = scenario.scene
    spec = load_scene(spec) if isinstance(spec, str) else spec
    fixed = [thing for thing in spec.objects if thing.fixed]
    return build_scene(replace(spec, robots=[], objects=fixed)).render(camera, *SIZE)


def shining_through(pictures: list[Picture], empty: Picture) -> Picture:
    """The last picture, with what was elsewhere in the earlier ones faintly in its background."""
    last = pictures[-1].astype(float)
    mixed, behind = last.copy(), ~differ(last, empty)
    for picture in pictures[:-1]:
        shows = behind & differ(picture, last)
        mixed[shows] = 0.55 * mixed[shows] + 0.45 * picture[shows]
    return mixed.astype(np.uint8)


def differ(first: NDArray[Any], last: NDArray[Any]) -> NDArray[np.bool_]:
    """Where two pictures differ by more than noise, 12 of 255."""
    return np.abs(first.astype(float) - last).max(axis=2) > 12


def main() -> None:
    """Draw all, or those named."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or scenario_names():
        file = draw(name)
        print(f"{file.name}: {file.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    main()
