"""One arm and gripper: a Panda with a parallel gripper, and a cube to pick."""

from mjscene import AttachmentSpec, CameraSpec, RobotSpec, SceneObject, SceneSpec, site

spec = SceneSpec(
    [
        RobotSpec(
            "mjscene:panda",
            prefix="arm/",
            home="home",
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
