"""What a program may ask of modes, by which names, and that a refused request changes nothing."""

from __future__ import annotations

from collections.abc import Callable
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
    effort,
    everything,
    rod,
    slider,
    velocity,
)

import mjscene
from mjscene import AttachmentSpec, CtrlMode, CtrlModeSpec, ModeError, RobotSpec, Scene, site

MODES = (CtrlModeSpec(), velocity(20.0))
SERVO = '<position name="p" joint="j" kp="200" kv="20"/>'
GRIP = AttachmentSpec(
    slider('<motor name="m" joint="s"/>'),
    attach_to=site("tip"),
    prefix="g/",
    name="grip",
    modes=(velocity(5.0),),
)


def scene_of_two() -> Scene:
    scene = build(
        RobotSpec(TWO, prefix="a/", attachments=(GRIP,), modes=MODES),
        RobotSpec(TWO, prefix="b/", modes=MODES, pos=(0, 2, 0)),
    )
    scene.data.qvel[:] = 0.1
    scene.step(5)
    return scene


def modes_of(scene: Scene) -> dict[str, CtrlMode | None]:
    return {
        name: mode
        for robot in scene.robots.values()
        for name, mode in zip(robot.joint_names, robot.ctrl_modes, strict=True)
    }


A = ("a/j1", "a/j2")
B = ("b/j1", "b/j2")
WAYS: dict[str, tuple[Callable[[Scene], None], tuple[str, ...]]] = {
    "the scene, a name": (lambda s: s.set_control_mode("a", TORQUE), A),
    "the module": (lambda s: mjscene.set_control_mode(s, "a", TORQUE), A),
    "the module, a handle": (lambda s: mjscene.set_control_mode(s, s.robots["a"], TORQUE), A),
    "the handle": (lambda s: s.robots["a"].set_control_mode(TORQUE), A),
    "the mode's name": (lambda s: s.robots["a"].set_control_mode("torque"), A),
    "all of them named": (lambda s: s.set_control_mode("a", TORQUE, A), A),
    "a joint's own name": (lambda s: s.set_control_mode("a", TORQUE, ["j2"]), A[1:]),
    "a joint's scene name": (lambda s: s.set_control_mode("a", TORQUE, ("a/j2",)), A[1:]),
    "joints in any order": (lambda s: s.set_control_mode("a", TORQUE, ["j2", "j1"]), A),
    "joints one by one": (lambda s: s.set_control_mode("a", TORQUE, (j for j in A)), A),
    "a list": (lambda s: s.set_control_mode(["b", "a"], TORQUE), A + B),
    "a list of handles": (
        lambda s: s.set_control_mode([s.robots["b"], s.robots["a"]], TORQUE),
        A + B,
    ),
    "one twice": (lambda s: s.set_control_mode(["a", "a"], TORQUE), A),
    "all robots": (lambda s: s.set_control_mode(list(s.robots), TORQUE), A + B),
    "all handles": (lambda s: s.set_control_mode(s.robots.values(), TORQUE), A + B),
    "a mapping": (lambda s: s.set_control_mode({"b": TORQUE, "a": "TORQUE"}), A + B),
    "joints of several": (lambda s: s.set_control_mode(["a", "b"], TORQUE, ["j2"]), A[1:] + B[1:]),
    "joints of several, one by one": (
        lambda s: s.set_control_mode(["a", "b"], TORQUE, (j for j in ("j2",))),
        A[1:] + B[1:],
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_switch_moves_the_joints_it_names_and_no_other(way: str) -> None:
    ask, joints = WAYS[way]
    scene = scene_of_two()
    wanted, before = modes_of(scene) | dict.fromkeys(joints, TORQUE), effort(scene)
    if way == "all robots" or way == "all handles":
        assert "a/g/s" not in joints, "an attachment with modes of its own is its own owner"
    ask(scene)
    assert modes_of(scene) == wanted
    np.testing.assert_allclose(effort(scene), before, rtol=1e-9)
    rest = {n for n in acting(scene) if "torque" in n}
    assert rest == {f"{j}_torque" for j in joints}


def test_a_mapping_gives_each_its_own_mode_attachments_too() -> None:
    scene = scene_of_two()
    before = effort(scene)
    scene.set_control_mode({"a": TORQUE, "a.grip": VELOCITY, "b": "velocity"})
    wanted = dict.fromkeys(A, TORQUE) | {"a/g/s": VELOCITY} | dict.fromkeys(B, VELOCITY)
    assert modes_of(scene) == wanted
    np.testing.assert_allclose(effort(scene), before, rtol=1e-9, atol=1e-12)
    assert scene.robots["a"].ctrl_mode is None
    assert scene.robots["b"].ctrl_mode is VELOCITY
    assert scene.robots["a"].attachments["grip"].ctrl_mode is VELOCITY


@pytest.mark.parametrize("order", [(0, 2, 1, 3), (3, 1, 0, 2), (2, 0, 3, 1), (1, 1, 3)])
def test_robots_in_any_order_each_keep_their_own_effort(order: tuple[int, ...]) -> None:
    robots = [RobotSpec(rod(SERVO), prefix=f"r{i}/", modes=MODES) for i in range(4)]
    scene = build(*robots)
    scene.data.qpos[:] = [0.1, 0.4, 0.7, 1.0]
    before = effort(scene)
    scene.set_control_mode([f"r{i}" for i in order], TORQUE)
    np.testing.assert_allclose(effort(scene), before, rtol=1e-9)
    for i, robot in enumerate(scene.robots.values()):
        assert robot.ctrl_mode is (TORQUE if i in order else POSITION)
        assert robot.command[0] == pytest.approx(before[i] if i in order else 0.0)


def test_joints_that_do_not_offer_a_mode_stay_unless_they_are_named() -> None:
    scene = build(RobotSpec(TWO, modes=(velocity(3.0, joints=("j2",)),)))
    robot = scene.robots["two"]
    robot.set_control_mode(VELOCITY)
    assert robot.ctrl_modes == (POSITION, VELOCITY)
    before = everything(scene)
    with pytest.raises(ModeError, match="no VELOCITY mode for j1") as caught:
        robot.set_control_mode(VELOCITY, joints=["j2", "j1"])
    assert caught.value.element == "j1"
    assert_same(everything(scene), before)


def other(prefix: str) -> mjscene.Robot:
    """A robot of another scene; its rows are there in this one too."""
    robots = build(RobotSpec(TWO, prefix="o/"), RobotSpec(TWO, prefix="x/", modes=MODES)).robots
    return robots[prefix]


REFUSED: dict[str, tuple[Callable[[Scene], Any], str]] = {
    "a robot that is not there": (lambda s: s.set_control_mode("c", TORQUE), "no robot 'c'"),
    "no robot": (lambda s: s.set_control_mode(None, TORQUE), "no robot None"),
    "a number for a robot": (lambda s: s.set_control_mode(3, TORQUE), "no robot 3"),
    "one of a list": (lambda s: s.set_control_mode(["a", "c"], TORQUE), "no robot 'c'"),
    "one of a mapping": (lambda s: s.set_control_mode({"a": TORQUE, "c": TORQUE}), "no robot 'c'"),
    "an attachment by its own name": (lambda s: s.set_control_mode("grip", VELOCITY), "a.grip"),
    "an unknown mode": (lambda s: s.set_control_mode("a", "torqe"), "TORQUE"),
    "a mode as a number": (lambda s: s.set_control_mode("a", 1), "mode 1"),
    "an unknown mode of a mapping": (lambda s: s.set_control_mode({"a": TORQUE, "b": 7}), "mode 7"),
    "no mode": (lambda s: s.set_control_mode("a"), "no mode is given"),
    "a mode that no joint offers": (
        lambda s: s.set_control_mode({"b": TORQUE, "a.grip": POSITION}),
        "offers POSITION",
    ),
    "an unknown joint": (lambda s: s.set_control_mode("a", TORQUE, ["j1", "j9"]), "j9"),
    "a joint of another robot": (lambda s: s.set_control_mode("a", TORQUE, ["b/j1"]), "b/j1"),
    "a joint as a number": (lambda s: s.set_control_mode("a", TORQUE, [0]), "0"),
    "a joint twice": (lambda s: s.set_control_mode("a", TORQUE, ["j1", "a/j1"]), "twice"),
    "a string of joints": (lambda s: s.set_control_mode("a", TORQUE, "j1"), r"\['j1'\]"),
    "no joints": (lambda s: s.set_control_mode("a", TORQUE, []), "joints"),
    "a number of joints": (lambda s: s.set_control_mode("a", TORQUE, 2), "joints"),
    "an unknown transfer": (
        lambda s: s.set_control_mode("a", TORQUE, transfer="smooth"),
        "BUMPLESS",
    ),
    "nothing primed": (lambda s: s.set_control_mode("a", TORQUE, transfer="keep"), "a/j1, a/j2"),
    "one joint in two modes": (
        lambda s: s.set_control_mode({"a": TORQUE, s.robots["a"]: VELOCITY}),
        "two modes",
    ),
    "a handle of another scene": (
        lambda s: s.set_control_mode(other("o"), TORQUE),
        "another scene",
    ),
    "a handle of another scene, in a list": (
        lambda s: s.set_control_mode(["a", other("x")], TORQUE),
        "another scene",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_refused_request_says_what_is_wrong_and_changes_nothing(what: str) -> None:
    ask, words = REFUSED[what]
    scene = scene_of_two()
    scene.robots["b"].prime(TORQUE, [1.0, 2.0])
    scene.command[0] += 0.1  # not taken by a step yet
    before = everything(scene)
    for _ in range(2):
        with pytest.raises(ModeError, match=words):
            ask(scene)
        assert_same(everything(scene), before)


@pytest.mark.parametrize("mode", [1, True, 1.0, np.int64(1)])
def test_a_number_is_no_mode_also_after_the_mode_that_equals_it_was_asked_for(mode: Any) -> None:
    scene = scene_of_two()
    scene.set_control_mode("a", TORQUE)
    scene.set_control_mode("a", POSITION)
    before = everything(scene)
    with pytest.raises(ModeError, match="unknown mode"):
        scene.set_control_mode("a", mode)
    assert_same(everything(scene), before)


def test_messages_name_the_closest() -> None:
    scene = scene_of_two()
    with pytest.raises(ModeError) as caught:
        scene.set_control_mode("a.grp", TORQUE)
    assert caught.value.close == ("a.grip",)
    with pytest.raises(ModeError) as caught:
        scene.set_control_mode("a", "position_")
    assert caught.value.close == ("POSITION",)
    with pytest.raises(ModeError) as caught:
        scene.set_control_mode("a", TORQUE, ["j1", "a/jj2"])
    assert "a/j2" in caught.value.close
    assert caught.value.where == "set_control_mode.joints"


def test_a_joint_without_a_drive_is_told_how_to_get_one() -> None:
    scene = build(RobotSpec(rod()))
    with pytest.raises(ModeError, match="CtrlModeSpec"):
        scene.set_control_mode("rod", TORQUE, ["j"])


def test_to_be_in_a_mode_already_changes_nothing() -> None:
    scene = scene_of_two()
    scene.robots["a"].prime(POSITION, [1.0, 2.0, 3.0])
    scene.command[1] = 0.3
    before = everything(scene)
    for transfer in ("bumpless", "hold", "keep"):
        scene.set_control_mode(["a", "b"], POSITION, transfer=transfer)
        assert_same(everything(scene), before)


def test_requests_do_not_pile_up() -> None:
    # A program that names its joints by a new generator each time asks the same again and again.
    scene = scene_of_two()
    for i in range(200):
        scene.set_control_mode("a", (TORQUE, POSITION)[i % 2], (j for j in ("j1", "j2")))
    assert len(scene.control.resolved) <= 20
