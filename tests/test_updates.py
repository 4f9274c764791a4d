"""What controllers do to others within updates, and what is left when they break."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest
from meanwhile import Does, pair, rollout
from mode_models import POSITION, TORQUE
from stepped import Beside

from mjscene import (
    CommandError,
    ComposeError,
    MjsceneWarning,
    RobotMode,
    Scene,
    SceneObject,
    SimulationError,
    SpecError,
)
from mjscene.controllers import (
    Controller,
    GravityCompensation,
    JointAdmittance,
    JointImpedance,
)

# -- within updates --------------------------------------------------------------------------------


LAWS: dict[str, Callable[[], Controller]] = {
    "impedance": lambda: JointImpedance(stiffness=100.0, damping=10.0),
    "admittance": JointAdmittance,
    "gravity": GravityCompensation,
}


@pytest.mark.parametrize("law", LAWS)
def test_a_robot_that_an_update_stops_is_not_updated_any_more(law: str) -> None:
    scene = pair()
    b = scene.robots["b"]
    scene.robots["a"].add_controller(Does(b.stop))
    b.add_controller(LAWS[law]())
    scene.step(2)
    assert b.robot_mode is RobotMode.USER_STOPPED
    held = scene.data.qpos[2:].copy()
    scene.step(200)  # no command to its joints is refused
    np.testing.assert_allclose(scene.data.qpos[2:], held, atol=2e-2)


@pytest.mark.parametrize("law", ["impedance", "admittance"])
def test_a_controller_that_an_update_removes_is_not_updated_any_more(law: str) -> None:
    efforts = []
    for within in (False, True):
        scene = pair()
        b = scene.robots["b"]
        b.set_control_mode(TORQUE if law == "admittance" else POSITION)
        controller = LAWS[law]()
        action = Does(lambda b=b, controller=controller: b.remove_controller(controller))
        scene.robots["a"].add_controller(action if within else Does(lambda: None))
        b.add_controller(controller)
        scene.step()
        if not within:
            b.remove_controller(controller)
        scene.step()
        assert not b.controllers
        efforts.append(b.command.copy())
    np.testing.assert_array_equal(*efforts)


def test_a_reset_within_an_update_starts_the_others_before_they_are_updated() -> None:
    scene = pair()
    admittance = JointAdmittance()
    scene.robots["a"].add_controller(Does(lambda: scene.reset(), at=30))
    scene.robots["b"].add_controller(admittance)
    admittance.reference = [0.4, -0.3]
    scene.step(29)
    assert abs(scene.command[2:]).max() > 0.01
    scene.step()
    fresh = pair()
    fresh.robots["b"].add_controller(JointAdmittance())
    fresh.step()
    np.testing.assert_allclose(scene.command, fresh.command, atol=1e-12)


@pytest.mark.parametrize("what", ["add", "remove"])
def test_objects_are_not_changed_within_an_update(what: str) -> None:
    scene = pair()
    box = SceneObject("box", shape="box", size=(0.1,) * 3, mass=1.0, pos=(9, 9, 9))
    if what == "remove":
        scene.add_object(box)
    act = (lambda: scene.add_object(box)) if what == "add" else lambda: scene.remove_object("box")
    scene.robots["a"].add_controller(Does(act))
    scene.step()
    with pytest.raises(ComposeError, match="within a controller's update"):
        scene.step()
    steps, time = scene.steps, scene.time
    scene.step(3)
    assert (scene.steps, scene.time) == (steps + 3, pytest.approx(time + 3 * 0.002))
    act()  # between steps it is done
    assert any(o.name == "box" for o in scene.spec.objects) == (what == "add")


def test_a_stopped_robot_that_an_update_commands_is_refused_in_that_step() -> None:
    scene = pair()
    scene.robots["b"].stop()
    scene.step(2)
    control = scene.data.ctrl.copy()

    def command() -> None:
        scene.command[2] = 0.5

    scene.robots["a"].add_controller(Does(command, at=1))
    with pytest.raises(CommandError, match="'b/j1' is not commanded"):
        scene.step()
    scene.step()
    np.testing.assert_array_equal(scene.data.ctrl, control)


class Logs(Does):
    """Says when it was updated, and when reset."""

    def __init__(self, log: list[str], name: str, act: Callable[[], object] = lambda: None) -> None:
        super().__init__(act, at=3)
        self.log, self.name = log, name

    def reset(self, robot: Any) -> None:
        self.log.append(f"reset {self.name}")

    def update(self, robot: Any, dt: float) -> None:
        self.log.append(self.name)
        super().update(robot, dt)


def test_a_controller_that_is_added_in_an_update_begins_with_the_next_step() -> None:
    scene, log = pair(), []
    a, b = scene.robots["a"], scene.robots["b"]
    last = Logs(log, "D")
    middle = Logs(log, "B", lambda: a.add_controller(last))
    a.add_controller(Logs(log, "A", lambda: b.add_controller(Logs(log, "C"))))
    b.add_controller(middle)
    scene.step(2)
    log.clear()
    scene.step()
    assert log == ["A", "reset C", "B", "reset D"]
    log.clear()
    scene.step()
    assert log == ["A", "B", "C", "D"]


def test_a_controller_that_adds_itself_anew_is_updated_once() -> None:
    scene, log = pair(), []
    robot = scene.robots["a"]

    def anew() -> None:
        robot.remove_controller(mine)
        robot.add_controller(mine)

    mine = Logs(log, "X", anew)
    robot.add_controller(mine)
    for _ in range(5):
        before = log.count("X")
        scene.step()
        assert log.count("X") == before + 1


@pytest.mark.parametrize("first", [True, False])
def test_periods_begin_anew_with_the_step_after_a_reset_in_an_update(first: bool) -> None:
    scene, log = pair(), []
    slow = Logs(log, "C")
    slow.period = 0.01
    resets = Logs(log, "A", scene.reset)
    for name, controller in (("a", slow), ("b", resets)) if first else (("b", resets), ("a", slow)):
        scene.robots[name].add_controller(controller)
    scene.step(3)
    log.clear()
    for k in range(11):
        log.clear()
        scene.step()
        assert ("C" in log) == (k % 5 == 0), k


def test_a_period_that_changes_acts_at_once_and_is_checked() -> None:
    scene = pair()
    controller = Does(lambda: None, every=True)
    scene.robots["a"].add_controller(controller)
    scene.step(5)
    controller.period = 0.01
    before = controller.count
    scene.step(10)
    assert controller.count == before + 2
    with pytest.raises(SpecError, match=r"Does.period: expected a multiple of the timestep"):
        controller.period = 0.0033
    assert controller.period == 0.01


def test_what_an_update_computes_with_the_data_does_not_stay() -> None:
    ends = []
    for elsewhere in (True, False):
        scene = pair()
        scene.data.qvel[:] = 0.5

        def plan(scene: Scene = scene, elsewhere: bool = elsewhere) -> None:
            data = scene.data
            if elsewhere:
                data = mujoco.MjData(scene.model)
                mujoco.mj_copyData(data, scene.model, scene.data)
            rollout(scene.model, data)

        scene.robots["a"].add_controller(Does(plan, every=True))
        scene.command[0] = 0.3
        scene.step(50)
        ends.append(scene.data.qpos.copy())
    np.testing.assert_array_equal(*ends)


def test_what_an_update_writes_acts_in_its_step() -> None:
    scene = pair()
    scene.step(3)
    beside = Beside(scene)
    qvel, speeds = scene.data.qvel, np.array([0.5, -0.2, 0.1, 0.3])
    scene.robots["a"].add_controller(Does(lambda: qvel.__setitem__(slice(None), speeds), at=1))
    beside.data.qvel[:] = speeds
    scene.step()
    beside.step()
    np.testing.assert_array_equal(scene.data.qpos, beside.data.qpos)


def test_a_warning_of_other_data_is_told_once_by_the_next_step() -> None:
    other = pair()
    one, two = pair(), pair()

    def break_other() -> None:
        other.data.qvel[0] = 1e12
        mujoco.mj_step1(other.model, other.data)

    one.robots["a"].add_controller(Does(break_other, at=1))

    def all_step() -> None:
        one.step()
        for scene in (one, two, other):
            scene.step(2)

    with pytest.warns(MjsceneWarning, match="QVEL at DOF 0") as told:
        all_step()
    assert len([w for w in told if "QVEL" in str(w.message) or "BADQVEL" in str(w.message)]) == 1
    one.data.qvel[1] = 1e12
    with pytest.raises(SimulationError) as caught:
        one.step()
    assert str(caught.value).count("DOF") == 1


class Breaks(Controller):
    """Breaks where it is let go, or goes on."""

    modes = (TORQUE,)

    def __init__(self, where: str) -> None:
        self.where, self.count = where, 0

    def reset(self, robot: Any) -> None:
        """Nothing to start with."""

    def update(self, robot: Any, dt: float) -> None:
        self.count += 1
        self.joints.command = [0.0, 0.0]

    def release(self, robot: Any) -> None:
        if self.where == "release":
            raise RuntimeError("release")

    def resume(self, robot: Any) -> None:
        if self.where == "resume":
            raise RuntimeError("resume")


def test_a_controller_that_breaks_where_it_is_let_go_is_gone() -> None:
    scene = pair()
    robot, controller = scene.robots["a"], Breaks("release")
    robot.add_controller(controller)
    scene.step()
    with pytest.raises(RuntimeError, match="release"):
        robot.remove_controller(controller)
    assert not robot.controllers
    assert robot.ctrl_modes == (POSITION, POSITION)
    robot.command = [0.1, 0.2]
    robot.add_controller(controller)
    scene.step()


def test_a_controller_that_breaks_where_it_goes_on_is_updated_all_the_same() -> None:
    scene = pair()
    robot, controller = scene.robots["a"], Breaks("resume")
    robot.add_controller(controller)
    scene.step()
    robot.stop()
    scene.step()
    with pytest.raises(RuntimeError, match="resume"):
        robot.recover()
    before = controller.count
    scene.step(10)
    assert controller.count == before + 10


class Refuses(Breaks):
    """Breaks where it is started, or bound, once it is told to."""

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self.breaks = False

    def reset(self, robot: Any) -> None:
        if self.breaks and self.where == "reset":
            raise RuntimeError("reset")

    def bind(self, joints: Any) -> None:
        if self.breaks and self.where == "bind":
            raise RuntimeError("bind")
        super().bind(joints)


@pytest.mark.parametrize("where", ["reset", "bind"])
def test_a_controller_that_breaks_leaves_the_others_going(where: str) -> None:
    scene, steps = pair(), []
    first, second = Refuses(where), Refuses("nowhere")
    scene.robots["a"].add_controller(first)
    scene.robots["b"].add_controller(second)
    scene.on_step(lambda: steps.append(1))
    scene.step(2)
    first.breaks = True
    box = SceneObject("box", shape="box", size=(0.1,) * 3, mass=1.0, pos=(9, 9, 9))
    with pytest.raises(RuntimeError, match=where):
        scene.add_object(box) if where == "bind" else scene.reset()
    assert scene.robots["b"].ctrl_modes == (TORQUE, TORQUE)
    assert second.joints.model is scene.model
    before, seen = second.count, len(steps)
    scene.step(4)
    assert (second.count, len(steps)) == (before + 4, seen + 4)
    with pytest.raises(CommandError):
        scene.robots["b"].command = [0.0, 0.0]
    if where == "bind":  # it cannot go on
        assert not scene.robots["a"].controllers
        scene.robots["a"].command = [0.1, 0.1]


def test_equal_controllers_are_told_apart() -> None:
    class Equal(Does):
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Equal)

        __hash__ = None  # type: ignore[assignment]

    scene = pair()
    robot = scene.robots["a"]
    first, second = Equal(lambda: None), Equal(lambda: None)
    robot.add_controller(first)
    robot.add_controller(second)
    robot.remove_controller(second)
    assert (first.is_attached, second.is_attached) == (True, False)


def test_a_command_that_waits_outlasts_a_refused_change() -> None:
    scene = pair()
    scene.command[:] = 0.1
    scene.step()
    scene.command = np.full(4, 0.2)
    with pytest.raises(CommandError):
        scene.command += np.nan
    assert scene.command.tolist() == [0.2] * 4
