"""Scenes that the tests of the joint record share, and the names of its lines."""

from __future__ import annotations

import numpy as np
from command_models import BACKWARDS
from field_models import build
from mode_models import POSITION, TWO, VELOCITY, rod, velocity

from mjscene import (
    AttachmentSpec,
    CtrlModeSpec,
    JointLimits,
    RobotSpec,
    Scene,
    site,
)

__all__ = ["FLAGS", "GEARED", "MODES", "NUMBERS", "PAIRS", "scene_of_two"]

MODES = (CtrlModeSpec(POSITION, kp=30.0, kd=3.0), CtrlModeSpec(), velocity(20.0))
# A geared servo with a range and a force limit, and a slide with a geared motor.
GEARED = """<mujoco model="geared"><compiler angle="radian"/>
 <option timestep="0.002" integrator="implicitfast"/><worldbody>
 <body name="arm"><joint name="h" axis="0 -1 0" range="-2 1.5"/>
  <geom type="capsule" fromto="0 0 0 .5 0 0" size=".02" mass="1" contype="0" conaffinity="0"/>
  <body name="rail" pos=".5 0 0"><joint name="s" type="slide" axis="0 .6 .8" damping="2"/>
   <geom size=".05" mass=".4" contype="0" conaffinity="0"/>
   <geom size=".05" mass=".3" contype="0" conaffinity="0"/></body></body></worldbody>
 <actuator><position name="ph" joint="h" gear="-4" kp="8" kv="1" forcerange="-3 5"/>
 <motor name="ms" joint="s" gear="10" ctrlrange="-1 2"/></actuator></mujoco>"""
NUMBERS = (
    *("position velocity acceleration jerk effort gravity external_effort link_mass".split()),
    *("target_position target_velocity desired_position desired_velocity".split()),
    *("desired_acceleration desired_torque stop_position velocity_limit".split()),
    *("acceleration_limit jerk_limit position_gain velocity_gain".split()),
    *("contact_threshold collision_threshold command".split()),
)
PAIRS = ("position_limits", "effort_limits")
FLAGS = ("is_in_contact", "is_in_collision", "saturated")


def scene_of_two() -> Scene:
    hand = AttachmentSpec(
        rod('<position name="p" joint="j" kp="20" kv="2"/>'),
        attach_to=site("tip"),
        prefix="h/",
        name="hand",
        modes=MODES[1:],
    )
    limits = (JointLimits(velocity=2.0, contact_threshold=0.5), JointLimits(["j2"], jerk=9.0))
    scene = build(
        RobotSpec(BACKWARDS, prefix="b/"),
        RobotSpec(TWO, prefix="a/", attachments=[hand], pos=(0, -3, 0), limits=limits, modes=MODES),
    )
    scene.data.qvel[:] = np.random.default_rng(4).normal(size=scene.model.nv) * 0.2
    scene.command[:] = (0.1, 0.2, 0.05, 0.3, -0.3, 0.4)
    scene.set_control_mode("a", VELOCITY, ["j2"])
    scene.step(3)
    return scene
