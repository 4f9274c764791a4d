"""Gains that the integrator cannot follow are warned of, and those that it can are not."""

from __future__ import annotations

import re
from typing import Any

import mujoco
import numpy as np
import pytest
from field_models import alone, build
from mode_models import POSITION, TWO, VELOCITY, rod, velocity
from numpy.typing import NDArray

import mjscene
from mjscene import CtrlMode, CtrlModeSpec, RobotSpec
from mjscene.stability import unstable_gains

H = 0.002
INERTIA = 0.0857360  # of the rod about its hinge, from F-fixtures [kg m2]


def scene_of(mode: CtrlMode, gain: float, integrator: str) -> mjscene.Scene:
    """The rod without gravity, in one added servo mode, moving slowly."""
    key = "kv" if mode is VELOCITY else "kp"
    spec = CtrlModeSpec(mode, joints=("j",), **{key: gain})
    xml = rod(option=f'integrator="{integrator}" gravity="0 0 0"')
    return build(RobotSpec(xml, prefix="r/", modes=(spec,)))


def diverges(scene: mjscene.Scene) -> bool:
    """Whether a small motion grows under the scene's own servo."""
    scene.data.qvel[:] = 1e-3
    for _ in range(400):
        mujoco.mj_step(scene.model, scene.data)
        if np.abs(scene.data.qvel).max() > 1.0:
            return True
    return False


def test_the_inertia_is_what_mujoco_says_it_is() -> None:
    assert alone(rod()).dof_M0[0] == pytest.approx(INERTIA, rel=1e-5)


# h kv / I at which a velocity servo diverges, h² kp / I for a position servo; None: never.
LIMITS: dict[tuple[str, CtrlMode], float | None] = {
    ("Euler", VELOCITY): 2.0,
    ("RK4", VELOCITY): 2.785,
    ("implicit", VELOCITY): None,
    ("implicitfast", VELOCITY): None,
    ("Euler", POSITION): 4.0,
    ("RK4", POSITION): 8.0,
    ("implicit", POSITION): 4.0,
    ("implicitfast", POSITION): 4.0,
}


@pytest.mark.parametrize(("integrator", "mode"), LIMITS)
@pytest.mark.parametrize("part", [0.97, 1.03])
def test_the_warning_comes_where_the_simulation_starts_to_diverge(
    integrator: str, mode: CtrlMode, part: float
) -> None:
    limit = LIMITS[integrator, mode]
    ratio = 20.0 if limit is None else limit * part
    gain = ratio * INERTIA / (H if mode is VELOCITY else H * H)
    scene = scene_of(mode, gain, integrator)
    warned = any("unstable" in w and "'r/j'" in w for w in scene.report.warnings)
    assert warned == (limit is not None and part > 1)
    assert diverges(scene) == warned


@pytest.mark.parametrize("mode", [POSITION, VELOCITY])
def test_the_discrete_integrator_follows_any_gain(mode: CtrlMode) -> None:
    gain = 20.0 * INERTIA / (H if mode is VELOCITY else H * H)
    scene = scene_of(mode, gain, "discrete")
    assert not [w for w in scene.report.warnings if "unstable" in w]
    assert not diverges(scene)


def test_f37_a_velocity_gain_that_blows_up_under_euler_is_warned_of_by_joint_and_integrator() -> (
    None
):
    def spec(integrator: str) -> mjscene.SceneSpec:
        xml = rod(option=f'integrator="{integrator}"')
        return mjscene.SceneSpec(
            [RobotSpec(xml, prefix="r/", modes=(velocity(200.0, joints=("j",)),))]
        )

    with pytest.warns(mjscene.MjsceneWarning, match=r"'r/j'.*VELOCITY.*Euler.* = 4\.67 > 2"):
        scene = mjscene.build_scene(spec("Euler"))
    scene.robots["r"].command = [1.0]
    with pytest.raises(mjscene.SimulationError, match="QACC"):
        scene.step(500)
    assert scene.time < 0.1
    scene = build(*spec("implicitfast").robots)
    assert not [w for w in scene.report.warnings if "unstable" in w]
    scene.robots["r"].command = [1.0]
    scene.step(500)
    assert scene.time == pytest.approx(1.0)
    assert scene.data.qvel[0] == pytest.approx(0.99324, abs=2e-4)


@pytest.mark.parametrize("part", [0.97, 1.03])
def test_joints_of_one_chain_are_judged_together(part: float) -> None:
    # Servos on a chain couple through the mass matrix: what counts is the largest eigenvalue of
    # h M⁻¹ diag(kv), here about twenty times h kv / M_ii of the first joint.
    xml = TWO.replace('integrator="implicitfast"', 'integrator="Euler" gravity="0 0 0"')
    xml = re.sub("<actuator>.*</actuator>", "", xml, flags=re.DOTALL)
    model = alone(xml)
    mass = np.linalg.inv(np.column_stack([solve(model, unit) for unit in np.eye(2)]))
    kv = part * 2.0 / (H * np.linalg.eigvals(np.linalg.inv(mass)).real.max())
    scene = build(RobotSpec(xml, modes=(velocity(kv, joints=("j1", "j2")),)))
    warned = any("unstable" in w for w in scene.report.warnings)
    assert diverges(scene) == (part > 1)
    assert warned == (part > 1)


def solve(model: Any, force: NDArray[np.float64]) -> NDArray[np.float64]:
    """The acceleration from rest under a force (nv,), at the reference pose."""
    data = mujoco.MjData(model)
    data.qfrc_applied[:] = force
    mujoco.mj_forward(model, data)
    return np.array(data.qacc)


def test_the_step_and_the_gear_count() -> None:
    servo = '<velocity name="v" joint="j" kv="1" gear="20"/>'  # 400 N m s/rad at the joint
    for integrator, step, warned in (("Euler", 0.002, 1), ("Euler", 0.0001, 0)):
        xml = rod(servo, option=f'integrator="{integrator}"')
        xml = xml.replace('timestep="0.002"', f'timestep="{step}"')
        scene = build(RobotSpec(xml, modes=()))
        found = unstable_gains(scene.model, scene.control.table)
        assert len(found) == warned


def test_motors_and_modest_gains_are_not_warned_of() -> None:
    xml = rod('<motor name="m" joint="j" gear="1000"/>', option='integrator="Euler"')
    modes = (velocity(20.0), CtrlModeSpec(POSITION, kp=200.0, kd=20.0))
    assert not [w for w in build(RobotSpec(xml, modes=modes)).report.warnings if "unstab" in w]
