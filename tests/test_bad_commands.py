"""Bad commands are refused with object, field and index, and change nothing, not even a bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from bad_commands import BAD_COMMANDS, BadCommand, crowd
from command_models import whole
from mode_models import assert_same

from mjscene import CommandError, ObjectCmd, Pose, Scene, Wrench

LONGEST = 600  # characters of a message
each_case = pytest.mark.parametrize("case", BAD_COMMANDS, ids=[c.id for c in BAD_COMMANDS])
# Good commands beside the bad one: were they applied, it would show.
GOOD = {
    "cube": ObjectCmd(wrench=Wrench(force=(5, 5, 5))),
    "loose": ObjectCmd(wrench=Wrench(force=(6, 6, 6))),
    "hand": ObjectCmd(enable_position_controller=1, pose=Pose(position=(1, 1, 1))),
    "fly": ObjectCmd(joint_cmds=[0.7, 0.8], position_controller_mask=[0, 1]),
    "arm/upper": ObjectCmd(publish_joint_names=True),
}


@pytest.fixture(scope="module")
def shared() -> list[Scene]:
    """One scene for all rows, in a list: none of them may change it."""
    return [crowd()]


def with_good_ones(bad: Any) -> Any:
    """The bad commands after, and among, good ones to others."""
    if not isinstance(bad, dict):
        return bad
    good = {name: command for name, command in GOOD.items() if name not in bad}
    if any(str(name).startswith("fly") for name in bad):
        good.pop("fly", None)
    return {**good, **bad}


def attempt(case: BadCommand, scene: Scene) -> Exception | None:
    try:
        scene.apply(with_good_ones(case.make()))
    except Exception as error:  # noqa: BLE001  (that it is the right one is what is tested)
        return error
    return None


def matches(where: str | None, pattern: str) -> bool:
    text, inside = where or "", pattern.strip("*")
    if pattern.startswith("*"):
        return inside in text
    return text.startswith(inside) if pattern.endswith("*") else text == inside


@each_case
def test_a_bad_command_is_refused_with_object_field_and_index_and_changes_nothing(
    case: BadCommand, shared: list[Scene]
) -> None:
    before = whole(shared[0])
    error = attempt(case, shared[0])
    after = whole(shared[0])
    if error is None:  # it was taken: the rows after it need a scene as it was
        shared[0] = crowd()
    assert isinstance(error, CommandError), error
    assert_same(after, before)
    assert matches(error.where, case.where), error.where
    assert case.says in str(error)
    assert case.element in (None, error.element)
    assert len(str(error)) < LONGEST
    assert str(error).isprintable()


def test_there_are_at_least_45_bad_commands_and_each_is_another() -> None:
    assert len(BAD_COMMANDS) >= 45
    assert len({c.id for c in BAD_COMMANDS}) == len(BAD_COMMANDS)


def test_the_run_is_the_same_bit_for_bit_with_and_without_bad_calls() -> None:
    scene, undisturbed = crowd(), crowd()
    trial = crowd()
    # Those that are taken fail in the test above.
    refused = [c for c in BAD_COMMANDS if attempt(c, trial) is not None]
    assert len(refused) >= 45
    for k, case in enumerate(refused):
        attempt(case, scene)
        for one in (scene, undisturbed):
            one.apply({"arm": ObjectCmd(joint_cmds=[0.01 * k, -0.1])})
            one.step(2)
        for name in ("qpos", "qvel", "act", "ctrl", "xfrc_applied", "qfrc_actuator", "mocap_pos"):
            ours, theirs = getattr(scene.data, name), getattr(undisturbed.data, name)
            np.testing.assert_array_equal(ours, theirs, err_msg=f"{name} after {case.id}")
    assert scene.steps > 100


def test_the_good_commands_beside_the_bad_ones_would_show() -> None:
    scene = crowd()
    before = whole(scene)
    scene.apply(GOOD)
    after = whole(scene)
    changed = {
        name
        for name, value in before.items()
        if not np.array_equal(
            np.asarray(value, dtype=object), np.asarray(after[name], dtype=object)
        )
    }
    assert {"xfrc_applied", "command", "mode", "mocap_pos", "published", "ctrl"} <= changed


def test_two_commands_to_different_joints_of_one_robot_are_no_conflict() -> None:
    scene = crowd()
    scene.apply({"arm": ObjectCmd(joint_cmds=[0.4]), "arm/lower": ObjectCmd(joint_cmds=[0.5])})
    np.testing.assert_array_equal(scene.robots["arm"].command, (0.4, 0.5))
    scene.apply({"arm/lower": ObjectCmd(joint_cmds=[0.6]), "arm": ObjectCmd(joint_cmds=[])})
    np.testing.assert_array_equal(scene.robots["arm"].command, (0.4, 0.6))
