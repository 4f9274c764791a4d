"""The step beside ``mj_step`` and ``mj_forward``, bit for bit, whatever a program writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest
from field_models import build
from meanwhile import reset_and_back
from mode_models import TWO, rod
from stepped import AFTER, INTEGRATORS, SCENES, Beside, forwarded, scene_of, unlike

from mjscene import CommandError, PhysicsOptions, RobotSpec, Scene, SceneObject, SpecError

each_scene = pytest.mark.parametrize("name", SCENES)
each_integrator = pytest.mark.parametrize("integrator", INTEGRATORS)


def shake(scene: Scene, rng: np.random.Generator) -> None:
    """Random commands about those of now, and controls of what is unmanaged."""
    scene.command[:] += rng.normal(size=len(scene.command)) * 0.1
    for name in scene.unmanaged:
        scene.actuators[name].ctrl = float(rng.normal() * 0.3)


def sensors(scene: Scene, data: Any, stages: tuple[Any, ...]) -> Any:
    """Readings of the sensors of some stages."""
    model = scene.model
    parts = [np.zeros(0)]
    for i in np.flatnonzero(np.isin(model.sensor_needstage, [int(s) for s in stages])):
        at = int(model.sensor_adr[i])
        parts.append(data.sensordata[at : at + int(model.sensor_dim[i])])
    return np.concatenate(parts)


STATE_STAGES = (mujoco.mjtStage.mjSTAGE_POS, mujoco.mjtStage.mjSTAGE_VEL)
STEP_STAGES = (mujoco.mjtStage.mjSTAGE_ACC,)


@each_integrator
@each_scene
def test_after_a_step_all_that_follows_from_the_state_does_and_the_rest_is_of_the_step(
    name: str, integrator: str
) -> None:
    scene, rng = scene_of(name, integrator), np.random.default_rng(5)
    scene.data.qvel[:] = rng.normal(size=scene.model.nv) * 0.1
    beside = Beside(scene)
    for _ in range(12):
        shake(scene, rng)
        scene.step()
        beside.step()
        assert beside.differs() == []
        fresh = forwarded(scene)
        assert unlike(scene.data, fresh, AFTER) == []
        assert scene.data.ncon == fresh.ncon
        np.testing.assert_array_equal(scene.data.contact.dist, fresh.contact.dist)
        np.testing.assert_array_equal(
            sensors(scene, scene.data, STATE_STAGES), sensors(scene, fresh, STATE_STAGES)
        )
        np.testing.assert_array_equal(
            sensors(scene, scene.data, STEP_STAGES), sensors(scene, beside.data, STEP_STAGES)
        )


def test_the_scenes_have_what_the_claim_is_about() -> None:
    scenes = [scene_of(name, "Euler") for name in SCENES]
    assert sum(len(sensors(s, s.data, STATE_STAGES)) for s in scenes) > 20
    assert sum(len(sensors(s, s.data, STEP_STAGES)) for s in scenes) > 10
    assert all(s.model.nu for s in scenes)
    for field in ("neq", "nmocap", "ntendon", "na", "nhistory", "nuserdata"):
        assert any(getattr(s.model, field) for s in scenes), field


# What a program writes between steps


def _write(field: str, index: Any, value: Any, *, add: bool = False) -> Callable[[Any], None]:
    def write(data: Any) -> None:
        array = getattr(data, field)
        array[index] = array[index] + value if add else value

    return write


WRITES: dict[str, Callable[[Any], None]] = {
    "qpos": _write("qpos", 0, 0.2, add=True),
    "the last of qpos": _write("qpos", -1, 0.05, add=True),
    "qvel": _write("qvel", 1, -0.7),
    "the last of qvel": _write("qvel", -1, 0.4),
    "the smallest change": _write("qpos", 0, 1e-15, add=True),
    "a mocap position": _write("mocap_pos", (0, 2), 0.5, add=True),
    "a mocap quaternion": _write("mocap_quat", 0, (0.6, 0.8, 0, 0)),
    "an equality": _write("eq_active", 0, 1),
    "a joint force": _write("qfrc_applied", 0, 0.3),
    "a body force": _write("xfrc_applied", (3, 0), 2.0),
    "an activation": _write("act", 0, 0.2),
    "the time": _write("time", (), 0.0),
    "user data": _write("userdata", 0, 3.0),
}


@each_integrator
@pytest.mark.parametrize("what", WRITES)
def test_a_direct_write_acts_as_it_would_with_mj_step(what: str, integrator: str) -> None:
    scene = scene_of("lively", integrator)
    scene.data.ctrl[:] = 0.2
    scene.step(10)
    beside, untouched = Beside(scene), Beside(scene)
    for data in (scene.data, beside.data):
        if what == "the time":
            data.time = 0.5
        else:
            WRITES[what](data)
    for k in range(8):
        scene.step()
        beside.data.qfrc_applied[:] = scene.data.qfrc_applied
        beside.step()
        assert beside.differs() == [], k
    untouched.data.xfrc_applied[:] = 0
    for _ in range(8):
        mujoco.mj_step(scene.model, untouched.data)
    fields = ("qpos", "time", "userdata")
    assert unlike(scene.data, untouched.data, fields), "the write makes a difference"


def test_a_write_in_every_step_acts_as_it_would_with_mj_step() -> None:
    scene = scene_of("lively", "implicitfast")
    beside, rng = Beside(scene), np.random.default_rng(3)
    for _ in range(30):
        for name, size in (("qpos", 2), ("qvel", scene.model.nv), ("mocap_pos", 1)):
            change = rng.normal(size=getattr(scene.data, name)[:size].shape) * 1e-3
            for data in (scene.data, beside.data):
                getattr(data, name)[:size] += change
        scene.step()
        beside.step()
        assert beside.differs() == []


def test_the_time_may_be_set_back_and_the_data_reset_by_hand() -> None:
    scene = scene_of("lively", "implicitfast")
    scene.step(40)
    scene.data.time = 0.0
    scene.step(40)
    assert scene.time == pytest.approx(40 * 0.002, rel=1e-12)
    mujoco.mj_resetData(scene.model, scene.data)
    beside = Beside(scene)
    for _ in range(40):
        scene.step()
        beside.step()
    assert beside.differs() == []


def test_a_body_that_sleeps_is_woken_by_a_force_as_it_would_be_with_mj_step() -> None:
    text = """<mujoco><option timestep=".002"><flag sleep="enable"/></option><worldbody>
     <geom type="plane" size="3 3 .1"/><body name="b" pos="0 0 .1"><freejoint/>
     <geom type="box" size=".1 .1 .1" mass="1"/></body></worldbody></mujoco>"""
    scene = build(RobotSpec(text))
    beside = Beside(scene)
    for _ in range(800):
        scene.step()
        beside.step()
    assert beside.data.tree_asleep[0] >= 0, "it sleeps"
    assert beside.differs() == []
    scene.data.xfrc_applied[1, 0] = 20
    scene.step()
    beside.step()
    assert beside.data.qvel[0] > 0
    assert beside.differs() == []


def test_what_is_changed_in_the_model_acts_at_once_after_forward() -> None:
    cube = SceneObject("cube", shape="box", size=(0.1,) * 3, pos=(0, 0, 1))
    scene = build(objects=[cube], options=PhysicsOptions(timestep=0.002))
    scene.step()
    speed = scene.data.qvel[2]
    scene.model.opt.gravity[2] = 0
    scene.forward()
    scene.step()
    assert scene.data.qvel[2] == speed


@each_integrator
@pytest.mark.parametrize("name", ["arm_gripper", "lively", "humanoid"])
@pytest.mark.parametrize("weightless", [False, True])
@pytest.mark.parametrize("steps", [0, 1])
def test_data_that_is_reset_to_the_state_it_is_in_goes_on(
    name: str, integrator: str, weightless: bool, steps: int
) -> None:
    scene = scene_of(name, integrator)
    model, data = scene.model, scene.data
    if weightless:  # nothing moves: nothing but the reset makes a difference
        model.opt.gravity[:] = 0
        scene.forward()
    for _ in range(2):
        scene.step(steps) if steps else scene.forward()
        reset_and_back(model, data)
        beside = Beside(scene)
        scene.step()
        beside.step()
        assert beside.differs() == []


# Controls


def test_a_control_written_by_hand_persists_until_a_command_changes() -> None:
    scene = build(RobotSpec(TWO, prefix="a/"))
    beside = Beside(scene)
    scene.step()
    beside.step()
    control = scene.data.actuator("a/p1").ctrl
    control[0] = 0.8
    for _ in range(5):
        scene.step()
        assert control[0] == 0.8
        beside.step()
    assert beside.differs() == []
    scene.robots["a"].command[0] = 0.3
    scene.step()
    assert control[0] == 0.3


def test_commands_are_written_before_the_step_that_they_are_for() -> None:
    scene = scene_of("arm_gripper", "implicitfast")
    beside = Beside(scene)
    scene.command[0] += 0.3
    adr = int(scene.control.table.ctrl_adr[0, scene.control.table.mode[0]])
    beside.data.ctrl[adr] = scene.command[0]
    mujoco.mj_step(scene.model, beside.data)
    scene.step()
    assert beside.differs() == []


# step(n)


@each_integrator
def test_n_steps_at_once_are_n_steps(integrator: str) -> None:
    one, other = scene_of("lively", integrator), scene_of("lively", integrator)
    for scene in (one, other):
        scene.data.qvel[:] = 0.1
        scene.command[:] = 0.3
    one.step(25)
    for _ in range(25):
        other.step()
    assert unlike(one.data, other.data, ("time", "qpos", "qvel", "act", "sensordata")) == []
    assert one.steps == other.steps == 25
    one.step(np.int64(3))
    assert one.steps == 28


@pytest.mark.parametrize("n", [0, -1, 1.0, 1.5, "1", None, True, np.float64(2)])
def test_a_count_of_steps_that_is_none_is_refused_and_nothing_happens(n: Any) -> None:
    scene = scene_of("lively", "Euler")
    before = scene.data.qpos.copy()
    with pytest.raises(SpecError) as caught:
        scene.step(n)
    assert caught.value.where == "step.n"
    assert scene.steps == 0
    np.testing.assert_array_equal(scene.data.qpos, before)


def test_a_command_that_is_not_finite_stops_a_step_before_it_begins() -> None:
    scene = build(RobotSpec(TWO, prefix="a/"))
    scene.step(5)
    beside = Beside(scene)
    command = scene.command.copy()
    for bad in (np.nan, np.inf, -np.inf):
        scene.command[1] = bad
        for _ in range(2):
            with pytest.raises(CommandError, match="a/j2") as caught:
                scene.step()
            assert caught.value.element == "a/j2"
        assert beside.differs() == []
        assert scene.steps == 5
    scene.command[:] = command
    scene.step()
    beside.step()
    assert beside.differs() == []


def test_a_command_too_large_to_square_is_a_number_all_the_same() -> None:
    servo = '<position name="p" joint="j" kp="20" kv="2" ctrlrange="-1 1"/>'
    scene, bound = (build(RobotSpec(rod(servo), prefix="r/")) for _ in range(2))
    scene.command[0], bound.command[0] = 1e200, 1.0
    scene.step(20)
    bound.step(20)
    np.testing.assert_array_equal(scene.data.qpos, bound.data.qpos)
