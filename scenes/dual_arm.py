"""Two arms at a table: two Pandas with grippers, and objects within reach of both."""

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

TOP = 0.75  # height of the table's top [m], see robots/table/README.md


def arm(name: str) -> RobotSpec:
    """An arm with a gripper on its place at the table."""
    gripper = AttachmentSpec(
        "mjscene:gripper", attach_to=site("attachment_site"), prefix="gripper/", home="open"
    )
    return RobotSpec(
        "mjscene:panda",
        prefix=f"{name}/",
        attach_to=site(f"table/mount_{name}"),
        attachments=[gripper],
        modes=PANDA_MODES,
        home="home",
    )


spec = SceneSpec(
    [arm("left"), arm("right")],
    objects=[
        SceneObject("table", path="mjscene:table", fixed=True),
        SceneObject(
            "cube",
            shape="box",
            size=(0.02, 0.02, 0.02),
            pos=(0.15, 0.12, TOP + 0.02),
            mass=0.1,
            rgba=(0.85, 0.33, 0.20, 1.0),
        ),
        SceneObject(
            "can",
            shape="cylinder",
            size=(0.033, 0.058),
            pos=(0.2, -0.1, TOP + 0.058),
            mass=0.35,
            rgba=(0.20, 0.55, 0.60, 1.0),
        ),
        SceneObject(
            "ball",
            shape="sphere",
            size=(0.03,),
            pos=(0.05, 0.0, TOP + 0.03),
            mass=0.06,
            condim=6,
            friction=(0.8, 0.005, 0.001),
            rgba=(0.95, 0.75, 0.25, 1.0),
        ),
    ],
    cameras=[CameraSpec("front", pos=(1.9, -1.5, 1.9), look_at=(-0.05, 0.0, 0.95))],
    floor=True,
    sky=True,
    light=True,
    name="dual_arm",
)
