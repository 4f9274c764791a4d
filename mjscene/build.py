"""``build_scene``: compose, compile, bind."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np

from mjscene.compose import Composition, compose
from mjscene.control import ModeControl
from mjscene.errors import ComposeError, MjsceneWarning, SpecError, shown
from mjscene.explain import explain_compile_error
from mjscene.groups import GroupPlan
from mjscene.homes import home_warnings
from mjscene.keyframes import StateRow, fill_keyframes
from mjscene.messages import Captured, first_line
from mjscene.modes import ModePlan, add_modes
from mjscene.owners import Owner
from mjscene.report import geom_label
from mjscene.scene import Scene
from mjscene.setpoints import SetPoints
from mjscene.sources import source_key
from mjscene.spec import SceneSpec
from mjscene.stability import unstable_gains

__all__ = ["Built", "build_model", "build_scene"]


@dataclass
class Built:
    """A compiled scene that is not running yet."""

    composition: Composition
    model: Any
    data: Any
    start: StateRow
    plan: ModePlan
    control: ModeControl


def build_scene(spec: SceneSpec) -> Scene:
    """Build a scene: compose its robots into one model, compile it, and put it at its start.

    Args:
        spec: What the scene is.

    Returns:
        The running scene, at its start pose, at rest, at time 0.

    Raises:
        SpecError: ``spec`` is no SceneSpec.
        ComposeError: A source is missing or broken, a name is unknown or used twice, options
            conflict, or MuJoCo cannot compile the result; the message names the robot and, where
            there is one, the file and line.
    """
    if not isinstance(spec, SceneSpec):
        raise SpecError(
            f"expected a SceneSpec, got {shown(spec)}",
            where="build_scene",
            given=spec,
            hint=f"build_scene(load_scene({spec!r})) reads a file or a scene that ships"
            if isinstance(spec, str) and "<" not in spec
            else "wrap robots with SceneSpec(robots=[RobotSpec(...)])",
        )
    try:
        scene = Scene(build_model(_anchored(spec)), build_model)
    except mujoco.FatalError as error:
        raise ComposeError(f"MuJoCo cannot run it: {first_line(str(error))}") from error
    for message in scene.report.warnings:
        warnings.warn(message, MjsceneWarning, stacklevel=2)
    return scene


def _anchored(spec: SceneSpec) -> SceneSpec:
    """The spec with its relative paths made absolute: a later rebuild finds the same files."""

    def anchored(thing: Any) -> Any:
        parts = getattr(thing, "attachments", ())
        changes: dict[str, Any] = {"attachments": tuple([anchored(a) for a in parts])}
        if all(new is old for new, old in zip(changes["attachments"], parts, strict=True)):
            changes = {}
        if isinstance(thing.path, str) and source_key(thing.path) != thing.path:
            changes["path"] = source_key(thing.path)
        # A copy is checked like a new one, which takes longer than all else here.
        return replace(thing, **changes) if changes else thing

    robots, objects = [tuple([anchored(t) for t in ts]) for ts in (spec.robots, spec.objects)]
    if all(n is o for n, o in zip((*robots, *objects), (*spec.robots, *spec.objects), strict=True)):
        return spec
    return replace(spec, robots=robots, objects=objects)


def build_model(spec: SceneSpec) -> Built:
    """Compose and compile a scene, and make its keyframes whole.

    Raises:
        ComposeError: As ``build_scene``.
    """
    composition = compose(spec)
    plan = add_modes(composition)
    owners = mode_owners(composition)
    _assign_groups(composition.mjspec, plan, owners)
    with Captured() as captured:
        try:
            model = composition.mjspec.compile()
        except (ValueError, RuntimeError) as error:
            raise explain_compile_error(composition, str(error)) from error
    composition.warnings += [m for m in captured.messages if m not in composition.warnings]
    data = mujoco.MjData(model)
    control = ModeControl(model, data, plan, owners)
    start = fill_keyframes(model, composition, SetPoints(model, data, control).fill)
    composition.warnings += home_warnings(model, start.qpos, composition.owners)
    composition.warnings += _floor_warnings(model, data)
    composition.warnings += unstable_gains(model, control.table)
    composition.warnings += _idle_reflexes(composition)
    return Built(composition, model, data, start, plan, control)


def mode_owners(scene: Composition) -> list[Owner]:
    """Those who have a slot of actuator groups: robots, then attachments with modes."""
    robots = [o for o in scene.owners if o.kind == "robot"]
    return robots + [o for o in scene.owners if o.kind == "attachment" and o.spec.modes]  # type: ignore[union-attr]


def _assign_groups(mjspec: Any, plan: ModePlan, owners: list[Owner]) -> None:
    """Put every managed actuator into the group it is compiled with."""
    index = {id(owner): i for i, owner in enumerate(owners)}
    row_owner = np.array([index.get(id(j.owner), -1) for j in plan.joints], dtype=np.intp)
    groups = GroupPlan(row_owner, np.zeros(0, dtype=np.intp), len(owners))
    for joint, owner in zip(plan.joints, row_owner.tolist(), strict=True):
        for mode, name in joint.actuators.items():
            acting = mode == joint.initial
            mjspec.actuator(name).group = groups.compiled_group(owner, mode, acting)


def _idle_reflexes(scene: Composition) -> list[str]:
    """A warning for every robot whose reflex nothing can set off."""
    found = []
    for owner in scene.owners:
        if not getattr(owner.spec, "reflex", False):
            continue
        mine = [o for o in scene.owners if o.root is owner]
        limits = [entry for o in mine for entry in getattr(o.spec, "limits", ())]
        if all(entry.collision_threshold in (None, math.inf) for entry in limits):
            found.append(
                f"{owner.title} has a reflex that nothing sets off: give its joints a "
                "collision_threshold, limits=[JointLimits(collision_threshold=...)], or set one "
                "while it runs"
            )
    return found


def _floor_warnings(model: Any, data: Any) -> list[str]:
    """A warning if there are several horizontal planes that do not move."""
    mujoco.mj_kinematics(model, data)
    planes = np.flatnonzero(model.geom_type == int(mujoco.mjtGeom.mjGEOM_PLANE))
    static = [
        int(g)
        for g in planes
        if model.body_weldid[model.geom_bodyid[g]] == 0
        and data.geom_xmat[g, 8] > 0.99  # within 8 degrees of level
        and (model.geom_contype[g] or model.geom_conaffinity[g])
    ]
    if len(static) < 2:
        return []
    names = ", ".join(repr(geom_label(model, g)) for g in static)
    return [
        f"the scene has {len(static)} planes: {names}; a second floor doubles every contact with "
        "the ground: drop_world=True leaves out that of a robot's file"
    ]
