"""A scene in the middle of its run, and everything in it by name."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from field_models import OBJ, build

from mjscene import RobotSpec, SceneObject

__all__ = ["LIVELY", "by_name", "differences", "lively", "object_named"]

# Joints of every type, an activation, a mocap body, an equality, a tendon, delays, user data.
LIVELY = """<mujoco model="lively"><option integrator="implicitfast" timestep="0.002"/>
 <size nuserdata="3"/><worldbody>
 <body name="target" mocap="true" pos="0 2 1"><geom size=".02" contype="0" conaffinity="0"/></body>
 <body name="base" pos="0 0 1"><geom name="b" size=".1" mass="5"/>
 <body name="l1" pos="0 0 .2"><joint name="hinge" axis="0 1 0" damping=".2" stiffness="2"/>
 <geom name="g1" type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass="1"/>
 <site name="s" pos=".3 0 0"/>
 <body name="l2" pos=".3 0 0"><joint name="slide" type="slide" axis="1 0 0" damping="1"
 stiffness="20"/><geom size=".03" mass=".5"/>
 <body name="l3" pos=".1 0 0"><joint name="ball" type="ball" damping=".05"/>
 <geom size=".03" pos="0 .1 0" mass=".2"/></body></body></body></body>
 <body name="loose" pos="1 0 .15"><freejoint name="free"/>
 <geom name="lg" size=".1" mass="1"/></body>
 <geom name="ground" type="plane" size="3 3 .1"/></worldbody>
 <tendon><fixed name="t"><joint joint="hinge" coef="1"/><joint joint="slide" coef="2"/></fixed>
 </tendon>
 <equality><connect name="tie" body1="l3" body2="base" anchor="0 .1 0" active="false"/>
 <joint name="link" joint1="hinge" joint2="slide" polycoef="0 1 0 0 0" solref=".1 1"/>
 </equality>
 <actuator><position name="servo" joint="hinge" kp="20" kv="1" timeconst=".05"/>
 <motor name="push" joint="slide" delay=".01" nsample="7"/><motor name="pull" tendon="t"/>
 </actuator>
 <sensor><jointpos name="js" joint="hinge" delay=".006" nsample="4"/></sensor></mujoco>"""


def object_named(name: str, place: int, shape: str = "box", **fields: Any) -> SceneObject:
    """An object far from everything, each at a place of its own."""
    size = {"box": [0.1] * 3, "sphere": [0.1], "capsule": [0.05, 0.1]}[shape]
    where = {"pos": (20.0 + 2 * place, 7.0, 30.0)}
    return SceneObject(name, shape=shape, size=size, **{**where, **fields})


def lively(*objects: SceneObject, steps: int = 60) -> Any:
    """The lively robot in a scene with objects, in the middle of its run."""
    scene = build(RobotSpec(LIVELY, prefix="a/", modes=()), objects=objects)
    data = scene.data
    for name, control in (("servo", 0.4), ("push", 0.7), ("pull", -0.2)):
        data.actuator(f"a/{name}").ctrl[0] = control
    data.body("a/l2").xfrc_applied[:] = (0.1, -0.2, 0.3, 0.01, 0.02, -0.03)
    data.joint("a/hinge").qfrc_applied[0] = 0.05
    data.mocap_pos[:] += 0.25
    data.mocap_quat[:] = (0.6, 0.8, 0, 0)
    data.eq_active[:] = (1, 0)
    data.userdata[:3] = (1, 2, 3)
    if steps:
        scene.step(steps)
    return scene


def by_name(scene: Any, *, model_too: bool = True) -> dict[tuple[str, ...], Any]:
    """State, controls, forces and model values of every named element, copied."""
    model, data = scene.model, scene.data
    found: dict[tuple[str, ...], Any] = {("time",): data.time}

    def put(kind: str, name: str, field: str, value: Any) -> None:
        assert name, kind
        found[kind, name, field] = np.array(value)

    for i in range(model.njnt):
        joint, here = model.joint(i), data.joint(i)
        for field in ("qpos", "qvel", "qacc_warmstart", "qfrc_applied"):
            put("joint", joint.name, field, getattr(here, field))
        if model_too:
            for field in ("range", "stiffness", "damping", "armature", "frictionloss"):
                put("joint", joint.name, field, getattr(joint, field))
    for i in range(1, model.nbody):
        body = model.body(i)
        put("body", body.name, "xfrc_applied", data.xfrc_applied[i])
        if body.mocapid[0] >= 0:
            put("body", body.name, "mocap_pos", data.mocap_pos[body.mocapid[0]])
            put("body", body.name, "mocap_quat", data.mocap_quat[body.mocapid[0]])
        if model_too:
            for field in ("mass", "inertia", "ipos", "pos"):
                put("body", body.name, field, getattr(body, field))
    for i in range(model.nactuator):
        name = mujoco.mj_id2name(model, OBJ.mjOBJ_ACTUATOR, i)
        for field in ("ctrl", "act"):
            start = getattr(model, f"actuator_{field}adr")[i]
            count = getattr(model, f"actuator_{field}num")[i]
            if count:
                put("actuator", name, field, getattr(data, field)[start : start + count])
        if model_too:
            put("actuator", name, "gainprm", model.actuator_gainprm[i])
            put("actuator", name, "group", model.actuator_group[i])
    for i in range(model.neq):
        name = mujoco.mj_id2name(model, OBJ.mjOBJ_EQUALITY, i)
        put("equality", name, "active", data.eq_active[i])
    return found


def differences(before: dict[tuple[str, ...], Any], after: dict[tuple[str, ...], Any]) -> list[Any]:
    """What is in both and is not the same bit for bit."""
    shared = before.keys() & after.keys()
    assert len(shared) > 20
    return [k for k in sorted(shared) if not np.array_equal(before[k], after[k])]
