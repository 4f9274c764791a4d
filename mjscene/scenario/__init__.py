"""Scenarios: a timeline on a scene that is a regression test by itself.

A scenario is a scene, what is done to it and when, and what has to come of it. It is written in
YAML (``*.scenario.yaml``) or in Python, of the same parts:

    name: hold
    scene: arm_gripper
    duration: 1
    timeline:
      - {at: 0.2, set_mode: {robot: arm, mode: TORQUE}}
    expect:
      - {joint: {joint: arm/joint4, position: -2.356, tolerance: 0.01}, at: 0.4}
      - {effort_jump: 1.0e-6}

``read_scenario(path).run()`` gives a result with ``passed``, ``failures``, ``text`` and
``recording``. Every name in it is looked up before the first step, in the scene as it will be at
that time; what is wrong is an error with file, line, column and the field's path. Names are the
scene's, joints may be called as in their robot's file. Units are SI, quaternions (x, y, z, w).
"""

from mjscene.scenario.actions import (
    AddController,
    AddObject,
    Call,
    Command,
    Move,
    PlaceBody,
    Push,
    Recover,
    RemoveController,
    RemoveObject,
    Reset,
    SetActuator,
    SetController,
    SetMode,
    Stop,
)
from mjscene.scenario.base import Action, Expectation, Range
from mjscene.scenario.expectations import (
    AtRest,
    BodyAt,
    Check,
    Contact,
    Distance,
    EffortBelow,
    EffortJump,
    FtWrench,
    InCtrlMode,
    InRobotMode,
    JointPositions,
    JointValue,
    Moved,
    NoContact,
    NoWarnings,
    SensorValue,
    WithinLimits,
)
from mjscene.scenario.files import read_scenario, scenario_from_yaml, scenario_to_yaml
from mjscene.scenario.result import Checked, Failure, ScenarioResult
from mjscene.scenario.schema import scenario_schema
from mjscene.scenario.spec import Scenario

__all__ = [
    # what it is
    "Scenario",
    "read_scenario",
    "scenario_from_yaml",
    "scenario_schema",
    "scenario_to_yaml",
    # what is done
    "Action",
    "AddController",
    "AddObject",
    "Call",
    "Command",
    "Move",
    "PlaceBody",
    "Push",
    "Recover",
    "RemoveController",
    "RemoveObject",
    "Reset",
    "SetActuator",
    "SetController",
    "SetMode",
    "Stop",
    # what is expected
    "Expectation",
    "Range",
    "AtRest",
    "BodyAt",
    "Check",
    "Contact",
    "Distance",
    "EffortBelow",
    "EffortJump",
    "FtWrench",
    "InCtrlMode",
    "InRobotMode",
    "JointPositions",
    "JointValue",
    "Moved",
    "NoContact",
    "NoWarnings",
    "SensorValue",
    "WithinLimits",
    # what came of it
    "Checked",
    "Failure",
    "ScenarioResult",
]
