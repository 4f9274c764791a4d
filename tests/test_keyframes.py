"""Keyframes and start poses: whose numbers they are, and where a placement takes them."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from field_models import ARM, FLOAT, OBJ, alone, arm, build, ids, key_of, matrix, refusal
from field_models import world_matrix as pose
from numpy.typing import NDArray

from mjscene import AttachmentSpec, ComposeError, PhysicsOptions, RobotSpec, SceneObject, site

TURN = (0.18257418583505536, 0.3651483716701107, 0.5477225575051661, 0.7302967433402214)
TWO_KEYS = ARM.replace(
    "</keyframe>", '<key name="up" qpos="1.2" qvel="0.5" ctrl="1.1"/></keyframe>'
)
# A flying body, a mocap target and a hinge, with a key in which all of them move.
FLYER = """<mujoco model="flyer"><option gravity="0 0 0"/><worldbody>
 <body name="base" pos="0 0 1" quat=".5 .5 .5 .5"><freejoint name="root"/>
 <geom type="box" size=".1 .2 .3" mass="1" contype="0" conaffinity="0"/>
 <body name="arm" pos=".1 0 0"><joint name="hinge" axis="1 1 0"/>
 <geom size=".05" pos="0 .2 0" mass=".2" contype="0" conaffinity="0"/></body></body>
 <body name="target" mocap="true" pos="1 0 0"><geom size=".05" contype="0" conaffinity="0"/></body>
 </worldbody><keyframe><key name="fly" qpos=".1 .2 .3 .8 .6 0 0 .4" qvel=".5 -.6 .7 1 2 -3 .9"
 mpos="1 2 3" mquat="0 .6 .8 0"/></keyframe></mujoco>"""
MOUNTS = """<mujoco model="mounts"><worldbody>
 <frame name="outer" pos="0 1 0" euler="0 0 30"><frame name="inner" pos="0 0 1" euler="40 0 0">
 <site name="tilted" pos=".1 .2 .3" euler="0 50 0"/></frame></frame></worldbody></mujoco>"""


def file_pose(model: Any, data: Any, body: str) -> NDArray[np.float64]:
    """Pose (4, 4) of a body in a file's own world."""
    result = np.eye(4)
    result[:3, :3] = data.body(body).xmat.reshape(3, 3)
    result[:3, 3] = data.body(body).xpos
    return result


# Whose numbers


def test_a_robots_own_key_leaves_the_others_at_their_homes() -> None:
    scene = build(
        RobotSpec(TWO_KEYS, prefix="a/"),
        RobotSpec(TWO_KEYS, prefix="b/", pos=(0, 1, 0), home="up"),
        RobotSpec(TWO_KEYS, prefix="c/", pos=(0, 2, 0), home=[-0.4]),
    )
    assert key_of(scene, "a/home", "a/j", "a/servo") == (0.3, 0.3)
    assert key_of(scene, "a/home", "b/j", "b/servo") == (1.2, 1.1)
    assert key_of(scene, "a/home", "c/j") == (-0.4,)
    assert key_of(scene, "b/home", "a/j", "a/servo") == (0.0, 0.0)
    assert key_of(scene, "b/home", "b/j", "b/servo") == (0.3, 0.3)


def test_a_merged_key_takes_every_robot_that_has_one_of_that_name() -> None:
    scene = build(
        RobotSpec(TWO_KEYS, prefix="a/"),
        RobotSpec(arm(0.7), prefix="b/", pos=(0, 1, 0), home=[0.6]),
    )
    names = {scene.model.key(i).name for i in range(scene.model.nkey)}
    assert names == {"home", "up", "a/home", "a/up", "b/home"}
    assert key_of(scene, "home", "b/j") == (0.7,)
    assert key_of(scene, "up", "a/j", "a/servo") == (1.2, 1.1)
    assert key_of(scene, "up", "b/j") == (0.6,)  # it has none: its home
    (key,) = ids(scene.model, OBJ.mjOBJ_KEY, "up")
    speed = scene.model.key_qvel[key]
    assert sorted(speed) == [0.0, 0.5]


def test_the_merged_key_of_a_single_robot_is_its_own_in_every_number() -> None:
    timed = ARM.replace('<key name="home"', '<key name="home" time="1.5" qvel=".25"')
    scene = build(RobotSpec(timed, prefix="a/"))
    model = scene.model
    merged, own = ids(model, OBJ.mjOBJ_KEY, "home", "a/home")
    for field in ("qpos", "qvel", "act", "ctrl", "mpos", "mquat", "time"):
        numbers = getattr(model, f"key_{field}")
        np.testing.assert_array_equal(numbers[merged], numbers[own], err_msg=field)
    scene.reset("a/home")
    assert scene.time == 1.5


def test_a_key_without_a_name_follows_the_placement_and_leaves_others_at_home_too() -> None:
    unnamed = FLOAT.replace('<key name="home"', "<key")
    scene = build(
        RobotSpec(unnamed, prefix="f/", pos=(1, 2, 0)), RobotSpec(ARM, prefix="a/", home="home")
    )
    model = scene.model
    named = [model.key(i).name for i in range(model.nkey)]
    (key,) = (i for i, n in enumerate(named) if n not in ("home", "a/home") and n.startswith("f/"))
    root, joint = model.joint("f/root").qposadr[0], model.joint("a/j").qposadr[0]
    np.testing.assert_array_equal(model.key_qpos[key, root : root + 3], (1, 2, 1))
    assert model.key_qpos[key, joint] == 0.3


def test_objects_are_at_their_places_in_every_key() -> None:
    cube = SceneObject("cube", shape="box", size=[0.1] * 3, pos=(3, 4, 5), quat=TURN)
    ghost = SceneObject("ghost", shape="box", size=[0.1] * 3, pos=(6, 7, 8), mocap=True)
    scene = build(RobotSpec(ARM, prefix="a/"), objects=[cube, ghost])
    for key in (None, "home", "a/home"):
        scene.data.qpos[:] = 9
        scene.data.mocap_pos[:] = 9
        scene.reset(key)
        np.testing.assert_allclose(pose(scene, "body", "cube"), matrix((3, 4, 5), TURN), atol=1e-15)
        np.testing.assert_array_equal(scene.data.body("ghost").xpos, (6, 7, 8))


# Where a placement takes them


@pytest.mark.parametrize(
    ("pos", "quat"), [((0, 0, 0), (0, 0, 0, 1)), ((4, -5, 6), (0, 0, 0, 1)), ((4, -5, 6), TURN)]
)
@pytest.mark.parametrize("start", ["key", "merged", "home"])
def test_a_key_of_a_moving_free_body_goes_where_the_file_goes_as_seen_from_its_place(
    pos: Any, quat: Any, start: str
) -> None:
    file = alone(FLYER)
    data = mujoco.MjData(file)
    mujoco.mj_resetDataKeyframe(file, data, 0)
    mujoco.mj_forward(file, data)
    scene = build(
        RobotSpec(ARM, prefix="x/", pos=(20, 0, 0)),
        RobotSpec(FLYER, prefix="f/", pos=pos, quat=quat, home="fly" if start == "home" else None),
    )
    scene.reset({"key": "f/fly", "merged": "fly", "home": None}[start])
    world_from_file = matrix(pos, quat)
    for steps in (0, 1, 100):
        if steps:
            mujoco.mj_step(file, data, steps)
            scene.step(steps)
        for name in ("base", "arm", "target"):
            mujoco.mj_kinematics(file, data)
            mujoco.mj_kinematics(scene.model, scene.data)
            np.testing.assert_allclose(
                pose(scene, "body", f"f/{name}"),
                world_from_file @ file_pose(file, data, name),
                rtol=0,
                atol=1e-11,
                err_msg=name,
            )
    assert np.linalg.norm(data.qvel[:3]) > 0.5


def test_the_linear_velocity_of_a_key_turns_with_the_placement_and_the_angular_does_not() -> None:
    scene = build(RobotSpec(FLYER, prefix="f/", pos=(1, 2, 3), quat=TURN))
    (key,) = ids(scene.model, OBJ.mjOBJ_KEY, "f/fly")
    speed = scene.model.key_qvel[key]
    np.testing.assert_allclose(
        speed[:3], matrix((0, 0, 0), TURN)[:3, :3] @ (0.5, -0.6, 0.7), atol=1e-15
    )
    np.testing.assert_array_equal(speed[3:], (1, 2, -3, 0.9))


def test_a_key_follows_its_robot_onto_a_tilted_site_of_the_world() -> None:
    mounts = RobotSpec(MOUNTS, prefix="m/", pos=(1, 1, 1), quat=TURN)
    flyer = RobotSpec(FLYER, prefix="f/", attach_to=site("m/tilted"), pos=(0.5, 0, 0), quat=TURN)
    scene = build(mounts, flyer)
    world_from_file = pose(scene, "site", "m/tilted") @ matrix((0.5, 0, 0), TURN)
    scene.reset("f/fly")
    np.testing.assert_allclose(
        pose(scene, "body", "f/base"),
        world_from_file @ matrix((0.1, 0.2, 0.3), (0.6, 0, 0, 0.8)),
        atol=1e-14,
    )
    np.testing.assert_allclose(
        pose(scene, "body", "f/target"),
        world_from_file @ matrix((1, 2, 3), (0.6, 0.8, 0, 0)),
        atol=1e-14,
    )


def test_without_a_key_a_free_robot_starts_where_its_file_has_it_seen_from_its_place() -> None:
    scene = build(RobotSpec(FLYER, prefix="f/", pos=(1, 2, 3), quat=TURN))
    expected = matrix((1, 2, 3), TURN) @ matrix((0, 0, 1), (0.5, 0.5, 0.5, 0.5))
    np.testing.assert_allclose(pose(scene, "body", "f/base"), expected, atol=1e-15)


# Home


@pytest.mark.parametrize(
    ("home", "qpos", "ctrl"),
    [
        (None, 0.0, 0.0),
        ("home", 0.3, 0.3),
        ("up", 1.2, 1.1),
        ([0.9], 0.9, None),
        ({"j": 0.9}, 0.9, None),
        ([("j", 0.9)], 0.9, None),
    ],
)
def test_home_is_a_key_or_values_or_a_mapping(home: Any, qpos: float, ctrl: float | None) -> None:
    scene = build(
        RobotSpec(arm(0.5), prefix="x/"), RobotSpec(TWO_KEYS, prefix="a/", pos=(0, 1, 0), home=home)
    )
    scene.step(3)
    scene.reset()
    assert scene.time == 0.0
    assert scene.data.joint("a/j").qpos[0] == qpos
    assert scene.data.joint("x/j").qpos[0] == 0.0
    if ctrl is not None:
        assert scene.data.actuator("a/servo").ctrl[0] == ctrl
    assert scene.data.joint("a/j").qvel[0] == (0.5 if home == "up" else 0.0)


def test_home_takes_speeds_activations_and_controls_of_its_key() -> None:
    filtered = """<mujoco model="f"><worldbody><body name="l"><joint name="j"/>
     <geom size=".1"/></body></worldbody>
     <actuator><general name="m" joint="j" dyntype="filter" dynprm=".1"/></actuator>
     <keyframe><key name="k" qpos=".2" qvel=".4" act=".6" ctrl=".8"/></keyframe></mujoco>"""
    scene = build(RobotSpec(filtered, prefix="a/", home="k"))
    scene.step(5)
    scene.reset()
    joint, actuator = scene.data.joint("a/j"), scene.data.actuator("a/m")
    assert (joint.qpos[0], joint.qvel[0], scene.data.act[0], actuator.ctrl[0]) == (
        0.2,
        0.4,
        0.6,
        0.8,
    )


def test_home_of_attachments_is_their_own() -> None:
    tool = AttachmentSpec(TWO_KEYS, attach_to=site("tip"), prefix="t_", home="up")
    other = AttachmentSpec(TWO_KEYS, attach_to=site("t_tip"), prefix="u_", home={"j": -0.2})
    scene = build(RobotSpec(ARM, prefix="a/", home=[0.1], attachments=(tool, other)))
    found = [scene.data.joint(f"a/{j}").qpos[0] for j in ("j", "t_j", "u_j")]
    assert found == [0.1, 1.2, -0.2]
    scene.reset("a/home")
    found = [scene.data.joint(f"a/{j}").qpos[0] for j in ("j", "t_j", "u_j")]
    assert found == [0.3, 1.2, -0.2]


def test_home_values_leave_free_and_ball_joints_where_they_are() -> None:
    scene = build(RobotSpec(FLYER, prefix="f/", pos=(1, 0, 0), home=[0.7]))
    assert scene.data.joint("f/hinge").qpos[0] == 0.7
    np.testing.assert_array_equal(scene.data.joint("f/root").qpos[:3], (1, 0, 1))


@pytest.mark.parametrize(
    ("home", "words"),
    [
        ("hom", ("no keyframe 'hom'", "'home'")),
        ([0.1, 0.2], ("1 hinge and slide", "got 2")),
        ([], ("1 hinge and slide", "got 0")),
        ({"k": 1.0}, ("'k'",)),
    ],
)
def test_a_home_that_does_not_fit_is_refused(home: Any, words: tuple[str, ...]) -> None:
    error = refusal(RobotSpec(ARM, prefix="a/", home=home))
    assert error.where == "robots[0].home"
    for word in words:
        assert word in str(error)


def test_a_home_for_a_free_joint_by_name_is_refused() -> None:
    error = refusal(RobotSpec(FLOAT, prefix="f/", home={"root": 1.0}))
    assert "'root'" in str(error)


# Reset


def test_reset_goes_back_to_the_start_bit_for_bit() -> None:
    def state(scene: Any) -> NDArray[np.float64]:
        kind = mujoco.mjtState.mjSTATE_INTEGRATION
        result = np.zeros(mujoco.mj_stateSize(scene.model, kind))
        mujoco.mj_getState(scene.model, scene.data, result, kind)
        return result

    scene = build(
        RobotSpec(FLYER, prefix="f/", quat=TURN, home="fly"),
        RobotSpec(TWO_KEYS, prefix="a/", pos=(9, 0, 0), home="up"),
        options=PhysicsOptions(gravity=(0, 0, -9.81)),
    )
    start = state(scene)
    after = []
    for _ in range(2):
        scene.step(25)
        after.append(state(scene))
        scene.data.xfrc_applied[:] = 3
        scene.data.mocap_pos[:] = 3
        scene.step()
        scene.reset()
        np.testing.assert_array_equal(state(scene), start)
    np.testing.assert_array_equal(after[0], after[1])
    assert (after[0] != start).any()


def test_an_unknown_key_is_refused_with_near_names_and_nothing_moves() -> None:
    scene = build(RobotSpec(ARM, prefix="a/"))
    scene.step(5)
    before = scene.time, scene.data.qpos.copy()
    with pytest.raises(ComposeError, match=r"no keyframe 'hme'.*'home'") as caught:
        scene.reset("hme")
    assert caught.value.where == "reset.keyframe"
    assert (scene.time, scene.data.qpos) == before
