"""The actuator that each further mode adds: its name, its law, its joints, who owns it."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from field_models import alone, build, refusal
from mode_models import POSITION, TORQUE, TWO, VELOCITY, acting, effort, rod, send, slider, velocity

import mjscene
from mjscene import AttachmentSpec, CtrlMode, CtrlModeSpec, ModeError, RobotSpec, SpecError, site

ALL = (
    CtrlModeSpec(TORQUE),
    velocity(7.0),
    CtrlModeSpec(POSITION, kp=50.0, kd=5.0),
)
MOTOR = '<motor name="m" joint="j"/>'
SERVO = '<position name="p" joint="j" kp="200" kv="20"/>'

URDF = """<robot name="u"><link name="base"/>
 <link name="arm"><inertial><origin xyz=".25 0 0"/><mass value="1"/>
  <inertia ixx=".01" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial></link>
 <joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 -1 0"/>
  <limit lower="-1.5" upper="1" effort="30" velocity="2"/></joint></robot>"""


def added_to(scene: mjscene.Scene, file: str) -> list[str]:
    """The scene's actuators that the file has not."""
    own = alone(file)
    names = {own.actuator(i).name for i in range(own.nactuator)}
    return [n for n in scene.actuator_names if n not in names]


def test_by_default_every_robot_gets_torque_and_nothing_else() -> None:
    assert added_to(build(RobotSpec(TWO)), TWO) == ["j1_torque", "j2_torque"]
    assert added_to(build(RobotSpec(TWO, modes=())), TWO) == []


def test_names_are_the_joints_with_its_prefix_and_the_mode() -> None:
    part = AttachmentSpec(slider(), attach_to=site("tip"), prefix="g/", modes=ALL[:0])
    named = AttachmentSpec(
        slider(), attach_to=site("tip"), prefix="h/", modes=(CtrlModeSpec(joints=("s",)),)
    )
    scene = build(RobotSpec(TWO, prefix="a/", attachments=(part, named), modes=(velocity(3.0),)))
    names = ["a/p1", "a/p2", "a/j1_velocity", "a/j2_velocity", "a/h/s_torque"]
    assert list(scene.actuator_names) == names


def test_a_mode_that_the_file_gives_is_not_added_again() -> None:
    scene = build(RobotSpec(rod(MOTOR), modes=ALL))
    assert added_to(scene, rod(MOTOR)) == ["j_velocity", "j_position"]


LAWS: dict[CtrlMode, Any] = {
    TORQUE: lambda u, q, v: u,
    VELOCITY: lambda u, q, v: 7.0 * (u - v),
    POSITION: lambda u, q, v: 50.0 * (u - q) - 5.0 * v,
}


@pytest.mark.parametrize("mode", LAWS)
def test_the_law_of_an_added_actuator_is_the_textbook_one(mode: CtrlMode) -> None:
    scene = build(RobotSpec(rod(), modes=tuple(ALL_ON_J.values()), initial_mode=mode))
    rng = np.random.default_rng(1)
    for u, q, v in rng.normal(size=(5, 3)):
        scene.data.qpos[:], scene.data.qvel[:] = q, v
        scene.command[:] = u
        send(scene)
        assert effort(scene)[0] == pytest.approx(LAWS[mode](u, q, v), rel=1e-12)


ALL_ON_J = {
    TORQUE: CtrlModeSpec(TORQUE, joints=("j",)),
    VELOCITY: velocity(7.0, joints=("j",)),
    POSITION: CtrlModeSpec(POSITION, kp=50.0, kd=5.0, joints=("j",)),
}


def test_the_integral_gain_of_position_removes_the_sag() -> None:
    # F36: a servo without one rests where kp q = m g L/2 cos q, here at -0.0122616 rad.
    for ki, rest in ((None, -0.0122616), (2000.0, 0.0)):
        mode = CtrlModeSpec(POSITION, kp=200.0, kd=20.0, ki=ki, joints=("j",))
        scene = build(RobotSpec(rod(), modes=(mode,)))
        scene.step(3000)
        assert scene.data.qpos[0] == pytest.approx(rest, abs=1e-6)


DEFAULTS = """<default><general gear="20" armature=".3" damping="4" forcerange="-1 1"
 ctrlrange="-2 2" biastype="affine" biasprm="1 2 3" gainprm="9" dyntype="filter" dynprm="5"/>
 <motor gear="20" armature=".3" damping="4" forcerange="-1 1" ctrlrange="-2 2"/>
 <position gear="20" armature=".3" damping="4" forcerange="-1 1" ctrlrange="-2 2"/>
 <velocity gear="20" armature=".3" damping="4" forcerange="-1 1" ctrlrange="-2 2"/></default>"""
PLAIN_SERVO = '<general name="p" joint="j" gear="1" armature="0" damping="0"'
PLAIN_SERVO += ' forcelimited="false" ctrllimited="false" gainprm="200" biasprm="0 -200 -20"'
PLAIN_SERVO += ' dyntype="none"/>'


@pytest.mark.parametrize("prefix", ["", "r/"])
def test_the_files_defaults_do_not_leak_into_what_is_added(prefix: str) -> None:
    xml = rod(PLAIN_SERVO, head=DEFAULTS)
    scene = build(RobotSpec(xml, prefix=prefix, name="r", modes=(*ALL[:2],)))
    model = scene.model
    for name in (f"{prefix}j_torque", f"{prefix}j_velocity"):
        one = model.actuator(name)
        out = int(model.actuator_outadr[one.id])
        np.testing.assert_array_equal(model.actuator_gear[out], [1, 0, 0, 0, 0, 0])
        assert not one.forcelimited[0]
        assert not model.actuator_ctrllimited[int(model.actuator_ctrladr[one.id])]
        assert one.dyntype[0] == mujoco.mjtDyn.mjDYN_NONE
        kv = 7.0 if name.endswith("velocity") else 0.0
        np.testing.assert_array_equal(one.biasprm[:3], [0, 0, -kv])
        assert one.gainprm[0] == (kv or 1.0)
    file = alone(xml)
    for field in ("dof_armature", "dof_damping", "dof_M0"):
        np.testing.assert_array_equal(getattr(model, field), getattr(file, field), err_msg=field)


def test_f20_a_name_that_is_taken_is_not_taken_twice() -> None:
    taken = '<position name="j_torque" joint="j" kp="9"/>'
    scene = build(
        RobotSpec(rod(taken), prefix="a/"),
        RobotSpec(rod(SERVO), prefix="b/"),
        RobotSpec(slider('<motor name="j_torque" joint="s"/>'), prefix="b/x_"),
    )
    robot = scene.robots["a"]
    assert robot.offers["a/j"] == (POSITION, TORQUE)
    added = [n for n in scene.actuator_names if n.startswith("a/") and n != "a/j_torque"]
    assert len(added) == 1
    robot.set_control_mode(TORQUE)
    robot.command = [1.5]
    scene.step()
    assert scene.actuators[added[0]].force == [1.5]
    assert "a/j_torque" not in acting(scene)


def test_gains_and_limits_are_per_joint_in_the_order_given() -> None:
    mode = velocity((3.0, 5.0), joints=("j2", "j1"), force_limit=(2.0, 4.0))
    scene = build(RobotSpec(TWO, modes=(mode,)))
    scene.set_control_mode("two", VELOCITY, transfer="hold")
    scene.data.qvel[:] = -0.1
    np.testing.assert_allclose(effort(scene), [0.5, 0.3], rtol=1e-12)
    scene.data.qvel[:] = -100
    np.testing.assert_array_equal(effort(scene), [4.0, 2.0])


@pytest.mark.parametrize("count", [1, 3])
def test_gains_that_are_not_one_per_joint_are_refused_with_both_counts(count: int) -> None:
    error = refusal(RobotSpec(TWO, modes=(velocity((1.0,) * count),)))
    assert isinstance(error, SpecError | ModeError | mjscene.ComposeError)
    assert "modes[0]" in str(error)
    assert "2" in str(error)
    assert str(count) in str(error)


@pytest.mark.parametrize("gains", [{"mode": VELOCITY, "kv": 0}, {"mode": POSITION, "kp": 0}])
def test_a_gain_of_zero_is_no_servo_and_is_refused(gains: dict[str, Any]) -> None:
    # It would be a mode without an effort, and no command of it could be solved for.
    with pytest.raises(SpecError):
        CtrlModeSpec(**gains, joints=("j",))


def test_gains_for_a_mode_that_the_file_gives_warn_that_they_are_not_used() -> None:
    spec = mjscene.SceneSpec(
        [RobotSpec(rod(SERVO), prefix="r/", modes=(CtrlModeSpec(POSITION, kp=1.0),))]
    )
    with pytest.warns(mjscene.MjsceneWarning, match=r"'?r/j'? .*POSITION.*'r/p'"):
        scene = mjscene.build_scene(spec)
    assert any("r/j" in w for w in scene.report.warnings)
    scene.robots["r"].command = [0.1]
    scene.step()
    assert scene.data.qfrc_actuator[0] == pytest.approx(200 * 0.1)


def test_a_limit_for_a_mode_that_the_file_gives_holds_or_says_that_it_does_not() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scene = mjscene.build_scene(
            mjscene.SceneSpec(
                [RobotSpec(rod(MOTOR), prefix="r/", modes=(CtrlModeSpec(force_limit=5.0),))]
            )
        )
    scene.robots["r"].command = [50.0]
    scene.step()
    told = any("r/j" in str(w.message) for w in caught)
    assert scene.data.qfrc_actuator[0] == 5.0 or told


def test_two_gains_for_one_mode_of_a_joint_are_no_silent_loss() -> None:
    modes = (velocity(3.0), velocity(9.0, joints=("j2",)))
    scene, told = None, ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            scene = mjscene.build_scene(mjscene.SceneSpec([RobotSpec(TWO, modes=modes)]))
        except mjscene.MjsceneError as error:
            told = str(error)
    told += " ".join(str(w.message) for w in caught)
    last_wins = False
    if scene is not None:
        scene.set_control_mode("two", VELOCITY, transfer="hold")
        scene.data.qvel[:] = -0.1
        last_wins = effort(scene)[1] == pytest.approx(0.9)
    assert last_wins or "j2" in told


def test_named_joints_alone_get_the_mode() -> None:
    robot = build(RobotSpec(TWO, modes=(velocity(3.0, joints=("j2",)),))).robots["two"]
    assert dict(robot.offers) == {"j1": (POSITION,), "j2": (POSITION, VELOCITY)}


def test_an_unknown_joint_is_refused_with_the_closest() -> None:
    with pytest.raises(ModeError, match="no joint 'j11'") as caught:
        build(RobotSpec(TWO, prefix="a/", modes=(CtrlModeSpec(), velocity(3.0, joints=("j11",)))))
    assert caught.value.where == "robots[0].modes[1].joints"
    assert caught.value.close[0] == "j1"


def test_a_urdf_without_any_actuator_takes_modes_for_named_joints(tmp_path: Path) -> None:
    path = tmp_path / "u.urdf"
    path.write_text(URDF)
    modes = (
        CtrlModeSpec(POSITION, kp=100.0, kd=10.0, joints=("hinge",)),
        CtrlModeSpec(joints=("hinge",)),
    )
    scene = build(RobotSpec(str(path), prefix="u/", modes=modes))
    robot = scene.robots["u"]
    assert dict(robot.offers) == {"u/hinge": (POSITION, TORQUE)}
    assert robot.ctrl_mode is POSITION
    robot.command = [3.0]
    np.testing.assert_allclose(robot.command_limits, [[-1.5, 1.0]])
    assert robot.saturated.tolist() == [True]
    robot.set_control_mode(TORQUE)
    robot.command = [50.0]
    scene.step()
    assert scene.data.qfrc_actuator[0] == 30.0, "the effort limit of the URDF"
    assert robot.saturated.tolist() == [True]


def test_passive_joints_take_no_mode_and_a_robot_without_drives_has_none() -> None:
    robot = build(RobotSpec(rod(), modes=(CtrlModeSpec(),))).robots["rod"]
    assert robot.joint_names == ()
    assert robot.command.shape == (0,)


@pytest.mark.parametrize("mode", list(CtrlMode))
def test_initial_mode_is_what_the_scene_starts_and_resets_in(mode: CtrlMode) -> None:
    scene = build(RobotSpec(rod(SERVO), modes=ALL[:2], initial_mode=mode))
    robot = scene.robots["rod"]
    assert robot.ctrl_mode is mode
    robot.set_control_mode(POSITION if mode is not POSITION else TORQUE)
    scene.reset()
    assert robot.ctrl_mode is mode


def test_an_initial_mode_that_no_joint_offers_is_refused() -> None:
    error = refusal(RobotSpec(rod(SERVO), initial_mode=VELOCITY))
    assert isinstance(error, ModeError)
    assert error.where == "robots[0].initial_mode"
    assert set(error.allowed) == {"POSITION", "TORQUE"}


def test_without_native_drives_a_joint_starts_in_position_before_torque_before_velocity() -> None:
    torque, speed, position = ALL_ON_J[TORQUE], ALL_ON_J[VELOCITY], ALL_ON_J[POSITION]
    for modes, first in (
        ((speed, torque, position), POSITION),
        ((speed, torque), TORQUE),
        ((speed,), VELOCITY),
    ):
        assert build(RobotSpec(rod(), modes=modes)).robots["rod"].ctrl_mode is first


@pytest.mark.parametrize(("unit", "one"), [("degree", 180 / math.pi), ("radian", 1.0)])
def test_the_range_of_an_added_position_mode_is_that_of_the_joint_in_radians(
    unit: str, one: float
) -> None:
    head = f'<compiler angle="{unit}"/>'
    xml = rod(MOTOR, joint=f'range="{-0.5 * one} {1.25 * one}"', head=head)
    other = rod(MOTOR, joint='range="-1 1"', head='<compiler angle="radian"/>')
    scene = build(
        RobotSpec(other, prefix="o/", pos=(0, 2, 0)), RobotSpec(xml, prefix="a/", modes=ALL)
    )
    robot = scene.robots["a"]
    robot.set_control_mode(POSITION)
    np.testing.assert_allclose(robot.command_limits, [[-0.5, 1.25]], rtol=1e-12)
    np.testing.assert_allclose(scene.model.joint("a/j").range, [-0.5, 1.25], rtol=1e-12)


def test_the_range_of_a_slide_is_in_metres_whatever_the_angle_unit() -> None:
    xml = slider('<motor name="m" joint="s"/>').replace('axis="1 0 0"', 'axis="1 0 0" range="0 2"')
    scene = build(RobotSpec(xml, modes=ALL))
    scene.set_control_mode("slider", POSITION)
    np.testing.assert_array_equal(scene.robots["slider"].command_limits, [[0, 2]])
