"""A chain of attachments: arm, mount, force/torque sensor, gripper.

The mount is an MJCF text of its own: a source need not be a file.
"""

from mjscene import AttachmentSpec, CameraSpec, RobotSpec, SceneSpec, site

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
