"""Wrong scenario files: the sign « stands where the error must say that it is.

Each is the file of ``scenario_scene`` with a duration of 1 s and other lines. ``names`` are those
that only the scene can tell: they are found before anything runs.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CASES", "BadScenario"]


@dataclass(frozen=True)
class BadScenario:
    """A wrong file.

    Attributes:
        name: What is wrong.
        text: The lines after the scene and the duration, with the sign.
        where: The path of the field at fault.
        says: What the message has.
        close: A near match that it offers.
        reads: Whether the file can be read, and is wrong in its scene.
    """

    name: str
    text: str
    where: str
    says: str
    close: str | None = None
    reads: bool = False


END = "expect: [{no_warnings: true}]\n"


def do(entry: str, *more: str) -> str:
    """A timeline of an entry, and others after it."""
    lines = "".join(f"  - {{{e}}}\n" for e in (entry, *more))
    return f"timeline:\n{lines}{END}"


def see(entry: str) -> str:
    """An expectation."""
    return f"expect:\n  - {{{entry}}}\n"


def _(name: str, text: str, where: str, says: str, close: str | None = None) -> BadScenario:
    return BadScenario(name, text, where, says, close)


def names(name: str, text: str, where: str, says: str, close: str | None = None) -> BadScenario:
    """What only the scene can tell."""
    return BadScenario(name, text, where, says, close, reads=True)


FORM = [
    _("no expectation", "expect: «[]\n", "expect", "cannot fail"),
    _("unknown field", END + "«timelin: []\n", "timelin", "no field", "timeline"),
    _("timeline as a mapping", "timeline: «{at: 1}\n" + END, "timeline", "expected a list"),
    _("an entry as a word", "timeline: [«stop]\n" + END, "timeline[0]", "expected a mapping"),
    _("a class for its word", do("at: 0, «set_actuator: {to: 1}"), "timeline[0]",
      "no action 'set_actuator'", "set"),
    _("unknown action", do("at: 0, «mov: {robot: arm}"), "timeline[0]", "no action 'mov'", "move"),
    _("two actions", do("at: 0, stop: arm, «recover: arm"), "timeline[0]", "got stop and recover"),
    _("no action", "timeline:\n  - «{at: 0}\n" + END, "timeline[0]", "got none"),
    _("no time", do("stop: «arm"), "timeline[0].at",
      "needs 'at'"),
    _("time as a word", do("at: «soon, stop: arm"), "timeline[0].at", "a number"),
    _("negative time", do("at: «-1, stop: arm"), "timeline[0].at", ">= 0"),
    _("time at the end", do("at: «1, stop: arm"), "timeline[0].at", "not before the end"),
    _("unknown field of an action", do("at: 0, command: {robot: arm, «too: [1]}"),
      "timeline[0].command.too", "no field 'too'", "to"),
    _("missing field of an action", do("at: 0, move: «{robot: arm, to: [1]}"),
      "timeline[0].move.over", "needs 'over'"),
    _("a move in no time", do("at: 0, move: {robot: arm, to: [1], over: «0}"),
      "timeline[0].move.over", "> 0"),
    _("numbers as words", do("at: 0, command: {robot: arm, to: [«a]}"),
      "timeline[0].command.to[0]", "number"),
    _("no numbers", do("at: 0, command: {robot: arm, to: «[]}"), "timeline[0].command.to",
      "got none"),
    _("a number that is none", do("at: 0, command: {robot: arm, to: [«.nan]}"),
      "timeline[0].command.to[0]", "finite"),
    _("unknown mode", do("at: 0, set_mode: {robot: arm, mode: «TORK}"),
      "timeline[0].set_mode.mode", "unknown value", "TORQUE"),
    _("a mode as a word", do("at: 0, set_mode: «TORQUE"), "timeline[0].set_mode",
      "a mapping"),
    _("a force of two numbers", do("at: 0, wrench: {body: ball, force: «[1, 2]}"),
      "timeline[0].wrench.force", "3 numbers"),
    _("a wrench that ends before", do("at: 0.5, wrench: {body: ball, until: «0.4}"),
      "timeline[0].wrench.until", "before it begins"),
    _("a pose of nothing", do("at: 0, pose: «{body: flag}"), "timeline[0].pose.position",
      "give position"),
    _("a quaternion that is none", do("at: 0, pose: {body: flag, orientation: «[1, 1, 1, 1]}"),
      "timeline[0].pose.orientation", "unit quaternion"),
    _("unknown controller", do("at: 0, add_controller: {robot: arm, controller: «JointAdmitance}"),
      "timeline[0].add_controller.controller", "unknown value", "JointAdmittance"),
    _("unknown parameter", do("at: 0, add_controller: {robot: arm, controller: JointAdmittance, "
      "parameters: {compliance: 1, lamda_: «2}}"),
      "timeline[0].add_controller.parameters['lamda_']", "no parameter 'lamda_'", "lambda_"),
    _("missing parameter", do("at: 0, add_controller: {robot: arm, controller: JointImpedance, "
      "parameters: «{stiffness: 1}}"), "timeline[0].add_controller.parameters", "'damping'"),
    _("a parameter that is none", do("at: 0, add_controller: {robot: arm, controller: "
      "JointImpedance, parameters: {stiffness: «-1, damping: 1}}"),
      "timeline[0].add_controller.parameters['stiffness']", "expected"),
    _("an object that is none", do("at: 0, add_object: {name: a, shape: «bal, size: [1]}"),
      "timeline[0].add_object.shape", "unknown value"),
    _("unknown field of an object",
      do("at: 0, add_object: {name: a, shape: box, «sise: [1, 1, 1]}"),
      "timeline[0].add_object.sise", "no field 'sise'", "size"),
    _("unknown expectation", see("«joynt: {joint: arm/hinge}"), "expect[0]", "no expectation",
      "joint"),
    _("two expectations", see("no_warnings: true, «within_limits: arm"), "expect[0]",
      "got no_warnings and within_limits"),
    _("two times", see("no_warnings: true, at: 0, since: «0"), "expect[0].since", "one time"),
    _("a time inside and outside", see("no_warnings: {«at: 0.2}, at: 0.5"),
      "expect[0].no_warnings.at", "given twice"),
    _("a time of an action inside and outside", do("at: 0, command: {«at: 0, robot: arm, to: [1]}"),
      "timeline[0].command.at", "given twice"),
    _("a time after the end", see("no_warnings: true, at: «1.5"), "expect[0].at", "after the end"),
    _("a span after the end", see("no_warnings: true, during: «[0, 1.5]"), "expect[0].during",
      "after the end"),
    _("a span backwards", see("no_warnings: true, once: «[0.5, 0.1]"), "expect[0].once",
      "before it has begun"),
    _("a span of one", see("no_warnings: true, once: «[0.5]"), "expect[0].once", "2 items"),
    _("nothing of a joint", see("joint: «{joint: arm/hinge}"), "expect[0].joint", "give one of"),
    _("two things of a joint", see("joint: {joint: arm/hinge, position: 1, effort: «1}"),
      "expect[0].joint.effort", "position and effort"),
    _("bounds without a bound", see("joint: {joint: arm/hinge, position: «{}}"),
      "expect[0].joint.position", "give min or max"),
    _("bounds backwards", see("joint: {joint: arm/hinge, position: {min: «1, max: 0}}"),
      "expect[0].joint.position.min", "nothing is between"),
    _("unknown bound", see("joint: {joint: arm/hinge, position: {«mn: 1}}"),
      "expect[0].joint.position.mn", "no field", "min"),
    _("a negative tolerance", see("joint: {joint: arm/hinge, position: 1, tolerance: «-1}"),
      "expect[0].joint.tolerance", ">= 0"),
    _("a tolerance of bounds", see("joint: {joint: arm/hinge, position: {max: 1}, tolerance: «1}"),
      "expect[0].joint.tolerance", "bounds have no tolerance"),
    _("a tolerance of a sensor's bounds",
      see("sensor: {sensor: arm/angle, value: {min: 0}, tolerance: «0}"),
      "expect[0].sensor.tolerance", "bounds have no tolerance"),
    _("a tolerance of a body's bounds", see("body: {body: ball, z: {min: 0}, tolerance: «0.5}"),
      "expect[0].body.tolerance", "bounds have no tolerance"),
    _("a tolerance of a distance's bounds",
      see("distance: {between: [ball, wall], value: {min: 1}, tolerance: «0.5}"),
      "expect[0].distance.tolerance", "bounds have no tolerance"),
    _("a tolerance of a way's bounds", see("moved: {body: ball, by: {min: 1}, tolerance: «0.5}"),
      "expect[0].moved.tolerance", "bounds have no tolerance"),
    _("a place in degrees", see("body: {body: ball, z: «{deg: 10}}"), "expect[0].body.z",
      "is no angle"),
    _("a distance in degrees", see("distance: {between: [ball, wall], value: «{deg: 1}}"),
      "expect[0].distance.value", "is no angle"),
    _("an effort in degrees", see("joint: {joint: arm/hinge, effort: «{deg: 10}}"),
      "expect[0].joint.effort", "is no angle"),
    _("a sensor without a tolerance", see("sensor: «{sensor: arm/angle, value: 1}"),
      "expect[0].sensor.tolerance", "needs a tolerance"),
    _("a body and nothing of it", see("body: «{body: ball}"), "expect[0].body", "give position"),
    _("contact with itself", see("contact: {between: «[ball, ball]}"),
      "expect[0].contact.between", "twice"),
    _("contact of three", see("contact: {between: «[ball, arm, wall]}"),
      "expect[0].contact.between", "2 items"),
    _("but without of", see("no_contact: {between: [ball, arm], but: «[wall]}"),
      "expect[0].no_contact.but", "'of' alone"),
    _("an expectation without its colon", "expect: [«no_warnings]\n", "expect[0]",
      "write no_warnings: true"),
    _("unknown robot mode", see("robot_mode: {robot: arm, mode: «REFLEKS}"),
      "expect[0].robot_mode.mode", "unknown value", "REFLEX"),
]  # fmt: skip
SCENE = [
    names("time between steps", do("at: «0.0011, stop: arm"), "timeline[0].at", "multiple"),
    names("no such robot", do("at: 0, stop: «arn"), "timeline[0].stop.robot", "no robot 'arn'",
          "arm"),
    names("no such robot in the second of two", do("at: 0, stop: arm", "at: 0.5, recover: «arn"),
          "timeline[1].recover.robot", "no robot", "arm"),
    names("no such joint", do("at: 0, set_mode: {robot: arm, mode: TORQUE, joints: «[hing]}"),
          "timeline[0].set_mode.joints", "hing", "arm/hinge"),
    names("too many numbers", do("at: 0, command: {robot: arm, to: «[1, 2]}"),
          "timeline[0].command.to", "1 joints that take commands, got 2"),
    names("a number of no joint", do("at: 0, command: {robot: arm, to: {hinge: 1, hinj: «1}}"),
          "timeline[0].command.to['hinj']", "no joint 'hinj'"),
    names("a move beyond the end", do("at: 0.5, move: {robot: arm, to: [1], over: «0.6}"),
          "timeline[0].move.over", "after the scenario's end"),
    names("a move of no whole steps", do("at: 0.5, move: {robot: arm, to: [1], over: «0.0333}"),
          "timeline[0].move.over", "multiple"),
    names("no such body", do("at: 0, wrench: {body: «bal, force: [1, 0, 0]}"),
          "timeline[0].wrench.body", "no robot or body 'bal'", "ball"),
    names("a fixed body", do("at: 0, wrench: {body: «wall, force: [1, 0, 0]}"),
          "timeline[0].wrench.body", "does not move by forces"),
    names("a pose without gains", do("at: 0, pose: {body: «ball, position: [0, 0, 1]}"),
          "timeline[0].pose.body", "no gains"),
    names("no such actuator", do("at: 0, set: {actuator: «arm/pul, to: 0}"),
          "timeline[0].set.actuator", "no actuator", "arm/pull"),
    names("an actuator that is a mode", do("at: 0, set: {actuator: «arm/servo, to: 0}"),
          "timeline[0].set.actuator", "a mode of a joint"),
    names("a control beyond its range", do("at: 0, set: {actuator: arm/pull, to: «0.6}"),
          "timeline[0].set.to", "beyond the range"),
    names("a controller on no such joint", do("at: 0, add_controller: {robot: arm, controller: "
          "GravityCompensation, joints: «[hing]}"), "timeline[0].add_controller.joints", "hing",
          "arm/hinge"),
    names("a controller of another size", do("at: 0, add_controller: {robot: arm, controller: "
          "«JointImpedance, parameters: {stiffness: [1, 2], damping: 1}}"),
          "timeline[0].add_controller.controller", "2"),
    names("two controllers of one joint", do(
          "at: 0, add_controller: {robot: arm, controller: JointAdmittance}",
          "at: 0.1, add_controller: {robot: «arm, controller: JointAdmittance}"),
          "timeline[1].add_controller.robot", "commands joint 'arm/hinge'"),
    names("a command to a controlled joint", do(
          "at: 0, add_controller: {robot: arm, controller: JointAdmittance}",
          "at: 0.1, command: {robot: «arm, to: [1]}"),
          "timeline[1].command.robot", "commands joint 'arm/hinge'"),
    names("no such controller", do("at: 0, remove_controller: {robot: arm, name: «spring}"),
          "timeline[0].remove_controller.name", "no controller 'spring'"),
    names("a controller that is gone", do(
          "at: 0, add_controller: {robot: arm, controller: JointAdmittance}",
          "at: 0.1, remove_controller: {robot: arm, name: joint_admittance}",
          "at: 0.2, remove_controller: {robot: arm, name: «joint_admittance}"),
          "timeline[2].remove_controller.name", "at this time"),
    names("a setting that the controller lacks", do(
          "at: 0, add_controller: {robot: arm, controller: JointAdmittance}",
          "at: 0.1, set_controller: {robot: arm, name: joint_admittance, "
          "parameters: {lamda_: «1}}"),
          "timeline[1].set_controller.parameters['lamda_']", "no parameter", "lambda_"),
    names("a setting that is none", do(
          "at: 0, add_controller: {robot: arm, controller: JointAdmittance}",
          "at: 0.1, set_controller: {robot: arm, name: joint_admittance, "
          "parameters: {lambda_: «-1}}"),
          "timeline[1].set_controller.parameters['lambda_']", "expected"),
    names("a mode of joints that a controller has", do(
          "at: 0, add_controller: {robot: arm, controller: JointAdmittance}",
          "at: 0.1, set_mode: {robot: «arm, mode: TORQUE}"),
          "timeline[1].set_mode.robot", "the controller 'joint_admittance' commands"),
    names("a position beyond the joint's range", do("at: 0, command: {robot: arm, to: [«50]}"),
          "timeline[0].command.to[0]", "50 rad is beyond the range -2 … 2 rad of joint"),
    names("a motion beyond the joint's range", do("at: 0.2, set_mode: {robot: arm, mode: TORQUE}",
          "at: 0.1, move: {robot: arm, to: {hinge: «-2.1}, over: 0.1}"),
          "timeline[1].move.to['hinge']", "-2.1 rad is beyond the range"),
    names("a position after a reset", do("at: 0, set_mode: {robot: arm, mode: TORQUE}",
          "at: 0.1, command: {robot: arm, to: [50]}", "at: 0.2, reset: true",
          "at: 0.3, command: {robot: arm, to: [«50]}"),
          "timeline[3].command.to[0]", "50 rad is beyond the range"),
    names("a reference of another size", do(
          "at: 0, add_controller: {robot: arm, controller: JointAdmittance}",
          "at: 0.1, set_controller: {robot: arm, name: joint_admittance, reference: «[1, 2]}"),
          "timeline[1].set_controller.reference", "1 joints, got 2"),
    names("an object that is there",
          do("at: 0, add_object: {name: «ball, shape: sphere, size: [1]}"),
          "timeline[0].add_object.name", "already"),
    names("an object that is not there", do("at: 0, remove_object: «bal"),
          "timeline[0].remove_object.name", "no object", "ball"),
    names("an object that is gone", do("at: 0.1, remove_object: ball",
          "at: 0.2, wrench: {body: «ball, force: [1, 0, 0]}"),
          "timeline[1].wrench.body", "not there all the time"),
    names("an object that comes later", do("at: 0.1, wrench: {body: «late, force: [1, 0, 0]}",
          "at: 0.2, add_object: {name: late, shape: sphere, size: [1]}"),
          "timeline[0].wrench.body", "not there all the time"),
    names("no such keyframe", do("at: 0, reset: «arm/upp"), "timeline[0].reset.keyframe",
          "no keyframe", "arm/up"),
    names("jumps where nothing switches", "timeline: [{at: 0.5, stop: arm}]\n"
          + see("effort_jump: «1, during: [0, 0.4]"), "expect[0].effort_jump.below",
          "could not fail"),
    names("no such joint to see", see("joint: {joint: «hinge, position: 0}"),
          "expect[0].joint.joint", "no joint 'hinge'", "arm/hinge"),
    names("a joint without a position", see("joint: {joint: «ball_joint0, position: 0}"),
          "expect[0].joint.joint", "no single position"),
    names("no such body or site", see("body: {body: «arm/wris, z: 0}"), "expect[0].body.body",
          "no body or site", "arm/wrist"),
    names("no such place of two", see("distance: {between: [ball, «arm/wris], value: 0}"),
          "expect[0].distance.between[1]", "no body or site", "arm/wrist"),
    names("no such sensor", see("sensor: {sensor: «angle, value: 0, tolerance: 1}"),
          "expect[0].sensor.sensor", "no sensor", "arm/angle"),
    names("a sensor of three numbers", see("sensor: {sensor: arm/place, value: «0, tolerance: 1}"),
          "expect[0].sensor.value", "reads 3"),
    names("no such force sensor", see("ft_sensor: {robot: arm, sensor: «wris, force: [0, 0, 0]}"),
          "expect[0].ft_sensor.sensor", "wris", "wrist"),
    names("no such thing to touch", see("contact: {between: [ball, «flor]}"),
          "expect[0].contact.between[1]", "no robot, body or geom", "floor"),
    names("no such thing allowed", see("no_contact: {of: ball, but: [floor, «wal]}"),
          "expect[0].no_contact.but[1]", "no robot, body or geom", "wall"),
    names("no such robot to see", see("robot_mode: {robot: «ar, mode: MOVE}"),
          "expect[0].robot_mode.robot", "no robot", "arm"),
    names("a time to see between steps", see("no_warnings: true, at: «0.5005"), "expect[0].at",
          "multiple"),
    names("seen before it counts", see("moved: {body: ball, by: 0, after: «0.5}, at: 0.1"),
          "expect[0].moved.after", "before it counts"),
    names("seen when it is gone", "timeline: [{at: 0.5, remove_object: ball}]\n"
          + see("body: {body: «ball, z: 0.1}"), "expect[0].body.body", "not there all the time"),
    names("no such body to record", "bodies: [ball, «bal]\n" + END, "bodies[1]", "no body",
          "ball"),
    names("no such sensor to record", "sensors: [«angle]\n" + END, "sensors[0]", "no sensor",
          "arm/angle"),
]  # fmt: skip
CASES = (*FORM, *SCENE)
