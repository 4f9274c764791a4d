"""A dropped scene goes at once, with its model: nothing waits for a garbage collection."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from mjscene import ObjectCmd, SceneObject, build_scene, load_scene


@pytest.fixture
def no_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collection")
def test_a_scene_that_was_used_in_every_way_goes_when_it_is_dropped() -> None:
    scene = build_scene(load_scene("dual_arm"))
    scene.step(3)
    scene.set_control_mode("left", "torque")
    scene.set_control_mode(scene.robots["right"], "torque", joints=["joint1"])
    scene.apply({"left": ObjectCmd(joint_cmds=[1.0])})
    scene.states()
    scene.add_object(SceneObject("more", shape="sphere", size=[0.1], pos=(3, 3, 3)))
    scene.run(0.01, lambda running: {"left": ObjectCmd(joint_cmds=[0.0])})
    gone = weakref.ref(scene)
    del scene
    assert gone() is None


def test_a_handle_keeps_its_scene() -> None:
    robot = build_scene(load_scene("arm_gripper")).robots["arm"]
    gc.collect()
    robot.command[0] = 0.25
    assert robot.command[0] == 0.25


def test_handles_of_one_robot_are_equal() -> None:
    scene, other = (build_scene(load_scene("arm_gripper")) for _ in range(2))
    assert scene.robots["arm"] == scene.robots["arm"]
    assert len({scene.robots["arm"], scene.robots["arm"]}) == 1
    assert scene.robots["arm"] != other.robots["arm"]
