"""A program's own controllers: when they are asked, what they rule, and how they come and go."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from controller_scenes import arm, everything_ruled, robot_of
from field_models import build
from mode_models import TWO, assert_same, effort, rod, velocity

from mjscene import (
    AttachmentSpec,
    CommandError,
    ControllerError,
    CtrlMode,
    CtrlModeSpec,
    ModeError,
    ObjectCmd,
    RobotSpec,
    Scene,
    SceneObject,
    SpecError,
    site,
)
from mjscene.controllers import (
    BodyPose,
    Controller,
    GravityCompensation,
    JointAdmittance,
    JointImpedance,
)


class Wave(Controller):
    """Swings its joints about where it began: it has a period, and a phase as its state."""

    modes = (CtrlMode.POSITION,)

    def __init__(self, period: float | None = None, log: list[Any] | None = None) -> None:
        self.period = period
        self.log = log if log is not None else []
        self.phase = 0.0

    def reset(self, robot: Any) -> None:
        self.phase = 0.0
        self.log.append(("reset", robot.name))

    def update(self, robot: Any, dt: float) -> None:
        self.phase += 2.0 * dt
        self.log.append((robot.name, dt))
        self.joints.command = 0.3 * np.sin(self.phase + np.arange(len(self.joints)))

    def get_state(self) -> dict[str, Any]:
        return {"phase": self.phase}

    def set_state(self, state: dict[str, Any]) -> None:
        self.phase = state["phase"]


class Nudge(Controller):
    """Adds to nothing, wants no joints: it only watches."""

    needs_joints = False
    adds = True

    def __init__(self, log: list[Any]) -> None:
        self.log = log

    def reset(self, robot: Any) -> None:
        self.log.append("begins")

    def update(self, robot: Any, dt: float) -> None:
        self.log.append("watches")


def two(*prefixes: str, **fields: Any) -> Scene:
    modes = [velocity(10.0), CtrlModeSpec(CtrlMode.TORQUE)]
    return build(
        *(
            RobotSpec(TWO, prefix=f"{p}/", pos=(0, 2.0 * k, 0), **{"modes": modes} | fields)
            for k, p in enumerate(prefixes or ("a",))
        )
    )


# -- when ---------------------------------------------------------------------------------------


def test_updates_come_in_the_order_of_adding_and_at_their_periods() -> None:
    scene = two("a", "b")
    a, b = scene.robots.values()
    log: list[Any] = []
    b.add_controller(Wave(None, log))
    a.add_controller(Wave(0.006, log))
    a.add_controller(Nudge(log))
    assert log == [("reset", "b"), ("reset", "a"), "begins"]
    log.clear()
    scene.step()
    assert log == [("b", 0.002), ("a", pytest.approx(0.006)), "watches"]
    log.clear()
    scene.step(5)
    assert [entry[0] for entry in log] == ["b", "w", "b", "w", "b", "a", "w", "b", "w", "b", "w"]


def test_a_period_begins_where_the_controller_was_added() -> None:
    scene = two()
    scene.step(2)
    log: list[Any] = []
    robot_of(scene).add_controller(Wave(0.008, log))
    log.clear()
    calls = []
    for _ in range(9):
        scene.step()
        calls.append(len(log))
    assert calls == [1, 1, 1, 1, 2, 2, 2, 2, 3]


def test_a_controller_sees_the_state_and_rules_the_step_that_follows() -> None:
    scene = two()
    seen: list[Any] = []

    class Look(Wave):
        def update(self, robot: Any, dt: float) -> None:
            seen.append((scene.time, self.joints.position, self.joints.velocity))
            self.joints.command = np.full(2, 0.1)

    robot_of(scene).add_controller(Look())
    scene.data.qvel[:] = (0.5, 0.2)
    before = (scene.time, scene.data.qpos.copy(), scene.data.qvel.copy())
    scene.step()
    np.testing.assert_equal(seen, [before])
    np.testing.assert_array_equal(scene.data.ctrl[scene.control.table.ctrl_now], 0.1)


@pytest.mark.parametrize("period", [0.003, 0.0, -0.002, float("nan"), True])
def test_a_period_that_is_no_multiple_is_refused(period: Any) -> None:
    scene = two()
    before = everything_ruled(scene)
    with pytest.raises(SpecError, match=r"period|time"):
        robot_of(scene).add_controller(Wave(period))
    assert_same(everything_ruled(scene), before)


def test_an_exception_in_an_update_takes_no_step_and_the_next_one_asks_again() -> None:
    scene = two("a", "b")
    a, b = scene.robots.values()
    first, log = a.add_controller(Wave()), []

    class Fails(Wave):
        fails = True

        def update(self, robot: Any, dt: float) -> None:
            if self.fails:
                raise ZeroDivisionError("by the controller")
            super().update(robot, dt)

    second = b.add_controller(Fails(None, log))
    scene.data.qvel[:] = 0.1
    scene.forward()
    before = everything_ruled(scene)
    with pytest.raises(ZeroDivisionError):
        scene.step()
    assert scene.steps == 0
    after = everything_ruled(scene)
    command = after.pop("command")
    assert_same(after, {k: v for k, v in before.items() if k != "command"})
    np.testing.assert_array_equal(command[b.rows], before["command"][b.rows])
    assert first.phase == pytest.approx(0.004)  # it had its turn
    second.fails = False
    scene.step()
    assert (scene.steps, log[-1]) == (1, ("b", 0.002))


# -- state and life ------------------------------------------------------------------------------


def everything_on(scene: Scene) -> None:
    """Controllers of every kind, on the robots of a scene of four."""
    a, b, c, d = scene.robots.values()
    a.add_controller(Wave(0.006))
    a.add_controller(GravityCompensation())
    b.add_controller(JointAdmittance(time_step=0.004, compliance=0.01))
    c.add_controller(JointImpedance(50.0, 5.0)).set_target([0.2, -0.1])
    d.add_controller(BodyPose("lower", linear=(80.0, 8.0), angular=(0.5, 0.1)))


@pytest.mark.parametrize("when", [0.05, 0.051, 0.052, 0.054])
def test_a_state_put_back_goes_on_bit_for_bit(when: float) -> None:
    scene = two("a", "b", "c", "d")
    everything_on(scene)
    scene.data.qfrc_applied[:] = 1.0
    scene.step(round(when / 0.002))
    state = scene.get_state()
    scene.step(40)
    wanted = scene.data.qpos.copy(), scene.command.copy()
    scene.step(7)
    for _ in range(2):
        scene.set_state(state)
        scene.step(40)
        np.testing.assert_array_equal(scene.data.qpos, wanted[0])
        np.testing.assert_array_equal(scene.command, wanted[1])
    other = two("a", "b", "c", "d")
    everything_on(other)
    other.set_state(state)
    other.step(40)
    np.testing.assert_array_equal(other.data.qpos, wanted[0])


def test_reset_starts_controllers_anew() -> None:
    scene = two("a", "b", "c", "d")
    everything_on(scene)
    for robot in list(scene.robots.values())[2:]:
        robot.remove_controller(next(iter(robot.controllers)))
    scene.reset()
    start = scene.get_state()
    scene.step(50)
    wanted = scene.data.qpos.copy(), scene.command.copy()
    scene.reset()
    assert_same(
        {"command": scene.command.copy(), "qpos": scene.data.qpos.copy()},
        {"command": start.command, "qpos": start.physics[1 : 1 + scene.model.nq]},
    )
    scene.step(50)
    np.testing.assert_array_equal(scene.data.qpos, wanted[0])
    np.testing.assert_array_equal(scene.command, wanted[1])


def test_an_object_that_is_added_does_not_disturb_them() -> None:
    def course(*, adds: bool) -> Any:
        scene = two("a", "b", "c", "d")
        everything_on(scene)
        scene.data.qfrc_applied[:] = 1.0
        scene.step(11)
        if adds:
            scene.add_object(SceneObject("far", shape="sphere", size=[0.1], pos=(50, 0, 0)))
            scene.step(4)
            scene.remove_object("far")
            scene.step(5)
        else:
            scene.step(9)
        assert all(r.controllers for r in scene.robots.values())
        return scene.joints.position, scene.command.copy()

    plain, changed = course(adds=False), course(adds=True)
    np.testing.assert_allclose(changed[0], plain[0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(changed[1], plain[1], rtol=0, atol=1e-6)


def test_a_stop_suspends_and_recovery_starts_it_again() -> None:
    scene = two()
    robot = robot_of(scene)
    log: list[Any] = []
    controller = robot.add_controller(Wave(None, log))
    scene.step(50)
    robot.stop()
    asked = len(log)
    scene.run(1.0)
    assert len(log) == asked
    np.testing.assert_allclose(scene.joints.position, scene.joints.stop_position, atol=1e-3)
    with pytest.raises(ControllerError, match="stopped"):
        robot.add_controller(GravityCompensation())
    robot.recover()
    assert log[-1] == ("reset", "a")
    assert controller.phase == 0.0
    scene.step()
    assert log[-1] == ("a", 0.002)
    with pytest.raises(CommandError, match="controller 'wave'"):
        robot.command = [0.0, 0.0]


@pytest.mark.parametrize("kind", [CtrlMode.POSITION, CtrlMode.VELOCITY, CtrlMode.TORQUE])
def test_taken_away_while_stopped_the_hold_stays_and_the_modes_come_back(kind: CtrlMode) -> None:
    scene = two()
    robot = robot_of(scene)
    scene.set_control_mode(robot, kind)
    controller = robot.add_controller(JointImpedance(50.0, 5.0))
    scene.step(20)
    robot.stop()
    scene.run(1.0)
    where, held = scene.joints.position, scene.command.copy()
    robot.remove_controller(controller)
    assert not controller.is_attached
    np.testing.assert_array_equal(scene.command, held)
    with pytest.raises(CommandError, match="USER_STOPPED"):
        robot.command = [0.0, 0.0]
    scene.run(1.0)
    np.testing.assert_allclose(scene.joints.position, where, atol=1e-6)
    robot.recover()
    assert robot.ctrl_mode is kind
    robot.command = robot.command


def test_a_state_of_a_stop_put_back_refuses_commands_for_the_right_reason() -> None:
    scene = two()
    robot = robot_of(scene)
    robot.add_controller(Wave())
    scene.step(5)
    running = scene.get_state()
    robot.stop()
    scene.step(5)
    stopped = scene.get_state()
    scene.set_state(running)
    with pytest.raises(CommandError, match="controller 'wave'"):
        robot.command = [0.0, 0.0]
    scene.set_state(stopped)
    with pytest.raises(CommandError, match="USER_STOPPED"):
        robot.command = [0.0, 0.0]
    robot.recover()
    with pytest.raises(CommandError, match="controller 'wave'"):
        robot.command = [0.0, 0.0]


@pytest.fixture
def no_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collection")
def test_a_dropped_scene_goes_at_once_with_model_and_controllers() -> None:
    scene = two("a", "b", "c", "d")
    everything_on(scene)
    scene.step(10)
    scene.add_object(SceneObject("more", shape="sphere", size=[0.1], pos=(30, 3, 3)))
    scene.set_state(scene.get_state())
    scene.reset()
    scene.robots["a"].stop()
    scene.step(10)
    scene.robots["a"].recover()
    scene.step()
    controllers = [c for r in scene.robots.values() for c in r.controllers.values()]
    gone = [weakref.ref(x) for x in (scene, scene.controllers, scene.control, *controllers)]
    del scene, controllers
    assert [ref() for ref in gone] == [None] * len(gone)


@pytest.mark.usefixtures("no_collection")
def test_a_controller_that_is_kept_keeps_no_scene() -> None:
    scene = two()
    controller = robot_of(scene).add_controller(JointAdmittance())
    scene.step()
    gone = weakref.ref(scene)
    del scene
    assert gone() is None
    controller.set_filter_omega(10.0)
    assert controller.filter.omega == 10.0


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


def refused(scene: Scene, add: Any, kind: type[Exception] = ControllerError) -> Any:
    before = everything_ruled(scene)
    with pytest.raises(kind) as caught:
        add()
    assert_same(everything_ruled(scene), before)
    return caught.value


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
    assert error.close == ("b/j2",)
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
    assert len(scene.cycle.before) == 1
    robot_of(scene).remove_controller(controller)
    assert scene.cycle.before == []
    assert scene.control.table.refusals is None
