"""Updates of controllers: together, in one pass over arrays, or alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from mjscene.periods import whole_steps

if TYPE_CHECKING:
    from mjscene.controllers.attached import Attached
    from mjscene.controllers.base import Controller

__all__ = ["Bank", "make_banks"]

# Every how many steps, from which on, who, and what updates them.
Bank = tuple[int, int, "list[Attached]", Callable[[], None]]


def make_banks(scene: Callable[[], Any], attached: Sequence[Attached]) -> list[Bank]:
    """What is updated together, in the order in which it was added; the stopped are not.

    Args:
        scene: Gives the scene.
        attached: The controllers.
    """
    now = scene()
    step = float(now.model.opt.timestep)
    groups: dict[Any, list[Attached]] = {}
    for a in attached:
        if now.stops.is_stopped(a.rows):
            continue
        period = a.controller.period
        every = 1 if period is None else whole_steps(period, step, f"{a.name}.period")
        key = (type(a.controller), every, a.began % every, a.controller.bank_key())
        groups.setdefault(key, []).append(a)
    banks: list[Bank] = []
    for (kind, every, began, _), members in groups.items():
        dt, run = every * step, None
        if _has_its_own_pass(kind):
            run = kind.make_bank([m.controller for m in members], dt)
        if run is not None:
            banks.append((every, began, members, run))
            continue
        for member in members:
            banks.append((every, began, [member], partial(_update_alone, scene, member, dt)))
    return banks


def _has_its_own_pass(kind: type[Controller]) -> bool:
    """Whether a class's pass over many is of its own update, and not of one that it overrides."""
    made, updated = (
        next(k for k in kind.__mro__ if name in vars(k)) for name in ("make_bank", "update")
    )
    return issubclass(made, updated)


def _update_alone(scene: Callable[[], Any], member: Attached, dt: float) -> None:
    """Update a controller; what goes wrong says in which."""
    try:
        member.controller.update(member.handle(scene()), dt)
    except Exception as error:
        error.add_note(f"in the controller {member.name!r} of robot {member.robot!r}")
        raise
