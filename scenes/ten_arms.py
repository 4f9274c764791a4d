"""Ten arms in two rows: Pandas and UR5es by turns."""

from mjscene import CameraSpec, CtrlMode, CtrlModeSpec, RobotSpec, SceneSpec

# Velocity gains: the torque limit at an error of the joint's speed limit (robots/panda/README.md),
# 87 N·m / 2.175 rad/s and 12 N·m / 2.61 rad/s.
PANDA_KV = (40.0,) * 4 + (4.6,) * 3
PANDA_MODES = (CtrlModeSpec(CtrlMode.TORQUE), CtrlModeSpec(CtrlMode.VELOCITY, kv=PANDA_KV))

# The UR5e's own actuators are motors. Position gains: the torque limit at an error of 0.1 rad (of
# 0.2 rad for the wrist, whose last link is too light for more at a step of 2 ms), damped with a
# time constant of 0.1 s; velocity gains: the torque limit at the speed limit of pi rad/s
# (robots/ur5e/README.md).
UR5E_MODES = (
    CtrlModeSpec(CtrlMode.POSITION, kp=(1500.0,) * 3 + (140.0,) * 3, kd=(150.0,) * 3 + (14.0,) * 3),
    CtrlModeSpec(CtrlMode.VELOCITY, kv=(47.7,) * 3 + (8.9,) * 3),
)

SPACING = 1.1  # between bases [m]; the longer arm reaches 0.855 m from its shoulder


def arm(index: int) -> RobotSpec:
    """The arm at a place of the grid, five in a row."""
    column, row = index % 5, index // 5
    is_panda = (column + row) % 2 == 0
    return RobotSpec(
        "mjscene:panda" if is_panda else "mjscene:ur5e",
        prefix=f"arm{index}/",
        pos=(1.4 * row, SPACING * (column - 2), 0.0),
        home="home",
        modes=PANDA_MODES if is_panda else UR5E_MODES,
        initial_mode=CtrlMode.POSITION,
    )


spec = SceneSpec(
    [arm(i) for i in range(10)],
    cameras=[CameraSpec("front", pos=(5.2, -3.4, 3.0), look_at=(0.6, 0.0, 0.3))],
    floor=True,
    sky=True,
    light=True,
    name="ten_arms",
)
