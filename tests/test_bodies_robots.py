"""Robots on a floating base that follow poses: the whole of what hangs on the base is carried."""

from __future__ import annotations

import math

import numpy as np
import pytest
from body_response import STEP, follow, oscillator, world
from command_models import FLOATING
from field_models import build
from scipy.spatial.transform import Rotation

from mjscene import BodyController, ObjectCmd, RobotSpec


def composite(*, base: str, load: str, of_base: str = "", of_load: str = "") -> RobotSpec:
    """A flying base with a body welded to it: geoms and attributes of both."""
    text = f"""<mujoco model="c"><worldbody><body name="base" pos="0 0 1" {of_base}>
     <freejoint name="root"/><geom size=".1" {base} contype="0" conaffinity="0"/>
     <body name="load" {of_load}><geom size=".1" {load} contype="0" conaffinity="0"/>
     </body></body></worldbody></mujoco>"""
    gains = BodyController(linear=(400, 60), angular=(10, 3))
    return RobotSpec(text, prefix="c/", controller=gains)


COMPOSITES: dict[str, RobotSpec] = {
    "one centre": composite(base='mass="2"', load='mass="3"'),
    "a load to the side": composite(base='mass="2"', load='mass="3" pos=".3 .1 0"'),
    "frame below, load between": composite(
        base='mass="1" pos="0 0 .6"', load='mass="4" pos="0 0 .3"'
    ),
    "a load that floats": composite(
        base='mass="1"', load='mass="3" pos=".3 0 0"', of_load='gravcomp="1"'
    ),
    "a load half carried": composite(
        base='mass="1"', load='mass="3" pos=".3 0 0"', of_load='gravcomp=".5"'
    ),
    "a base that floats": composite(
        base='mass="1"', load='mass="3" pos=".3 0 0"', of_base='gravcomp="1"'
    ),
}


@pytest.mark.parametrize("kind", COMPOSITES)
def test_a_robots_base_settles_at_the_pose_with_all_that_hangs_on_it(kind: str) -> None:
    scene = build(COMPOSITES[kind], options=world(0.004))
    turn = Rotation.from_rotvec([0.2, 0.1, 0.4]).as_quat()
    follow(scene, "c", position=(0.1, -0.1, 1.2), orientation=turn)
    scene.step(1500)
    pose = scene.state("c").pose
    np.testing.assert_allclose(pose.position, (0.1, -0.1, 1.2), atol=1e-6)
    np.testing.assert_allclose(pose.orientation, turn, atol=1e-6)


def test_a_robots_base_with_an_arm_that_holds_settles_at_the_pose() -> None:
    gains = BodyController(linear=(4000, 1200), angular=(60, 20))
    scene = build(RobotSpec(FLOATING, prefix="f/", controller=gains), options=world(0.004))
    scene.apply({"f": ObjectCmd(joint_cmds=[0.2, 0.5])})
    follow(scene, "f", position=(0.2, 0, 1.3))
    scene.step(2500)
    pose = scene.state("f").pose
    np.testing.assert_allclose(pose.position, (0.2, 0, 1.3), atol=1e-6)
    np.testing.assert_allclose(pose.orientation, (0, 0, 0, 1), atol=1e-6)
    np.testing.assert_allclose(scene.data.qvel, 0, atol=1e-6)


def test_a_rigid_robot_answers_with_the_mass_of_all_of_it() -> None:
    spec = composite(base='mass="2"', load='mass="3" pos=".2 0 0"')
    scene = build(spec, options=world(gravity=(0, 0, 0)))
    follow(scene, "c", position=(0, 0, 1.4))
    scene.step(50)
    omega = math.sqrt(400 / 5.0)
    want = 1.4 - oscillator(np.array([0.05]), 60 / (2 * 5.0 * omega), 0.4, omega)[0]
    assert scene.state("c").pose.position[2] == pytest.approx(want, abs=0.4 * omega * STEP * 2)
