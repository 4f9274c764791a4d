"""Sizes, visual options and statistics: what a file says of the scene beside its physics.

Visual options have no bearing on physics: where two files differ, the first author's value stays.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import mujoco
import numpy as np

from mjscene.claims import Author, Claim, OptionRow, merge_claims, plain

__all__ = ["adopt_statistics", "copy_visual", "merge_sizes", "merge_visual"]

SIZES = (
    *("nuserdata", "nuser_body", "nuser_jnt", "nuser_geom", "nuser_site", "nuser_cam"),
    *("nuser_tendon", "nuser_actuator", "nuser_sensor", "njmax", "nconmax", "nstack", "nemax"),
    "nkey",
)
LEGACY_SIZES = ("njmax", "nconmax", "nstack", "nemax")
VISUAL_MERGE = {"map.znear": min, "map.zfar": max, "global_.realtime": min}
# Arena that MuJoCo gives a small model by itself; room for owners whose file asks for none.
DEFAULT_ARENA = 13 * 2**20


_DEFAULT = mujoco.MjSpec()


def merge_sizes(authors: list[Author], target: Any) -> list[OptionRow]:
    """Write the sizes that the authors ask for, merged, into ``target``."""
    rows = []
    several = sum(a.owners for a in authors) > 1
    for name in SIZES:
        if several and name in LEGACY_SIZES:
            continue  # a file sized them for itself alone; MuJoCo's own choice grows with a scene
        default = getattr(_DEFAULT, name)
        claims = [
            Claim(getattr(a.source.spec, name), a)
            for a in authors
            if getattr(a.source.spec, name) != default
        ]
        row = merge_claims(name, "max", None, claims)
        if row is not None:
            setattr(target, name, row.value)
            rows.append(row)
    asking = [a for a in authors if a.source.spec.memory > 0]
    if asking:
        # Each file sized the arena for itself alone: together they need the sum.
        total = sum(a.owners * a.source.spec.memory for a in asking)
        if len(asking) < len(authors):
            total += DEFAULT_ARENA
        target.memory = total
        note = "sum of several" if sum(a.owners for a in authors) > 1 else ""
        rows.append(OptionRow("memory", total, ", ".join(a.label for a in asking), note))
    return rows


@cache
def _visual_defaults() -> dict[str, dict[str, Any]]:
    """MuJoCo's own value of every visual option, by group and field."""
    groups = {
        name: getattr(_DEFAULT.visual, name)
        for name in ("global_", "quality", "headlight", "map", "scale", "rgba")
    }
    return {
        name: {f: plain(getattr(group, f)) for f in dir(group) if not f.startswith("_")}
        for name, group in groups.items()
    }


def merge_visual(authors: list[Author], target: Any) -> list[OptionRow]:
    """Write the visual options that the authors set, merged, into ``target``."""
    rows = []
    for group, defaults in _visual_defaults().items():
        options = [(a, getattr(a.source.spec.visual, group)) for a in authors]
        for field, default in defaults.items():
            values = [(a, plain(getattr(own, field))) for a, own in options]
            claims = [Claim(value, a) for a, value in values if value != default]
            if claims:
                rows.append(_merge_visual_field(group, field, claims, target))
    return rows


def _merge_visual_field(group: str, field: str, claims: list[Claim], target: Any) -> OptionRow:
    merge = VISUAL_MERGE.get(f"{group}.{field}", lambda values: next(iter(values)))
    value = merge([c.value for c in claims])
    setattr(getattr(target.visual, group), field, value)
    origin = ", ".join(c.author.label for c in claims if c.value == value)
    others = [f"{c.author.label} has {c.value}" for c in claims if c.value != value]
    return OptionRow(f"visual {group.rstrip('_')}.{field}", value, origin, "; ".join(others))


def adopt_statistics(authors: list[Author], target: Any) -> list[OptionRow]:
    """Take ``<statistic>`` over from the one robot of a scene.

    With several robots the statistics of one say nothing about the scene: MuJoCo computes them.
    """
    rows = []
    for field in ("meaninertia", "meanmass", "meansize", "extent", "center"):
        for author in authors:
            value = getattr(author.source.spec.stat, field)
            if not np.isnan(np.atleast_1d(value)[0]):
                setattr(target.stat, field, value)
                rows.append(OptionRow(f"statistic {field}", plain(value), author.label))
                break
    return rows


def copy_visual(target: Any, spec: Any) -> None:
    """Make a source's sizes and visual options those of the scene."""
    for name in (*SIZES, "memory"):
        setattr(spec, name, getattr(target, name))
    spec.visual = target.visual  # by value
