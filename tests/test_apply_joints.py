"""Commands of joints: masks and types on moving arms, partial arrays, and who gets which number."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from command_models import BACKWARDS, rows_of, two_joints
from field_models import build
from mode_models import POSITION, TORQUE, TWO, VELOCITY, rod, velocity
from numpy.typing import NDArray

from mjscene import (
    AttachmentSpec,
    CommandError,
    CtrlModeSpec,
    ObjectCmd,
    RobotSpec,
    Scene,
    SceneObject,
    Wrench,
    site,
)

MODES = (CtrlModeSpec(), velocity(5.0))
KP, KV = np.array([200.0, 100.0]), np.array([20.0, 10.0])  # of TWO's servos
Array = NDArray[np.float64]


def three(**fields: Any) -> Scene:
    """Three rods in a row on one robot named ``r``, each with a servo of its own gains."""
    link = '<body name="l{0}" pos=".3 0 0"><joint name="j{0}" axis="0 -1 0" damping="1"/>'
    link += '<geom size=".03" pos=".2 0 0" mass=".3" contype="0" conaffinity="0"/>'
    servos = "".join(
        f'<position name="p{i}" joint="j{i}" kp="{50 - 10 * i}" kv="4"/>' for i in (1, 2, 3)
    )
    text = f"""<mujoco model="three"><option timestep="0.002" integrator="implicitfast"/>
     <worldbody>{"".join(link.format(i) for i in (1, 2, 3))}{"</body>" * 3}</worldbody>
     <actuator>{servos}</actuator></mujoco>"""
    return build(RobotSpec(text, prefix="r/", modes=MODES, **fields))


def efforts_after(scene: Scene) -> tuple[Array, Array, Array]:
    """Positions and velocities before a step, and the drives' efforts in it."""
    table = scene.control.table
    q, v = scene.data.qpos[table.qpos_adr].copy(), scene.data.qvel[table.dof_adr].copy()
    scene.step()
    return q, v, scene.data.qfrc_actuator[table.dof_adr].copy()


# The table's rows


def test_a_mask_of_1_and_0_gives_a_servos_law_and_the_commanded_effort() -> None:
    scene = two_joints()
    for command in ([0.5, 1.5], [-0.2, -3.25]):
        message = ObjectCmd(joint_cmds=command, position_controller_mask=[1, 0])
        scene.apply({"arm": message})
        q, v, effort = efforts_after(scene)
        assert (np.abs(v) > 0.01).all(), "the arm moves"
        # Exactly but for the rounding of three terms of up to a few hundred N m.
        assert effort[0] == pytest.approx(KP[0] * (command[0] - q[0]) - KV[0] * v[0], abs=1e-12)
        assert effort[1] == command[1]
        assert scene.robots["arm"].ctrl_modes == (POSITION, TORQUE)


@pytest.mark.parametrize("mask", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_every_mask_gives_its_laws(mask: tuple[int, int]) -> None:
    scene = two_joints()
    command = np.array([0.4, -0.7])
    scene.apply({"arm": ObjectCmd(joint_cmds=command, position_controller_mask=mask)})
    q, v, effort = efforts_after(scene)
    want = np.where(mask, KP * (command - q) - KV * v, command)
    np.testing.assert_allclose(effort, want, atol=1e-12, rtol=0)


@pytest.mark.parametrize("first", [POSITION, TORQUE, VELOCITY])
@pytest.mark.parametrize("second", [POSITION, TORQUE, VELOCITY])
def test_types_give_each_joint_its_mode_and_law_at_once(first: Any, second: Any) -> None:
    scene = two_joints(modes=MODES)
    command, types = np.array([0.4, -0.7]), (first, second)
    scene.apply({"arm": ObjectCmd(joint_cmds=command, joint_cmd_types=types)})
    q, v, effort = efforts_after(scene)
    laws = {POSITION: KP * (command - q) - KV * v, TORQUE: command, VELOCITY: 5.0 * (command - v)}
    want = [laws[mode][k] for k, mode in enumerate(types)]
    np.testing.assert_allclose(effort, want, atol=1e-12, rtol=0)
    assert scene.robots["arm"].ctrl_modes == types


def test_without_a_mask_a_number_is_in_the_unit_of_its_joints_mode() -> None:
    scene = two_joints(modes=MODES)
    scene.set_control_mode("arm", VELOCITY, ["j1"])
    scene.set_control_mode("arm", TORQUE, ["j2"])
    scene.apply({"arm": ObjectCmd(joint_cmds=[0.4, -0.7])})
    _, v, effort = efforts_after(scene)
    np.testing.assert_allclose(effort, [5.0 * (0.4 - v[0]), -0.7], atol=1e-13)
    assert scene.robots["arm"].ctrl_modes == (VELOCITY, TORQUE)


def test_missing_entries_of_a_mask_are_efforts_and_entries_beyond_the_numbers_say_nothing() -> None:
    scene = three()
    scene.apply({"r": ObjectCmd(joint_cmds=[0.1, 0.2, 0.3], position_controller_mask=[1])})
    assert scene.robots["r"].ctrl_modes == (POSITION, TORQUE, TORQUE)
    scene.apply({"r": ObjectCmd(joint_cmds=[0.1], position_controller_mask=[1, 1, 1])})
    assert scene.robots["r"].ctrl_modes == (POSITION, TORQUE, TORQUE)
    scene.apply({"r": ObjectCmd(joint_cmds=[0.1, 0.2], position_controller_mask=[])})
    assert scene.robots["r"].ctrl_modes == (TORQUE, TORQUE, TORQUE)


# F45


@pytest.mark.parametrize("count", [0, 1, 2, 3])
@pytest.mark.parametrize("masked", [None, 0, 1, 2, 3])
def test_f45_numbers_reach_the_first_joints_and_the_others_keep_theirs(
    count: int, masked: int | None
) -> None:
    scene = three()
    before = np.array([0.11, 0.22, 0.33])
    scene.apply({"r": ObjectCmd(joint_cmds=before)})
    scene.step(3)
    modes = list(scene.robots["r"].ctrl_modes)
    numbers = [0.5, 0.6, 0.7][:count]
    mask = None if masked is None else [1] * masked
    scene.apply({"r": ObjectCmd(joint_cmds=numbers, position_controller_mask=mask)})
    want = [*numbers, *before[count:]]
    np.testing.assert_array_equal(scene.robots["r"].command, want)
    if masked is not None:
        modes[:count] = [POSITION if k < masked else TORQUE for k in range(count)]
    assert list(scene.robots["r"].ctrl_modes) == modes
    q, v, effort = efforts_after(scene)
    kp = np.array([40.0, 30.0, 20.0])
    servo = [mode is POSITION for mode in modes]
    np.testing.assert_allclose(effort, np.where(servo, kp * (want - q) - 4 * v, want), atol=1e-12)


@pytest.mark.parametrize("given", [4, 7])
def test_f45_more_numbers_or_flags_than_joints_are_refused_with_both_counts(given: int) -> None:
    scene = three()
    for command in (
        ObjectCmd(joint_cmds=[0.1] * given),
        ObjectCmd(joint_cmds=[0.1], position_controller_mask=[1] * given),
    ):
        with pytest.raises(CommandError, match=rf"has 3 joints .* got {given}") as caught:
            scene.apply({"r": command})
        assert caught.value.allowed == ("r/j1", "r/j2", "r/j3")


def test_f45_a_later_number_is_not_lost_when_an_earlier_joint_is_commanded_after_it() -> None:
    scene = three()
    scene.apply({"r/l2": ObjectCmd(joint_cmds=[0.6])})
    scene.apply({"r": ObjectCmd(joint_cmds=[0.5])})
    np.testing.assert_array_equal(scene.robots["r"].command, (0.5, 0.6, 0))


# Order: who gets which number


def backwards() -> Scene:
    """Boxes, a robot with everything in the way, and a second one, every joint in its own mode."""
    return build(
        RobotSpec(BACKWARDS, prefix="b/"),
        RobotSpec(TWO, prefix="a/", pos=(0, -3, 0)),
        objects=[SceneObject("cube", shape="box", size=(0.1,) * 3, pos=(3, 0, 1))],
    )


def control(scene: Scene, actuator: str, entry: int = 0) -> float:
    """A number in ``data.ctrl``, found by MuJoCo's own addresses."""
    i = mujoco.mj_name2id(scene.model, mujoco.mjtObj.mjOBJ_ACTUATOR, actuator)
    assert i >= 0
    return float(scene.data.ctrl[scene.model.actuator_ctrladr[i] + entry])


def test_numbers_reach_the_named_joints_actuators_and_only_those() -> None:
    scene = backwards()
    assert scene.state("b").joint_names == ("b/q1", "b/q2", "b/q3")
    before = scene.data.ctrl.copy()
    scene.apply({"b": ObjectCmd(joint_cmds=[0.1, 4.0, 0.3])})
    scene.step()
    # Servo of the command, motor of gear 20 with effort 4, the pid's first input of three.
    changed = {("b/a1", 0): 0.1, ("b/a2", 0): 4.0 / 20, ("b/a3", 0): 0.3}
    for (actuator, entry), want in changed.items():
        assert control(scene, actuator, entry) == pytest.approx(want, rel=1e-15)
    adr = scene.model.actuator_ctrladr
    touched = [adr[scene.model.actuator(a).id] + entry for a, entry in changed]
    rest = np.setdiff1d(np.arange(scene.model.nu), touched)
    assert len(rest) >= 5
    np.testing.assert_array_equal(scene.data.ctrl[rest], before[rest])


def test_each_command_makes_its_own_joints_effort_and_no_others() -> None:
    for k, joint in enumerate(("b/q1", "b/q2", "b/q3")):
        one, other = backwards(), backwards()
        command = np.zeros(3)
        command[k] = 0.25
        one.apply({"b": ObjectCmd(joint_cmds=command)})
        one.step()
        other.step()
        difference = one.data.qfrc_actuator - other.data.qfrc_actuator
        dof = int(one.model.joint(joint).dofadr[0])
        assert np.flatnonzero(difference).tolist() == [dof]


def test_types_on_actuators_listed_backwards_switch_the_named_joints() -> None:
    scene = backwards()
    types = [TORQUE, TORQUE, TORQUE]
    scene.apply({"b": ObjectCmd(joint_cmds=[1.0, 2.0, 3.0], joint_cmd_types=types)})
    scene.step()
    dofs = [int(scene.model.joint(f"b/{j}").dofadr[0]) for j in ("q1", "q2", "q3")]
    np.testing.assert_allclose(scene.data.qfrc_actuator[dofs], (1, 2, 3), rtol=1e-15)
    others = np.setdiff1d(np.arange(scene.model.nv), dofs)
    robot_a = scene.model.joint("a/j1").dofadr[0], scene.model.joint("a/j2").dofadr[0]
    others = np.setdiff1d(others, robot_a)
    np.testing.assert_array_equal(scene.data.qfrc_actuator[others], 0)


def test_a_body_takes_numbers_for_the_joints_below_it_its_own_first() -> None:
    scene = backwards()
    command = scene.command.copy()
    scene.apply({"b/b3": ObjectCmd(joint_cmds=[4.0, 0.3])})
    command[rows_of(scene, "b/q2", "b/q3")] = (4.0, 0.3)
    np.testing.assert_array_equal(scene.command, command)
    scene.apply({"b/b4": ObjectCmd(joint_cmds=[0.2])})
    command[rows_of(scene, "b/q3")] = 0.2
    np.testing.assert_array_equal(scene.command, command)


def test_an_attachments_joints_come_after_its_robots_and_can_be_commanded_alone() -> None:
    hand = rod('<position name="p" joint="j" kp="20" kv="2"/>')
    scene = build(
        RobotSpec(
            TWO,
            prefix="a/",
            attachments=[AttachmentSpec(hand, attach_to=site("tip"), prefix="h/", name="hand")],
        )
    )
    assert scene.state("a").joint_names == ("a/j1", "a/j2", "a/h/j")
    scene.apply({"a": ObjectCmd(joint_cmds=[0.1, 0.2, 0.3])})
    np.testing.assert_array_equal(scene.command, (0.1, 0.2, 0.3))
    scene.apply({"a.hand": ObjectCmd(joint_cmds=[0.7])})
    np.testing.assert_array_equal(scene.command, (0.1, 0.2, 0.7))


# What a command does to a run


def test_a_mask_that_asks_for_the_mode_of_now_is_a_plain_command() -> None:
    one, other = two_joints(), two_joints()
    for k in range(30):
        command = 0.3 * np.sin(0.1 * k + np.arange(2))
        one.apply({"arm": ObjectCmd(joint_cmds=command, position_controller_mask=[1, 1])})
        other.robots["arm"].command[:] = command
        one.step()
        other.step()
    np.testing.assert_array_equal(one.data.qpos, other.data.qpos)


def test_a_set_point_beyond_its_range_is_clamped_and_said_to_be() -> None:
    servo = '<position name="p" joint="j" kp="20" kv="2" ctrlrange="-1 1"/>'
    scene, bound = (build(RobotSpec(rod(servo), prefix="r/")) for _ in range(2))
    scene.apply({"r": ObjectCmd(joint_cmds=[5.0])})
    bound.apply({"r": ObjectCmd(joint_cmds=[1.0])})
    assert scene.joints.saturated.tolist() == [True]
    assert bound.joints.saturated.tolist() == [False]
    scene.step(20)
    bound.step(20)
    np.testing.assert_array_equal(scene.data.qpos, bound.data.qpos)


def test_numbers_of_any_kind_are_taken_and_copied() -> None:
    scene = two_joints()
    numbers = np.array([1.0, 2.0], dtype=np.float32)
    for given in ((1, 2), [1.0, 2.0], numbers, np.array([1, 2])):
        scene.apply({"arm": ObjectCmd(joint_cmds=given)})
        np.testing.assert_array_equal(scene.command, (1, 2))
        scene.command[:] = 0
    scene.apply({"arm": ObjectCmd(joint_cmds=numbers)})
    numbers[:] = 7
    np.testing.assert_array_equal(scene.command, (1, 2))


def test_a_command_of_a_body_leaves_the_joints_alone() -> None:
    scene = two_joints()
    before = scene.command.copy(), scene.robots["arm"].ctrl_modes
    scene.apply({"arm/lower": ObjectCmd(wrench=Wrench(force=(0, 0, 1)))})
    np.testing.assert_array_equal(scene.command, before[0])
    assert scene.robots["arm"].ctrl_modes == before[1]
