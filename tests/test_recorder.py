"""Recording a run: what is kept, when, and that the run does not notice."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from command_models import box
from field_models import build
from mode_models import POSITION, VELOCITY
from recorded_runs import boxes, cell, drive, recorded
from running_scene import lively
from stepped import scene_of

from mjscene import MjsceneError, RobotSpec, Scene, SimulationError, UnknownNameError, load_scene
from mjscene.build import build_scene
from mjscene.recorder import Recorder
from mjscene.recordingfile import RecordingError


def by_hand(scene: Scene, steps: int, sensors: list[str], bodies: list[str]) -> dict[str, Any]:
    """What a recording should hold, read with MuJoCo's own named access, step by step."""
    rows: dict[str, list[Any]] = {}

    def put(name: str, value: Any) -> None:
        rows.setdefault(name, []).append(np.array(value, dtype=float))

    def look() -> None:
        data = scene.data
        put("time", data.time)
        put("qpos", data.qpos)
        put("qvel", data.qvel)
        put("ctrl", data.ctrl)
        put("efforts", [data.joint(n).qfrc_actuator[0] for n in scene.joint_names])
        put("commands", scene.command)
        for name in sensors:
            put(f"sensor {name}", data.sensor(name).data)
        for name in bodies:
            w, x, y, z = data.body(name).xquat
            put(f"body {name}", [*data.body(name).xpos, x, y, z, w])
        put("ncon", data.ncon)

    scene.forward()
    look()
    for _ in range(steps):
        scene.step()
        look()
    return {name: np.array(values) for name, values in rows.items()}


def test_a_recording_holds_what_a_loop_reads_step_by_step() -> None:
    spec = load_scene("ft_chain")
    sensors = ["arm/ft/force", "arm/ft/torque"]
    bodies = ["arm/wrist_3", "arm/forearm"]
    scene, same = build_scene(spec), build_scene(spec)
    for one in (scene, same):
        one.command[:] += 0.1
    with scene.record(sensors, bodies) as recorder:
        scene.step(40)
    recording, oracle = recorder.recording, by_hand(same, 40, sensors, bodies)
    for name in ("time", "qpos", "qvel", "ctrl", "efforts", "commands", "ncon"):
        np.testing.assert_array_equal(getattr(recording, name), oracle[name], err_msg=name)
    for name in sensors:
        np.testing.assert_array_equal(recording.sensors[name], oracle[f"sensor {name}"])
    for name in bodies:
        np.testing.assert_array_equal(recording.bodies[name], oracle[f"body {name}"])
    assert np.ptp(recording.qpos, axis=0).max() > 1e-3
    assert recording.efforts.any()
    assert len(recording) == 41


@pytest.mark.parametrize("model", ["lively", "boxes", "cell"])
def test_a_run_does_not_notice_that_it_is_recorded(model: str) -> None:
    make = {"lively": lively, "boxes": boxes, "cell": cell}[model]
    scene, silent = make(), make()
    with scene.record():
        scene.step(120)
    scene.step(20)
    silent.step(140)
    assert scene.get_state().physics.tobytes() == silent.get_state().physics.tobytes()


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast", "discrete"])
def test_no_integrator_notices_that_it_is_recorded(integrator: str) -> None:
    scene, silent = scene_of("lively", integrator), scene_of("lively", integrator)
    with scene.record():
        scene.step(50)
    silent.step(50)
    assert scene.get_state().physics.tobytes() == silent.get_state().physics.tobytes()


def test_every_kth_step_is_what_every_step_has_there() -> None:
    whole, part = recorded(), recorded(every=7)
    for name, array in part.arrays.items():
        if name != "contacts":
            np.testing.assert_array_equal(array, whole.arrays[name][::7], err_msg=name)
    assert [part.contacts(i) for i in range(len(part))] == [
        whole.contacts(7 * i) for i in range(len(part))
    ]
    assert part.every == 7
    assert part.mode_changes == whole.mode_changes


def test_changes_of_modes_are_noted_with_their_step_between_rows_too() -> None:
    scene = cell()
    arm = scene.robots["arm"]
    with scene.record(every=1000) as recorder:
        scene.step(3)
        arm.set_control_mode(VELOCITY, joints=["j2"])
        scene.step(2)
        arm.set_control_mode(POSITION)
        scene.step()
    assert recorder.recording.mode_changes == (
        (4, pytest.approx(0.008), "arm/j2", POSITION, VELOCITY),
        (6, pytest.approx(0.012), "arm/j2", VELOCITY, POSITION),
    )
    assert len(recorder.recording) == 1


def test_modes_are_those_of_the_rows() -> None:
    recording = recorded()
    half = len(recording) // 2 + 1
    assert recording.joint_names == ("arm/j1", "arm/j2")
    np.testing.assert_array_equal(recording.modes[:, 0], POSITION)
    np.testing.assert_array_equal(recording.modes[:half, 1], POSITION)
    np.testing.assert_array_equal(recording.modes[half:, 1], VELOCITY)


def test_contacts_are_pairs_of_geoms_by_name() -> None:
    scene, same = boxes(), boxes()
    with scene.record() as recorder:
        scene.step(400)
    recording = recorder.recording
    for row in range(len(recording)):
        if row:
            same.step()
        pairs = [sorted(same.model.geom(g).name for g in (c.geom1, c.geom2))
                 for c in same.data.contact]  # fmt: skip
        counts = {(a, b): pairs.count([a, b]) for a, b in pairs}
        assert recording.contacts(row) == counts, row
        assert recording.ncon[row] == same.data.ncon
    touched = {pair for i in range(len(recording)) for pair in recording.contacts(i)}
    assert touched == {("floor", "low"), ("high", "low")}, "the boxes fell on one another"
    assert len(set(recording.ncon.tolist())) > 2, "contacts came and went"


@pytest.mark.parametrize("every", [1, 4])
def test_a_step_after_the_time_went_back_is_refused_and_what_was_recorded_stays(every: int) -> None:
    scene = cell()
    early = scene.get_state()
    for back in (scene.reset, lambda: scene.set_state(early)):
        with scene.record(every=every) as recorder:
            scene.step(5)
            back()
            # Once it is later than the last step it could not be told any more.
            with pytest.raises(RecordingError, match=r"went back from 0\.01 s.*stop it before"):
                scene.step(10)
        assert (
            recorder.recording.time.round(6).tolist()
            == [0, 0.002, 0.004, 0.006, 0.008, 0.01][::every]
        )
        scene.reset()


def test_a_later_state_put_back_is_recorded_as_a_jump() -> None:
    scene = cell()
    scene.step(20)
    late = scene.get_state()
    scene.reset()
    with scene.record() as recorder:
        scene.step(2)
        scene.set_state(late)
        scene.step(2)
    assert recorder.recording.time.round(6).tolist() == [0, 0.002, 0.004, 0.042, 0.044]


def test_a_step_after_objects_changed_is_refused_and_what_was_recorded_stays() -> None:
    scene = cell()
    with scene.record() as recorder:
        scene.step(5)
        scene.add_object(box("new", pos=(5, 0, 1)))
        with pytest.raises(RecordingError, match=r"added or removed.*stop it before"):
            scene.step()
    assert len(recorder.recording) == 6
    scene.step(2)
    with scene.record(bodies=["new"]) as again:
        scene.step(3)
    assert again.recording.bodies["new"].shape == (4, 7)


def test_what_was_before_a_blow_up_is_recorded() -> None:
    scene = cell()
    recorder = scene.record()

    def blow_up() -> None:
        with recorder:
            scene.step(5)
            scene.data.qvel[0] = np.nan
            scene.step()

    with pytest.raises(SimulationError):
        blow_up()
    assert len(recorder.recording) == 6
    assert np.isfinite(recorder.recording.qvel).all()
    scene.reset()
    scene.step(3)
    assert len(recorder.recording) == 6, "it has ended"


def test_start_and_stop_by_hand() -> None:
    scene = cell()
    recorder = Recorder(scene, bodies=["cube"])
    with pytest.raises(RecordingError, match="nothing is recorded yet"):
        _ = recorder.recording
    recorder.start()
    with pytest.raises(RecordingError, match="begun already"):
        recorder.start()
    scene.step(3)
    assert len(recorder.recording) == 4
    first = recorder.stop()
    scene.step(3)
    assert len(recorder.stop()) == 4
    recorder.start()
    scene.step()
    assert len(recorder.stop()) == 2
    assert len(first) == 4, "a recording that was given does not change"


def test_two_recorders_at_once_and_an_empty_scene() -> None:
    scene = cell()
    with scene.record() as outer:
        scene.step(2)
        with scene.record(every=2) as inner:
            scene.step(4)
    assert (len(outer.recording), len(inner.recording)) == (7, 3)
    empty = build()
    with empty.record() as recorder:
        empty.step(2)
    assert recorder.recording.qpos.shape == (3, 0)


@pytest.mark.parametrize(
    ("fields", "error", "text"),
    [
        ({"bodies": ["cub"]}, UnknownNameError, r"record.bodies\[0\].*did you mean 'cube'"),
        ({"sensors": ["x"]}, UnknownNameError, r"there is no sensor 'x'"),
        ({"bodies": "cube"}, RecordingError, "expected a list of names"),
        ({"every": 0}, RecordingError, "whole number"),
        ({"every": 1.5}, RecordingError, "whole number"),
        ({"every": True}, RecordingError, "whole number"),
    ],
)
def test_bad_requests_are_refused(fields: Any, error: type[MjsceneError], text: str) -> None:
    scene = cell()
    with pytest.raises(error, match=text):
        scene.record(**fields)
    assert scene.observers == []


def test_the_header_says_what_ran() -> None:
    scene = cell()
    with scene.record() as recorder:
        scene.step()
    header = recorder.recording.header
    assert header["scene"] == "cell"
    assert header["versions"]["mujoco"] == mujoco.mj_versionString()
    assert header["options"]["timestep"] == 0.002
    assert header["options"]["gravity"] == [0, 0, -9.81]
    assert [j["type"] for j in header["joints"]] == ["hinge", "hinge", "free"]
    np.testing.assert_array_equal(recorder.recording.model["body_mass"], scene.model.body_mass)


def test_unnamed_elements_have_names_too() -> None:
    nameless = """<mujoco><worldbody><geom type="plane" size="1 1 .1"/><body name="b" pos="0 0 .05">
     <freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
    scene = build(RobotSpec(nameless, prefix="r/"))
    with scene.record() as recorder:
        scene.step()
    (pair,) = recorder.recording.contacts(0)
    assert pair == ("#0 of r/b", "#0 of world")


def test_drive_moves_what_the_other_tests_compare() -> None:
    scene = cell()
    drive(scene)
    assert abs(scene.data.joint("arm/j1").qpos[0]) > 0.01


def test_a_wrong_argument_is_the_scenes() -> None:
    with pytest.raises(TypeError, match=r"^Scene\.record\(\) got an unexpected"):
        cell().record(body="cube")  # type: ignore[call-arg]
