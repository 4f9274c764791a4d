"""Field cases F06, F18, F19 and F20: whose joint is it, and what is it called."""

from __future__ import annotations

import numpy as np
import pytest
from field_models import ARM, FLOAT, OBJ, alone, build, ids, names_of, refusal

from mjscene import AttachmentSpec, ComposeError, RobotSpec, SceneObject, SceneSpec, SpecError, site
from mjscene.compose import compose

BALL = '<body name="ball" pos="1 2 3"><freejoint/><geom size=".1" mass="1"/></body>'
TWO_FREE = FLOAT.replace("</worldbody>", f"{BALL}</worldbody>").replace(
    'qpos="0 0 1 1 0 0 0"', 'qpos="0 0 1 1 0 0 0 1 2 3 1 0 0 0"'
)


# F06: several free joints in one robot


@pytest.mark.parametrize("pos", [(0, 0, 0), (5, -1, 2)])
def test_f06_the_base_is_the_first_free_body_and_the_other_is_left_alone(
    pos: tuple[float, ...],
) -> None:
    scene = build(RobotSpec(TWO_FREE, prefix="a/", pos=pos))
    robot = scene.robots["a"]
    assert scene.model.nq == 14
    assert (robot.base_joint, robot.base_body) == ("a/root", "a/base")
    assert robot.joint_names == ()
    found, quat = robot.base_pose
    np.testing.assert_array_equal(found, np.add(pos, (0, 0, 1)))
    np.testing.assert_array_equal(quat, (0, 0, 0, 1))
    np.testing.assert_array_equal(scene.data.body("a/ball").xpos, np.add(pos, (1, 2, 3)))
    scene.data.joint("a/ball_joint0").qpos[:3] += 7
    scene.forward()
    np.testing.assert_array_equal(robot.base_pose[0], found)
    scene.data.joint("a/root").qpos[:3] += 7
    scene.forward()
    np.testing.assert_array_equal(robot.base_pose[0], found + 7)


def test_f06_an_unnamed_free_base_has_a_name_and_hinges_beside_it_are_the_robots_joints() -> None:
    walker = """<mujoco model="w"><worldbody><body name="torso" pos="0 0 1"><freejoint/>
     <geom size=".1"/><body name="leg"><joint name="hip"/><geom size=".1"/></body></body>
     <body name="toy"><freejoint name="toy"/><geom size=".1"/></body></worldbody>
     <actuator><motor joint="hip"/></actuator></mujoco>"""
    scene = build(RobotSpec(walker, prefix="a/"), RobotSpec(walker, prefix="b/", pos=(0, 3, 0)))
    for prefix in ("a", "b"):
        robot = scene.robots[prefix]
        assert robot.base_joint == f"{prefix}/torso_joint0"
        assert robot.all_joint_names == robot.joint_names == (f"{prefix}/hip",)
        (joint,) = ids(scene.model, OBJ.mjOBJ_JOINT, f"{prefix}/hip")
        assert robot.qpos_adr.tolist() == [scene.model.jnt_qposadr[joint]]
        assert robot.dof_adr.tolist() == [scene.model.jnt_dofadr[joint]]


def test_f06_a_ball_joint_is_no_joint_to_command() -> None:
    shoulder = ARM.replace('name="j" axis="0 1 0"', 'name="j" type="ball"')
    shoulder = shoulder.replace('qpos=".3" ctrl=".3"', 'qpos="1 0 0 0"')
    scene = build(RobotSpec(shoulder, prefix="a/"))
    assert (scene.model.nq, scene.robots["a"].joint_names) == (4, ())
    assert scene.robots["a"].base_joint is None


# F18: prefixes and labels that are mixed up


def renamed(first: str) -> str:
    """ARM with ``first`` put before the name of each of its elements."""
    text = ARM
    for name in ("j", "link", "g", "tip", "servo", "home"):
        text = text.replace(f'"{name}"', f'"{first}{name}"')
    return text


def test_f18_equal_names_are_refused_before_compiling_and_both_robots_are_named() -> None:
    spec = SceneSpec(
        [RobotSpec(renamed("2_"), prefix="arm"), RobotSpec(renamed("_"), prefix="arm2")]
    )
    with pytest.raises(ComposeError, match=r"'arm2_\w+' is used twice") as caught:
        compose(spec)  # which does not compile
    assert "robot 'arm'" in str(caught.value)
    assert "robot 'arm2'" in str(caught.value)
    assert caught.value.where == "robots[1]"


@pytest.mark.parametrize("kind", ["joint", "body", "geom", "site", "actuator", "key"])
def test_f18_a_clash_of_any_one_kind_is_refused(kind: str) -> None:
    name = {"joint": "j", "body": "link", "geom": "g", "site": "tip"}.get(kind) or {
        "actuator": "servo",
        "key": "home",
    }[kind]
    first = ARM.replace(f'"{name}"', f'"2_{name}"')
    second = renamed("_") if kind != "key" else ARM.replace('"home"', '"_home"')
    error = refusal(RobotSpec(first, prefix="arm"), RobotSpec(second, prefix="arm2"))
    assert f"the {kind} name 'arm2_{name}' is used twice" in str(error)


def test_f18_the_joints_of_arm_are_not_those_of_arm2() -> None:
    scene = build(RobotSpec(ARM, prefix="arm"), RobotSpec(ARM, prefix="arm2", pos=(0, 1, 0)))
    assert scene.robots["arm"].joint_names == ("armj",)
    assert scene.robots["arm2"].joint_names == ("arm2j",)
    assert scene.robots["arm"].names("actuator") == ("armservo",)
    scene.robots["arm"].command[:] = 0.25
    assert scene.robots["arm2"].command.tolist() == [0.0]


def test_f18_a_prefix_or_a_label_that_is_used_twice_is_refused_when_the_spec_is_made() -> None:
    with pytest.raises(SpecError, match=r"prefix 'arm/' is used twice.*robots\[0\].*robots\[1\]"):
        SceneSpec([RobotSpec(ARM, prefix="arm/", name="x"), RobotSpec(ARM, prefix="arm/")])
    with pytest.raises(SpecError, match=r"name 'arm' is used twice"):
        SceneSpec([RobotSpec(ARM, prefix="arm/"), RobotSpec(ARM, prefix="arm_")])
    with pytest.raises(SpecError, match=r"name 'arm' is used twice: robots\[0\] and objects\[0\]"):
        SceneSpec(
            [RobotSpec(ARM, prefix="arm/")], objects=[SceneObject("arm", shape="sphere", size=[1])]
        )


def test_f18_an_attachment_whose_names_meet_those_of_its_robot_is_refused() -> None:
    robot = ARM.replace('"j"', '"t_j"')
    tool = AttachmentSpec(ARM, attach_to=site("tip"), prefix="t_")
    error = refusal(RobotSpec(robot, prefix="a/", attachments=(tool,)))
    assert "the joint name 'a/t_j' is used twice" in str(error)
    assert error.where == "robots[0].attachments[0]"


def test_f18_an_object_named_like_a_body_of_a_robot_is_refused() -> None:
    error = refusal(
        RobotSpec(ARM, name="r"), objects=[SceneObject("link", shape="sphere", size=[0.1])]
    )
    assert "the body name 'link' is used twice" in str(error)
    assert error.where == "objects[0].name"


# F19: names that the file itself has prefixed


def assembly(*subs: str) -> str:
    """A base with ARMs whose names carry a prefix, as an assembled file has them."""
    bodies, actuators = "", ""
    for sub in subs:
        bodies += (
            f'<body name="{sub}link"><joint name="{sub}j" axis="0 1 0"/>'
            f'<geom size=".05" mass="1"/><site name="{sub}tip" pos=".5 0 0"/></body>'
        )
        actuators += f'<motor name="{sub}servo" joint="{sub}j"/>'
    return (
        f'<mujoco model="robot"><worldbody><body name="base"><geom size=".1"/>{bodies}</body>'
        f"</worldbody><actuator>{actuators}</actuator></mujoco>"
    )


@pytest.mark.parametrize("home", [{"sub/j": 0.4}, {"j": 0.4}])
def test_f19_a_joint_is_found_by_its_name_in_the_file_and_by_its_unique_tail(
    home: dict[str, float],
) -> None:
    scene = build(RobotSpec(assembly("sub/"), prefix="R/", home=home))
    assert scene.robots["R"].joint_names == ("R/sub/j",)
    assert scene.data.joint("R/sub/j").qpos[0] == 0.4


@pytest.mark.parametrize("target", ["sub/tip", "tip"])
def test_f19_an_attachment_finds_the_site_by_name_and_by_its_unique_tail(target: str) -> None:
    tool = AttachmentSpec(ARM, attach_to=site(target), prefix="tool/")
    scene = build(RobotSpec(assembly("sub/"), prefix="R/", attachments=(tool,)))
    assert scene.robots["R"].joint_names == ("R/sub/j", "R/tool/j")
    np.testing.assert_array_equal(
        scene.data.body("R/tool/link").xpos, scene.data.site("R/sub/tip").xpos
    )


def test_f19_a_tail_that_is_not_unique_is_refused_with_the_full_names() -> None:
    robot = assembly("left/", "right/")
    error = refusal(RobotSpec(robot, prefix="R/", home={"j": 0.4}))
    assert error.element == "j"
    assert set(error.close) == {"left/j", "right/j"}
    tool = AttachmentSpec(ARM, attach_to=site("tip"), prefix="tool/")
    error = refusal(RobotSpec(robot, prefix="R/", attachments=(tool,)))
    assert set(error.close) == {"left/tip", "right/tip"}


def test_f19_an_unknown_name_lists_near_ones() -> None:
    error = refusal(RobotSpec(assembly("sub/"), prefix="R/", home={"sub/k": 0.4}))
    assert error.close == ("sub/j",)
    assert "'sub/j'" in str(error)


# F20: elements without names, and names that are taken


UNNAMED = """<mujoco model="u"><worldbody><body name="link"><joint axis="0 1 0"/>
 <joint axis="1 0 0"/><geom size=".1"/><body><joint type="slide"/><geom size=".1"/></body></body>
 </worldbody></mujoco>"""


def test_f20_unnamed_joints_are_called_after_their_body_and_stay_so() -> None:
    scenes = [build(RobotSpec(UNNAMED, prefix=p)) for p in ("a/", "b/")]
    for scene, prefix in zip(scenes, "ab", strict=True):
        joints = scene.robots[prefix].all_joint_names
        assert joints[:2] == (f"{prefix}/link_joint0", f"{prefix}/link_joint1")
        assert len(set(joints)) == 3
        assert names_of(scene.model, OBJ.mjOBJ_JOINT, 3) == list(joints)
    assert [n[2:] for n in scenes[0].robots["a"].all_joint_names] == [
        n[2:] for n in scenes[1].robots["b"].all_joint_names
    ]
    assert any("link_joint0" in note for note in scenes[0].report.owners[0].notes)


def test_f20_an_unnamed_joint_is_addressed_by_the_name_it_was_given() -> None:
    text = ARM.replace('name="j" ', "").split("<actuator>")[0] + "</mujoco>"
    scene = build(RobotSpec(text, prefix="a/", home={"link_joint0": 0.25}))
    assert scene.data.qpos.tolist() == [0.25]


@pytest.mark.parametrize("other", ["link_joint0", "link_joint1"])
@pytest.mark.parametrize("first", [True, False])
def test_f20_a_given_name_never_meets_one_of_the_file(other: str, *, first: bool) -> None:
    taken = f'<body name="x"><joint name="{other}"/><geom size=".1"/></body>'
    unnamed = '<body name="link"><joint/><joint axis="1 0 0"/><geom size=".1"/></body>'
    bodies = taken + unnamed if first else unnamed + taken
    scene = build(RobotSpec(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>", prefix="a/"))
    joints = scene.robots["a"].all_joint_names
    assert len(set(joints)) == 3
    (kept,) = ids(scene.model, OBJ.mjOBJ_JOINT, f"a/{other}")
    assert scene.model.body(scene.model.jnt_bodyid[kept]).name == "a/x"


def test_f20_unnamed_actuators_get_names_that_are_free_and_drive_what_they_drove() -> None:
    text = ARM.replace(
        "</actuator>", '<motor joint="j"/><motor name="j_actuator" joint="j" gear="3"/></actuator>'
    ).replace('ctrl=".3"', 'ctrl=".3 0 0"')
    scene = build(RobotSpec(text, prefix="a/"), RobotSpec(text, prefix="b/", pos=(0, 1, 0)))
    names = names_of(scene.model, OBJ.mjOBJ_ACTUATOR, scene.model.nactuator)
    assert len(set(names)) == 6
    assert "" not in names
    file = alone(text)
    for i in range(3):
        (own,) = ids(scene.model, OBJ.mjOBJ_ACTUATOR, scene.robots["b"].names("actuator")[i])
        np.testing.assert_array_equal(scene.model.actuator_gear[own], file.actuator_gear[i])
        assert scene.model.joint(scene.model.actuator_trnid[own, 0]).name == "b/j"


def test_f20_an_objects_joint_never_meets_one_of_a_robot() -> None:
    robot = ARM.replace('"j"', '"cube_joint0"')
    error = refusal(
        RobotSpec(robot, name="r"), objects=[SceneObject("cube", shape="sphere", size=[0.1])]
    )
    assert "'cube_joint0' is used twice" in str(error)
