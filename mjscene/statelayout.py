"""Where the numbers of a state are in the few pieces of memory that it is read from.

A state is made every step and seldom read in full: it keeps what lies together in MuJoCo's memory
as it is, and a number is looked for when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjscene.spans import pieces_of

__all__ = ["Place", "StateLayout", "layout_of"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
_GAP = 1024  # what may lie between two arrays and is kept with them [bytes]


@dataclass(frozen=True)
class Place:
    """Where numbers are: ``count`` in a piece, those at ``index`` are meant (None: all)."""

    piece: int
    offset: int
    count: int
    index: Ints | None = None


@dataclass(frozen=True)
class StateLayout:
    """What a state is about, and where its numbers are.

    Attributes:
        name: Whose state it is.
        children_names: Bodies below it.
        joint_names: Joints below it that take commands.
        places: Where each quantity is.
    """

    name: str
    children_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    places: dict[str, Place]

    def numbers(self, pieces: Sequence[bytes], quantity: str) -> Array:
        """Numbers of a state, sealed."""
        place = self.places[quantity]
        numbers = np.frombuffer(pieces[place.piece], float, place.count, place.offset)
        if place.index is not None:
            numbers = numbers[place.index]
            numbers.flags.writeable = False
        return numbers


def layout_of(
    model: Any, data: Any, body: int, joints: tuple[Ints, Ints]
) -> tuple[dict[str, Place], list[Callable[[], bytes]]]:
    """Where the numbers of a body and of joints, by places in qpos and dofs, are; and how to read.

    Only what lies close together is one piece: a state of one of many robots is not much larger
    than what it says.
    """
    root = int(model.body_rootid[body])
    qpos, coordinates = _span(data.qpos, joints[0])
    qvel, dofs = _span(data.qvel, joints[1])
    effort, _ = _span(data.qfrc_actuator, joints[1])
    moving = {
        **{"joint_positions": qpos, "joint_velocities": qvel, "joint_efforts": effort},
        **{"position": data.xpos[body], "quaternion": data.xquat[body]},
        **{"spatial_velocity": data.cvel[body], "center": data.subtree_com[root]},
        "wrench": data.xfrc_applied[body],
    }
    fixed = {"mass": model.body_mass[body : body + 1], "inertia": model.body_inertia[body]}
    indices = {"joint_positions": coordinates, "joint_velocities": dofs, "joint_efforts": dofs}
    places: dict[str, Place] = {}
    readers: list[Callable[[], bytes]] = []
    for block in (moving, fixed):  # of MjData and of MjModel
        some, found = pieces_of(tuple(block.values()), _GAP)
        for (quantity, array), (piece, offset) in zip(block.items(), found, strict=True):
            at = indices.get(quantity)
            places[quantity] = Place(len(readers) + piece, offset, array.size, at)
        readers += some
    return places, readers


def _span(array: Any, indices: Ints) -> tuple[Any, Ints | None]:
    """The part of an array from the first to the last of some places, and the places in it."""
    if not len(indices):
        return array[:0], None
    first, last = int(indices.min()), int(indices.max())
    inside = indices - first
    whole = np.array_equal(inside, np.arange(last - first + 1))
    return array[first : last + 1], None if whole else inside
