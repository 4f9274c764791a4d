"""Field case F59: a machine without a display."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from field_models import ARM

BACKENDS = ("", "egl", "glfw", "osmesa", "disabled")

# Everything that a run without pictures does; prints what it imported beyond MuJoCo.
RUN = """
import json, sys
import mujoco
before = set(sys.modules)
import mjscene
xml = sys.stdin.read()
scene = mjscene.build_scene(mjscene.SceneSpec(
    [mjscene.RobotSpec(xml, prefix="a/")], floor=True, sky=True, light=True,
    cameras=[mjscene.CameraSpec("view", pos=(2, 0, 1), look_at=(0, 0, 0))],
    options=mjscene.PhysicsOptions(gravity=(0, 0, 0))))
scene.step(10)
scene.reset("home")
scene.add_object(mjscene.SceneObject("cube", shape="box", size=[.1, .1, .1], pos=(3, 0, 1)))
scene.step(10)
print(json.dumps([scene.time, str(scene.report) != "", sorted(set(sys.modules) - before)]))
"""
# Importing every module is no run either.
IMPORT_ALL = """
import json, pkgutil, sys
import mujoco
before = set(sys.modules)
import mjscene
for module in pkgutil.walk_packages(mjscene.__path__, "mjscene."):
    if not module.name.startswith(("mjscene.robots", "mjscene.scenes")):
        __import__(module.name)
print(json.dumps(sorted(set(sys.modules) - before)))
"""
RENDER = """
import sys, mjscene
scene = mjscene.build_scene(mjscene.SceneSpec([mjscene.RobotSpec(sys.stdin.read(), prefix="a/")]))
from mjscene.pictures import RenderError, render
try:
    render(scene)
except RenderError as error:
    print(error)
else:
    print("rendered")
"""


def run(
    program: str, folder: Path, backend: str, text: str = ARM
) -> subprocess.CompletedProcess[str]:
    """Run a program without DISPLAY and with a value of MUJOCO_GL."""
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment.pop("MUJOCO_GL", None)
    environment.pop("PYOPENGL_PLATFORM", None)
    if backend:
        environment["MUJOCO_GL"] = backend
    return subprocess.run(
        [sys.executable, "-c", program],
        input=text,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def is_graphics(module: str) -> bool:
    """Whether a module is a viewer, a renderer or a graphics library."""
    return module.split(".")[0] in ("glfw", "OpenGL") or module.startswith(
        ("mujoco.viewer", "mujoco.renderer", "mujoco.egl", "mujoco.osmesa", "mujoco.glfw")
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_f59_scenes_build_and_run_wherever_mujoco_can_be_imported(
    tmp_path: Path, backend: str
) -> None:
    if backend == "osmesa" and run("import mujoco", tmp_path, backend).returncode:
        pytest.skip("without OSMesa's library MuJoCo itself cannot be imported so")
    done = run(RUN, tmp_path, backend)
    assert (done.returncode, done.stderr) == (0, "")
    time, has_report, imported = json.loads(done.stdout)
    assert time == pytest.approx(10 * 0.002)  # of MuJoCo's timestep, after the reset
    assert has_report
    assert [m for m in imported if is_graphics(m)] == []
    assert list(tmp_path.iterdir()) == []


def test_f59_no_module_imports_a_viewer_a_renderer_or_gl(tmp_path: Path) -> None:
    done = run(IMPORT_ALL, tmp_path, "disabled")
    assert (done.returncode, done.stderr) == (0, "")
    imported = json.loads(done.stdout)
    assert "mjscene.pictures" in imported
    assert [m for m in imported if is_graphics(m)] == []


@pytest.mark.parametrize("backend", ["disabled", "glfw"])
def test_f59_a_picture_that_cannot_be_made_is_refused_with_the_reason(
    tmp_path: Path, backend: str
) -> None:
    done = run(RENDER, tmp_path, backend)
    assert done.returncode == 0
    assert "cannot render here" in done.stdout
    assert f"MUJOCO_GL={backend!r}" in done.stdout
    assert "\n" not in done.stdout.strip()
