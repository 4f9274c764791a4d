"""What is no real number, or no sequence, is refused wherever a running scene takes numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from field_models import build
from mode_models import TWO, assert_same, everything, velocity

from mjscene import (
    CtrlMode,
    CtrlModeSpec,
    MjsceneError,
    ObjectCmd,
    ObjectState,
    Pose,
    RobotSpec,
    Scene,
)
from mjscene.controllers import GravityCompensation, JointAdmittance, JointImpedance

NO_NUMBERS = {
    "too long": [10**400, 0],
    "words": ["1", "2"],
    "flags": [True, False],
    "complex": np.array([1j, 0]),
    "times": np.array([5, 6], dtype="m8[s]"),
    "ragged": [[1], [1, 2]],
    "none": [None, 1.0],
    "mapping": {0: 1.0, 1: 2.0},
}
TAKERS: dict[str, Callable[[Scene, Any], Any]] = {
    "command": lambda s, v: setattr(s.robots["a"], "command", v),
    "joints.command": lambda s, v: setattr(s.robots["a"].joints, "command", v),
    "prime": lambda s, v: s.robots["a"].prime("TORQUE", v),
    "position_gain": lambda s, v: setattr(s.robots["a"].joints, "position_gain", v),
    "velocity_gain": lambda s, v: setattr(s.robots["a"].joints, "velocity_gain", v),
    "threshold": lambda s, v: setattr(s.robots["a"].joints, "contact_threshold", v),
    "joint_cmds": lambda s, v: s.apply({"a": ObjectCmd(joint_cmds=v)}),
    "stiffness": lambda s, v: JointImpedance(v, 1.0),
    "lambda_": lambda s, v: JointAdmittance(lambda_=v),
}


@pytest.fixture(scope="module")
def scene() -> Scene:
    return build(RobotSpec(TWO, prefix="a/", modes=(CtrlModeSpec(), velocity(10.0))))


def refused(scene: Scene, take: Callable[[], Any]) -> None:
    before = everything(scene)
    gains = scene.model.actuator_gainprm.copy(), scene.model.actuator_biasprm.copy()
    with pytest.raises(MjsceneError) as caught:
        take()
    assert str(caught.value).isprintable()
    assert_same(everything(scene), before)
    np.testing.assert_array_equal(scene.model.actuator_gainprm, gains[0])
    np.testing.assert_array_equal(scene.model.actuator_biasprm, gains[1])
    assert np.isinf(scene.joints.contact_threshold).all()


@pytest.mark.parametrize("value", NO_NUMBERS.values(), ids=NO_NUMBERS)
@pytest.mark.parametrize("taker", TAKERS.values(), ids=TAKERS)
def test_what_is_no_real_number_is_refused(taker: Any, value: Any, scene: Scene) -> None:
    refused(scene, lambda: taker(scene, value))


NO_SEQUENCES = {
    "array of no dimension": np.array(1),
    "values": {0: 1, 1: 0}.values(),
    "mapping": {0: 1, 1: 0},
    "set": {"POSITION", "TORQUE"},
    "one": 1,
    "word": "10",
}


@pytest.mark.parametrize("value", NO_SEQUENCES.values(), ids=NO_SEQUENCES)
@pytest.mark.parametrize("field", ["position_controller_mask", "joint_cmd_types"])
def test_a_mask_and_types_are_sequences(field: str, value: Any, scene: Scene) -> None:
    fields: Any = {"joint_cmds": [0.1, 0.2], field: value}
    refused(scene, lambda: scene.apply({"a": ObjectCmd(**fields)}))
    if field == "joint_cmd_types":
        codes = {"joint_cmds": [0.1, 0.2], "joint_cmds_types": value}
        refused(scene, lambda: ObjectCmd.from_dict(codes))


STATE_FIELDS = {
    "mass": "heavy",
    "pInertia": {"x": 1.0},
    "sim_step": 1.5,
    "sim_time": None,
    "wall_time": "now",
    "name": 3,
    "header": {"sequence": 1},
    "joint_positions": ["0.1"],
    "joint_velocities": [[0.1]],
    "joint_efforts": 1j,
}


@pytest.mark.parametrize("field", STATE_FIELDS)
def test_a_state_from_a_dict_is_checked(field: str, scene: Scene) -> None:
    good = scene.state("a").to_dict()
    assert ObjectState.from_dict(good).to_dict() == good
    refused(scene, lambda: ObjectState.from_dict({**good, field: STATE_FIELDS[field]}))


ODD_CALLS: dict[str, Callable[[Scene], Any]] = {
    "a time without end": lambda s: s.run(1e308),
    "a time too long for a float": lambda s: s.run(10**400),
    "a period without end": lambda s: s.run(0.002, period=1e308),
    "a name that has no hash": lambda s: s.robots["a"].add_controller(
        GravityCompensation(),
        name=[],  # type: ignore[arg-type]
    ),
    "a mode that is a number": lambda s: s.robots["a"].prime(
        1,  # type: ignore[arg-type]
        [0.0, 0.0],
    ),
    "an empty word for a time": lambda s: JointAdmittance(time_step=""),  # type: ignore[arg-type]
    "an array for a time": lambda s: JointAdmittance(time_step=np.ones(2)),  # type: ignore[arg-type]
    "an array for a flag": lambda s: ObjectCmd.from_dict(
        {"enable_position_controller": np.array([1, 0])}
    ),
    "a number for a key": lambda s: Pose({1: 1.0, "y": 2.0}),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("call", ODD_CALLS.values(), ids=ODD_CALLS)
def test_odd_calls_are_refused_in_mjscenes_own_words(call: Any, scene: Scene) -> None:
    refused(scene, lambda: call(scene))


def test_numbers_of_numpy_are_times_too(scene: Scene) -> None:
    steps = scene.steps
    scene.run(np.float32(0.02), period=np.float64(0.01))  # type: ignore[arg-type]
    assert scene.steps == steps + 10


def test_sequences_of_any_kind_are_masks(scene: Scene) -> None:
    for mask in ((1, 0), [True, False], np.array([1.0, 0.0]), range(1, -1, -1)):
        scene.apply({"a": ObjectCmd(joint_cmds=[0, 0], position_controller_mask=mask)})
        assert scene.robots["a"].ctrl_modes == (CtrlMode.POSITION, CtrlMode.TORQUE)
        scene.reset()
