"""States put back: physics, modes, commands, groups, what is primed or pending."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from field_models import build
from mode_models import (
    POSITION,
    TORQUE,
    TWO,
    VELOCITY,
    acting,
    assert_same,
    everything,
    rod,
    velocity,
)
from test_switching import FILTERED, FINGERS, GRIPPER

import mjscene
from mjscene import CtrlMode, CtrlModeSpec, RobotSpec, Scene, SceneObject

MODES = (CtrlModeSpec(), velocity(20.0))
SERVO = '<position name="p" joint="j" kp="200" kv="20"/>'


def scene_of_three(**fields: Any) -> Scene:
    return build(
        RobotSpec(TWO, prefix="a/", modes=MODES),
        RobotSpec(FILTERED, prefix="b/", modes=MODES, pos=(0, 2, 0)),
        RobotSpec(GRIPPER, prefix="t/", modes=FINGERS, pos=(0, 4, 0)),
        **fields,
    )


def mixed(scene: Scene) -> Scene:
    """The scene in mixed modes, with a primed and a pending command and a foreign bit."""
    scene.data.qvel[:] = 0.2
    scene.step(3)
    scene.set_control_mode({"a": TORQUE, "t": TORQUE})
    scene.set_control_mode("b", VELOCITY, ["j2"])
    scene.robots["a"].command = [2.0, -0.5]
    scene.step(2)
    scene.robots["a"].prime(VELOCITY, [0.1, 0.2])
    scene.robots["b"].command[0] = 0.7
    scene.model.opt.disableactuator |= 1 << 25
    return scene


def rollout(scene: Scene, n: int = 40) -> np.ndarray:
    rows = []
    for _ in range(n):
        scene.step()
        rows.append(np.concatenate([scene.data.qpos, scene.data.qvel, scene.data.act]))
    return np.array(rows)


def disturb(scene: Scene) -> None:
    """Change everything that a state holds."""
    scene.set_control_mode(["a", "b"], POSITION)
    scene.set_control_mode("a", VELOCITY, ["j1"], transfer="hold")
    scene.set_control_mode("t", TORQUE, ["fl"], transfer="hold")
    scene.command[:] = 0.05
    scene.step(10)
    scene.robots["b"].prime(TORQUE, [3.0, 3.0])


def test_a_state_put_back_goes_on_bit_for_bit() -> None:
    scene = mixed(scene_of_three())
    state, before, wanted = scene.get_state(), everything(scene), rollout(scene)
    for _ in range(2):
        disturb(scene)
        scene.set_state(state)
        now = everything(scene)
        parts = [k for k in before if k != "qfrc_actuator"]
        assert_same({k: now[k] for k in parts}, {k: before[k] for k in parts})
        np.testing.assert_array_equal(rollout(scene), wanted)


def test_a_state_put_back_in_another_scene_of_the_same_spec_goes_on_bit_for_bit() -> None:
    scene = mixed(scene_of_three())
    state = scene.get_state()
    other = scene_of_three()
    other.set_state(state)
    np.testing.assert_array_equal(rollout(other), rollout(scene))
    for name in scene.robots:
        assert other.robots[name].ctrl_modes == scene.robots[name].ctrl_modes
    assert acting(other) == acting(scene)


def test_a_command_that_no_step_has_taken_is_carried_and_taken_by_the_next() -> None:
    scene = mixed(scene_of_three())
    state = scene.get_state()
    disturb(scene)
    scene.set_state(state)
    adr = scene.model.actuator_ctrladr[scene.model.actuator("b/p1").id]
    assert scene.data.ctrl[adr] != 0.7
    scene.step()
    assert scene.data.ctrl[adr] == 0.7


def test_a_control_that_the_program_wrote_itself_is_carried() -> None:
    scene = scene_of_three()
    scene.step()
    adr = scene.model.actuator("a/p1").id
    scene.data.ctrl[adr] = 0.4
    state = scene.get_state()
    disturb(scene)
    scene.set_state(state)
    scene.step()
    assert scene.data.ctrl[adr] == 0.4


def test_a_state_is_sealed_and_stays_when_the_scene_moves_on() -> None:
    scene = mixed(scene_of_three())
    state = scene.get_state()
    copies = (state.physics.copy(), state.modes.copy(), state.command.copy(), state.primed.copy())
    disturb(scene)
    for array, copy in zip(
        (state.physics, state.modes, state.command, state.primed), copies, strict=True
    ):
        np.testing.assert_array_equal(array, copy)
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def other_modes() -> Any:
    """A state of a scene with the same joints and sizes, whose joint offers other modes."""
    return build(RobotSpec(rod(SERVO), modes=(CtrlModeSpec(),), initial_mode=TORQUE)).get_state()


def other_objects() -> Any:
    ball = SceneObject("ball", shape="sphere", size=(0.1,), pos=(0, 0, 5))
    modes = (velocity(20.0),)
    return build(RobotSpec(rod(SERVO), modes=modes), objects=[ball]).get_state()


FOREIGN = {
    "more joints": lambda: build(RobotSpec(TWO, modes=(velocity(20.0),))).get_state(),
    "other names": lambda: build(
        RobotSpec(rod(SERVO), prefix="x/", modes=(velocity(20.0),))
    ).get_state(),
    "other objects": other_objects,
    "other modes": other_modes,
    "nothing": lambda: None,
    "physics alone": lambda: np.zeros(10),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_state_of_another_scene_is_refused_and_nothing_changes(kind: str) -> None:
    scene = build(RobotSpec(rod(SERVO), modes=(velocity(20.0),)))
    scene.step(5)
    state, before = FOREIGN[kind](), everything(scene)
    with pytest.raises(mjscene.MjsceneError):
        scene.set_state(state)
    assert_same(everything(scene), before)


def test_objects_come_and_go_and_modes_commands_and_groups_stay() -> None:
    plain, scene = mixed(scene_of_three()), mixed(scene_of_three())
    robots = [scene.robots[n] for n in ("a", "b", "t")]
    before = everything(scene)
    box = SceneObject("box", shape="box", pos=(9, 9, 9), size=(0.1, 0.1, 0.1), fixed=True)
    scene.add_object(box)
    now = everything(scene)
    for name in before.keys() - {"objects", "model", "qfrc_actuator"}:
        assert_same({name: now[name]}, {name: before[name]})
    np.testing.assert_array_equal(rollout(scene), rollout(plain))
    scene.set_control_mode("a", POSITION)
    plain.set_control_mode("a", POSITION)
    scene.remove_object("box")
    np.testing.assert_array_equal(rollout(scene), rollout(plain))
    for handle, name in zip(robots, ("a", "b", "t"), strict=True):
        assert handle == scene.robots[name], "handles stay valid"
        assert handle.ctrl_modes == plain.robots[name].ctrl_modes
    robots[0].set_control_mode(VELOCITY)
    plain.set_control_mode("a", VELOCITY)
    np.testing.assert_array_equal(rollout(scene), rollout(plain))
    assert int(scene.model.opt.disableactuator) >> 25 & 1


def test_an_object_that_is_refused_leaves_modes_and_commands() -> None:
    scene = mixed(scene_of_three())
    before = everything(scene)
    nowhere = mjscene.site("nope")
    lost = SceneObject("lost", shape="box", size=(1, 1, 1), fixed=True, attach_to=nowhere)
    with pytest.raises(mjscene.ComposeError):
        scene.add_object(lost)
    assert_same(everything(scene), before)


@pytest.mark.parametrize("keep", [True, False])
def test_a_reset_is_the_same_whatever_was_before(keep: bool) -> None:
    fresh = scene_of_three()
    scene = mixed(scene_of_three())
    modes = [r.ctrl_modes for r in scene.robots.values()]
    scene.reset(keep_modes=keep)
    assert scene.time == 0
    assert np.isnan(scene.control.table.primed).all()
    if keep:
        assert [r.ctrl_modes for r in scene.robots.values()] == modes
        scene.set_control_mode({"a": POSITION, "b": POSITION}, transfer="hold")
        scene.set_control_mode("t", None, transfer="hold")
    else:
        scene.model.opt.disableactuator &= ~(1 << 25)
        assert int(scene.model.opt.disableactuator) == int(fresh.model.opt.disableactuator)
        np.testing.assert_array_equal(rollout(scene), rollout(fresh))
    assert acting(scene) == acting(fresh)


def test_an_unknown_keyframe_is_refused_and_nothing_changes() -> None:
    scene = mixed(scene_of_three())
    before = everything(scene)
    with pytest.raises(mjscene.ComposeError, match="'nope'"):
        scene.reset("nope")
    assert_same(everything(scene), before)


def test_a_state_knows_modes_by_joint() -> None:
    scene = mixed(scene_of_three())
    state = scene.get_state()
    found = dict(zip(state.joint_names, state.modes.tolist(), strict=True))
    assert found == {
        "a/j1": CtrlMode.TORQUE,
        "a/j2": CtrlMode.TORQUE,
        "b/j1": CtrlMode.POSITION,
        "b/j2": CtrlMode.VELOCITY,
        "t/fl": CtrlMode.TORQUE,
        "t/fr": CtrlMode.TORQUE,
    }


def box_at(name: str, place: float) -> SceneObject:
    return SceneObject(name, shape="box", size=(0.1, 0.1, 0.1), pos=(place, 9, 1))


@pytest.mark.parametrize("change", ["another", "order", "robot"])
def test_a_state_of_other_things_of_the_same_size_is_refused(change: str) -> None:
    """Neither the count of numbers nor the joints' names tell them apart."""
    scene = scene_of_three(objects=[box_at("x", 0), box_at("y", 5)])
    scene.robots["a"].stop()
    state = scene.get_state()
    if change == "robot":
        renamed = RobotSpec(TWO, prefix="a/", modes=MODES, name="other")
        scene = build(renamed)
        plain = build(RobotSpec(TWO, prefix="a/", modes=MODES))
        plain.robots["a"].stop()
        state = plain.get_state()
    else:
        scene.remove_object("x")
        scene.add_object(box_at("x" if change == "order" else "z", 0))
    before = everything(scene)
    with pytest.raises(mjscene.ComposeError, match="another scene"):
        scene.set_state(state)
    assert_same(everything(scene), before)


@pytest.mark.parametrize("write", ["qvel", "qfrc_applied", "xfrc_applied"])
def test_what_was_written_after_the_last_step_is_told_from_it_when_put_back(write: str) -> None:
    """The records go on as they would have: what was written is of no step yet."""
    scene = scene_of_three()
    scene.step(5)
    assert not scene.joints.external_effort.any(), "read before the write, as a reflex does"
    getattr(scene.data, write)[-1] += 0.5
    state = scene.get_state()

    def go_on() -> np.ndarray:
        rows = []
        for _ in range(4):
            joints = scene.joints
            rows.append([joints.acceleration, joints.jerk, joints.external_effort])
            scene.step()
        return np.array(rows)

    wanted = go_on()
    scene.set_state(state)
    np.testing.assert_array_equal(go_on(), wanted)
