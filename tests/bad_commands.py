"""Bad commands: what is commanded, and which object, field, index and joint the error names."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from command_models import CONTROLLER, FIXED, FLOATING, box
from field_models import FLOAT, build
from mode_models import POSITION, TORQUE, VELOCITY
from test_switching import FINGERS, GRIPPER

from mjscene import ObjectCmd, Pose, RobotSpec, Scene, Twist, Wrench

__all__ = ["BAD_COMMANDS", "BadCommand", "crowd"]

NAN, INF = math.nan, math.inf


@dataclass(frozen=True)
class BadCommand:
    """What must be refused.

    Attributes:
        id: What is wrong.
        make: Gives the commands by name, or raises while one is made.
        where: What the error's ``where`` is, or begins with where it ends in a star.
        says: What its text holds: the object's name, if the command could be made.
        element: The joint it names, if it is about one.
    """

    id: str
    make: Callable[[], Any]
    where: str
    says: str = ""
    element: str | None = None


def crowd() -> Scene:
    """A scene with one of everything, moving.

    ``arm`` has a fixed base and no VELOCITY, ``fly`` a flying one with gains, ``bare`` a flying
    one without, ``grip`` fingers that a tendon moves.
    """
    scene = build(
        RobotSpec(FIXED, prefix="arm/", pos=(0, 2, 0)),
        RobotSpec(FLOATING, prefix="fly/", controller=CONTROLLER, pos=(0, 4, 0)),
        RobotSpec(FLOAT, prefix="bare/", pos=(0, 6, 0)),
        RobotSpec(GRIPPER, prefix="grip/", modes=FINGERS, pos=(0, 8, 0)),
        objects=[
            box("cube", pos=(3, 0, 1), controller=CONTROLLER),
            box("loose", pos=(4, 0, 1)),
            box("wall", pos=(5, 0, 1), fixed=True),
            box("hand", pos=(6, 0, 1), mocap=True),
        ],
    )
    scene.data.qvel[:] = 0.1
    scene.apply(
        {
            "cube": ObjectCmd(enable_position_controller=1, pose=Pose(position=(3, 0, 2))),
            "loose": ObjectCmd(wrench=Wrench(force=(0.3, 0, 0))),
            "arm": ObjectCmd(joint_cmds=[0.2, -0.3], position_controller_mask=[1, 0]),
        }
    )
    scene.step(3)
    return scene


def _cmd(name: str, **fields: Any) -> Callable[[], Any]:
    return lambda: {name: ObjectCmd(**fields)}


def _joints(what: str, entry: str, **fields: Any) -> BadCommand:
    """A bad command of the arm's joints; ``entry`` follows the object in ``where``."""
    joint = {"[0]": "arm/j1", "[1]": "arm/j2"}.get(entry[entry.find("[") :])
    about = joint if "joint_cmds[" in entry else None
    return BadCommand(what, _cmd("arm", **fields), f"apply['arm'].{entry}", "'arm'", about)


def _body(what: str, name: str, field: str, **fields: Any) -> BadCommand:
    if field == "pose":
        fields = {"pose": Pose(position=(0, 0, 1)), "enable_position_controller": 1, **fields}
    elif not fields:
        push = {"wrench": Wrench(force=(1, 0, 0)), "twist": Twist(linear=(1, 0, 0))}
        fields = {field: push[field]}
    return BadCommand(what, _cmd(name, **fields), f"apply[{name!r}].{field}", repr(name))


_NUMBERS = [
    _joints("NaN", "joint_cmds[1]", joint_cmds=[0.1, NAN]),
    _joints("infinity", "joint_cmds[0]", joint_cmds=[INF, 0.1]),
    _joints("minus infinity", "joint_cmds[0]", joint_cmds=np.array([-INF, NAN])),
    _joints("one too many", "joint_cmds", joint_cmds=[0.1, 0.2, 0.3]),
    _joints("a thousand", "joint_cmds", joint_cmds=np.zeros(1000)),
    _joints(
        "NaN beside a mask", "joint_cmds[1]", joint_cmds=[0, NAN], position_controller_mask=[1]
    ),
    _joints("NaN beside types", "joint_cmds[0]", joint_cmds=[NAN], joint_cmd_types=[TORQUE]),
    _joints("one too many, masked", "joint_cmds", joint_cmds=[0] * 3, position_controller_mask=[]),
]
# What is no vector of numbers may be refused when the command is made, too.
_NO_NUMBERS: dict[str, Any] = {
    "a word": "abc",
    "bytes": b"ab",
    "one number": 3.0,
    "nothing in it": [None, 0.1],
    "rows": [[0.1, 0.2]],
    "ragged rows": [[0.1], [0.2, 0.3]],
    "complex numbers": [1j, 0.0],
    "a mapping": {0: 0.1},
    "numbers in quotes": ["1", "2"],
    "beyond a float": [10**400, 0.0],
    "objects": [object(), object()],
}
_MASKS: dict[str, tuple[str, Any]] = {
    "a mask too long": ("", [1, 0, 1]),
    "a mask of 2": ("[1]", [1, 2]),
    "a mask of a half": ("[0]", [0.5]),
    "a mask of NaN": ("[0]", [NAN]),
    "a mask of nothing": ("[1]", [1, None]),
    "a mask of words": ("[0]", ["1", "0"]),
    "a mask that is a word": ("", "10"),
    "a mask that is a number": ("", 1),
    "a mask that is a mapping": ("", {0: 1, 1: 0}),
    "a mask of rows": ("*", np.ones((1, 2))),
}
_TYPES: dict[str, tuple[str, Any]] = {
    "a type too few": ("", [TORQUE]),
    "a type too many": ("", [TORQUE, POSITION, TORQUE]),
    "no types": ("", []),
    "types that are numbers": ("[0]", [0, 1]),
    "types that are words": ("[0]", ["positon", "torque"]),
    "a type of nothing": ("[1]", [TORQUE, None]),
    "types that are a word": ("", "torque"),
    "types that are one mode": ("", TORQUE),
}
_JOINTS = [
    *_NUMBERS,
    *(
        BadCommand(f"numbers: {what}", _cmd("arm", joint_cmds=given), "*joint_cmds*")
        for what, given in _NO_NUMBERS.items()
    ),
    *(
        _joints(
            what,
            f"position_controller_mask{entry}",
            joint_cmds=[0.5, 0.6],
            position_controller_mask=given,
        )
        for what, (entry, given) in _MASKS.items()
    ),
    *(
        _joints(what, f"joint_cmd_types{entry}", joint_cmds=[0.5, 0.6], joint_cmd_types=given)
        for what, (entry, given) in _TYPES.items()
    ),
    _joints("a mask too long, alone", "position_controller_mask", position_controller_mask=[1] * 5),
    _joints("a mask of 7, alone", "position_controller_mask[0]", position_controller_mask=[7]),
    _joints("types alone", "joint_cmd_types", joint_cmd_types=[TORQUE]),
    _joints(
        "a mode that is not offered",
        "joint_cmds[0]",
        joint_cmds=[0.1, 0.2],
        joint_cmd_types=[VELOCITY, TORQUE],
    ),
    _joints(
        "a second mode that is not offered",
        "joint_cmds[1]",
        joint_cmds=[0.1, 0.2],
        joint_cmd_types=[TORQUE, VELOCITY],
    ),
    BadCommand(
        "a joint in no mode",
        _cmd("grip", joint_cmds=[0.0, 0.1]),
        "apply['grip'].joint_cmds[0]",
        "'grip'",
        "grip/fl",
    ),
    BadCommand(
        "a position of a joint without POSITION",
        _cmd("grip", joint_cmds=[0.0, 0.1], position_controller_mask=[0, 1]),
        "apply['grip'].joint_cmds[1]",
        "'grip'",
        "grip/fr",
    ),
    BadCommand(
        "numbers for a box", _cmd("cube", joint_cmds=[1]), "apply['cube'].joint_cmds", "cube"
    ),
]
_BODIES = [
    _body("a pose of a fixed base", "arm", "pose"),
    _body("a pose of a fixed object", "wall", "pose"),
    _body("a pose of a link", "arm/lower", "pose"),
    _body("a pose without gains", "loose", "pose"),
    _body("a pose of a robot without gains", "bare", "pose"),
    _body("a pose of a finger", "grip/l", "pose"),
    _body("a twist without gains", "loose", "twist"),
    _body("a twist of a fixed base", "arm", "twist"),
    _body("a twist of a link", "fly/upper", "twist"),
    _body("a twist of a mocap body", "hand", "twist"),
    _body("a wrench on a fixed base", "arm", "wrench"),
    _body("a wrench on a fixed object", "wall", "wrench"),
    _body("a wrench on a mocap body", "hand", "wrench"),
    _body("a wrench on the world", "world", "wrench"),
    _body("a pose beside good numbers", "arm", "pose", joint_cmds=[0.5, 0.6]),
    _body(
        "a wrench beside good numbers",
        "arm",
        "wrench",
        wrench=Wrench(torque=(1, 0, 0)),
        joint_cmds=[0.5],
    ),
]
_CUBE = ObjectCmd(wrench=Wrench(force=(9, 0, 0)))
_NAMES = [
    BadCommand("a name with a slip", lambda: {"amr": _CUBE}, "apply", "did you mean 'arm'"),
    BadCommand("a joint's name", lambda: {"arm/j1": _CUBE}, "apply", "'arm/j1'"),
    BadCommand("a name without its prefix", lambda: {"lower": _CUBE}, "apply", "arm/lower"),
    BadCommand("an empty name", lambda: {"": _CUBE}, "apply", "''"),
    BadCommand("no name", lambda: {None: _CUBE}, "apply", "None"),
    BadCommand("a number", lambda: {3: _CUBE}, "apply", "3"),
    BadCommand("a pair", lambda: {("arm", "fly"): _CUBE}, "apply", "('arm', 'fly')"),
    BadCommand("a good name and a bad one", lambda: {"arm": _CUBE, "arn": _CUBE}, "apply*", "ar"),
    BadCommand(
        "a dict for a command", lambda: {"arm": {"joint_cmds": [1]}}, "apply['arm']", "from_dict"
    ),
    BadCommand("nothing for a command", lambda: {"arm": None}, "apply['arm']", "'arm'"),
    BadCommand("numbers for a command", lambda: {"arm": [0.1, 0.2]}, "apply['arm']", "'arm'"),
    BadCommand("the class for a command", lambda: {"arm": ObjectCmd}, "apply['arm']", "'arm'"),
    BadCommand("no mapping", lambda: [("arm", _CUBE)], "apply", "mapping"),
    BadCommand("a command alone", lambda: _CUBE, "apply", "mapping"),
    BadCommand("nothing", lambda: None, "apply", "mapping"),
]


_PUSH, _ONE, _TWO = (
    ObjectCmd(wrench=Wrench()),
    ObjectCmd(joint_cmds=[1]),
    ObjectCmd(joint_cmds=[1, 2]),
)
_TWICE = [
    BadCommand(
        "a joint twice",
        lambda: {"arm": _TWO, "arm/lower": _ONE},
        "apply['arm/lower'].joint_cmds[0]",
        "'arm'",
        "arm/j2",
    ),
    BadCommand(
        "a joint twice, the other way",
        lambda: {"arm/lower": _ONE, "arm": _TWO},
        "apply['arm'].joint_cmds[1]",
        "'arm/lower'",
        "arm/j2",
    ),
    BadCommand(
        "a body twice", lambda: {"fly": _PUSH, "fly/base": _PUSH}, "apply['fly/base']*", "'fly'"
    ),
]
# Refused when they are made: they do not know yet whom they are for.
_MADE: dict[str, tuple[str, Callable[[], Any]]] = {
    "a zero quaternion": ("pose.orientation", lambda: Pose(orientation=(0, 0, 0, 0))),
    "a long quaternion": ("pose.orientation", lambda: Pose(orientation=(1, 0, 0, 1))),
    "NaN in a quaternion": ("pose.orientation[3]", lambda: Pose(orientation=(0, 0, 0, NAN))),
    "infinity in a position": ("pose.position[0]", lambda: Pose(position=(INF, 0, 0))),
    "NaN in a force": ("wrench.force[2]", lambda: Wrench(force=(0, 0, NAN))),
    "NaN in a torque": ("wrench.torque[0]", lambda: Wrench(torque=(NAN, 0, 0))),
    "NaN in a twist": ("twist.angular[1]", lambda: Twist(angular=(0, NAN, 0))),
    "a position of two": ("pose.position", lambda: Pose(position=(0, 0))),
    "mask and types": (
        "joint_cmd_types",
        lambda: ObjectCmd(position_controller_mask=[1], joint_cmd_types=[TORQUE]),
    ),
    "a wrong key": ("ObjectCmd", lambda: ObjectCmd.from_dict({"joints": [1]})),
    "a wrong key in a pose": (
        "pose",
        lambda: ObjectCmd.from_dict({"cartesian_cmd_type": 1, "pose": {"xyz": 1}}),
    ),
    "a wrong code": ("joint_cmds_types[0]", lambda: ObjectCmd.from_dict({"joint_cmds_types": [7]})),
}
BAD_COMMANDS = [
    *_JOINTS,
    *_BODIES,
    *_NAMES,
    *_TWICE,
    *(BadCommand(f"made: {what}", make, where) for what, (where, make) in _MADE.items()),
]
