"""A dropped scene goes at once, with its model: nothing waits for a garbage collection."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from mjscene import MjsceneError, ObjectCmd, SceneObject, build_scene, load_scene


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


def test_a_handle_of_a_scene_that_is_gone_says_so() -> None:
    robot = build_scene(load_scene("arm_gripper")).robots["arm"]
    gc.collect()
    with pytest.raises(MjsceneError, match="scene of robot 'arm' is gone"):
        robot.command[:] = 0.0
