"""Parameters of joint admittance: what is taken, and that a refused one changes nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from controller_scenes import arm, everything_ruled, robot_of
from mode_models import assert_same

from mjscene import ControllerError, MjsceneError, SpecError
from mjscene.controllers import JointAdmittance

NOT_COMPLIANCES: dict[str, Any] = {
    "negative": -1e-9,
    "nan": math.nan,
    "infinite": math.inf,
    "word": "soft",
    "number as word": "0.1",
    "none": None,
    "boolean": True,
    "complex": 1j,
    "vector": [0.1] * 7,
    "vector of one": [0.1],
    "asymmetric": np.eye(7) + np.eye(7, k=1),
    "singular": np.ones((7, 7)),
    "zero": np.zeros((7, 7)),
    "indefinite": np.diag([1.0, 1, 1, 1, 1, 1, -1e-6]),
    "not square": np.ones((7, 6)),
    "cube": np.ones((7, 7, 7)),
    "empty": np.zeros((0, 0)),
    "nan inside": np.diag([1.0, 1, 1, 1, 1, 1, math.nan]),
    "ragged": [[1.0, 0.0], [0.0]],
}


@pytest.mark.parametrize("value", NOT_COMPLIANCES.values(), ids=NOT_COMPLIANCES)
def test_a_compliance_that_is_none_is_refused(value: Any) -> None:
    with pytest.raises(ControllerError) as caught:
        JointAdmittance(compliance=value)
    assert caught.value.where == "set_joint_compliance"
    scene = arm("panda")
    controller = robot_of(scene).add_controller(JointAdmittance(compliance=0.05))
    with pytest.raises(ControllerError):
        controller.set_joint_compliance(value)
    np.testing.assert_array_equal(controller.get_joint_compliance(), 0.05 * np.eye(7))


def test_numbers_and_matrices_are_taken_and_given_back_as_copies() -> None:
    controller = JointAdmittance()
    assert controller.get_joint_compliance() == pytest.approx(0.075)
    controller.set_joint_compliance(0)
    assert controller.get_joint_compliance() == 0.0
    given = np.diag(np.linspace(1, 2, 7)) + 0.1
    controller.set_joint_compliance(given)
    kept = given.copy()
    given[0, 0] = 99.0
    found = controller.get_joint_compliance()
    np.testing.assert_array_equal(found, kept)
    found[:] = 0.0  # type: ignore[index]
    np.testing.assert_array_equal(controller.get_joint_compliance(), kept)
    np.testing.assert_array_equal(controller.lambda_, 2.5)


BAD_CALLS: dict[str, Callable[[JointAdmittance], object]] = {
    "matrix of another size": lambda c: c.set_joint_compliance(np.eye(6)),
    "lambda negative": lambda c: setattr(c, "lambda_", -1.0),
    "lambda count": lambda c: setattr(c, "lambda_", [1.0] * 6),
    "lambda nan": lambda c: setattr(c, "lambda_", math.nan),
    "step zero": lambda c: c.set_filter_time_step(0.0),
    "step no multiple": lambda c: c.set_filter_time_step(0.003),
    "step below the timestep": lambda c: c.set_filter_time_step(0.001),
    "step nan": lambda c: c.set_filter_time_step(math.nan),
    "damping zero": lambda c: c.set_filter_damping(0.0),
    "damping negative": lambda c: c.set_filter_damping(-1.0),
    "omega zero": lambda c: c.set_filter_omega(0.0),
    "omega word": lambda c: c.set_filter_omega("fast"),  # type: ignore[arg-type]
    "the last is bad": lambda c: c.set_filter_params(0.004, 0.5, math.inf),
}


@pytest.mark.parametrize("call", BAD_CALLS.values(), ids=BAD_CALLS)
def test_a_refused_parameter_changes_nothing(call: Callable[[JointAdmittance], object]) -> None:
    scene = arm("panda")
    controller = robot_of(scene).add_controller(JointAdmittance(damping=0.9, omega=40.0))
    scene.run(0.1)
    before, period = everything_ruled(scene), controller.period
    state = controller.get_state()
    with pytest.raises(MjsceneError):
        call(controller)
    assert_same(everything_ruled(scene), before)
    assert_same(controller.get_state(), state)
    assert (controller.period, repr(controller.filter)) == (
        period,
        "SecondOrderFilter(omega=40.0, damping=0.9, time_step=0.002)",
    )
    np.testing.assert_array_equal(controller.lambda_, 2.5)
    np.testing.assert_array_equal(controller.get_joint_compliance(), 0.075 * np.eye(7))


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"time_step": 0.0}, SpecError),
        ({"time_step": -0.002}, SpecError),
        ({"damping": 0.0}, SpecError),
        ({"omega": math.nan}, SpecError),
        ({"lambda_": [[1.0]]}, ControllerError),
        ({"lambda_": "fast"}, ControllerError),
    ],
)
def test_bad_arguments_make_no_controller(fields: Any, kind: type[MjsceneError]) -> None:
    with pytest.raises(kind):
        JointAdmittance(**fields)


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"compliance": np.eye(6)}, ControllerError),
        ({"lambda_": [1.0, 2.0]}, ControllerError),
        ({"time_step": 0.003}, SpecError),
    ],
)
def test_one_that_does_not_fit_the_robot_is_refused_there(
    fields: Any, kind: type[MjsceneError]
) -> None:
    scene = arm("panda")
    controller = JointAdmittance(**fields)
    before = everything_ruled(scene)
    with pytest.raises(kind):
        robot_of(scene).add_controller(controller)
    assert_same(everything_ruled(scene), before)
    assert not controller.is_attached
    with pytest.raises(ControllerError, match="attached to no robot"):
        _ = controller.joints
