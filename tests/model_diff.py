"""All differences between two compiled models, field by field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

__all__ = ["FILE_TABLE", "differences"]

# Where files lay when a model was compiled. A saved scene has copies elsewhere, under other names.
FILE_TABLE = frozenset(
    {
        *("paths", "npaths", "mesh_pathadr", "tex_pathadr", "hfield_pathadr", "skin_pathadr"),
        "nbuffer",  # the size of all arrays, that of the paths too
    }
)
# Of the MjSpec that a model was compiled from in this process: no file has it.
_IN_MEMORY = {"signature"}
_GROUPS = ("opt", "stat")
_VISUAL = ("global_", "quality", "headlight", "map", "scale", "rgba")


def differences(first: Any, second: Any) -> dict[str, float]:
    """The largest difference of every field that is not equal bit for bit.

    Arrays, sizes, names, options, statistics and visual settings; ``inf`` where the shapes or
    texts differ. NaN equals NaN.
    """
    fields = dict(_fields(first))
    others = dict(_fields(second))
    assert fields.keys() == others.keys()
    assert len(fields) > 400  # mjModel has some 600 fields: an empty walk must not pass
    found = {name: _difference(value, others[name]) for name, value in fields.items()}
    return {name: size for name, size in found.items() if size}


def _fields(model: Any) -> Iterator[tuple[str, Any]]:
    yield from _values(model, "")
    for group in _GROUPS:
        yield from _values(getattr(model, group), f"{group}.")
    for group in _VISUAL:
        yield from _values(getattr(model.vis, group), f"vis.{group}.")


def _values(struct: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for name in dir(struct):
        if not name.startswith("_") and name not in _IN_MEMORY:
            value = getattr(struct, name)
            if isinstance(value, int | float | bytes | np.ndarray | np.number):
                yield prefix + name, value


def _difference(first: Any, second: Any) -> float:
    if isinstance(first, bytes):
        return 0.0 if first == second else np.inf
    a, b = np.asarray(first), np.asarray(second)
    if a.shape != b.shape:
        return np.inf
    if np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
        return 0.0
    difference = np.abs(a.astype(float) - b.astype(float))
    return float(np.nanmax(difference)) if np.isfinite(difference).any() else np.inf
