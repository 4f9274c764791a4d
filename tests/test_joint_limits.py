"""Limits and thresholds of the spec: what is taken, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from field_models import build, refusal
from mode_models import TWO, rod

from mjscene import AttachmentSpec, JointLimits, ModeError, RobotSpec, SpecError, site

SERVO = '<position name="p" joint="j" kp="20" kv="2"/>'


def with_hand(arm: Any = (), hand: Any = ()) -> RobotSpec:
    """An arm with a hand that has a joint of its own, each with limits."""
    part = AttachmentSpec(rod(SERVO), attach_to=site("tip"), prefix="h/", name="hand", limits=hand)
    return RobotSpec(TWO, prefix="a/", attachments=(part,), limits=arm)


def test_limits_are_of_the_robots_own_joints_and_later_entries_win() -> None:
    arm = (
        JointLimits(velocity=2.0, collision_threshold=[5.0, 6.0], signal="effort"),
        JointLimits(["j2"], velocity=3.0, contact_threshold=1.0),
        JointLimits(["j2", "j1"], jerk=[8.0, 9.0]),
    )
    hand = (JointLimits(acceleration=7.0, contact_threshold=0.5),)
    scene = build(with_hand(arm, hand))
    joints, none = scene.joints, np.inf
    assert joints.names == ("a/j1", "a/j2", "a/h/j")
    assert joints.velocity_limit.tolist() == [2.0, 3.0, none]
    assert joints.acceleration_limit.tolist() == [none, none, 7.0]
    assert joints.jerk_limit.tolist() == [9.0, 8.0, none]
    assert joints.contact_threshold.tolist() == [none, 1.0, 0.5]
    assert joints.collision_threshold.tolist() == [5.0, 6.0, none]
    # Each entry leaves alone what it does not say: by the drive's effort for the arm, not the hand.
    scene.data.qfrc_applied[:] = 4.0
    scene.command[:] = scene.joints.position
    joints.contact_threshold = 3.0
    scene.step()
    assert np.abs(joints.effort).max() < 3.0
    assert joints.is_in_contact.tolist() == [False, False, True]


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "negative": ({"velocity": -1.0}, "velocity"),
    "zero": ({"acceleration": 0.0}, "acceleration"),
    "nan": ({"jerk": float("nan")}, "jerk"),
    "a negative of several": ({"contact_threshold": [1.0, -2.0]}, r"contact_threshold\[1\]"),
    "words": ({"collision_threshold": "much"}, "collision_threshold"),
    "a count": ({"joints": ["j1", "j2"], "velocity": [1.0]}, r"one per joint \(2\)"),
    "a signal": ({"signal": "efort"}, "signal"),
    "a word for joints": ({"joints": "j1"}, "joints"),
    "a bool": ({"velocity": True}, "velocity"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_limits_that_are_none_cannot_be_made(kind: str) -> None:
    fields, words = WRONG[kind]
    with pytest.raises(SpecError, match=words):
        JointLimits(**fields)


def test_a_threshold_may_be_zero() -> None:
    """Then any touch is a contact, as when it is set at runtime."""
    assert JointLimits(contact_threshold=0.0, collision_threshold=[0.0]).contact_threshold == 0.0


def test_limits_of_another_type_are_refused() -> None:
    with pytest.raises(SpecError, match=r"RobotSpec\.limits"):
        RobotSpec(TWO, limits=[3.0])
    with pytest.raises(SpecError, match=r"AttachmentSpec\.limits"):
        AttachmentSpec(TWO, attach_to=site("tip"), limits=["j1"])
    with pytest.raises(SpecError, match=r"RobotSpec\.reflex"):
        RobotSpec(TWO, reflex=1)


@pytest.mark.parametrize("who", ["arm", "hand"])
def test_a_joint_that_is_not_there_is_named_with_close_ones(who: str) -> None:
    limits = (JointLimits(velocity=1.0), JointLimits(["j22" if who == "arm" else "jj"], jerk=2.0))
    error = refusal(with_hand(**{who: limits}))
    assert isinstance(error, ModeError)
    part = "robots[0]" if who == "arm" else "robots[0].attachments[0]"
    assert error.where == f"{part}.limits[1].joints"
    assert error.element == ("j22" if who == "arm" else "jj")
    assert set(error.allowed) == ({"j1", "j2"} if who == "arm" else {"j"})
    assert error.close


@pytest.mark.parametrize("who", ["arm", "hand"])
def test_a_count_that_is_not_the_joints_is_refused(who: str) -> None:
    error = refusal(with_hand(**{who: (JointLimits(velocity=[1.0, 2.0, 3.0]),)}))
    assert isinstance(error, ModeError)
    assert "one per joint" in str(error)
    assert (error.where or "").endswith(".limits[0].velocity")
    assert len(error.allowed) == (2 if who == "arm" else 1)
