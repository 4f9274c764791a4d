"""Controllers: laws that command joints of a robot in the step, and what they are made of.

``robot.add_controller(JointAdmittance())`` is all it takes; ``Controller`` is the base of your own.
"""

from mjscene.controllers.admittance import JointAdmittance
from mjscene.controllers.base import ControlledJoints, Controller
from mjscene.controllers.body_pose import BodyPose
from mjscene.controllers.filters import SecondOrderFilter
from mjscene.controllers.gravity import GravityCompensation
from mjscene.controllers.impedance import JointImpedance

__all__ = [
    "BodyPose",
    "ControlledJoints",
    "Controller",
    "GravityCompensation",
    "JointAdmittance",
    "JointImpedance",
    "SecondOrderFilter",
]
