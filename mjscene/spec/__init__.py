"""What a scene is: frozen dataclasses that are checked when they are made.

Fields are keyword-only but for the first. Nothing here imports MuJoCo.
Sequences may be given as lists and are kept as tuples. Poses are in the frame of what they are
attached to, in metres; quaternions are (x, y, z, w).
"""

from mjscene.spec.attach import WORLD, AttachKind, AttachTarget, body, frame, site, world
from mjscene.spec.limits import JointLimits
from mjscene.spec.modes import BodyController, CtrlMode, CtrlModeSpec
from mjscene.spec.objects import SceneObject
from mjscene.spec.physics import PhysicsOptions
from mjscene.spec.robots import AttachmentSpec, RobotSpec
from mjscene.spec.scene import SceneSpec
from mjscene.spec.views import CameraSpec, FloorSpec, LightSpec, SiteSpec, SkySpec

__all__ = [
    "WORLD",
    "AttachKind",
    "AttachTarget",
    "AttachmentSpec",
    "BodyController",
    "CameraSpec",
    "CtrlMode",
    "CtrlModeSpec",
    "FloorSpec",
    "JointLimits",
    "LightSpec",
    "PhysicsOptions",
    "RobotSpec",
    "SceneObject",
    "SceneSpec",
    "SiteSpec",
    "SkySpec",
    "body",
    "frame",
    "site",
    "world",
]
