"""What a first user ran into: typos that nothing catches, errors that do not say what to do."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mjscene.cli
from mjscene import (
    AttachmentSpec,
    CameraSpec,
    CommandError,
    ComposeError,
    ControllerError,
    CtrlMode,
    CtrlModeSpec,
    MjsceneWarning,
    ModeError,
    ObjectCmd,
    PhysicsOptions,
    Pose,
    RobotSpec,
    Scene,
    SceneObject,
    SceneSpec,
    SpecError,
    Twist,
    UnknownNameError,
    Wrench,
    body,
    build_scene,
    scene_from_yaml,
    site,
)
from mjscene.cli import main
from mjscene.controllers import (
    Controller,
)
from mjscene.facts import Fact


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


ONE_JOINT = """
<mujoco model="one">
  <compiler angle="radian" autolimits="true"/>
  <worldbody>
    <body name="link"><joint name="j1" range="-1 1"/><geom size=".1"/></body>
  </worldbody>
  <actuator><motor name="m" joint="j1"/></actuator>
  <keyframe><key name="home" qpos="0.5"/><key name="far" qpos="1.5"/></keyframe>
</mujoco>
"""


def one_joint(**fields: object) -> SceneSpec:
    return SceneSpec([RobotSpec(ONE_JOINT, prefix="a/", **fields)])  # type: ignore[arg-type]


# Saving


@pytest.mark.parametrize("name", ["a.json", "a.zip", "a.urdf", "a.xml2"])
def test_a_scene_is_not_saved_as_another_kind_of_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(ComposeError, match=r"save.path.*'\.xml', '\.mjz', '\.mjb'"):
        build_scene(one_joint()).save(tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["folder", "my_scene.v2", "run.3", ".hidden", "there.json"])
def test_a_scene_is_saved_in_a_folder_with_dots_in_its_name(tmp_path: Path, name: str) -> None:
    if name == "there.json":
        (tmp_path / name).mkdir()
    build_scene(one_joint()).save(tmp_path / name)
    assert (tmp_path / name / "scene.xml").is_file()


# Fields


def test_a_misspelled_field_of_a_spec_gives_the_right_one() -> None:
    with pytest.raises(SpecError, match="did you mean 'prefix'") as caught:
        RobotSpec(ONE_JOINT, prefx="a/")  # type: ignore[call-arg]
    assert isinstance(caught.value, TypeError)
    assert caught.value.where == "RobotSpec.prefx"
    assert caught.value.close[0] == "prefix"
    assert "attach_to" in caught.value.allowed
    with pytest.raises(SpecError, match="did you mean 'timestep'"):
        replace(PhysicsOptions(), timestp=0.01)  # type: ignore[call-arg]
    assert replace(PhysicsOptions(), timestep=0.01).timestep == 0.01


def test_fields_by_place_or_left_out_are_named() -> None:
    with pytest.raises(SpecError, match="only 'path' may be given without its name, got 2"):
        RobotSpec(ONE_JOINT, "a/")  # type: ignore[misc]
    with pytest.raises(SpecError, match="AttachmentSpec needs path and attach_to"):
        AttachmentSpec()  # type: ignore[call-arg]
    with pytest.raises(SpecError, match=r"RobotSpec.path: is given twice"):
        RobotSpec(ONE_JOINT, path=ONE_JOINT)  # type: ignore[misc]


def test_a_message_takes_its_first_field_by_place() -> None:
    assert Pose((0, 0, 1)) == Pose(position=(0, 0, 1))
    assert Wrench((0, 0, 1)) == Wrench(force=(0, 0, 1))
    assert Twist((0, 0, 1)) == Twist(linear=(0, 0, 1))
    with pytest.raises(CommandError, match=r"Pose\(\.\.\., orientation=\.\.\.\)") as caught:
        Pose((0, 0, 1), (0, 0, 0, 1))  # type: ignore[misc]
    assert isinstance(caught.value, TypeError)
    with pytest.raises(CommandError, match="did you mean 'orientation'"):
        Pose(orientaton=(0, 0, 0, 1))  # type: ignore[call-arg]


# Names


def test_a_wrong_place_or_joint_gives_close_names() -> None:
    table = SceneObject("table", shape="box", size=(1, 1, 0.1), fixed=True)
    spec = SceneSpec([RobotSpec(ONE_JOINT, attach_to=body("tabel"))], objects=[table])
    with pytest.raises(ComposeError) as caught:
        build_scene(spec)
    assert caught.value.close == ("table",)
    with pytest.raises(ComposeError) as caught:
        build_scene(one_joint(home={"j9": 1}))
    assert caught.value.close == caught.value.allowed == ("j1",)


def test_an_unknown_keyframe_gives_close_ones() -> None:
    with pytest.raises(ComposeError) as caught:
        build_scene(one_joint(home="hom"))
    assert (caught.value.where, caught.value.close) == ("robots[0].home", ("home",))
    scene = build_scene(one_joint())
    with pytest.raises(ComposeError) as caught:
        scene.reset("hom")
    assert (caught.value.where, caught.value.close) == ("reset.keyframe", ("home", "a/home"))


def test_a_prefix_used_twice_is_not_called_a_name_used_twice() -> None:
    one = RobotSpec(ONE_JOINT, prefix="a/")
    text = r"the prefix 'a/' is used twice: robots\[0\] and robots\[1\], and so is the name 'a'"
    with pytest.raises(SpecError, match=text) as caught:
        SceneSpec([one, one])
    assert caught.value.where == "robots[1].prefix"
    with pytest.raises(SpecError, match=r"used twice: robots\[0\] \(a\) and robots\[1\] \(q\)"):
        SceneSpec([one, replace(one, name="q")])
    with pytest.raises(SpecError, match="the name 'a' is used twice"):
        SceneSpec([one, replace(one, prefix="b/", name="a")])
    parts = [AttachmentSpec(ONE_JOINT, attach_to=body("link"), name=n) for n in ("x", "y")]
    RobotSpec(ONE_JOINT, attachments=parts)  # without a prefix there is none used twice
    parts = [parts[0], *(replace(p, prefix="g/", name=None) for p in parts)]
    with pytest.raises(SpecError, match=r"prefix 'g/' .*\[1\] and .*\[2\], and so is the name 'g'"):
        RobotSpec(ONE_JOINT, attachments=parts)


def test_a_missing_file_is_named_and_no_label_is_made_up(tmp_path: Path) -> None:
    missing = tmp_path / "nofile.xml"
    with pytest.raises(ComposeError) as caught:
        build_scene(SceneSpec([RobotSpec(str(missing))]))
    assert str(caught.value) == f"robots[0].path: {missing}: no such file"
    with pytest.raises(ComposeError, match=r"^robots\[0\].path \(left\): "):
        build_scene(SceneSpec([RobotSpec(str(missing), prefix="left/")]))
    with pytest.raises(ComposeError, match="did you mean 'mjscene:panda'"):
        build_scene(SceneSpec([RobotSpec(str(tmp_path / "panda"))]))
    with pytest.raises(ComposeError, match="'mjscene:NAME' or 'menagerie:NAME'"):
        build_scene(SceneSpec([RobotSpec(str(tmp_path / "nosuchrobot"))]))


def test_an_article_fits_its_noun() -> None:
    with pytest.raises(CommandError, match="an int"):
        build_scene(one_joint()).apply(10**200)  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="an ellipsoid has no path"):
        SceneObject("ball", shape="ellipsoid", path="ball.obj")


# Values


def test_a_home_beyond_a_joints_range_is_warned_of() -> None:
    text = r"robots\[0\].home: joint 'a/j1' starts at 1.5, beyond its range from -1 to 1"
    for home in ([1.5], {"j1": 1.5}, "far"):
        with pytest.warns(MjsceneWarning, match=text):
            scene = build_scene(one_joint(home=home))
        assert any("a/j1" in line for line in scene.report.warnings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for home in ([1.0], [1.00005], "home", None):
            assert not build_scene(one_joint(home=home)).report.warnings


def test_a_command_whose_square_is_no_number_is_taken_without_a_warning() -> None:
    scene = build_scene(one_joint())
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        scene.apply({"a": ObjectCmd(joint_cmds=[1e200])})
        assert scene.command[0] == 1e200
        for number in (np.inf, -np.inf, np.nan):
            with pytest.raises(CommandError, match="'a/j1'"):
                scene.apply({"a": ObjectCmd(joint_cmds=[number])})
    assert scene.command[0] == 1e200


def test_degrees_of_what_is_no_angle_are_refused() -> None:
    text = "robots:\n  - path: mjscene:panda\n    limits:\n      - collision_threshold: {deg: 15}\n"
    with pytest.raises(SpecError, match=r"is no angle") as caught:
        scene_from_yaml(text)
    assert caught.value.line == 4


def test_a_reflex_that_nothing_sets_off_is_said() -> None:
    spec = SceneSpec([RobotSpec("mjscene:panda", prefix="a/", reflex=True)])
    with pytest.warns(MjsceneWarning, match="a reflex that nothing sets off"):
        build_scene(spec)


def test_a_file_where_a_spec_belongs_gets_a_hint() -> None:
    with pytest.raises(SpecError, match=r"build_scene\(load_scene\('cell.yaml'\)\)"):
        build_scene("cell.yaml")  # type: ignore[arg-type]


class Careless(Controller):
    modes = (CtrlMode.POSITION,)

    def reset(self, robot: Any) -> None:
        pass

    def update(self, robot: Any, dt: float) -> None:
        self.joints.command = np.zeros(3)


def test_a_mistake_in_a_controller_of_ones_own_says_which() -> None:
    scene = build_scene(SceneSpec([RobotSpec("mjscene:panda", prefix="a/", home="home")]))
    robot = scene.robots["a"]
    robot.add_controller(Careless(), name="mine")
    with pytest.raises(CommandError, match=r"there are 7 joints .* got 3 numbers") as caught:
        scene.step()
    assert caught.value.__notes__ == ["in the controller 'mine' of robot 'a'"]


@pytest.mark.parametrize("modes", [("POSITION",), "POSITION", CtrlMode.POSITION, None])
def test_modes_of_a_controller_are_control_modes(modes: Any) -> None:
    scene = build_scene(SceneSpec([RobotSpec("mjscene:panda", prefix="a/", home="home")]))
    controller = Careless()
    controller.modes = modes
    with pytest.raises(ControllerError, match=r"Careless.modes: expected a tuple of CtrlMode"):
        scene.robots["a"].add_controller(controller)
    assert not scene.robots["a"].controllers


def test_the_report_notes_whose_file_leaves_an_option_open() -> None:
    heavy, light = (
        f'<mujoco model="{name}">{option}<worldbody><body name="b"><joint name="j"/>'
        '<geom size=".1" mass="1"/></body></worldbody></mujoco>'
        for name, option in (("heavy", ""), ("light", '<option gravity="0 0 -1"/>'))
    )
    spec = SceneSpec([RobotSpec(heavy, prefix="h/", pos=(1, 0, 0)), RobotSpec(light, prefix="l/")])
    (row,) = build_scene(spec).report.options
    assert (row.origin, row.note) == ("l", "not set by h, alone at 0 0 -9.81")


def test_a_saved_scene_is_read_by_the_command_line(tmp_path: Path) -> None:
    scene = build_scene(SceneSpec([RobotSpec("mjscene:panda", prefix="a/", home="home")]))
    saved = scene.save(tmp_path / "cell.mjz")
    assert mjscene.cli.main(["check", str(saved)]) == 0
    binary = scene.save(tmp_path / "cell.mjb")
    assert mjscene.cli.main(["check", str(binary)]) == 2


def test_the_table_of_a_run_says_how_far_joints_without_drives_moved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pendulum.urdf"
    file.write_text(
        """<robot name="pendulum"><link name="base"/><link name="rod"><inertial>
        <origin xyz="0.3 0 0"/><mass value="1"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0"
        ixz="0" iyz="0"/></inertial></link><joint name="j" type="continuous"><parent link="base"/>
        <child link="rod"/><axis xyz="0 1 0"/></joint></robot>""",
        encoding="utf-8",
    )
    assert main(["run", str(file), "--seconds", "0.5", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["robots"][0]
    assert told["moved"] > 1.0
    assert told["max_effort"] == 0.0


def test_a_folder_is_said_to_be_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path)]) == 2
    assert "is a folder, not a file" in capsys.readouterr().err


def test_a_fact_of_a_long_list_shows_the_number_that_differs() -> None:
    old, new = list(range(12)), [*range(9), 9.5, 10, 12]
    assert str(Fact(what="ctrl", golden=old, now=new)) == "ctrl[9]: 9 -> 9.5 (and 1 more)"
    near = 0.1 + 0.2
    text = str(Fact(what="gain", golden=0.3, now=near, unit="s"))
    assert text == "gain: 0.3 s -> 0.30000000000000004 s"
