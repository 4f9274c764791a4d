"""Contact and collision of the real UR5e on a table, against MuJoCo's contacts by hand."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from field_models import build
from mode_models import rod
from pressing import THRESHOLD, contact_efforts, press, pressing

from mjscene import CommandError, JointLimits, RobotSpec


def test_external_effort_is_what_the_contacts_do_through_their_jacobians() -> None:
    scene = pressing(reflex=False)
    model, before, touched = scene.model, mujoco.MjData(scene.model), 0
    for _ in range(180):
        mujoco.mj_copyData(before, model, scene.data)
        press(scene)
        before.ctrl[:] = scene.data.ctrl
        mujoco.mj_forward(model, before)
        wanted = contact_efforts(model, before)
        touched += before.ncon > 0
        scale = max(1.0, np.abs(wanted).max())
        np.testing.assert_allclose(scene.joints.external_effort, wanted, atol=1e-6 * scale)
    assert touched > 30
    assert np.abs(wanted).max() > THRESHOLD


def test_flags_rise_and_fall_with_the_effort_step_by_step() -> None:
    scene = pressing(reflex=False)
    joints, seen = scene.robots["arm"].joints, []
    joints.contact_threshold = [1.0, 1.0, 2.0, 1.0, 0.5, np.inf]
    for k in range(260):
        scene.robots["arm"].command[1] += 1e-3 if k < 150 else -1e-3
        scene.step()
        effort = np.abs(joints.external_effort)
        np.testing.assert_array_equal(joints.is_in_contact, effort > joints.contact_threshold)
        np.testing.assert_array_equal(joints.is_in_collision, effort > THRESHOLD)
        assert [j.is_in_contact for j in joints] == joints.is_in_contact.tolist()
        assert [j.is_in_collision for j in joints] == joints.is_in_collision.tolist()
        seen.append((joints.is_in_contact.any(), joints.is_in_collision.any()))
    assert seen[0] == seen[-1] == (False, False)
    assert (True, False) in seen
    assert (True, True) in seen


def test_thresholds_are_infinite_by_default_and_an_effort_at_a_threshold_is_within_it() -> None:
    joint = build(RobotSpec(rod('<motor name="m" joint="j"/>'))).joints["j"]
    assert joint.contact_threshold == joint.collision_threshold == np.inf
    joint.contact_threshold = 0.0
    assert not joint.is_in_contact


@pytest.mark.parametrize("signal", ["effort", "external_effort"])
def test_the_effort_that_is_looked_at_can_be_the_drives_own(signal: str) -> None:
    limits = JointLimits(contact_threshold=2.0, signal=signal)
    scene = build(RobotSpec(rod('<motor name="m" joint="j"/>'), limits=(limits,)))
    joint = scene.joints["j"]
    for command, push in ((3.0, 1.0), (-3.0, 1.0), (1.0, 3.0), (1.0, -3.0), (1.0, 1.0)):
        joint.command = command
        scene.data.qfrc_applied[0] = push
        scene.step()
        assert joint.effort == command
        assert joint.external_effort == push
        assert joint.is_in_contact == (abs(command if signal == "effort" else push) > 2.0)


BAD = {
    "negative": (-1.0, "threshold is >= 0"),
    "nan": (np.nan, "threshold is >= 0"),
    "a count": ([1.0, 2.0], "one per joint"),
    "words": ("much", "number"),
    "a matrix": (np.ones((6, 1)), "one per joint"),
}


@pytest.mark.parametrize("name", ["contact_threshold", "collision_threshold"])
@pytest.mark.parametrize("kind", BAD)
def test_a_wrong_threshold_is_refused_and_nothing_changes(kind: str, name: str) -> None:
    joints = pressing().robots["arm"].joints
    value, words = BAD[kind]
    before = getattr(joints, name)
    with pytest.raises(CommandError, match=words):
        setattr(joints, name, value)
    np.testing.assert_array_equal(getattr(joints, name), before)
