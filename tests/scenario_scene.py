"""A small scene for scenarios: a hinge with a servo, a rail pulled by a tendon, and things."""

from __future__ import annotations

import textwrap
from typing import Any

from mjscene.scenario import Scenario, ScenarioResult, scenario_from_yaml

__all__ = ["ARM", "SCENE", "passed", "run", "scenario"]

ARM = """\
<mujoco model="arm">
  <compiler angle="radian"/>
  <option timestep="0.002"/>
  <worldbody>
    <body name="base">
      <body name="link" pos="0 0 1">
        <joint name="hinge" axis="0 1 0" range="-2 2"/>
        <geom name="rod" type="capsule" fromto="0 0 0 0.5 0 0" size="0.02" mass="1"/>
        <body name="tool" pos="0.5 0 0">
          <geom name="tip" type="sphere" size="0.03" mass="0.1"/>
          <site name="wrist"/>
        </body>
      </body>
      <body name="sled" pos="0 1 0.5">
        <joint name="rail" type="slide" axis="1 0 0" damping="20"/>
        <geom name="sled" type="box" size="0.05 0.05 0.05" mass="1"/>
      </body>
    </body>
  </worldbody>
  <tendon><fixed name="rope"><joint joint="rail" coef="1"/></fixed></tendon>
  <actuator>
    <position name="servo" joint="hinge" kp="1000" kv="60"/>
    <position name="pull" tendon="rope" kp="200" ctrlrange="0 0.5"/>
  </actuator>
  <sensor>
    <jointpos name="angle" joint="hinge"/>
    <framepos name="place" objtype="body" objname="tool"/>
    <force name="wrist_force" site="wrist"/>
    <torque name="wrist_torque" site="wrist"/>
  </sensor>
  <keyframe><key name="up" qpos="-1 0" ctrl="-1 0"/></keyframe>
</mujoco>
"""
SCENE = (
    """\
name: small
robots:
  - path: |
"""
    + textwrap.indent(ARM, " " * 6)
    + """\
    prefix: arm/
    modes: [{mode: TORQUE}, {mode: VELOCITY, kv: 20}]
    reflex: true
    limits: [{collision_threshold: 20}]
objects:
  - {name: ball, shape: sphere, size: [0.1], pos: [2, 0, 0.0999], mass: 1}
  - {name: kite, shape: box, size: [0.1, 0.1, 0.02], pos: [2, 2, 1], mass: 0.2,
     controller: {linear: [20, 4], angular: [0.2, 0.04]}}
  - {name: flag, shape: box, size: [0.1, 0.1, 0.1], pos: [3, 0, 1], mocap: true}
  - {name: wall, shape: box, size: [0.1, 0.1, 0.1], pos: [-2, 0, 0.1], fixed: true}
floor: true
"""
)


def scenario(timeline: str = "", expect: str = "", duration: float = 0.1) -> Scenario:
    """A scenario on the scene, of lines of YAML without their dashes."""
    text = f"duration: {duration}\nscene:\n{textwrap.indent(SCENE, '  ')}"
    for name, lines in (("timeline", timeline), ("expect", expect or "no_warnings: true")):
        entries = [line.strip() for line in lines.strip().splitlines() if line.strip()]
        if entries:
            text += f"{name}:\n" + "".join(f"  - {{{entry}}}\n" for entry in entries)
    return scenario_from_yaml(text, file="small.scenario.yaml")


def run(timeline: str = "", expect: str = "", duration: float = 0.1) -> ScenarioResult:
    """Its result."""
    return scenario(timeline, expect, duration).run()


def passed(result: Any) -> list[bool]:
    """Whether each expectation was met."""
    return [checked.passed for checked in result.checked]
