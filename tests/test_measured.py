"""Joints as arrays: MuJoCo's own numbers by name, read when asked for, sealed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from command_models import BACKWARDS
from field_models import build
from mode_models import POSITION, TORQUE, TWO, rod

from mjscene import AttachmentSpec, CtrlModeSpec, RobotSpec, Scene, SceneObject, site

FIELDS = {"position": "qpos", "velocity": "qvel", "effort": "qfrc_actuator"}
LIMITED = '<position name="p" joint="j" kp="20" kv="2" ctrlrange="-1 1"/>'


def scene_of_two() -> Scene:
    hand = AttachmentSpec(
        rod(LIMITED), attach_to=site("tip"), prefix="h/", name="hand", modes=(CtrlModeSpec(),)
    )
    scene = build(
        RobotSpec(BACKWARDS, prefix="b/"),
        RobotSpec(TWO, prefix="a/", attachments=[hand], pos=(0, -3, 0)),
    )
    scene.data.qvel[:] = np.random.default_rng(4).normal(size=scene.model.nv) * 0.2
    scene.command[:] = (0.1, 0.2, 0.05, 0.3, -0.3, 0.4)
    scene.step(3)
    return scene


def by_name(scene: Scene, field: str, names: Any) -> list[float]:
    return [float(getattr(scene.data.joint(n), field)[0]) for n in names]


ROWS = {
    "the scene": (lambda s: s.joints, ("b/q1", "b/q2", "b/q3", "a/j1", "a/j2", "a/h/j")),
    "a robot": (lambda s: s.robots["b"].joints, ("b/q1", "b/q2", "b/q3")),
    "a robot with a hand": (lambda s: s.robots["a"].joints, ("a/j1", "a/j2", "a/h/j")),
    "the hand": (lambda s: s.robots["a"].attachments["hand"].joints, ("a/h/j",)),
}


@pytest.mark.parametrize("what", ROWS)
@pytest.mark.parametrize("field", FIELDS)
def test_an_array_has_mujocos_numbers_of_the_named_joints(what: str, field: str) -> None:
    scene = scene_of_two()
    get, names = ROWS[what]
    joints = get(scene)
    assert joints.names == names
    assert len(joints) == len(names)
    for _ in range(3):
        want = by_name(scene, FIELDS[field], names)
        np.testing.assert_array_equal(getattr(joints, field), want)
        assert np.abs(want).min() > 0
        scene.step()


@pytest.mark.parametrize("field", [*FIELDS, "command"])
def test_an_array_is_sealed_and_stays_what_it_was(field: str) -> None:
    scene = scene_of_two()
    array = getattr(scene.joints, field)
    before = array.copy()
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 9.0
    scene.command[:] += 0.1
    scene.step(3)
    np.testing.assert_array_equal(array, before)
    assert not np.array_equal(getattr(scene.joints, field), before)


@pytest.mark.parametrize("field", FIELDS)
def test_what_is_measured_cannot_be_set(field: str) -> None:
    with pytest.raises(AttributeError):
        setattr(scene_of_two().joints, field, np.zeros(6))


def test_positions_show_a_direct_write_at_once() -> None:
    scene = scene_of_two()
    scene.data.joint("a/j1").qpos[0] = 0.77
    assert scene.robots["a"].joints.position[0] == 0.77


def test_commands_are_those_of_the_robot_and_of_the_scene() -> None:
    scene = scene_of_two()
    robot = scene.robots["a"]
    robot.command[:] = (0.5, 0.6, 0.7)
    np.testing.assert_array_equal(robot.joints.command, (0.5, 0.6, 0.7))
    np.testing.assert_array_equal(scene.command[3:], (0.5, 0.6, 0.7))
    scene.command[3] = 0.9
    assert robot.command[0] == robot.joints.command[0] == 0.9


def test_saturated_says_which_command_is_beyond_its_range_and_follows_the_mode() -> None:
    scene = scene_of_two()
    joints = scene.robots["a"].joints
    assert joints.saturated.tolist() == [False] * 3
    scene.command[-1] = 1.5
    assert joints.saturated.tolist() == [False, False, True]
    scene.command[-1] = -1.0
    assert joints.saturated.tolist() == [False] * 3
    scene.command[-1] = 1.5
    scene.set_control_mode("a.hand", TORQUE, transfer="hold")
    scene.command[-1] = 1.5
    assert joints.saturated.tolist() == [False] * 3, "the motor has no such range"
    assert scene.robots["a"].ctrl_modes == (POSITION, POSITION, TORQUE)


def test_handles_and_arrays_stay_valid_when_objects_come_and_go() -> None:
    scene = scene_of_two()
    robot, joints, everything = scene.robots["a"], scene.robots["a"].joints, scene.joints
    data = scene.data
    before = joints.position.copy()
    scene.add_object(SceneObject("x", shape="sphere", size=(0.1,), pos=(9, 9, 9)))
    assert scene.data is not data
    assert scene.robots["a"] == robot
    assert scene.joints is everything
    np.testing.assert_array_equal(joints.position, before)
    for _ in range(2):
        scene.step(2)
        for field, name in FIELDS.items():
            np.testing.assert_array_equal(
                getattr(joints, field), by_name(scene, name, joints.names)
            )
            np.testing.assert_array_equal(
                getattr(everything, field), by_name(scene, name, everything.names)
            )
        if "x" in [o.name for o in scene.spec.objects]:
            scene.remove_object("x")
    scene.command[3] = 0.33
    scene.step()
    assert robot.joints.command[0] == 0.33
    assert scene.data.actuator("a/p1").ctrl[0] == 0.33


def test_a_scene_without_joints_has_empty_arrays() -> None:
    scene = build(objects=[SceneObject("x", shape="sphere", size=(0.1,))])
    scene.step(2)
    for field in (*FIELDS, "command", "saturated"):
        assert getattr(scene.joints, field).shape == (0,)
    assert scene.joints.names == ()
