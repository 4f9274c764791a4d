"""Poses: the one place where (x, y, z, w) becomes MuJoCo's (w, x, y, z), and back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["IDENTITY", "Transform", "frame_transform", "look_at_quat", "wxyz", "xyzw"]

Array = NDArray[np.float64]


def wxyz(quat: Sequence[float]) -> list[float]:
    """MuJoCo's order out of mjscene's."""
    x, y, z, w = quat
    return [w, x, y, z]


def xyzw(quat: Sequence[float]) -> tuple[float, float, float, float]:
    """mjscene's order out of MuJoCo's."""
    w, x, y, z = (float(q) for q in quat)
    return x, y, z, w


@dataclass(frozen=True)
class Transform:
    """A rigid transform, parent_from_child.

    Attributes:
        pos: The child's origin in the parent [m].
        quat: The child's axes in the parent, MuJoCo's (w, x, y, z).
    """

    pos: tuple[float, ...]
    quat: tuple[float, ...]

    def __matmul__(self, other: Transform) -> Transform:
        if self.is_identity or other.is_identity:
            return other if self.is_identity else self
        pos, quat = self.apply(np.array(other.pos), np.array(other.quat))
        return Transform(tuple(pos), tuple(quat))

    def apply(self, pos: Array, quat: Array) -> tuple[Array, Array]:
        """A pose given in the child, in the parent: position (3,) [m], quaternion (4,) wxyz."""
        new_pos, new_quat = np.zeros(3), np.zeros(4)
        mujoco.mju_mulPose(new_pos, new_quat, np.array(self.pos), np.array(self.quat), pos, quat)
        return new_pos, new_quat

    def rotate(self, vector: Array) -> Array:
        """A vector (3,) given in child axes, in parent axes."""
        result = np.zeros(3)
        mujoco.mju_rotVecQuat(result, vector, np.array(self.quat))
        return result

    @property
    def is_identity(self) -> bool:
        """Whether it moves nothing."""
        return self == IDENTITY


IDENTITY = Transform((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))


def local_transform(element: Any) -> Transform:
    """The pose of a frame or site in the frame or body that holds it."""
    pos, quat = element.pos, element.quat
    fromto = getattr(element, "fromto", None)
    if fromto is not None and not np.isnan(fromto[0]):
        # As MuJoCo's compiler does: centred between the points, z along (from - to).
        pos, quat = 0.5 * (fromto[:3] + fromto[3:]), np.zeros(4)
        mujoco.mju_quatZ2Vec(quat, fromto[:3] - fromto[3:])
    elif element.alt.type != mujoco.mjtOrientation.mjORIENTATION_QUAT:
        quat = mujoco.MjSpec.resolve_orientation(
            degree=bool(element.compiler.degree),
            sequence=element.compiler.eulerseq,
            orientation=element.alt,
        )
    quat = [float(q) for q in quat]
    norm = math.sqrt(sum([q * q for q in quat]))
    return Transform(tuple([float(p) for p in pos]), tuple([q / norm for q in quat]))


def frame_transform(frame: Any) -> Transform:
    """The pose of a frame in its body, through the frames that hold it."""
    result = IDENTITY
    while frame is not None:
        result = local_transform(frame) @ result
        frame = frame.frame
    return result


def look_at_quat(pos: Sequence[float], target: Sequence[float]) -> list[float]:
    """Orientation (w, x, y, z) of a camera at ``pos`` that looks at ``target``, z up.

    A camera looks along its -z with y up; straight up or down, its y is the parent's y.
    """
    back = np.array(pos, dtype=float) - np.array(target, dtype=float)
    back /= np.linalg.norm(back)
    up = np.array([0.0, 0.0, 1.0])
    if abs(float(back @ up)) > 1 - 1e-9:
        up = np.array([0.0, 1.0, 0.0])
    right = np.cross(up, back)
    right /= np.linalg.norm(right)
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.stack([right, np.cross(back, right), back], axis=1).ravel())
    return [float(q) for q in quat]
