"""What a scenario can expect: one file per kind, all of the base ``Expectation``."""

from mjscene.scenario.expectations.body import BodyAt
from mjscene.scenario.expectations.check import Check
from mjscene.scenario.expectations.contact import Contact, NoContact
from mjscene.scenario.expectations.distance import Distance
from mjscene.scenario.expectations.effort import EffortBelow, EffortJump
from mjscene.scenario.expectations.joint import JointValue
from mjscene.scenario.expectations.joints import JointPositions
from mjscene.scenario.expectations.limits import WithinLimits
from mjscene.scenario.expectations.modes import InCtrlMode, InRobotMode
from mjscene.scenario.expectations.moved import Moved
from mjscene.scenario.expectations.rest import AtRest
from mjscene.scenario.expectations.sensor import FtWrench, SensorValue
from mjscene.scenario.expectations.warning import NoWarnings

__all__ = [
    "EXPECTATIONS",
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
]

_IN_FILES = (
    *(JointValue, JointPositions, BodyAt, Distance, Moved, AtRest, SensorValue, FtWrench),
    *(InRobotMode, InCtrlMode, Contact, NoContact, EffortBelow, EffortJump, WithinLimits),
    NoWarnings,
)
EXPECTATIONS = {cls.word: cls for cls in _IN_FILES}
"""The expectations that a file can have, by their words."""
