"""Where robots and attachments are in a running scene: what their handles read.

The scene keeps places, and a handle keeps the scene: so no scene holds itself, and a dropped one
goes at once, with its model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjscene.ft_sensors import Channels, find_channels
from mjscene.jointarrays import Joints
from mjscene.keyframes import Addresses
from mjscene.owners import Owner

if TYPE_CHECKING:
    from mjscene.simulation import Simulation

__all__ = ["Place", "bind_places", "make_places"]

Ints = NDArray[np.intp]


class Place:
    """What of the current model is a robot's or an attachment's.

    Attributes:
        owner: It, as the composition knows it.
        attached: Places of its attachments, by their names.
        at: Its state's addresses.
        own_rows: Rows of its own joints in the scene's joint vectors (n,).
        rows: Rows of its joints and its attachments'.
        joints: What is measured at them.
        ft_bias: What its force/torque sensors subtract (6,), by their sites; none of the others.
    """

    owner: Owner
    at: Addresses
    own_rows: Ints
    rows: slice

    def __init__(self) -> None:
        self.attached: dict[str, Place] = {}
        self.joints = Joints()
        self.ft_bias: dict[str, NDArray[np.float64]] = {}
        self._ft_channels: dict[str, Channels] | None = None

    def bind(self, scene: Simulation, owner: Owner) -> None:
        """Follow the scene to a new model; its attachments must have followed."""
        self.owner = owner
        self.at: Addresses = owner.at
        mine = set(owner.names.get("joint", ()))
        names = scene.control.table.names
        self.own_rows = np.flatnonzero([n in mine for n in names])
        self.own_rows.setflags(write=False)
        all_rows = np.concatenate([self.own_rows, *(p.own_rows for p in self.attached.values())])
        has_any = len(all_rows) > 0
        self.rows = slice(int(all_rows.min()), int(all_rows.max()) + 1) if has_any else slice(0, 0)
        owners = [owner, *(p.owner for p in self.attached.values())]
        self.joints.bind(scene.control, scene.records, scene.stops, self.rows, owners)
        self._ft_channels = None

    def ft_channels(self, model: Any) -> dict[str, Channels]:
        """Its own force/torque sensors in the current model, looked for when first asked."""
        if self._ft_channels is None:
            self._ft_channels = find_channels(model, self.owner)
        return self._ft_channels


def make_places(owners: list[Owner]) -> dict[str, Place]:
    """Places of robots by name, with those of their attachments, not bound yet."""
    places: dict[str, Place] = {}
    for owner in owners:
        if owner.kind == "robot":
            places[owner.label] = Place()
        elif owner.parent is not None:
            places[owner.parent.label].attached[owner.spec.label] = Place()
    return places


def bind_places(places: dict[str, Place], scene: Simulation, owners: list[Owner]) -> None:
    """Let all places follow the scene to its current model: attachments, then robots."""
    for owner in owners:
        if owner.parent is not None:
            places[owner.parent.label].attached[owner.spec.label].bind(scene, owner)
    for owner in owners:
        if owner.kind == "robot":
            places[owner.label].bind(scene, owner)
