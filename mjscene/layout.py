"""The arrays of a recording: their names, columns and shapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

__all__ = ["ARRAYS", "check_shapes", "columns"]

ARRAYS = {
    "qpos": "qpos",
    "qvel": "dof",
    "ctrl": "ctrl",
    "efforts": "managed",
    "commands": "managed",
    "modes": "managed",
    "sensors": "sensor_columns",
    "bodies": "body_columns",
}
"""The arrays of a run with a second dimension, and what in the header names it."""

_POSE = ("x", "y", "z", "qx", "qy", "qz", "qw")


def columns(header: Mapping[str, Any], name: str) -> list[str]:
    """A name for each column of one of the arrays of a run."""
    kind = ARRAYS[name]
    if kind == "managed":
        return list(header["managed"])
    if kind == "sensor_columns":
        return [
            sensor if dim == 1 else f"{sensor} #{k}"
            for sensor, dim in header["sensors"]
            for k in range(dim)
        ]
    if kind == "body_columns":
        return [f"{b} {part}" for b in header["bodies"] for part in _POSE]
    return list(header["names"][kind])


def check_shapes(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Refuse arrays that do not fit their header.

    Raises:
        ValueError: One does not.
        KeyError: One is missing.
    """
    rows = len(arrays["time"])
    if rows == 0:
        raise ValueError("it has no rows")
    shapes: dict[str, tuple[int, ...]] = {"time": (rows,), "contacts": (rows,)}
    shapes |= {name: (rows, len(columns(header, name))) for name in ARRAYS}
    for name, shape in shapes.items():
        kind = "i" if name in ("modes", "contacts") else "f"
        if arrays[name].shape != shape or arrays[name].dtype.kind != kind:
            found = f"{arrays[name].dtype} {arrays[name].shape}"
            raise ValueError(f"{name!r} is {found}, the header says {kind} {shape}")
    sets = arrays["contacts"]
    if sets.min() < 0 or sets.max() >= len(header["contact_sets"]):
        raise ValueError("its contacts are not in its header")
    for key in ("scene", "versions", "every", "mode_changes", "digests"):
        _ = header[key]
    float(header["options"]["timestep"])
    for joint in header["joints"]:
        _ = joint["name"], joint["type"], joint["qpos"], joint["dof"], joint["nq"], joint["nv"]
