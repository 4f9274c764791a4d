"""Every kind of action does what the same thing does by hand, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scenario_scene import passed, run, scenario

from mjscene import (
    CtrlMode,
    ObjectCmd,
    Pose,
    Scene,
    SceneObject,
    Transfer,
    Wrench,
    build_scene,
)
from mjscene.controllers import BodyPose, GravityCompensation, JointAdmittance, JointImpedance
from mjscene.scenario import Check
from mjscene.scenario.actions import ACTIONS
from mjscene.scenario.motions import minimum_jerk

H = 0.002
SPRING = (
    "{robot: arm, controller: JointImpedance, name: spring, "
    "parameters: {stiffness: 50, damping: 5}}"
)
HAND = (
    "{robot: arm, controller: BodyPose, name: hand, "
    "parameters: {body: tool, linear: [50, 5], angular: [1, 0.1]}}"
)


def ends_as(timeline: str, by_hand: Callable[[Scene, int], None], steps: int = 100) -> None:
    """Run a timeline and the same by hand; every position must be the same to the bit."""
    ends: list[Any] = []
    small = scenario(timeline, duration=steps * H)

    def look(scene: Scene) -> None:
        ends.append((scene.data.qpos.copy(), scene.data.qvel.copy(), scene.data.mocap_pos.copy()))

    result = replace(small, expect=[Check(function=look)]).run()
    assert result.passed, result.text
    scene = build_scene(small.scene)  # type: ignore[arg-type]
    for k in range(steps):
        by_hand(scene, k)
        scene.step()
    data = scene.data
    for seen, wanted in zip(ends[0], (data.qpos, data.qvel, data.mocap_pos), strict=True):
        np.testing.assert_array_equal(seen, wanted)


def test_set_mode_and_command() -> None:
    def by_hand(scene: Scene, k: int) -> None:
        arm = scene.robots["arm"]
        if k == 10:
            arm.set_control_mode(CtrlMode.TORQUE, transfer=Transfer.HOLD)
        if k == 20:
            arm.command[0] = 2.5
        if k == 60:
            arm.set_control_mode(CtrlMode.VELOCITY)

    ends_as(
        """
        at: 0.02, set_mode: {robot: arm, mode: torque, transfer: hold}
        at: 0.04, command: {robot: arm, to: [2.5]}
        at: 0.12, set_mode: {robot: arm, mode: VELOCITY, joints: [hinge]}
        """,
        by_hand,
    )


def test_wrench_lasts_until_its_end() -> None:
    def by_hand(scene: Scene, k: int) -> None:
        if k in (10, 40):
            force = (0, 3, 0) if k == 10 else (0, 0, 0)
            scene.apply({"ball": ObjectCmd(wrench=Wrench(force=force, torque=(0, 0, 0)))})
        if k == 20:
            scene.apply({"arm/tool": ObjectCmd(wrench=Wrench(torque=(0, 0.5, 0)))})

    ends_as(
        """
        at: 0.02, wrench: {body: ball, force: [0, 3, 0], until: 0.08}
        at: 0.04, wrench: {body: arm/tool, torque: [0, 0.5, 0]}
        """,
        by_hand,
    )


def test_a_second_wrench_takes_the_place_of_the_first_and_of_its_end() -> None:
    def by_hand(scene: Scene, k: int) -> None:
        if k in (0, 10):
            scene.apply({"ball": ObjectCmd(wrench=Wrench(force=(0, 3 if k else 1, 0)))})

    ends_as(
        """
        at: 0, wrench: {body: ball, force: [0, 1, 0], until: 0.1}
        at: 0.02, wrench: {body: ball, force: [0, 3, 0]}
        """,
        by_hand,
    )


def test_pose_of_mocap_and_free_bodies() -> None:
    def by_hand(scene: Scene, k: int) -> None:
        if k == 0:
            pose = Pose(position=(2, 2, 1.5), orientation=(0, 0, 0, 1))
            scene.apply({"kite": ObjectCmd(enable_position_controller=True, pose=pose)})
        if 10 <= k < 60:
            x = minimum_jerk((k - 9) / 50)
            target = (3, x, 1) if k < 59 else (3, 1, 1)
            pose = Pose(position=target, orientation=(0, 0, 0, 1))
            scene.apply({"flag": ObjectCmd(enable_position_controller=True, pose=pose)})

    ends_as(
        """
        at: 0, pose: {body: kite, position: [2, 2, 1.5]}
        at: 0.02, pose: {body: flag, position: [3, 1, 1], over: 0.1}
        """,
        by_hand,
    )


def test_set_of_a_drive_at_once_and_over_a_time() -> None:
    def by_hand(scene: Scene, k: int) -> None:
        if k == 0:
            scene.actuators["arm/pull"].ctrl = 0.1
        if 25 <= k < 75:
            x = minimum_jerk((k - 24) / 50)
            scene.actuators["arm/pull"].ctrl = 0.1 + x * (0.4 - 0.1) if k < 74 else 0.4

    ends_as(
        """
        at: 0, set: {actuator: arm/pull, to: 0.1}
        at: 0.05, set: {actuator: arm/pull, to: 0.4, over: 0.1}
        """,
        by_hand,
    )


def test_controllers_come_are_set_and_go() -> None:
    def by_hand(scene: Scene, k: int) -> None:
        arm = scene.robots["arm"]
        if k == 5:
            arm.add_controller(JointImpedance(50.0, 5.0), name="spring")
        if k == 20:
            arm.controllers["spring"].set_target([0.4])  # type: ignore[attr-defined]
        if k == 40:
            arm.controllers["spring"].stiffness = 80.0  # type: ignore[attr-defined]
        if k == 70:
            arm.remove_controller("spring")
        if k == 80:
            arm.add_controller(GravityCompensation())

    ends_as(
        f"""
        at: 0.01, add_controller: {SPRING}
        at: 0.04, set_controller: {{robot: arm, name: spring, reference: [0.4]}}
        at: 0.08, set_controller: {{robot: arm, name: spring, parameters: {{stiffness: 80}}}}
        at: 0.14, remove_controller: {{robot: arm, name: spring}}
        at: 0.16, add_controller: {{robot: arm, controller: GravityCompensation}}
        """,
        by_hand,
    )


def test_reference_and_pose_of_controllers_are_led() -> None:
    def admittance(scene: Scene, k: int) -> None:
        arm = scene.robots["arm"]
        if k == 0:
            arm.add_controller(JointAdmittance(lambda_=5.0))
        if 10 <= k < 60:
            x = minimum_jerk((k - 9) / 50)
            goal = 0.0 + x * (0.3 - 0.0) if k < 59 else 0.3
            arm.controllers["joint_admittance"].reference = [goal]  # type: ignore[attr-defined]

    ends_as(
        """
        at: 0, add_controller: {robot: arm, controller: JointAdmittance, parameters: {lambda_: 5}}
        at: 0.02, set_controller: {robot: arm, name: joint_admittance, reference: [0.3], over: 0.1}
        """,
        admittance,
    )

    def body_pose(scene: Scene, k: int) -> None:
        arm = scene.robots["arm"]
        if k == 0:
            arm.add_controller(BodyPose("tool", linear=(50, 5), angular=(1, 0.1)), name="hand")
        if k == 30:
            held = arm.controllers["hand"].target[0].orientation  # type: ignore[attr-defined]
            pose = Pose(position=(0.4, 0, 0.8), orientation=held)
            arm.controllers["hand"].set_target(pose)  # type: ignore[attr-defined]

    ends_as(
        f"""
        at: 0, add_controller: {HAND}
        at: 0.06, set_controller: {{robot: arm, name: hand, position: [0.4, 0, 0.8]}}
        """,
        body_pose,
    )


def test_objects_come_and_go_and_recordings_follow_the_models() -> None:
    def by_hand(scene: Scene, k: int) -> None:
        if k == 20:
            thing = SceneObject("drop", shape="sphere", size=(0.05,), pos=(5, 0, 1), mass=1)
            scene.add_object(thing)
        if k == 50:
            scene.remove_object("ball")

    timeline = """
        at: 0.04, add_object: {name: drop, shape: sphere, size: [0.05], pos: [5, 0, 1], mass: 1}
        at: 0.1, remove_object: ball
        """
    ends_as(timeline, by_hand)
    fall = 1 - 9.81 * 0.16 * (0.16 + H) / 2
    result = run(
        timeline,
        f"""
        body: {{body: drop, z: {fall}, tolerance: 1.0e-5}}
        during: [0, 0.1], contact: {{between: [ball, floor]}}
        """,
        duration=0.2,
    )
    assert passed(result) == [True, True], result.text
    first, middle, last = result.recordings
    assert [len(r) for r in result.recordings] == [21, 31, 51]
    assert last is result.recording
    assert "drop" not in first.bodies
    assert set(middle.bodies) == {"drop"}


def test_stop_recover_and_reset() -> None:
    def by_hand(scene: Scene, k: int) -> None:
        arm = scene.robots["arm"]
        if k == 0:
            arm.command[0] = 0.5
        if k == 20:
            arm.stop()
        if k == 40:
            arm.recover()
        if k == 60:
            scene.reset("arm/up")

    ends_as(
        """
        at: 0, command: {robot: arm, to: [0.5]}
        at: 0.04, stop: arm
        at: 0.08, recover: {robot: arm}
        at: 0.12, reset: arm/up
        """,
        by_hand,
    )


def test_every_action_is_tested_here() -> None:
    here = Path(__file__)
    motions = here.with_name("test_scenario_motions.py")
    text = here.read_text(encoding="utf-8") + motions.read_text(encoding="utf-8")
    assert [word for word in ACTIONS if f"{word}:" not in text] == []
