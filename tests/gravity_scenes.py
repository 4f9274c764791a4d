"""Robots that the tests of gravity compensation share."""

from __future__ import annotations

from typing import Any

from field_models import build
from mode_models import TWO, rod, velocity

from mjscene import CtrlMode, CtrlModeSpec, PhysicsOptions, RobotSpec, Scene

__all__ = ["MODES", "SERVO", "servo", "servo_in", "two"]

SERVO = '<position name="P" joint="j" kp="200" kv="20"/>'
MODES = (CtrlMode.POSITION, CtrlMode.TORQUE, CtrlMode.VELOCITY)


def servo(**fields: Any) -> Scene:
    modes = [velocity(), CtrlModeSpec(CtrlMode.TORQUE)]
    return build(RobotSpec(rod(SERVO), **{"prefix": "a/", "modes": modes} | fields))


def servo_in(options: PhysicsOptions) -> Scene:
    return build(RobotSpec(rod(SERVO), prefix="a/"), options=options)


def two(**fields: Any) -> Scene:
    """Two joints that move."""
    modes = [velocity(10.0), CtrlModeSpec(CtrlMode.TORQUE)]
    scene = build(RobotSpec(TWO, prefix="a/", modes=modes), **fields)
    scene.data.qpos[:], scene.data.qvel[:] = (0.4, -0.7), (0.5, -0.3)
    scene.forward()
    return scene
