"""Scenes that the tests of commands share, and all of a scene that a refused command leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
from field_models import build
from mode_models import TWO, everything
from numpy.typing import NDArray

from mjscene import BodyController, PhysicsOptions, RobotSpec, Scene, SceneObject

__all__ = [
    "BACKWARDS",
    "CONTROLLER",
    "FIXED",
    "FLOATING",
    "SIZE",
    "WEIGHTLESS",
    "box",
    "box_inertia",
    "branching",
    "rows_of",
    "two_joints",
    "whole",
]

Array = NDArray[np.float64]
WEIGHTLESS = PhysicsOptions(gravity=(0, 0, 0), timestep=0.002)
CONTROLLER = BodyController(linear=(100.0, 20.0), angular=(5.0, 1.0))
SIZE = (0.1, 0.2, 0.3)  # half extents [m]: three different moments of inertia

# A flying base with two joints that take commands.
FLOATING = TWO.replace(
    '<body name="upper">',
    '<body name="base" pos="0 0 1"><freejoint name="root"/><geom size=".3" mass="30" contype="0" '
    'conaffinity="0"/><body name="upper">',
).replace("</body></body></worldbody>", "</body></body></body></worldbody>")

# The arm on a pedestal that is welded to the world.
FIXED = TWO.replace(
    '<body name="upper">', '<body name="base"><geom size=".1"/><body name="upper" pos="0 0 .3">'
).replace("</body></body></worldbody>", "</body></body></body></worldbody>")

# Two free bodies before the joints, a passive joint between those that take commands, and
# actuators of three kinds listed backwards: a pid with three inputs, a geared motor, a servo.
BACKWARDS = """<mujoco model="backwards"><option timestep="0.002" integrator="implicitfast"/>
 <default><geom contype="0" conaffinity="0"/></default><worldbody>
 <body name="f1" pos="0 3 1"><freejoint name="fj1"/><geom size=".05" mass="1"/></body>
 <body name="f2" pos="0 4 1"><freejoint name="fj2"/><geom size=".05" mass="1"/></body>
 <body name="b1"><joint name="q1" axis="0 1 0"/><geom size=".05" pos=".2 0 0" mass="1"/>
  <body name="b2" pos=".4 0 0"><joint name="passive" axis="1 0 0" damping=".1"/>
   <geom size=".05" pos=".1 .1 0" mass=".5"/>
   <body name="b3" pos=".3 0 0"><joint name="q2" axis="0 1 0"/>
    <geom size=".05" pos=".1 0 0" mass=".5"/>
    <body name="b4" pos=".3 0 0"><joint name="q3" type="slide" axis="1 0 0" damping="3"/>
     <geom size=".05" mass=".2"/></body></body></body></body></worldbody>
 <actuator><pid name="a3" joint="q3" kp="60" kv="6" input="pos vel ff"/>
  <motor name="a2" joint="q2" gear="20"/>
  <position name="a1" joint="q1" kp="80" kv="8"/></actuator></mujoco>"""


def box(name: str = "cube", mass: float = 2.0, **fields: Any) -> SceneObject:
    """A free box with three different moments of inertia, 1 m up."""
    return SceneObject(
        name, **{"shape": "box", "size": SIZE, "mass": mass, "pos": (0, 0, 1)} | fields
    )


def box_inertia(mass: float = 2.0, size: tuple[float, float, float] = SIZE) -> Array:
    """Principal moments of a solid box with half extents a, b, c (3,): m (b² + c²) / 3 …"""
    a, b, c = size
    return mass / 3 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])


def two_joints(**fields: Any) -> Scene:
    """The arm with two joints, named ``arm``, moving."""
    scene = build(RobotSpec(TWO, prefix="arm/", **fields))
    scene.data.qpos[:] = (0.3, -0.4)
    scene.data.qvel[:] = (0.7, -1.1)
    scene.step()
    return scene


def branching() -> Scene:
    """A robot on a flying base, one on a fixed one, boxes free, fixed and mocap."""
    return build(
        RobotSpec(FLOATING, prefix="fly/", controller=CONTROLLER),
        RobotSpec(FIXED, prefix="arm/", pos=(0, 2, 0)),
        objects=[
            box("cube", pos=(3, 0, 1), controller=CONTROLLER),
            box("loose", pos=(4, 0, 1)),
            box("wall", pos=(5, 0, 1), fixed=True),
            box("hand", pos=(6, 0, 1), mocap=True),
        ],
    )


def rows_of(scene: Scene, *joints: str) -> list[int]:
    """Where joints are in the scene's vectors."""
    return [scene.joint_names.index(j) for j in joints]


def whole(scene: Scene) -> dict[str, Any]:
    """All of a scene that a refused command must leave alone; see ``everything``."""
    data = scene.data
    fields = ("xfrc_applied", "qfrc_applied", "mocap_quat", "eq_active", "xpos", "cvel")
    state = scene.get_state()
    return {
        **everything(scene),
        **{name: getattr(data, name).copy() for name in fields},
        **{f"followed {i}": np.array(part) for i, part in enumerate(state.followed)},
        "controls": state.controls,
        "steps": scene.steps,
        "published": dict(scene.published),
        "watched": dict(scene.watch._fed),
        "released": set(scene.watch._released),
    }
