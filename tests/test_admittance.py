"""Joint admittance against its closed form and a slow loop, on real arms.

At rest under an outside torque τ the reference velocity C τ + λ (reference - q) is zero, so that
q = reference + C τ / λ; a velocity servo gives way by τ / kv beside that.
"""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
import pytest
from command_models import FLOATING
from controller_scenes import ARMS, PUSH, arm, robot_of
from field_models import build
from mode_models import effort, rod, velocity
from numpy.typing import NDArray

from mjscene import ControllerError, CtrlMode, PhysicsOptions, RobotSpec, Scene
from mjscene.controllers import GravityCompensation, JointAdmittance

Array = NDArray[np.float64]
C, LAMBDA = 0.075, 2.5  # OpenSoT's 0.00015 and 0.005 per tick of 2 ms, per second


@pytest.fixture(params=ARMS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def settled(kind: str, **fields: Any) -> Scene:
    scene = arm(kind, **fields)
    scene.run(4.0)
    return scene


# -- at rest and pushed ----------------------------------------------------------------------------


def test_at_rest_without_a_push_nothing_is_asked_for(kind: str) -> None:
    """F52: h is what the drives deliver."""
    scene = settled(kind)
    scene.run(8.0)
    controller = robot_of(scene).add_controller(JointAdmittance())
    worst = 0.0
    for _ in range(100):
        scene.step()
        worst = max(worst, np.abs(controller.reference_velocity).max())
    assert worst < 1e-9


def test_attaching_and_removing_it_changes_no_effort(kind: str) -> None:
    scene = settled(kind)
    before = effort(scene)
    controller = robot_of(scene).add_controller(JointAdmittance())
    np.testing.assert_allclose(effort(scene), before, rtol=0, atol=1e-9)
    scene.data.qfrc_applied[:] = PUSH[: scene.model.nv]
    scene.run(0.3)
    before = effort(scene)
    robot_of(scene).remove_controller(controller)
    np.testing.assert_allclose(effort(scene), before, rtol=0, atol=1e-9)
    assert not controller.is_attached
    assert robot_of(scene).ctrl_mode is CtrlMode.POSITION


def test_a_push_moves_joints_by_c_tau_over_lambda_and_they_come_back(kind: str) -> None:
    scene = settled(kind)
    controller = robot_of(scene).add_controller(JointAdmittance())
    push = PUSH[: scene.model.nv]
    scene.data.qfrc_applied[:] = push
    scene.run(6.0)
    moved = scene.joints.position - controller.reference
    np.testing.assert_allclose(moved, C * push / LAMBDA, rtol=1e-3)
    scene.data.qfrc_applied[:] = 0.0
    scene.run(6.0)
    np.testing.assert_allclose(scene.joints.position, controller.reference, rtol=0, atol=3e-4)


@pytest.mark.parametrize(("kv", "omega", "within"), [(500.0, 50.0, 0.03), (2000.0, 10.0, 0.01)])
def test_in_velocity_joints_give_way_by_one_over_kv_beside(
    kind: str, kv: float, omega: float, within: float
) -> None:
    scene = arm(kind, modes=[velocity(kv)])
    robot = robot_of(scene)
    scene.set_control_mode(robot, CtrlMode.VELOCITY)
    robot.add_controller(GravityCompensation())
    robot.command[:] = 0.0
    scene.run(1.0)
    controller = robot.add_controller(JointAdmittance(omega=omega))
    assert robot.ctrl_mode is CtrlMode.VELOCITY
    push = PUSH[: scene.model.nv]
    scene.data.qfrc_applied[:] = push
    scene.run(6.0)
    moved = scene.joints.position - controller.reference
    np.testing.assert_allclose(moved, (C + 1 / kv) * push / LAMBDA, rtol=2e-3)
    np.testing.assert_allclose(moved, C * push / LAMBDA, rtol=within)
    scene.data.qfrc_applied[:] = 0.0
    scene.run(6.0)
    np.testing.assert_allclose(scene.joints.position, controller.reference, rtol=0, atol=3e-4)


def test_a_joint_in_velocity_keeps_the_lag_that_carries_its_load() -> None:
    scene = build(
        RobotSpec(
            rod('<position name="p" joint="j" kp="200" kv="20"/>'),
            prefix="a/",
            modes=[velocity(500.0)],
        )
    )
    scene.run(8.0)
    scene.set_control_mode("a", CtrlMode.VELOCITY)
    before, where = effort(scene), scene.joints.position
    robot_of(scene).add_controller(JointAdmittance())
    scene.step()
    np.testing.assert_allclose(scene.data.qfrc_actuator, before, rtol=0, atol=1e-9)
    scene.run(2.0)
    np.testing.assert_allclose(scene.joints.position, where, rtol=0, atol=1e-9)


def test_a_matrix_couples_the_joints_as_it_says() -> None:
    scene = settled("panda")
    rng = np.random.default_rng(52)
    root = rng.normal(size=(7, 7))
    matrix = 0.02 * (np.eye(7) + root @ root.T / 14)
    lambdas = np.linspace(2.0, 4.0, 7)
    controller = robot_of(scene).add_controller(JointAdmittance(compliance=matrix, lambda_=lambdas))
    push = np.array([0.0, 10.0, 0.0, 0.0, 0.0, 1.0, 0.0])
    scene.data.qfrc_applied[:] = push
    scene.run(6.0)
    moved = scene.joints.position - controller.reference
    np.testing.assert_allclose(moved, matrix @ push / lambdas, rtol=1e-3, atol=1e-6)
    np.testing.assert_array_equal(controller.get_joint_compliance(), matrix)


def test_joints_named_are_the_ones_that_give_way() -> None:
    scene = settled("panda")
    robot = robot_of(scene)
    controller = robot.add_controller(JointAdmittance(), joints=["joint4", "arm/joint2"])
    assert controller.joints.names == ("arm/joint4", "arm/joint2")  # as they are named
    scene.data.qfrc_applied[:] = PUSH
    start = scene.joints.position.copy()
    scene.run(6.0)
    moved = scene.joints.position - start
    np.testing.assert_allclose(moved[[1, 3]], C * PUSH[[1, 3]] / LAMBDA, rtol=1e-3)
    servos = scene.joints.position_gain
    np.testing.assert_allclose(moved[0], PUSH[0] / servos[0], rtol=1e-2)


# -- parameters while it runs ----------------------------------------------------------------------


def test_parameters_change_between_two_steps_and_its_memory_stays() -> None:
    scene = settled("panda")
    robot = robot_of(scene)
    controller = robot.add_controller(JointAdmittance())
    scene.data.qfrc_applied[:] = PUSH
    scene.run(6.0)
    velocity_before, command = controller.reference_velocity, scene.command.copy()
    controller.set_filter_omega(20.0)
    controller.set_filter_damping(0.7)
    controller.set_filter_params(0.008, 0.9, 25.0)
    assert (controller.period, controller.filter.damping, controller.filter.omega) == (
        0.008,
        0.9,
        25.0,
    )
    controller.set_filter_time_step(None)
    scene.step()
    # Settled, so that no filter changes what comes out of it.
    np.testing.assert_allclose(controller.reference_velocity, velocity_before, atol=1e-5)
    np.testing.assert_allclose(scene.command, command, atol=1e-6)
    controller.set_joint_compliance(2 * C)
    np.testing.assert_array_equal(controller.get_joint_compliance(), 2 * C * np.eye(7))
    scene.run(6.0)
    moved = scene.joints.position - controller.reference
    np.testing.assert_allclose(moved, 2 * C * PUSH / LAMBDA, rtol=1e-3)
    controller.lambda_ = 2 * LAMBDA
    scene.run(6.0)
    moved = scene.joints.position - controller.reference
    np.testing.assert_allclose(moved, C * PUSH / LAMBDA, rtol=1e-3)


def test_the_reference_moves_the_arm_there() -> None:
    scene = settled("ur5e")
    controller = robot_of(scene).add_controller(JointAdmittance())
    wanted = controller.reference + 0.1
    controller.reference = wanted
    scene.run(8.0)
    np.testing.assert_allclose(scene.joints.position, wanted, atol=1e-4)
    for bad in (wanted[:3], [math.nan] * 6, "here", None):
        with pytest.raises(ControllerError):
            controller.reference = bad
    np.testing.assert_array_equal(controller.reference, wanted)


def test_a_set_point_stays_within_the_servos_range() -> None:
    scene = settled("panda")
    controller = robot_of(scene).add_controller(JointAdmittance(compliance=5.0))
    scene.data.qfrc_applied[0] = 20.0
    scene.run(2.0)
    assert scene.command[0] == pytest.approx(2.8973)
    assert not scene.joints.saturated[0]
    assert controller.reference_velocity[0] > 1.0


# -- what MuJoCo carries already, and a base that floats ------------------------------------------


@pytest.mark.parametrize("by_drive", [False, True])
@pytest.mark.parametrize("gravcomp", [0.0, 0.6, 1.0])
def test_f52_gravity_compensation_of_the_file_is_no_push(gravcomp: float, by_drive: bool) -> None:
    model = rod(
        '<position name="p" joint="j" kp="200" kv="20"/>',
        joint=f'actuatorgravcomp="{str(by_drive).lower()}" damping="1"',
    ).replace('name="link"', f'name="link" gravcomp="{gravcomp}"')
    scene = build(RobotSpec(model, prefix="a/"))
    scene.run(4.0)
    start = scene.joints.position.copy()
    controller = robot_of(scene).add_controller(JointAdmittance())
    scene.run(1.0)
    assert np.abs(controller.reference_velocity).max() < 1e-9
    np.testing.assert_allclose(scene.joints.position, start, atol=1e-9)
    scene.data.qfrc_applied[0] = 3.0
    scene.run(6.0)
    np.testing.assert_allclose(scene.joints.position - start, C * 3.0 / LAMBDA, rtol=1e-4)


def test_a_floating_base_is_not_moved() -> None:
    scene = build(RobotSpec(FLOATING, prefix="a/"), options=PhysicsOptions(gravity=(0, 0, 0)))
    robot = robot_of(scene)
    controller = robot.add_controller(JointAdmittance())
    assert len(controller.joints) == 2
    assert controller.joints.dof_adr.min() == 6
    body = scene.model.body("a/base").id
    scene.data.xfrc_applied[body, :3] = (3.0, 0.0, 0.0)
    scene.run(0.5)
    # Only what this test pushes with acts from outside.
    assert not scene.data.qfrc_applied.any()
    assert np.flatnonzero(scene.data.xfrc_applied).tolist() == [6 * body]
    momentum = scene.model.body_subtreemass[body] * _velocity_of_mass_centre(scene, body)
    np.testing.assert_allclose(momentum, [1.5, 0, 0], atol=1e-3)


def _velocity_of_mass_centre(scene: Scene, body: int) -> Array:
    jacobian = np.zeros((3, scene.model.nv))
    mujoco.mj_jacSubtreeCom(scene.model, scene.data, jacobian, body)
    return np.asarray(jacobian @ scene.data.qvel)
