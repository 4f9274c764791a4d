"""Where a robot is put, and what that does to its state and forces: the tests' own arithmetic.

SciPy's rotations, so that nothing here is computed by what is tested.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

__all__ = ["Placement", "dof_rotation"]

Array = NDArray[np.float64]
FREE = 0  # mjJNT_FREE


@dataclass(frozen=True)
class Placement:
    """A pose that turns about z only, so that gravity keeps its direction in the robot's frame.

    Attributes:
        pos: World position [m].
        yaw: Turn about z [rad].
    """

    pos: tuple[float, float, float] = (0.0, 0.0, 0.0)
    yaw: float = 0.0

    @property
    def rotation(self) -> Rotation:
        """World from the file's world."""
        return Rotation.from_euler("z", self.yaw)

    @property
    def quat(self) -> tuple[float, ...]:
        """As a spec takes it, (x, y, z, w)."""
        return tuple(float(q) for q in self.rotation.as_quat())

    @property
    def fields(self) -> dict[str, Any]:
        """As arguments of a RobotSpec."""
        return {"pos": self.pos, "quat": self.quat}

    def points(self, points: Array) -> Array:
        """Points (n, 3) of the file's world, in the scene's."""
        return np.asarray(self.rotation.apply(points) + self.pos)

    def free_pose(self, pose: Array) -> Array:
        """A free joint's qpos (7,), quaternion wxyz, moved with the placement."""
        turned = self.rotation * Rotation.from_quat(pose[3:7], scalar_first=True)
        return np.concatenate([self.points(pose[None, :3])[0], turned.as_quat(scalar_first=True)])


def dof_rotation(model: Any, placement: Placement) -> Array:
    """The matrix (nv, nv) that turns velocities and forces of a file alone into the scene's.

    A free joint's linear dofs are along world axes and turn with the placement; its angular ones
    are along the body's axes, and all other dofs are within the robot: they stay.
    """
    turn = np.eye(model.nv)
    for joint in np.flatnonzero(model.jnt_type == FREE):
        v = model.jnt_dofadr[joint]
        turn[v : v + 3, v : v + 3] = placement.rotation.as_matrix()
    return turn
