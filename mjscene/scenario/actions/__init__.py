"""What a timeline can do: one file per kind of action, all of the base ``Action``."""

from mjscene.scenario.actions.actuator import SetActuator
from mjscene.scenario.actions.call import Call
from mjscene.scenario.actions.commands import Command, Move
from mjscene.scenario.actions.controllers import (
    AddController,
    RemoveController,
    SetController,
)
from mjscene.scenario.actions.modes import SetMode
from mjscene.scenario.actions.objects import AddObject, RemoveObject
from mjscene.scenario.actions.pose import PlaceBody
from mjscene.scenario.actions.stops import Recover, Reset, Stop
from mjscene.scenario.actions.wrench import Push

__all__ = [
    "ACTIONS",
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
]

_IN_FILES = (
    *(SetMode, Command, Move, SetActuator, Push, PlaceBody),
    *(AddController, SetController, RemoveController, AddObject, RemoveObject),
    *(Stop, Recover, Reset),
)
ACTIONS = {cls.word: cls for cls in _IN_FILES}
"""The actions that a file can have, by their words."""
