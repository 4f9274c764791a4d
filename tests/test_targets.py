"""Who is meant by a name: robots, attachments, objects and bodies, and how each can be moved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from command_models import BACKWARDS, CONTROLLER, FIXED, FLOATING, box, branching
from field_models import FLOAT, build
from mode_models import TWO, rod

from mjscene import AttachmentSpec, CommandError, ObjectCmd, RobotSpec, SceneObject, Wrench, site

SERVO = '<position name="p" joint="j" kp="20" kv="2"/>'
FREE_SLED = """<mujoco model="sled"><worldbody><body name="sled" pos="0 0 1">
 <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
 <geom size=".1"/></body></worldbody></mujoco>"""
PUPPET = """<mujoco model="puppet"><worldbody><body name="hand" mocap="true"><geom size=".1"/>
 <body name="thumb" pos=".2 0 0"><geom size=".05"/></body>
 <body name="bell" pos="-.2 0 0"><joint name="swing" axis="0 1 0"/><geom size=".05"/></body>
 </body></worldbody></mujoco>"""
UNNAMED = """<mujoco model="u"><worldbody><body pos="0 0 1"><freejoint name="f"/>
 <geom size=".1" mass="1"/><body><joint name="j" axis="0 1 0"/><geom size=".1" mass="1"/></body>
 </body></worldbody><actuator><position name="p" joint="j" kp="5"/></actuator></mujoco>"""
ASSET = """<mujoco model="tray"><worldbody><body name="tray"><geom size=".1" mass="1.5"/>
 <body name="handle" pos=".2 0 0"><geom size=".02" mass=".1"/></body></body></worldbody></mujoco>"""


def crowd() -> Any:
    return build(
        RobotSpec(FIXED, prefix="arm/"),
        RobotSpec(FLOATING, prefix="fly/", controller=CONTROLLER, watchdog=0.5, pos=(0, 2, 0)),
        RobotSpec(FREE_SLED, prefix="sled/", pos=(0, 4, 0)),
        RobotSpec(PUPPET, prefix="pup/", pos=(0, 6, 0)),
        objects=[
            box("cube", pos=(3, 0, 1), controller=CONTROLLER, watchdog=0.25),
            box("wall", pos=(5, 0, 1), fixed=True),
            box("target", pos=(6, 0, 1), mocap=True),
            SceneObject("tray", path=ASSET, pos=(7, 0, 1)),
        ],
    )


MOVES = {
    "arm": "fixed",
    "arm/base": "fixed",
    "arm/upper": "link",
    "fly": "free",
    "fly/base": "free",
    "fly/lower": "link",
    "sled": "link",
    "pup": "mocap",
    "pup/bell": "link",
    "cube": "free",
    "wall": "fixed",
    "target": "mocap",
    "tray": "free",
    "world": "fixed",
}


@pytest.mark.parametrize("name", MOVES)
def test_a_target_says_how_it_can_be_moved(name: str) -> None:
    target = crowd().target(name, "test")
    assert (target.name, target.moves) == (name, MOVES[name])


def test_a_body_welded_to_a_mocap_body_does_not_move_by_forces_either() -> None:
    scene = crowd()
    with pytest.raises(CommandError, match="does not move by forces"):
        scene.apply({"pup/thumb": ObjectCmd(wrench=Wrench(force=(1, 0, 0)))})
    scene.apply({"pup/bell": ObjectCmd(wrench=Wrench(force=(1, 0, 0)))})


def test_gains_and_watchdog_are_those_of_the_spec_and_of_nothing_else() -> None:
    scene = crowd()
    assert scene.target("fly", "test").controller == CONTROLLER
    assert scene.target("fly", "test").watchdog == 0.5
    assert scene.target("cube", "test").watchdog == 0.25
    for name in ("arm", "fly/base", "fly/lower", "wall", "tray", "world"):
        target = scene.target(name, "test")
        assert (target.controller, target.watchdog) == (None, None)


def test_robots_and_objects_are_roots_and_their_bodies_are_not() -> None:
    scene = crowd()
    roots = {n for n in MOVES if scene.target(n, "test").is_root}
    assert roots == {"arm", "fly", "sled", "pup", "cube", "wall", "target", "tray"}


def test_what_is_below_is_listed_in_model_order() -> None:
    scene = crowd()
    assert scene.target("arm", "test").children_names == ("arm/upper", "arm/lower")
    assert scene.target("pup", "test").children_names == ("pup/thumb", "pup/bell")
    assert scene.target("tray", "test").children_names == ("tray/tray", "tray/handle")
    assert scene.target("fly/upper", "test").children_names == ("fly/lower",)
    assert scene.target("world", "test").joint_names == scene.joint_names


def test_the_parent_is_the_body_that_poses_are_given_in() -> None:
    scene = crowd()
    for name, parent in (("cube", "world"), ("fly", "world"), ("arm/lower", "arm/upper")):
        assert scene.target(name, "test").parent == parent


def test_rows_are_those_of_the_joints_whatever_is_between() -> None:
    scene = build(RobotSpec(TWO, prefix="a/"), RobotSpec(BACKWARDS, prefix="b/", pos=(0, 3, 0)))
    for name, joints in (
        ("a", ("a/j1", "a/j2")),
        ("b", ("b/q1", "b/q2", "b/q3")),
        ("b/b1", ("b/q1", "b/q2", "b/q3")),
        ("b/b2", ("b/q2", "b/q3")),
        ("b/b4", ("b/q3",)),
        ("b/f1", ()),
    ):
        target = scene.target(name, "test")
        assert target.joint_names == joints
        assert [scene.joint_names[r] for r in target.rows] == list(joints)
        for count in range(len(joints) + 1):
            assert [scene.joint_names[r] for r in target.rows[:count]] == list(
                np.array(scene.joint_names)[target.part(count)]
            )


def test_rows_of_a_body_need_not_be_consecutive() -> None:
    """A tool on the upper link comes after both of the robot's own joints."""
    tool = AttachmentSpec(rod(SERVO), attach_to=site("tip"), prefix="h/", name="tool")
    branch = TWO.replace(
        '<body name="lower"', '<body name="side"><site name="other"/></body><body name="lower"'
    ).replace('<body name="side">', '<body name="side"><geom size=".01" mass=".01"/>')
    scene = build(
        RobotSpec(
            branch,
            prefix="a/",
            attachments=[
                tool,
                AttachmentSpec(rod(SERVO), attach_to=site("other"), prefix="s/", name="side"),
            ],
        )
    )
    assert scene.joint_names == ("a/j1", "a/j2", "a/h/j", "a/s/j")
    target = scene.target("a/lower", "test")
    assert target.joint_names == ("a/j2", "a/h/j")
    scene.apply(
        {"a/side": ObjectCmd(joint_cmds=[0.4]), "a/lower": ObjectCmd(joint_cmds=[0.2, 0.3])}
    )
    np.testing.assert_array_equal(scene.command, (0, 0.2, 0.3, 0.4))
    assert scene.target("a.side", "test").joint_names == ("a/s/j",)


def test_a_robot_whose_bodies_have_no_names_can_be_built_and_commanded() -> None:
    scene = build(RobotSpec(UNNAMED, prefix="u/"))
    scene.apply({"u": ObjectCmd(wrench=Wrench(force=(3, 0, 0)), joint_cmds=[0.2])})
    scene.step()
    np.testing.assert_array_equal(scene.data.xfrc_applied[1, :3], (3, 0, 0))
    np.testing.assert_array_equal(scene.command, (0.2,))
    assert scene.state("u").mass == 1.0


def test_a_robot_without_bodies_can_be_built() -> None:
    text = (
        '<mujoco model="ground"><worldbody><geom type="plane" size="1 1 1"/></worldbody></mujoco>'
    )
    scene = build(RobotSpec(text, prefix="g/"))
    assert scene.state("g").joint_names == ()
    assert scene.target("g", "test").moves == "fixed"


@pytest.mark.parametrize("name", ["", "no such", None, 3, ("arm",), 2.5])
def test_an_unknown_name_is_refused(name: Any) -> None:
    scene = branching()
    for _ in range(2):
        with pytest.raises(CommandError) as caught:
            scene.target(name, "here")
        assert caught.value.where == "here"
        assert caught.value.given == name


def test_targets_are_found_anew_when_objects_change() -> None:
    scene = build(RobotSpec(FLOAT, prefix="f/"), objects=[box("first"), box("cube", pos=(3, 0, 1))])
    before = scene.target("cube", "test").body
    scene.remove_object("first")
    after = scene.target("cube", "test").body
    assert before != after == scene.model.body("cube").id
    with pytest.raises(CommandError):
        scene.target("first", "test")


@pytest.mark.parametrize("name", ["\ud800", "", "nobody", 3, None, ["left"]])
def test_a_name_of_nobody_is_refused(name: Any) -> None:
    scene = crowd()
    with pytest.raises(CommandError, match="there is no robot or body"):
        scene.state(name)


def test_what_bodies_publish_is_of_the_state() -> None:
    scene = crowd()
    body = next(n for n in scene.state(next(iter(scene.robots))).children_names if n)
    before = scene.get_state()
    asked = {body: ObjectCmd(publish_joint_names=True, publish_children_names=True)}
    scene.apply(asked)
    after, said = scene.get_state(), scene.state(body).to_dict()
    scene.set_state(before)
    assert scene.state(body).joint_names == ()
    scene.set_state(after)
    assert scene.state(body).to_dict()["joint_names"] == said["joint_names"]
    assert scene.state(body).children_names == tuple(said["children_names"])
