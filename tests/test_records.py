"""The joint record against the equation of motion and the potential energy, on real models."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from field_models import build
from joint_identity import energy_gradient, push, relative, take
from mode_sweep import seed, short_models
from real_models import RealModel, cases
from robot_blocks import State
from stepped import INTEGRATORS

from mjscene import PhysicsOptions, Scene

pytestmark = pytest.mark.filterwarnings("ignore::mjscene.MjsceneWarning")
EXACT = 1e-9  # of the terms of the equation of motion, as the record promises
GRAVITY = 1e-6
TILTED = (3.0, -2.0, -7.0)
each_integrator = pytest.mark.parametrize("integrator", INTEGRATORS)


def lively(model: RealModel, rng: np.random.Generator, **options: Any) -> Scene | None:
    """A real model in a random pose, moving, under random commands; None if it has no dof.

    The steps are so short that no pose blows up, however deep its parts are in one another.
    """
    scene = build(model.robot("a_"), options=PhysicsOptions(timestep=1e-5, **options))
    if not scene.model.nv:
        return None
    state = State.random(scene.model, rng)
    scene.data.qpos[:], scene.data.qvel[:] = state.qpos, 0.3 * state.qvel
    scene.command[:] = rng.normal(size=len(scene.command)) * 0.1
    return scene


def worst_identity(model: RealModel, integrator: str) -> tuple[float, int]:
    """The largest error of the identity over some steps, and the contacts that there were."""
    rng = np.random.default_rng(seed(model))
    scene = lively(model, rng, integrator=integrator)
    if scene is None:
        return 0.0, 0
    every, errors, contacts = np.arange(scene.model.nv), [], 0
    for _ in range(3):
        push(scene, rng)
        taken = take(scene)
        found = scene.records.external(every)
        errors.append(relative(found, taken.external, taken))
        errors.append(relative(found, taken.constraint + taken.applied, taken))
        dofs = scene.control.table.dof_adr
        np.testing.assert_array_equal(scene.joints.external_effort, found[dofs])
        np.testing.assert_array_equal(scene.joints.effort, taken.effort[dofs])
        contacts += taken.contacts
    return max(errors), contacts


@each_integrator
def test_external_effort_closes_the_equation_of_motion_of_the_step(integrator: str) -> None:
    found = {m.name: worst_identity(m, integrator) for m in short_models()}
    assert {name: error for name, (error, _) in found.items() if not error <= EXACT} == {}
    assert sum(contacts > 0 for _, contacts in found.values()) >= 5


@pytest.mark.slow
@each_integrator
@pytest.mark.parametrize("model", cases(every=True))
def test_external_effort_closes_the_equation_of_motion_of_every_real_model(
    model: RealModel, integrator: str
) -> None:
    assert worst_identity(model, integrator)[0] <= EXACT


def worst_gravity(model: RealModel, **options: Any) -> tuple[float, int]:
    """The largest error of gravity by that of all joints, and the joints."""
    rng = np.random.default_rng(seed(model, 1))
    scene = lively(model, rng, **options)
    if scene is None or not len(scene.joints):
        return 0.0, 0
    scene.step()
    found, dofs = scene.joints.gravity, scene.control.table.dof_adr
    slides = scene.model.jnt_type[scene.control.table.joint_ids] == mujoco.mjtJoint.mjJNT_SLIDE
    # Central differences of a sine: an error of step²/6, of rounding eps/step.
    steps = np.where(slides, 1e-3, 1e-4)
    wanted = np.array(
        [energy_gradient(scene.model, scene.data, d, h) for d, h in zip(dofs, steps, strict=True)]
    )
    if scene.model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY:
        wanted[:] = 0.0
    # A balanced wheel's is rounding: a thousandth of what a weight does at one metre is no less.
    child = scene.model.jnt_bodyid[scene.control.table.joint_ids]
    weights = np.linalg.norm(scene.model.opt.gravity) * scene.model.body_subtreemass[child]
    scale = np.maximum(np.abs(wanted), 1e-3 * weights)
    return float((np.abs(found - wanted) / (scale + 1e-12)).max()), len(found)


GRAVITIES = {"plain": {}, "tilted": {"gravity": TILTED}}


@pytest.mark.parametrize("kind", GRAVITIES)
def test_gravity_is_the_gradient_of_the_potential_energy(kind: str) -> None:
    found = {m.name: worst_gravity(m, **GRAVITIES[kind]) for m in short_models()}
    assert {name: error for name, (error, _) in found.items() if not error <= GRAVITY} == {}
    assert all(count for _, count in found.values())


@pytest.mark.slow
@pytest.mark.parametrize("kind", GRAVITIES)
@pytest.mark.parametrize("model", cases(every=True))
def test_gravity_is_the_gradient_of_every_real_models_potential_energy(
    model: RealModel, kind: str
) -> None:
    assert worst_gravity(model, **GRAVITIES[kind])[0] <= GRAVITY
