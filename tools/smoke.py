"""Compile every robot and step every scene that ships, in the environment of this Python.

python -I tools/smoke.py

Run from any folder, with nothing but the installed package and its core dependencies.
"""

from __future__ import annotations

import importlib.metadata
import math
import subprocess
import sys
from pathlib import Path

import mujoco

import mjscene
from mjscene import library

STEPS = 10


def smoke_scene(name: str) -> str:
    """Build and step one scene; what came out, in a line."""
    spec = library.load_scene(name)
    twin = Path(mjscene.__file__).with_name("scenes") / f"{name}.yaml"
    if library.load_scene(twin) != spec:
        raise SystemExit(f"{twin} is another scene than {name}")
    scene = mjscene.build_scene(spec)
    start = scene.data.time
    scene.step(STEPS)
    elapsed = scene.data.time - start
    expected = STEPS * scene.model.opt.timestep
    if not math.isclose(elapsed, expected, rel_tol=1e-9):
        raise SystemExit(f"{name}: {STEPS} steps took {elapsed} s of simulation, not {expected} s")
    return f"{scene.model.nbody} bodies, {scene.model.nv} dofs"


def main() -> None:
    """Try the installed package."""
    home = Path(mjscene.__file__).resolve()
    if not home.is_relative_to(Path(sys.prefix).resolve()):
        raise SystemExit(f"mjscene comes from {home}, not from the environment {sys.prefix}")
    if importlib.metadata.version("mjscene") != mjscene.__version__:
        raise SystemExit("the installed metadata tell another version than the package")
    robots, scenes = library.robot_names(), library.scene_names()
    scenarios = library.scenario_names()
    counts = f"{len(robots)} robots, {len(scenes)} scenes, {len(scenarios)} scenarios"
    print(f"mjscene {mjscene.__version__}: {counts}")
    if not robots or not scenes or not scenarios:
        raise SystemExit("robots/, scenes/ or scenarios/ did not come along")
    for name in robots:
        mujoco.MjModel.from_xml_path(str(library.robot_path(name)))
    for name in scenes:
        print(f"  {name}: {smoke_scene(name)}", flush=True)
    subprocess.run([sys.executable, "-I", "-m", "mjscene.demo", "--no-picture"], check=True)
    # Without extras: what draws no table.
    check, test = ["check", "--strict", scenes[0]], ["test", scenarios[0]]
    for words in (["list", "--json"], check, test, ["--help"]):
        subprocess.run([sys.executable, "-I", "-m", "mjscene", *words], check=True)
    script = Path(sys.executable).with_name("mjscene")
    subprocess.run([script, "--version"], check=True)
    litter = sorted(path.name for path in Path.cwd().iterdir())
    if litter:
        raise SystemExit(f"the working directory was empty and now holds {litter}")


if __name__ == "__main__":
    main()
