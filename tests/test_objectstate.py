"""States of robots and bodies: MuJoCo's own numbers, taken at one time, with AMBF's keys."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import weakref
from typing import Any

import mujoco
import numpy as np
import pytest
from command_models import BACKWARDS, branching, two_joints
from field_models import build
from mode_models import TWO
from stepped import scene_of

from mjscene import (
    CommandError,
    Header,
    ObjectCmd,
    ObjectState,
    Pose,
    RobotSpec,
    Scene,
    SceneObject,
    Wrench,
)

KEYS = {
    "header": {"seq", "stamp", "frame_id"},
    "pose": {"position", "orientation"},
    "wrench": {"force", "torque"},
    "twist": {"linear", "angular"},
    "pInertia": {"x", "y", "z"},
}
PLAIN = {"name", "sim_step", "wall_time", "sim_time", "mass", "children_names"}
LISTS = {"joint_names", "joint_positions", "joint_velocities", "joint_efforts"}


def moving(scene: Scene) -> Scene:
    """The scene with everything in motion, after a few steps."""
    rng = np.random.default_rng(2)
    scene.data.qvel[:] = rng.normal(size=scene.model.nv) * 0.3
    scene.step(4)
    return scene


SCENES = {
    "branching": branching,
    "lively": lambda: scene_of("lively", "implicitfast"),
    "mobile_manipulator": lambda: scene_of("mobile_manipulator", "implicitfast"),
    "humanoid": lambda: scene_of("humanoid", "Euler"),
}


@pytest.mark.parametrize("name", SCENES)
def test_pose_and_twist_of_every_body_are_those_that_mujoco_gives_its_frame(name: str) -> None:
    scene = moving(SCENES[name]())
    model, data = scene.model, scene.data
    velocity, fastest = np.zeros(6), 0.0
    for body in range(1, model.nbody):
        state = scene.state(model.body(body).name)
        w, x, y, z = data.xquat[body]
        np.testing.assert_array_equal(state.pose.position, data.xpos[body])
        np.testing.assert_allclose(state.pose.orientation, (x, y, z, w), rtol=1e-15, atol=1e-16)
        kind = mujoco.mjtObj.mjOBJ_XBODY  # the body's frame; mjOBJ_BODY is its centre of mass
        mujoco.mj_objectVelocity(model, data, kind, body, velocity, 0)
        np.testing.assert_allclose(state.twist.angular, velocity[:3], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(state.twist.linear, velocity[3:], rtol=1e-12, atol=1e-14)
        assert state.mass == model.body_mass[body]
        np.testing.assert_array_equal(state.principal_inertia, model.body_inertia[body])
        fastest = max(fastest, float(np.abs(velocity).max()))
    assert fastest > 0.1


def test_the_twist_of_a_link_is_the_change_of_its_pose() -> None:
    scene = moving(two_joints())
    scene.model.opt.timestep = 1e-6
    before = np.array(scene.state("arm/lower").pose.position)
    scene.step()
    state = scene.state("arm/lower")
    change = (np.array(state.pose.position) - before) / 1e-6
    np.testing.assert_allclose(change, state.twist.linear, atol=1e-4)  # a dt / 2, a < 200 m/s²
    assert np.linalg.norm(change) > 0.05


def test_joints_are_those_that_take_commands_by_name() -> None:
    scene = moving(branching())
    for robot in ("fly", "arm"):
        state = scene.state(robot)
        names = (f"{robot}/j1", f"{robot}/j2")
        assert state.joint_names == names
        data = scene.data
        for numbers, field in (
            (state.joint_positions, "qpos"),
            (state.joint_velocities, "qvel"),
            (state.joint_efforts, "qfrc_actuator"),
        ):
            want = [getattr(data.joint(n), field)[0] for n in names]
            np.testing.assert_array_equal(numbers, want)
            assert np.abs(want).max() > 0


def test_efforts_are_those_of_the_step_just_taken() -> None:
    scene = two_joints()
    command = ObjectCmd(joint_cmds=[1.25, -0.5], position_controller_mask=[0, 0])
    scene.apply({"arm": command})
    scene.step()
    np.testing.assert_array_equal(scene.state("arm").joint_efforts, (1.25, -0.5))


def test_the_wrench_is_what_is_applied_from_outside() -> None:
    scene = branching()
    scene.apply({"cube": ObjectCmd(wrench=Wrench(force=(1, 2, 3), torque=(4, 5, 6)))})
    scene.step()
    assert scene.state("cube").wrench == Wrench(force=(1, 2, 3), torque=(4, 5, 6))
    assert scene.state("loose").wrench == Wrench()


def test_time_and_number_are_of_the_last_step() -> None:
    scene = branching()
    scene.step(7)
    state = scene.state("fly")
    assert (state.sim_step, state.sim_time) == (7, scene.time)
    assert state.header == Header(seq=7, stamp=scene.time, frame_id="world")
    later = scene.state("fly")
    assert 0 < state.wall_time <= later.wall_time
    scene.reset()
    assert (scene.state("fly").sim_step, scene.state("fly").sim_time) == (0, 0.0)


# A snapshot


def test_a_state_stays_what_it_was() -> None:
    scene = moving(branching())
    states = scene.states()
    before = json.dumps([s.to_dict() for s in states.values()])
    scene.apply({"cube": ObjectCmd(wrench=Wrench(force=(1, 0, 0)))})
    scene.step(20)
    scene.remove_object("loose")
    assert json.dumps([s.to_dict() for s in states.values()]) == before
    assert json.dumps(scene.state("cube").to_dict()) not in before


def test_copies_and_pickles_of_a_state_are_what_it_was() -> None:
    scene = moving(branching())
    for name in ("fly", "arm", "cube", "arm/lower"):
        state = scene.state(name)
        said = state.to_dict()
        again = (copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state)))
        scene.step()
        assert scene.state(name).to_dict() != said
        assert [s.to_dict() for s in (state, *again)] == [said] * 4


def test_a_state_keeps_no_model_alive() -> None:
    scene = moving(branching())
    model, state = weakref.ref(scene.data), scene.state("arm")
    del scene
    gc.collect()
    assert model() is None
    assert state.joint_positions.shape == (2,)


def test_joints_with_others_between_them_are_told_apart() -> None:
    scene = moving(build(RobotSpec(BACKWARDS, prefix="b/"), RobotSpec(TWO, prefix="a/")))
    for robot in ("a", "b"):
        state = scene.state(robot)
        for numbers, field in (
            (state.joint_positions, "qpos"),
            (state.joint_velocities, "qvel"),
            (state.joint_efforts, "qfrc_actuator"),
        ):
            want = [getattr(scene.data.joint(n), field)[0] for n in state.joint_names]
            np.testing.assert_array_equal(numbers, want)
            assert not numbers.flags.writeable


def test_a_state_cannot_be_changed() -> None:
    state = moving(branching()).state("arm")
    for name in ("name", "sim_time", "joint_positions", "joint_names", "mass"):
        with pytest.raises(AttributeError):
            setattr(state, name, None)
    for array in (state.joint_positions, state.joint_velocities, state.joint_efforts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9.0


# What is reported


def test_a_root_reports_children_and_joints_and_another_body_nothing() -> None:
    scene = branching()
    fly = scene.state("fly")
    assert fly.children_names == ("fly/upper", "fly/lower")
    assert fly.joint_names == ("fly/j1", "fly/j2")
    for name in ("fly/base", "fly/upper", "world"):
        other = scene.state(name)
        assert (other.children_names, other.joint_names) == ((), ())
        assert len(other.joint_positions) == len(other.joint_efforts) == 0
    cube = scene.state("cube")
    assert (cube.children_names, cube.joint_names) == ((), ())


FLAGS = {
    "publish_children_names": "children_names",
    "publish_joint_names": "joint_names",
    "publish_joint_positions": "joint_positions",
}


@pytest.mark.parametrize("flag", FLAGS)
def test_a_body_reports_what_it_is_asked_for_until_it_is_asked_not_to(flag: str) -> None:
    scene = branching()

    def reported() -> list[str]:
        state = scene.state("fly/upper")
        return [f for f, field in FLAGS.items() if len(getattr(state, field))]

    scene.apply({"fly/upper": ObjectCmd(**{flag: True})})
    assert reported() == [flag]
    scene.step(3)
    scene.apply({"fly/upper": ObjectCmd()})
    assert reported() == [flag], "what is not said stays"
    other = next(f for f in FLAGS if f != flag)
    scene.apply({"fly/upper": ObjectCmd(**{other: True})})
    assert set(reported()) == {flag, other}
    scene.apply({"fly/upper": ObjectCmd(**{other: False})})
    scene.add_object(SceneObject("x", shape="sphere", size=(0.1,), pos=(9, 9, 9)))
    assert reported() == [flag], "an object that comes changes nothing"
    scene.apply({"fly/upper": ObjectCmd(**{flag: False})})
    assert reported() == []


def test_a_body_that_is_asked_reports_the_joints_below_it() -> None:
    scene = moving(branching())
    ask = dict.fromkeys(FLAGS, True)
    scene.apply({n: ObjectCmd(**ask) for n in ("fly/lower", "arm/upper", "fly")})
    lower = scene.state("fly/lower")
    assert (lower.children_names, lower.joint_names) == ((), ("fly/j2",))
    np.testing.assert_array_equal(lower.joint_positions, scene.data.joint("fly/j2").qpos)
    assert scene.state("arm/upper").joint_names == ("arm/j1", "arm/j2")
    assert scene.state("arm/upper").children_names == ("arm/lower",)
    scene.apply({"fly": ObjectCmd(**dict.fromkeys(FLAGS, False))})
    assert len(scene.state("fly").joint_names) == 2, "a root always does"


def test_states_are_of_all_robots_and_objects() -> None:
    scene = branching()
    assert list(scene.states()) == ["fly", "arm", "cube", "loose", "wall", "hand"]
    assert all(state.name == name for name, state in scene.states().items())
    scene.remove_object("loose")
    scene.add_object(SceneObject("late", shape="box", size=(0.1,) * 3, pos=(9, 9, 9)))
    assert list(scene.states()) == ["fly", "arm", "cube", "wall", "hand", "late"]


def test_an_unknown_name_is_refused_with_the_closest_ones() -> None:
    with pytest.raises(CommandError) as caught:
        branching().state("cub")
    assert caught.value.close == ("cube",)
    assert caught.value.where == "state"


# Dicts


def test_a_dict_has_ambfs_keys_and_plain_values() -> None:
    scene = moving(branching())
    for state in scene.states().values():
        given = state.to_dict()
        assert set(given) == {*KEYS, *PLAIN, *LISTS}
        for key, inner in KEYS.items():
            assert set(given[key]) == inner
        assert json.loads(json.dumps(given)) == given
    given = scene.state("fly").to_dict()
    assert given["joint_names"] == ["fly/j1", "fly/j2"]
    assert given["pose"] == scene.state("fly").pose.to_dict()
    assert set(given["pose"]["orientation"]) == set("xyzw")
    assert given["mass"] == 30.0
    assert Pose.from_dict(given["pose"]) == scene.state("fly").pose


def test_a_state_comes_back_from_its_dict() -> None:
    given = moving(branching()).state("arm").to_dict()
    from_dict: Any = ObjectState.from_dict  # type: ignore[attr-defined]
    assert from_dict(given).to_dict() == given
    for key in ("joint_names", "pose", "wrench"):
        with pytest.raises(CommandError):
            from_dict({**given, key: 3})
    with pytest.raises(CommandError, match="unknown key"):
        from_dict({**given, "joint_position": []})


def test_the_models_of_this_file_are_what_it_says() -> None:
    assert TWO.count("<joint") == 2
    model = branching().model
    assert model.body("fly/base").mass[0] == 30.0
