"""Robots that can be stopped, in every mode, and the real arm right after a collision."""

from __future__ import annotations

from typing import Any

from field_models import build
from mode_models import POSITION, TORQUE, TWO, VELOCITY, velocity
from pressing import (
    MOTORS,
    VELOCITIES,
    motors_only,
    press,
    pressing,
    with_actuators,
)
from test_switching import FILTERED, PID

from mjscene import (
    CtrlMode,
    CtrlModeSpec,
    RobotMode,
    RobotSpec,
    Scene,
)

__all__ = ["ALL", "HELD", "HELD_FROM", "collided", "stopped_motors"]

ALL = (CtrlModeSpec(), velocity(20.0))


def collided(**fields: Any) -> Scene:
    """The arm right after the step in which it collided."""
    scene = pressing(**fields)
    for _ in range(400):
        if scene.robots["arm"].robot_mode is RobotMode.REFLEX:
            return scene
        press(scene)
    raise AssertionError("it never collided")


# What a robot is, the modes it can be stopped in, and the one that holds it.
HELD = {
    "servo": (RobotSpec(TWO, prefix="arm/", modes=ALL), tuple(CtrlMode), POSITION),
    "filtered servo": (RobotSpec(FILTERED, prefix="arm/", modes=ALL), tuple(CtrlMode), POSITION),
    "pid": (RobotSpec(PID, prefix="arm/", modes=ALL), tuple(CtrlMode), POSITION),
    "motors": (RobotSpec(MOTORS, prefix="arm/"), (TORQUE,), TORQUE),
    "geared motors": (
        RobotSpec(with_actuators('motor gear="-20" joint="j{}"'), prefix="arm/"),
        (TORQUE,),
        TORQUE,
    ),
    "filtered motors": (
        RobotSpec(
            with_actuators('general joint="j{}" dyntype="filterexact" dynprm=".02" gainprm="3"'),
            prefix="arm/",
        ),
        (TORQUE,),
        TORQUE,
    ),
    "velocity": (
        RobotSpec(VELOCITIES, prefix="arm/", modes=(velocity(20.0),)),
        (VELOCITY,),
        VELOCITY,
    ),
    "a real arm with motors": (
        RobotSpec(motors_only(), prefix="arm/", home=(0, -1.2, 1.6, -2, -1.6, 0)),
        (TORQUE,),
        TORQUE,
    ),
}
HELD_FROM = [(kind, before) for kind, (_, modes, _) in HELD.items() for before in modes]


def stopped_motors() -> Scene:
    scene = build(RobotSpec(MOTORS, prefix="arm/"))
    scene.step()
    scene.robots["arm"].stop()
    return scene
