"""What must leave no trace: a look, a refusal, a command to another robot, a change far away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from field_models import build
from meanwhile import Does
from mode_models import POSITION, TORQUE, TWO, rod
from stepped import Beside, scene_of

from mjscene import (
    CommandError,
    ControllerError,
    CtrlModeSpec,
    ObjectCmd,
    RobotSpec,
    Scene,
    SceneObject,
)
from mjscene.controllers import Controller, GravityCompensation, JointAdmittance, JointImpedance

FILTERED = rod('<position name="p" joint="j" kp="20" kv="2" timeconst="0.05"/>')
MODES = (CtrlModeSpec(TORQUE),)


def pair(**fields: Any) -> Scene:
    """An arm on the left in motion under an admittance, and another with a filtered servo."""
    scene = build(
        RobotSpec(TWO, prefix="a/", **fields),
        RobotSpec(FILTERED, prefix="b/", pos=(0, 3, 0), modes=MODES),
    )
    scene.robots["a"].add_controller(JointAdmittance())
    scene.data.qvel[:2] = (1.0, -2.0)
    scene.step(20)
    return scene


def refuse(scene: Scene) -> None:
    with pytest.raises(ControllerError):
        scene.robots["b"].add_controller(JointImpedance(stiffness=[1.0] * 3, damping=1.0))


def add(scene: Scene) -> None:
    scene.add_object(SceneObject("far", shape="box", size=(0.1,) * 3, mass=1.0, pos=(0, 9, 9)))


QUIET: dict[str, Callable[[Scene], object]] = {
    "forward": lambda scene: scene.forward(),
    "a recording that begins": lambda scene: scene.record().start(),
    "an object far away": add,
    "a switch of another robot": lambda scene: scene.set_control_mode("b", TORQUE),
    "a refused controller": refuse,
    "a state put back": lambda scene: scene.set_state(scene.get_state()),
    "a state that is read": lambda scene: scene.get_state(),
}


@pytest.mark.parametrize("what", QUIET)
def test_a_run_under_an_admittance_goes_on_bit_for_bit(what: str) -> None:
    scene, other = pair(), pair()
    QUIET[what](scene)
    scene.step(50)
    other.step(50)
    np.testing.assert_array_equal(scene.data.qpos[:2], other.data.qpos[:2])
    assert np.abs(other.data.qpos[:2]).min() > 1e-3


@pytest.mark.parametrize("what", ["a recording that begins", "a switch of another robot"])
def test_efforts_stay_those_of_the_step_just_taken(what: str) -> None:
    scene = pair()
    scene.robots["a"].joints["j1"].contact_threshold = 0.5
    joints = scene.robots["a"].joints
    before = joints.effort, joints.acceleration, joints.external_effort, joints.is_in_contact
    QUIET[what](scene)
    after = joints.effort, joints.acceleration, joints.external_effort, joints.is_in_contact
    for one, two in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, two)


def test_a_refused_controller_leaves_what_others_feed_forward_alive() -> None:
    scene = build(RobotSpec(TWO, prefix="a/"), RobotSpec(TWO, prefix="b/", pos=(0, 3, 0)))
    scene.robots["a"].add_controller(GravityCompensation())
    scene.step()
    with pytest.raises(ControllerError):
        scene.robots["b"].add_controller(JointAdmittance(lambda_=[1.0, 2.0, 3.0]))
    scene.apply({"a": ObjectCmd(joint_cmds=[1.2, -0.5])})
    scene.step(3000)
    np.testing.assert_allclose(scene.data.qpos[:2], (1.2, -0.5), atol=1e-6)


@pytest.mark.parametrize("gravity", [False, True])
def test_what_a_program_wrote_to_ctrl_stays_while_another_robot_is_commanded(gravity: bool) -> None:
    scene = build(RobotSpec(TWO, prefix="a/"), RobotSpec(TWO, prefix="b/", pos=(0, 3, 0)))
    if gravity:
        scene.robots["a"].add_controller(GravityCompensation())
    scene.apply({n: ObjectCmd(joint_cmds=[0.0, 0.1]) for n in "ab"})
    scene.step()
    adr = scene.model.actuator_ctrladr[scene.model.actuator("b/p1").id]
    scene.data.ctrl[adr] = 0.25
    for k in range(5):
        scene.apply({"a": ObjectCmd(joint_cmds=[0.01 * k, 0.1])})
        scene.step()
        assert scene.data.ctrl[adr] == 0.25
        assert scene.data.ctrl[scene.model.actuator("a/p1").id] == pytest.approx(0.01 * k, abs=0.1)
    scene.apply({"b": ObjectCmd(joint_cmds=[0.05])})
    scene.step()
    assert scene.data.ctrl[adr] == 0.05


def by_controller(scene: Scene, value: float) -> None:
    """Through the joints of a controller, which is taken away again."""

    class Holds(Does):
        needs_joints = True
        adds = False
        modes = (POSITION,)

        def update(self, robot: Any, dt: float) -> None:
            self.joints.command = [value] * 2

    robot = scene.robots["a"]
    held = robot.add_controller(Holds(lambda: None), joints=["j1", "j2"])
    scene.data.ctrl[[0, 1]] = 0.7
    scene.step()
    robot.remove_controller(held)


GIVES: dict[str, Callable[[Scene, float], object]] = {
    "a message": lambda scene, v: scene.apply({"a": ObjectCmd(joint_cmds=[v, v])}),
    "a message that asks for modes": lambda scene, v: scene.apply(
        {"a": ObjectCmd(joint_cmds=[v, v], position_controller_mask=[1, 1])}
    ),
    "the robot's command": lambda scene, v: setattr(scene.robots["a"], "command", [v, v]),
    "the joints' command": lambda scene, v: setattr(scene.robots["a"].joints, "command", [v, v]),
    "each joint's command": lambda scene, v: [
        setattr(joint, "command", v) for joint in scene.robots["a"].joints
    ],
    "a controller's command": by_controller,
}


@pytest.mark.parametrize("geared", [False, True])
@pytest.mark.parametrize("gravity", [False, True])
@pytest.mark.parametrize("given", GIVES)
def test_a_command_given_anew_is_written_though_it_is_as_before(
    given: str, gravity: bool, geared: bool
) -> None:
    robots = [RobotSpec(TWO, prefix=f"{n}/", pos=(0, k, 0)) for k, n in enumerate("abc")]
    if geared:
        motor = '<motor name="m" joint="j" gear="3"/>'
        robots.append(RobotSpec(rod(motor), prefix="d/", pos=(0, 6, 0)))
    scene = build(*robots)
    if gravity:
        scene.robots["c"].add_controller(GravityCompensation())
    scene.apply({n: ObjectCmd(joint_cmds=[0.1, 0.1]) for n in "ab"})
    for k in range(4):
        scene.robots["b"].command[1] = 0.01 * k
        scene.step()
        scene.data.ctrl[[0, 1]] = 0.7
        scene.data.ctrl[2] = 0.8
        if k % 2:
            scene.step()
            np.testing.assert_array_equal(scene.data.ctrl[[0, 1]], 0.7)
        GIVES[given](scene, 0.1)
        scene.step()
        np.testing.assert_array_equal(scene.data.ctrl[[0, 1]], 0.1)
        assert scene.data.ctrl[2] == 0.8


@pytest.mark.parametrize("when", ["between", "after a step", "in an update", "before forward"])
def test_a_control_stays_whenever_it_was_written(when: str) -> None:
    scene = build(RobotSpec(TWO, prefix="a/"), RobotSpec(TWO, prefix="b/", pos=(0, 3, 0)))
    control = scene.data.actuator("b/p1").ctrl
    wanted = [0.0]

    def write() -> None:
        control[0] = wanted[0]

    if when == "in an update":
        scene.robots["a"].add_controller(Does(write, every=True))
    if when == "after a step":
        scene.on_step(write)
    for k in range(40):
        others = 0.01 * k - 0.2
        scene.robots["a"].command[:] = others
        scene.robots["b"].command[1] = others
        if k % 3 == 2:
            wanted[0] = 0.3 + 0.001 * k
        if when in ("between", "before forward"):
            write()
        if when == "before forward":
            scene.forward()
        scene.step()
        assert control[0] == wanted[0], k
        np.testing.assert_array_equal(scene.data.ctrl[[0, 1, 3]], (others,) * 3)


def test_a_mocap_body_that_an_update_moves_and_a_program_moves_back_is_followed() -> None:
    scene = scene_of("lively", "implicitfast")
    mocap = scene.data.mocap_pos
    start = mocap.copy()
    scene.robots["a"].add_controller(
        Does(lambda: mocap.__setitem__((0, 2), start[0, 2] + 0.3), every=True)
    )
    scene.step()
    mocap[:] = start
    beside = Beside(scene)
    scene.robots["a"].remove_controller("does")
    scene.step()
    beside.step()
    assert beside.differs() == []


def test_a_command_keeps_its_meaning_when_a_gear_changes_and_it_does_not() -> None:
    scene = build(RobotSpec(TWO, prefix="a/"))
    scene.apply({"a": ObjectCmd(joint_cmds=[0.5, -0.4])})
    scene.step(1000)
    scene.model.actuator_gear[:, 0] = 2.0
    scene.forward()
    for _ in range(1000):
        scene.apply({"a": ObjectCmd(joint_cmds=[0.5, -0.4])})
        scene.step()
    np.testing.assert_array_equal(scene.data.ctrl[:2], (1.0, -0.8))


@pytest.mark.parametrize("limits", [(-0.2, 0.2), (-1.5, 1.5)])
def test_an_admittance_keeps_to_limits_that_change(limits: tuple[float, float]) -> None:
    scene = build(RobotSpec(TWO, prefix="a/"))
    admittance = scene.robots["a"].add_controller(JointAdmittance())
    first = scene.model.actuator("a/p1").id
    scene.model.actuator_ctrllimited[first] = 1
    scene.model.actuator_ctrlrange[first] = (-1.0, 1.0)
    scene.forward()
    scene.step(5)
    scene.model.actuator_ctrlrange[first] = limits
    scene.forward()
    admittance.reference = [1.2, 0.0]
    scene.step(3000)
    assert scene.command[0] == pytest.approx(min(limits[1], 1.2), abs=0.05)
    assert scene.command[0] <= limits[1]


def test_every_parameter_of_a_law_is_looked_at_whatever_lies_between() -> None:
    scene = build(*[RobotSpec(TWO, prefix=f"r{i}/", pos=(0, i, 0)) for i in range(30)])
    laws, model = scene.control.table.laws, scene.model
    for name in (
        *("gainprm", "biasprm", "gear", "forcerange", "ctrlrange", "actrange"),
        *("forcelimited", "ctrllimited", "actlimited", "dyntype", "gaintype", "biastype"),
    ):
        array = getattr(model, f"actuator_{name}")
        assert not laws.refresh()
        kept = array[-1].copy()
        array[-1] = 1 if array.dtype != bool else ~kept
        assert laws.refresh(), name
        array[-1] = kept
        laws.refresh()
    scene.set_control_mode("r3", TORQUE)
    assert not laws.refresh()  # groups and masks are no parameters


def test_an_update_by_hand_leaves_a_controller_connected() -> None:
    scene = build(RobotSpec(TWO, prefix="a/"))
    admittance = scene.robots["a"].add_controller(JointAdmittance())
    scene.step(3)
    admittance.update(scene.robots["a"], 0.002)
    admittance.reference = [0.3, 0.3]
    scene.step(5000)
    np.testing.assert_allclose(scene.command, (0.3, 0.3), atol=0.2)
    assert scene.data.qpos[0] > 0.15


def test_a_controller_that_overrides_update_is_updated_by_it() -> None:
    calls: list[float] = []

    class Mine(JointAdmittance):
        def update(self, robot: Any, dt: float) -> None:
            calls.append(dt)
            super().update(robot, dt)

    scene, other = build(RobotSpec(TWO, prefix="a/")), build(RobotSpec(TWO, prefix="a/"))
    scene.robots["a"].add_controller(Mine())
    other.robots["a"].add_controller(JointAdmittance())
    for one in (scene, other):
        one.data.qvel[:] = 0.5
        one.step(10)
    assert len(calls) == 10
    np.testing.assert_array_equal(scene.data.qpos, other.data.qpos)
    assert scene.robots["a"].ctrl_modes == (POSITION, POSITION)


KEEPS: dict[str, Callable[[Scene], object]] = {
    "an object": add,
    "a state put back": lambda scene: scene.set_state(scene.get_state()),
    "a refused controller": refuse,
    "a new gain": lambda scene: setattr(scene.robots["a"].joints, "position_gain", 150.0),
}


@pytest.mark.parametrize("what", KEEPS)
@pytest.mark.parametrize("pending", [False, True])
def test_what_a_program_wrote_to_ctrl_is_carried_beside_commands_that_wait(
    what: str, pending: bool
) -> None:
    scene = build(RobotSpec(TWO, prefix="a/"), RobotSpec(TWO, prefix="b/", pos=(0, 3, 0)))
    scene.step()
    adr = {n: scene.model.actuator(f"{n}/p1").id for n in "ab"}
    scene.data.ctrl[adr["b"]] = 0.7
    scene.step()
    if pending:
        scene.command[0] = 0.2
    KEEPS[what](scene)
    scene.step()
    ctrl = [scene.data.ctrl[scene.model.actuator(f"{n}/p1").id] for n in "ab"]
    assert ctrl == [0.2 if pending else 0.0, 0.7]


@pytest.mark.parametrize("what", ["an object", "a state put back"])
def test_a_gear_that_changed_before_is_not_forgotten(what: str) -> None:
    scene = build(RobotSpec(TWO, prefix="a/"))
    scene.apply({"a": ObjectCmd(joint_cmds=[0.5, -0.4])})
    scene.step(10)
    scene.model.actuator_gear[:, 0] = 2.0
    KEEPS[what](scene)
    scene.step()
    ids = [scene.model.actuator(f"a/p{i}").id for i in (1, 2)]
    np.testing.assert_array_equal(scene.data.ctrl[ids], (1.0, -0.8))


def test_another_admittance_starts_from_what_drives_deliver_then() -> None:
    scene = build(RobotSpec(TWO, prefix="a/"))
    robot = scene.robots["a"]
    robot.remove_controller(robot.add_controller(JointAdmittance()))
    scene.command[0] += 0.8
    scene.step(5000)
    admittance = robot.add_controller(JointAdmittance())
    scene.step()
    assert np.abs(admittance.reference_velocity).max() < 1e-9


def test_an_object_that_a_callback_adds_ends_no_step() -> None:
    scene = build(RobotSpec(TWO, prefix="a/"))
    calls: list[float] = []

    def look() -> None:
        calls.append(scene.time)
        if len(calls) == 3:
            add(scene)

    scene.on_step(look)
    scene.step(10)
    assert len(calls) == 10
    assert scene.time == pytest.approx(10 * scene.model.opt.timestep)


def test_a_step_that_is_refused_moves_no_controller() -> None:
    scene, other = pair(), pair()
    scene.command[2] = np.nan
    for _ in range(20):
        with pytest.raises(CommandError):
            scene.step()
    scene.command[2] = other.command[2]
    scene.step()
    other.step()
    np.testing.assert_array_equal(scene.data.qpos, other.data.qpos)
    np.testing.assert_array_equal(scene.command, other.command)


def test_a_stop_within_an_update_updates_no_other_controller_twice() -> None:
    updates: list[str] = []

    class Stopping(Controller):
        modes = (POSITION,)

        def reset(self, robot: Any) -> None:
            pass

        def update(self, robot: Any, dt: float) -> None:
            updates.append(robot.name)
            if robot.name == "a" and len(updates) == 7:
                robot.stop()

    scene = build(RobotSpec(TWO, prefix="a/"), RobotSpec(TWO, prefix="b/", pos=(0, 3, 0)))
    for robot in scene.robots.values():
        robot.add_controller(Stopping())
    scene.step(10)
    assert updates.count("b") == 10
