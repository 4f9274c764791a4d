"""Poses and twists that bodies follow, against the closed form of a damped oscillator."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
import pytest
from body_response import OMEGA, STEP, follow, oscillator, world
from command_models import box, box_inertia
from field_models import build
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from mjscene import (
    BodyController,
    ObjectCmd,
    Pose,
    Scene,
    SceneObject,
    Twist,
    Wrench,
)
from mjscene.bodies import rotation_error

Array = NDArray[np.float64]
MASS, TIMES = 2.0, 20
DAMPING = {"underdamped": 0.3, "critical": 1.0, "overdamped": 1.8}


def tolerance(start: float, damping: float, step: float = STEP) -> float:
    """What the integrator may be off.

    The force of a step is that of its beginning and the new velocity moves the body: both are
    early or late by at most a step. The response is thus that of a spring and damper off by
    the factor 1 ± w dt (1 + d), whose phase has turned by about as much when it is largest.
    """
    return abs(start) * OMEGA * step * (1 + damping)


def controller(damping: float, mass: float = MASS, inertia: float = 1.0) -> BodyController:
    """Gains of the natural frequency and a damping ratio, for a mass and a moment of inertia."""
    return BodyController(
        linear=(mass * OMEGA**2, 2 * damping * mass * OMEGA),
        angular=(inertia * OMEGA**2, 2 * damping * inertia * OMEGA),
    )


def translation(damping: float, step: float, times: Array, target: Array) -> Array:
    """How far the box is from the pose it follows, at some times (n, 3)."""
    scene = build(objects=[box(mass=MASS, controller=controller(damping))], options=world(step))
    follow(scene, position=target)
    rows = []
    for t in times:
        scene.step(round(t / step) - scene.steps)
        rows.append(scene.state("cube").pose.position - target)
    return np.array(rows)


@pytest.mark.parametrize("kind", DAMPING)
def test_a_body_goes_to_a_pose_as_its_gains_say(kind: str) -> None:
    damping, target = DAMPING[kind], np.array([0.5, -0.3, 1.8])
    times = np.linspace(0.05, 1.5, TIMES).round(3)
    off = translation(damping, STEP, times, target)
    start = np.array([0, 0, 1]) - target
    for axis in range(3):
        want = oscillator(times, damping, start[axis])
        allowed = tolerance(start[axis], damping)
        assert allowed < 0.02 * abs(start[axis])
        np.testing.assert_allclose(off[:, axis], want, atol=allowed, rtol=0)


def test_what_a_response_is_off_is_the_integrators_order() -> None:
    times, target = np.linspace(0.1, 1.0, 10), np.array([0, 0, 2.0])
    want = oscillator(times, 0.3, -1.0)
    off = [np.abs(translation(0.3, h, times, target)[:, 2] - want).max() for h in (2e-3, 1e-3)]
    assert 1.8 < off[0] / off[1] < 2.2, "first order: half the step, half the error"


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("kind", DAMPING)
def test_a_body_turns_to_a_pose_about_a_principal_axis_as_its_gains_say(
    kind: str, axis: int
) -> None:
    damping, angle = DAMPING[kind], 1.2
    gains = controller(damping, inertia=box_inertia(MASS)[axis])
    scene = build(objects=[box(mass=MASS, controller=gains)], options=world())
    vector = np.zeros(3)
    vector[axis] = angle
    follow(scene, position=(0, 0, 1), orientation=Rotation.from_rotvec(vector).as_quat())
    times = np.linspace(0.05, 1.5, TIMES).round(3)
    rows = []
    for t in times:
        scene.step(round(t / STEP) - scene.steps)
        rows.append(Rotation.from_quat(scene.state("cube").pose.orientation).as_rotvec())
    want = angle - oscillator(times, damping, angle)
    np.testing.assert_allclose(
        np.array(rows)[:, axis], want, atol=tolerance(angle, damping), rtol=0
    )
    others = [k for k in range(3) if k != axis]
    np.testing.assert_allclose(np.array(rows)[:, others], 0, atol=1e-9)


def test_a_body_comes_to_rest_at_the_pose_against_gravity() -> None:
    gains = controller(1.0, inertia=0.05)
    scene = build(objects=[box(mass=MASS, controller=gains)], options=world(0.003))
    turn = Rotation.from_rotvec([0.5, -0.8, 0.3]).as_quat()
    follow(scene, position=(0.4, 0.2, 0.7), orientation=turn)
    scene.step(3500)
    pose = scene.state("cube").pose
    np.testing.assert_allclose(pose.position, (0.4, 0.2, 0.7), atol=1e-9)
    np.testing.assert_allclose(pose.orientation, turn, atol=1e-9)
    np.testing.assert_allclose(scene.data.qvel, 0, atol=1e-8)


@pytest.mark.parametrize("flip", [1, -1])
def test_a_quaternion_and_its_negative_are_the_same_pose(flip: int) -> None:
    scene = build(objects=[box(controller=controller(1.0, inertia=0.05))], options=world())
    follow(scene, position=(0, 0, 1), orientation=flip * np.array([0, 0, 0.6, 0.8]))
    scene.step()
    torque = scene.state("cube").wrench.torque
    assert torque[2] == pytest.approx(0.05 * OMEGA**2 * 2 * math.asin(0.6), rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(one=st.tuples(*[st.floats(-1, 1)] * 4), two=st.tuples(*[st.floats(-1, 1)] * 4))
def test_the_error_of_an_orientation_is_the_axis_angle_of_the_shorter_turn(
    one: Any, two: Any
) -> None:
    quats = np.array([one, two])
    norms = np.linalg.norm(quats, axis=1, keepdims=True)
    if norms.min() < 1e-3:
        return
    now, wanted = quats / norms
    want = Rotation.from_quat(wanted) * Rotation.from_quat(now).inv()
    if want.magnitude() > math.pi - 1e-6:
        return  # either way round is right
    error = rotation_error(now[None, [3, 0, 1, 2]], wanted[None, [3, 0, 1, 2]])[0]
    np.testing.assert_allclose(error, want.as_rotvec(), atol=1e-7)


# Twists


def test_a_twist_is_reached_as_the_damping_gain_says_and_gravity_is_carried() -> None:
    inertia = box_inertia(MASS)[2]
    gains = controller(1.0, inertia=inertia)
    scene = build(objects=[box(mass=MASS, controller=gains)], options=world())
    scene.apply({"cube": ObjectCmd(twist=Twist(linear=(0.5, 0, -0.2), angular=(0, 0, 2)))})
    rate = 2 * OMEGA  # kd / m
    for t in np.linspace(0.02, 0.6, TIMES).round(3):
        scene.step(round(t / STEP) - scene.steps)
        reached = 1 - math.exp(-rate * t)
        twist = scene.state("cube").twist
        off = rate * STEP  # first order, as above
        np.testing.assert_allclose(twist.linear, np.array([0.5, 0, -0.2]) * reached, atol=0.5 * off)
        np.testing.assert_allclose(twist.angular, (0, 0, 2 * reached), atol=2 * off)


def test_a_twist_beside_a_pose_is_the_velocity_that_the_damping_is_about() -> None:
    scene = build(objects=[box(controller=controller(0.5))], options=world(gravity=(0, 0, 0)))
    command = ObjectCmd(
        enable_position_controller=1,
        pose=Pose(position=(0, 0, 1.5)),
        twist=Twist(linear=(0.25, 0, 0)),
    )
    scene.apply({"cube": command})
    scene.step()
    kp, kd = controller(0.5).linear
    np.testing.assert_allclose(
        scene.state("cube").wrench.force, (kd * 0.25, 0, kp * 0.5), rtol=1e-13
    )


# What is followed when the state is changed


def test_the_force_of_a_step_is_that_of_the_pose_a_program_has_just_written() -> None:
    scene = build(objects=[box(controller=controller(1.0))], options=world(gravity=(0, 0, 0)))
    follow(scene, position=(0, 0, 1))
    scene.step(3)
    scene.data.qpos[0] += 1.0
    scene.step()
    force = scene.state("cube").wrench.force
    np.testing.assert_allclose(force, (-MASS * OMEGA**2, 0, 0), rtol=1e-12)


def test_a_mocap_body_is_at_its_pose_after_the_step_and_stays() -> None:
    scene = build(objects=[box("hand", mocap=True)])
    turn = (0, 0, 0.6, 0.8)
    follow(scene, "hand", position=(1, 2, 3), orientation=turn)
    for _ in range(3):
        scene.step()
        pose = scene.state("hand").pose
        np.testing.assert_array_equal(pose.position, (1, 2, 3))
        np.testing.assert_allclose(pose.orientation, turn, atol=1e-16)


def test_what_is_followed_outlives_objects_that_come_and_go() -> None:
    def scene_of(*objects: SceneObject) -> Scene:
        scene = build(objects=[*objects, box(controller=controller(1.0))], options=world())
        follow(scene, position=(0.3, 0, 1.2))
        scene.step(20)
        return scene

    first = box("first", pos=(9, 9, 9))
    scene, plain = scene_of(first), scene_of(first)
    scene.remove_object("first")
    scene.add_object(box("other", pos=(7, 7, 7)))
    scene.step(20)
    plain.step(20)
    assert scene.model.body("cube").id != plain.model.body("cube").id
    for name in ("qpos", "qvel"):
        ours = getattr(scene.data.joint("cube_joint0"), name)
        np.testing.assert_array_equal(ours, getattr(plain.data.joint("cube_joint0"), name))
    scene.remove_object("cube")
    scene.step(5)
    assert len(scene.bodies) == 0


def test_a_reset_stops_following_and_takes_the_force_away() -> None:
    scene = build(objects=[box(controller=controller(1.0))], options=world())
    follow(scene, position=(0.3, 0, 1.2))
    scene.step(20)
    scene.reset()
    scene.step(10)
    assert not scene.data.xfrc_applied.any()
    np.testing.assert_allclose(
        scene.data.qvel[:3], 10 * STEP * np.array([1, -2, -9.81]), rtol=1e-12
    )


def test_a_wrench_takes_the_place_of_a_pose_and_the_other_way_round() -> None:
    scene = build(objects=[box(controller=controller(1.0))], options=world(gravity=(0, 0, 0)))
    for _ in range(2):
        follow(scene, position=(0.3, 0, 1.2))
        scene.step()
        assert mujoco.mju_norm3(scene.state("cube").wrench.force) > 1
        scene.apply({"cube": ObjectCmd(wrench=Wrench(force=(0, 0.5, 0)))})
        scene.step()
        np.testing.assert_array_equal(scene.state("cube").wrench.force, (0, 0.5, 0))
