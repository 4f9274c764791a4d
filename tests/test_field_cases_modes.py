"""Field cases of control modes with their numbers: F30 to F32, F36, F38, F40, F43."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from field_models import ROD, alone, build
from mode_models import POSITION, TORQUE, VELOCITY, acting, effort, rod, velocity

import mjscene
from mjscene import CtrlModeSpec, RobotSpec

SERVO = '<position name="P" joint="j" kp="200" kv="20"/>'
MODES = (CtrlModeSpec(), velocity(20.0))


def rod_scene(actuator: str = SERVO, **fields: str) -> mjscene.Scene:
    return build(RobotSpec(rod(actuator, **fields), modes=MODES))


# F30: clamping of position set-points


@pytest.mark.parametrize(
    ("servo", "modes", "force", "said"),
    [
        ('<position name="p" joint="j" kp="10" inheritrange="1"/>', (), 10.0, True),
        ('<position name="p" joint="j" kp="10"/>', (), 30.0, False),
        ("", (CtrlModeSpec(POSITION, kp=10.0, joints=("j",)),), 10.0, True),
    ],
    ids=["the file clamps", "the file does not", "added"],
)
def test_f30_a_position_beyond_its_range_is_clamped_and_said_so(
    servo: str, modes: tuple[CtrlModeSpec, ...], force: float, said: bool
) -> None:
    head = '<compiler angle="radian"/>'
    scene = build(RobotSpec(rod(servo, joint='range="-1 1"', head=head), modes=modes))
    robot = scene.robots["rod"]
    robot.command = [3.0]
    scene.step()
    assert scene.data.qfrc_actuator[0] == pytest.approx(force)
    assert robot.saturated.tolist() == [said]
    assert robot.command.tolist() == [3.0]
    applied = np.clip(robot.command, *robot.command_limits.T)
    assert applied[0] == pytest.approx(force / 10)


# F31: effort limits when switching to torque


def test_f31_the_joints_limit_holds_and_the_effort_reported_is_the_clamped_one() -> None:
    scene = rod_scene(joint='actuatorfrcrange="-5 5"')
    robot = scene.robots["rod"]
    robot.set_control_mode(TORQUE)
    robot.command = [50.0]
    scene.step()
    assert scene.data.qfrc_actuator[0] == 5.0
    assert scene.actuators["j_torque"].force.tolist() == [5.0], "not 50"
    assert robot.saturated.tolist() == [True]


def test_f31_a_native_force_range_is_carried_to_what_is_added() -> None:
    servo = SERVO.replace('kv="20"', 'kv="20" forcerange="-3 3"')
    scene = rod_scene(servo, joint='actuatorfrcrange="-5 5"')
    robot = scene.robots["rod"]
    for mode in (TORQUE, VELOCITY, POSITION):
        robot.set_control_mode(mode)
        for command, limit in ((50.0, 3.0), (-50.0, -3.0)):
            scene.data.qpos[:] = scene.data.qvel[:] = 0
            robot.command = [command]
            scene.step()
            assert scene.data.qfrc_actuator[0] == limit


# F32: gear of the native actuator


def test_f32_commands_are_in_joint_units_whatever_the_gear() -> None:
    servo = '<position name="p" joint="j" kp="10" kv="1" gear="4"/>'
    option = 'integrator="implicitfast" gravity="0 0 0"'
    scene = rod_scene(servo, option=option)
    robot = scene.robots["rod"]
    robot.command = [0.5]
    scene.step(1500)
    assert scene.data.qpos[0] == pytest.approx(0.5, abs=1e-6)
    assert scene.data.ctrl[0] == pytest.approx(2.0)
    robot.set_control_mode(TORQUE)
    robot.command = [1.0]
    scene.step()
    assert scene.data.qfrc_actuator[0] == pytest.approx(1.0)
    motor = rod_scene('<motor name="m" joint="j" gear="4"/>', option=option)
    motor.robots["rod"].command = [1.0]
    motor.step()
    assert motor.data.qfrc_actuator[0] == pytest.approx(1.0)
    assert motor.data.ctrl[0] == pytest.approx(0.25)


# F36: sag and drift after a switch


def test_f36_a_position_servo_sags_by_its_load_over_its_gain() -> None:
    scene = rod_scene()
    scene.step(3000)
    assert scene.data.qpos[0] == pytest.approx(-0.0122616, abs=1e-7)


def test_f36_velocity_zero_yields_at_the_load_over_the_gain() -> None:
    scene = rod_scene()
    scene.robots["rod"].set_control_mode(VELOCITY, transfer="hold")
    scene.step(50)
    assert scene.data.qpos[0] == pytest.approx(-0.011737, abs=1e-6)
    assert scene.data.qvel[0] == pytest.approx(-0.122618, abs=1e-6)


def test_f36_torque_zero_falls() -> None:
    scene = rod_scene()
    scene.robots["rod"].set_control_mode(TORQUE, transfer="hold")
    scene.forward()
    assert scene.data.qacc[0] == pytest.approx(-28.60527, abs=1e-4)


def test_f36_with_gravity_fed_forward_by_a_bumpless_switch_neither_sags_nor_drifts() -> None:
    scene = rod_scene()
    robot = scene.robots["rod"]
    scene.reset()
    robot.set_control_mode(TORQUE, transfer="hold")
    robot.command = scene.data.qfrc_bias[robot.dof_adr]
    scene.step()
    robot.set_control_mode(POSITION)
    scene.step(3000)
    assert abs(scene.data.qpos[0]) < 1e-6
    robot.set_control_mode(VELOCITY)
    scene.step(50)
    assert abs(scene.data.qvel[0]) < 1e-6


# F38: extra disabled actuators must not change the motion


@pytest.mark.parametrize("integrator", ["Euler", "implicit", "implicitfast", "RK4", "discrete"])
def test_f38_muted_actuators_leave_the_motion_bit_for_bit(integrator: str) -> None:
    xml = rod(SERVO, option=f'integrator="{integrator}"')
    model = alone(xml)
    data = mujoco.MjData(model)
    integral = CtrlModeSpec(POSITION, kp=9.0, ki=3.0, joints=("j",))
    modes = (*MODES, integral)
    scene = build(RobotSpec(xml, modes=modes))
    assert acting(scene) == {"P"}
    scene.data.ctrl[1:] = 3.0
    scene.robots["rod"].command = [0.5]
    data.ctrl[:] = 0.5
    for _ in range(1000):
        mujoco.mj_step(model, data)
        scene.step()
        assert scene.data.qpos[0] == data.qpos[0]
    assert scene.data.ctrl[1:].tolist() == [3.0] * (scene.model.nu - 1)


def test_f38_a_muted_actuator_with_a_state_keeps_it_and_moves_nothing() -> None:
    xml = rod()
    integral = CtrlModeSpec(POSITION, kp=9.0, ki=3.0, joints=("j",))
    scene = build(
        RobotSpec(xml, modes=(CtrlModeSpec(joints=("j",)), integral), initial_mode=TORQUE)
    )
    model = alone(rod('<motor name="T" joint="j"/>'))
    data = mujoco.MjData(model)
    scene.data.ctrl[scene.model.actuator("j_position").id] = 3.0
    scene.robots["rod"].command = [2.0]
    data.ctrl[:] = 2.0
    for _ in range(500):
        mujoco.mj_step(model, data)
        scene.step()
    assert scene.data.qpos[0] == data.qpos[0]
    assert scene.data.act.tolist() == [0.0]


# F40: foreign bits of the mask


def test_f40_a_foreign_bit_stays_over_switches_resets_states_and_objects() -> None:
    scene = rod_scene()
    robot, state = scene.robots["rod"], scene.get_state()
    scene.model.opt.disableactuator |= 1 << 20
    box = mjscene.SceneObject("box", shape="box", size=(0.1, 0.1, 0.1), pos=(0, 0, 9))
    for act in (
        lambda: robot.set_control_mode(TORQUE),
        lambda: robot.set_control_mode(VELOCITY),
        lambda: scene.reset(),
        lambda: scene.set_state(state),
        lambda: scene.add_object(box),
        lambda: robot.set_control_mode(POSITION),
        lambda: scene.remove_object("box"),
    ):
        act()
        assert int(scene.model.opt.disableactuator) & ~0b1110 == 1 << 20
        assert len(acting(scene)) == 1


def test_the_rod_of_the_cases_with_its_three_actuators_on_one_joint_is_unmanaged() -> None:
    # Several actuators on one joint give it no mode: the file's own groups are its program's.
    scene = build(RobotSpec(ROD, regroup=True))
    assert scene.unmanaged == ("P", "V", "T")
    scene.actuators["T"].ctrl = 2.0
    assert effort(scene).tolist() == [2.0]
