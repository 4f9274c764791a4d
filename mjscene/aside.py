"""What MuJoCo works out of the state of now, without a trace in what the last step left.

``mj_forward`` overwrites what was measured in the step just taken (efforts, accelerations, sensors)
and the warm start of the next. Controllers and records go on from these: a look at the state of now
must not change where a run goes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["forward_aside", "measured_kept", "put_measured", "read_measured"]

_MEASURED = (
    "qacc qfrc_actuator actuator_force qfrc_constraint qfrc_smooth sensordata tree_asleep"
).split()
_WARM_START = "qacc_warmstart"


def read_measured(data: Any, *more: str) -> dict[str, NDArray[np.float64]]:
    """What the last step measured, and more arrays, by their names in ``data``, as copies."""
    return {name: getattr(data, name).copy() for name in (*_MEASURED, *more)}


def put_measured(data: Any, measured: Mapping[str, NDArray[np.float64]]) -> None:
    """Put back what was read."""
    for name, array in measured.items():
        getattr(data, name)[:] = array


@contextlib.contextmanager
def forward_aside(model: Any, data: Any) -> Iterator[None]:
    """Inside, ``data`` is what ``mj_forward`` makes of it; afterwards as the last step left it."""
    kept, timer = read_measured(data, _WARM_START), data.timer
    counts = timer.number.copy(), timer.duration.copy()
    mujoco.mj_forward(model, data)
    try:
        yield
    finally:
        put_measured(data, kept)
        # It was at this very state: a step need not begin anew.
        timer.number[:], timer.duration[:] = counts


@contextlib.contextmanager
def measured_kept(scene: Any) -> Iterator[None]:
    """Around ``scene.forward()``: afterwards all that was measured is as the last step left it."""
    cycle, data = scene.cycle, scene.data
    past, kept, steps = tuple(cycle.states), cycle.kept, cycle.steps
    external = scene.records.external(slice(None)).copy()
    measured = read_measured(data)
    try:
        yield
    finally:
        put_measured(data, measured)
        cycle.put(past, kept, steps)
        scene.records.put_external(external)
