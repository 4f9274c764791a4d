"""What a step does besides MuJoCo's own: its phases, in their one order.

before: watchdog, what is stopped, controllers, what is stopped again (if a controller has commanded
it), bodies that follow; then commands are written.
after: what drives delivered, for controllers; collisions, whoever asked with ``on_step``.

A phase that has nothing to do is not there: a scene without any pays for none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mjscene.simulation import Simulation

__all__ = ["arrange"]


def arrange(scene: Simulation) -> None:
    """Put the phases that have something to do in their order."""
    before, after = [], []
    if scene.watch.watches:
        before.append(scene.watch.look)
    if scene.stops.holds:
        before.append(scene.stops.hold)
    if scene.controllers.runs:
        before.append(scene.controllers.act)
        if scene.stops.holds:  # also against what controllers do
            before.append(scene.stops.hold)
    if len(scene.bodies) or scene.controllers.runs:  # which may let one begin in this very step
        before.append(scene.bodies.act)
    if scene.controllers.runs:
        after.append(scene.controllers.keeps())
    if scene.stops.watches:
        after.append(scene.stops.look)
    scene.cycle.before[:] = before
    scene.cycle.after[:] = [*after, *scene.observers]
