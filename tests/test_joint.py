"""The record of joints: one in four views, names, kinds and limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from field_models import build
from joint_records import FLAGS, GEARED, MODES, NUMBERS, PAIRS, scene_of_two
from mode_models import POSITION, TORQUE, TWO, rod, slider, velocity

from mjscene import (
    CtrlMode,
    CtrlModeSpec,
    JointLimits,
    PhysicsOptions,
    RobotSpec,
    SceneObject,
    UnknownNameError,
)
from mjscene.joint import Joint

# One record seen in four ways


@pytest.mark.parametrize("name", [*NUMBERS, *PAIRS, *FLAGS])
def test_views_of_scene_robot_attachment_and_joint_agree(name: str) -> None:
    scene = scene_of_two()
    whole = getattr(scene.joints, name)
    assert len(whole) == 6
    views = {"b": scene.robots["b"], "a": scene.robots["a"]}
    views["hand"] = views["a"].attachments["hand"]
    for robot in views.values():
        np.testing.assert_array_equal(getattr(robot.joints, name), whole[robot.rows])
    for k, joint in enumerate(scene.joints):
        one = getattr(joint, name)
        np.testing.assert_array_equal(one, whole[k])
        assert isinstance(one, tuple if name in PAIRS else bool if name in FLAGS else float)
    if name in ("position", "velocity", "acceleration", "jerk", "effort", "external_effort"):
        assert np.isfinite(whole).all()


@pytest.mark.parametrize("name", [*NUMBERS, *PAIRS, *FLAGS, "axis"])
def test_every_array_is_sealed_and_a_copy(name: str) -> None:
    scene = scene_of_two()
    array = getattr(scene.joints, name)
    kept = array.copy()
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
    scene.set_control_mode("a", TORQUE)
    scene.joints.contact_threshold = 7.0
    scene.step(5)
    np.testing.assert_array_equal(array, kept)


def test_what_can_be_set_is_set_and_nothing_else() -> None:
    scene = scene_of_two()
    joint = scene.joints["a/j1"]
    for name in ("position_gain", "velocity_gain", "contact_threshold", "collision_threshold"):
        setattr(joint, name, 3.5)
        assert getattr(joint, name) == pytest.approx(3.5, rel=1e-15)
    joint.command = 0.25
    assert scene.command[3] == 0.25
    for name in (*NUMBERS[:-3], *PAIRS, *FLAGS, "name", "type", "axis", "control_method"):
        if not name.endswith("_gain"):
            with pytest.raises(AttributeError):
                setattr(joint, name, 1.0)
    with pytest.raises(AttributeError):
        joint.comand = 1.0  # type: ignore[attr-defined]


# Names


def test_names_are_the_scenes_or_the_files_own() -> None:
    scene = scene_of_two()
    arm = scene.robots["a"]
    for joints, name, full in (
        (scene.joints, "a/j1", "a/j1"),
        (arm.joints, "j1", "a/j1"),
        (arm.joints, "a/j1", "a/j1"),
        (arm.joints, "j", "a/h/j"),
        (arm.joints, "h/j", "a/h/j"),
        (arm.attachments["hand"].joints, "j", "a/h/j"),
    ):
        joint = joints[name]
        assert isinstance(joint, Joint)
        assert joint.name == full
        assert joint.position == scene.data.joint(full).qpos[0]
    assert [j.name for j in arm.joints] == ["a/j1", "a/j2", "a/h/j"]
    assert repr(arm.joints["j2"]) == "<joint 'a/j2', hinge, VELOCITY>"


@pytest.mark.parametrize("name", ["a/j3", "b/q", "elbow", "", 3, None])
def test_an_unknown_name_is_an_error_with_close_ones(name: Any) -> None:
    scene = scene_of_two()
    with pytest.raises(UnknownNameError, match="no joint") as caught:
        scene.joints[name]
    assert caught.value.given == name
    assert "a/j1" in caught.value.allowed
    if name == "a/j3":
        assert "a/j2" in caught.value.close
    with pytest.raises(UnknownNameError):
        scene.robots["a"].joints["q1"]


# What they are, and their limits


def test_kind_axis_mass_and_limits() -> None:
    limits = (
        JointLimits(velocity=3.0, acceleration=[10.0, 20.0]),
        JointLimits(["s"], velocity=np.inf, jerk=100.0),
    )
    scene = build(RobotSpec(GEARED, prefix="g/", modes=MODES, limits=limits))
    joints = scene.robots["g"].joints
    assert joints.types == ("hinge", "slide")
    np.testing.assert_array_equal(joints.axis, [[0, -1, 0], [0, 0.6, 0.8]])
    np.testing.assert_allclose(joints.link_mass, [1.0, 0.7], rtol=1e-15)
    np.testing.assert_array_equal(joints.position_limits, [[-2, 1.5], [-np.inf, np.inf]])
    np.testing.assert_array_equal(joints.velocity_limit, [3.0, np.inf])
    np.testing.assert_array_equal(joints.acceleration_limit, [10.0, 20.0])
    np.testing.assert_array_equal(joints.jerk_limit, [np.inf, 100.0])
    # The force range through the gear of -4, and the motor's controls through its gear.
    np.testing.assert_array_equal(joints.effort_limits, [[-20, 12], [-10, 20]])
    assert joints["h"].position_limits == (-2.0, 1.5)


@pytest.mark.parametrize("mode", CtrlMode)
def test_effort_limits_are_what_the_acting_drive_gives_when_asked_for_the_most(
    mode: CtrlMode,
) -> None:
    modes = [
        CtrlModeSpec(POSITION, joints=["s"], kp=300.0, force_limit=6.0),
        CtrlModeSpec(TORQUE, joints=["h"], force_limit=2.5),
        velocity(20.0, force_limit=1.5),
    ]
    scene = build(RobotSpec(GEARED, modes=modes), options=PhysicsOptions(gravity=(0, 0, 0)))
    robot = scene.robots["geared"]
    robot.set_control_mode(mode)
    low, high = robot.joints.effort_limits.T
    assert np.isfinite([low, high]).all()
    for command, wanted in ((1e4, high), (-1e4, low)):
        scene.data.qpos[:] = scene.data.qvel[:] = 0.0
        robot.command = [command] * 2
        scene.step()
        np.testing.assert_allclose(robot.joints.effort, wanted, rtol=1e-12)


def test_effort_limits_know_the_joints_own_and_that_there_may_be_none() -> None:
    limited = rod('<motor name="m" joint="j" gear="3"/>', joint='actuatorfrcrange="-2 4"')
    joints = build(RobotSpec(limited, prefix="a/"), RobotSpec(slider('<motor joint="s"/>'))).joints
    np.testing.assert_array_equal(joints.effort_limits, [[-2, 4], [-np.inf, np.inf]])


def test_the_handle_of_a_joint_outlives_changes_of_objects() -> None:
    scene = build(RobotSpec(TWO, prefix="a/", modes=(CtrlModeSpec(),)))
    joint = scene.robots["a"].joints["j2"]
    for k in range(3):
        if k < 2:
            scene.add_object(SceneObject(f"o{k}", shape="sphere", size=[0.1], pos=(k, 9, 9)))
        else:
            scene.remove_object("o0")
        joint.command = 0.1 * (k + 1)
        joint.contact_threshold = 3.0 + k
        joint.position_gain = 150.0 + k
        scene.step(20)
        robot = scene.robots["a"]
        assert robot.command[1] == 0.1 * (k + 1)
        assert robot.joints.contact_threshold[1] == 3.0 + k
        assert robot.joints.position_gain[1] == pytest.approx(150.0 + k)
        assert joint.position == robot.joints.position[1] != 0.0
        assert joint.effort == robot.joints.effort[1]
