"""Blow-ups: raised with time, joint and dof, every time; nothing is reset or logged silently."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from command_models import BACKWARDS
from field_models import alone, build
from mode_models import TWO, slider

from mjscene import CommandError, ObjectCmd, RobotSpec, Scene, SimulationError
from mjscene.messages import Captured

STEP = 0.002
# timestep * kv / mass = 10: a velocity servo is unstable beyond 2 under Euler (DESIGN, section 8).
WILD = slider('<velocity name="v" joint="s" kv="5000"/>').replace("implicitfast", "Euler")


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def two(**fields: Any) -> Scene:
    scene = build(RobotSpec(TWO, prefix="a/", **fields))
    scene.data.qvel[:] = (0.3, -0.2)
    return scene


def raised(scene: Scene, steps: int = 1) -> SimulationError:
    with pytest.raises(SimulationError) as caught:
        scene.step(steps)
    return caught.value


def blow_up_by_hand(text: str, speed: float) -> tuple[float, int]:
    """When MuJoCo warns, at the beginning of which step, and of which dof."""
    model = alone(text)
    data = mujoco.MjData(model)
    data.qvel[:] = speed
    with Captured():
        while not data.warning.number.any():
            began = data.time
            mujoco.mj_step(model, data)
    kinds = np.flatnonzero(data.warning.number)
    return began, int(data.warning.lastinfo[kinds[0]])


def test_a_simulation_that_blows_up_says_when_and_which_joint() -> None:
    began, dof = blow_up_by_hand(WILD, 0.1)
    scene = build(RobotSpec(WILD, prefix="r/"))
    scene.data.qvel[:] = 0.1
    error = raised(scene, 10_000)
    assert began > 5 * STEP
    # MuJoCo's message has four decimals of the time.
    assert error.time == pytest.approx(began, abs=1e-4)
    assert (error.joint, error.dof, error.element) == ("r/s", dof, "r/s")
    assert "r/s" in str(error)
    assert "unstable" in str(error)


STATES = {
    "a position": ("qpos", np.nan),
    "an infinite position": ("qpos", np.inf),
    "a huge position": ("qpos", 1e11),
    "a velocity": ("qvel", np.nan),
    "a huge velocity": ("qvel", -1e11),
    "a force": ("qfrc_applied", np.nan),
}


@pytest.mark.parametrize("joint", [0, 1])
@pytest.mark.parametrize("what", STATES)
@pytest.mark.parametrize("before", [0, 1, 30])
def test_a_state_that_is_no_number_is_raised_with_its_joint(
    what: str, joint: int, before: int
) -> None:
    scene = two()
    if before:
        scene.step(before)
    field, value = STATES[what]
    getattr(scene.data, field)[joint] = value
    error = raised(scene)
    assert error.time == pytest.approx(before * STEP, abs=1e-4)
    if field != "qfrc_applied":  # a force accelerates both joints
        assert (error.joint, error.dof) == (f"a/j{joint + 1}", joint)
    assert error.joint is not None
    assert error.was_reset, "MuJoCo has reset the state, and the error says so"


@pytest.mark.parametrize("field", ["qpos", "qvel"])
def test_the_joint_is_named_after_joints_with_more_positions_than_dofs(field: str) -> None:
    """MuJoCo says where in qpos a position is, which is no dof after a free joint or a ball."""
    text = (
        '<mujoco><worldbody><body name="b"><freejoint name="root"/><geom size=".1"/>'
        '<body name="l"><joint name="ball" type="ball"/><geom size=".1" pos=".3 0 0"/>'
        '<body name="k"><joint name="h"/><geom size=".1" pos=".3 0 0"/></body></body></body>'
        "</worldbody></mujoco>"
    )
    dofs = {"a/root": 0, "a/ball": 6, "a/h": 9}
    places = {"a/root": range(7), "a/ball": range(7, 11), "a/h": range(11, 12)}
    if field == "qvel":
        places = {"a/root": range(6), "a/ball": range(6, 9), "a/h": range(9, 10)}
    for joint, addresses in places.items():
        counts = {"a/root": 6, "a/ball": 3, "a/h": 1}
        for k, address in enumerate(addresses):
            scene = build(RobotSpec(text, prefix="a/"))
            getattr(scene.data, field)[address] = np.nan
            error = raised(scene)
            wanted = dofs[joint] + min(k, counts[joint] - 1)
            assert (error.joint, error.dof) == (joint, wanted), (field, address)


def test_without_autoreset_the_state_is_left_and_the_error_says_so() -> None:
    scene = two()
    scene.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    scene.step(30)
    scene.data.qpos[1] = np.nan
    error = raised(scene)
    assert not error.was_reset
    assert scene.time > 30 * STEP


def test_every_blow_up_is_raised_not_the_first_alone() -> None:
    scene = two()
    for _ in range(3):
        scene.step(5)
        scene.data.qvel[0] = np.nan
        assert raised(scene).joint == "a/j1"


def test_after_a_blow_up_a_reset_makes_the_scene_as_new() -> None:
    fresh, scene = two(), two()
    scene.apply({"a": ObjectCmd(joint_cmds=[0.2, 0.3], position_controller_mask=[1, 0])})
    scene.step(7)
    scene.data.qvel[0] = np.nan
    raised(scene)
    scene.reset()
    scene.data.qvel[:] = (0.3, -0.2)
    scene.step(40)
    fresh.step(40)
    np.testing.assert_array_equal(scene.data.qpos, fresh.data.qpos)
    assert scene.steps == 40


def test_a_control_that_is_no_number_is_raised_though_mujoco_zeroes_them_all() -> None:
    scene = two()
    scene.step(3)
    scene.data.ctrl[0] = np.nan
    for _ in range(2):
        error = raised(scene)
        assert "CTRL" in str(error)
        assert error.time == pytest.approx((scene.steps - 1) * STEP, abs=1e-4)


def test_what_mujoco_warned_of_before_is_raised_by_a_step_all_the_same() -> None:
    scene = two()
    scene.data.ctrl[0] = np.nan
    with pytest.warns(UserWarning, match="CTRL"):
        scene.forward()
    assert "CTRL" in str(raised(scene))


def test_a_blow_up_is_raised_when_another_program_has_the_warning_hook() -> None:
    scene = two()
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda message: None)
    try:
        scene.step(5)
        scene.data.qvel[0] = np.nan
        raised(scene, 20)
    finally:
        mujoco.set_mju_user_warning(before)


def test_a_full_buffer_is_raised() -> None:
    boxes = "".join(
        f'<body name="b{i}" pos="0 0 {0.1 + 0.19 * i}"><freejoint/><geom type="box" '
        'size=".1 .1 .1" mass="1"/></body>'
        for i in range(12)
    )
    text = f"""<mujoco><size memory="60K"/><worldbody><geom type="plane" size="1 1 1"/>{boxes}
     </worldbody></mujoco>"""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scene = build(RobotSpec(text))
    error = raised(scene, 200)
    assert "memory" in str(error)
    assert (error.joint, error.dof, error.was_reset) == (None, None, False)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_command_that_is_no_number_is_refused_before_the_step(bad: float) -> None:
    scene, twin = two(), two()
    for one in (scene, twin):
        one.step(4)
    scene.robots["a"].command[1] = bad
    with pytest.raises(CommandError, match=r"a/j2.* (nan|inf)"):
        scene.step(3)
    assert scene.time == twin.time
    scene.robots["a"].command[1] = twin.robots["a"].command[1]
    scene.step(10)
    twin.step(10)
    np.testing.assert_array_equal(scene.data.qpos, twin.data.qpos)


def test_nothing_is_logged_or_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    scene = two()
    for field in ("qpos", "qvel", "ctrl"):
        getattr(scene.data, field)[0] = np.nan
        raised(scene)
        scene.reset()
    scene.data.ctrl[0] = np.nan
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        scene.forward()
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


def test_one_scenes_blow_up_is_not_anothers() -> None:
    scene, other = two(), two()
    other.step(3)
    scene.step(3)
    other.data.qvel[0] = np.nan
    raised(other)
    scene.step(20)
    assert scene.steps == 23


def test_the_error_is_one_sentence_with_what_to_do() -> None:
    scene = two()
    scene.data.qvel[1] = np.nan
    error = raised(scene)
    assert str(error).isprintable()
    assert len(str(error)) < 400
    assert error.hint in str(error)
    assert error.where == "step"


@pytest.mark.parametrize("joint", ["b/q2", "b/q3", "a/j2"])
def test_a_control_that_mujoco_finds_too_large_is_named_with_its_joint(joint: str) -> None:
    scene = build(RobotSpec(BACKWARDS, prefix="b/"), RobotSpec(TWO, prefix="a/", pos=(0, 9, 0)))
    scene.model.actuator_ctrllimited[:] = 0
    row = scene.joint_names.index(joint)
    scene.command[row] = 1e12  # finite, and beyond what MuJoCo takes (1e10)
    dof = int(scene.model.joint(joint).dofadr[0])
    with pytest.raises(SimulationError, match=f"joint '{joint}', dof {dof}") as caught:
        scene.step()
    assert (caught.value.joint, caught.value.dof) == (joint, dof)
