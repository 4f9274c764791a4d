"""Every kind of expectation is met when it must be and missed when it must be.

What it is is worked out by hand: in closed form, or by the same run with nothing but MuJoCo's own
data looked at.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scenario_scene import passed, run, scenario

from mjscene import Scene, build_scene
from mjscene.scenario import Call, Check, JointValue, Range
from mjscene.scenario.base import excess
from mjscene.scenario.expectations import EXPECTATIONS
from mjscene.scenario.prepare import prepare
from mjscene.scenario.run import Run

# What both runs do: the servo is sent to 0.3 rad, and the ball is pushed.
TIMELINE = """
at: 0, command: {robot: arm, to: [0.3]}
at: 0, wrench: {body: ball, force: [2, 0, 0]}
"""


@pytest.fixture(scope="module")
def by_hand() -> Scene:
    """The scene after the same 50 steps, done by hand."""
    scene = build_scene(scenario().scene)  # type: ignore[arg-type]
    scene.robots["arm"].command[0] = 0.3
    scene.data.xfrc_applied[scene.model.body("ball").id, 0] = 2.0
    scene.step(50)
    return scene


def test_angles_that_are_expected_may_be_in_degrees_as_in_scene_files() -> None:
    (given, bounds) = scenario(
        "",
        """
        joint: {joint: arm/hinge, position: {deg: 90}, tolerance: {deg: 1}}
        joint: {joint: arm/hinge, velocity: {min: {deg: -90}, max: 1}}
        """,
    ).expect
    quarter = math.pi / 2
    assert given == JointValue(joint="arm/hinge", position=quarter, tolerance=math.radians(1))
    assert bounds == JointValue(joint="arm/hinge", velocity=Range(min=-quarter, max=1))


def test_values_are_those_of_the_data(by_hand: Scene) -> None:
    data = by_hand.data
    q, v = float(data.joint("arm/hinge").qpos[0]), float(data.joint("arm/hinge").qvel[0])
    effort = float(data.qfrc_actuator[by_hand.robots["arm"].dof_adr[0]])
    x, y, z = (float(c) for c in data.body("arm/tool").xpos)
    ball = float(data.body("ball").xpos[0])
    gap = float(np.linalg.norm(data.body("ball").xpos - data.site("arm/wrist").xpos))
    speed = float(data.joint("ball_joint0").qvel[0])
    half = math.sin(q / 2), math.cos(q / 2)
    near = 1e-9
    rows = [
        (f"joint: {{joint: arm/hinge, position: {q}, tolerance: {near}}}", True),
        (f"joint: {{joint: arm/hinge, position: {q + 0.0011}}}", False),
        (f"joint: {{joint: arm/hinge, position: {q + 0.0009}}}", True),
        (f"joint: {{joint: arm/hinge, velocity: {v}, tolerance: {near}}}", True),
        (f"joint: {{joint: arm/hinge, velocity: {v + 0.011}}}", False),
        (f"joint: {{joint: arm/hinge, effort: {effort}, tolerance: {near}}}", True),
        (f"joint: {{joint: arm/hinge, effort: {effort + 0.11}}}", False),
        (f"joint: {{joint: arm/hinge, position: {{min: {q - near}, max: {q + near}}}}}", True),
        (f"joint: {{joint: arm/hinge, position: {{max: {q - near}}}}}", False),
        ("joint: {joint: arm/rail, position: 0}", True),
        (f"joints: {{robot: arm, positions: [{q}], tolerance: {near}}}", True),
        (f"joints: {{robot: arm, positions: {{hinge: {q + 0.01}}}}}", False),
        (f"body: {{body: arm/tool, position: [{x}, {y}, {z}], tolerance: {near}}}", True),
        (f"body: {{body: arm/tool, position: [{x}, {y + 0.0011}, {z}]}}", False),
        (f"body: {{body: arm/wrist, x: {x}, z: {{max: {z + near}}}, tolerance: {near}}}", True),
        (f"body: {{body: arm/wrist, x: {x}, z: {{max: {z - near}}}}}", False),
        (f"body: {{body: arm/tool, orientation: [0, {half[0]}, 0, {half[1]}]}}", True),
        (f"body: {{body: arm/tool, orientation: [0, {-half[0]}, 0, {-half[1]}]}}", True),
        (f"body: {{body: arm/tool, orientation: [0, {-half[0]}, 0, {half[1]}]}}", False),
        (f"distance: {{between: [ball, arm/wrist], value: {gap}, tolerance: {near}}}", True),
        (f"distance: {{between: [ball, arm/wrist], value: {gap + 0.0011}}}", False),
        (f"moved: {{body: ball, by: {ball - 2}, tolerance: 1.0e-5}}", True),
        ("moved: {body: ball, by: {max: 0.001}}", False),
        (f"moved: {{robot: arm, by: {q}, tolerance: {near}}}", True),
        (f"moved: {{robot: arm, by: {{min: {q + near}}}}}", False),
        (f"sensor: {{sensor: arm/angle, value: {q}, tolerance: {near}}}", True),
        (f"sensor: {{sensor: arm/angle, value: {q + 0.01}, tolerance: 0.009}}", False),
        (f"sensor: {{sensor: arm/place, value: [{x}, {y}, {z}], tolerance: {near}}}", True),
        (f"sensor: {{sensor: arm/place, value: [{x}, {y}, {z + 1}], tolerance: 0.9}}", False),
        (f"at_rest: {{robot: arm, below: {abs(v) + near}}}", True),
        (f"at_rest: {{robot: arm, below: {abs(v) - near}}}", False),
        # The ball rolls: its centre at v, its spin is v / 0.1 m where it does not slip.
        (f"at_rest: {{body: ball, below: {10 * speed * 1.01}}}", True),
        (f"at_rest: {{body: ball, below: {speed * 0.9}}}", False),
    ]
    result = run(TIMELINE, "\n".join(text for text, _ in rows))
    assert passed(result) == [ok for _, ok in rows], result.text


def test_wrench_of_the_sensor_is_what_hangs_on_it() -> None:
    # A tool of 0.1 kg hangs on the wrist: 0.981 N downwards in the world, once it is at rest.
    wrist = "robot: arm, sensor: wrist"
    result = run(
        "",
        f"""
        ft_sensor: {{{wrist}, force: [0, 0, -0.981], frame: world, tolerance: 0.01}}
        ft_sensor: {{{wrist}, force: [null, null, -1.1], frame: world}}
        ft_sensor: {{{wrist}, force: [null, null, -1.05], frame: world}}
        ft_sensor: {{{wrist}, torque: [0, 0, 0]}}
        ft_sensor: {{{wrist}, torque: [0.02, null, null]}}
        """,
        duration=1,
    )
    assert passed(result) == [True, False, True, True, False], result.text


def test_contacts_of_bodies_robots_and_geoms() -> None:
    result = run(
        "at: 0, wrench: {body: ball, force: [0, 0, 30], until: 0.05}",
        """
        contact: {between: [ball, floor]}, at: 0
        contact: {between: [floor, ball]}, at: 0.08
        contact: {between: [ball, floor]}, once: [0.05, 0.2]
        contact: {between: [ball, arm]}, once: [0, 0.2]
        no_contact: {between: [ball, floor]}
        no_contact: {between: [ball, floor]}, during: [0.02, 0.05]
        no_contact: {of: ball, but: [floor]}
        no_contact: {of: ball}
        no_contact: {of: arm}
        no_contact: {of: world, but: [ball]}
        no_contact: {of: world}
        """,
        duration=0.2,
    )
    # It takes off at once, and is in the air until 0.28 s.
    wanted = [True, False, False, False, False, True, True, False, True, True, False]
    assert passed(result) == wanted, result.text


def test_modes_of_joints_and_robots() -> None:
    result = run(
        """
        at: 0.02, set_mode: {robot: arm, mode: TORQUE}
        at: 0.06, stop: arm
        at: 0.08, recover: arm
        """,
        """
        ctrl_mode: {robot: arm, mode: POSITION}, at: 0.02
        ctrl_mode: {robot: arm, mode: TORQUE}, at: 0.022
        ctrl_mode: {robot: arm, mode: TORQUE, joints: [hinge]}, during: [0.022, 0.06]
        ctrl_mode: {robot: arm, mode: TORQUE}, during: [0.02, 0.06]
        ctrl_mode: {robot: arm, mode: null}
        robot_mode: {robot: arm, mode: IDLE}, at: 0
        robot_mode: {robot: arm, mode: USER_STOPPED}, during: [0.062, 0.08]
        robot_mode: {robot: arm, mode: USER_STOPPED}, once: [0, 0.06]
        robot_mode: {robot: arm, mode: REFLEX}, at: 0.07
        """,
    )
    assert passed(result) == [True, True, True, False, False, True, True, False, False], result.text


def test_efforts_and_their_jumps_at_switches() -> None:
    # At the start the servo's set-point is the pose: no effort. Held by nothing in TORQUE with
    # HOLD (zero), the effort of a pose under load jumps by all of it.
    load = (1 * 0.25 + 0.1 * 0.5) * 9.81  # at rest, level: m g l of rod and tip [N·m]
    result = run(
        """
        at: 0.6, set_mode: {robot: arm, mode: TORQUE}
        at: 0.7, set_mode: {robot: arm, mode: POSITION}
        at: 0.8, set_mode: {robot: arm, mode: TORQUE, transfer: HOLD}
        """,
        f"""
        effort_jump: 1.0e-9, during: [0, 0.7]
        effort_jump: 1.0e-9
        effort_jump: {{below: {load * 1.02}, robot: arm}}
        effort_jump: {{below: {load * 0.95}, robot: arm}}
        effort: {{robot: arm, below: {load * 1.5}}}
        effort: {{robot: arm, below: {load * 0.8}}}
        effort: {{robot: arm, below: {load * 0.8}, joints: [hinge]}}, during: [0.802, 0.9]
        """,
        duration=0.9,
    )
    assert passed(result) == [True, False, True, False, True, False, True], result.text
    failure = next(f for f in result.failures if f.where == "expect[1].effort_jump")
    assert failure.time == pytest.approx(0.8)
    assert "'arm/hinge'" in failure.seen


def test_limits_with_their_margin() -> None:
    result = run(
        "at: 0, move: {robot: arm, to: [1.5], over: 0.5}",
        """
        within_limits: arm
        within_limits: {robot: arm, margin: 0.4}
        within_limits: {robot: arm, margin: 0.6}
        within_limits: {robot: arm, margin: 0.6}, during: [0, 0.2]
        """,
        duration=0.6,
    )
    assert passed(result) == [True, True, False, True], result.text


def test_warnings_of_the_run_are_seen_and_passed_on() -> None:
    import warnings

    def warn(scene: Any) -> None:
        warnings.warn("look here", stacklevel=1)

    quiet = scenario(
        "", "no_warnings: true\nno_warnings: {but: [look]}\nno_warnings: true, at: 0.02"
    )
    loud = replace(quiet, timeline=[Call(at=0.04, function=warn)])
    assert passed(quiet.run()) == [True, True, True]
    with pytest.warns(UserWarning, match="look here"):
        result = loud.run()
    assert passed(result) == [False, True, True]
    assert result.warnings == ("look here",)
    assert result.failures[0].time == pytest.approx(0.042)


def test_check_takes_what_its_function_says() -> None:
    said: list[Any] = [True, None, False, "it is red", 0]
    checks = [Check(function=lambda scene, v=v: v, what="all is well") for v in said]
    result = replace(scenario(), expect=checks).run()
    assert passed(result) == [True, True, False, False, False]
    assert result.failures[1].seen == "it is red"


@pytest.mark.parametrize(("value", "wanted"), [(math.nan, 1.0), (math.nan, Range(min=0)), (1, 3)])
def test_nan_and_far_values_are_beyond(value: float, wanted: Any) -> None:
    assert excess(value, wanted, 0.5) > 0


NUMERIC = """
joint: {joint: arm/hinge, position: {min: -10}}
joint: {joint: arm/hinge, velocity: {max: 10}}
joint: {joint: arm/hinge, effort: {max: 10}}
joints: {robot: arm, positions: [0], tolerance: 1000}
body: {body: ball, x: {min: -1000}}
body: {body: ball, position: [0, 0, 0], tolerance: 1000}
body: {body: ball, orientation: [0, 0, 0, 1], angle_tolerance: 10}
distance: {between: [ball, arm/tool], value: {max: 1000}}
moved: {body: ball, by: {max: 1000}}
moved: {robot: arm, by: {max: 1000}}
at_rest: {robot: arm, below: 1000}
at_rest: {body: ball, below: 1000}
sensor: {sensor: arm/angle, value: {max: 1000}}
ft_sensor: {robot: arm, sensor: wrist, force: [0, 0, 0], tolerance: 1000}
effort: {robot: arm, below: 1000}
within_limits: {robot: arm, margin: -1000}
"""


def test_nan_never_passes() -> None:
    small = scenario("", NUMERIC)
    running = Run(small, prepare(small), [])
    data = running.scene.data
    probes = [e.bind(running) for e in small.expect]
    assert [p() for p in probes] == [None] * len(probes)  # all are met before
    for array in (data.qpos, data.qvel, data.qfrc_actuator, data.xpos, data.xmat, data.sensordata):
        array[:] = math.nan
    data.cvel[:] = math.nan
    missed = [p() is not None for p in probes]
    assert missed == [True] * len(probes), list(zip(missed, small.expect, strict=True))


def test_every_kind_is_tested_here() -> None:
    from pathlib import Path

    text = Path(__file__).read_text(encoding="utf-8")
    assert [word for word in EXPECTATIONS if f"{word}:" not in text] == []


def test_default_tolerances_are_those_documented() -> None:
    for field, wanted in (("position", 1e-3), ("velocity", 1e-2), ("effort", 0.1)):
        assert JointValue(joint="a", **{field: 0.0})._tolerance == wanted  # type: ignore[arg-type]
