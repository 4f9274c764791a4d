"""States of robots and bodies, in the form of AMBF's ``ObjectState``/``RigidBodyState``."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjscene.geometry import Header, Pose, Twist, Wrench
from mjscene.poses import xyzw
from mjscene.targets import Target

if TYPE_CHECKING:
    from mjscene.scene import Scene

__all__ = ["ObjectState"]

Array = NDArray[np.float64]
_NONE = np.zeros(0)
_NONE.setflags(write=False)


class ObjectState:
    """The state of a robot or body at one time.

    The numbers are taken when it is made; what is derived from them is worked out when it is read.
    A robot's body is its base. Poses, twists and wrenches are in world axes.

    Attributes:
        name: Its name.
        sim_step: Steps taken since the last reset.
        sim_time: Simulated time [s].
        wall_time: Time since the scene was built [s].
        children_names: Bodies below it; empty unless it is a root or was asked to publish them.
        joint_names: Joints that take commands below it; likewise.
        joint_positions: (n,) [rad or m].
        joint_velocities: (n,) [rad/s or m/s].
        joint_efforts: What the drives deliver to the joints (n,) [N·m or N].
    """

    __slots__ = (
        *("_center", "_force", "_model", "_position", "_quaternion", "_spatial", "_target"),
        *("children_names", "joint_efforts", "joint_names", "joint_positions"),
        *("joint_velocities", "name", "sim_step", "sim_time", "wall_time"),
    )

    def __init__(self, scene: Scene, target: Target, publish: tuple[bool, bool, bool]) -> None:
        data = scene.data
        self._model, self._target = scene.model, target
        self.name = target.name
        self.sim_step = scene.steps
        self.sim_time = data.time
        self.wall_time = time.perf_counter() - scene.began
        position, quaternion, spatial, center, force = target.views
        self._position, self._quaternion = position.copy(), quaternion.copy()
        self._spatial, self._center, self._force = spatial.copy(), center.copy(), force.copy()
        children, names, positions = publish
        self.children_names = target.children_names if children else ()
        self.joint_names = target.joint_names if names else ()
        if positions:
            dofs = target.dof_adr
            self.joint_positions = data.qpos.take(target.qpos_adr)
            self.joint_velocities = data.qvel.take(dofs)
            self.joint_efforts = data.qfrc_actuator.take(dofs)
        else:
            self.joint_positions = self.joint_velocities = self.joint_efforts = _NONE

    @property
    def mass(self) -> float:
        """Mass of the body [kg]."""
        return float(self._model.body_mass[self._target.body])

    @property
    def header(self) -> Header:
        """The step as its number, the simulated time as its stamp, in the frame ``world``."""
        return Header(seq=self.sim_step, stamp=self.sim_time, frame_id="world")

    @property
    def principal_inertia(self) -> Array:
        """Principal moments of inertia of the body (3,) [kg·m²]."""
        return np.array(self._model.body_inertia[self._target.body])

    @property
    def pose(self) -> Pose:
        """Pose of the body's frame in the world."""
        return Pose(position=self._position, orientation=xyzw(self._quaternion))

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
