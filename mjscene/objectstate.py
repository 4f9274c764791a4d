"""States of robots and bodies, in the form of AMBF's ``ObjectState``/``RigidBodyState``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import CommandError, shown
from mjscene.geometry import (
    Header,
    Pose,
    Twist,
    Wrench,
    as_numbers,
    as_vector,
    check_keys,
    mapping,
)
from mjscene.poses import xyzw
from mjscene.statelayout import Place, StateLayout
from mjscene.targets import Target

if TYPE_CHECKING:
    from mjscene.scene import Scene

__all__ = ["ObjectState", "state_now"]

Array = NDArray[np.float64]
_JOINT_KEYS = ("joint_positions", "joint_velocities", "joint_efforts")
_KEYS = (
    *("header", "sim_step", "name", "wall_time", "sim_time", "mass", "pInertia", "pose", "twist"),
    *("wrench", "children_names", "joint_names", "joint_positions", "joint_velocities"),
    "joint_efforts",
)


class ObjectState:
    """The state of a robot or body at one time.

    The numbers are taken when it is made; what is derived from them is worked out when it is read.
    A robot's body is its base. Poses, twists and wrenches are in world axes. Arrays are sealed.
    """

    # One tuple, since a state is made every step: its layout; whether children, names and numbers
    # of joints are said; step, simulated and wall time; the pieces of memory that were read.
    __slots__ = ("_taken",)

    _taken: tuple[StateLayout, tuple[bool, bool, bool], int, float, float, list[bytes]]

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse: a state is what was.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError(f"a state does not change: {name} cannot be set")

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles."""
        return _state, self._taken

    def _of_joints(self, quantity: str) -> Array:
        return self._numbers(quantity) if self._taken[1][2] else _NONE

    def _numbers(self, quantity: str) -> Array:
        return self._taken[0].numbers(self._taken[5], quantity)

    @property
    def name(self) -> str:
        """Its name."""
        return self._taken[0].name

    @property
    def sim_step(self) -> int:
        """Steps taken since the last reset."""
        return int(self._taken[2])

    @property
    def sim_time(self) -> float:
        """Simulated time [s]."""
        return float(self._taken[3])

    @property
    def wall_time(self) -> float:
        """Time since the scene was built [s]."""
        return float(self._taken[4])

    @property
    def children_names(self) -> tuple[str, ...]:
        """Bodies below it; empty unless it is a root or was asked to publish them."""
        return self._taken[0].children_names if self._taken[1][0] else ()

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Joints that take commands below it; likewise."""
        return self._taken[0].joint_names if self._taken[1][1] else ()

    @property
    def joint_positions(self) -> Array:
        """Positions of the joints (n,) [rad or m]; empty unless they are published."""
        return self._of_joints("joint_positions")

    @property
    def joint_velocities(self) -> Array:
        """Velocities of the joints (n,) [rad/s or m/s]; likewise."""
        return self._of_joints("joint_velocities")

    @property
    def joint_efforts(self) -> Array:
        """What the drives deliver to the joints (n,) [N·m or N]; likewise."""
        return self._of_joints("joint_efforts")

    @property
    def mass(self) -> float:
        """Mass of the body [kg]."""
        return float(self._numbers("mass")[0])

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> ObjectState:
        """A state from a dict with AMBF's keys, as ``to_dict`` gives it.

        Raises:
            CommandError: A wrong or missing key, or a wrong value.
        """
        check_keys(mapping(value, "ObjectState"), _KEYS, "ObjectState")
        missing = [key for key in _KEYS if key not in value]
        if missing:
            raise CommandError(
                f"the key {missing[0]!r} is missing", where="ObjectState", allowed=_KEYS
            )
        Header.from_dict(value["header"])  # it says nothing that is not beside it
        pose, twist = Pose.from_dict(value["pose"]), Twist.from_dict(value["twist"])
        wrench = Wrench.from_dict(value["wrench"])
        x, y, z, w = pose.orientation
        step, name = value["sim_step"], value["name"]
        numbers: dict[str, Any] = {key: _checked_row(value[key], key) for key in _JOINT_KEYS}
        if isinstance(step, bool) or not isinstance(step, int | np.integer):
            raise CommandError(
                f"expected a whole number, got {shown(step)}", where="sim_step", given=step
            )
        if not isinstance(name, str):
            raise CommandError(f"expected a name, got {shown(name)}", where="name", given=name)
        sim_time, wall_time = (
            as_vector([value[key]], key, 1)[0] for key in ("sim_time", "wall_time")
        )
        numbers |= {
            "mass": as_vector([value["mass"]], "mass", 1),
            "inertia": as_vector(value["pInertia"], "pInertia", 3),
            **{"position": pose.position, "quaternion": (w, x, y, z), "center": pose.position},
            "spatial_velocity": (*twist.angular, *twist.linear),
            "wrench": (*wrench.force, *wrench.torque),
        }
        layout = StateLayout(
            name,
            _names(value["children_names"], "children_names"),
            _names(value["joint_names"], "joint_names"),
            {key: Place(k, 0, len(row)) for k, (key, row) in enumerate(numbers.items())},
        )
        pieces = [np.array(row, dtype=float).tobytes() for row in numbers.values()]
        return _state(layout, (True, True, True), int(step), sim_time, wall_time, pieces)

    @property
    def header(self) -> Header:
        """The step as its number, the simulated time as its stamp, in the frame ``world``."""
        return Header(seq=self.sim_step, stamp=self.sim_time, frame_id="world")

    @property
    def principal_inertia(self) -> Array:
        """Principal moments of inertia of the body (3,) [kg·m²]."""
        return self._numbers("inertia")

    @property
    def pose(self) -> Pose:
        """Pose of the body's frame in the world."""
        quaternion = self._numbers("quaternion")
        return Pose(position=self._numbers("position"), orientation=xyzw(quaternion.tolist()))

    @property
    def twist(self) -> Twist:
        """Velocity of the body's frame origin, and angular velocity, in world axes."""
        position, center = self._numbers("position"), self._numbers("center")
        spatial = self._numbers("spatial_velocity")  # at the centre of mass of the body's tree
        angular, linear = spatial[:3], spatial[3:]
        return Twist(linear=linear + np.cross(angular, position - center), angular=angular)

    @property
    def wrench(self) -> Wrench:
        """The force and torque applied to it from outside, at its centre of mass, in world axes."""
        force = self._numbers("wrench")
        return Wrench(force=force[:3], torque=force[3:])

    def to_dict(self) -> dict[str, Any]:
        """The state with AMBF's keys."""
        inertia = dict(zip("xyz", (float(v) for v in self.principal_inertia), strict=True))
        return {
            "header": self.header.to_dict(),
            "sim_step": self.sim_step,
            "name": self.name,
            "wall_time": self.wall_time,
            "sim_time": self.sim_time,
            "mass": float(self.mass),
            "pInertia": inertia,
            "pose": self.pose.to_dict(),
            "twist": self.twist.to_dict(),
            "wrench": self.wrench.to_dict(),
            "children_names": list(self.children_names),
            "joint_names": list(self.joint_names),
            "joint_positions": [float(v) for v in self.joint_positions],
            "joint_velocities": [float(v) for v in self.joint_velocities],
            "joint_efforts": [float(v) for v in self.joint_efforts],
        }

    def __repr__(self) -> str:
        return f"<ObjectState of {self.name!r} at t = {self.sim_time:.6g} s>"


_NONE = np.frombuffer(b"")
_new: Any = object.__new__
_put: Any = vars(ObjectState)["_taken"].__set__  # object.__setattr__ takes twice as long


def _state(*taken: Any) -> ObjectState:
    """A state of what was taken, in the order of ``ObjectState._taken``."""
    state: ObjectState = _new(ObjectState)
    _put(state, taken)
    return state


def state_now(scene: Scene, target: Target, publish: tuple[bool, bool, bool]) -> ObjectState:
    """The state of a robot or body now."""
    state: ObjectState = _new(ObjectState)
    now = perf_counter() - scene.began
    pieces = [read() for read in target.readers]
    _put(state, (target.layout, publish, scene.cycle.steps, scene.data.time, now, pieces))
    return state


def _checked_row(value: Any, where: str) -> Array:
    """Numbers of joints (n,)."""
    numbers = as_numbers(value, where)
    if numbers.ndim != 1:
        raise CommandError(f"expected numbers, got {shown(value)}", where=where, given=value)
    return numbers


def _names(value: Any, where: str) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise CommandError(f"expected names, got {shown(value)}", where=where, given=value)
    return tuple(str(name) for name in value)
