"""Which joints controllers rule, what is refused, and that a refusal changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from controller_scenes import Wave, arm, refused, robot_of, two
from field_models import build
from mode_models import TWO, effort, rod, velocity

from mjscene import (
    AttachmentSpec,
    CommandError,
    ControllerError,
    CtrlMode,
    CtrlModeSpec,
    ModeError,
    ObjectCmd,
    RobotSpec,
    site,
)
from mjscene.controllers import (
    Controller,
    GravityCompensation,
    JointAdmittance,
    JointImpedance,
)

# -- names, joints and refusals -------------------------------------------------------------------


def test_names_and_removal() -> None:
    scene = two()
    robot = robot_of(scene)
    first = robot.add_controller(Wave(), joints=["j1"])
    second = robot.add_controller(Wave(), joints=["a/j2"])
    third = robot.add_controller(GravityCompensation(), name="weight")
    assert robot.controllers == {"wave": first, "wave_2": second, "weight": third}
    assert first.joints.names == ("a/j1",)
    robot.remove_controller("wave")
    robot.remove_controller(third)
    assert robot.controllers == {"wave_2": second}
    with pytest.raises(ControllerError) as caught:
        robot.remove_controller("wave_3")
    assert caught.value.close == ("wave_2",)
    for other in (first, Wave(), None, 3):
        with pytest.raises(ControllerError):
            robot.remove_controller(other)  # type: ignore[arg-type]
    robot.add_controller(first, joints=["j1"])  # it may come back
    for name in ("wave_2", "", 3):
        with pytest.raises(ControllerError):
            robot.add_controller(GravityCompensation(), name=name)  # type: ignore[arg-type]


def test_what_cannot_be_added_changes_nothing() -> None:
    scene = two("a", "b")
    a, b = scene.robots.values()
    ruling = a.add_controller(Wave())
    scene.step(3)
    refused(scene, lambda: b.add_controller(object()))
    refused(scene, lambda: b.add_controller(Wave))
    refused(scene, lambda: b.add_controller(ruling))
    assert refused(scene, lambda: a.add_controller(Wave())).element == "a/j1"
    refused(scene, lambda: a.add_controller(JointImpedance(1.0, 1.0), joints=["j2"]))
    error = refused(scene, lambda: b.add_controller(Wave(), joints=["b/j22"]), ModeError)
    assert "b/j2" in error.close
    refused(scene, lambda: b.add_controller(Wave(), joints=["a/j1"]), ModeError)
    refused(scene, lambda: b.add_controller(Wave(), joints="j1"), ModeError)
    refused(scene, lambda: b.add_controller(Wave(), joints=["j1", "j1"]), ModeError)


def test_joints_without_the_mode_that_is_needed_are_refused() -> None:
    scene = build(
        RobotSpec(rod('<motor name="T" joint="j"/>'), prefix="m/"),
        RobotSpec(TWO, prefix="p/", pos=(0, 2, 0), modes=()),
    )
    motor, servo = scene.robots.values()
    assert "POSITION" in str(refused(scene, lambda: motor.add_controller(Wave()), ModeError))
    add = lambda: servo.add_controller(JointImpedance(1.0, 1.0), joints=["j1"])  # noqa: E731
    error = refused(scene, add, ModeError)
    assert error.element == "p/j1"
    assert "TORQUE" in str(error)


class Breaks(Controller):
    """Breaks while it is added, after its joints were switched."""

    modes = (CtrlMode.TORQUE,)

    def __init__(self, where: str) -> None:
        self.where = where

    def bind(self, joints: Any) -> None:
        super().bind(joints)
        if self.where == "bind":
            raise ZeroDivisionError

    def reset(self, robot: Any) -> None:
        self.joints.command = np.full(len(self.joints), 7.0)
        raise ZeroDivisionError

    def update(self, robot: Any, dt: float) -> None:
        raise AssertionError


@pytest.mark.parametrize("where", ["bind", "reset"])
def test_one_that_breaks_while_it_is_added_leaves_no_trace(where: str) -> None:
    scene = two("a", "b")
    a, b = scene.robots.values()
    b.add_controller(Wave())
    a.add_controller(GravityCompensation())
    scene.step(7)
    a.command = [0.1, -0.1]
    a.prime("velocity", [1.0, 2.0])
    controller = Breaks(where)
    refused(scene, lambda: a.add_controller(controller), ZeroDivisionError)
    assert not controller.is_attached
    a.command = [0.2, 0.2]
    scene.step(5)


@pytest.mark.parametrize("make", [Wave, JointAdmittance, lambda: JointImpedance(5.0, 1.0)])
def test_ruled_joints_take_no_commands_or_modes_from_outside(make: Any) -> None:
    scene = two("a", "b")
    a, b = scene.robots.values()
    controller = a.add_controller(make(), joints=["j2"])
    scene.step(3)
    two_numbers = [0.1, 0.2]
    refused(scene, lambda: setattr(a, "command", two_numbers), CommandError)
    refused(scene, lambda: setattr(a.joints, "command", two_numbers), CommandError)
    refused(scene, lambda: setattr(a.joints["j2"], "command", 0.1), CommandError)
    refused(scene, lambda: scene.apply({"a": ObjectCmd(joint_cmds=two_numbers)}), CommandError)
    both = {"b": ObjectCmd(joint_cmds=two_numbers), "a": ObjectCmd(joint_cmds=two_numbers)}
    refused(scene, lambda: scene.apply(both), CommandError)
    refused(scene, lambda: a.set_control_mode("velocity"), ModeError)
    scene.apply({"a": ObjectCmd(joint_cmds=[0.3])})  # the first joint is free
    assert scene.command[0] == 0.3
    a.joints["j1"].command = 0.1
    a.set_control_mode("velocity", joints=["j1"])
    b.command = two_numbers
    a.remove_controller(controller)
    a.set_control_mode("position")
    a.command = two_numbers


def test_one_for_any_mode_refuses_commands_too_and_leaves_the_modes() -> None:
    class AnyMode(Wave):
        modes = ()

    scene = two()
    robot = robot_of(scene)
    robot.set_control_mode("velocity")
    controller = robot.add_controller(AnyMode())
    assert robot.ctrl_mode is CtrlMode.VELOCITY
    refused(scene, lambda: setattr(robot, "command", [0.0, 0.0]), CommandError)
    robot.remove_controller(controller)
    assert robot.ctrl_mode is CtrlMode.VELOCITY
    robot.command = [0.0, 0.0]


def test_an_attachment_has_controllers_of_its_own() -> None:
    hand = AttachmentSpec(
        TWO, attach_to=site("tip"), prefix="h/", modes=[CtrlModeSpec(CtrlMode.TORQUE)]
    )
    scene = build(RobotSpec(TWO, prefix="a/", attachments=[hand]))
    robot = robot_of(scene)
    (part,) = robot.attachments.values()
    on_arm = robot.add_controller(JointAdmittance())
    on_hand = part.add_controller(JointImpedance(5.0, 1.0))
    assert on_arm.joints.names == ("a/j1", "a/j2")
    assert on_hand.joints.names == ("a/h/j1", "a/h/j2")
    assert (robot.controllers, part.controllers) == (
        {"joint_admittance": on_arm},
        {"joint_impedance": on_hand},
    )
    refused(scene, lambda: robot.add_controller(Wave(), joints=["a/h/j1"]))
    refused(scene, lambda: robot.remove_controller(on_hand))
    scene.run(0.1)
    scene.reset()
    scene.run(0.1)
    part.remove_controller(on_hand)
    assert part.ctrl_mode is CtrlMode.POSITION
    assert on_arm.is_attached


@pytest.mark.parametrize("mode", list(CtrlMode))
def test_modes_are_taken_and_given_back_without_a_jump(mode: CtrlMode) -> None:
    scene = arm("panda", modes=[velocity(100.0), CtrlModeSpec(CtrlMode.TORQUE)])
    robot = robot_of(scene)
    scene.set_control_mode(robot, mode)
    scene.run(0.05)
    before = effort(scene)
    controller = robot.add_controller(Wave())
    np.testing.assert_allclose(effort(scene), before, rtol=0, atol=1e-9)
    assert robot.ctrl_mode is CtrlMode.POSITION
    scene.run(0.05)
    before = effort(scene)
    robot.remove_controller(controller)
    assert robot.ctrl_mode is mode
    np.testing.assert_allclose(effort(scene), before, rtol=0, atol=1e-9)


def test_a_base_without_controllers_costs_no_phase() -> None:
    scene = two()
    assert scene.cycle.before == []
    controller = robot_of(scene).add_controller(Wave())
    assert len(scene.cycle.before) == 2  # controllers, and bodies that they may let follow
    robot_of(scene).remove_controller(controller)
    assert scene.cycle.before == []
    assert scene.control.table.refusals is None
