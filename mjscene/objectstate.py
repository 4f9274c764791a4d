"""States of robots and bodies, in the form of AMBF's ``ObjectState``/``RigidBodyState``."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import CommandError, shown
from mjscene.geometry import Header, Pose, Twist, Wrench, as_numbers, check_keys, mapping
from mjscene.poses import xyzw
from mjscene.targets import Target

if TYPE_CHECKING:
    from mjscene.scene import Scene

__all__ = ["ObjectState"]

Array = NDArray[np.float64]
_NONE = np.zeros(0)
_NONE.setflags(write=False)
_KEYS = (
    *("header", "sim_step", "name", "wall_time", "sim_time", "mass", "pInertia", "pose", "twist"),
    *("wrench", "children_names", "joint_names", "joint_positions", "joint_velocities"),
    "joint_efforts",
)


class ObjectState:
    """The state of a robot or body at one time.

    The numbers are taken when it is made; what is derived from them is worked out when it is read.
    A robot's body is its base. Poses, twists and wrenches are in world axes.

    Attributes:
        name: Its name.
        sim_step: Steps taken since the last reset.
        sim_time: Simulated time [s].
        wall_time: Time since the scene was built [s].
        mass: Mass of the body [kg].
        children_names: Bodies below it; empty unless it is a root or was asked to publish them.
        joint_names: Joints that take commands below it; likewise.
        joint_positions: (n,) [rad or m].
        joint_velocities: (n,) [rad/s or m/s].
        joint_efforts: What the drives deliver to the joints (n,) [N·m or N].
    """

    __slots__ = (
        *("_center", "_force", "_inertia", "_position", "_quaternion", "_spatial"),
        *("children_names", "joint_efforts", "joint_names", "joint_positions"),
        *("joint_velocities", "mass", "name", "sim_step", "sim_time", "wall_time"),
    )

    name: str
    sim_step: int
    sim_time: float
    wall_time: float
    mass: float
    children_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    joint_positions: Array
    joint_velocities: Array
    joint_efforts: Array
    _inertia: Array
    _position: Array
    _quaternion: Array
    _spatial: Array
    _center: Array
    _force: Array

    def __init__(self, **values: Any) -> None:
        put = object.__setattr__
        for name, value in values.items():
            put(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse: a state is what was.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError(f"a state does not change: {name} cannot be set")

    @classmethod
    def read(cls, scene: Scene, target: Target, publish: tuple[bool, bool, bool]) -> ObjectState:
        """The state of a robot or body now."""
        data = scene.data
        position, quaternion, spatial, center, force, mass, inertia = target.views
        children, names, positions = publish
        if positions:
            dofs = target.dof_adr
            measured = data.qpos.take(target.qpos_adr), data.qvel.take(dofs)
            efforts = data.qfrc_actuator.take(dofs)
        else:
            measured, efforts = (_NONE, _NONE), _NONE
        state = cls(
            name=target.name,
            sim_step=scene.steps,
            sim_time=data.time,
            wall_time=time.perf_counter() - scene.began,
            mass=float(mass[0]),
            children_names=target.children_names if children else (),
            joint_names=target.joint_names if names else (),
            joint_positions=measured[0],
            joint_velocities=measured[1],
            joint_efforts=efforts,
            _inertia=inertia.copy(),
            _position=position.copy(),
            _quaternion=quaternion.copy(),
            _spatial=spatial.copy(),
            _center=center.copy(),
            _force=force.copy(),
        )
        for array in (*measured, efforts):
            array.flags.writeable = False
        return state

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
        pose, twist = Pose.from_dict(value["pose"]), Twist.from_dict(value["twist"])
        wrench = Wrench.from_dict(value["wrench"])
        x, y, z, w = pose.orientation
        position = np.array(pose.position)
        joints = ("joint_positions", "joint_velocities", "joint_efforts")
        arrays = {name: as_numbers(value[name], name) for name in joints}
        for array in arrays.values():
            array.flags.writeable = False
        return cls(
            name=value["name"],
            sim_step=value["sim_step"],
            sim_time=value["sim_time"],
            wall_time=value["wall_time"],
            mass=value["mass"],
            children_names=_names(value["children_names"], "children_names"),
            joint_names=_names(value["joint_names"], "joint_names"),
            **arrays,
            _inertia=np.array([value["pInertia"][axis] for axis in "xyz"]),
            _position=position,
            _quaternion=np.array([w, x, y, z]),
            _spatial=np.array([*twist.angular, *twist.linear]),
            _center=position,
            _force=np.array([*wrench.force, *wrench.torque]),
        )

    @property
    def header(self) -> Header:
        """The step as its number, the simulated time as its stamp, in the frame ``world``."""
        return Header(seq=self.sim_step, stamp=self.sim_time, frame_id="world")

    @property
    def principal_inertia(self) -> Array:
        """Principal moments of inertia of the body (3,) [kg·m²]."""
        return np.array(self._inertia)

    @property
    def pose(self) -> Pose:
        """Pose of the body's frame in the world."""
        return Pose(position=self._position, orientation=xyzw(self._quaternion.tolist()))

    @property
    def twist(self) -> Twist:
        """Velocity of the body's frame origin, and angular velocity, in world axes."""
        angular, linear = self._spatial[:3], self._spatial[3:]
        return Twist(
            linear=linear + np.cross(angular, self._position - self._center), angular=angular
        )

    @property
    def wrench(self) -> Wrench:
        """The force and torque applied to it from outside, at its centre of mass, in world axes."""
        return Wrench(force=self._force[:3], torque=self._force[3:])

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


def _names(value: Any, where: str) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise CommandError(f"expected names, got {shown(value)}", where=where, given=value)
    return tuple(str(name) for name in value)
