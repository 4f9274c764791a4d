"""Commands as they come every step: numbers for joints, each in its mode, robot by robot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mjscene.commands import ObjectCmd

if TYPE_CHECKING:
    from mjscene.simulation import Simulation

__all__ = ["apply_streamed"]


def apply_streamed(scene: Simulation, commands: dict[str, ObjectCmd]) -> bool:
    """Apply what is sent every step: numbers for joints, each in its mode, robot by robot.

    Returns:
        Whether that is all that was asked for and nothing is wrong with it; else nothing has
        happened, and ``apply_commands`` knows what to do.
    """
    table = scene.control.table
    if table.live is not None or table.refusals is not None:
        return False
    targets, writes, end = scene.known_targets, [], 0
    for name, command in commands.items():
        target = targets.get(name)
        numbers = command.joint_bytes if type(command) is ObjectCmd else None
        if target is None or numbers is None:
            return False
        first, start = target.first_byte, end
        end = first + len(numbers)
        # Where rows are written to in their order, none is written to twice.
        if first < start or end > target.end_byte:
            return False
        writes.append((first, end, numbers))
    now, tops = table.command_bytes, table.tops
    before = now.tobytes()
    for first, end, numbers in writes:
        now[first:end] = numbers
    if tops != tops:
        now[:] = before
        return False
    if scene.watch.watches:
        for name in commands:
            scene.watch.feed(targets[name])
    return True
