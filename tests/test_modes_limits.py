"""Effort limits hold in every mode, in joint units, whatever the gear; what is clamped says so."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from field_models import build
from mode_models import POSITION, TORQUE, rod, velocity

import mjscene
from mjscene import CtrlMode, CtrlModeSpec, RobotSpec

GEARS = (1.0, 0.5, 4.0, -20.0)
# Native actuator, further attributes of the joint, force_limit of the spec, and the effort limits
# [N m] that DESIGN's table gives at gear g: force_limit, else forcerange × gear, else the joint's.
NATIVES = {
    "servo": '<position name="x" joint="j" kp="100" kv="10" gear="{g}"/>',
    "servo, forcerange": '<position name="x" joint="j" kp="100" kv="10" gear="{g}"'
    ' forcerange="-3 2"/>',
    "motor, forcerange": '<motor name="x" joint="j" gear="{g}" forcerange="-3 2"/>',
    "motor, ctrlrange": '<general name="x" joint="j" gear="{g}" gainprm="2" ctrlrange="-1.5 1"/>',
    "speed, forcerange": '<velocity name="x" joint="j" kv="10" gear="{g}" forcerange="-3 2"/>',
}
FREE = (-np.inf, np.inf)


def native_limits(name: str, gear: float) -> tuple[float, float]:
    if name == "servo":
        return FREE
    ends = (-3 * gear, 2 * gear)
    return min(ends), max(ends)


def scene_of(name: str, gear: float, joint: str = "", limit: float | None = None) -> mjscene.Scene:
    modes = (
        CtrlModeSpec(TORQUE, force_limit=limit),
        velocity(10.0, force_limit=limit),
        CtrlModeSpec(POSITION, kp=100.0, force_limit=limit),
    )
    return build(RobotSpec(rod(NATIVES[name].format(g=gear), joint=joint), modes=modes))


def extremes(scene: mjscene.Scene, mode: CtrlMode) -> tuple[float, float]:
    """The efforts under commands far beyond anything, at rest."""
    robot = scene.robots["rod"]
    robot.set_control_mode(mode, transfer="hold")
    found = []
    for command in (-1e3, 1e3):
        scene.data.qpos[:] = scene.data.qvel[:] = 0
        robot.command = [command]
        scene.step()
        found.append(float(scene.data.qfrc_actuator[0]))
    return found[0], found[1]


@pytest.mark.parametrize("mode", list(CtrlMode))
@pytest.mark.parametrize(("name", "gear"), list(itertools.product(NATIVES, GEARS)))
def test_the_native_limit_times_the_gear_holds_in_every_mode(
    name: str, gear: float, mode: CtrlMode
) -> None:
    low, high = native_limits(name, gear)
    if low == -np.inf:
        assert abs(extremes(scene_of(name, gear), mode)[0]) > 900
    else:
        np.testing.assert_allclose(extremes(scene_of(name, gear), mode), (low, high), rtol=1e-12)


@pytest.mark.parametrize("mode", list(CtrlMode))
@pytest.mark.parametrize("gear", GEARS)
def test_a_force_limit_holds_in_every_mode_that_is_added(gear: float, mode: CtrlMode) -> None:
    own = {TORQUE: "motor", POSITION: "servo"}.get(mode, "speed")
    others = [name for name in NATIVES if not name.startswith(own)]
    assert len(others) >= 3
    for name in others:
        found = extremes(scene_of(name, gear, limit=0.75), mode)
        np.testing.assert_allclose(found, (-0.75, 0.75), rtol=1e-12)


@pytest.mark.parametrize("mode", list(CtrlMode))
@pytest.mark.parametrize(("name", "gear"), list(itertools.product(NATIVES, GEARS)))
def test_the_joints_own_limit_holds_in_every_mode(name: str, gear: float, mode: CtrlMode) -> None:
    low, high = native_limits(name, gear)
    scene = scene_of(name, gear, joint='actuatorfrcrange="-1.25 5"')
    wanted = max(low, -1.25), min(high, 5.0)
    np.testing.assert_allclose(extremes(scene, mode), wanted, rtol=1e-12)


@pytest.mark.parametrize("gear", GEARS)
@pytest.mark.parametrize("name", ["servo, forcerange", "speed, forcerange"])
def test_a_clamped_torque_says_so_and_one_within_its_range_does_not(name: str, gear: float) -> None:
    scene = scene_of(name, gear)
    robot = scene.robots["rod"]
    robot.set_control_mode(TORQUE)
    low, high = native_limits(name, gear)
    np.testing.assert_allclose(robot.command_limits, [[low, high]], rtol=1e-12)
    for command, clamped in ((low, False), (high, False), (low - 0.01, True), (high + 0.01, True)):
        robot.command = [command]
        scene.step()
        assert robot.saturated.tolist() == [clamped], command
        wanted = min(max(command, low), high)
        assert scene.data.qfrc_actuator[0] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("gear", GEARS)
@pytest.mark.parametrize(
    ("name", "joint"),
    [
        ("motor, forcerange", ""),
        ("motor, ctrlrange", ""),
        ("motor, forcerange", 'actuatorfrcrange="-1.25 1.25"'),
        ("motor, ctrlrange", 'actuatorfrcrange="-1.25 1.25"'),
    ],
)
def test_a_torque_that_a_files_own_motor_clamps_says_so_too(
    name: str, joint: str, gear: float
) -> None:
    # An effort command is clamped by whatever keeps the effort off it: the control range, the
    # force range or the joint's limit.
    scene = scene_of(name, gear, joint=joint)
    robot = scene.robots["rod"]
    for command in (0.5, 7.0, 300.0, -300.0):
        robot.command = [command]
        scene.step()
        got = float(scene.data.qfrc_actuator[0])
        assert robot.saturated.tolist() == [abs(got - command) > 1e-9], command
    low, high = native_limits(name, gear)
    limit = 1.25 if joint else np.inf
    np.testing.assert_allclose(
        robot.command_limits, [[max(low, -limit), min(high, limit)]], rtol=1e-12
    )


@pytest.mark.parametrize("gear", GEARS)
def test_a_clamped_position_says_so_in_joint_units(gear: float) -> None:
    ends = sorted((-0.5 * gear, 1.0 * gear))
    servo = f'<position name="x" joint="j" kp="100" gear="{gear}" ctrlrange="{ends[0]} {ends[1]}"/>'
    scene = build(RobotSpec(rod(servo)))
    robot = scene.robots["rod"]
    np.testing.assert_allclose(robot.command_limits, [[-0.5, 1.0]], rtol=1e-12)
    for command, clamped in ((-0.5, False), (1.0, False), (-0.51, True), (1.01, True)):
        scene.data.qpos[:] = scene.data.qvel[:] = 0
        robot.command = [command]
        scene.step()
        assert robot.saturated.tolist() == [clamped]
        wanted = 100 * gear**2 * min(max(command, -0.5), 1.0)
        assert scene.data.qfrc_actuator[0] == pytest.approx(wanted, rel=1e-12)


def test_clamping_that_the_scene_turns_off_is_not_reported() -> None:
    option = 'integrator="implicitfast"><flag clampctrl="disable"/></option><option'
    servo = '<position name="x" joint="j" kp="100" forcerange="-3 2"/>'
    scene = build(RobotSpec(rod(servo, option=option)))
    robot = scene.robots["rod"]
    robot.set_control_mode(TORQUE)
    robot.command = [7.0]
    scene.step()
    assert scene.data.qfrc_actuator[0] == 7.0
    assert robot.saturated.tolist() == [False]


def test_limits_that_a_program_changes_in_the_model_are_followed() -> None:
    scene = scene_of("servo, forcerange", 1.0)
    robot = scene.robots["rod"]
    robot.set_control_mode(TORQUE)
    robot.command = [5.0]
    assert robot.saturated.tolist() == [True]
    adr = int(scene.model.actuator_ctrladr[scene.actuators["j_torque"].id])
    scene.model.actuator_ctrlrange[adr] = (-9, 9)
    assert robot.saturated.tolist() == [False]
    scene.model.actuator_ctrlrange[adr] = (-1, 1)
    assert robot.saturated.tolist() == [True]
    scene.model.actuator_ctrllimited[adr] = 0
    assert robot.saturated.tolist() == [False]
