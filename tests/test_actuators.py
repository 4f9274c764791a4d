"""Actuators by name: those that take no mode have controls of their own."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from field_models import alone, build
from mode_models import TORQUE, TWO, rod, slider
from test_switching import FINGERS, GRIPPER

import mjscene
from mjscene import CommandError, ModeError, RobotSpec, SceneObject

SERVO = '<position name="p" joint="j" kp="200" kv="20"/>'
PID = '<pid name="x" joint="s" kp="30" kv="2" input="vel ff"/>'


def test_all_actuators_are_there_by_name_in_model_order() -> None:
    scene = build(RobotSpec(TWO, prefix="a/"), RobotSpec(GRIPPER, prefix="t/"))
    names = ("a/p1", "a/p2", "t/pull", "a/j1_torque", "a/j2_torque")
    assert tuple(scene.actuators) == scene.actuator_names == names
    assert len(scene.actuators) == 5
    for i, name in enumerate(names):
        assert scene.actuators[name].id == i
        assert scene.actuators[name].name == name
        assert scene.model.actuator(i).name == name
    assert scene.unmanaged == ("t/pull",)
    assert [n for n, a in scene.actuators.items() if not a.managed] == ["t/pull"]


def test_a_control_persists_and_does_what_it_does_in_the_file() -> None:
    model = alone(GRIPPER)
    data = mujoco.MjData(model)
    scene = build(RobotSpec(GRIPPER, prefix="t/"), RobotSpec(TWO, prefix="a/"))
    scene.actuators["t/pull"].ctrl = 0.02
    data.ctrl[:] = 0.02
    mujoco.mj_forward(model, data)
    for i in range(50):
        scene.robots["a"].command = [0.01 * i, 0.0]  # commands leave it alone
        scene.step()
        mujoco.mj_step(model, data)
    np.testing.assert_array_equal(scene.data.qpos[scene.robots["t"]._at.qpos], data.qpos)
    np.testing.assert_array_equal(scene.actuators["t/pull"].force, data.actuator_force)
    assert scene.actuators["t/pull"].ctrl.tolist() == [0.02]


def test_an_actuator_of_several_inputs_takes_one_number_for_each_or_one_for_all() -> None:
    # kv (v* - v) + ff at rest; controls and actuators are numbered apart.
    xml = slider('<orientation name="o" joint="b" kp="3"/>' + PID)
    ball = '<body pos="0 1 0"><joint name="b" type="ball"/><geom size=".1"/></body></worldbody>'
    scene = build(RobotSpec(xml.replace("</worldbody>", ball), prefix="r/"))
    one = scene.actuators["r/x"]
    assert one.ctrl.shape == (2,)
    assert scene.actuators["r/o"].ctrl.shape == (3,)
    one.ctrl = [0.5, 4.0]
    scene.step()
    assert one.force[0] == pytest.approx(2 * 0.5 + 4.0)
    assert scene.data.ctrl.tolist() == [0, 0, 0, 0.5, 4.0]
    scene.actuators["r/o"].ctrl = 0.1
    assert scene.data.ctrl.tolist() == [0.1, 0.1, 0.1, 0.5, 4.0]
    assert scene.actuators["r/o"].force.shape == (3,)


@pytest.mark.parametrize("bad", [[1.0, 2.0, 3.0], [], float("nan"), [1.0, float("inf")], [[1, 2]]])
def test_a_control_that_does_not_fit_is_refused_and_nothing_changes(bad: Any) -> None:
    scene = build(RobotSpec(slider(PID), prefix="r/"))
    scene.actuators["r/x"].ctrl = [0.5, 4.0]
    with pytest.raises(CommandError, match="'r/x'") as caught:
        scene.actuators["r/x"].ctrl = bad
    assert caught.value.element == "r/x"
    assert scene.data.ctrl.tolist() == [0.5, 4.0]


@pytest.mark.parametrize("bad", ["fast", None, {}])
def test_a_control_that_is_no_number_is_refused(bad: Any) -> None:
    scene = build(RobotSpec(slider(PID), prefix="r/"))
    with pytest.raises(CommandError, match="'r/x'"):
        scene.actuators["r/x"].ctrl = bad


def test_a_mode_of_a_joint_has_no_control_of_its_own() -> None:
    scene = build(RobotSpec(TWO, prefix="a/"))
    before = scene.data.ctrl.copy()
    for name in scene.actuators:
        assert scene.actuators[name].managed
        with pytest.raises(ModeError, match=r"robot\.command"):
            scene.actuators[name].ctrl = 1.0
    np.testing.assert_array_equal(scene.data.ctrl, before)


def test_a_wrong_name_gets_the_closest() -> None:
    scene = build(RobotSpec(TWO, prefix="a/"))
    with pytest.raises(mjscene.UnknownNameError) as caught:
        scene.actuators["a/p3"]
    assert "a/p1" in caught.value.close
    assert "a/p3" not in scene.actuators
    assert scene.actuators.get("a/p3") is None


def test_enabled_and_group_follow_the_modes() -> None:
    scene = build(RobotSpec(GRIPPER, modes=FINGERS), RobotSpec(TWO, prefix="a/"))
    pull, torque = scene.actuators["pull"], scene.actuators["fl_torque"]
    assert (pull.enabled, torque.enabled) == (True, False)
    scene.set_control_mode("grip", TORQUE)
    assert (pull.enabled, torque.enabled) == (False, True)
    for actuator in scene.actuators.values():
        mask = int(scene.model.opt.disableactuator)
        assert actuator.enabled == (not mask >> actuator.group & 1)


def test_an_actuator_stays_valid_when_objects_change() -> None:
    scene = build(RobotSpec(GRIPPER, prefix="t/"))
    pull = scene.actuators["t/pull"]
    pull.ctrl = 0.3
    scene.add_object(SceneObject("box", shape="box", size=(0.1, 0.1, 0.1), pos=(0, 0, 9)))
    assert pull.ctrl.tolist() == [0.3]
    pull.ctrl = 0.4
    assert scene.data.ctrl[pull.id] == 0.4


def test_what_is_read_is_a_copy() -> None:
    scene = build(RobotSpec(GRIPPER))
    pull = scene.actuators["pull"]
    pull.ctrl[:] = 9.0
    pull.force[:] = 9.0
    assert scene.data.ctrl[0] == 0.0
    assert scene.data.actuator_force[0] == 0.0


def test_its_text_says_whether_it_is_a_mode() -> None:
    scene = build(RobotSpec(GRIPPER, modes=FINGERS))
    assert "mode of a joint" in repr(scene.actuators["fl_torque"])
    assert "mode of a joint" not in repr(scene.actuators["pull"])
    assert repr(scene.actuators["pull"]).startswith("<actuator 'pull'")


def test_the_file_alone_has_what_the_scene_has_unmanaged_when_it_disables_it() -> None:
    off = SERVO + '<motor name="off" joint="j" group="4"/>'
    xml = rod(off, option='integrator="implicitfast" actuatorgroupdisable="4"')
    scene = build(RobotSpec(xml, regroup=True))
    assert scene.unmanaged == ("off",)
    assert not scene.actuators["off"].enabled
    scene.actuators["off"].ctrl = 100.0
    scene.step()
    assert scene.actuators["off"].force.tolist() == [0.0]
