"""What others do meanwhile with MuJoCo's functions, with ctrl, and with states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest
from field_models import build
from meanwhile import MODES, pair, put_back, reset_and_back, rollout
from mode_models import POSITION, TORQUE, TWO, rod
from stepped import Beside, scene_of

from mjscene import (
    AttachmentSpec,
    CommandError,
    CtrlModeSpec,
    ObjectCmd,
    RobotSpec,
    Scene,
    SceneObject,
    SimulationError,
    site,
)
from mjscene.controllers import (
    GravityCompensation,
    JointAdmittance,
)

# -- with MuJoCo's functions -----------------------------------------------------------------------


def _and_back(*names: str) -> Callable[[Any, Any], None]:
    """Something computed at another position, which is put back."""

    def act(model: Any, data: Any) -> None:
        qpos, qvel = data.qpos.copy(), data.qvel.copy()
        data.qpos[:] += 0.3
        data.qvel[:] += 0.5
        for name in names:
            getattr(mujoco, name)(model, data)
        data.qpos[:], data.qvel[:] = qpos, qvel

    return act


def _transition(model: Any, data: Any) -> None:
    size = 2 * model.nv + model.na
    a = np.zeros((size, size))
    mujoco.mjd_transitionFD(model, data, 1e-6, True, a, None, None, None)


def _copy(model: Any, data: Any) -> None:
    with put_back(model, data):
        mujoco.mj_copyData(data, model, mujoco.MjData(model))


COMPUTES: dict[str, Callable[[Any, Any], None]] = {
    "steps that are taken back": rollout,
    "mjd_transitionFD": _transition,
    "mj_fwdPosition elsewhere": _and_back("mj_fwdPosition"),
    "mj_fwdVelocity elsewhere": _and_back("mj_fwdVelocity"),
    "mj_forward elsewhere": _and_back("mj_forward"),
    "mj_inverse elsewhere": _and_back("mj_inverse"),
    "the mass matrix elsewhere": _and_back("mj_kinematics", "mj_comPos", "mj_makeM"),
    "contacts elsewhere": _and_back("mj_kinematics", "mj_collision"),
    "mj_step1 elsewhere": _and_back("mj_step1"),
    "a reset": reset_and_back,
    "another's data": _copy,
}


CASES = [
    (what, integrator)
    for what in COMPUTES
    for integrator in ("Euler", "RK4", "implicitfast")
    if (what, integrator) != ("mjd_transitionFD", "RK4")  # MuJoCo has none of it
]


@pytest.mark.parametrize(("what", "integrator"), CASES)
def test_what_others_compute_with_the_data_does_not_stay(what: str, integrator: str) -> None:
    scene = scene_of("dual_arm" if what == "mjd_transitionFD" else "humanoid", integrator)
    scene.data.qvel[:] += 0.1 * np.sin(np.arange(scene.model.nv))
    scene.step(3)
    for _ in range(3):
        COMPUTES[what](scene.model, scene.data)
        beside = Beside(scene)
        scene.step()
        beside.step()
        assert beside.differs() == []


def test_what_a_control_callback_writes_stays_beside_commands() -> None:
    scene = pair()
    for value in (0.1, 0.2, 0.3):
        scene.command[:] = value
        scene.step()
    model = scene.model
    mine = model.actuator_ctrladr[model.actuator("a/p2").id]
    mujoco.set_mjcb_control(lambda m, d: d.ctrl.__setitem__(mine, 0.7))
    try:
        scene.forward()
        for k in range(5):
            scene.command[0] = 0.1 * k
            scene.step()
            assert scene.data.ctrl[mine] == 0.7
            control = scene.data.ctrl[model.actuator_ctrladr[model.actuator("a/p1").id]]
            assert control == 0.1 * k
    finally:
        mujoco.set_mjcb_control(None)


def test_a_look_at_the_state_of_now_keeps_accelerations() -> None:
    scene = pair()
    scene.step(5)
    acceleration, jerk = scene.joints.acceleration, scene.joints.jerk
    assert (acceleration != 0).all()
    scene.forward()
    np.testing.assert_array_equal(scene.joints.acceleration, acceleration)
    np.testing.assert_array_equal(scene.joints.jerk, jerk)
    scene.reset()
    assert not scene.joints.acceleration.any()
    scene.step(5)
    scene.model.opt.timestep /= 2
    scene.forward()
    assert not scene.joints.acceleration.any()


def _filtered(scene: Scene) -> None:
    scene.set_control_mode("f", TORQUE)
    scene.set_control_mode("f", POSITION)


LOOKS: dict[str, Callable[[Scene], object]] = {
    "nothing": lambda scene: None,
    "states": lambda scene: scene.states(),
    "its state": lambda scene: scene.get_state(),
    "what joints know": lambda scene: [
        getattr(scene.joints, n) for n in ("acceleration", "gravity", "external_effort")
    ],
    "forward": lambda scene: scene.forward(),
    "a recording": lambda scene: scene.record().start(),
    "a switch of a drive with a state": _filtered,
    "a command": lambda scene: scene.robots["a"].command.__setitem__(0, 0.2),
}


@pytest.mark.parametrize("ruled", [False, True])
@pytest.mark.parametrize("what", LOOKS)
def test_what_changes_no_state_costs_no_half_step(
    what: str, ruled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    filtered = '<position name="p" joint="j" kp="20" kv="2" timeconst="0.05"/>'
    scene = build(
        RobotSpec(TWO, prefix="a/"),
        RobotSpec(rod(filtered), prefix="f/", modes=MODES, pos=(0, 3, 0)),
    )
    if ruled:
        scene.robots["f"].add_controller(GravityCompensation())
    halves: list[int] = []

    def count(model: Any, data: Any) -> None:
        halves.append(1)
        mujoco.mj_step1(model, data)

    monkeypatch.setattr("mjscene.cycle.mj_step1", count)
    scene.step(3)
    LOOKS[what](scene)
    before = len(halves)
    scene.step()
    assert len(halves) == before + 1
    scene.data.qvel[0] += 0.1  # this costs one
    scene.step()
    assert len(halves) == before + 3


@pytest.mark.parametrize("ruled", [False, True])
def test_a_state_that_cannot_be_ends_the_step_that_finds_it(ruled: bool) -> None:
    scene = pair()
    if ruled:
        scene.robots["b"].add_controller(GravityCompensation())
    scene.step(3)
    scene.data.qvel[1] = 1e12
    with pytest.raises(SimulationError, match="QVEL at DOF 1") as caught:
        scene.step()
    assert (caught.value.joint, caught.value.dof, caught.value.was_reset) == ("a/j2", 1, True)
    scene.reset()
    scene.step(3)


# -- commands --------------------------------------------------------------------------------------


def test_a_body_whose_joints_do_not_follow_one_another_is_commanded() -> None:
    geom = '<geom size=".03" mass=".2" contype="0" conaffinity="0"/>'
    tree = f"""<mujoco><worldbody><body name="trunk">{geom}
    <body name="left" pos="0 1 0"><joint name="l" axis="0 1 0"/>{geom}<site name="tip"/></body>
    <body name="right" pos="0 -1 0"><joint name="r" axis="0 1 0"/>{geom}</body></body></worldbody>
    <actuator><position joint="l" kp="20" kv="2"/><position joint="r" kp="20" kv="2"/></actuator>
    </mujoco>"""
    hand = AttachmentSpec(TWO, attach_to=site("tip"), prefix="h/")
    scene = build(RobotSpec(tree, prefix="t/", attachments=[hand]))
    assert scene.joint_names == ("t/l", "t/r", "t/h/j1", "t/h/j2")
    for value in (1.0, 2.0, 3.0):
        scene.apply({"t/left": ObjectCmd(joint_cmds=[value] * 3)})
        assert scene.command.tolist() == [value, 0.0, value, value]
        scene.state("t/left")


@pytest.mark.parametrize("gravity", [False, True])
def test_after_a_switch_of_a_geared_drive_its_control_is_its_commands(gravity: bool) -> None:
    geared = '<motor name="m" joint="j" gear="3"/>'
    servo = CtrlModeSpec(POSITION, kp=37.0, kd=3.0)
    scene = build(
        RobotSpec(rod(geared), prefix="e/", modes=(servo,)),
        RobotSpec(TWO, prefix="a/", pos=(0, 3, 0)),
    )
    if gravity:
        scene.robots["e"].add_controller(GravityCompensation())
    at = scene.model.actuator_ctrladr[scene.model.actuator("e/m").id]
    rng = np.random.default_rng(3)
    for k in range(30):
        scene.data.qpos[:], scene.data.qvel[:] = rng.normal(size=3), rng.normal(size=3)
        scene.set_control_mode("e", POSITION)
        scene.step(3)
        scene.set_control_mode("e", TORQUE)
        if not gravity:
            scene.step()
            scene.data.ctrl[at] = 0.25
        kept = scene.data.ctrl[at]
        scene.apply({"a": ObjectCmd(joint_cmds=[0.01 * k, 0.2])})
        if gravity:
            scene.control.table.put_aside(trial := scene.data.ctrl.copy())
            assert trial[at] == kept
        scene.step()
        assert gravity or scene.data.ctrl[at] == kept


def test_a_limp_servo_takes_commands_and_gives_nothing() -> None:
    scene = pair()
    scene.model.actuator_gainprm[0] = 0
    scene.model.actuator_biasprm[0] = 0
    scene.forward()
    for k in range(5):
        scene.command[:] = 0.1 * k
        scene.step()
        assert np.isfinite(scene.data.ctrl).all()
        assert scene.data.actuator_force[0] == 0
    scene.set_control_mode("a", TORQUE)
    scene.set_control_mode("a", POSITION)
    scene.step()
    assert np.isfinite(scene.data.ctrl).all()


@pytest.mark.parametrize("who", ["the scene", "a robot"])
def test_what_is_added_to_commands_and_refused_is_taken_back(who: str) -> None:
    scene = pair()
    scene.command[:] = 0.1
    scene.step()
    scene.robots["b"].stop()
    scene.step()
    before = scene.command.copy()
    held = scene if who == "the scene" else scene.robots["b"]
    for more in (0.1, np.nan):
        with pytest.raises(CommandError):
            held.command += more
        np.testing.assert_array_equal(scene.command, before)
    scene.step()


@pytest.mark.parametrize("gravity", [False, True])
def test_a_stop_holds_against_a_control_written_by_hand(gravity: bool) -> None:
    scene = pair()
    scene.model.opt.gravity[:] = 0
    scene.forward()
    if gravity:
        scene.robots["a"].add_controller(GravityCompensation())
    scene.command[:] = 0.0
    scene.step(2)
    scene.data.ctrl[:] = 1.0
    scene.robots["a"].stop()
    scene.step(200)
    np.testing.assert_allclose(
        scene.data.qpos[:2], scene.robots["a"].joints.stop_position, atol=1e-3
    )


# -- states and exceptions -------------------------------------------------------------------------


@pytest.mark.parametrize("had", [False, True])
def test_a_state_that_was_read_without_controllers_has_the_efforts_of_its_step(had: bool) -> None:
    scene = pair()
    if had:
        scene.robots["a"].remove_controller(scene.robots["a"].add_controller(JointAdmittance()))
    scene.data.qvel[:] = 0.5
    scene.step(5)
    state, efforts = scene.get_state(), scene.joints.effort
    controller = scene.robots["a"].add_controller(JointAdmittance())
    scene.step(5)
    scene.set_state(state)
    np.testing.assert_array_equal(controller.joints.effort, efforts[:2])


def test_a_state_with_sleeping_bodies_goes_on_bit_for_bit() -> None:
    cube = SceneObject("cube", shape="box", size=(0.1,) * 3, mass=1.0, pos=(2, 0, 0.13))
    scene = build(RobotSpec(TWO, prefix="a/", pos=(0, 3, 1)), objects=[cube], floor=True)
    scene.model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    scene.forward()
    for _ in range(6):
        scene.step(20)
        state = scene.get_state()
        ends = []
        for _ in range(2):
            scene.set_state(state)
            scene.step(150)
            ends.append((scene.data.qpos.tobytes(), scene.data.tree_asleep.tobytes()))
        assert ends[0] == ends[1]
        scene.set_state(state)
