"""Commands as messages: AMBF's keys and codes, round trips, and what cannot be a command."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mode_models import POSITION, TORQUE, VELOCITY

from mjscene import CommandError, Header, ObjectCmd, Pose, Twist, Wrench

VECTOR = {"x": 1.0, "y": 2.0, "z": 3.0}
ZERO = dict.fromkeys("xyz", 0.0)
HEADER = {"seq": 3, "stamp": {"secs": 1, "nsecs": 500_000_000}, "frame_id": "w"}
POSE = {"position": VECTOR, "orientation": {"x": 0.0, "y": 0.0, "z": 0.6, "w": 0.8}}
NO_POSE = {"position": ZERO, "orientation": dict.fromkeys("xyzw", 0.0)}
WRENCH = {"force": VECTOR, "torque": {"x": 4.0, "y": 5.0, "z": 6.0}}
NO_WRENCH = {"force": ZERO, "torque": ZERO}
TWIST = {"linear": VECTOR, "angular": {"x": 4.0, "y": 5.0, "z": 6.0}}
NO_TWIST = {"linear": ZERO, "angular": ZERO}
FLAGS = ("publish_children_names", "publish_joint_names", "publish_joint_positions")

# Every field of ambf_msgs/ObjectCmd and ambf_msgs/RigidBodyCmd, as a sender fills them who sets
# nothing: ROS messages have no fields that are not there.
OBJECT_CMD: dict[str, Any] = {
    "header": {"seq": 0, "stamp": {"secs": 0, "nsecs": 0}, "frame_id": ""},
    "enable_position_controller": False,
    "pose": NO_POSE,
    "wrench": NO_WRENCH,
    "joint_cmds": [],
    "position_controller_mask": [],
    **dict.fromkeys(FLAGS, False),
}
RIGID_BODY_CMD: dict[str, Any] = {
    "header": {"seq": 0, "stamp": {"secs": 0, "nsecs": 0}, "frame_id": ""},
    "cartesian_cmd_type": 0,
    "pose": NO_POSE,
    "wrench": NO_WRENCH,
    "twist": NO_TWIST,
    "joint_cmds_types": [],
    "joint_cmds": [],
    **dict.fromkeys(FLAGS, False),
}
POSE_READ = Pose(position=(1, 2, 3), orientation=(0, 0, 0.6, 0.8))
WRENCH_READ = Wrench(force=(1, 2, 3), torque=(4, 5, 6))
TWIST_READ = Twist(linear=(1, 2, 3), angular=(4, 5, 6))


def listed(sequence: Any) -> list[Any]:
    """The entries of a sequence of any kind; none of None."""
    return [] if sequence is None else list(sequence)


def test_an_object_cmd_is_read_with_every_key_it_has() -> None:
    sent = {
        **OBJECT_CMD,
        "header": HEADER,
        "enable_position_controller": True,
        "pose": POSE,
        "wrench": WRENCH,
        "joint_cmds": [0.1, 0.2],
        "position_controller_mask": [True, False],
        "publish_joint_names": True,
    }
    read = ObjectCmd.from_dict(sent)
    assert read.header == Header(seq=3, stamp=1.5, frame_id="w")
    assert read.enable_position_controller
    assert (read.pose, read.wrench, read.twist) == (POSE_READ, WRENCH_READ, None)
    assert listed(read.joint_cmds) == [0.1, 0.2]
    assert listed(read.position_controller_mask) == [True, False]
    assert [getattr(read, f) for f in FLAGS] == [False, True, False]


def test_a_message_that_sets_nothing_is_read_and_its_zero_quaternion_is_not() -> None:
    for sent in (OBJECT_CMD, RIGID_BODY_CMD):
        read = ObjectCmd.from_dict(sent)
        assert not read.enable_position_controller
        assert (read.pose, read.wrench, read.twist) == (None, Wrench(), None)
        assert listed(read.joint_cmds) == []


CARTESIAN = {
    0: {"enable_position_controller": False, "wrench": WRENCH_READ, "pose": None, "twist": None},
    1: {
        "enable_position_controller": True,
        "wrench": None,
        "pose": POSE_READ,
        "twist": TWIST_READ,
    },
    2: {"enable_position_controller": False, "wrench": None, "pose": None, "twist": TWIST_READ},
}


@pytest.mark.parametrize("code", CARTESIAN)
def test_a_rigid_bodys_cartesian_type_says_which_of_its_fields_is_meant(code: int) -> None:
    filled = {"pose": POSE, "wrench": WRENCH, "twist": TWIST, "cartesian_cmd_type": code}
    read = ObjectCmd.from_dict({**RIGID_BODY_CMD, **filled})
    assert {name: getattr(read, name) for name in CARTESIAN[code]} == CARTESIAN[code]


def test_a_rigid_bodys_joint_types_are_ambfs_codes() -> None:
    sent = {"joint_cmds": [1, 2, 3], "joint_cmds_types": [0, 1, 2]}
    read = ObjectCmd.from_dict({**RIGID_BODY_CMD, **sent})
    assert listed(read.joint_cmd_types) == [TORQUE, POSITION, VELOCITY]
    written = ObjectCmd(joint_cmds=[1, 2, 3], joint_cmd_types=[VELOCITY, TORQUE, POSITION])
    assert written.to_dict()["joint_cmds_types"] == [2, 0, 1]
    assert "joint_cmd_types" not in written.to_dict()


def test_the_exported_dict_is_plain_and_has_what_is_set_alone() -> None:
    command = ObjectCmd(
        header=Header(seq=1),
        enable_position_controller=1,
        pose=POSE_READ,
        joint_cmds=np.array([0.5, 1.0]),
        position_controller_mask=np.array([1, 0]),
        publish_joint_names=True,
    )
    assert command.to_dict() == {
        "header": {"seq": 1, "stamp": 0.0, "frame_id": ""},
        "enable_position_controller": True,
        "pose": POSE_READ.to_dict(),
        "joint_cmds": [0.5, 1.0],
        "position_controller_mask": [True, False],
        "publish_joint_names": True,
    }
    assert {type(v) for v in command.to_dict()["joint_cmds"]} == {float}
    assert {type(v) for v in command.to_dict()["position_controller_mask"]} == {bool}
    assert ObjectCmd().to_dict() == {"enable_position_controller": False}


FINITE = st.floats(-1e9, 1e9)
PARTS: dict[str, Any] = {
    "header": st.builds(Header, seq=st.integers(0, 2**31), stamp=FINITE, frame_id=st.text()),
    "wrench": st.builds(Wrench, force=st.tuples(*[FINITE] * 3)),
    "twist": st.builds(Twist, linear=st.tuples(*[FINITE] * 3)),
    **{flag: st.booleans() for flag in FLAGS},
}


@given(
    parts=st.fixed_dictionaries({}, optional=PARTS),
    position=st.none() | st.tuples(*[FINITE] * 3),
    joints=st.none()
    | st.lists(st.tuples(FINITE, st.sampled_from([POSITION, TORQUE, VELOCITY])), max_size=4),
    masked=st.booleans(),
)
def test_a_command_comes_back_from_its_dict(
    parts: dict[str, Any], position: Any, joints: Any, masked: bool
) -> None:
    if position is not None:
        parts.update(pose=Pose(position=position), enable_position_controller=True)
    if joints is not None:
        parts["joint_cmds"] = [j[0] for j in joints]
        key = "position_controller_mask" if masked else "joint_cmd_types"
        parts[key] = [j[1] is POSITION if masked else j[1] for j in joints]
    command = ObjectCmd(**parts)
    again = ObjectCmd.from_dict(command.to_dict())
    for field in fields(ObjectCmd):
        one, other = getattr(command, field.name), getattr(again, field.name)
        if one is None or other is None:
            assert one is other, field.name
        elif isinstance(one, list | tuple | np.ndarray):
            assert listed(one) == listed(other), field.name
        else:
            assert one == other, field.name


def test_a_command_is_frozen_and_keyword_only() -> None:
    command = ObjectCmd(joint_cmds=[1.0])
    for field in fields(ObjectCmd):
        with pytest.raises(FrozenInstanceError):
            setattr(command, field.name, None)
    with pytest.raises(TypeError, match="no field may be given without its name"):
        ObjectCmd(Header())  # type: ignore[misc]


def test_a_field_that_there_is_not_is_named_with_near_ones() -> None:
    with pytest.raises(
        CommandError, match=r"ObjectCmd\.joint_cmd: there is no such field"
    ) as caught:
        ObjectCmd(joint_cmd=[1.0])  # type: ignore[call-arg]
    assert "joint_cmds" in caught.value.close
    with pytest.raises(CommandError, match=r"ObjectCmd\.wrench_: there is no such field"):
        ObjectCmd(joint_cmds=[1.0], wrench_=None)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "command",
    [
        ObjectCmd(),
        ObjectCmd(joint_cmds=[1.0, 2.0]),
        ObjectCmd(joint_cmds=np.array([1.0, 2.0])),
        ObjectCmd(joint_cmds=[]),
        ObjectCmd(joint_cmds=[1.0], joint_cmd_types=[POSITION], wrench=Wrench(force=(1, 2, 3))),
    ],
    ids=repr,
)
def test_copies_of_a_command_are_equal_and_say_the_same(command: ObjectCmd) -> None:
    again = [copy.copy(command), copy.deepcopy(command), pickle.loads(pickle.dumps(command))]
    for other in (*again, replace(command), ObjectCmd.from_dict(command.to_dict())):
        assert other == command
        assert repr(other) == repr(command)
        assert other.to_dict() == command.to_dict()
        assert listed(other.joint_cmds) == listed(command.joint_cmds)


@pytest.mark.parametrize("form", [list, np.array])
def test_a_command_does_not_follow_the_numbers_it_was_made_of(form: Any) -> None:
    numbers = form([1.0, 2.0])
    command = ObjectCmd(joint_cmds=numbers)
    numbers[0] = 9.0
    assert listed(command.joint_cmds) == [1.0, 2.0]


def test_the_numbers_of_a_command_cannot_be_written() -> None:
    command = ObjectCmd(joint_cmds=np.array([1.0, 2.0]))
    with pytest.raises((TypeError, ValueError)):
        command.joint_cmds[0] = 3.0  # type: ignore[index]


def test_commands_of_arrays_can_be_compared() -> None:
    numbers = np.array([1.0, 2.0])
    assert ObjectCmd(joint_cmds=numbers) == ObjectCmd(joint_cmds=numbers.copy())
    assert ObjectCmd(joint_cmds=numbers) != ObjectCmd(joint_cmds=numbers + 1)


BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "a header that is a dict": (lambda: ObjectCmd(header={"seq": 1}), "header"),  # type: ignore[arg-type]
    "a pose that is a tuple": (lambda: ObjectCmd(pose=(0, 0, 0)), "pose"),  # type: ignore[arg-type]
    "a twist for a wrench": (lambda: ObjectCmd(wrench=Twist()), "wrench"),  # type: ignore[arg-type]
    "a wrench for a twist": (lambda: ObjectCmd(twist=Wrench()), "twist"),  # type: ignore[arg-type]
    "mask and types": (
        lambda: ObjectCmd(joint_cmds=[1], position_controller_mask=[1], joint_cmd_types=[POSITION]),
        "joint_cmd_types",
    ),
    "a controller without a pose": (lambda: ObjectCmd(enable_position_controller=1), "pose"),
    "a flag of 2": (
        lambda: ObjectCmd(enable_position_controller=2, pose=Pose()),
        "enable_position_controller",
    ),
    "a flag that is a word": (
        lambda: ObjectCmd(enable_position_controller="yes", pose=Pose()),  # type: ignore[arg-type]
        "enable_position_controller",
    ),
    "a flag that is an array": (
        lambda: ObjectCmd(enable_position_controller=np.array([1, 0]), pose=Pose()),  # type: ignore[arg-type]
        "enable_position_controller",
    ),
    "joint commands of words": (lambda: ObjectCmd(joint_cmds="abc"), "joint_cmds"),  # type: ignore[arg-type]
    "a publish flag of words": (
        lambda: ObjectCmd(publish_joint_names="no"),  # type: ignore[arg-type]
        "publish_joint_names",
    ),
    "no mapping": (lambda: ObjectCmd.from_dict([1]), "ObjectCmd"),  # type: ignore[arg-type]
    "a wrong key": (lambda: ObjectCmd.from_dict({"joint_cmd": [1]}), "ObjectCmd"),
    "a key that is no word": (lambda: ObjectCmd.from_dict({1: 2}), "ObjectCmd"),  # type: ignore[dict-item]
    "a key of ObjectState": (lambda: ObjectCmd.from_dict({"sim_step": 1}), "ObjectCmd"),
    "a wrong key in a part": (lambda: ObjectCmd.from_dict({"wrench": {"f": VECTOR}}), "wrench"),
    "an enabled zero quaternion": (
        lambda: ObjectCmd.from_dict({"enable_position_controller": 1, "pose": NO_POSE}),
        "pose.orientation",
    ),
    "an enabled pose that is none": (
        lambda: ObjectCmd.from_dict({"enable_position_controller": 1, "pose": 3}),
        "pose",
    ),
    "position without a pose": (lambda: ObjectCmd.from_dict({"cartesian_cmd_type": 1}), "pose"),
    "a cartesian type of 3": (
        lambda: ObjectCmd.from_dict({"cartesian_cmd_type": 3}),
        "cartesian_cmd_type",
    ),
    "a cartesian type that is a word": (
        lambda: ObjectCmd.from_dict({"cartesian_cmd_type": "force"}),
        "cartesian_cmd_type",
    ),
    "a cartesian type that is an array": (
        lambda: ObjectCmd.from_dict({"cartesian_cmd_type": np.array([1, 2])}),
        "cartesian_cmd_type",
    ),
    "a joint type of 3": (
        lambda: ObjectCmd.from_dict({"joint_cmds": [1, 2], "joint_cmds_types": [0, 3]}),
        "joint_cmds_types[1]",
    ),
    "a joint type that is a list": (
        lambda: ObjectCmd.from_dict({"joint_cmds": [1], "joint_cmds_types": [[1]]}),
        "joint_cmds_types[0]",
    ),
    "joint types that are one number": (
        lambda: ObjectCmd.from_dict({"joint_cmds": [1], "joint_cmds_types": 1}),
        "joint_cmds_types",
    ),
    "codes and types": (
        lambda: ObjectCmd.from_dict(
            {"joint_cmds": [1], "joint_cmds_types": [1], "joint_cmd_types": [TORQUE]}
        ),
        "joint_cmd",
    ),
    "codes and a mask": (
        lambda: ObjectCmd.from_dict(
            {"joint_cmds": [1], "joint_cmds_types": [1], "position_controller_mask": [1]}
        ),
        "joint_cmd_types",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_malformed_command_cannot_be_made(case: str) -> None:
    make, where = BAD[case]
    with pytest.raises(CommandError) as caught:
        make()
    assert (caught.value.where or "").startswith(where)
    assert len(str(caught.value)) < 600


def test_a_wrong_key_gets_the_closest_ones() -> None:
    with pytest.raises(CommandError) as caught:
        ObjectCmd.from_dict({"position_control_mask": [1]})
    assert "position_controller_mask" in caught.value.close
