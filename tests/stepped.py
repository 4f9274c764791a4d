"""A scene beside MuJoCo: the same controls to ``mj_step`` by hand, and ``mj_forward`` on a copy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
from field_models import build
from real_models import real_models
from running_scene import LIVELY

import mjscene
from mjscene import PhysicsOptions, RobotSpec, Scene, SceneSpec

__all__ = ["AFTER", "INTEGRATORS", "SCENES", "STATE", "Beside", "forwarded", "scene_of", "unlike"]

INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast", "discrete")
# What is lively, with a body that follows the mocap body.
TIED = LIVELY.replace(
    "</equality>", '<weld name="pull" body1="loose" body2="target" solref=".1 1"/></equality>'
)
# Real models with free joints, tendons, equalities, contacts and sensors.
REAL = ("humanoid", "quadruped", "fish")
SCENES = ("lively", *mjscene.scene_names(), *REAL)
STATE = ("time", "qpos", "qvel", "act", "history", "plugin_state", "userdata")
# What a step has computed on its way: of the step just taken.
TAKEN = ("qacc", "qfrc_actuator", "qfrc_constraint", "actuator_force", "qacc_warmstart")
# What follows from the state of now alone.
AFTER = (
    *("xpos", "xquat", "xmat", "xipos", "geom_xpos", "geom_xmat", "site_xpos", "site_xmat"),
    *("subtree_com", "cvel", "cdof", "qfrc_bias", "qfrc_passive", "actuator_length"),
    *("actuator_velocity", "ten_length", "ten_velocity", "cam_xpos", "M", "xanchor"),
)


def scene_of(name: str, integrator: str) -> Scene:
    """A shipped scene, a real model or the lively one, under an integrator."""
    if name in mjscene.scene_names():
        spec = mjscene.load_scene(name)
    elif name == "lively":
        spec = SceneSpec([RobotSpec(TIED, prefix="a/")])
    else:
        model = next(m for m in real_models() if m.name == f"dm_control:suite/{name}.xml")
        spec = SceneSpec([model.robot("r/")])
    options = replace(spec.options or PhysicsOptions(), integrator=integrator)
    fields = {f: getattr(spec, f) for f in spec.__dataclass_fields__ if f != "robots"}
    scene = build(*spec.robots, **{**fields, "options": options})
    assert int(scene.model.opt.integrator) == INTEGRATORS.index(integrator)
    return scene


class Beside:
    """MuJoCo's own data of a scene's model, stepped by hand with the controls of the scene."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.data: Any = mujoco.MjData(scene.model)
        mujoco.mj_copyData(self.data, scene.model, scene.data)

    def step(self) -> None:
        """One step by ``mj_step``, after the scene's, with the controls that it took."""
        self.data.ctrl[:] = self.scene.data.ctrl
        self.data.xfrc_applied[:] = self.scene.data.xfrc_applied
        mujoco.mj_step(self.scene.model, self.data)

    def differs(self) -> list[str]:
        """What of the state and of the step just taken is not the same bit for bit."""
        return unlike(self.scene.data, self.data, (*STATE, *TAKEN))


def unlike(one: Any, other: Any, fields: Iterable[str]) -> list[str]:
    """Fields of two MjData that are not the same bit for bit."""
    return [f for f in fields if not np.array_equal(getattr(one, f), getattr(other, f))]


def forwarded(scene: Scene) -> Any:
    """A copy of a scene's data after ``mj_forward``."""
    data = mujoco.MjData(scene.model)
    mujoco.mj_copyData(data, scene.model, scene.data)
    mujoco.mj_forward(scene.model, data)
    return data
