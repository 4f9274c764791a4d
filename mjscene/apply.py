"""Apply commands: all are checked before any takes effect."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjscene.callers import callers_level
from mjscene.commands import ObjectCmd
from mjscene.errors import CommandError, MjsceneWarning, shown
from mjscene.geometry import is_sequence
from mjscene.poses import wxyz
from mjscene.spec import CtrlMode
from mjscene.targets import Target
from mjscene.transfer import Transfer
from mjscene.undriven import undriven, warn_switched

if TYPE_CHECKING:
    from mjscene.scene import Scene

__all__ = ["apply_commands"]

Array = NDArray[np.float64]
Effect = Callable[[], None]
_NO_NUMBERS = np.zeros(0)


def apply_commands(scene: Scene, commands: Mapping[str, ObjectCmd]) -> None:
    """Check and apply commands by name.

    Raises:
        CommandError: A command cannot be applied; it names object, field and index, and nothing
            has changed.
    """
    if type(commands) is not dict and not isinstance(commands, Mapping):
        raise CommandError(
            f"expected a mapping of names to commands, got {shown(commands)}", where="apply"
        )
    effects: list[Effect] = []
    unheeded: list[str] = []
    taken: list[tuple[Target, int]] = []
    pushed: dict[int, str] = {}
    for name, command in commands.items():
        target = scene.target(name, "apply")
        if type(command) is not ObjectCmd:
            raise CommandError(
                f"expected an ObjectCmd for {target.title}, got {shown(command)}",
                where=f"apply[{name!r}]",
                given=command,
                hint="ObjectCmd.from_dict(...) makes one out of a dict",
            )
        if command.joint_cmds is not None or (
            command.position_controller_mask is not None or command.joint_cmd_types is not None
        ):
            effects.append(_joint_effect(scene, target, command, taken))
        if command.wrench is not None or command.pose is not None or command.twist is not None:
            effects += _body_effects(scene, target, command)
            if command.twist is None and not command.enable_position_controller:
                unheeded += [target.title] if command.wrench is None else []
            other = pushed.setdefault(target.body, target.name)
            if other != target.name:
                raise CommandError(
                    f"{target.title} is the body of {other!r}, which is commanded too",
                    where=f"apply[{target.name!r}]",
                )
        if scene.watch.watches:
            scene.watch.expect(effects, target)
        if command.publish is not None:
            effects.append(partial(scene.publish, target, command.publish))
    before = undriven(scene.control) if effects else {}
    for effect in effects:
        effect()
    if effects:
        warn_switched(scene.control, before)
    for title in unheeded:
        warnings.warn(
            f"{title}: the pose has no effect without enable_position_controller=True",
            MjsceneWarning,
            stacklevel=callers_level(),
        )


def _where(target: Target, field: str) -> str:
    return f"apply[{target.name!r}].{field}"


def _numbers(target: Target, command: ObjectCmd) -> Array:
    """The joint commands as an array, checked."""
    numbers: Array = _NO_NUMBERS
    if command.joint_cmds is not None:
        numbers = command.joint_cmds  # type: ignore[assignment]
    known = target.joint_names
    if len(numbers) > len(known):
        raise CommandError(
            f"{target.title} has {len(known)} joints that take commands, got {len(numbers)} "
            "numbers",
            where=_where(target, "joint_cmds"),
            given=command.joint_cmds,
            allowed=known,
        )
    if not np.isfinite(numbers).all():
        k = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise CommandError(
            f"{target.title}: the command of joint {known[k]!r} is {numbers[k]}",
            where=_where(target, f"joint_cmds[{k}]"),
            given=command.joint_cmds,
            element=known[k],
        )
    return numbers


def _joint_effect(
    scene: Scene, target: Target, command: ObjectCmd, taken: list[tuple[Target, int]]
) -> Effect:
    numbers = _numbers(target, command)
    count = len(numbers)
    if taken:
        _refuse_overlap(target, count, taken)
    taken.append((target, count))
    modes = _modes(target, command, count)
    table = scene.control.table
    table.check_commandable(target.rows[:count], _where(target, "joint_cmds"))
    if modes is None:
        if table.live is not None:
            _refuse_modeless(scene, target, count)
        return partial(table.give, target.part(count), numbers)
    rows = target.rows[:count]
    offered = table.actuators[rows, modes] >= 0
    if not offered.all():
        k = int(np.flatnonzero(~offered)[0])
        raise CommandError(
            f"{target.title}: joint {target.joint_names[k]!r} does not offer "
            f"{CtrlMode(int(modes[k])).name}",
            where=_where(target, f"joint_cmds[{k}]"),
            given=numbers[k],
            element=target.joint_names[k],
            allowed=[CtrlMode(m).name for m in range(3) if table.actuators[rows[k], m] >= 0],
        )

    def switch_and_write() -> None:
        scene.switch_rows(rows, modes, Transfer.HOLD)
        table.give(rows, numbers)

    return switch_and_write


def _refuse_overlap(target: Target, count: int, taken: list[tuple[Target, int]]) -> None:
    """Refuse a second command to a joint."""
    for other, other_count in taken:
        consecutive = target.first >= 0 and other.first >= 0
        if consecutive and (
            target.first >= other.first + other_count or other.first >= target.first + count
        ):
            continue
        shared = np.isin(target.rows[:count], other.rows[:other_count])
        if shared.any():
            k = int(np.flatnonzero(shared)[0])
            raise CommandError(
                f"joint {target.joint_names[k]!r} is commanded by {other.name!r} and "
                f"{target.name!r}",
                where=_where(target, f"joint_cmds[{k}]"),
                element=target.joint_names[k],
            )


def _refuse_modeless(scene: Scene, target: Target, count: int) -> None:
    modes = scene.control.table.mode[target.rows[:count]]
    if (modes < 0).any():
        k = int(np.flatnonzero(modes < 0)[0])
        raise CommandError(
            f"{target.title}: joint {target.joint_names[k]!r} is moved by an unmanaged drive and "
            "is in no mode",
            where=_where(target, f"joint_cmds[{k}]"),
            element=target.joint_names[k],
            hint="switch it into a mode, or give joint_cmd_types",
        )


def _modes(target: Target, command: ObjectCmd, count: int) -> NDArray[np.intp] | None:
    """The mode that each number asks for; None for the mode each joint is in."""
    mask, types = command.position_controller_mask, command.joint_cmd_types
    if mask is None and types is None:
        return None
    given: Any = mask if mask is not None else types
    field = "position_controller_mask" if mask is not None else "joint_cmd_types"
    where = _where(target, field)
    if not is_sequence(given):
        raise CommandError(
            f"{target.title}: expected a sequence, got {shown(given)}", where=where, given=given
        )
    if len(given) > len(target.joint_names):
        raise CommandError(
            f"{target.title} has {len(target.joint_names)} joints that take commands, got "
            f"{len(given)} entries",
            where=where,
            given=given,
            allowed=target.joint_names,
        )
    if types is not None:
        if len(given) != count:
            raise CommandError(
                f"{target.title}: {count} numbers and {len(given)} types", where=where, given=given
            )
        for k, mode in enumerate(given):
            if not isinstance(mode, CtrlMode):
                raise CommandError(
                    f"{target.title}: expected a CtrlMode, got {shown(mode)}",
                    where=f"{where}[{k}]",
                    given=mode,
                    allowed=[m.name for m in CtrlMode],
                )
        return np.array([int(m) for m in given], dtype=np.intp)
    for k, flag in enumerate(given):
        if not isinstance(flag, bool | int | float | np.generic) or flag not in (0, 1):
            raise CommandError(
                f"{target.title}: expected 0 or 1, got {shown(flag)}",
                where=f"{where}[{k}]",
                given=flag,
            )
    padded = [*list(given)[:count], *([0] * (count - len(given)))]
    modes = [CtrlMode.POSITION if flag else CtrlMode.TORQUE for flag in padded]
    return np.array([int(m) for m in modes], dtype=np.intp)


def _body_effects(scene: Scene, target: Target, command: ObjectCmd) -> list[Effect]:
    body, bodies, data = target.body, scene.bodies, scene.data
    if command.enable_position_controller or command.twist is not None:
        pose = command.pose if command.enable_position_controller else None
        if target.moves == "mocap":
            if pose is None:
                raise CommandError(
                    f"{target.title} is a mocap body, which follows poses only",
                    where=_where(target, "twist"),
                )
            mocap = int(scene.model.body_mocapid[body])

            def place() -> None:
                data.mocap_pos[mocap] = pose.position
                data.mocap_quat[mocap] = wxyz(tuple(pose.orientation))

            return [place]
        return [_follow(scene, target, command)]
    if command.wrench is None:
        return []
    wrench = (*command.wrench.force, *command.wrench.torque)
    if target.moves in ("fixed", "mocap"):
        if not any(wrench):
            return []  # a whole message of AMBF says "no force" with zeros
        raise CommandError(
            f"{target.title} does not move by forces: it is {target.moves}",
            where=_where(target, "wrench"),
            given=command.wrench,
        )

    def push() -> None:
        bodies.release(body)
        scene.arrange()
        data.xfrc_applied[body] = wrench

    return [push]


def _follow(scene: Scene, target: Target, command: ObjectCmd) -> Effect:
    field = "pose" if command.enable_position_controller else "twist"
    if target.moves != "free":
        raise CommandError(
            f"{target.title} has no free base to move: it is "
            + ("fixed" if target.moves == "fixed" else "a body inside a robot"),
            where=_where(target, field),
            hint="command its joints, or push it with a wrench",
        )
    gains = target.controller
    if gains is None:
        raise CommandError(
            f"{target.title} has no gains to follow a {field} with",
            where=_where(target, field),
            hint="give its spec controller=BodyController(linear=(kp, kd), angular=(kp, kd))",
        )
    pose = None
    if command.enable_position_controller and command.pose is not None:
        pose = (command.pose.position, command.pose.orientation)
    twist = ((0.0,) * 3, (0.0,) * 3)
    if command.twist is not None:
        twist = (tuple(command.twist.linear), tuple(command.twist.angular))

    def follow() -> None:
        scene.bodies.follow(target.body, pose, twist, gains)
        scene.arrange()

    return follow
