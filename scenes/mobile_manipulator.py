"""A mobile manipulator: a differential-drive base with an arm, and a gripper on the arm."""

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
            "mjscene:diff_drive",
            prefix="robot/",
            home="home",
            attachments=[
                AttachmentSpec(
                    "mjscene:panda",
                    attach_to=site("mount_site"),
                    prefix="arm/",
                    home="home",
                    modes=PANDA_MODES,
                ),
                AttachmentSpec(
                    "mjscene:gripper",
                    attach_to=site("arm/attachment_site"),
                    prefix="gripper/",
                    home="open",
                ),
            ],
        )
    ],
    objects=[
        SceneObject(
            "shelf",
            shape="box",
            size=(0.2, 0.4, 0.3),
            pos=(1.6, 0.0, 0.3),
            fixed=True,
            rgba=(0.62, 0.52, 0.40, 1.0),
        ),
        SceneObject(
            "parcel",
            shape="box",
            size=(0.025, 0.025, 0.04),
            pos=(1.5, 0.0, 0.64),
            mass=0.2,
            rgba=(0.85, 0.33, 0.20, 1.0),
        ),
    ],
    cameras=[CameraSpec("front", pos=(2.6, -2.4, 1.7), look_at=(0.6, 0.0, 0.5))],
    floor=True,
    sky=True,
    light=True,
    name="mobile_manipulator",
)
