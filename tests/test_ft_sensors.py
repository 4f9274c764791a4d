"""Force/torque sensors as physical ones read: the load, by closed form and by plain MuJoCo.

Lengths in m, forces in N, torques in N·m, masses in kg.
"""

from __future__ import annotations

import gc
import math
import weakref
from typing import Any

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from mjscene import (
    AttachmentSpec,
    CommandError,
    RobotSpec,
    Scene,
    SceneObject,
    SceneSpec,
    build_scene,
    site,
)
from mjscene.ft_sensors import FtSensor

GRAVITY = np.array([0, 0, -9.81])
FT_TOOL_MASS, FT_TOOL_COM = 0.081117, np.array([0, 0, -0.0075])  # robots/ft_sensor/README.md

# A wrist whose sensor side has no mass, a site with axes of its own, and nothing that moves.
WRIST = """<mujoco model="wrist"><compiler angle="radian"/><worldbody>
 <body name="link" pos=".1 .2 .3" euler=".3 -.4 .5"><geom name="link" size=".02" mass="3"/>
  <body name="flange" pos="0 0 .1" euler="-.2 .1 .9">
   <site name="ft" pos=".01 .02 .03" euler="1 2 3"/><site name="mount" pos="0 0 .05"/>
  </body></body></worldbody>
 <sensor><force name="f" site="ft" {f}/><torque name="t" site="ft"/></sensor></mujoco>"""
TOOL_MASS, TOOL_COM = 0.5, np.array([0.03, -0.02, 0.08])
TOOL = f"""<mujoco model="tool"><worldbody><body name="tool">
 <geom name="tool" type="box" size=".02 .01 .04" pos="{" ".join(map(str, TOOL_COM))}"
  mass="{TOOL_MASS}"/></body></worldbody></mujoco>"""


def wrist(
    prefix: str = "a/", quat: Any = (0, 0, 0, 1), tool: str = TOOL, options: str = "", **more: Any
) -> RobotSpec:
    attachments = [AttachmentSpec(tool, attach_to=site("mount"), prefix="tool/")]
    file = WRIST.format(f=options)
    return RobotSpec(file, prefix=prefix, quat=quat, attachments=attachments, **more)


def build(*robots: RobotSpec, **more: Any) -> Scene:
    return build_scene(SceneSpec(robots, **more))


def random_quats(count: int, seed: int) -> np.ndarray:
    return Rotation.random(count, random_state=seed).as_quat()


def weight_at(scene: Scene, sensor: FtSensor, *bodies: str) -> np.ndarray:
    """The wrench of bodies' weights in world axes about the sensor's site (6,)."""
    origin = scene.data.site(sensor.site).xpos
    total = np.zeros(6)
    for name in bodies:
        weight = scene.model.body(name).mass[0] * GRAVITY
        total += [*weight, *np.cross(scene.data.body(name).xipos - origin, weight)]
    return total


# What it reads


@pytest.mark.parametrize("quat", random_quats(25, 5).tolist())
def test_a_hanging_tool_weighs_down_in_every_orientation(quat: list[float]) -> None:
    scene = build(wrist(quat=quat))
    sensor = scene.robots["a"].ft_sensors["ft"]
    for _ in range(2):
        np.testing.assert_allclose(sensor.world_wrench[:3], [0, 0, -4.905], atol=1e-12)
        # By hand, from the numbers of the two files: r x m g about the site.
        base = Rotation.from_quat(quat)
        flange = base * Rotation.from_euler("XYZ", [0.3, -0.4, 0.5])
        flange = flange * Rotation.from_euler("XYZ", [-0.2, 0.1, 0.9])
        arm = flange.apply(np.array([0, 0, 0.05]) + TOOL_COM - [0.01, 0.02, 0.03])
        torque = np.cross(arm, TOOL_MASS * GRAVITY)
        np.testing.assert_allclose(sensor.world_wrench[3:], torque, atol=1e-12)
        axes = flange * Rotation.from_euler("XYZ", [1, 2, 3])
        np.testing.assert_allclose(sensor.force, axes.inv().apply([0, 0, -4.905]), atol=1e-12)
        np.testing.assert_allclose(sensor.torque, axes.inv().apply(torque), atol=1e-12)
        np.testing.assert_array_equal(sensor.wrench, [*sensor.force, *sensor.torque])
        scene.step(3)


@pytest.mark.parametrize("arm", ["panda", "ur5e"])
def test_a_tool_on_a_shipped_arm_at_rest(arm: str) -> None:
    """Held by its gravity torque, so that nothing accelerates, in random poses."""
    parts = [
        AttachmentSpec("mjscene:ft_sensor", attach_to=site("attachment_site"), prefix="ft/"),
        AttachmentSpec(TOOL, attach_to=site("ft/attachment_site"), prefix="tool/"),
    ]
    robot = RobotSpec(f"mjscene:{arm}", prefix="r/", attachments=parts, initial_mode="torque")
    scene = build(robot)
    handle = scene.robots["r"]
    sensor = handle.ft_sensors["ft/ft_site"]
    rng = np.random.default_rng(3)
    ranges = np.clip(scene.model.jnt_range[handle.joint_ids], -2.5, 2.5)
    poses, down = 0, []
    while poses < 25:
        scene.reset()
        scene.data.qpos[handle.qpos_adr] = rng.uniform(*ranges.T)
        scene.forward()
        if scene.data.ncon:
            continue
        poses += 1
        handle.command[:] = scene.data.qfrc_bias[handle.dof_adr]
        scene.step()
        assert np.abs(scene.data.qacc).max() < 1e-8
        down.append(scene.data.site("r/ft/ft_site").xmat.reshape(3, 3)[2, 2])
        np.testing.assert_allclose(
            sensor.world_wrench[:3], (TOOL_MASS + FT_TOOL_MASS) * GRAVITY, atol=1e-6
        )
        expected = weight_at(scene, sensor, "r/tool/tool", "r/ft/ft_tool")
        np.testing.assert_allclose(sensor.world_wrench, expected, atol=1e-6)
        # The sensor's own side tared away by hand leaves the tool, in the sensor's axes.
        down_here = scene.data.site(sensor.site).xmat.reshape(3, 3).T @ GRAVITY
        own = FT_TOOL_MASS * np.concatenate([down_here, np.cross(FT_TOOL_COM, down_here)])
        tool = TOOL_MASS * np.concatenate([down_here, np.cross(TOOL_COM, down_here)])
        np.testing.assert_allclose(sensor.wrench - own, tool, atol=1e-6)
    assert min(down) < -0.5
    assert max(down) > 0.5


def test_a_push_on_the_tool_is_read_as_it_is() -> None:
    scene = build(wrist(quat=random_quats(1, 8)[0]))
    sensor = scene.robots["a"].ft_sensors["ft"]
    still = sensor.world_wrench
    push, twist = np.array([3.0, -2.0, 1.5]), np.array([0.1, 0.2, -0.3])
    tool = scene.data.body("a/tool/tool")
    scene.data.xfrc_applied[tool.id] = [*push, *twist]
    scene.step()
    arm = tool.xipos - scene.data.site("a/ft").xpos
    expected = [*push, *(twist + np.cross(arm, push))]
    np.testing.assert_allclose(sensor.world_wrench - still, expected, atol=1e-12)


def test_it_is_of_the_step_just_taken_and_after_forward_of_the_state_now() -> None:
    """Minus what the same model reads when it is stepped in plain MuJoCo, bit for bit."""
    swing = WRIST.format(f="").replace(
        '<geom name="link"', '<joint name="j" axis="0 1 .3"/><geom name="link"'
    )
    robot = RobotSpec(swing, prefix="a/", attachments=wrist().attachments)
    scene = build(robot)
    sensor = scene.robots["a"].ft_sensors["ft"]
    model, data = scene.model, mujoco.MjData(scene.model)
    mujoco.mj_forward(model, data)
    read = [data.sensor("a/f").data, data.sensor("a/t").data]
    np.testing.assert_array_equal(sensor.wrench, -np.concatenate(read))
    moved = []
    for _ in range(200):
        scene.step()
        mujoco.mj_step(model, data)
        np.testing.assert_array_equal(sensor.wrench, -np.concatenate(read))
        moved.append(sensor.wrench)
    assert np.ptp(moved, axis=0).min() > 0.05
    scene.forward()
    mujoco.mj_forward(model, data)
    np.testing.assert_array_equal(sensor.wrench, -np.concatenate(read))
    assert np.abs(sensor.wrench - moved[-1]).max() > 1e-4
    scene.reset()
    np.testing.assert_allclose(sensor.wrench, moved[0], atol=1e-9)  # the first step's state


def test_a_reading_is_a_copy() -> None:
    sensor = build(wrist()).robots["a"].ft_sensors["ft"]
    sensor.bias = [0, 0, 1, 0, 0, 2]
    before = sensor.wrench
    for reading in (sensor.wrench, sensor.force, sensor.torque, sensor.world_wrench, sensor.bias):
        reading[:] = 99
    np.testing.assert_array_equal(sensor.wrench, before)
    np.testing.assert_array_equal(sensor.bias, [0, 0, 1, 0, 0, 2])
    sensor.untare()
    sensor.bias[:] = 99
    assert not sensor.bias.any()


def test_cutoff_limits_each_axis_and_noise_is_not_added() -> None:
    whole = build(wrist()).robots["a"].ft_sensors["ft"].wrench
    assert (np.abs(whole[:3]) > 0.5).sum() >= 2
    limited = build(wrist(options='cutoff="0.5" noise="7"')).robots["a"].ft_sensors["ft"]
    expected = [*np.clip(whole[:3], -0.5, 0.5), *whole[3:]]
    np.testing.assert_array_equal(limited.wrench, expected)
    limited.tare()
    assert not limited.wrench.any()


# Tare


def test_a_tare_zeroes_the_reading_in_this_orientation() -> None:
    scene = build(wrist(quat=random_quats(1, 9)[0]))
    sensor = scene.robots["a"].ft_sensors["ft"]
    whole, world = sensor.wrench, sensor.world_wrench
    sensor.tare()
    scene.step(5)
    np.testing.assert_allclose(sensor.wrench, 0, atol=1e-12)
    np.testing.assert_allclose(sensor.world_wrench, 0, atol=1e-12)
    np.testing.assert_array_equal(sensor.bias, whole)
    # Gravity turned by 180 degrees: the tared load counts twice, in the sensor's own axes.
    scene.model.opt.gravity[:] *= -1
    scene.forward()
    np.testing.assert_allclose(sensor.wrench, -2 * whole, atol=1e-12)
    sensor.tare()  # again: of the load, not of what is left of it
    np.testing.assert_allclose(sensor.bias, -whole, atol=1e-12)
    sensor.untare()
    sensor.untare()
    np.testing.assert_allclose(sensor.world_wrench, -world, atol=1e-12)


def test_every_handle_sees_a_tare_and_it_is_a_setting() -> None:
    scene = build(wrist("a/"), wrist("b/", pos=(1, 0, 0)))
    sensor, other = (scene.robots[n].ft_sensors["ft"] for n in "ab")
    whole = sensor.wrench
    state = scene.get_state()
    sensor.tare()
    np.testing.assert_allclose(other.wrench, whole, atol=1e-12)
    assert not scene.robots["a"].ft_sensors["ft"].wrench.any()
    scene.reset()
    assert not sensor.wrench.any()
    scene.set_state(state)
    assert not sensor.wrench.any()
    kept = sensor.bias
    sensor.untare()
    np.testing.assert_array_equal(sensor.wrench, whole)
    sensor.bias = kept.tolist()
    assert not sensor.wrench.any()
    np.testing.assert_array_equal(other.bias, np.zeros(6))


@pytest.mark.parametrize("bad", [0.0, [1] * 5, [[1] * 6], [math.nan] + [0] * 5, "x", None])
def test_a_bad_bias_changes_nothing(bad: Any) -> None:
    sensor = build(wrist()).robots["a"].ft_sensors["ft"]
    sensor.tare()
    before = sensor.bias
    with pytest.raises(CommandError) as caught:
        sensor.bias = bad
    assert caught.value.where == "ft_sensors['ft'].bias"
    np.testing.assert_array_equal(sensor.bias, before)


def test_a_handle_and_its_tare_survive_changes_of_objects() -> None:
    """An object brings sensors and sites of its own."""
    scene = build(wrist("a/"), wrist("b/", pos=(1, 0, 0), quat=random_quats(1, 2)[0]))
    sensor, other = (scene.robots[n].ft_sensors["ft"] for n in "ab")
    whole, left = sensor.wrench, other.wrench
    sensor.tare()
    before, place = scene.model, scene._places["a"]
    channels = place.ft_channels(scene.model)
    scene.add_object(SceneObject("box", shape="box", size=(0.1,) * 3, pos=(5, 5, 5)))
    scene.add_object(SceneObject("more", path=WRIST.format(f=""), pos=(9, 0, 0), fixed=True))
    assert scene.model is not before
    # Robots come first in a model today, so that no address moves: it is looked for all the same.
    assert place.ft_channels(scene.model) is not channels
    for _ in range(2):
        np.testing.assert_allclose(sensor.wrench, 0, atol=1e-12)
        np.testing.assert_allclose(other.wrench, left, atol=1e-12)
        assert scene.robots["a"].ft_sensors["ft"] == sensor
        scene.step()
    scene.remove_object("box")
    np.testing.assert_allclose(sensor.wrench, 0, atol=1e-12)
    sensor.untare()
    np.testing.assert_allclose(sensor.wrench, whole, atol=1e-12)


def test_a_scene_with_sensors_goes_when_it_is_dropped() -> None:
    gc.collect()
    gc.disable()
    try:
        scene = build(wrist())
        scene.robots["a"].ft_sensors["ft"].tare()
        gone = weakref.ref(scene)
        del scene
        assert gone() is None
    finally:
        gc.enable()
