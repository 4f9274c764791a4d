"""A robot's handle: its names, the order of its joints, its addresses, its base."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from field_models import ARM, FLOAT, OBJ, build, ids, matrix, world_matrix

from mjscene import AttachmentSpec, ModeError, RobotSpec, SceneObject, site
from mjscene.errors import MjsceneError

TURN = (0.18257418583505536, 0.3651483716701107, 0.5477225575051661, 0.7302967433402214)
KINDS = {
    "body": OBJ.mjOBJ_BODY,
    "joint": OBJ.mjOBJ_JOINT,
    "geom": OBJ.mjOBJ_GEOM,
    "site": OBJ.mjOBJ_SITE,
    "mesh": OBJ.mjOBJ_MESH,
    "texture": OBJ.mjOBJ_TEXTURE,
    "material": OBJ.mjOBJ_MATERIAL,
    "actuator": OBJ.mjOBJ_ACTUATOR,
    "sensor": OBJ.mjOBJ_SENSOR,
    "key": OBJ.mjOBJ_KEY,
    "light": OBJ.mjOBJ_LIGHT,
    "camera": OBJ.mjOBJ_CAMERA,
}
# Joints in a tree: model order is depth first, which is neither by name nor by actuator.
TREE = """<mujoco model="tree"><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
 <texture name="t" type="2d" builtin="flat" width="2" height="2"/><material name="mat" texture="t"/>
 </asset><worldbody><light name="lamp"/><geom name="ground" type="plane" size="1 1 1"/>
 <body name="root" pos="0 0 1"><geom name="g" type="mesh" mesh="m" material="mat"/>
 <camera name="cam"/><body name="a"><joint name="z"/><geom size=".1"/>
 <body name="b"><joint name="m" type="slide"/><geom size=".1"/><site name="tip"/></body></body>
 <body name="c"><joint name="w" type="ball"/><geom size=".1"/>
 <body name="d"><joint name="b"/><joint name="a" axis="1 0 0"/><geom size=".1"/></body></body>
 </body></worldbody><actuator><motor name="ma" joint="a"/><motor name="mm" joint="m"/>
 <motor name="mb" joint="b"/><motor name="mz" joint="z"/></actuator>
 <sensor><jointpos name="s" joint="z"/></sensor></mujoco>"""


def tree_with_tools() -> Any:
    """A tree with a chain of two tools, beside another robot, in front of an object."""
    tools = (
        AttachmentSpec(ARM, attach_to=site("tip"), prefix="t_", name="tool"),
        AttachmentSpec(ARM, attach_to=site("t_tip"), prefix="u_"),
    )
    return build(
        RobotSpec(ARM, prefix="x/", pos=(9, 0, 0)),
        RobotSpec(TREE, prefix="r/", attachments=tools, pos=(1, 2, 3), quat=TURN),
        RobotSpec(TREE, prefix="y/", pos=(0, 9, 0)),
        objects=[SceneObject("cube", shape="box", size=[0.1] * 3, pos=(0, -9, 0))],
    )


# Names and order


def test_joints_are_its_own_in_model_order_and_then_its_attachments() -> None:
    scene = tree_with_tools()
    robot = scene.robots["r"]
    own = ("r/z", "r/m", "r/b", "r/a")
    assert robot.joint_names == (*own, "r/t_j", "r/u_j")
    assert robot.all_joint_names == own
    assert list(robot.attachments) == ["tool", "u"]
    assert robot.attachments["tool"].joint_names == ("r/t_j",)
    assert robot.attachments["u"].joint_names == ("r/u_j",)
    assert scene.robots["x"].joint_names == ("x/j",)
    everyone = [n for r in scene.robots.values() for n in r.joint_names]
    assert list(scene.joint_names) == everyone


def test_addresses_are_those_of_the_named_joints() -> None:
    scene = tree_with_tools()
    handles = [*scene.robots.values(), *scene.robots["r"].attachments.values()]
    assert len(handles) == 5
    for handle in handles:
        joints = ids(scene.model, OBJ.mjOBJ_JOINT, *handle.joint_names)
        assert joints
        np.testing.assert_array_equal(handle.joint_ids, joints)
        np.testing.assert_array_equal(handle.qpos_adr, scene.model.jnt_qposadr[joints])
        np.testing.assert_array_equal(handle.dof_adr, scene.model.jnt_dofadr[joints])


def test_what_is_written_at_the_addresses_moves_those_joints_only() -> None:
    scene = tree_with_tools()
    robot = scene.robots["r"]
    scene.data.qpos[robot.qpos_adr] = np.arange(1, 7)
    for value, name in enumerate(robot.joint_names, 1):
        assert scene.data.joint(name).qpos[0] == value
    for name in (*scene.robots["x"].joint_names, *scene.robots["y"].joint_names):
        assert scene.data.joint(name).qpos[0] == 0
    np.testing.assert_array_equal(scene.data.joint("r/w").qpos, (1, 0, 0, 0))


@pytest.mark.parametrize("robot", ["r", "y"])
def test_every_name_of_every_kind_is_in_the_model_and_has_its_prefix(robot: str) -> None:
    scene = tree_with_tools()
    handle = scene.robots[robot]
    for kind, obj in KINDS.items():
        names = handle.names(kind)
        for name in names:
            assert mujoco.mj_name2id(scene.model, obj, name) >= 0, (kind, name)
        if kind not in ("mesh", "texture"):  # shared ones may go by the name of another robot's
            assert all(name.startswith(handle.prefix) for name in names)
    assert set(handle.names("body")) == {f"{robot}/{n}" for n in ("root", "a", "b", "c", "d")}
    assert handle.names("camera") == (f"{robot}/cam",)


def test_names_of_attachments_are_their_own() -> None:
    robot = tree_with_tools().robots["r"]
    assert robot.attachments["tool"].names("body") == ("r/t_link",)
    assert "r/t_link" not in robot.names("body")
    assert robot.attachments["tool"].prefix == "r/t_"


def test_what_drop_world_removed_is_no_name_any_more() -> None:
    scene = build(RobotSpec(TREE, prefix="r/", drop_world=True))
    assert scene.robots["r"].names("light") == ()
    assert scene.robots["r"].names("geom") == ("r/g",)


@pytest.mark.parametrize(
    ("given", "close"), [("bodies", "body"), ("sensors", "sensor"), ("Joint", "joint")]
)
def test_an_unknown_kind_is_refused_with_near_ones(given: str, close: str) -> None:
    robot = tree_with_tools().robots["r"]
    with pytest.raises(MjsceneError, match="no kind of element") as caught:
        robot.names(given)
    assert close in caught.value.close


def test_handles_are_found_by_both_ways_and_wrong_names_get_near_ones() -> None:
    scene = tree_with_tools()
    assert scene.handle("r") == scene.robots["r"]
    assert scene.handle("r.tool") == scene.robots["r"].attachments["tool"]
    with pytest.raises(ModeError, match=r"'r\.tol'.*'r\.tool'"):
        scene.handle("r.tol")
    with pytest.raises(KeyError, match=r"no attachment 'tol'.*'tool'"):
        scene.robots["r"].attachments["tol"]


def test_a_handle_says_what_it_is_and_has_its_spec() -> None:
    scene = tree_with_tools()
    robot = scene.robots["r"]
    assert "'r'" in repr(robot)
    assert "6 joints" in repr(robot)
    assert robot.name == "r"
    assert robot.spec is scene.spec.robots[1]
    assert robot.attachments["u"].spec is scene.spec.robots[1].attachments[1]


# Base


def test_a_fixed_base_is_where_the_spec_put_it_with_quaternions_xyzw() -> None:
    scene = tree_with_tools()
    robot = scene.robots["r"]
    assert (robot.base_joint, robot.base_body) == (None, "r/root")
    pos, quat = robot.base_pose
    expected = matrix((1, 2, 3), TURN) @ matrix((0, 0, 1))
    np.testing.assert_allclose(matrix(pos, quat), expected, atol=1e-15)
    np.testing.assert_allclose(quat, TURN, atol=1e-15)
    assert scene.robots["x"].base_body == "x/link"


def test_a_floating_base_is_where_its_joint_has_it() -> None:
    scene = build(
        RobotSpec(FLOAT, prefix="a/", pos=(5, 0, 0)),
        RobotSpec(FLOAT, prefix="b/", pos=(1, 2, 3), quat=TURN),
    )
    robot = scene.robots["b"]
    assert (robot.base_joint, robot.base_body) == ("b/root", "b/base")
    scene.data.joint("b/root").qpos[:] = (7, 8, 9, 0.5, 0.5, -0.5, 0.5)
    scene.forward()
    pos, quat = robot.base_pose
    np.testing.assert_array_equal(pos, (7, 8, 9))
    np.testing.assert_allclose(quat, (0.5, -0.5, 0.5, 0.5))
    np.testing.assert_allclose(matrix(pos, quat), world_matrix(scene, "body", "b/base"))


def test_a_base_pose_is_a_copy() -> None:
    scene = build(RobotSpec(FLOAT, prefix="a/"))
    pos, quat = scene.robots["a"].base_pose
    pos[:], quat[:] = 9, 9
    np.testing.assert_array_equal(scene.data.body("a/base").xpos, (0, 0, 1))
    np.testing.assert_array_equal(scene.robots["a"].base_pose[1], (0, 0, 0, 1))


@pytest.mark.parametrize("free", ["<freejoint/>", '<joint name="j"/>', ""])
def test_a_robot_whose_bodies_have_no_names_is_a_robot_too(free: str) -> None:
    file = f"""<mujoco model="n"><worldbody><body pos="0 0 1">{free}
     <geom name="g" size=".1"/></body></worldbody></mujoco>"""
    scene = build(RobotSpec(file, prefix="a/", pos=(2, 0, 0)))
    scene.step(2)
    assert scene.robots["a"].names("geom") == ("a/g",)
    np.testing.assert_array_equal(scene.data.geom("a/g").xpos[:2], (2, 0))


def test_f06_a_loose_body_in_the_file_of_a_fixed_arm_is_not_its_base() -> None:
    loose = '<body name="toy" pos="3 0 0"><freejoint name="toy"/><geom size=".1"/></body>'
    file = ARM.split("<keyframe>")[0].replace("</worldbody>", f"{loose}</worldbody>") + "</mujoco>"
    robot = build(RobotSpec(file, prefix="a/")).robots["a"]
    assert robot.base_joint is None
    assert robot.base_body == "a/link"


@pytest.mark.parametrize("moving", [True, False])
def test_f06_a_mocap_target_in_the_file_is_not_its_base(*, moving: bool) -> None:
    target = '<worldbody><body name="target" mocap="true"><geom size=".01" contype="0"/></body>'
    file = (FLOAT if moving else ARM).replace("<worldbody>", target, 1)
    robot = build(RobotSpec(file.split("<keyframe>")[0] + "</mujoco>", prefix="a/")).robots["a"]
    assert robot.base_body == ("a/base" if moving else "a/link")


def test_an_attachment_has_a_base_of_its_own() -> None:
    scene = tree_with_tools()
    tool = scene.robots["r"].attachments["tool"]
    assert tool.base_body == "r/t_link"
    pos, quat = tool.base_pose
    np.testing.assert_allclose(matrix(pos, quat), world_matrix(scene, "body", "r/t_link"))
