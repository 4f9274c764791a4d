"""The run of a scenario: order, motions that end, failures, and the same result each time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scenario_scene import ARM, run, scenario

from mjscene import (
    CommandError,
    Scene,
    SceneSpec,
    SpecError,
)
from mjscene.scenario import Call, NoWarnings, Scenario


def test_time_goes_on_through_a_reset() -> None:
    result = run(
        "at: 0.05, reset: true", "at: 0.1, joint: {joint: arm/hinge, position: 0, tolerance: 1}"
    )
    assert result.passed
    assert result.duration == pytest.approx(0.1)


def test_actions_of_one_time_are_done_in_the_order_of_the_list() -> None:
    for order in ([0.1, 0.2], [0.2, 0.1]):
        lines = [f"at: 0.02, command: {{robot: arm, to: [{v}]}}" for v in order]
        later = ["at: 0.01, command: {robot: arm, to: [1.9]}"]  # listed last, done first
        timeline = "\n".join([*lines, *later])
        commands = scenario(timeline).run().recording.commands[:, 0]
        assert commands[-1] == order[-1]
        assert commands[10] == 1.9


def test_a_reflex_ends_a_motion_and_the_run_goes_on() -> None:
    small = scenario(
        """
        at: 0, move: {robot: arm, to: [1.2], over: 0.6}
        at: 0.1, wrench: {body: arm/tool, force: [0, 0, 80]}
        """,
        """
        robot_mode: {robot: arm, mode: REFLEX}, since: 0.2
        joint: {joint: arm/hinge, position: {max: 0.3}}
        """,
        duration=0.6,
    )
    result = small.run()
    assert result.passed, result.text


def test_what_cannot_be_done_in_the_state_of_then_is_a_failure_with_its_time() -> None:
    expected = """
        joint: {joint: arm/hinge, position: 0, tolerance: 1}
        joint: {joint: arm/hinge, position: 9}, at: 0.02
        joint: {joint: arm/hinge, position: 0, tolerance: 1}, at: 0.02
        joint: {joint: arm/hinge, position: 0, tolerance: 1}, during: [0.02, 0.08]
        joint: {joint: arm/hinge, position: 9}, once: [0.02, 0.08]
        joint: {joint: arm/hinge, position: 9}, during: [0.02, 0.08]
        """
    result = run("at: 0.04, recover: arm", expected)
    assert not result.passed
    told = ["not decided", "FAILED", "ok", "not decided", "not decided", "FAILED"]
    assert [str(checked) for checked in result.checked] == told
    lines = result.text.splitlines()
    assert "2 of 6 expectations not met, 3 not decided" in lines[0]
    assert lines[1] == f"stopped {result.stopped}", "the cause comes first"
    assert [line.startswith("at t = 0.02 s: expect") for line in lines[-3:]] == [False, True, True]
    *_, first = result.failures
    assert first is result.stopped
    assert [f.where for f in result.failures[:2]] == ["expect[1].joint", "expect[5].joint"]
    assert (first.where, first.time) == ("timeline[0]", pytest.approx(0.04))
    assert "is not stopped" in first.seen
    assert first.line is not None
    assert len(result.recording) == 21


@pytest.mark.parametrize(
    ("drive", "unit"),
    [
        ('<motor name="servo" joint="hinge"', "N·m"),
        ('<velocity name="servo" joint="hinge" kv="60"', "rad/s"),
        ('<position name="servo" joint="hinge" kp="1000" kv="60"', "rad"),
    ],
)
def test_a_command_beyond_its_limits_is_refused_before_the_run(drive: str, unit: str) -> None:
    small = scenario("at: 0.02, command: {robot: arm, to: [3]}")
    spec = small.scene
    assert isinstance(spec, SceneSpec)

    def on(more: str) -> Scenario:
        path = ARM.replace(' range="-2 2"', "").replace(
            '<position name="servo" joint="hinge" kp="1000" kv="60"', f"{drive} {more}"
        )
        robot = replace(spec.robots[0], path=path, modes=[], reflex=False, limits=[])
        return small.with_scene(replace(spec, robots=[robot]))

    limited = on('ctrlrange="-2.5 2.5"')
    with pytest.raises(
        SpecError, match=rf"3 {unit} is beyond the limits -2.5 … 2.5 {unit}"
    ) as told:
        limited.check()
    assert told.value.where == "timeline[0].command.to[0]"
    on("").check()
    # What a function did to the modes is not known: it may have made it right.
    call = Call(at=0.01, function=lambda scene: None)
    replace(limited, timeline=[call, *small.timeline]).check()


def test_a_blow_up_is_a_failure_with_its_time() -> None:
    def shoot(scene: Scene) -> None:
        scene.data.qvel[0] = 1e12

    small = replace(scenario(), timeline=[Call(at=0.05, function=shoot)])
    result = small.run()
    assert not result.passed
    assert result.failures[0].time == pytest.approx(0.05)
    assert "SimulationError" in result.failures[0].seen


def test_a_function_may_refuse_and_its_own_errors_are_raised() -> None:
    def refuse(scene: Scene) -> None:
        raise CommandError("not now")

    def break_down(scene: Scene) -> None:
        raise ZeroDivisionError

    small = scenario()
    assert not replace(small, timeline=[Call(at=0, function=refuse)]).run().passed
    with pytest.raises(ZeroDivisionError):
        replace(small, timeline=[Call(at=0, function=break_down)]).run()


TIMELINES = {
    "a switch": """
        at: 0, command: {robot: arm, to: [0.5]}
        at: 0.06, set_mode: {robot: arm, mode: TORQUE}
        at: 0.02, wrench: {body: ball, force: [3, 1, 0], until: 0.1}
        """,
    # The jump is looked for in a trial, with the command that waits for the step.
    "a command and a switch, gravity fed forward": """
        at: 0, add_controller: {robot: arm, controller: GravityCompensation}
        at: 0.06, command: {robot: arm, to: [0.5]}
        at: 0.06, set_mode: {robot: arm, mode: POSITION}
        """,
}


@pytest.mark.parametrize("timeline", TIMELINES)
def test_a_run_is_the_same_each_time_whatever_is_expected(timeline: str) -> None:
    steps = TIMELINES[timeline]
    plain = scenario(steps, duration=0.2)
    looked_at = scenario(steps, "effort_jump: 1\nno_warnings: true\nwithin_limits: arm", 0.2)
    ends = [s.run().recording.qpos for s in (plain, plain, looked_at)]
    np.testing.assert_array_equal(ends[0], ends[1])
    np.testing.assert_array_equal(ends[0], ends[2])
    assert abs(ends[0][-1] - ends[0][10]).max() > 1e-3  # it moves


def test_python_form_is_the_same_scenario() -> None:
    from mjscene.scenario import Command, SetMode

    written = scenario(
        "at: 0.02, set_mode: {robot: arm, mode: TORQUE}\nat: 0.04, command: {robot: arm, to: [1]}"
    )
    made = Scenario(
        written.scene,
        name="small",
        duration=0.1,
        timeline=[
            SetMode(at=0.02, robot="arm", mode="torque"),  # type: ignore[arg-type]
            Command(at=0.04, robot="arm", to=[1]),
        ],
        expect=[NoWarnings()],
    )
    assert made == written
