"""What a first user ran into: typos that nothing catches, errors that do not say what to do."""

from __future__ import annotations

import numpy as np
import pytest

from mjscene import (
    AttachmentSpec,
    CameraSpec,
    ComposeError,
    CtrlMode,
    CtrlModeSpec,
    MjsceneWarning,
    ModeError,
    ObjectCmd,
    RobotSpec,
    Scene,
    SceneObject,
    SceneSpec,
    UnknownNameError,
    build_scene,
    site,
)

ARM = AttachmentSpec(
    "mjscene:panda", attach_to=site("mount_site"), prefix="arm/", modes=[CtrlModeSpec()]
)


@pytest.fixture(scope="module")
def mobile() -> Scene:
    """An arm with modes of its own on a mobile base."""
    base = RobotSpec("mjscene:diff_drive", prefix="m/", attachments=[ARM])
    return build_scene(SceneSpec([base]))


def test_a_misspelled_attribute_is_an_error(mobile: Scene) -> None:
    with pytest.raises(AttributeError, match="comand"):
        mobile.comand = np.zeros(2)  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="comand"):
        mobile.robots["m"].comand = np.zeros(2)  # type: ignore[attr-defined]


def test_the_robots_switch_leaves_an_attachment_with_modes_of_its_own_alone(mobile: Scene) -> None:
    mobile.reset()
    arm = mobile.robots["m"].attachments["arm"]
    mobile.robots["m"].set_control_mode(CtrlMode.TORQUE)
    assert set(arm.ctrl_modes) == {CtrlMode.POSITION}
    arm.set_control_mode(CtrlMode.TORQUE)
    assert set(arm.ctrl_modes) == {CtrlMode.TORQUE}


def test_an_attachment_among_robots_is_pointed_to_its_handle(mobile: Scene) -> None:
    with pytest.raises(UnknownNameError, match=r"scene.handle\('m.arm'\)"):
        mobile.robots["m.arm"]


def test_a_mode_that_was_not_asked_for_says_where_to_ask(mobile: Scene) -> None:
    with pytest.raises(ModeError, match=r"modes=\[...\] of its own RobotSpec or AttachmentSpec"):
        mobile.set_control_mode("m", "velocity", ["arm/joint4"])


def test_modes_print_and_are_commanded_by_their_names() -> None:
    assert f"{CtrlMode.TORQUE}" == str(CtrlMode.TORQUE) == "TORQUE"
    command = ObjectCmd(joint_cmds=[0, 0], joint_cmd_types=["position", "TORQUE"])
    assert tuple(command.joint_cmd_types or ()) == (CtrlMode.POSITION, CtrlMode.TORQUE)


def test_an_object_that_a_robot_stands_on_says_so_when_it_is_removed() -> None:
    robot = RobotSpec("mjscene:panda", prefix="p/", attach_to=site("table/mount_site"))
    table = SceneObject("table", path="mjscene:table", fixed=True)
    scene = build_scene(SceneSpec([robot], objects=[table]))
    with pytest.raises(ComposeError, match="robot stands on its site 'table/mount_site'"):
        scene.remove_object("table")
    assert "table/mount_site" in [scene.model.site(i).name for i in range(scene.model.nsite)]


def test_a_reference_to_nothing_names_the_robot_it_is_in() -> None:
    text = "<mujoco><worldbody><body><geom type='mesh' mesh='q'/></body></worldbody></mujoco>"
    other = "<mujoco><worldbody><body><geom size='.1'/></body></worldbody></mujoco>"
    spec = SceneSpec([RobotSpec(other, prefix="a/"), RobotSpec(text, prefix="b/")])
    with pytest.raises(ComposeError, match=r"robots\[1\].*line 1.*robot 'b'"):
        build_scene(spec)


def test_a_picture_has_the_size_its_camera_gives() -> None:
    from mjscene.pictures import RenderError, render

    camera = CameraSpec("small", pos=(1, 1, 1), look_at=(0, 0, 0), resolution=(64, 48))
    scene = build_scene(SceneSpec(cameras=[camera]))
    try:
        picture = render(scene, "small")
    except RenderError:
        pytest.skip("no off-screen rendering here")
    assert picture.shape == (48, 64, 3)
    assert render(scene, "small", width=32).shape == (48, 32, 3)


def test_the_range_of_a_grippers_control_is_told() -> None:
    scene = build_scene(SceneSpec([RobotSpec("mjscene:gripper", prefix="g/")]))
    (name,) = scene.unmanaged
    fingers = scene.actuators[name]
    low, high = fingers.ctrlrange
    assert (low, high) == tuple(scene.model.actuator_ctrlrange[fingers.id])
    assert name in repr(scene.actuators)


def test_a_mode_for_no_joint_is_warned_of() -> None:
    hand = AttachmentSpec(
        "mjscene:gripper",
        attach_to=site("attachment_site"),
        prefix="g/",
        modes=[CtrlModeSpec("torque")],
    )
    spec = SceneSpec([RobotSpec("mjscene:panda", prefix="a/", attachments=[hand])])
    with pytest.warns(MjsceneWarning, match=r"attachments\[0\].modes\[0\].*TORQUE is for none"):
        build_scene(spec)
