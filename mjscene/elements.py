"""What a robot's handle says of the elements that its file brought, and of its base."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.bases import base_id_of, base_of, free_joint_of
from mjscene.errors import UnknownNameError, close_matches
from mjscene.keyframes import Addresses
from mjscene.owners import Owner
from mjscene.poses import xyzw
from mjscene.sources import KINDS

if TYPE_CHECKING:
    from mjscene.places import Place
    from mjscene.scene import Scene

__all__ = ["Elements"]

_SCALAR = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
Array = NDArray[np.float64]
Ints = NDArray[np.intp]


class Elements:
    """The elements of a robot or attachment, by the scene's names and ids."""

    __slots__ = ("_place", "_scene")

    _scene: Scene
    _place: Place

    @property
    def _owner(self) -> Owner:
        return self._place.owner

    @property
    def _at(self) -> Addresses:
        return self._place.at

    @property
    def title(self) -> str:
        """What it is called in messages."""
        return self._owner.title

    @property
    def spec(self) -> Any:
        """What the scene's spec says of it."""
        return self._owner.spec

    @property
    def owners(self) -> list[Owner]:
        """Itself and its attachments, as the composition knows them."""
        return [self._owner, *(p.owner for p in self._place.attached.values())]

    @property
    def is_robot(self) -> bool:
        """Whether it is a robot of its own, not an attachment."""
        return self._owner.kind == "robot"

    @property
    def label(self) -> str:
        """Its name in the scene; an attachment's is ``robot.attachment``."""
        return self._owner.label

    @property
    def all_joint_names(self) -> tuple[str, ...]:
        """All hinge and slide joints of its own file, driven or not, by the scene's names."""
        model = self._scene.model
        own = self._at.joints[np.isin(model.jnt_type[self._at.joints], _SCALAR)]
        return tuple(str(model.joint(int(j)).name) for j in own)

    def names(self, kind: str) -> tuple[str, ...]:
        """The scene's names of its own elements of a kind (``body``, ``geom``, ``sensor`` …).

        Raises:
            UnknownNameError: There is no such kind.
        """
        known = self._owner.names
        if kind not in known and kind not in KINDS:
            raise UnknownNameError(
                f"there is no kind of element {kind!r}",
                given=kind,
                close=close_matches(kind, KINDS),
                allowed=KINDS,
            )
        gone = self._scene._composition.merged_assets if kind in ("mesh", "texture") else ()
        return tuple(n for n in known.get(kind, ()) if n not in gone)

    @property
    def base_joint(self) -> str | None:
        """The free joint that carries it; None for a fixed base."""
        return free_joint_of(self._scene.model, self.base_body_id)

    @property
    def base_body(self) -> str:
        """The body that ``base_pose`` speaks of: the first of the largest tree of its file."""
        return base_of(self._scene.model, self.names("body"))

    @property
    def base_body_id(self) -> int:
        """The id of ``base_body``, which need not have a name; 0 (the world) if there is none."""
        return base_id_of(self._scene.model, self.names("body"), self._at.joints)

    @property
    def base_pose(self) -> tuple[Array, Array]:
        """World pose of ``base_body``: position (3,) [m] and quaternion (4,) xyzw, copies."""
        data = self._scene.data
        body = self.base_body_id
        return data.xpos[body].copy(), np.array(xyzw(data.xquat[body]))
