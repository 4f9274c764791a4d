"""A robot's or attachment's handle: what of the scene is its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.errors import MjsceneError, close_matches
from mjscene.keyframes import Addresses, owner_addresses
from mjscene.owners import Owner
from mjscene.poses import xyzw
from mjscene.sources import KINDS

if TYPE_CHECKING:
    from mjscene.scene import Scene

__all__ = ["Handles", "Robot"]

_SCALAR = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)


class Handles(Mapping[str, "Robot"]):
    """Handles by name, in the order of the spec; a wrong name gets the closest ones."""

    def __init__(self, handles: dict[str, Robot], what: str) -> None:
        self._handles = handles
        self._what = what

    def __getitem__(self, name: str) -> Robot:
        try:
            return self._handles[name]
        except KeyError:
            raise UnknownNameError(
                f"there is no {self._what} {name!r}",
                given=name,
                close=close_matches(str(name), self._handles),
                allowed=tuple(self._handles),
            ) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._handles)

    def __len__(self) -> int:
        return len(self._handles)

    def __repr__(self) -> str:
        return f"{self._what}s: {', '.join(self._handles) or 'none'}"


class UnknownNameError(MjsceneError, KeyError):
    """A name that nothing in the scene has."""

    def __str__(self) -> str:
        return self._text()


class Robot:
    """A robot of the scene, or an attachment of one.

    It stays valid when objects are added or removed. Indices are into the scene's current model.

    Attributes:
        name: Its name in the scene; an attachment's within its robot.
        prefix: Put before each of its authored names.
        attachments: Handles of what is attached to it, by name.
    """

    def __init__(self, scene: Scene, owner: Owner, name: str) -> None:
        self._scene = scene
        self._owner = owner
        self.name = name
        self.prefix = owner.prefix
        self._attached: dict[str, Robot] = {}
        self.attachments = Handles(self._attached, "attachment")
        self._at: Addresses = owner_addresses(scene.model, owner)

    def _bind(self, owner: Owner) -> None:
        """Follow the scene to a new model."""
        self._owner = owner
        self._at = owner_addresses(self._scene.model, owner)

    def __repr__(self) -> str:
        return f"<{self._owner.title}, {len(self.joint_names)} joints>"

    @property
    def spec(self) -> Any:
        """What the scene's spec says of it."""
        return self._owner.spec

    @property
    def own_joint_ids(self) -> NDArray[np.intp]:
        """Model ids of its own hinge and slide joints, without its attachments' (n,)."""
        types = self._scene.model.jnt_type[self._at.joints]
        return self._at.joints[np.isin(types, _SCALAR)]

    @property
    def joint_ids(self) -> NDArray[np.intp]:
        """Model ids of its hinge and slide joints in model order, then its attachments' (n,)."""
        parts = [self.own_joint_ids, *(a.joint_ids for a in self._attached.values())]
        return np.concatenate(parts)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The scene's names of ``joint_ids``."""
        return tuple(self._scene.model.joint(int(j)).name for j in self.joint_ids)

    @property
    def qpos_adr(self) -> NDArray[np.intp]:
        """Addresses of ``joint_ids`` in ``data.qpos`` (n,)."""
        return np.asarray(self._scene.model.jnt_qposadr[self.joint_ids], dtype=np.intp)

    @property
    def dof_adr(self) -> NDArray[np.intp]:
        """Addresses of ``joint_ids`` in ``data.qvel`` (n,)."""
        return np.asarray(self._scene.model.jnt_dofadr[self.joint_ids], dtype=np.intp)

    @property
    def ctrl_adr(self) -> NDArray[np.intp]:
        """Addresses of its and its attachments' controls in ``data.ctrl`` (n,)."""
        parts = [self._at.ctrl, *(a.ctrl_adr for a in self._attached.values())]
        return np.concatenate(parts)

    def names(self, kind: str) -> tuple[str, ...]:
        """The scene's names of its own elements of a kind (``body``, ``geom``, ``sensor`` …).

        Raises:
            MjsceneError: There is no such kind.
        """
        known = self._owner.names
        if kind not in known and kind not in KINDS:
            raise UnknownNameError(
                f"there is no kind of element {kind!r}",
                given=kind,
                close=close_matches(kind, KINDS),
                allowed=KINDS,
            )
        return known.get(kind, ())

    @property
    def base_joint(self) -> str | None:
        """The free joint that carries it: the first of its file; None for a fixed base."""
        model, free = self._scene.model, self._at.free_dofs
        return str(model.joint(int(model.dof_jntid[free[0]])).name) if len(free) else None

    @property
    def base_body(self) -> str:
        """The body that ``base_pose`` speaks of: the base joint's, else its first body."""
        model = self._scene.model
        if len(self._at.free_dofs):
            return str(model.body(int(model.dof_bodyid[self._at.free_dofs[0]])).name)
        bodies = self.names("body")
        return bodies[0] if bodies else "world"

    @property
    def base_pose(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """World pose of ``base_body``: position (3,) [m] and quaternion (4,) xyzw, copies."""
        data = self._scene.data
        body = self._scene.model.body(self.base_body).id
        return data.xpos[body].copy(), np.array(xyzw(data.xquat[body]))
