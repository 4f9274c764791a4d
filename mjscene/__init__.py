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

A name is imported when it is first used: ``import mjscene`` by itself loads neither MuJoCo nor
NumPy. A new public name has three entries here: the import that type checkers read, ``__all__``,
and ``_HOME``.
"""

TYPE_CHECKING = False  # type checkers take it for true; importing typing would double the import

if TYPE_CHECKING:
    from mjscene.build import build_scene
    from mjscene.cameras import FreeCamera
    from mjscene.commands import ObjectCmd
    from mjscene.control_mode import set_control_mode
    from mjscene.errors import (
        CommandError,
        ComposeError,
        ControllerError,
        MjsceneError,
        MjsceneWarning,
        ModeError,
        RenderError,
        SimulationError,
        SpecError,
        UnknownNameError,
    )
    from mjscene.geometry import Header, Pose, Twist, Wrench
    from mjscene.library import (
        load_scenario,
        load_scene,
        robot_names,
        robot_path,
        scenario_names,
        scene_names,
    )
    from mjscene.objectstate import ObjectState
    from mjscene.pictures import write_png
    from mjscene.renderer import Renderer
    from mjscene.report import SceneReport
    from mjscene.robot import Robot
    from mjscene.robotmode import RobotMode
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
        JointLimits,
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

__version__ = "0.4.0"

__all__ = [
    "AttachKind",
    "AttachTarget",
    "AttachmentSpec",
    "BodyController",
    "CameraSpec",
    "CommandError",
    "ComposeError",
    "ControllerError",
    "CtrlMode",
    "CtrlModeSpec",
    "FloorSpec",
    "FreeCamera",
    "Header",
    "JointLimits",
    "LightSpec",
    "MjsceneError",
    "MjsceneWarning",
    "ModeError",
    "ObjectCmd",
    "ObjectState",
    "PhysicsOptions",
    "Pose",
    "RenderError",
    "Renderer",
    "Robot",
    "RobotMode",
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
    "WORLD",
    "Wrench",
    "__version__",
    "body",
    "build_scene",
    "check_scene_file",
    "frame",
    "load_scenario",
    "load_scene",
    "read_scene_file",
    "robot_names",
    "robot_path",
    "scenario_names",
    "scene_from_yaml",
    "scene_names",
    "scene_schema",
    "scene_to_yaml",
    "set_control_mode",
    "site",
    "world",
    "write_png",
    "write_scene_file",
]

# The module of each name.
_HOME = {
    "AttachKind": "spec",
    "AttachTarget": "spec",
    "AttachmentSpec": "spec",
    "BodyController": "spec",
    "CameraSpec": "spec",
    "CommandError": "errors",
    "ComposeError": "errors",
    "ControllerError": "errors",
    "CtrlMode": "spec",
    "CtrlModeSpec": "spec",
    "FloorSpec": "spec",
    "FreeCamera": "cameras",
    "Header": "geometry",
    "JointLimits": "spec",
    "LightSpec": "spec",
    "MjsceneError": "errors",
    "MjsceneWarning": "errors",
    "ModeError": "errors",
    "ObjectCmd": "commands",
    "ObjectState": "objectstate",
    "PhysicsOptions": "spec",
    "Pose": "geometry",
    "RenderError": "errors",
    "Renderer": "renderer",
    "Robot": "robot",
    "RobotMode": "robotmode",
    "RobotSpec": "spec",
    "Scene": "scene",
    "SceneObject": "spec",
    "SceneReport": "report",
    "SceneSpec": "spec",
    "SceneState": "state",
    "SimulationError": "errors",
    "SiteSpec": "spec",
    "SkySpec": "spec",
    "SpecError": "errors",
    "Transfer": "transfer",
    "Twist": "geometry",
    "UnknownNameError": "errors",
    "WORLD": "spec",
    "Wrench": "geometry",
    "body": "spec",
    "build_scene": "build",
    "check_scene_file": "scenefile",
    "frame": "spec",
    "load_scenario": "library",
    "load_scene": "library",
    "read_scene_file": "scenefile",
    "robot_names": "library",
    "robot_path": "library",
    "scenario_names": "library",
    "scene_from_yaml": "scenefile",
    "scene_names": "library",
    "scene_schema": "schema",
    "scene_to_yaml": "scenefile",
    "set_control_mode": "control_mode",
    "site": "spec",
    "world": "spec",
    "write_png": "pictures",
    "write_scene_file": "scenefile",
}

if not TYPE_CHECKING:  # a checker that saw this would take any name for a public one

    def __getattr__(name: str) -> object:
        """A public name, or a module of the package, on first use (PEP 562)."""
        import importlib
        import importlib.util
        import sys

        if name in _HOME:
            value: object = getattr(importlib.import_module(f"mjscene.{_HOME[name]}"), name)
            globals()[name] = value  # found without this function from now on
            return value
        if not name.startswith("_"):
            found = importlib.util.find_spec(f"mjscene.{name}")
            if found is not None and found.loader is not None:
                return importlib.import_module(found.name)
        raise AttributeError(
            f"module 'mjscene' has no attribute {name!r}", name=name, obj=sys.modules[__name__]
        )

    def __dir__() -> list[str]:
        return sorted({*__all__, *(n for n in globals() if n.startswith("__"))})
