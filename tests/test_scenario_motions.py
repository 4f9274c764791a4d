"""Motions: along the polynomial of least jerk, until something else takes their joint."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scenario_scene import passed, run, scenario

from mjscene import (
    RobotSpec,
    Scene,
    SceneObject,
    SceneSpec,
    build_scene,
)
from mjscene.scenario import (
    Action,
    AddObject,
    JointValue,
    NoWarnings,
    Push,
    RemoveObject,
    Scenario,
    SetActuator,
)
from mjscene.scenario.motions import minimum_jerk

H = 0.002


def test_move_is_the_minimum_jerk_polynomial_step_by_step() -> None:
    def by_hand(scene: Scene, k: int) -> None:
        if 10 <= k < 60:
            x = (k - 9) / 50
            way = 6 * x**5 - 15 * x**4 + 10 * x**3
            scene.robots["arm"].command[0] = 0.5 * way if k < 59 else 0.5

    small = scenario("at: 0.02, move: {robot: arm, to: {hinge: 0.5}, over: 0.1}", duration=0.2)
    commands = small.run().recording.commands[:, 0]
    scene = build_scene(small.scene)  # type: ignore[arg-type]
    wanted = [0.0]
    for k in range(100):
        by_hand(scene, k)
        scene.step()
        wanted.append(float(scene.command[0]))
    np.testing.assert_allclose(commands, wanted, rtol=0, atol=1e-15)
    assert commands[60] == commands[-1] == 0.5


def test_minimum_jerk_has_no_velocity_or_acceleration_at_its_ends() -> None:
    x = np.linspace(0, 1, 2001)
    s = np.array([minimum_jerk(v) for v in x])
    v, a = np.gradient(s, x), np.gradient(np.gradient(s, x), x)
    assert (s[0], s[-1]) == (0, 1)
    assert abs(v[[0, -1]]).max() < 1e-5
    assert abs(a[[1, -2]]).max() < 0.1
    assert v.max() == pytest.approx(15 / 8, rel=1e-5)
    assert abs(a).max() == pytest.approx(10 / math.sqrt(3), rel=1e-3)


@pytest.mark.parametrize(
    ("then", "held"),
    [
        ("at: 0.06, command: {robot: arm, to: [0.1]}", 0.1),
        ("at: 0.06, move: {robot: arm, to: [0.1], over: 0.002}", 0.1),
    ],
)
def test_a_motion_ends_where_another_command_takes_its_joint(then: str, held: float) -> None:
    timeline = "at: 0, move: {robot: arm, to: [0.5], over: 0.2}\n" + then
    commands = scenario(timeline, duration=0.2).run().recording.commands[:, 0]
    assert commands[31] == held  # step 31 is the first that ends with the new command
    assert (commands[31:] == held).all()


def test_a_motion_ends_with_its_mode_a_stop_and_a_reset() -> None:
    for then, quantity in (
        ("at: 0.06, set_mode: {robot: arm, mode: TORQUE}", "effort"),
        ("at: 0.06, stop: arm", "stop"),
        ("at: 0.06, reset: true", "reset"),
    ):
        timeline = f"at: 0, move: {{robot: arm, to: [0.5], over: 0.2}}\n{then}"
        result = scenario(timeline, duration=0.2).run()
        assert result.passed, (quantity, result.text)
        commands = result.recording.commands[:, 0]
        assert (commands[32:] == commands[31]).all(), quantity


@pytest.mark.parametrize(
    ("stopped", "recovers"),
    [
        ("stop: arm", 0.3),
        ("stop: arm", 0.1),
        ("wrench: {body: arm/tool, force: [0, 0, -300], until: 0.102}", 0.3),  # a collision
        ("wrench: {body: arm/tool, force: [0, 0, -300], until: 0.102}", 0.102),
    ],
)
def test_a_stop_and_a_reflex_end_the_motion_of_a_controller(stopped: str, recovers: float) -> None:
    spring = "add_controller: {robot: arm, controller: JointAdmittance, name: a}"
    led = "set_controller: {robot: arm, name: a, reference: [1], over: 0.4}"
    result = run(
        f"at: 0, {spring}\nat: 0.01, {led}\nat: 0.1, {stopped}\nat: {recovers}, recover: arm",
        "moved: {robot: arm, by: {max: 0.05}, after: 0.1}, since: 0.1",
        duration=0.5,
    )
    assert result.passed, result.text  # it would be at 0.4 rad, and go on


def test_pose_turns_along_the_shorter_way() -> None:
    half = math.sqrt(0.5)
    sine, cosine = math.sin(math.pi / 8), math.cos(math.pi / 8)
    result = run(
        f"at: 0, pose: {{body: flag, orientation: [0, 0, {-half}, {-half}], over: 0.1}}",
        # Half the way of a quarter turn about z, in half the time: an eighth.
        f"""
        at: 0.05, body: {{body: flag, orientation: [0, 0, {sine}, {cosine}]}}
        body: {{body: flag, orientation: [0, 0, {half}, {half}], angle_tolerance: 1.0e-9}}
        body: {{body: flag, position: [3, 0, 1]}}
        """,
    )
    assert passed(result) == [True, True, True], result.text


def test_a_wrench_takes_the_place_of_one_on_the_same_body_under_another_name() -> None:
    hull = (
        "<mujoco><worldbody><body name='hull'><freejoint/><geom size='0.1' mass='1'/></body>"
        "</worldbody></mujoco>"
    )
    spec = SceneSpec([RobotSpec(hull, prefix="rover/", pos=(5, 0, 1))])

    def end(second: str) -> Any:
        timeline = [
            Push(at=0, body="rover", force=(1, 0, 0), until=0.1),
            Push(at=0.05, body=second, force=(0, 2, 0)),
        ]
        result = Scenario(spec, duration=0.2, timeline=timeline, expect=[NoWarnings()]).run()
        assert result.passed, result.text
        return result.recording.arrays["qpos"][-1]

    np.testing.assert_array_equal(end("rover"), end("rover/hull"))
    pushed = np.array([k * H for k in range(25, 101)])  # from 0.05 s on, to the end
    y = float(np.sum(2 * H * (0.2 - pushed[:-1])))  # each step adds 2 h, that lasts to the end
    assert end("rover/hull")[1] == pytest.approx(y, rel=1e-9)


def test_what_is_done_to_parts_of_an_object_ends_with_it(tmp_path: Path) -> None:
    door = tmp_path / "door.xml"
    door.write_text(
        "<mujoco><worldbody><body name='leaf'><joint name='hinge' damping='1'/>"
        "<geom size='0.1'/></body></worldbody><tendon><fixed name='rope'><joint joint='hinge'"
        " coef='1'/></fixed></tendon><actuator><general name='push' tendon='rope'"
        " ctrlrange='-1 1'/></actuator></mujoco>",
        encoding="utf-8",
    )
    thing = SceneObject("door", path=str(door), pos=(5, 0, 1), fixed=True)
    timeline: list[Action] = [
        AddObject(at=0, object=thing),
        SetActuator(at=0.02, actuator="door/push", to=1, over=0.09),
        Push(at=0.02, body="door/leaf", torque=(0, 0, 1), until=0.09),
        RemoveObject(at=0.04, name="door"),
        AddObject(at=0.06, object=thing),  # what was done to the first one is not done to it
    ]
    expect = [JointValue(joint="door/hinge", position=0, tolerance=0)]
    result = replace(scenario(), timeline=timeline, expect=expect, duration=0.14).run()
    assert result.passed, result.text
