"""The joint record against the equation of motion and the potential energy, on real models."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from field_models import build
from joint_identity import energy_gradient, push, relative, take
from mode_models import rod
from mode_sweep import seed, short_models
from real_models import RealModel, cases
from robot_blocks import State
from stepped import INTEGRATORS

from mjscene import CtrlModeSpec, PhysicsOptions, RobotSpec, Scene

pytestmark = pytest.mark.filterwarnings("ignore::mjscene.MjsceneWarning")
EXACT = 1e-9  # of the terms of the equation of motion, as the record promises
GRAVITY = 1e-6
TILTED = (3.0, -2.0, -7.0)


def lively(model: RealModel) -> Scene | None:
    """A real model in a random pose, moving, under random commands; None if it has no dof.

    The steps are so short that no pose blows up, however deep its parts are in one another.
    """
    scene = build(model.robot("a_"), options=PhysicsOptions(timestep=1e-5))
    if not scene.model.nv:
        return None
    rng = np.random.default_rng(seed(model))
    state = State.random(scene.model, rng)
    scene.data.qpos[:], scene.data.qvel[:] = state.qpos, 0.3 * state.qvel
    scene.command[:] = rng.normal(size=len(scene.command)) * 0.1
    # A solver that stops early leaves as much of the equation of motion open.
    opt = scene.model.opt
    opt.tolerance, opt.iterations, opt.ls_tolerance, opt.ls_iterations = 0.0, 200, 1e-10, 100
    scene.forward()
    return scene


def errors_of_identity(
    scene: Scene, rng: np.random.Generator, *, stages: bool
) -> dict[str, list[float]]:
    """Errors of the identity over some steps of each integrator, the scene's state put back."""
    every, dofs = np.arange(scene.model.nv), scene.control.table.dof_adr
    start, found = scene.get_state(), {}
    for number, name in enumerate(INTEGRATORS):
        scene.set_state(start)
        scene.model.opt.integrator = number
        scene.forward()
        errors = found[name] = []
        for _ in range(3):
            push(scene, rng)
            taken = take(scene, stages=stages)
            external = scene.records.external(every)
            errors.append(relative(external, taken.external, taken))
            errors.append(relative(external, taken.constraint + taken.applied, taken))
            errors.append(relative(scene.data.qfrc_actuator, taken.effort, taken))
            np.testing.assert_array_equal(scene.joints.external_effort, external[dofs])
            np.testing.assert_array_equal(scene.joints.effort, scene.data.qfrc_actuator[dofs])
    return found


def test_external_effort_closes_the_equation_of_motion_of_the_step() -> None:
    touching, wrong = 0, {}
    for model in short_models():
        scene = lively(model)
        assert scene is not None
        touching += scene.data.ncon > 0
        found = errors_of_identity(scene, np.random.default_rng(seed(model, 1)), stages=True)
        wrong |= {(model.name, i): max(e) for i, e in found.items() if not max(e) <= EXACT}
    assert wrong == {}
    assert touching >= 4


@pytest.mark.slow
@pytest.mark.parametrize("model", cases(every=True))
def test_external_effort_closes_the_equation_of_motion_of_every_real_model(
    model: RealModel,
) -> None:
    scene = lively(model)
    if scene is None:
        pytest.skip("nothing in it moves")
    found = errors_of_identity(scene, np.random.default_rng(seed(model, 1)), stages=False)
    assert {i: max(e) for i, e in found.items() if not max(e) <= EXACT} == {}


def error_of_gravity(scene: Scene) -> float:
    """The largest error of gravity by that of its joint."""
    found, dofs = scene.joints.gravity, scene.control.table.dof_adr
    joints = scene.control.table.joint_ids
    slides = scene.model.jnt_type[joints] == mujoco.mjtJoint.mjJNT_SLIDE
    # Central differences of a sine: an error of step²/6, of rounding eps/step.
    steps = np.where(slides, 1e-3, 1e-4)
    wanted = np.array(
        [energy_gradient(scene.model, scene.data, d, h) for d, h in zip(dofs, steps, strict=True)]
    )
    if scene.model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY:
        wanted[:] = 0.0
    # A balanced wheel's is rounding: a thousandth of what its weight does at one metre is no less.
    masses = scene.model.body_subtreemass[scene.model.jnt_bodyid[joints]]
    scale = np.maximum(np.abs(wanted), 1e-3 * np.linalg.norm(scene.model.opt.gravity) * masses)
    return float((np.abs(found - wanted) / (scale + 1e-12)).max(initial=0.0))


def errors_of_gravity(scene: Scene) -> dict[str, float]:
    """Its errors under three gravities, and switched off."""
    found = {}
    for name, gravity in {"plain": (0, 0, -9.81), "tilted": TILTED, "none": (0, 0, 0)}.items():
        scene.model.opt.gravity[:] = gravity
        scene.forward()
        found[name] = error_of_gravity(scene)
    scene.model.opt.gravity[:] = TILTED
    scene.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    scene.forward()
    assert not scene.joints.gravity.any()
    found["off"] = error_of_gravity(scene)
    return found


def test_gravity_is_the_gradient_of_the_potential_energy() -> None:
    wrong, largest = {}, []
    for model in short_models():
        scene = lively(model)
        assert scene is not None
        scene.step()
        largest.append(np.abs(scene.joints.gravity).max())
        wrong |= {(model.name, k): e for k, e in errors_of_gravity(scene).items() if e > GRAVITY}
    assert wrong == {}
    assert np.count_nonzero(np.array(largest) > 1e-3) > 8


@pytest.mark.slow
@pytest.mark.parametrize("model", cases(every=True))
def test_gravity_is_the_gradient_of_every_real_models_potential_energy(model: RealModel) -> None:
    scene = lively(model)
    if scene is None:
        pytest.skip("nothing in it moves")
    scene.step()
    assert {k: e for k, e in errors_of_gravity(scene).items() if e > GRAVITY} == {}


# Slides and hinges with axes off their bodies' origins, a floating base, gears, a fixed tendon and
# two trees, beside each other.
MANY = """<mujoco model="many"><compiler angle="radian"/><worldbody>
 <body name="base" pos="0 0 1"><freejoint/><geom size=".1" mass="2" pos=".1 .2 .3"/>
  <body name="a" pos=".2 0 .1" euler=".3 .4 .5"><joint name="h" pos=".1 -.2 .3" axis="1 2 3"/>
   <geom size=".1" mass="1" pos=".3 .1 -.2"/>
   <body name="b" pos="0 .2 0"><joint name="s" type="slide" axis="3 1 -2" pos="1 1 1"/>
    <geom size=".1" mass=".5" pos="0 .1 .3"/>
    <body name="c"><joint name="c1" axis="0 1 0"/><joint name="c2" axis="1 0 0" pos="0 0 .1"/>
     <geom size=".1" mass=".3" pos=".2 .1 .3"/></body></body></body></body>
 <body name="d" pos="0 3 1" gravcomp="1"><joint name="k" axis="0 1 1" pos="0 .1 0"/>
  <geom size=".1" mass=".7" pos=".2 .1 0"/></body></worldbody>
 <tendon><fixed name="t"><joint joint="c1" coef="1"/><joint joint="c2" coef="-2"/></fixed></tendon>
 <actuator><motor joint="h" gear="7"/><motor joint="s" gear="-3"/><motor joint="k"/>
 <motor name="pull" tendon="t"/></actuator></mujoco>"""


def test_gravity_of_every_kind_of_joint_in_several_trees_without_gravity_compensation() -> None:
    modes = (CtrlModeSpec(joints=("h", "s", "k", "c1", "c2")),)
    scene = build(
        RobotSpec(MANY, prefix="a/", modes=modes),
        RobotSpec(MANY, prefix="b/", modes=modes, pos=(9, 0, 0), quat=(0.6, 0, 0, 0.8)),
    )
    rng = np.random.default_rng(8)
    state = State.random(scene.model, rng)
    scene.data.qpos[:], scene.data.qvel[:] = state.qpos, state.qvel
    scene.forward()
    assert len(scene.joints) == 10
    assert np.abs(scene.joints.gravity).min() > 1e-2
    assert max(errors_of_gravity(scene).values()) <= GRAVITY


def test_bodies_that_are_not_pushed_and_those_that_are_pushed_at_their_centres() -> None:
    """By hand: a force on a rod's centre at a quarter of a metre, and two torques."""
    scene = build(RobotSpec(rod('<motor name="m" joint="j"/>')))
    joint = scene.joints["j"]
    scene.step()
    assert joint.external_effort == 0
    scene.reset()
    scene.data.body("link").xfrc_applied[:] = (0, 0, 8.0, 0, -3.0, 0)  # the axis is -y
    scene.data.joint("j").qfrc_applied[0] = 0.5
    scene.step()
    assert joint.external_effort == pytest.approx(8.0 * 0.25 + 3.0 + 0.5, rel=1e-12)


def test_efforts_are_of_the_step_and_not_of_the_state_after_it() -> None:
    """A force on a rod that has fallen by a radian in one long step acted where it was before."""
    scene = build(
        RobotSpec(rod('<motor name="m" joint="j"/>')), options=PhysicsOptions(timestep=0.1)
    )
    scene.data.qvel[0] = 10.0
    scene.data.body("link").xfrc_applied[2] = 8.0
    scene.step()
    assert abs(scene.joints.position[0]) > 0.9
    assert scene.joints.external_effort[0] == pytest.approx(2.0, rel=1e-12)
