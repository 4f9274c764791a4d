"""What the joint record measures and desires, against values worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from field_models import build
from joint_records import GEARED, MODES, scene_of_two
from mode_models import POSITION, TORQUE, TWO, VELOCITY, rod, velocity

from mjscene import (
    CtrlMode,
    CtrlModeSpec,
    PhysicsOptions,
    RobotSpec,
    SceneObject,
)


@pytest.mark.parametrize("integrator", ["implicitfast", "RK4"])
def test_acceleration_and_jerk_are_differences_and_begin_at_zero(integrator: str) -> None:
    scene = build(RobotSpec(TWO), options=PhysicsOptions(integrator=integrator))
    scene.command[:] = (0.4, -0.3)
    h, joints = 0.002, scene.joints
    assert not joints.acceleration.any()
    assert not joints.jerk.any()
    speeds = [joints.velocity]
    for _ in range(6):
        scene.step()
        speeds.append(joints.velocity)
        wanted = (speeds[-1] - speeds[-2]) / h
        np.testing.assert_allclose(joints.acceleration, wanted, rtol=1e-13)
        if len(speeds) == 2:
            assert not joints.jerk.any()
        else:
            before = (speeds[-2] - speeds[-3]) / h
            jerk = (wanted - before) / h
            np.testing.assert_allclose(joints.jerk, jerk, rtol=1e-9, atol=1e-6)
            assert joints.jerk.all()
    scene.data.qvel[0] = 5.0  # no step has led to it
    scene.step()
    assert abs(joints.acceleration[0]) < 5.0 / h
    assert not joints.jerk.any()
    scene.reset()
    assert not joints.acceleration.any()


def test_a_joint_without_limits_that_has_turned_three_times_is_at_six_pi() -> None:
    scene = build(
        RobotSpec(rod('<velocity name="v" joint="j" kv="50"/>')),
        options=PhysicsOptions(gravity=(0, 0, 0)),
    )
    joint = scene.joints["j"]
    joint.command = 2 * np.pi
    scene.data.qvel[0] = 2 * np.pi
    scene.step(1500)  # three seconds at a turn a second
    assert joint.position == pytest.approx(6 * np.pi, rel=1e-9)
    assert joint.position_limits == (-np.inf, np.inf)


@pytest.mark.parametrize("mode", CtrlMode)
def test_effort_is_the_law_of_the_drive_at_the_state_of_the_step(mode: CtrlMode) -> None:
    modes = [CtrlModeSpec(POSITION, joints=["s"], kp=30.0), CtrlModeSpec(), velocity(20.0)]
    scene = build(RobotSpec(GEARED.replace('forcerange="-3 5"', ""), modes=modes))
    robot = scene.robots["geared"]
    robot.set_control_mode(mode)
    for q, v, command in (((0.1, 0.02), (0.3, -0.2), (0.2, 0.1)), ((-0.4, 0.1), (0, 0.5), (0, 0))):
        scene.data.qpos[:], scene.data.qvel[:] = q, v
        robot.command = command
        scene.step()
        error = np.subtract(command, q)
        kp, kd = np.array([8 * 16, 30.0]), np.array([1 * 16, 0.0])
        wanted = {
            POSITION: kp * error - kd * v,
            TORQUE: np.array(command),
            VELOCITY: 20.0 * np.subtract(command, v),
        }[mode]
        np.testing.assert_allclose(robot.joints.effort, wanted, rtol=1e-12, atol=1e-12)


def test_effort_of_a_filtered_motor_is_what_it_delivers_and_not_the_command() -> None:
    xml = rod('<general name="f" joint="j" gear="2" dyntype="filter" dynprm=".1" gainprm="1"/>')
    scene = build(RobotSpec(xml))
    joint = scene.joints["j"]
    joint.command = 4.0
    activation = 0.0
    for _ in range(50):
        scene.step()
        assert joint.effort == pytest.approx(2 * activation, rel=1e-12)
        activation += 0.002 / 0.1 * (2.0 - activation)
    assert 2 < joint.effort < 3
    assert joint.desired_torque == 4.0


# Desired


def test_what_is_desired_in_each_mode() -> None:
    scene = build(RobotSpec(TWO, modes=MODES))
    arm = scene.robots["two"]
    joints = arm.joints
    arm.command = (0.2, -0.1)
    scene.step(20)
    where = joints.position
    expected: dict[CtrlMode, Any] = {
        POSITION: lambda: ((0.2, -0.1), joints.velocity, joints.acceleration, (0, 0)),
        TORQUE: lambda: (where, joints.velocity, (0, 0), (0.7, -0.6)),
        VELOCITY: lambda: (joints.position, (0.7, -0.6), joints.acceleration, (0, 0)),
    }
    for mode in (POSITION, TORQUE, VELOCITY):
        arm.set_control_mode(mode)
        if mode is not POSITION:
            where = joints.position
            arm.command = (0.7, -0.6)
        for _ in range(10):
            scene.step()
            position, speed, acceleration, torque = expected[mode]()
            np.testing.assert_array_equal(joints.desired_position, position)
            np.testing.assert_array_equal(joints.desired_velocity, speed)
            np.testing.assert_array_equal(joints.desired_acceleration, acceleration)
            np.testing.assert_array_equal(joints.desired_torque, torque)
            taken = (0.2, -0.1) if mode is POSITION else where
            np.testing.assert_array_equal(joints.target_position, taken)
            moving = (0.7, -0.6) if mode is VELOCITY else (0, 0)
            np.testing.assert_array_equal(joints.target_velocity, moving)
        assert joints.control_method == (mode, mode)
    assert np.abs(joints.position - where).min() > 1e-4, "it was taken once"


def test_joints_in_several_modes_have_each_its_own() -> None:
    scene = scene_of_two()
    joints = scene.robots["a"].joints
    scene.set_control_mode("a.hand", TORQUE)
    scene.robots["a"].command = (0.3, 0.5, 0.7)
    scene.step()
    assert joints.control_method == (POSITION, VELOCITY, TORQUE)
    position, speed = joints.position, joints.velocity
    assert joints.desired_position[0] == 0.3
    assert joints.desired_position[1] == position[1]
    assert joints.desired_velocity.tolist() == [speed[0], 0.5, speed[2]]
    assert joints.desired_torque.tolist() == [0, 0, 0.7]
    assert joints.desired_acceleration.tolist() == [*joints.acceleration[:2], 0]


def test_targets_survive_changes_of_objects_and_states() -> None:
    scene = scene_of_two()
    scene.set_control_mode("a", TORQUE)
    scene.step(20)
    wanted = scene.joints.target_position
    state = scene.get_state()
    scene.add_object(SceneObject("far", shape="sphere", size=(0.1,), pos=(9, 9, 9)))
    np.testing.assert_array_equal(scene.joints.target_position, wanted)
    scene.remove_object("far")
    scene.step(5)
    scene.set_control_mode("a", POSITION)
    scene.set_state(state)
    np.testing.assert_array_equal(scene.joints.target_position, wanted)


def test_a_mocap_body_that_moves_every_step_leaves_the_jerk_of_joints_alone() -> None:
    target = SceneObject("target", shape="sphere", size=[0.1], pos=(9, 9, 9), mocap=True)
    alone, beside = (
        build(RobotSpec(TWO, prefix="a/")),
        build(RobotSpec(TWO, prefix="a/"), objects=[target]),
    )
    for k in range(6):
        for scene in (alone, beside):
            scene.robots["a"].command = [0.1 * k, -0.1]
            scene.step()
        beside.data.mocap_pos[0, 2] += 0.01
        np.testing.assert_array_equal(beside.joints.jerk, alone.joints.jerk)
        np.testing.assert_array_equal(beside.joints.acceleration, alone.joints.acceleration)
    assert alone.joints.jerk.all()
