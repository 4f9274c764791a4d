"""Joint impedance against the closed forms of springs, dampers and oscillators."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from body_response import oscillator
from controller_scenes import ARMS, PUSH, arm, everything_ruled, robot_of
from field_models import build
from mode_models import TWO, assert_same, effort, rod

from mjscene import CommandError, ControllerError, CtrlMode, CtrlModeSpec, PhysicsOptions, RobotSpec
from mjscene.controllers import JointImpedance

INERTIA = 2.4525 / 28.6053  # of the capsule about its end: F36 [kg m²]
STEP = 0.0005


def one_joint(**fields: Any) -> Any:
    """A rod on a motor, in gravity, with friction and a spring that the law has to cancel."""
    model = rod('<motor name="T" joint="j" gear="5"/>', **fields)
    return build(RobotSpec(model, prefix="a/"), options=PhysicsOptions(timestep=STEP))


@pytest.mark.parametrize("seed", range(20))
def test_one_joint_answers_like_an_oscillator_of_second_order(seed: int) -> None:
    """I q'' + D q' + K (q - q_d) = 0 in gravity, whatever spring or damping the joint has."""
    rng = np.random.default_rng(seed)
    joint = f'damping="{rng.uniform(0, 0.2):.3f}" stiffness="{rng.uniform(0, 3):.3f}"'
    scene = one_joint(joint=joint)
    inertia = float(scene.model.dof_M0[0])
    assert inertia == pytest.approx(INERTIA, rel=1e-5)
    omega, zeta, step = rng.uniform(4, 12), rng.uniform(0.2, 1.8), rng.uniform(0.1, 0.6)
    controller = robot_of(scene).add_controller(
        JointImpedance(inertia * omega**2, 2 * zeta * omega * inertia)
    )
    start = scene.joints.position[0]
    controller.set_target([start + step])
    times, found = [], []
    for _ in range(round(6 / omega / STEP)):
        scene.step()
        times.append(scene.time)
        found.append(scene.joints.position[0])
    wanted = start + step - oscillator(np.array(times), zeta, step, omega)
    # Euler's first order: the error is at most about omega STEP of the step.
    np.testing.assert_allclose(found, wanted, rtol=0, atol=step * omega * STEP)


@pytest.mark.parametrize("kind", ARMS)
def test_under_a_push_the_joints_give_way_by_the_inverse_of_k(kind: str) -> None:
    scene = _torque(kind)
    n = scene.model.nv
    rng = np.random.default_rng(11)
    root = rng.normal(size=(n, n))
    # Springs of a corner that fits the joints: a wrist has a hundredth of a shoulder's inertia.
    share = np.sqrt(scene.model.dof_M0)
    stiffness = 10.0**2 * share[:, None] * (np.eye(n) + root @ root.T / (2 * n)) * share
    controller = robot_of(scene).add_controller(
        JointImpedance(stiffness, 2 * 10.0 * scene.model.dof_M0)
    )
    push = 0.3 * PUSH[:n]
    scene.data.qfrc_applied[:] = push
    scene.run(12.0 if kind == "panda" else 4.0)
    moved = scene.joints.position - controller.target[0]
    np.testing.assert_allclose(moved, np.linalg.solve(stiffness, push), rtol=1e-3)
    scene.data.qfrc_applied[:] = 0.0
    scene.run(12.0 if kind == "panda" else 4.0)
    np.testing.assert_allclose(scene.joints.position, controller.target[0], atol=1e-4)


def _torque(kind: str) -> Any:
    return arm(kind, modes=[CtrlModeSpec(CtrlMode.TORQUE)])


@pytest.mark.parametrize("kind", ARMS)
def test_it_takes_torque_and_gives_the_mode_back_without_a_jump(kind: str) -> None:
    scene = _torque(kind)
    robot = robot_of(scene)
    scene.run(2.0)
    before = effort(scene)
    inertia = scene.model.dof_M0
    controller = robot.add_controller(JointImpedance(15.0**2 * inertia, 30.0 * inertia))
    assert robot.ctrl_mode is CtrlMode.TORQUE
    np.testing.assert_allclose(effort(scene), before, rtol=0, atol=1e-9)
    where = scene.joints.position
    scene.run(1.0)
    np.testing.assert_allclose(scene.joints.position, where, atol=1e-6)
    before = effort(scene)
    robot.remove_controller(controller)
    assert robot.ctrl_mode is CtrlMode.POSITION
    np.testing.assert_allclose(effort(scene), before, rtol=0, atol=1e-9)
    robot.command[:] = robot.command
    scene.run(1.0)
    np.testing.assert_allclose(scene.joints.position, where, atol=1e-5)


def test_it_follows_a_target_that_moves() -> None:
    """With the target's velocity a steady motion is followed without a lag."""
    scene = one_joint()
    controller = robot_of(scene).add_controller(JointImpedance(30.0, 3.0))
    start = scene.joints.position[0]
    for _ in range(4000):
        ahead = start + 0.2 * (scene.time + STEP)
        controller.set_target([ahead], [0.2])
        scene.step()
    assert scene.joints.position[0] == pytest.approx(start + 0.2 * scene.time, abs=2e-4)


def test_gains_are_numbers_rows_or_matrices_and_all_mean_the_same() -> None:
    courses = []
    for gain in (1.0, [1.0, 1.0], np.eye(2)):
        scene = build(RobotSpec(TWO, prefix="a/"))
        controller = robot_of(scene).add_controller(
            JointImpedance(np.multiply(50.0, gain), np.multiply(5.0, gain))
        )
        controller.set_target([0.3, -0.2])
        scene.run(0.2)
        courses.append(scene.data.qpos.copy())
    np.testing.assert_array_equal(courses[0], courses[1])
    np.testing.assert_array_equal(courses[0], courses[2])
    assert np.abs(courses[0]).min() > 0.01


def test_gains_change_while_it_runs() -> None:
    scene = build(RobotSpec(TWO, prefix="a/"))
    controller = robot_of(scene).add_controller(JointImpedance(50.0, 10.0))
    scene.data.qfrc_applied[:] = (2.0, 1.0)
    scene.run(6.0)
    controller.stiffness = 100.0
    controller.damping = [12.0, 8.0]
    scene.run(6.0)
    np.testing.assert_allclose(scene.joints.position, [0.02, 0.01], atol=1e-6)


BAD = {
    "negative": -1.0,
    "nan": math.nan,
    "word": "stiff",
    "asymmetric": [[1.0, 0.5], [0.0, 1.0]],
    "indefinite": [[1.0, 2.0], [2.0, 1.0]],
    "none": None,
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_a_gain_that_is_none_is_refused(bad: Any) -> None:
    for make in (lambda: JointImpedance(bad, 1.0), lambda: JointImpedance(1.0, bad)):
        with pytest.raises(ControllerError):
            make()
    scene = build(RobotSpec(TWO, prefix="a/"))
    controller = robot_of(scene).add_controller(JointImpedance(5.0, 1.0))
    with pytest.raises(ControllerError):
        controller.stiffness = bad
    with pytest.raises(ControllerError):
        controller.damping = bad
    np.testing.assert_array_equal([controller.stiffness, controller.damping], [5.0, 1.0])


def test_what_does_not_fit_its_joints_is_refused_and_nothing_changes() -> None:
    scene = build(RobotSpec(TWO, prefix="a/"))
    robot = robot_of(scene)
    before = everything_ruled(scene)
    for stiffness in ([1.0] * 3, np.eye(3)):
        with pytest.raises(ControllerError):
            robot.add_controller(JointImpedance(stiffness, 1.0))
    assert_same(everything_ruled(scene), before)
    controller = robot.add_controller(JointImpedance(5.0, 1.0))
    for bad in ([1.0, 2.0, 3.0], [math.nan, 0.0], "home", None, [[0.0, 0.0]]):
        with pytest.raises(ControllerError):
            controller.set_target(bad)  # type: ignore[arg-type]
    with pytest.raises(ControllerError):
        controller.set_target([1.0, 1.0], [0.0])
    np.testing.assert_array_equal(controller.target, np.zeros((2, 2)))
    with pytest.raises(CommandError, match="controller 'joint_impedance'"):
        robot.command = [0.0, 0.0]


def test_another_robot_in_the_pass_does_not_change_a_bit() -> None:
    courses = []
    for together in (False, True):
        scene = build(
            *(
                RobotSpec("mjscene:panda", prefix=f"{p}/", pos=(0, 2.0 * k, 0), home="home")
                for k, p in enumerate("ab")
            )
        )
        coupled = 20.0 * np.eye(7) + 1.7
        robot_of(scene).add_controller(JointImpedance(coupled, 0.1 * coupled))
        if together:
            robot_of(scene, 1).add_controller(JointImpedance(2.3 * coupled, 0.3 * coupled))
        robot_of(scene).controllers["joint_impedance"].set_target(  # type: ignore[attr-defined]
            robot_of(scene).joints.position + 0.1 * np.arange(7)
        )
        scene.run(0.2)
        courses.append(robot_of(scene).joints.effort)
    np.testing.assert_array_equal(*courses)


def test_gains_and_targets_are_in_the_order_in_which_joints_are_named() -> None:
    courses = []
    for names, order in ((["j1", "j2"], [0, 1]), (["j2", "j1"], [1, 0])):
        scene = build(RobotSpec(TWO, prefix="a/"))
        stiffness = np.array([[60.0, 5.0], [5.0, 20.0]])[np.ix_(order, order)]
        controller = robot_of(scene).add_controller(
            JointImpedance(stiffness, np.array([6.0, 2.0])[order]), joints=names
        )
        assert controller.joints.names == tuple(f"a/{n}" for n in names)
        controller.set_target(np.array([0.3, -0.2])[order])
        scene.run(0.1)
        before = scene.get_state()
        scene.run(0.1)
        courses.append(scene.data.qpos.copy())
        scene.set_state(before)
        robot_of(scene).stop()
        robot_of(scene).recover()
        robot_of(scene).remove_controller(controller)
        assert robot_of(scene).ctrl_mode is CtrlMode.POSITION
    np.testing.assert_allclose(*courses, rtol=0, atol=1e-13)
    assert np.abs(courses[0]).min() > 0.01
