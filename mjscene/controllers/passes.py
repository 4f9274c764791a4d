"""Updates of controllers together, in one pass over arrays, or one alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mjscene.controllers.attached import Attached
    from mjscene.controllers.base import Controller

__all__ = ["has_its_own_pass", "update_alone"]


def has_its_own_pass(kind: type[Controller]) -> bool:
    """Whether a class's pass over many is of its own update, and not of one that it overrides."""
    made, updated = (
        next(k for k in kind.__mro__ if name in vars(k)) for name in ("make_bank", "update")
    )
    return issubclass(made, updated)


def update_alone(scene: Callable[[], Any], member: Attached, dt: float) -> None:
    """Update a controller; what goes wrong says in which."""
    try:
        member.controller.update(member.handle(scene()), dt)
    except Exception as error:
        error.add_note(f"in the controller {member.name!r} of robot {member.robot!r}")
        raise
