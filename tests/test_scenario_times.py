"""When expectations are looked at, and what is told of those that were not met."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scenario_scene import passed, run, scenario

from mjscene import build_scene
from mjscene.scenario import Call, NoWarnings

H = 0.002


def test_times_are_at_during_since_once_and_the_end() -> None:
    # x = a t (t + h) / 2 in steps of h: semi-implicit Euler of a constant push.
    def x(t: float) -> float:
        return 2 + 5 * t * (t + H) / 2

    quiet = scenario("at: 0, wrench: {body: kite, force: [1, 0, 1.962]}", duration=0.2)
    low, high = x(0.1) - 1e-6, x(0.15) + 1e-6
    rows = {
        f"at: 0.1, body: {{body: kite, x: {x(0.1)}, tolerance: 1.0e-6}}": True,
        f"at: 0.1, body: {{body: kite, x: {x(0.102)}, tolerance: 1.0e-6}}": False,
        f"body: {{body: kite, x: {x(0.2)}, tolerance: 1.0e-6}}": True,
        f"during: [0.1, 0.15], body: {{body: kite, x: {{min: {low}, max: {high}}}}}": True,
        f"during: [0.1, 0.152], body: {{body: kite, x: {{max: {high}}}}}": False,
        f"during: [0.098, 0.15], body: {{body: kite, x: {{min: {low}}}}}": False,
        f"since: 0.1, body: {{body: kite, x: {{min: {low}}}}}": True,
        f"since: 0.098, body: {{body: kite, x: {{min: {low}}}}}": False,
        f"once: [0, 0.1], body: {{body: kite, x: {{min: {low}}}}}": True,
        f"once: [0, 0.098], body: {{body: kite, x: {{min: {low}}}}}": False,
        "at: 0, body: {body: kite, x: 2, tolerance: 0}": True,
        f"moved: {{body: kite, by: {x(0.2) - x(0.1)}, after: 0.1, tolerance: 1.0e-6}}": True,
        f"moved: {{body: kite, by: {x(0.2) - x(0.1)}, after: 0.102, tolerance: 1.0e-6}}": False,
    }
    expect = scenario("", "\n".join(rows), duration=0.2).expect
    result = replace(quiet, expect=expect).run()
    assert passed(result) == list(rows.values()), result.text


def test_first_and_worst_of_a_failure_are_told() -> None:
    result = run(
        "at: 0, command: {robot: arm, to: [1]}",
        "joint: {joint: arm/hinge, position: {max: 0.2}}, during: [0, 0.1]",
    )
    (failure,) = result.failures
    assert failure.line == result.failures[0].line is not None
    first, worst = failure.time, failure.worst
    assert worst is not None
    scene = build_scene(scenario().scene)  # type: ignore[arg-type]
    scene.robots["arm"].command[0] = 1
    values = []
    for _ in range(50):
        scene.step()
        values.append(float(scene.joints.position[0]))
    over = [k + 1 for k, v in enumerate(values) if v > 0.2]
    assert first == pytest.approx(over[0] * H)
    assert worst[0] == pytest.approx((int(np.argmax(values)) + 1) * H)
    assert failure.seen == f"{values[over[0] - 1]:.6g} rad"
    assert "small.scenario.yaml" in result.text
    assert not result.passed


def test_stop_at_first_ends_the_run_and_what_it_did_not_reach_is_not_passed() -> None:
    small = scenario(
        "",
        """
        joint: {joint: arm/hinge, position: 1}, at: 0.02
        joint: {joint: arm/hinge, position: 0, tolerance: 0.1}
        """,
    )
    whole, short = small.run(), replace(small, stop_at_first=True).run()
    assert (whole.duration, short.duration) == (pytest.approx(0.1), pytest.approx(0.02))
    assert passed(whole) == [False, True]
    assert passed(short) == [False, False]
    assert [str(checked) for checked in short.checked] == ["FAILED", "not decided"]
    assert len(short.failures) == 1


@pytest.mark.parametrize(
    ("times", "passes"),
    [
        ({}, False),
        ({"at": 0.02}, True),
        ({"at": 0.03}, False),  # all until then
        ({"during": (0, 0.02)}, True),
        ({"during": (0, 0.03)}, False),
        ({"during": (0.03, 0.05)}, True),
        ({"during": (0.03, 0.07)}, False),  # it comes again
        ({"since": 0.06}, False),
        ({"since": 0.07}, True),
    ],
)
def test_warnings_of_a_span_are_those_that_come_in_it(times: Any, passes: bool) -> None:
    def warn(scene: Any) -> None:
        warnings.warn("low", stacklevel=1)

    timeline = [Call(at=t, function=warn) for t in (0.02, 0.06)]
    small = replace(scenario(), timeline=timeline, expect=[NoWarnings(**times)])
    with warnings.catch_warnings(record=True) as passed_on:
        warnings.simplefilter("always")
        result = small.run()
    assert result.passed is passes, result.text
    assert (result.warnings, len(passed_on)) == (("low",), 1)
