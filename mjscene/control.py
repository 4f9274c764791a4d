"""The modes of all joints of a scene: which actuator acts, and what the step writes to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.groups import GroupPlan, Slot
from mjscene.joints import JointTable
from mjscene.modes import ModePlan
from mjscene.owners import Owner
from mjscene.transfer import Law, Route

__all__ = ["ModeControl"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
OBJ = mujoco.mjtObj
KEPT = 256  # routes and requests that are kept: joints can be chosen in more ways than memory has


class ModeControl:
    """The modes of all joints of a scene: which actuator acts, and how that changes.

    Attributes:
        table: The joints.
        groups: The slots.
        drives: Actuator ids of unmanaged drives that are muted while a joint of theirs is in an
            added mode (d,).
        drive_rows: The rows of each drive's joints.
        drive_muted: Whether each is muted now (d,).
        opt: The model's options.
        laws: ku, k0, kq, kv, low, high, ulow, uhigh, scale, offset of every actuator (10, n, 3).
        never_changes: Whether a switch leaves what the step does as it is, but for addresses.
        resolved: Requests that were checked before: the rows and modes they stand for.
    """

    def __init__(self, model: Any, data: Any, plan: ModePlan, owners: list[Owner]) -> None:
        self.model, self.data = model, data
        index = {id(owner): i for i, owner in enumerate(owners)}
        names = [j.joint for j in plan.joints]

        def actuator(name: str) -> int:
            return int(mujoco.mj_name2id(model, OBJ.mjOBJ_ACTUATOR, name))

        ids = np.full((len(names), 3), -1, dtype=np.intp)
        for row, joint in enumerate(plan.joints):
            for mode, name in joint.actuators.items():
                ids[row, mode] = actuator(name)
        self.table = JointTable(
            model,
            names,
            actuators=ids,
            native=np.array([-1 if j.native is None else j.native for j in plan.joints], np.intp),
            initial=np.array(
                [-1 if j.initial is None else j.initial for j in plan.joints], np.intp
            ),
            owner=np.array([index.get(id(j.owner), -1) for j in plan.joints], np.intp),
        )
        row_of = {name: row for row, name in enumerate(names)}
        self.drives = np.array([actuator(n) for n in plan.drives], dtype=np.intp)
        self.drive_rows = [np.array([row_of[j] for j in js]) for js in plan.drives.values()]
        self.drive_muted = np.zeros(len(self.drives), dtype=bool)
        owner_of_drive = np.array([self.table.owner[r[0]] for r in self.drive_rows], np.intp)
        self.groups = GroupPlan(
            self.table.owner, owner_of_drive, len(owners), parked=bool(plan.parked)
        )
        self._read_simple()
        self._routes: dict[Any, Route] = {}
        self.resolved: dict[Any, list[Any]] = {}
        self.opt = model.opt
        self.jumped: list[str] = []  # jumps of efforts that are still to be told
        self.on_laws: Callable[[], Callable[[], None] | None] | None = None  # weak
        self.read_laws()

    def _read_simple(self) -> None:
        """Which actuators have a law that is affine in their one control, without state (n, 3)."""
        model, ids = self.model, self.table.actuators
        if not model.nactuator:
            self.simple = np.zeros(ids.shape, dtype=bool)
            return
        simple = (
            (model.actuator_dyntype == int(mujoco.mjtDyn.mjDYN_NONE))
            & (model.actuator_gaintype == int(mujoco.mjtGain.mjGAIN_FIXED))
            & (model.actuator_ctrlnum == 1)
        )
        self.simple = (ids >= 0) & simple[ids]

    def read_laws(self) -> None:
        """Gather the laws of all actuators, and what the step writes."""
        laws = self.table.laws
        self.laws = np.stack(
            [
                *(laws.ku, laws.k0, laws.kq, laws.kv, laws.low, laws.high),
                *(laws.ulow, laws.uhigh, laws.scale, laws.offset),
            ]
        )
        table = self.table
        rows = np.arange(len(table))
        column = np.where(table.mode >= 0, table.mode, 0)
        table.scale_now, table.offset_now = self.laws[8:, rows, column]
        table.ctrl_now = table.ctrl_adr[rows, column]
        table.follow()
        plain = bool((laws.scale == 1.0).all() and not laws.offset.any())
        self.never_changes = plain and table.live is None and not len(self.drives)
        self._routes.clear()

    def refresh(self) -> None:
        """Follow gains and limits that a program changed in the model."""
        if self.table.laws.refresh():
            self.read_laws()
            self.table.written = b""  # commands may be other controls now
            follow = self.on_laws() if self.on_laws is not None else None
            if follow is not None:
                follow()

    def saturated(self) -> NDArray[np.bool_]:
        """Whether each command is beyond its actuator's control range (n,)."""
        self.refresh()
        return self.table.saturated()

    def command_limits(self) -> Array:
        """The range of each command in its mode's unit (n, 2); infinite where there is none."""
        self.refresh()
        return self.table.command_limits()

    def offers(self, rows: Ints, mode: int) -> NDArray[np.bool_]:
        """Which rows offer a mode; -1 is the native drive of joints that one moves."""
        table = self.table
        if mode < 0:
            return np.asarray((table.native[rows] < 0) & self._driven()[rows])
        return np.asarray(table.actuators[rows, mode] >= 0)

    def _driven(self) -> NDArray[np.bool_]:
        driven = np.zeros(len(self.table), dtype=bool)
        for rows in self.drive_rows:
            driven[rows] = True
        return driven

    def route(self, rows: Ints, mode: int) -> Route:
        """A route for rows (sorted) that all offer a mode."""
        table = self.table
        column = max(mode, 0)  # the native drive has no law of its own
        start, stop = int(rows[0]), int(rows[-1]) + 1
        slots = [s for s in self.groups.slots if np.isin(s.rows, rows).any()]
        touched = sum(len(s.rows) for s in slots)
        owned = bool((table.owner[rows] >= 0).all())
        return Route(
            rows=slice(start, stop) if stop - start == len(rows) else rows,
            indices=rows,
            column=mode,
            qpos_adr=table.qpos_adr[rows],
            dof_adr=table.dof_adr[rows],
            ctrl_adr=table.ctrl_adr[rows, column],
            actuators=table.actuators[rows, column],
            law=Law(self.laws[:, rows, column]),
            slots=slots,
            whole=owned and bool(slots) and touched == len(rows),
            stateless=bool(self.simple[rows, column].all()),
        )

    def find_route(self, key: Any, rows: Ints, mode: int) -> Route:
        """The route of a key, made when it is first asked for."""
        route = self._routes.get(key)
        if route is None:
            if len(self._routes) >= KEPT:
                self._routes.clear()
            route = self._routes[key] = self.route(rows, mode)
        return route

    def settle(self, route: Route) -> None:
        """Make groups and mask say what the modes are."""
        if route.uniform_mode() < 0:
            for slot in route.slots:
                self.settle_slot(slot)
            return
        owned = disabled = 0
        for slot in route.slots:
            slot.mode = route.column
            owned |= slot.bits
            disabled |= slot.disabled[route.column]
        opt = self.opt
        opt.disableactuator = opt.disableactuator & ~owned | disabled

    def settle_slot(self, slot: Slot) -> None:
        """Make the groups and the mask of one slot say what its joints' modes are."""
        table = self.table
        self.groups.settle(
            slot, self.model, table.actuators, table.mode, self.drives, self.drive_muted
        )

    def mute_drives(self) -> None:
        """Work out which drives are muted: those with a joint in an added mode."""
        mode = self.table.mode
        self.drive_muted = np.array([bool((mode[rows] >= 0).any()) for rows in self.drive_rows])

    def take_modes(self, modes: Ints) -> None:
        """Be in these modes (n,) with the controls as they are, without any transfer."""
        table = self.table
        table.mode[:] = modes
        table.began_at[:] = self.data.qpos[table.qpos_adr]
        table.prime(np.full_like(table.primed, np.nan))
        self.table.laws.refresh()
        self.read_laws()
        if len(self.drives):
            self.mute_drives()
        for slot in self.groups.slots:
            self.settle_slot(slot)
        self.read_commands()

    def read_commands(self) -> None:
        """Take the commands from ``data.ctrl``."""
        table = self.table
        control = self.data.ctrl[table.ctrl_now] if self.model.nu else np.zeros(len(table))
        if table.forward is not None:
            control = control - table.forward_control(table.forward, table.mode)
        table.command[:] = (control - table.offset_now) / table.scale_now
        table.command[table.mode < 0] = 0.0
        table.take_as_written()
