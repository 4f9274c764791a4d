"""What a scenario can expect: one file per kind, all of the base ``Expectation``."""

from mjscene.scenarios.expectations.body import BodyAt
from mjscene.scenarios.expectations.check import Check
from mjscene.scenarios.expectations.contact import Contact, NoContact
from mjscene.scenarios.expectations.distance import Distance
from mjscene.scenarios.expectations.effort import EffortBelow, EffortJump
from mjscene.scenarios.expectations.joint import JointValue
from mjscene.scenarios.expectations.joints import JointPositions
from mjscene.scenarios.expectations.limits import WithinLimits
from mjscene.scenarios.expectations.modes import InCtrlMode, InRobotMode
from mjscene.scenarios.expectations.moved import Moved
from mjscene.scenarios.expectations.rest import AtRest
from mjscene.scenarios.expectations.sensor import FtWrench, SensorValue
from mjscene.scenarios.expectations.warning import NoWarnings

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
