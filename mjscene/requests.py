"""What a program asks of modes, checked before anything changes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.control import KEPT, ModeControl
from mjscene.errors import CommandError, MjsceneWarning, ModeError, close_matches
from mjscene.robot import Robot
from mjscene.rows import find_rows
from mjscene.spec import CtrlMode
from mjscene.switching import switch
from mjscene.transfer import Route, Transfer
from mjscene.undriven import undriven, warn_switched

if TYPE_CHECKING:
    from mjscene.scene import Scene

__all__ = ["NO_MODE", "set_modes", "switch_rows"]

NO_MODE: Any = type("NoMode", (), {"__repr__": lambda _: "no mode"})()

Ints = NDArray[np.intp]
Batch = tuple[Any, Ints, int]  # key of the route, rows, mode
_ACTUATION = mujoco.mjtDisableBit.mjDSBL_ACTUATION


def set_modes(scene: Scene, robot: Any, mode: Any, joints: Any, transfer: Transfer | str) -> None:
    """Switch modes; everything asked for is checked before the first joint switches.

    Args:
        scene: The scene.
        robot: A robot (name or handle), several, or a mapping of robots to modes.
        mode: The mode, where ``robot`` is no mapping.
        joints: The joints, or None for all that offer the mode.
        transfer: How first commands are chosen.

    Raises:
        ModeError: A request cannot be met; nothing has changed.
    """
    how = transfer if type(transfer) is Transfer else _transfer(transfer)
    control = scene.control
    control.refresh()
    key: Any = None
    batches = None
    who = _key_of(robot)
    if who is not None and (joints is None or type(joints) is tuple):
        key = (who, type(mode), mode, joints)
        try:
            batches = control.resolved.get(key)
        except TypeError:  # a mode or joint that has no hash
            key = None
    if batches is None:
        batches = _resolve(scene, _as_requests(robot, mode, joints))
        if key is not None:
            if len(control.resolved) >= KEPT:
                control.resolved.clear()
            control.resolved[key] = batches
    moving = _moving(control, batches)
    if how is Transfer.KEEP:
        for route in moving:
            _check_primed(control, route.indices, route.column)
    if control.table.refusals is not None:
        for route in moving:
            _check_free(control, route.indices)
        for _, rows, _ in batches if scene.stops.holds else ():  # not even into the mode of now
            if scene.stops.is_stopped(rows):
                _check_free(control, rows)
    before = undriven(control)
    for route in moving:
        switch(control, route, how)
    warn_switched(control, before)
    if control.opt.disableflags & _ACTUATION:
        warnings.warn(
            "the flag 'actuation' is disabled: no mode of any joint has an effect",
            MjsceneWarning,
            stacklevel=3,
        )


def _key_of(robot: Any) -> Any:
    """What stands for one or several robots in the cache; None for what is not kept.

    The place stands for a handle: the cache must not hold the scene.
    """
    if type(robot) is str:
        return robot
    if type(robot) is Robot:
        return robot._place
    if type(robot) in (tuple, list):
        keys = tuple([_key_of(one) for one in robot])
        return None if None in keys else keys
    return None


def _moving(control: ModeControl, batches: list[Batch]) -> list[Route]:
    """The routes of the joints that are not in their new mode already."""
    moving = []
    for key, rows, column in batches:
        route = control.find_route(key, rows, column)
        now = route.uniform_mode()
        if now >= 0 and now == column:
            continue
        if now < 0:
            left = rows[control.table.mode[rows] != column]
            if not len(left):
                continue
            if len(left) < len(rows):
                route = control.find_route((left.tobytes(), column), left, column)
        moving.append(route)
    return moving


def _resolve(scene: Scene, wanted: list[tuple[Any, Any, Any]]) -> list[Batch]:
    """The rows that go to each mode, checked."""
    control = scene.control
    rows_by_mode: dict[int, list[Ints]] = {}
    for robot, mode, joints in wanted:
        handle = robot if isinstance(robot, Robot) else scene.handle(robot)
        if handle._scene is not scene:
            raise ModeError(
                f"{handle.title} is of another scene", where="set_control_mode.robot", given=robot
            )
        column = _column(mode)
        rows = handle.own_rows if joints is None else find_rows(handle, joints)
        rows_by_mode.setdefault(column, []).append(_offered(control, handle, rows, column, joints))
    batches: list[Batch] = []
    for column, parts in rows_by_mode.items():
        rows = np.unique(np.concatenate(parts))
        batches.append(((rows.tobytes(), column), rows, column))
    if len(batches) > 1:
        _refuse_twice(control, batches)
    return batches


def switch_rows(control: ModeControl, rows: Ints, modes: Ints, how: Transfer) -> None:
    """Switch rows of the joint table, each into a mode that it offers.

    Whoever calls it warns of what is undriven, once all is done: a warning may be an exception.
    """
    control.refresh()
    now = control.table.mode[rows]
    for column in np.unique(modes[now != modes]).tolist():
        part = np.sort(rows[(modes == column) & (now != column)])
        switch(control, control.find_route((part.tobytes(), column), part, column), how)


def _transfer(transfer: Any) -> Transfer:
    if isinstance(transfer, Transfer):
        return transfer
    names = {t.name: t for t in Transfer}
    if isinstance(transfer, str) and transfer.upper() in names:
        return names[transfer.upper()]
    raise ModeError(
        f"unknown transfer {transfer!r}",
        where="set_control_mode.transfer",
        given=transfer,
        allowed=[f"Transfer.{n}" for n in names],
    )


def _column(mode: Any) -> int:
    if isinstance(mode, CtrlMode):
        return int(mode)
    if mode is None:
        return -1
    names = {m.name: int(m) for m in CtrlMode}
    if isinstance(mode, str) and mode.upper() in names:
        return names[mode.upper()]
    raise ModeError(
        f"unknown mode {mode!r}",
        where="set_control_mode.mode",
        given=mode,
        close=close_matches(mode.upper(), names) if isinstance(mode, str) else (),
        allowed=[*(f"CtrlMode.{n}" for n in names), "None (the joint's unmanaged drive)"],
    )


def _offered(control: ModeControl, handle: Robot, rows: Ints, column: int, joints: Any) -> Ints:
    """The rows that offer the mode; all must if they were named, and at least one in any case."""
    offering = control.offers(rows, column)
    if offering.all() and len(rows):
        return rows
    name = CtrlMode(column).name if column >= 0 else "None"
    if joints is not None:
        lacking = [control.table.names[r] for r in rows[~offering]]
        if lacking or not len(rows):
            raise ModeError(
                f"{handle.title}: no {name} mode for {', '.join(lacking) or 'no joints'}",
                where="set_control_mode.joints",
                given=tuple(joints),
                allowed=[f"{n}: {'/'.join(m.name for m in o)}" for n, o in handle.offers.items()],
                element=lacking[0] if lacking else None,
                hint=f"give the joint the mode in the modes=[...] of its own RobotSpec or "
                f"AttachmentSpec: CtrlModeSpec(CtrlMode.{name}, ...)"
                if lacking and column >= 0
                else None,
            )
    if not offering.any():
        offered = sorted({m.name for modes in handle.offers.values() for m in modes})
        raise ModeError(
            f"{handle.title}: none of its joints offers {name}",
            where="set_control_mode.mode",
            given=name,
            allowed=offered,
            hint=f"add it to the spec: modes=[CtrlModeSpec(CtrlMode.{name}, joints=[...], ...)]; "
            "joints that the file's own actuators give no mode must be named"
            if column >= 0
            else "only joints that an unmanaged actuator moves can go back to it",
        )
    return np.asarray(rows[offering])


def _refuse_twice(control: ModeControl, batches: list[Batch]) -> None:
    seen: dict[int, int] = {}
    for _, rows, column in batches:
        for row in rows.tolist():
            if seen.setdefault(row, column) != column:
                raise ModeError(
                    f"joint {control.table.names[row]!r} is asked to be in two modes",
                    where="set_control_mode",
                    element=control.table.names[row],
                )


def _check_free(control: ModeControl, rows: Ints) -> None:
    """Refuse to switch joints of a stopped robot, and those that a controller commands."""
    try:
        control.table.check_commandable(rows, "set_control_mode")
    except CommandError as error:
        raise ModeError(
            error.message, where="set_control_mode", element=error.element, hint=error.hint
        ) from None


def _check_primed(control: ModeControl, rows: Ints, column: int) -> None:
    if column < 0:
        return
    missing = np.isnan(control.table.primed[rows, column])
    if missing.any():
        names = [control.table.names[r] for r in rows[missing]]
        raise ModeError(
            f"no command was primed for {CtrlMode(column).name} of {', '.join(names)}",
            where="set_control_mode.transfer",
            given=Transfer.KEEP,
            element=names[0],
            hint="prime it first: robot.prime(mode, command)",
        )


def _as_requests(robot: Any, mode: Any, joints: Any) -> list[tuple[Any, Any, Any]]:
    """Requests out of what ``set_control_mode`` takes: one robot, several, or a mapping."""
    if joints is not None and not isinstance(joints, str) and isinstance(joints, Iterable):
        joints = tuple(joints)
    if isinstance(robot, Mapping):
        return [(name, wanted, joints) for name, wanted in robot.items()]
    if mode is NO_MODE:
        raise ModeError(
            "no mode is given",
            where="set_control_mode.mode",
            allowed=[f"CtrlMode.{m.name}" for m in CtrlMode],
        )
    if isinstance(robot, str | Robot) or not isinstance(robot, Iterable):
        return [(robot, mode, joints)]
    return [(one, mode, joints) for one in robot]
