"""Commands as they come every step do what the slower way does, and refuse what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from command_models import BACKWARDS
from field_models import build
from hypothesis import given, settings
from hypothesis import strategies as st
from mode_models import TWO, rod
from test_switching import FINGERS, GRIPPER

from mjscene import (
    AttachmentSpec,
    CommandError,
    ObjectCmd,
    RobotSpec,
    Scene,
    SceneObject,
    site,
)
from mjscene.apply import apply_commands
from mjscene.streamed import apply_streamed


def make(**fields: Any) -> Scene:
    """Arms side by side, one with a hand of its own name, one with passive joints in its middle."""
    servo = '<position name="p" joint="j" kp="20" kv="2"/>'
    hand = AttachmentSpec(rod(servo), attach_to=site("tip"), prefix="h/", name="hand")
    arms = [
        RobotSpec(TWO, prefix="a/", attachments=[hand], **fields),
        RobotSpec(BACKWARDS, prefix="b/", pos=(0, 3, 0)),
        RobotSpec(rod(servo), prefix="c/", pos=(0, 6, 0)),
    ]
    return build(*arms, objects=[SceneObject("cube", shape="box", size=(0.1,) * 3, mass=1.0)])


FAST, SLOW = make(), make()
NUMBERS = st.one_of(
    st.floats(-3, 3), st.sampled_from([np.nan, np.inf, -np.inf, 1e307, -1.7e308, 5e-324])
)
FORMS = st.sampled_from([list, tuple, np.array, lambda x: np.array(x, dtype=np.float32)])
COMMANDS = st.lists(
    st.tuples(
        st.sampled_from([*FAST.robots, "a.hand", "a/upper", "b/b3", "cube", "nobody"]),
        st.lists(NUMBERS, max_size=4),
        FORMS,
    ),
    max_size=4,
)


@settings(max_examples=300, deadline=None)
@given(COMMANDS)
def test_both_ways_do_the_same_and_refuse_the_same(asked: list[tuple[str, Any, Any]]) -> None:
    with np.errstate(over="ignore"):
        commands = {n: ObjectCmd(joint_cmds=form(numbers)) for n, numbers, form in asked}
    before = FAST.command.copy()
    errors: list[str] = []
    for scene, apply in ((FAST, FAST.apply), (SLOW, lambda c: apply_commands(SLOW, c))):
        try:
            apply(commands)
        except CommandError as error:
            errors.append(str(error))
            np.testing.assert_array_equal(scene.command, before)
    assert len(errors) in (0, 2)
    assert len(set(errors)) <= 1
    np.testing.assert_array_equal(FAST.command, SLOW.command)


def test_it_is_the_fast_way_that_is_taken() -> None:
    scene = make()
    robots = tuple(scene.robots)
    scene.apply({name: ObjectCmd(joint_cmds=[0.1]) for name in robots})
    numbers = {name: ObjectCmd(joint_cmds=np.array([0.2])) for name in robots}
    assert apply_streamed(scene, numbers)
    assert [scene.robots[n].command[0] for n in robots] == [0.2] * 3
    for value in (0.3, 0.4):
        others = {n: ObjectCmd(joint_cmds=np.array([value])) for n in reversed(robots)}
        assert apply_streamed(scene, others)
        assert [scene.robots[n].command[0] for n in robots] == [value] * 3


@pytest.mark.parametrize("names", [("a.hand", "a"), ("a", "a.hand"), ("b", "a.hand", "a")])
def test_joints_commanded_twice_are_left_to_the_slower_way(names: tuple[str, ...]) -> None:
    scene = make()
    scene.states()
    scene.state("a.hand")
    before = scene.command.copy()
    whole = {n: ObjectCmd(joint_cmds=np.full(len(scene.handle(n).joint_names), 0.2)) for n in names}
    assert not apply_streamed(scene, whole)
    np.testing.assert_array_equal(scene.command, before)
    beside = {**whole, "a": ObjectCmd(joint_cmds=np.full(2, 0.2))}  # not its hand's
    assert apply_streamed(scene, beside)


@pytest.mark.parametrize("why", ["in no mode", "stopped"])
def test_where_more_is_to_be_done_it_is_left_to_the_slower_way(why: str) -> None:
    idle = build(RobotSpec(GRIPPER, prefix="a/", modes=FINGERS))
    scene = idle if why == "in no mode" else make()
    scene.state("a")
    if why == "stopped":
        scene.robots["a"].stop()
    assert not apply_streamed(scene, {"a": ObjectCmd(joint_cmds=np.array([0.2]))})


@pytest.mark.parametrize("fast", [True, False])
def test_a_command_feeds_the_watchdog_of_what_it_is_a_part_of(fast: bool) -> None:
    scene = make(watchdog=0.01)
    for name in ("a", "b", "a.hand", "a/upper"):
        scene.state(name)
    kept = scene.robots["a"].command + 0.1
    scene.apply({"a": ObjectCmd(joint_cmds=kept)})
    for step in range(20):  # each feeds anew: the robot is commanded through its hand or a link
        command = {("a.hand", "a/upper", "a")[step % 3]: ObjectCmd(joint_cmds=np.array([]))}
        assert apply_streamed(scene, command) if fast else not apply_commands(scene, command)
        scene.step()
    np.testing.assert_array_equal(scene.robots["a"].command, kept)
    for _ in range(20):
        assert apply_streamed(scene, {"b": ObjectCmd(joint_cmds=np.array([0.1]))})
        scene.step()
    assert not np.array_equal(scene.robots["a"].command, kept)
