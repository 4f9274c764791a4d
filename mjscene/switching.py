"""Switch joints between modes while the scene runs, without a jump.

A switch changes which of a joint's actuators acts (its group, or the mask), and gives the new one
its first command. With ``BUMPLESS`` the new actuator's affine law is solved for the control that
gives the effort the old one gave at this state, within the new one's limits. Laws that are not
affine in the control alone (filters, integral terms, tendons) are settled by one Newton step on
what MuJoCo itself computes, which is exact since every law is affine in its control.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.groups import GroupPlan, Slot
from mjscene.joints import JointTable
from mjscene.modes import ModePlan
from mjscene.owners import Owner
from mjscene.spec import CtrlMode

__all__ = ["ModeControl", "Transfer"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
OBJ = mujoco.mjtObj


class Transfer(Enum):
    """How a switch chooses the new mode's first command."""

    BUMPLESS = "bumpless"
    """The effort right after the switch is the effort right before, within limits."""
    HOLD = "hold"
    """The measured position, zero velocity, or zero torque."""
    KEEP = "keep"
    """The command that was primed for the mode."""


@dataclass
class _Route:
    """A switch of certain rows into one mode, with all that does not depend on the state."""

    rows: Any  # a slice where the rows are consecutive, else indices
    column: int
    qpos_adr: Ints
    dof_adr: Ints
    ctrl_adr: Ints
    law: Array  # (10, n): what ``ModeControl.law_now`` becomes
    slots: list[tuple[Slot, bool]]  # each slot touched, and whether it is switched as a whole
    source_only: bool  # the new law is effort = ku u
    effort_limited: bool
    ctrl_limited: bool
    simple: bool  # the new actuator has no state and its control is the only input


class ModeControl:
    """The modes of all joints of a scene: which actuator acts, and how that changes.

    Attributes:
        table: The joints.
        groups: The slots.
        drives: Actuator ids of unmanaged drives that are muted while a joint of theirs is in an
            added mode (d,).
        drive_muted: Whether each is muted now (d,).
        law_now: ku, k0, kq, kv, low, high, ulow, uhigh, scale, offset of the acting actuators
            (10, n), see ``mjscene.joints``.
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
        self.groups = GroupPlan(self.table.owner, owner_of_drive, len(owners))
        self._read_simple()
        self._routes: dict[Any, _Route] = {}
        self._law_all()

    def _read_simple(self) -> None:
        """Which actuators have a law that is affine in their one control, without state (n, 3)."""
        model, ids = self.model, self.table.actuators
        if not model.nactuator:
            self.simple, self._all_simple = np.zeros(ids.shape, dtype=bool), True
            return
        simple = (
            (model.actuator_dyntype == mujoco.mjtDyn.mjDYN_NONE)
            & (model.actuator_gaintype == mujoco.mjtGain.mjGAIN_FIXED)
            & (model.actuator_ctrlnum == 1)
        )
        self.simple = (ids >= 0) & simple[ids]
        table = self.table
        always = (table.initial >= 0).all() and not len(self.drives)
        self._all_simple = bool(always and (self.simple == (ids >= 0)).all())

    def _law_all(self) -> None:
        """Gather the laws of all actuators, and of those that act."""
        laws = self.table.laws
        self._laws = np.stack(
            [
                *(laws.ku, laws.k0, laws.kq, laws.kv, laws.low, laws.high),
                *(laws.ulow, laws.uhigh, laws.scale, laws.offset),
            ]
        )
        rows = np.arange(len(self.table))
        column = np.where(self.table.mode >= 0, self.table.mode, 0)
        self.law_now = self._laws[:, rows, column]
        self.table.scale_now, self.table.offset_now = self.law_now[8], self.law_now[9]
        self.table.ctrl_now = self.table.ctrl_adr[rows, column]
        self.table.follow()
        self._routes.clear()

    def refresh(self) -> None:
        """Follow gains and limits that a program changed in the model."""
        if self.table.laws.refresh():
            self._law_all()

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

    # -- switching ------------------------------------------------------------------------------

    def switch(self, key: Any, rows: Ints, mode: int, transfer: Transfer) -> None:
        """Switch rows, all of which offer the mode (for ``KEEP``: are primed).

        Args:
            key: What stands for the rows, for the cache of routes.
            rows: Rows of the joint table.
            mode: The new mode; -1 for the native drive.
            transfer: How the first command is chosen.
        """
        self.refresh()
        if mode < 0:
            self._to_native(rows, transfer)
            return
        route = self._routes.get((key, mode))
        if route is None:
            route = self._routes[key, mode] = self._route(rows, mode)
        table = self.table
        pending = table.command.tobytes() != table.written
        if transfer is not Transfer.BUMPLESS:
            self._give(route, self._chosen(route, transfer))
        elif route.simple and self._acting_simple(route.rows):
            self._give(route, self._solved(route, self._effort(route)))
        else:
            self._bumpless_by_forward(route)
        table.written = b"" if pending else table.command.tobytes()

    def _route(self, rows: Ints, mode: int) -> _Route:
        table = self.table
        start, stop = int(rows[0]), int(rows[-1]) + 1
        consecutive = stop - start == len(rows)
        law = self._laws[:, rows, mode]
        member = set(rows.tolist())
        slots = []
        for slot in self.groups.slots:
            touched = [r for r in slot.rows.tolist() if r in member]
            if touched:
                slots.append((slot, len(touched) == len(slot.rows)))
        return _Route(
            rows=slice(start, stop) if consecutive else rows,
            column=mode,
            qpos_adr=table.qpos_adr[rows],
            dof_adr=table.dof_adr[rows],
            ctrl_adr=table.ctrl_adr[rows, mode],
            law=law,
            slots=slots,
            source_only=not law[1:4].any(),
            effort_limited=bool(np.isfinite(law[4:6]).any()),
            ctrl_limited=bool(np.isfinite(law[6:8]).any()),
            simple=bool(self.simple[rows, mode].all()),
        )

    def _acting_simple(self, rows: Any) -> bool:
        """Whether the law of every acting actuator of these rows is a simple one."""
        if self._all_simple:
            return True
        mode = self.table.mode[rows]
        if (mode < 0).any():
            return False
        return bool(self.simple[rows][np.arange(len(mode)), mode].all())

    def _effort(self, route: _Route) -> Array:
        """The effort that the acting actuators give at this state (n,) [N·m or N]."""
        rows, data = route.rows, self.data
        ku, k0, kq, kv, low, high, ulow, uhigh = self.law_now[:8, rows]
        control = data.ctrl[self.table.ctrl_now[rows]]
        control = np.minimum(np.maximum(control, ulow), uhigh)
        effort = ku * control
        effort += k0
        effort += kq * data.qpos[route.qpos_adr]
        effort += kv * data.qvel[route.dof_adr]
        np.maximum(effort, low, out=effort)
        return np.asarray(np.minimum(effort, high, out=effort))

    def _solved(self, route: _Route, effort: Array) -> Array:
        """The control of the new actuators that gives an effort, within their limits (n,)."""
        ku, k0, kq, kv, low, high, ulow, uhigh, _, _ = route.law
        if route.effort_limited:
            effort = np.minimum(np.maximum(effort, low), high)
        if route.source_only:
            control = effort / ku
        else:
            control = effort - k0
            control -= kq * self.data.qpos[route.qpos_adr]
            control -= kv * self.data.qvel[route.dof_adr]
            control /= ku
        if route.ctrl_limited:
            control = np.minimum(np.maximum(control, ulow), uhigh)
        return np.asarray(control)

    def _chosen(self, route: _Route, transfer: Transfer) -> Array:
        """The control of ``HOLD`` or ``KEEP`` (n,)."""
        if transfer is Transfer.KEEP:
            command = self.table.primed[route.rows, route.column].copy()
            self.table.primed[route.rows, route.column] = np.nan
        elif route.column == CtrlMode.POSITION:
            command = self.data.qpos[route.qpos_adr]
        else:
            command = np.zeros(len(route.qpos_adr))
        return np.asarray(command * route.law[8] + route.law[9])

    def _give(self, route: _Route, control: Array) -> None:
        """Let the new actuators act, with a control."""
        table, rows = self.table, route.rows
        self.data.ctrl[route.ctrl_adr] = control
        table.command[rows] = (control - route.law[9]) / route.law[8]
        table.mode[rows] = route.column
        table.ctrl_now[rows] = route.ctrl_adr
        self.law_now[:, rows] = route.law
        table.follow()
        if not route.simple:
            self._set_states(table.actuators[rows, route.column])
        if len(self.drives):
            self._mute_drives()
        self._settle(route)

    def _settle(self, route: _Route) -> None:
        """Make groups and mask say what the modes are."""
        enabled = disabled = 0
        for slot, whole in route.slots:
            if whole and slot.by_mode:
                slot.mode = route.column
                off = slot.disabled_bits()
                enabled |= slot.bits & ~off
                disabled |= off
            else:
                self.settle_slot(slot)
        if enabled | disabled:
            opt = self.model.opt
            opt.disableactuator = opt.disableactuator & ~enabled | disabled

    def settle_slot(self, slot: Slot) -> None:
        """Make the groups and the mask of one slot say what its joints' modes are."""
        table = self.table
        self.groups.settle(
            slot, self.model, table.actuators, table.mode, self.drives, self.drive_muted
        )

    def _mute_drives(self) -> None:
        mode = self.table.mode
        self.drive_muted = np.array([bool((mode[rows] >= 0).any()) for rows in self.drive_rows])

    def _set_states(self, actuators: Ints) -> None:
        """Set activations to match the controls: filters settled, integrals at zero."""
        model, data = self.model, self.data
        for a in actuators.tolist():
            first, count = int(model.actuator_actadr[a]), int(model.actuator_actnum[a])
            if count <= 0:
                continue
            control = data.ctrl[model.actuator_ctrladr[a]]
            if model.actuator_ctrllimited[model.actuator_ctrladr[a]]:
                control = np.clip(control, *model.actuator_ctrlrange[model.actuator_ctrladr[a]])
            data.act[first : first + count] = 0.0
            if model.actuator_gaintype[a] != mujoco.mjtGain.mjGAIN_PID:
                data.act[first] = control
            elif count == 2 or model.actuator_gainprm[a, 0] == 0:
                data.act[first] = control  # the slew state, which comes before the integral

    # -- laws with state, and drives that are not a joint's own ---------------------------------

    def forward(self) -> None:
        """MuJoCo's forward computation, without a trace in the warm start."""
        warmstart = self.data.qacc_warmstart.copy()
        mujoco.mj_forward(self.model, self.data)
        self.data.qacc_warmstart[:] = warmstart

    def _measured(self, dof_adr: Ints) -> Array:
        """The drives' effort on some dofs, computed by MuJoCo at this state (n,)."""
        self.forward()
        return np.array(self.data.qfrc_actuator[dof_adr])

    def _bumpless_by_forward(self, route: _Route) -> None:
        before = self._measured(route.dof_adr)
        self._give(route, self._solved(route, before))
        actuators = self.table.actuators[route.rows, route.column]
        error = before - self._measured(route.dof_adr)
        if not np.abs(error).max(initial=0.0) > 0.0:
            return
        control = self.data.ctrl[route.ctrl_adr] + error / route.law[0]
        control = np.minimum(np.maximum(control, route.law[6]), route.law[7])
        self.data.ctrl[route.ctrl_adr] = control
        self.table.command[route.rows] = (control - route.law[9]) / route.law[8]
        self._set_states(actuators)

    def _to_native(self, rows: Ints, transfer: Transfer) -> None:
        """Give joints back to the unmanaged drives that move them."""
        table = self.table
        pending = table.command.tobytes() != table.written
        effort = self._measured(table.dof_adr)
        was_muted = self.drive_muted.copy()
        table.mode[rows] = -1
        table.command[rows] = 0.0
        self._mute_drives()
        for d in np.flatnonzero(was_muted & ~self.drive_muted):
            if transfer is not Transfer.KEEP:
                self._take_over(int(d), effort, hold=transfer is Transfer.HOLD)
        for slot in self.groups.slots:
            if np.isin(slot.rows, rows).any():
                self.settle_slot(slot)
        self._law_all()
        table.written = b"" if pending else table.command.tobytes()

    def _take_over(self, drive: int, effort: Array, *, hold: bool) -> None:
        """Set a drive's control so that it gives its joints what they had, as well as it can.

        One drive on several joints cannot match them all: its force is the least-squares fit.
        """
        model, data, a = self.model, self.data, int(self.drives[drive])
        if (
            model.actuator_gaintype[a] != mujoco.mjtGain.mjGAIN_FIXED
            or model.actuator_gainprm[a, 0] == 0
            or model.actuator_outnum[a] != 1
        ):
            return
        out = int(model.actuator_outadr[a])
        moment = np.zeros((model.nout, model.nv))
        mujoco.mju_sparse2dense(
            moment,
            data.actuator_moment,
            data.moment_rownnz,
            data.moment_rowadr,
            data.moment_colind,
        )
        rows = self.drive_rows[drive]
        arm = moment[out, self.table.dof_adr[rows]]
        norm = float(arm @ arm)
        force = 0.0 if hold or norm == 0 else float(arm @ effort[rows]) / norm
        bias = np.zeros(3)
        if model.actuator_biastype[a] == mujoco.mjtBias.mjBIAS_AFFINE:
            bias = model.actuator_biasprm[a, :3]
        speed = 0.0 if hold else float(data.actuator_velocity[out])
        rest = bias[0] + bias[1] * float(data.actuator_length[out]) + bias[2] * speed
        data.ctrl[model.actuator_ctrladr[a]] = (force - rest) / model.actuator_gainprm[a, 0]
        self._set_states(np.array([a]))

    # -- whole states ---------------------------------------------------------------------------

    def take_modes(self, modes: Ints) -> None:
        """Be in these modes (n,) with the controls as they are, without any transfer."""
        table = self.table
        table.mode[:] = modes
        table.primed[:] = np.nan
        self.table.laws.refresh()
        self._law_all()
        if len(self.drives):
            self._mute_drives()
        for slot in self.groups.slots:
            self.settle_slot(slot)
        self.read_commands()

    def read_commands(self) -> None:
        """Take the commands from ``data.ctrl``."""
        table = self.table
        control = self.data.ctrl[table.ctrl_now] if self.model.nu else np.zeros(len(table))
        table.command[:] = (control - table.offset_now) / table.scale_now
        table.command[table.mode < 0] = 0.0
        table.written = table.command.tobytes()
