"""Ten arms in two rows: Pandas and UR5es by turns."""

from mjscene import CameraSpec, RobotSpec, SceneSpec

SPACING = 1.1  # between bases [m]; the longer arm reaches 0.855 m from its shoulder


def arm(index: int) -> RobotSpec:
    """The arm at a place of the grid, five in a row."""
    column, row = index % 5, index // 5
    return RobotSpec(
        "mjscene:panda" if (column + row) % 2 == 0 else "mjscene:ur5e",
        prefix=f"arm{index}/",
        pos=(1.4 * row, SPACING * (column - 2), 0.0),
        home="home",
    )


spec = SceneSpec(
    [arm(i) for i in range(10)],
    cameras=[CameraSpec("front", pos=(5.2, -3.4, 3.0), look_at=(0.6, 0.0, 0.3))],
    floor=True,
    sky=True,
    light=True,
    name="ten_arms",
)
