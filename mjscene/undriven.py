"""Joints that a switch of modes leaves without any drive.

A drive on several joints, such as a tendon that closes two fingers, is muted as soon as one of
them is in a mode of its own. The others are then driven by nothing until they are switched too.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from mjscene.callers import callers_level
from mjscene.errors import MjsceneWarning
from mjscene.jumps import warn_jumps

if TYPE_CHECKING:
    from mjscene.control import ModeControl

__all__ = ["undriven", "warn_switched"]

_JOINT_EQUALITY = int(mujoco.mjtEq.mjEQ_JOINT)


def undriven(control: ModeControl) -> dict[int, int]:
    """Joint ids that a muted drive would move and that no acting actuator moves, by that drive.

    A joint that an active joint equality holds to a driven one counts as driven.
    """
    if not len(control.drives) or not control.drive_muted.any():
        return {}
    model, muted = control.model, control.drives[control.drive_muted].tolist()
    mask = int(model.opt.disableactuator)
    groups = model.actuator_group
    acting = [a for a in range(model.nactuator) if not _is_disabled(mask, int(groups[a]))]
    driven = {joint for a in acting for joint in _moved(control, a)}
    driven |= _held(model, control.data, driven)
    return {j: drive for drive in muted for j in _moved(control, drive) if j not in driven}


def _is_disabled(mask: int, group: int) -> bool:
    """Whether a mask of disabled groups has a group; it can hold 0 to 30."""
    return 0 <= group <= 30 and bool(mask >> group & 1)


def _moved(control: ModeControl, actuator: int) -> list[int]:
    """The joints that an actuator moves at this state."""
    model, data = control.model, control.data
    first, stop = _outputs(model, actuator)
    dofs: set[int] = set()
    for row in range(first, stop):
        start, count = int(data.moment_rowadr[row]), int(data.moment_rownnz[row])
        lever = data.actuator_moment[start : start + count]
        dofs.update(data.moment_colind[start : start + count][lever != 0].tolist())
    return sorted({int(model.dof_jntid[dof]) for dof in dofs})


def _outputs(model: Any, actuator: int) -> tuple[int, int]:
    """First and last row of an actuator's moments: some drive several outputs."""
    first = int(model.actuator_outadr[actuator])
    return first, first + int(model.actuator_outnum[actuator])


def _held(model: Any, data: Any, driven: set[int]) -> set[int]:
    """The joints that an active equality holds to one of these."""
    held: set[int] = set()
    for k in np.flatnonzero((model.eq_type == _JOINT_EQUALITY) & (data.eq_active != 0)).tolist():
        pair = (int(model.eq_obj1id[k]), int(model.eq_obj2id[k]))
        if driven.intersection(pair):
            held.update(pair)
    return held


def warn_switched(control: ModeControl, before: dict[int, int]) -> None:
    """Warn of jumps in a switch, and of joints that nothing drives now and something did before.

    To be called when all is done: warnings may be raised as errors.
    """
    if control.jumped:
        warn_jumps(control)
    model, table = control.model, control.table
    for joint, drive in undriven(control).items():
        if joint in before:
            continue
        rows = control.drive_rows[int(np.flatnonzero(control.drives == drive)[0])]
        others = [table.names[r] for r in rows.tolist() if table.mode[r] >= 0]
        warnings.warn(
            f"joint {model.joint(joint).name!r} is driven by nothing now: its drive "
            f"{model.actuator(drive).name!r} is muted while {', '.join(map(repr, others))} "
            f"{'is' if len(others) == 1 else 'are'} in a mode of "
            f"{'its' if len(others) == 1 else 'their'} own; switch them together",
            MjsceneWarning,
            stacklevel=callers_level(),
        )
