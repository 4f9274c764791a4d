"""Commands of bodies, by hand: wrenches, poses, twists, and what of a message persists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from command_models import (
    CONTROLLER,
    FLOATING,
    SIZE,
    WEIGHTLESS,
    box,
    box_inertia,
    branching,
    two_joints,
)
from field_models import FLOAT, build
from mode_models import TWO
from scipy.spatial.transform import Rotation
from test_commands import NO_POSE, NO_WRENCH, OBJECT_CMD, RIGID_BODY_CMD

from mjscene import CommandError, ObjectCmd, PhysicsOptions, Pose, RobotSpec, Scene, Twist, Wrench

STEP = 0.002
FORCE = np.array([1.0, -2.0, 0.5])


def floating(**fields: Any) -> Scene:
    """A free box without gravity."""
    return build(objects=[box(**fields)], options=WEIGHTLESS)


# Wrenches


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast", "discrete"])
def test_a_force_gives_a_free_body_the_velocity_of_newton(integrator: str) -> None:
    options = PhysicsOptions(gravity=(0, 0, 0), timestep=STEP, integrator=integrator)
    scene = build(objects=[box(mass=2.0)], options=options)
    scene.apply({"cube": ObjectCmd(wrench=Wrench(force=FORCE))})
    for n in (1, 10, 500):
        scene.step(n - scene.steps)
        # v = F t / m: exact for a constant force in every integrator, up to rounding.
        np.testing.assert_allclose(scene.data.qvel[:3], FORCE * n * STEP / 2.0, rtol=1e-11)
        np.testing.assert_array_equal(scene.data.qvel[3:], 0)


def test_a_force_moves_a_body_from_rest_by_the_sum_of_its_velocities() -> None:
    scene = floating(mass=2.0)
    scene.apply({"cube": ObjectCmd(wrench=Wrench(force=FORCE))})
    scene.step(300)
    moved = FORCE / 2.0 * STEP**2 * 300 * 301 / 2  # semi-implicit: the new velocity moves it
    np.testing.assert_allclose(scene.data.qpos[:3] - (0, 0, 1), moved, rtol=1e-11)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_torque_in_world_axes_turns_a_rotated_body_by_the_inertia_it_has_there(axis: int) -> None:
    # A third of a turn about (1, 1, 1) takes the body's x to the world's y, y to z and z to x.
    scene = floating(quat=(0.5, 0.5, 0.5, 0.5))
    torque = np.zeros(3)
    torque[axis] = 0.02
    scene.apply({"cube": ObjectCmd(wrench=Wrench(torque=torque))})
    scene.step(100)
    want = torque * 100 * STEP / box_inertia()[(axis - 1) % 3]
    np.testing.assert_allclose(scene.state("cube").twist.angular, want, rtol=1e-10, atol=1e-15)


def test_a_torque_about_any_axis_turns_by_the_inverse_inertia_in_world_axes() -> None:
    turn = Rotation.from_quat([0.1, -0.3, 0.4, 0.8])
    scene = floating(quat=turn.as_quat())
    torque = np.array([0.3, -0.2, 0.5])
    scene.apply({"cube": ObjectCmd(wrench=Wrench(torque=torque))})
    scene.step()
    matrix = turn.as_matrix()
    want = matrix @ np.diag(1 / box_inertia()) @ matrix.T @ torque * STEP
    # The twist is in the axes after the step, which are turned by about |w| dt = 1e-4 against
    # those before: that is second order in dt and not in the velocity itself.
    body = turn.inv().apply(want)
    np.testing.assert_allclose(scene.data.qvel[3:], body, rtol=1e-12)


def test_a_force_acts_at_the_centre_of_mass_wherever_the_frame_is() -> None:
    off = FLOAT.replace('<geom size=".1" mass="1"/>', '<geom size=".1" mass="1" pos=".3 .2 0"/>')
    scene = build(RobotSpec(off, prefix="a/"), options=WEIGHTLESS)
    scene.apply({"a": ObjectCmd(wrench=Wrench(force=FORCE))})
    scene.step(50)
    np.testing.assert_allclose(scene.data.qvel[:3], FORCE * 50 * STEP, rtol=1e-11)
    np.testing.assert_allclose(scene.data.qvel[3:], 0, atol=1e-13)


def test_a_wrench_on_a_body_inside_a_robot_is_an_outside_force_on_its_joints() -> None:
    scene = two_joints()
    scene.apply({"arm/lower": ObjectCmd(wrench=Wrench(force=(0, 0, 2.0), torque=(0, 0.3, 0)))})
    body = scene.model.body("arm/lower").id
    np.testing.assert_array_equal(scene.data.xfrc_applied[body], (0, 0, 2, 0, 0.3, 0))
    (q1, q2), bias = scene.data.qpos.copy(), scene.data.qfrc_bias.copy()
    scene.step()
    # The joints turn about -y. The centre of lower is 0.15 m from joint 2, which is 0.5 m from
    # joint 1; a force up has the moment of its horizontal distance, a torque of 0.3 about +y -0.3.
    near = 0.15 * np.cos(q1 + q2)
    want = np.array([2.0 * (0.5 * np.cos(q1) + near) - 0.3, 2.0 * near - 0.3])
    # What acts on the joints but for the bias, springs and drives.
    data = scene.data
    smooth = data.qfrc_smooth - data.qfrc_passive - data.qfrc_actuator + bias
    np.testing.assert_allclose(smooth, want, rtol=1e-12, atol=1e-12)


def test_a_wrench_persists_until_it_is_replaced_and_zero_takes_it_away() -> None:
    scene = floating()
    scene.apply({"cube": ObjectCmd(wrench=Wrench(force=(2, 0, 0)))})
    scene.step(10)
    scene.apply({"cube": ObjectCmd()})
    scene.step(10)
    assert scene.data.qvel[0] == pytest.approx(20 * STEP, rel=1e-12)
    scene.apply({"cube": ObjectCmd(wrench=Wrench(force=(0, 4, 0)))})
    scene.step(10)
    assert scene.data.qvel[:2] == pytest.approx([20 * STEP, 20 * STEP], rel=1e-12)
    scene.apply({"cube": ObjectCmd(wrench=Wrench())})
    scene.step(10)
    assert scene.data.qvel[:2] == pytest.approx([20 * STEP, 20 * STEP], rel=1e-12)


def test_one_call_commands_many() -> None:
    scene = branching()
    commands = {
        "cube": ObjectCmd(wrench=Wrench(force=(1, 0, 0))),
        "loose": ObjectCmd(wrench=Wrench(force=(0, 2, 0))),
        "arm": ObjectCmd(joint_cmds=[0.1, 0.2]),
        "arm/lower": ObjectCmd(wrench=Wrench(force=(0, 0, 3))),
    }
    scene.apply(commands)
    forces = scene.data.xfrc_applied
    for name, want in (("cube", (1, 0, 0)), ("loose", (0, 2, 0)), ("arm/lower", (0, 0, 3))):
        np.testing.assert_array_equal(forces[scene.model.body(name).id, :3], want)
    assert np.count_nonzero(forces) == 3
    np.testing.assert_array_equal(scene.robots["arm"].command, (0.1, 0.2))


# The flag


def test_the_wrench_is_meant_when_the_flag_is_0_and_the_pose_when_it_is_1() -> None:
    scene = build(objects=[box(controller=CONTROLLER)], options=WEIGHTLESS)
    both = {"pose": Pose(position=(0, 0, 2)), "wrench": Wrench(force=(7, 0, 0))}
    scene.apply({"cube": ObjectCmd(**both)})
    scene.step()
    np.testing.assert_array_equal(scene.state("cube").wrench.force, (7, 0, 0))
    scene.apply({"cube": ObjectCmd(enable_position_controller=True, **both)})
    velocity = scene.data.qvel[0]
    scene.step()
    np.testing.assert_allclose(
        scene.state("cube").wrench.force, (-20 * velocity, 0, 100 * 1.0), rtol=1e-12, atol=2e-3
    )
    scene.apply({"cube": ObjectCmd(**both)})
    scene.step()
    np.testing.assert_array_equal(scene.state("cube").wrench.force, (7, 0, 0))


def test_a_pose_command_persists_and_a_wrench_of_zero_ends_it() -> None:
    scene = build(objects=[box(controller=CONTROLLER)], options=WEIGHTLESS)
    scene.apply({"cube": ObjectCmd(enable_position_controller=1, pose=Pose(position=(0, 0, 2)))})
    scene.step(5)
    scene.apply({"cube": ObjectCmd()})
    scene.step(5)
    assert len(scene.bodies) == 1
    scene.apply({"cube": ObjectCmd(wrench=Wrench())})
    speed = scene.data.qvel.copy()
    scene.step(5)
    assert len(scene.bodies) == 0
    np.testing.assert_array_equal(scene.data.qvel, speed)
    assert speed[2] > 0


# F49


def test_f49_a_zero_quaternion_is_refused_and_one_that_is_not_read_is_not() -> None:
    with pytest.raises(CommandError, match="unit quaternion"):
        Pose(orientation=(0, 0, 0, 0))
    scene = floating(controller=CONTROLLER)
    scene.apply({"cube": ObjectCmd.from_dict({"pose": NO_POSE, "wrench": NO_WRENCH})})
    scene.step()
    assert not scene.data.xfrc_applied.any()


def test_f49_the_identity_is_0_0_0_1_and_other_turns_are_xyzw() -> None:
    scene = build(objects=[box(mocap=True)])
    for quat in ((0, 0, 0, 1), (0, 0, np.sin(0.3), np.cos(0.3)), (0.5, 0.5, -0.5, 0.5)):
        pose = Pose(position=(1, 2, 3), orientation=quat)
        scene.apply({"cube": ObjectCmd(enable_position_controller=1, pose=pose)})
        scene.step()
        matrix = scene.data.body("cube").xmat.reshape(3, 3)
        np.testing.assert_allclose(matrix, Rotation.from_quat(quat).as_matrix(), atol=1e-15)


def test_f49_a_pose_for_a_fixed_base_names_the_robot() -> None:
    scene = branching()
    command = ObjectCmd(enable_position_controller=1, pose=Pose(), joint_cmds=[0.1, 0.2])
    with pytest.raises(CommandError, match=r"apply\['arm'\]\.pose: robot 'arm' has no free base"):
        scene.apply({"arm": command})


def test_f49_joint_commands_of_the_same_message_are_applied_too() -> None:
    scene = build(RobotSpec(FLOATING, prefix="fly/", controller=CONTROLLER), options=WEIGHTLESS)
    pose = Pose(position=(0, 0, 1.5))
    command = ObjectCmd(enable_position_controller=1, pose=pose, joint_cmds=[0.3, -0.2])
    scene.apply({"fly": command})
    scene.step()
    np.testing.assert_array_equal(scene.robots["fly"].command, (0.3, -0.2))
    assert scene.state("fly").wrench.force[2] == pytest.approx(100 * 0.5, rel=1e-12)


# A bridge sends whole messages


@pytest.mark.parametrize("sent", [OBJECT_CMD, RIGID_BODY_CMD], ids=["object", "rigid body"])
@pytest.mark.parametrize("name", ["arm", "fly", "cube", "loose", "wall", "hand", "arm/lower"])
def test_a_message_that_sets_nothing_can_be_sent_to_anything(
    sent: dict[str, Any], name: str
) -> None:
    scene = branching()
    command, pose = scene.command.copy(), scene.state(name).pose
    scene.apply({name: ObjectCmd.from_dict(sent)})
    np.testing.assert_array_equal(scene.command, command)
    assert not scene.data.xfrc_applied.any()
    assert scene.state(name).pose == pose


def test_a_bridge_is_a_loop_over_dicts() -> None:
    one, other = branching(), branching()
    sent = {
        "arm": {**OBJECT_CMD, "joint_cmds": [0.2, 0.1], "position_controller_mask": [1, 1]},
        "cube": {**OBJECT_CMD, "wrench": {"force": {"x": 1, "y": 2, "z": 3}, "torque": {}}},
    }
    sent["cube"]["wrench"]["torque"] = dict.fromkeys("xyz", 0.1)
    one.apply({name: ObjectCmd.from_dict(message) for name, message in sent.items()})
    other.set_control_mode("arm", "position", transfer="hold")
    other.robots["arm"].command[:] = (0.2, 0.1)
    other.data.xfrc_applied[other.model.body("cube").id] = (1, 2, 3, 0.1, 0.1, 0.1)
    one.step(20)
    other.step(20)
    np.testing.assert_array_equal(one.data.qpos, other.data.qpos)


def test_a_twist_is_a_velocity_command_of_a_body_with_gains() -> None:
    scene = build(objects=[box(controller=CONTROLLER)], options=WEIGHTLESS)
    scene.apply({"cube": ObjectCmd(twist=Twist(linear=(1, 0, 0), angular=(0, 0, 2)))})
    scene.step()
    state = scene.state("cube")
    np.testing.assert_allclose(state.wrench.force, (20.0 * 1.0, 0, 0), rtol=1e-13)
    np.testing.assert_allclose(state.wrench.torque, (0, 0, 1.0 * 2.0), rtol=1e-13)


def test_the_models_of_this_file_are_what_it_says() -> None:
    model = build(objects=[box()]).model
    np.testing.assert_allclose(np.sort(model.body("cube").inertia), np.sort(box_inertia()))
    assert len(set(box_inertia(1.0, SIZE))) == 3
    assert "freejoint" not in TWO
