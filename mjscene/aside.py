"""What MuJoCo works out of the state of now, without a trace in what the last step left.

``mj_forward`` overwrites what was measured in the step just taken (efforts, accelerations, sensors)
and the warm start of the next. Controllers and records go on from these: a look at the state of now
must not change where a run goes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import mujoco

__all__ = ["MEASURED", "forward_aside", "measured_kept"]

MEASURED = "qacc qfrc_actuator actuator_force qfrc_constraint qfrc_smooth sensordata".split()


@contextlib.contextmanager
def forward_aside(model: Any, data: Any) -> Iterator[None]:
    """Inside, ``data`` is what ``mj_forward`` makes of it; afterwards as the last step left it."""
    kept = {name: getattr(data, name).copy() for name in (*MEASURED, "qacc_warmstart")}
    mujoco.mj_forward(model, data)
    try:
        yield
    finally:
        for name, array in kept.items():
            getattr(data, name)[:] = array


@contextlib.contextmanager
def measured_kept(scene: Any) -> Iterator[None]:
    """Around ``scene.forward()``: afterwards all that was measured is as the last step left it."""
    cycle, data = scene.cycle, scene.data
    past, kept, steps = tuple(cycle.states), cycle.kept, cycle.steps
    external = scene.records.external(slice(None)).copy()
    measured = {name: getattr(data, name).copy() for name in MEASURED}
    try:
        yield
    finally:
        for name, array in measured.items():
            getattr(data, name)[:] = array
        cycle.put(past, kept, steps)
        scene.records.put_external(external)
