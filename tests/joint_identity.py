"""The equation of motion of a step just taken, worked out in plain MuJoCo beside the scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene import Scene

__all__ = ["Taken", "energy_gradient", "push", "relative", "take"]

Array = NDArray[np.float64]
_DISCRETE = int(mujoco.mjtIntegrator.mjINT_DISCRETE)
_RK4 = int(mujoco.mjtIntegrator.mjINT_RK4)


@dataclass(frozen=True)
class Taken:
    """The forces of a step at the state that it was taken at, each (nv,).

    Attributes:
        inertial: M q̈.
        bias, passive, effort, constraint: MuJoCo's own.
        applied: ``qfrc_applied``, and ``xfrc_applied`` by the Jacobians of the bodies.
        contacts: How many there were.
    """

    inertial: Array
    bias: Array
    passive: Array
    effort: Array
    constraint: Array
    applied: Array
    contacts: int

    @property
    def external(self) -> Array:
        """What the equation of motion leaves for it (nv,)."""
        return self.inertial + self.bias - self.passive - self.effort

    @property
    def scale(self) -> Array:
        """The largest term of each dof, and a thousandth of the largest of all (nv,).

        Of a dof whose terms are all far smaller than the others' the sums over other dofs that make
        them leave no more.
        """
        terms = (self.inertial, self.bias, self.passive, self.effort, self.constraint, self.applied)
        sizes = np.abs(terms)
        return np.asarray(sizes.max(axis=0) + 1e-3 * sizes.max() + 1e-300)


def relative(found: Array, wanted: Array, taken: Taken) -> float:
    """The largest error, by the size of the terms of its dof."""
    return float((np.abs(found - wanted) / taken.scale).max())


def take(scene: Scene, *, stages: bool = True) -> Taken:
    """Take a step, and the same in plain MuJoCo on a copy of the data.

    Args:
        scene: The scene.
        stages: Work the last stage of a Runge-Kutta step out by hand. Where hundreds of contacts
            share a load in many ways, stages need not end in the same of them: then MuJoCo's own
            last stage is taken.
    """
    model = scene.model
    twin = mujoco.MjData(model)
    mujoco.mj_copyData(twin, model, scene.data)
    scene.step()
    twin.ctrl[:] = scene.data.ctrl
    by_stages = model.opt.integrator == _RK4
    if by_stages and stages:
        _to_last_stage(model, twin)
    elif by_stages:
        mujoco.mj_step(model, twin)
    else:
        mujoco.mj_forward(model, twin)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, twin, full)
    applied = twin.qfrc_applied.copy()
    linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    for body in range(1, model.nbody):
        mujoco.mj_jacBodyCom(model, twin, linear, angular, body)
        applied += linear.T @ twin.xfrc_applied[body, :3] + angular.T @ twin.xfrc_applied[body, 3:]
    acceleration = twin.qacc.copy()
    if model.opt.integrator == _DISCRETE or (by_stages and not stages):
        # Then qacc is the whole step's: of another inertia than M, or of all stages.
        acceleration = np.linalg.solve(full, twin.qfrc_smooth + twin.qfrc_constraint)
    return Taken(
        inertial=full @ acceleration,
        bias=twin.qfrc_bias.copy(),
        passive=twin.qfrc_passive.copy(),
        effort=twin.qfrc_actuator.copy(),
        constraint=twin.qfrc_constraint.copy(),
        applied=applied,
        contacts=int(twin.ncon),
    )


def _to_last_stage(model: Any, data: Any) -> None:
    """Forward dynamics at the last stage of a Runge-Kutta step, by the classical tableau."""
    h = float(model.opt.timestep)
    time, qpos, qvel, act = data.time, data.qpos.copy(), data.qvel.copy(), data.act.copy()
    mujoco.mj_forward(model, data)
    for part in (0.5, 0.5, 1.0):
        rate, acceleration, act_dot = data.qvel.copy(), data.qacc.copy(), data.act_dot.copy()
        data.time = time + part * h
        data.qpos[:] = qpos
        mujoco.mj_integratePos(model, data.qpos, rate, part * h)
        data.qvel[:] = qvel + part * h * acceleration
        data.act[:] = act + part * h * act_dot
        mujoco.mj_forward(model, data)


def push(scene: Scene, rng: np.random.Generator) -> None:
    """Random forces on all dofs and on three bodies, of the size of their weights."""
    model, data = scene.model, scene.data
    data.xfrc_applied[:] = 0.0
    chosen = 1 + rng.permutation(model.nbody - 1)[:3]
    weight = 9.81 * model.body_mass[chosen, None]
    sizes = weight * [1, 1, 1, 0.1, 0.1, 0.1]
    data.xfrc_applied[chosen] = rng.normal(size=(len(chosen), 6)) * sizes
    data.qfrc_applied[:] = rng.normal(size=model.nv) * model.dof_M0


def energy_gradient(model: Any, data: Any, dof: int, step: float) -> float:
    """The derivative of the potential energy -sum m g·x by a dof, by central differences."""
    ends = []
    scratch = mujoco.MjData(model)
    for sign in (1.0, -1.0):
        scratch.qpos[:] = data.qpos
        scratch.mocap_pos[:], scratch.mocap_quat[:] = data.mocap_pos, data.mocap_quat
        move = np.zeros(model.nv)
        move[dof] = sign * step
        mujoco.mj_integratePos(model, scratch.qpos, move, 1.0)
        mujoco.mj_kinematics(model, scratch)
        ends.append(-float(model.body_mass @ (scratch.xipos @ model.opt.gravity)))
    return (ends[0] - ends[1]) / (2.0 * step)
