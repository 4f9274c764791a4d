"""The pass over all admittances against a slow loop, and against scenes with one each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from controller_scenes import ARMS, PUSH, arm, robot_of
from field_models import build
from mode_models import TWO
from numpy.typing import NDArray

from mjscene import CtrlMode, CtrlModeSpec, PhysicsOptions, RobotSpec, Scene
from mjscene.controllers import JointAdmittance

Array = NDArray[np.float64]
C, LAMBDA = 0.075, 2.5  # OpenSoT's 0.00015 and 0.005 per tick of 2 ms, per second


@pytest.fixture(params=ARMS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def settled(kind: str, **fields: Any) -> Scene:
    scene = arm(kind, **fields)
    scene.run(4.0)
    return scene


# -- against a slow loop ---------------------------------------------------------------------------


class SlowLoop:
    """The law joint by joint in Python's floats, by the filter's difference equation."""

    def __init__(
        self, scene: Scene, matrix: Any, lambdas: Any, omega: float, damping: float, every: int = 1
    ) -> None:
        self.dt = every * scene.model.opt.timestep
        self.matrix, self.lambdas = np.asarray(matrix), list(lambdas)
        self.n = len(self.lambdas)
        k = omega * self.dt / 2  # Tustin: s = 2/dt (z - 1)/(z + 1)
        lead = 1 + 2 * damping * k + k * k
        self.b = (k * k / lead, 2 * k * k / lead, k * k / lead)
        self.a = ((2 * k * k - 2) / lead, (1 - 2 * damping * k + k * k) / lead)
        self.x = [[0.0, 0.0] for _ in range(self.n)]
        self.y = [[0.0, 0.0] for _ in range(self.n)]
        self.reference = scene.joints.position.tolist()
        self.set_point = scene.command.tolist()

    def update(self, scene: Scene) -> list[float]:
        """What is commanded in POSITION, from the scene as it is before the step."""
        data, out = scene.data, []
        for j in range(self.n):
            residual = float(data.qfrc_bias[j] - data.qfrc_passive[j] - data.qfrc_actuator[j])
            (x1, x2), (y1, y2) = self.x[j], self.y[j]
            y = self.b[0] * residual + self.b[1] * x1 + self.b[2] * x2
            y -= self.a[0] * y1 + self.a[1] * y2
            self.x[j], self.y[j] = [residual, x1], [y, y1]
            out.append(y)
        for j in range(self.n):
            give = math.fsum(float(self.matrix[j, i]) * out[i] for i in range(self.n))
            give += self.lambdas[j] * (self.reference[j] - float(data.qpos[j]))
            self.set_point[j] += give * self.dt
        return self.set_point


def compare(scene: Scene, loop: SlowLoop, steps: int, every: int = 1) -> float:
    """The worst distance of commands from the loop's while the arm is pushed to and fro."""
    rng = np.random.default_rng(3)
    worst = 0.0
    wanted = loop.set_point
    for k in range(steps):
        if k % 100 == 0:
            scene.data.qfrc_applied[:] = PUSH[: loop.n] * rng.uniform(-1, 1, loop.n)
        if k % every == 0:
            wanted = loop.update(scene)
        scene.step()
        worst = max(worst, float(np.abs(scene.command - wanted).max()))
    assert np.ptp(wanted) > 0.1
    return worst


@pytest.mark.parametrize("every", [1, 4])
def test_five_hundred_updates_equal_a_slow_loop(kind: str, every: int) -> None:
    scene = settled(kind)
    n = scene.model.nv
    rng = np.random.default_rng(7)
    root = rng.normal(size=(n, n))
    matrix = 0.03 * (np.eye(n) + root @ root.T / (2 * n))
    lambdas = rng.uniform(1.0, 4.0, n)
    step = scene.model.opt.timestep
    robot_of(scene).add_controller(
        JointAdmittance(
            compliance=matrix,
            lambda_=lambdas,
            omega=35.0,
            damping=0.8,
            time_step=None if every == 1 else every * step,
        )
    )
    loop = SlowLoop(scene, matrix, lambdas, 35.0, 0.8, every)
    assert compare(scene, loop, 500 * every, every) < 2e-12


def test_f52_the_first_outputs_of_the_filter_reach_the_joints() -> None:
    """With λ = 0 and C = 1 the reference velocity is the filtered residual: a step of 1 into it."""
    scene = build(RobotSpec(TWO, prefix="a/"), options=PhysicsOptions(gravity=(0, 0, 0)))
    controller = robot_of(scene).add_controller(
        JointAdmittance(compliance=1.0, lambda_=0.0, omega=2 * math.pi * 8, damping=1.0)
    )
    run = scene.controllers
    outputs = []
    for _ in range(25):
        load = scene.data.qfrc_bias - scene.data.qfrc_passive
        scene.control.table.delivered[:] = load - 1.0
        run.act()
        outputs.append(controller.reference_velocity[0])
    np.testing.assert_allclose(
        [outputs[0], outputs[9], outputs[24]], [0.00229056, 0.247407, 0.704951], rtol=3e-6
    )


@pytest.mark.parametrize("timestep", [0.0005, 0.002])
def test_the_filter_is_made_for_the_time_between_updates(timestep: float) -> None:
    """F52: OpenSoT's filter believes in 2 ms whatever calls it."""
    scene = arm("panda")
    scene.model.opt.timestep = timestep
    scene.forward()
    robot = robot_of(scene)
    controller = robot.add_controller(JointAdmittance())
    assert controller.filter.time_step == timestep
    controller.set_filter_time_step(4 * timestep)
    assert controller.filter.time_step == 4 * timestep == controller.period


# -- several in one pass ---------------------------------------------------------------------------


def course(kinds: list[str], members: list[JointAdmittance]) -> dict[str, Array]:
    """Commands and reference velocities of arms that are pushed, by kind (steps, 2 n)."""
    spots = {"panda": (0, 0, 0), "ur5e": (0, 5, 0)}
    servo = CtrlModeSpec(CtrlMode.POSITION, kp=2000.0, kd=200.0)
    modes = {"panda": (), "ur5e": [servo]}  # the one that ships has motors
    specs = [
        RobotSpec(f"mjscene:{k}", prefix=f"{k}/", home="home", pos=spots[k], modes=modes[k])
        for k in kinds
    ]
    options = PhysicsOptions(timestep=0.002, integrator="implicitfast")
    scene = build(*specs, options=options)
    robots = dict(zip(kinds, scene.robots.values(), strict=True))
    for robot, member in zip(robots.values(), members, strict=True):
        robot.add_controller(member)
    found: dict[str, list[Array]] = {k: [] for k in kinds}
    for step in range(300):
        for robot in robots.values():
            push = PUSH[: len(robot.dof_adr)] * math.cos(step / 40)
            scene.data.qfrc_applied[robot.dof_adr] = push
        scene.step()
        for (kind, robot), member in zip(robots.items(), members, strict=True):
            found[kind].append(np.concatenate([robot.command, member.reference_velocity]))
    assert len(scene.controllers._banks or ()) == 1
    return {k: np.array(v) for k, v in found.items()}


def two_members(*, coupled: bool) -> list[JointAdmittance]:
    full = 0.05 * np.eye(6) + 0.01
    return [
        JointAdmittance(compliance=0.1, lambda_=np.linspace(1, 3, 7)),
        JointAdmittance(compliance=full if coupled else 0.03, lambda_=4.0),
    ]


@pytest.mark.parametrize("coupled", [False, True])
def test_two_arms_in_one_pass_equal_two_scenes_bit_for_bit(coupled: bool) -> None:
    both = course(["panda", "ur5e"], two_members(coupled=coupled))
    for k, kind in enumerate(("panda", "ur5e")):
        alone = course([kind], [two_members(coupled=coupled)[k]])
        assert np.ptp(alone[kind], axis=0).min() > 0
        np.testing.assert_array_equal(both[kind], alone[kind])


def test_filters_that_differ_are_not_mixed() -> None:
    scene = build(RobotSpec(TWO, prefix="a/"), RobotSpec(TWO, prefix="b/", pos=(0, 3, 0)))
    a, b = (
        r.add_controller(JointAdmittance(omega=w))
        for r, w in zip(scene.robots.values(), (20.0, 60.0), strict=True)
    )
    scene.data.qfrc_applied[:] = 1.0
    scene.run(0.02)
    assert (b.reference_velocity > 2 * a.reference_velocity).all()
    assert (a.reference_velocity > 0).all()
