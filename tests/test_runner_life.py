"""Controllers over resets, states, stops and new models, and that a dropped scene goes."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from controller_scenes import Wave, robot_of, two
from mode_models import assert_same

from mjscene import (
    CommandError,
    ControllerError,
    CtrlMode,
    Scene,
    SceneObject,
)
from mjscene.controllers import (
    BodyPose,
    GravityCompensation,
    JointAdmittance,
    JointImpedance,
)

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


@pytest.mark.parametrize(
    "make", [JointAdmittance, lambda: Wave(0.004), lambda: JointImpedance(50.0, 5.0)]
)
def test_one_of_another_kind_or_on_other_joints_starts_where_a_state_is_put_back(make: Any) -> None:
    """The state is of an impedance, whose name another one has now."""
    scene = two()
    robot = robot_of(scene)
    robot.add_controller(JointImpedance(50.0, 5.0), name="law").set_target([0.4, -0.2])
    scene.step(30)
    state = scene.get_state()
    robot.remove_controller("law")
    other = robot.add_controller(make(), joints=["j1"], name="law")
    scene.step(5)
    scene.set_state(state)
    assert robot.ctrl_modes == (other.modes[0], CtrlMode.TORQUE)
    wanted = scene.data.qfrc_actuator.copy()
    scene.forward()
    np.testing.assert_allclose(scene.data.qfrc_actuator, wanted, rtol=0, atol=1e-9)
    robot.joints["j2"].command = 0.0
    with pytest.raises(CommandError, match="law"):
        robot.joints["j1"].command = 0.0
    scene.step(5)


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
