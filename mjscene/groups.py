"""Which actuator group each actuator is in, and what a switch of modes changes.

MuJoCo skips actuators whose group (0 to 30) is disabled in ``opt.disableactuator``, and reads both
at every step. Groups 1 to 30 are ten slots of three. An owner (a robot, or an attachment with modes
of its own) has a slot to itself while there are at most ten; else the tenth and all further share
the last. A slot is in one of two layouts:

* by mode: all joints of its one owner are in one mode. Group ``1 + 3*slot + mode`` holds the
  actuators of that mode, and only the active mode's group is enabled;
* by activity: several owners, or joints in different modes. The slot's first group holds what acts
  and is enabled, its second what is muted and is disabled.

So every joint may have its own mode, there is no limit on robots, and a switch touches the groups
and bits of its own owner only: bits of the mask that belong to no slot are never changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjscene.spec import CtrlMode

__all__ = ["SLOTS", "GroupPlan", "Slot", "first_group"]

SLOTS = 10
Ints = NDArray[np.intp]


def first_group(slot: int) -> int:
    """The first of a slot's three groups."""
    return 1 + 3 * slot


@dataclass
class Slot:
    """Three actuator groups and whose they are.

    Attributes:
        index: 0 to 9.
        owners: Indices of the owners that have it.
        rows: Rows of the joint table that belong to it.
        drives: Rows of the drive table (native actuators that are muted) that belong to it.
        mode: The one mode of all its joints in the layout by mode; -1 in that by activity.
    """

    index: int
    owners: list[int]
    rows: Ints
    drives: Ints
    mode: int = -1

    def __post_init__(self) -> None:
        """Work out its mask bits: all three, and those that each mode disables."""
        first = first_group(self.index)
        self.bits = 0b111 << first
        self.disabled = tuple(self.bits & ~(1 << (first + mode)) for mode in range(3))

    @property
    def by_mode(self) -> bool:
        """Whether it is in the layout by mode."""
        return self.mode >= 0

    def disabled_bits(self) -> int:
        """The mask bits that its layout disables."""
        return self.disabled[max(self.mode, 0)]


class GroupPlan:
    """The slots of a scene, and the groups of its actuators.

    Args:
        owner_of_row: Owner of each row of the joint table; -1 for joints that take no slot.
        owner_of_drive: Owner of each row of the drive table.
        owners: How many owners there are.
        parked: Whether the last group holds actuators that a file disables. The last slot then
            stays in the layout by activity, which has no use for it.
    """

    def __init__(
        self, owner_of_row: Ints, owner_of_drive: Ints, owners: int, parked: bool = False
    ) -> None:
        self.parked = parked
        self.slots: list[Slot] = []
        self.slot_of_owner: list[Slot] = []
        for index in range(min(owners, SLOTS)):
            last = index == SLOTS - 1
            members = list(range(index, owners)) if last else [index]
            its_row = owner_of_row >= index if last else owner_of_row == index
            its_drive = owner_of_drive >= index if last else owner_of_drive == index
            rows, drives = np.flatnonzero(its_row), np.flatnonzero(its_drive)
            slot = Slot(index=index, owners=members, rows=rows, drives=drives)
            self.slots.append(slot)
            self.slot_of_owner += [slot] * len(members)
        self.owned_bits = 0
        for slot in self.slots:
            self.owned_bits |= slot.bits

    def compiled_group(self, owner: int, mode: CtrlMode, acting: bool) -> int:
        """The group that an actuator of an owner is compiled with.

        With a slot of its own it says the mode; in a shared slot it says whether it acts.
        """
        if owner < 0:
            return 0
        slot = self.slot_of_owner[owner]
        first = first_group(slot.index)
        if len(slot.owners) > 1:
            return first if acting else first + 1
        return first + int(mode)

    def settle(
        self,
        slot: Slot,
        model: Any,
        actuators: Ints,
        modes: Ints,
        drives: Ints,
        drive_muted: NDArray[np.bool_],
    ) -> None:
        """Put a slot into the layout that its joints' modes ask for, groups and mask.

        Args:
            slot: The slot.
            model: The MjModel; its ``actuator_group`` and ``opt.disableactuator`` are changed.
            actuators: Actuator ids by row of the joint table and mode (n, 3), -1 for none.
            modes: The mode of each row (n,), -1 for none.
            drives: Actuator ids of the drive table (d,).
            drive_muted: Whether each drive is muted (d,).
        """
        rows = slot.rows
        mine, now = actuators[rows], modes[rows]
        first = first_group(slot.index)
        uniform = len(now) > 0 and now[0] >= 0 and bool((now == now[0]).all())
        alone = len(slot.owners) == 1 and len(slot.drives) == 0
        alone = alone and not (self.parked and slot.index == SLOTS - 1)
        slot.mode = int(now[0]) if uniform and alone else -1
        group = model.actuator_group
        columns = np.arange(3)
        if slot.by_mode:
            wanted = np.broadcast_to(first + columns, mine.shape)
        else:
            wanted = np.where(now[:, None] == columns, first, first + 1)
        exists = mine >= 0
        group[mine[exists]] = wanted[exists]
        if len(slot.drives):
            muted = drive_muted[slot.drives]
            group[drives[slot.drives]] = np.where(muted, first + 1, first)
        mask = int(model.opt.disableactuator)
        model.opt.disableactuator = (mask & ~slot.bits) | slot.disabled_bits()
