"""Switch joints between modes while the scene runs, without a jump.

A switch changes which of a joint's actuators acts (its group, or the mask), and gives the new one
its first command. With ``BUMPLESS`` the new actuator's affine law is solved for the control that
gives the effort the old one gave at this state, within the new one's limits. Laws with a state
(filters, integral terms) and drives on several joints are settled by one Newton step on what
MuJoCo itself computes, which is exact since every law is affine in its control.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mjscene.aside import forward_aside
from mjscene.control import ModeControl
from mjscene.gravcomp import by_drives
from mjscene.jumps import at_joints, note_jumps
from mjscene.spec import CtrlMode
from mjscene.takeover import (
    has_integral,
    other_inputs,
    set_integrals,
    set_states,
    take_over,
)
from mjscene.transfer import Law, Passage, Route, Transfer

__all__ = ["switch"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


def switch(modes: ModeControl, route: Route, transfer: Transfer) -> None:
    """Switch the rows of a route, none of which may be in its mode already."""
    if route.column < 0:
        _to_native(modes, route.indices, transfer)
        return
    table = modes.table
    pending = table.is_pending()
    if transfer is not Transfer.BUMPLESS:
        control = _chosen(modes, route, transfer)
    else:
        found = _passage(modes, route)
        if found is None:
            _bumpless_by_forward(modes, route)
            table.written = b"" if pending else table.command.tobytes()
            return
        passage, ctrl_adr = found
        data, q, v = modes.data, None, None
        if passage.needs_state:
            q, v = data.qpos[route.qpos_adr], data.qvel[route.dof_adr]
        old = data.ctrl[ctrl_adr]
        control = passage.control(old, q, v)
        if passage.is_limited:
            efforts = [
                at_joints(modes, route.indices, e) for e in passage.efforts(old, control, q, v)
            ]
            note_jumps(modes, route.indices, route.column, *efforts)
    _give(modes, route, control)
    table.written = b"" if pending else table.command.tobytes()


def _passage(modes: ModeControl, route: Route) -> tuple[Passage, Ints] | None:
    """How to come from the acting actuators, and their controls; None if they have states."""
    mode = route.uniform_mode()
    rows = route.indices
    if mode >= 0:
        known = route.before.get(mode)
        if known is None:
            passage = Passage(Law(modes.laws[:, rows, mode]), route.law)
            simple = route.stateless and bool(modes.simple[rows, mode].all())
            known = route.before[mode] = (passage, modes.table.ctrl_adr[rows, mode], simple)
        return known[:2] if known[2] else None
    now = modes.table.mode[rows]
    if not route.stateless or (now < 0).any() or not modes.simple[rows, now].all():
        return None
    passage = Passage(Law(modes.laws[:, rows, now]), route.law)
    return passage, modes.table.ctrl_adr[rows, now]


def _chosen(modes: ModeControl, route: Route, transfer: Transfer) -> Array:
    """The control of ``HOLD`` or ``KEEP`` (n,)."""
    if transfer is Transfer.KEEP:
        command = modes.table.primed[route.indices, route.column]
        modes.table.primed[route.indices, route.column] = np.nan
    elif route.column == CtrlMode.POSITION:
        command = modes.data.qpos[route.qpos_adr]
    else:
        command = np.zeros(len(route.qpos_adr))
    control = command * route.law.scale + route.law.offset
    forward = modes.table.forward
    if forward is not None:
        control = control + _forward_control(modes, route, forward)
    return np.asarray(control)


def _give(modes: ModeControl, route: Route, control: Array) -> None:
    """Let the new actuators act, with a control."""
    table, rows, data = modes.table, route.rows, modes.data
    table.began_at[rows] = data.qpos[route.qpos_adr]
    table.command[rows] = _commanded(modes, route, control)
    table.mode[rows] = route.column
    table.ctrl_now[rows] = route.ctrl_adr
    table.short_way = None
    if table.is_primed:
        table.primed[rows, route.column] = np.nan
    if not modes.never_changes or table.forward is not None:
        table.scale_now[rows], table.offset_now[rows] = route.law.scale, route.law.offset
        table.follow()
    table.controls[rows] = data.ctrl[route.ctrl_adr] = control = table.as_given(rows, control)
    if not route.stateless:
        set_states(modes.model, modes.data, route.actuators)
    if len(modes.drives):
        modes.mute_drives()
    modes.settle(route)


def _commanded(modes: ModeControl, route: Route, control: Array) -> Array:
    """The commands that controls stand for, without what is fed forward (n,)."""
    forward = modes.table.forward
    if forward is not None:
        control = control - _forward_control(modes, route, forward)
    return route.law.command(control)


def _forward_control(modes: ModeControl, route: Route, forward: Array) -> Array:
    rows = route.indices
    return modes.table.forward_control(forward[rows], np.full(len(rows), route.column), rows)


def _measured(modes: ModeControl, dof_adr: Ints) -> Array:
    """The drives' effort on some dofs, computed by MuJoCo at this state (n,)."""
    with forward_aside(modes.model, modes.data):
        return np.array(modes.data.qfrc_actuator[dof_adr])


def _state(modes: ModeControl, route: Route) -> tuple[Array, Array]:
    return modes.data.qpos[route.qpos_adr], modes.data.qvel[route.dof_adr]


def _bumpless_by_forward(modes: ModeControl, route: Route) -> None:
    model, data, law = modes.model, modes.data, route.law
    before = _measured(modes, route.dof_adr)
    drives = before - by_drives(model, data, route.dof_adr)
    wanted = np.minimum(np.maximum(drives, law.low), law.high)
    q, v = _state(modes, route)
    control = law.solve(wanted, q, v)
    integral = has_integral(model, route.actuators)
    # An integral carries the load: the set-point is where the joint is.
    control = np.where(integral, law.clamp(q * law.scale + law.offset), control)
    _give(modes, route, control)
    error = before + (wanted - drives) - _measured(modes, route.dof_adr)
    if integral.any():
        given = law.ku * control + law.k0 + law.kq * q + law.kv * v
        given += other_inputs(model, data, route.actuators)
        left = set_integrals(model, data, route.actuators, np.where(integral, wanted - given, 0.0))
        error = np.where(integral, left, error)
    if np.abs(error).max(initial=0.0) > 0.0:
        _correct(modes, route, law.clamp(data.ctrl[route.ctrl_adr] + error / law.gain))
    note_jumps(modes, route.indices, route.column, before, _measured(modes, route.dof_adr))


def _correct(modes: ModeControl, route: Route, control: Array) -> None:
    """Have another control for the new actuators, whose integrals stay."""
    data, table = modes.data, modes.table
    table.command[route.rows] = _commanded(modes, route, control)
    control = table.as_given(route.rows, control)
    data.ctrl[route.ctrl_adr] = table.controls[route.rows] = control
    set_states(modes.model, data, route.actuators, keep_integrals=True)


def _to_native(modes: ModeControl, rows: Ints, transfer: Transfer) -> None:
    """Give joints back to the unmanaged drives that move them."""
    table = modes.table
    pending = table.is_pending()
    before = _measured(modes, table.dof_adr)
    effort = before - by_drives(modes.model, modes.data, table.dof_adr)
    was_muted = modes.drive_muted.copy()
    table.mode[rows] = -1
    table.began_at[rows] = modes.data.qpos[table.qpos_adr[rows]]
    table.command[rows] = 0.0
    modes.mute_drives()
    back = np.flatnonzero(was_muted & ~modes.drive_muted)
    if len(back) and transfer is not Transfer.KEEP:
        moved = np.unique(np.concatenate([modes.drive_rows[d] for d in back]))
        take_over(
            modes.model,
            modes.data,
            modes.drives[back],
            table.dof_adr[moved],
            effort[moved],
            hold=transfer is Transfer.HOLD,
        )
    for slot in modes.groups.slots:
        if np.isin(slot.rows, rows).any():
            modes.settle_slot(slot)
    modes.read_laws()
    if transfer is Transfer.BUMPLESS:
        note_jumps(modes, rows, -1, before[rows], _measured(modes, table.dof_adr[rows]))
    table.written = b"" if pending else table.command.tobytes()
