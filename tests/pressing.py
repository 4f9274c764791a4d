"""The real UR5e that presses on a table, and what stopped robots are asked."""

from __future__ import annotations

import re
from typing import Any

import mujoco
import numpy as np
from field_models import build
from mode_models import TWO
from numpy.typing import NDArray
from real_models import ur5e_and_gripper

from mjscene import CtrlModeSpec, JointLimits, RobotSpec, Scene, SceneObject

__all__ = [
    "FREE",
    "MOTORS",
    "THRESHOLD",
    "VELOCITIES",
    "contact_efforts",
    "gap",
    "motors_only",
    "press",
    "pressing",
    "with_actuators",
]

Array = NDArray[np.float64]
# Over the table, the tool pointing down.
ABOVE = (0.0, -1.2, 1.6, -1.97, -1.57, 0.0)
THRESHOLD = 12.0  # [N·m]
TABLE = SceneObject(
    "table", shape="box", size=(0.15, 0.15, 0.05), pos=(-0.62, -0.134, 0.21), fixed=True
)
FREE = SceneObject("far", shape="sphere", size=(0.1,), pos=(9, 9, 9))


def pressing(*more: RobotSpec, reflex: bool = True, path: Any = None, **fields: Any) -> Scene:
    """The arm over a table, with a threshold of collision on every joint."""
    limits = (JointLimits(contact_threshold=1.0, collision_threshold=THRESHOLD),)
    given = {"home": ABOVE, "limits": limits, "reflex": reflex, "modes": (CtrlModeSpec(),)}
    arm = RobotSpec(path or ur5e_and_gripper()[0], prefix="arm/", **given | fields)
    return build(arm, *more, objects=(TABLE,))


def press(scene: Scene) -> None:
    """A step, with the arm's shoulder commanded a little lower than before."""
    scene.robots["arm"].command[1] += 1e-3
    scene.step()


def with_actuators(kind: str, xml: str = TWO) -> str:
    """The arm with two joints driven by something else: ``motor joint="j{}"`` and the like."""
    pattern = r'<position name="p(\d)" joint="j(\d)"[^>]*/>'
    return re.sub(pattern, lambda m: f'<{kind.format(m[1])} name="p{m[1]}"/>', xml)


MOTORS = with_actuators('motor joint="j{}"')
VELOCITIES = with_actuators('velocity joint="j{}" kv="20"')


def motors_only() -> Any:
    """The UR5e with a plain motor on every joint and nothing else."""
    spec = mujoco.MjSpec.from_file(ur5e_and_gripper()[0])
    for actuator in list(spec.actuators):
        spec.delete(actuator)
    for key in list(spec.keys):
        spec.delete(key)
    for joint in spec.joints:
        hinge = mujoco.mjtTrn.mjTRN_JOINT
        spec.add_actuator(name=f"{joint.name}_motor", target=joint.name, trntype=hinge)
    return spec


def contact_efforts(model: Any, data: Any) -> Array:
    """What the contacts do to the dofs (nv,): their forces through the points' Jacobians."""
    total = np.zeros(model.nv)
    linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    wrench = np.zeros(6)
    for i in range(data.ncon):
        contact = data.contact[i]
        mujoco.mj_contactForce(model, data, i, wrench)
        axes = contact.frame.reshape(3, 3)
        force, torque = axes.T @ wrench[:3], axes.T @ wrench[3:]
        for geom, sign in zip(contact.geom, (-1.0, 1.0), strict=True):
            body = int(model.geom_bodyid[geom])
            mujoco.mj_jac(model, data, linear, angular, contact.pos, body)
            total += sign * (linear.T @ force + angular.T @ torque)
    return total


def gap(scene: Scene, robot: str = "arm") -> float:
    """The farthest that a joint is from where it was stopped [rad or m]."""
    joints = scene.robots[robot].joints
    return float(np.abs(joints.position - joints.stop_position).max())
