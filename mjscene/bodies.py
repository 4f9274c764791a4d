"""Cartesian commands of bodies: wrenches as outside forces, poses and twists followed by a PD law.

A pose or twist command of a body with ``BodyController(linear=(kp, kd), angular=(kp, kd))`` gives

    force  = kp (x_d - x) + kd (v_d - v) - weight
    torque = kp e + kd (w_d - w)

at the body's centre of mass, in world axes, with e the axis-angle of the rotation from the body's
orientation to the desired one, and the weight of what hangs on the body carried, so that it
settles at the pose and with the second-order response of its gains. A twist alone drops the kp
terms.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.poses import wxyz
from mjscene.spec import BodyController

__all__ = ["BodyControl"]

Array = NDArray[np.float64]


_FIELDS = ("ids", "position", "quaternion", "linear", "angular", "gains")


class BodyControl:
    """Bodies that follow a pose or twist (k of them), as arrays.

    Attributes:
        ids: Body ids (k,).
        position, quaternion: Desired poses in the world (k, 3), (k, 4) wxyz.
        linear, angular: Desired velocities in world axes (k, 3).
        gains: kp and kd, linear and angular (k, 4).
    """

    def __init__(self, model: Any, data: Any) -> None:
        self.model, self.data = model, data
        self.ids = np.zeros(0, dtype=np.intp)
        self.position, self.quaternion = np.zeros((0, 3)), np.zeros((0, 4))
        self.linear, self.angular = np.zeros((0, 3)), np.zeros((0, 3))
        self.gains = np.zeros((0, 4))

    def __len__(self) -> int:
        return len(self.ids)

    def follow(
        self,
        body: int,
        pose: tuple[Any, Any] | None,
        twist: tuple[Any, Any],
        gains: BodyController,
    ) -> None:
        """Let a body follow a pose (position, xyzw), or a twist alone."""
        self.release(body)
        (kp, kd), (akp, akd) = gains.linear, gains.angular
        row = (kp, kd, akp, akd) if pose is not None else (0.0, kd, 0.0, akd)
        position, quaternion = pose if pose is not None else ((0.0,) * 3, (0.0, 0.0, 0.0, 1.0))
        self.ids = np.append(self.ids, body)
        self.position = np.vstack([self.position, position])
        self.quaternion = np.vstack([self.quaternion, wxyz(quaternion)])
        self.linear = np.vstack([self.linear, twist[0]])
        self.angular = np.vstack([self.angular, twist[1]])
        self.gains = np.vstack([self.gains, row])

    def release(self, body: int) -> None:
        """Stop following; the wrench that it took is gone."""
        keep = self.ids != body
        if keep.all():
            return
        for name in _FIELDS:
            setattr(self, name, getattr(self, name)[keep])
        self.data.xfrc_applied[body] = 0.0

    def release_all(self) -> None:
        """Stop following with all bodies."""
        for body in self.ids.tolist():
            self.release(body)

    def rows(self) -> tuple[Array, ...]:
        """All that is followed, as copies; see ``put``."""
        return tuple(getattr(self, name).copy() for name in _FIELDS)

    def put(self, rows: tuple[Array, ...]) -> None:
        """Follow what was followed when ``rows`` was taken."""
        for name, array in zip(_FIELDS, rows, strict=True):
            setattr(self, name, array.copy())

    def take_over(self, other: BodyControl) -> None:
        """Follow what was followed in another model of the scene, by the bodies' names."""
        names = [other.model.body(int(b)).name for b in other.ids]
        ids = [mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, n) for n in names]
        self.put(other.rows())
        self.ids = np.array(ids, dtype=np.intp)
        keep = self.ids >= 0
        for name in _FIELDS:
            setattr(self, name, getattr(self, name)[keep])

    def _heavy(self) -> Array:
        """The masses whose weight hangs on each body, by body (k, nbody)."""
        model = self.model
        heavy = np.zeros((len(self.ids), model.nbody))
        if model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY:
            return heavy
        for row, body in enumerate(self.ids.tolist()):
            below = np.zeros(model.nbody, dtype=bool)
            below[body] = True
            for b in range(body + 1, model.nbody):
                below[b] = below[model.body_parentid[b]]
            heavy[row] = below * model.body_mass * (1.0 - model.body_gravcomp)
        return heavy

    def act(self) -> None:
        """Write the wrenches of this step."""
        model, data, ids = self.model, self.data, self.ids
        if not len(ids):
            return
        linear, angular = velocities(model, data, ids)
        kp, kd, akp, akd = self.gains.T[:, :, None]
        at = data.xipos[ids]
        heavy = self._heavy()
        total = heavy.sum(axis=1, keepdims=True)
        carry = -model.opt.gravity
        force = kp * (self.position - data.xpos[ids]) + kd * (self.linear - linear)
        torque = akp * rotation_error(data.xquat[ids], self.quaternion)
        torque += akd * (self.angular - angular)
        torque += np.cross(data.subtree_com[ids] - at, force)
        torque += np.cross(heavy @ data.xipos - total * at, carry)
        data.xfrc_applied[ids, :3] = force + total * carry
        data.xfrc_applied[ids, 3:] = torque


def velocities(model: Any, data: Any, ids: Any) -> tuple[Array, Array]:
    """Velocities of body frames in world axes: linear of the origin (k, 3), angular (k, 3).

    ``cvel`` is taken at the centre of mass of the body's tree.
    """
    spatial = data.cvel[ids]
    arm = data.xpos[ids] - data.subtree_com[model.body_rootid[ids]]
    return spatial[..., 3:] + np.cross(spatial[..., :3], arm), spatial[..., :3]


def rotation_error(now: Array, wanted: Array) -> Array:
    """Axis-angle in world axes (k, 3) of the rotation from ``now`` to ``wanted`` (k, 4) wxyz."""
    w0, v0 = now[:, :1], now[:, 1:]
    w1, v1 = wanted[:, :1], wanted[:, 1:]
    # wanted * conjugate(now)
    w = w1 * w0 + (v1 * v0).sum(axis=1, keepdims=True)
    v = -w1 * v0 + w0 * v1 - np.cross(v1, v0)
    sign = np.where(w < 0, -1.0, 1.0)  # the shorter way round
    w, v = w * sign, v * sign
    norm = np.linalg.norm(v, axis=1, keepdims=True)
    angle = 2.0 * np.arctan2(norm, w)
    return np.asarray(v * np.where(norm > 1e-12, angle / np.maximum(norm, 1e-12), 2.0))
