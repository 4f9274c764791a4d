"""One arm and gripper: a Panda with a parallel gripper, and a cube to pick."""

from mjscene import (
    AttachmentSpec,
    CameraSpec,
    CtrlMode,
    CtrlModeSpec,
    RobotSpec,
    SceneObject,
    SceneSpec,
    site,
)

# Velocity gains: the torque limit at an error of the joint's speed limit (robots/panda/README.md),
# 87 N·m / 2.175 rad/s and 12 N·m / 2.61 rad/s.
PANDA_KV = (40.0,) * 4 + (4.6,) * 3
PANDA_MODES = (CtrlModeSpec(CtrlMode.TORQUE), CtrlModeSpec(CtrlMode.VELOCITY, kv=PANDA_KV))

spec = SceneSpec(
    [
        RobotSpec(
            "mjscene:panda",
            prefix="arm/",
            home="home",
            modes=PANDA_MODES,
            attachments=[
                AttachmentSpec(
                    "mjscene:gripper",
                    attach_to=site("attachment_site"),
                    prefix="gripper/",
                    home="open",
                )
            ],
        )
    ],
    objects=[
        SceneObject(
            "cube",
            shape="box",
            size=(0.02, 0.02, 0.02),
            pos=(0.55, 0.0, 0.02),
            mass=0.1,
            rgba=(0.85, 0.33, 0.20, 1.0),
        )
    ],
    cameras=[CameraSpec("front", pos=(1.7, -1.3, 1.1), look_at=(0.25, 0.0, 0.35))],
    floor=True,
    sky=True,
    light=True,
    name="arm_gripper",
)
