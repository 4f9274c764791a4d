"""Commands as they come every step: numbers for joints, each in its mode, robot by robot."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from mjscene.commands import ObjectCmd

if TYPE_CHECKING:
    from mjscene.simulation import Simulation

__all__ = ["apply_streamed"]

_BYTES = 8  # of a number


def apply_streamed(scene: Simulation, commands: dict[str, ObjectCmd]) -> bool:
    """Apply what is sent every step: numbers for joints, each in its mode, robot by robot.

    Returns:
        Whether that is all that was asked for and nothing is wrong with it; else nothing has
        happened, and ``apply_commands`` knows what to do.
    """
    table = scene.control.table
    if table.live is not None or table.refusals is not None:
        return False
    targets, writes, end, in_order = scene.known_targets, [], 0, True
    for name, command in commands.items():
        target = targets.get(name)
        numbers = command.joint_bytes if type(command) is ObjectCmd else None
        if target is None or numbers is None:
            return False
        first, start = target.first_byte, end
        end = first + len(numbers)
        if end > target.end_byte or first < 0:
            return False
        if first < start:
            in_order = False
        writes.append((first, end, numbers))
    # Where rows are written to in their order, none is written to twice.
    if not in_order and _overlap(writes):
        return False
    now, tops = table.command_bytes, table.tops
    before = now.tobytes()
    for first, end, numbers in writes:
        now[first:end] = numbers
    if tops != tops:
        now[:] = before
        return False
    if not table.is_there():
        for first, end, _ in writes:
            table.tell(slice(first // _BYTES, end // _BYTES))
    if scene.watch.watches:
        for name in commands:
            scene.watch.feed(targets[name])
    return True


def _overlap(writes: list[tuple[int, int, bytes]]) -> bool:
    """Whether some of what is to be written lies where other is, once it is in order."""
    writes.sort()
    return any(first < end for (_, end, _), (first, _, _) in pairwise(writes))
