"""The running scene: it steps as MuJoCo does, starts again bit for bit, and is looked at freely."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from field_models import ARM, FLOAT, alone, build
from numpy.typing import NDArray

import mjscene
from mjscene import (
    ComposeError,
    MjsceneError,
    PhysicsOptions,
    RobotSpec,
    SceneObject,
    SceneSpec,
    SpecError,
)

WHOLE = mujoco.mjtState.mjSTATE_INTEGRATION

# A legged thing on a floor: contacts, a filter, an equality, a delayed actuator and sensor.
LEGGED = """<mujoco model="legged"><option integrator="{integrator}" timestep="0.004"/><worldbody>
 <geom type="plane" size="5 5 .1"/><body name="torso" pos="0 0 .35"><freejoint name="root"/>
 <geom type="box" size=".2 .1 .05" mass="3"/>
 <body name="l" pos=".2 0 0"><joint name="jl" axis="0 1 0" stiffness="3"/>
 <geom type="capsule" fromto="0 0 0 .05 0 -.3" size=".03"/></body>
 <body name="r" pos="-.2 0 0"><joint name="jr" axis="0 1 0" damping=".1"/>
 <geom type="capsule" fromto="0 0 0 -.05 0 -.3" size=".03"/></body></body></worldbody>
 <equality><joint name="e" joint1="jl" joint2="jr" polycoef="0 -1 0 0 0"/></equality>
 <actuator><position name="pl" joint="jl" kp="30" kv="1" timeconst=".02"/>
 <motor name="mr" joint="jr" delay=".02" nsample="8"/></actuator>
 <sensor><jointpos name="s" joint="jl" delay=".012" nsample="5"/></sensor>
 <keyframe><key name="home" qpos="0 0 .4 1 0 0 0 .1 -.1" ctrl=".1 .2"/></keyframe></mujoco>"""
INTEGRATORS = ("Euler", "implicitfast", "RK4", "discrete")


def state(model: Any, data: Any) -> NDArray[np.float64]:
    """All that the next step depends on."""
    result = np.zeros(mujoco.mj_stateSize(model, WHOLE))
    mujoco.mj_getState(model, data, result, WHOLE)
    return result


def legged(integrator: str = "implicitfast") -> Any:
    """The legged thing in a scene, with its own actuators only."""
    return build(RobotSpec(LEGGED.format(integrator=integrator), prefix="a/", modes=()))


# Step


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_scene_of_one_robot_steps_bit_for_bit_like_its_file(integrator: str) -> None:
    scene = legged(integrator)
    file = alone(LEGGED.format(integrator=integrator))
    data = mujoco.MjData(file)
    mujoco.mj_resetDataKeyframe(file, data, 0)
    scene.reset("a/home")
    assert scene.data.ctrl.tolist() == data.ctrl.tolist()
    for _ in range(4):
        mujoco.mj_step(file, data, 50)
        scene.step(50)
        for field in ("qpos", "qvel", "act", "qacc_warmstart"):
            np.testing.assert_array_equal(
                getattr(scene.data, field), getattr(data, field), err_msg=field
            )
    mujoco.mj_forward(file, data)
    scene.forward()
    np.testing.assert_array_equal(scene.data.sensordata, data.sensordata)
    assert data.ncon > 0
    assert scene.time == data.time == pytest.approx(0.8)


def test_n_steps_are_n_times_one_step() -> None:
    one, many = legged(), legged()
    for _ in range(30):
        one.step()
    many.step(30)
    np.testing.assert_array_equal(state(one.model, one.data), state(many.model, many.data))


@pytest.mark.parametrize("count", [0, -1, 1.5, "3", None, True])
def test_a_count_of_steps_that_is_none_is_refused_and_nothing_moves(count: Any) -> None:
    scene = legged()
    before = state(scene.model, scene.data)
    with pytest.raises(SpecError, match=r"step\.n.*whole number"):
        scene.step(count)
    np.testing.assert_array_equal(state(scene.model, scene.data), before)


def test_a_blow_up_is_no_silent_reset() -> None:
    scene = build(RobotSpec(ARM, prefix="a/"), RobotSpec(ARM, prefix="b/", pos=(0, 1, 0)))
    scene.step(7)
    scene.data.joint("b/j").qvel[:] = 1e15
    with pytest.raises(MjsceneError, match="'b/j'") as caught:
        scene.step(5)
    assert "QVEL" in str(caught.value)
    assert "\n" not in str(caught.value)
    scene.reset()
    scene.step(5)
    assert scene.time == pytest.approx(5 * 0.002)


# Reset


@pytest.mark.parametrize("key", [None, "home", "a/home"])
def test_a_reset_undoes_everything_but_changes_of_the_model(key: str | None) -> None:
    scene = legged()
    scene.reset(key)
    start = state(scene.model, scene.data)
    scene.step(20)
    after = state(scene.model, scene.data)
    scene.data.xfrc_applied[:] = 1
    scene.data.qfrc_applied[:] = 2
    scene.data.eq_active[:] = 0
    scene.step(20)
    scene.model.dof_damping[-1] = 0.5
    scene.reset(key)
    np.testing.assert_array_equal(state(scene.model, scene.data), start)
    assert scene.model.dof_damping[-1] == 0.5
    scene.model.dof_damping[-1] = 0.1
    scene.step(20)
    np.testing.assert_array_equal(state(scene.model, scene.data), after)
    assert (after != start).any()


def test_after_a_reset_everything_that_follows_from_the_state_is_computed() -> None:
    scene = build(RobotSpec(FLOAT, prefix="f/", pos=(1, 2, 0)))
    scene.data.qpos[:3] = 9
    scene.step(3)
    scene.reset()
    np.testing.assert_array_equal(scene.data.body("f/base").xpos, (1, 2, 1))
    assert scene.data.qacc[2] == pytest.approx(-9.81)
    assert scene.data.time == 0


# Forward


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_forward_leaves_no_trace_in_a_trajectory(integrator: str) -> None:
    quiet, looked_at = legged(integrator), legged(integrator)
    for scene in (quiet, looked_at):
        scene.reset("home")
    for _ in range(100):
        quiet.step()
        looked_at.step()
        before = state(looked_at.model, looked_at.data)
        looked_at.forward()
        looked_at.forward()
        np.testing.assert_array_equal(state(looked_at.model, looked_at.data), before)
    np.testing.assert_array_equal(
        state(quiet.model, quiet.data), state(looked_at.model, looked_at.data)
    )
    assert quiet.data.ncon > 0


def test_forward_brings_positions_up_to_date() -> None:
    scene = build(RobotSpec(ARM, prefix="a/"))
    scene.data.joint("a/j").qpos[:] = np.pi / 2
    scene.forward()
    np.testing.assert_allclose(scene.data.site("a/tip").xpos, (0, 0, -0.5), atol=1e-15)


# The scene as an object


def test_model_and_data_are_mujocos_own_and_stay_those() -> None:
    scene = legged()
    model, data = scene.model, scene.data
    assert isinstance(model, mujoco.MjModel)
    assert isinstance(data, mujoco.MjData)
    scene.step(3)
    scene.reset("home")
    scene.forward()
    assert scene.model is model
    assert scene.data is data


def test_handles_are_found_by_name_in_the_order_of_the_spec() -> None:
    scene = build(RobotSpec(ARM, prefix="right/"), RobotSpec(ARM, prefix="left/", pos=(0, 1, 0)))
    assert list(scene.robots) == ["right", "left"]
    assert len(scene.robots) == 2
    assert "left" in scene.robots
    with pytest.raises(KeyError, match=r"no robot 'lef'.*'left'"):
        scene.robots["lef"]


def test_a_scene_says_what_it_is() -> None:
    cube = SceneObject("cube", shape="box", size=[0.1] * 3, pos=(2, 0, 0))
    scene = build(RobotSpec(ARM, prefix="a/"), objects=[cube], name="lab")
    text = repr(scene)
    assert all(word in text for word in ("'lab'", "a", "cube"))
    assert str(build().robots) == "robots: none"


@pytest.mark.parametrize("given", [None, ARM, [RobotSpec(ARM)], RobotSpec(ARM)])
def test_what_is_no_scene_spec_is_refused_with_what_to_write(given: Any) -> None:
    with pytest.raises(SpecError, match=r"expected a SceneSpec.*SceneSpec\(robots="):
        mjscene.build_scene(given)


def test_two_scenes_of_one_spec_are_apart() -> None:
    spec = SceneSpec([RobotSpec(ARM, prefix="a/")], options=PhysicsOptions(timestep=0.001))
    one, other = mjscene.build_scene(spec), mjscene.build_scene(spec)
    one.model.opt.timestep = 0.01
    one.data.qpos[:] = 1
    one.step(3)
    assert (other.model.opt.timestep, other.time, other.data.qpos[0]) == (0.001, 0, 0)
    with pytest.raises(ComposeError):
        other.reset("nowhere")


def test_an_mjspec_of_the_caller_is_never_changed() -> None:
    spec = mujoco.MjSpec.from_string(LEGGED.format(integrator="RK4"))
    before = spec.to_xml()
    scene = build(RobotSpec(spec, prefix="a/"), RobotSpec(spec, prefix="b/", pos=(0, 2, 0)))
    scene.step(2)
    scene.add_object(SceneObject("cube", shape="box", size=[0.1] * 3, pos=(5, 5, 1)))
    assert spec.to_xml() == before
    assert scene.model.nkey == 3


@pytest.mark.parametrize("keyframe", [3, "hom", b"home"])
def test_a_keyframe_that_is_none_is_refused(keyframe: Any) -> None:
    scene = mjscene.build_scene(SceneSpec([RobotSpec("mjscene:panda", prefix="a/")]))
    scene.step(3)
    before = scene.data.qpos.copy()
    with pytest.raises(ComposeError, match="there is no keyframe"):
        scene.reset(keyframe)
    assert (scene.data.qpos == before).all()
