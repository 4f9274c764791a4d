"""A chain of attachments: arm, mount, force/torque sensor, gripper.

The mount is an MJCF text of its own: a source need not be a file.
"""

from mjscene import (
    AttachmentSpec,
    CameraSpec,
    CtrlMode,
    CtrlModeSpec,
    RobotSpec,
    SceneSpec,
    site,
)

# The UR5e's own actuators are motors. Position gains: the torque limit at an error of 0.1 rad (of
# 0.2 rad for the wrist, whose last link is too light for more at a step of 2 ms), damped with a
# time constant of 0.1 s; velocity gains: the torque limit at the speed limit of pi rad/s
# (robots/ur5e/README.md).
UR5E_MODES = (
    CtrlModeSpec(CtrlMode.POSITION, kp=(1500.0,) * 3 + (140.0,) * 3, kd=(150.0,) * 3 + (14.0,) * 3),
    CtrlModeSpec(CtrlMode.VELOCITY, kv=(47.7,) * 3 + (8.9,) * 3),
)

# An adapter plate: an aluminium disc of 63 mm diameter (the ISO 9409-1-50 flange's outer diameter)
# and 8 mm height, 2700 kg/m³ * pi * (0.0315 m)² * 0.008 m = 0.0673 kg.
MOUNT = """
<mujoco model="mount">
  <worldbody>
    <body name="plate">
      <geom name="plate" type="cylinder" size="0.0315 0.004" pos="0 0 0.004" density="2700"
            rgba="0.75 0.77 0.80 1"/>
      <site name="top" pos="0 0 0.008" size="0.003"/>
    </body>
  </worldbody>
</mujoco>
"""

spec = SceneSpec(
    [
        RobotSpec(
            "mjscene:ur5e",
            prefix="arm/",
            home="home",
            modes=UR5E_MODES,
            initial_mode=CtrlMode.POSITION,
            attachments=[
                AttachmentSpec(MOUNT, attach_to=site("attachment_site"), prefix="mount/"),
                AttachmentSpec("mjscene:ft_sensor", attach_to=site("mount/top"), prefix="ft/"),
                AttachmentSpec(
                    "mjscene:gripper",
                    attach_to=site("ft/attachment_site"),
                    prefix="gripper/",
                    home="open",
                ),
            ],
        )
    ],
    cameras=[CameraSpec("front", pos=(1.6, -1.2, 1.1), look_at=(0.1, 0.0, 0.4))],
    floor=True,
    sky=True,
    light=True,
    name="ft_chain",
)
