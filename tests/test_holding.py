"""What holds joints that have no position servo."""

from __future__ import annotations

import numpy as np
import pytest
from field_models import build
from pressing import (
    MOTORS,
    gap,
    with_actuators,
)

from mjscene import (
    PhysicsOptions,
    RobotSpec,
)


@pytest.mark.parametrize("timestep", [1e-4, 0.002, 0.01, 0.02])
def test_a_hold_by_torque_is_stable_at_any_step(timestep: float) -> None:
    scene = build(RobotSpec(MOTORS, prefix="arm/"), options=PhysicsOptions(timestep=timestep))
    scene.data.qvel[:] = 0.05
    scene.step()
    scene.robots["arm"].stop()
    scene.step(round(2.0 / timestep) if timestep > 1e-3 else 4000)
    assert gap(scene) < 1e-3


def test_a_hold_behind_a_slow_filter_is_slow_and_stable() -> None:
    """A lag of T and a spring of w = 50 rad/s would be stable below w = 2/T = 40 rad/s only."""
    filtered = 'general joint="j{}" dyntype="filter" dynprm=".05" gainprm="1"'
    scene = build(RobotSpec(with_actuators(filtered), prefix="arm/"))
    scene.step(3)
    scene.robots["arm"].stop()
    scene.step(400)
    early = gap(scene)
    scene.step(1200)
    assert gap(scene) < 1e-3 * early < 1e-3


def test_every_joint_of_a_hold_by_torque_comes_back_as_a_critically_damped_spring() -> None:
    """e(t) = e'(0) t exp(-w t) with w = 50 rad/s, whatever the joints' weights and couplings."""
    scene = build(RobotSpec(MOTORS, prefix="arm/"), options=PhysicsOptions(timestep=1e-4))
    scene.data.qvel[:] = (0.1, -0.2)
    scene.step()
    arm = scene.robots["arm"]
    speed, start = arm.joints.velocity, arm.joints.position
    arm.stop()
    for _ in range(1000):
        scene.step()
        t = scene.time - 1e-4
        wanted = speed * t * np.exp(-50.0 * t)
        # First order in the step: a hundredth of the largest excursion, v / (e w).
        np.testing.assert_allclose(arm.joints.position - start, wanted, atol=5e-5)


def test_joints_on_a_light_floating_base_are_held_by_the_inertia_that_they_feel() -> None:
    """With that of a fixed base their springs would be many times stiffer than the step allows."""
    base = (
        '<body name="base"><freejoint/><geom size=".02" mass=".005" contype="0" conaffinity="0"/>'
    )
    xml = MOTORS.replace('<body name="upper">', base + '<body name="upper">')
    xml = xml.replace("</body></body></worldbody>", "</body></body></body></worldbody>")
    options = PhysicsOptions(gravity=(0, 0, 0), timestep=0.01)
    scene = build(RobotSpec(xml, prefix="arm/"), options=options)
    scene.data.qvel[6:] = (0.02, -0.03)
    scene.step()
    scene.robots["arm"].stop()
    gaps = []
    for _ in range(300):
        scene.step()
        gaps.append(gap(scene))
    assert max(gaps) < 0.03 / 10.0, "v / w at the 10 rad/s of this step"
    assert gaps[-1] < 1e-5
