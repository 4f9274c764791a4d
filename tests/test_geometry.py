"""Headers, poses, wrenches and twists: ROS's keys, checked when they are made, and frozen."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjscene import CommandError, Header, Pose, Twist, Wrench

NUMBER = st.floats(-1e6, 1e6)
TRIPLE = st.tuples(NUMBER, NUMBER, NUMBER)
TURN = st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: sum(c * c for c in q) > 1e-4)

# What std_msgs and geometry_msgs call the fields, with a value in each.
ROS = {
    Header: {"seq": 7, "stamp": 1.25, "frame_id": "world"},
    Pose: {
        "position": {"x": 1.0, "y": 2.0, "z": 3.0},
        "orientation": {"x": 0.0, "y": 0.6, "z": 0.0, "w": 0.8},
    },
    Wrench: {
        "force": {"x": 1.0, "y": 2.0, "z": 3.0},
        "torque": {"x": 4.0, "y": 5.0, "z": 6.0},
    },
    Twist: {
        "linear": {"x": 1.0, "y": 2.0, "z": 3.0},
        "angular": {"x": 4.0, "y": 5.0, "z": 6.0},
    },
}


@pytest.mark.parametrize("kind", ROS)
def test_a_message_takes_and_gives_the_dict_that_ros_has(kind: Any) -> None:
    message = kind.from_dict(ROS[kind])
    assert message.to_dict() == ROS[kind]
    assert kind.from_dict(message.to_dict()) == message
    assert message != kind()


@pytest.mark.parametrize("kind", ROS)
def test_every_key_may_be_left_out_and_is_then_the_default(kind: Any) -> None:
    assert kind.from_dict({}) == kind()
    for key, value in ROS[kind].items():
        part = kind.from_dict({key: value})
        rest = {k: getattr(part, k) for k in ROS[kind] if k != key}
        assert part.to_dict()[key] == value
        assert rest == {k: getattr(kind(), k) for k in rest}


def test_the_defaults_are_the_identity_and_nothing() -> None:
    assert Pose().position == (0, 0, 0)
    assert Pose().orientation == (0, 0, 0, 1)
    assert (Wrench().force, Wrench().torque) == ((0, 0, 0), (0, 0, 0))
    assert (Twist().linear, Twist().angular) == ((0, 0, 0), (0, 0, 0))
    assert Header() == Header(seq=0, stamp=0.0, frame_id="")


def test_a_vector_is_taken_in_its_own_order_whatever_the_dicts_order_is() -> None:
    pose = Pose.from_dict(
        {"position": {"z": 3, "x": 1, "y": 2}, "orientation": {"w": 0.8, "z": 0, "y": 0.6, "x": 0}}
    )
    assert pose.position == (1, 2, 3)
    assert pose.orientation == pytest.approx((0, 0.6, 0, 0.8), abs=1e-15)


@pytest.mark.parametrize("form", [tuple, list, np.array, lambda v: np.array(v, dtype=np.float32)])
def test_numbers_are_kept_as_tuples_of_floats_whatever_they_were_given_as(form: Any) -> None:
    wrench = Wrench(force=form([1, 2, 3]), torque=form([4, 5, 6]))
    assert wrench == Wrench(force=(1.0, 2.0, 3.0), torque=(4.0, 5.0, 6.0))
    assert {type(v) for v in (*wrench.force, *wrench.torque)} == {float}


def test_a_message_does_not_follow_the_array_it_was_made_of() -> None:
    array = np.array([1.0, 2.0, 3.0])
    twist = Twist(linear=array)
    array[:] = 9
    assert twist.linear == (1, 2, 3)


STAMPS = {
    "ROS 1": {"secs": 3, "nsecs": 250_000_000},
    "ROS 2": {"sec": 3, "nanosec": 250_000_000},
    "seconds": 3.25,
    "a whole number": 3,
}


@pytest.mark.parametrize("form", STAMPS)
def test_a_stamp_is_seconds_in_every_form(form: str) -> None:
    want = 3.0 if form == "a whole number" else 3.25
    assert Header.from_dict({"stamp": STAMPS[form]}).stamp == want


@given(position=TRIPLE, turn=TURN)
def test_a_pose_comes_back_from_its_dict(position: Any, turn: Any) -> None:
    norm = math.sqrt(sum(q * q for q in turn))
    pose = Pose(position=position, orientation=[q / norm for q in turn])
    again = Pose.from_dict(pose.to_dict())
    assert again.position == pose.position == position
    # Each of two normalisations rounds a component by at most two units in the last place of 1.
    np.testing.assert_allclose(again.orientation, pose.orientation, atol=4 * 2.3e-16, rtol=0)


@given(force=TRIPLE, torque=TRIPLE)
def test_wrenches_and_twists_come_back_from_their_dicts_bit_for_bit(
    force: Any, torque: Any
) -> None:
    wrench, twist = Wrench(force=force, torque=torque), Twist(linear=force, angular=torque)
    assert Wrench.from_dict(wrench.to_dict()) == wrench
    assert Twist.from_dict(twist.to_dict()) == twist


@pytest.mark.parametrize("off", [1 - 9e-4, 1 + 9e-4])
def test_a_quaternion_that_is_a_unit_one_but_for_rounding_is_normalised(off: float) -> None:
    given = np.array([0.5, 0.5, 0.5, 0.5]) * off
    assert Pose(orientation=given).orientation == pytest.approx((0.5,) * 4, abs=1e-15)


@pytest.mark.parametrize("kind", ROS)
def test_a_message_is_frozen_and_keyword_only(kind: Any) -> None:
    message = kind()
    for name in ROS[kind]:
        with pytest.raises(FrozenInstanceError):
            setattr(message, name, getattr(message, name))
    with pytest.raises(TypeError, match="given without its name"):
        kind((0, 0, 0), (0, 0, 0))


NAN, INF = math.nan, math.inf
BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "two numbers": (lambda: Pose(position=(1, 2)), "pose.position"),
    "four numbers": (lambda: Wrench(force=(1, 2, 3, 4)), "wrench.force"),
    "three of a quaternion": (lambda: Pose(orientation=(0, 0, 1)), "pose.orientation"),
    "no sequence": (lambda: Twist(linear=3.0), "twist.linear"),
    "none": (lambda: Wrench(torque=None), "wrench.torque"),
    "words": (lambda: Wrench(torque=("a", "b", "c")), "wrench.torque"),
    "a string": (lambda: Pose(position="123"), "pose.position"),
    "strings": (lambda: Pose(position=("1", "2", "3")), "pose.position"),
    "a set, which has no order": (lambda: Pose(position={1, 2, 3}), "pose.position"),
    "complex numbers": (lambda: Twist(angular=(1j, 0, 0)), "twist.angular"),
    "rows": (lambda: Twist(angular=[[1, 2, 3]] * 3), "twist.angular"),
    "more than a float can hold": (lambda: Pose(position=(10**400, 0, 0)), "pose.position"),
    "NaN": (lambda: Pose(position=(0, 0, NAN)), "pose.position[2]"),
    "infinity": (lambda: Wrench(force=(0, INF, 0)), "wrench.force[1]"),
    "NaN in a torque": (lambda: Wrench(torque=(NAN, 0, 0)), "wrench.torque[0]"),
    "NaN in a twist": (lambda: Twist(linear=(0, -INF, 0)), "twist.linear[1]"),
    "NaN in an angular": (lambda: Twist(angular=(0, 0, NAN)), "twist.angular[2]"),
    "NaN in a quaternion": (lambda: Pose(orientation=(0, 0, NAN, 1)), "pose.orientation[2]"),
    "a zero quaternion": (lambda: Pose(orientation=(0, 0, 0, 0)), "pose.orientation"),
    "no unit quaternion": (lambda: Pose(orientation=(1, 1, 0, 0)), "pose.orientation"),
    "a quaternion off by 1.1e-3": (
        lambda: Pose(orientation=(0, 0, 0, 1.0011)),
        "pose.orientation",
    ),
    "a wrong key": (lambda: Pose.from_dict({"pos": [0, 0, 0]}), "pose"),
    "a wrong key of a wrench": (lambda: Wrench.from_dict({"moment": [0] * 3}), "wrench"),
    "a wrong key of a twist": (lambda: Twist.from_dict({"rotational": [0] * 3}), "twist"),
    "a wrong key of a header": (lambda: Header.from_dict({"sequence": 1}), "header"),
    "a wrong component": (
        lambda: Pose.from_dict({"position": {"x": 1, "y": 2, "zz": 3}}),
        "pose.position",
    ),
    "w for z": (lambda: Pose.from_dict({"position": {"x": 1, "y": 2, "w": 3}}), "pose.position"),
    "a component too few": (
        lambda: Pose.from_dict({"position": {"x": 1, "y": 2}}),
        "pose.position",
    ),
    "w missing": (
        lambda: Pose.from_dict({"orientation": {"x": 0, "y": 0, "z": 1}}),
        "pose.orientation",
    ),
    "no mapping": (lambda: Pose.from_dict([0, 0, 0]), "pose"),  # type: ignore[arg-type]
    "a header that is none": (lambda: Header.from_dict(3), "header"),  # type: ignore[arg-type]
    "a stamp of NaN in a dict": (lambda: Header.from_dict({"stamp": NAN}), "header.stamp"),
    "a stamp of NaN": (lambda: Header(stamp=NAN), "header.stamp"),
    "a stamp of words": (lambda: Header.from_dict({"stamp": "now"}), "header.stamp"),
    "seconds of words": (lambda: Header.from_dict({"stamp": {"secs": "x"}}), "header.stamp"),
    "a wrong key of a stamp": (
        lambda: Header.from_dict({"stamp": {"seconds": 1}}),
        "header.stamp",
    ),
    "a number that is none": (lambda: Header(seq="x"), "header.seq"),  # type: ignore[arg-type]
    "a frame that is no name": (
        lambda: Header(frame_id=3),  # type: ignore[arg-type]
        "header.frame_id",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_malformed_message_cannot_be_made_and_the_error_names_field_and_index(case: str) -> None:
    make, where = BAD[case]
    with pytest.raises(CommandError) as caught:
        make()
    assert caught.value.where is not None
    assert caught.value.where.startswith(where)
    if where.endswith("]"):
        assert caught.value.where == where


def test_a_wrong_key_gets_the_closest_ones() -> None:
    with pytest.raises(CommandError) as caught:
        Pose.from_dict({"orientatoin": [0, 0, 0, 1]})
    assert caught.value.close == ("orientation",)
    assert "did you mean 'orientation'" in str(caught.value)


def test_a_bad_quaternion_says_its_norm_and_what_the_identity_is() -> None:
    with pytest.raises(CommandError, match=r"norm 1\.41421.*\(0, 0, 0, 1\)"):
        Pose(orientation=(0, 0, 1, 1))
