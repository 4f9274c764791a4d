"""mjscene: many robots in one MuJoCo scene, each with its own control modes.

Conventions, everywhere in this package:

* Units are SI: m, rad, s, kg, N, N·m. A camera's ``fovy`` alone is in degrees, as in MJCF.
* Quaternions are ``(x, y, z, w)``, as in ROS and SciPy, the identity ``(0, 0, 0, 1)``. MuJoCo's
  ``(w, x, y, z)`` stays inside ``model`` and ``data``; ``mjscene.poses`` converts.
* A pose in a spec is in the frame of what the thing is attached to (world, body, site, frame).
* Names in a scene are ``prefix + authored name``; an attachment's elements are
  ``robot prefix + attachment prefix + authored name``.

Example:
    >>> import mjscene
    >>> spec = mjscene.SceneSpec([mjscene.RobotSpec("mjscene:panda", prefix="left/")])
    >>> scene = mjscene.build_scene(spec)
    >>> scene.step()
    >>> scene.robots["left"].joint_names[0]
    'left/joint1'
"""

from collections.abc import Sequence
from typing import Any

from mjscene.build import build_scene
from mjscene.commands import ObjectCmd
from mjscene.errors import (
    CommandError,
    ComposeError,
    MjsceneError,
    MjsceneWarning,
    ModeError,
    SimulationError,
    SpecError,
    UnknownNameError,
)
from mjscene.geometry import Header, Pose, Twist, Wrench
from mjscene.library import load_scene, robot_names, robot_path, scene_names
from mjscene.objectstate import ObjectState
from mjscene.report import SceneReport
from mjscene.robot import Robot
from mjscene.scene import Scene
from mjscene.scenefile import (
    check_scene_file,
    read_scene_file,
    scene_from_yaml,
    scene_to_yaml,
    write_scene_file,
)
from mjscene.schema import scene_schema
from mjscene.spec import (
    WORLD,
    AttachKind,
    AttachmentSpec,
    AttachTarget,
    BodyController,
    CameraSpec,
    CtrlMode,
    CtrlModeSpec,
    FloorSpec,
    LightSpec,
    PhysicsOptions,
    RobotSpec,
    SceneObject,
    SceneSpec,
    SiteSpec,
    SkySpec,
    body,
    frame,
    site,
    world,
)
from mjscene.state import SceneState
from mjscene.transfer import Transfer

__version__ = "0.1.0"


def set_control_mode(
    scene: Scene,
    robot: Any,
    mode: CtrlMode | str | None = None,
    joints: Sequence[str] | None = None,
    transfer: Transfer | str = Transfer.BUMPLESS,
) -> None:
    """Switch joints of a robot into a mode; see :meth:`Scene.set_control_mode`.

    Raises:
        ModeError: No such robot or joint, or the mode is not offered; nothing has changed.
    """
    scene.set_control_mode(robot, mode, joints, transfer)


__all__ = [
    "WORLD",
    "AttachKind",
    "AttachTarget",
    "AttachmentSpec",
    "BodyController",
    "CameraSpec",
    "CommandError",
    "ComposeError",
    "CtrlMode",
    "CtrlModeSpec",
    "FloorSpec",
    "Header",
    "LightSpec",
    "MjsceneError",
    "MjsceneWarning",
    "ModeError",
    "ObjectCmd",
    "ObjectState",
    "PhysicsOptions",
    "Pose",
    "Robot",
    "RobotSpec",
    "Scene",
    "SceneObject",
    "SceneReport",
    "SceneSpec",
    "SceneState",
    "SimulationError",
    "SiteSpec",
    "SkySpec",
    "SpecError",
    "Transfer",
    "Twist",
    "UnknownNameError",
    "Wrench",
    "__version__",
    "body",
    "build_scene",
    "check_scene_file",
    "frame",
    "load_scene",
    "read_scene_file",
    "robot_names",
    "robot_path",
    "scene_from_yaml",
    "scene_names",
    "scene_schema",
    "scene_to_yaml",
    "set_control_mode",
    "site",
    "world",
    "write_scene_file",
]
