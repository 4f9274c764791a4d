"""What became of a scene spec: a record that prints as a readable table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco

from mjscene.claims import OptionRow
from mjscene.compose import Composition
from mjscene.owners import Owner
from mjscene.sources import KINDS

__all__ = ["OwnerRow", "SceneReport", "StartContact", "make_report"]


_SIZES = ("nbody", "nq", "nv", "nu", "ngeom", "nmesh", "nkey")


@dataclass(frozen=True)
class OwnerRow:
    """A robot, attachment or object.

    Attributes:
        kind: robot, attachment or object.
        name: Its name.
        prefix: Put before each of its authored names.
        source: Where its model came from.
        mount: What it is attached to.
        counts: Its named elements per kind.
        sensors: How many sensors it has, named or not.
        names: The scene's names of its elements per kind.
        notes: What was changed in it or left out.
    """

    kind: str
    name: str
    prefix: str
    source: str
    mount: str
    counts: dict[str, int]
    sensors: int
    names: dict[str, tuple[str, ...]]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class StartContact:
    """A contact at the start pose.

    Attributes:
        geoms: The two geoms by name, or ``body#k`` for the k-th geom of a body if unnamed.
        owners: Whose they are; ``world`` for what belongs to no owner.
        distance: Negative when they overlap [m].
        internal: Whether it is between a robot and itself or what it is mounted on.
    """

    geoms: tuple[str, str]
    owners: tuple[str, str]
    distance: float
    internal: bool


@dataclass(frozen=True)
class SceneReport:
    """What a scene is made of, where its options came from, and what to look at.

    Attributes:
        name: The scene's name.
        sizes: Sizes of the model: nbody, nq, nv, nu, ngeom, nmesh, nkey.
        owners: Robots with their attachments, then objects.
        options: Options that somebody set, and who.
        merged_assets: Assets merged into another, by name.
        keyframes: All keyframes by name.
        contacts: Contacts at the start pose in which a robot takes part.
        warnings: What the user should look at, MuJoCo's own warnings too.
    """

    name: str
    sizes: dict[str, int]
    owners: tuple[OwnerRow, ...]
    options: tuple[OptionRow, ...]
    merged_assets: tuple[str, ...]
    keyframes: tuple[str, ...]
    contacts: tuple[StartContact, ...]
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        sizes = ", ".join(f"{k} {v}" for k, v in self.sizes.items())
        lines = [f"scene {self.name!r}: {sizes}", ""]
        lines += _table(
            ("owner", "name", "prefix", "source", "attached to", "joints", "actuators", "sensors"),
            [
                (
                    o.kind,
                    o.name,
                    repr(o.prefix),
                    o.source,
                    o.mount,
                    *(str(n) for n in (o.counts["joint"], o.counts["actuator"], o.sensors)),
                )
                for o in self.owners
            ],
        )
        options = [(o.name, _short(o.value), o.origin, o.note) for o in self.options]
        if options:
            lines += ["", *_table(("option", "value", "set by", "note"), options)]
        if self.keyframes:
            lines += ["", "keyframes: " + ", ".join(self.keyframes)]
        if self.merged_assets:
            shown = ", ".join(self.merged_assets[:12])
            more = len(self.merged_assets) - 12
            shown += f", … ({more} more)" if more > 0 else ""
            lines += ["", f"merged assets: {len(self.merged_assets)}: {shown}"]
        notes = [f"  {o.name}: {note}" for o in self.owners for note in o.notes]
        if notes:
            lines += ["", "changes:", *notes]
        if self.contacts:
            rows = [
                (*c.geoms, f"{c.distance * 1e3:.3g}", "yes" if c.internal else "")
                for c in self.contacts
            ]
            head = ("contact at start", "with", "distance [mm]", "robot with itself or mount")
            lines += ["", *_table(head, rows)]
        if self.warnings:
            lines += ["", "warnings:"]
            lines += ["  " + w.replace("\n", "\n    ") for w in self.warnings]
        return "\n".join(lines)


def _short(value: Any) -> str:
    if isinstance(value, tuple):
        return " ".join(f"{v:g}" for v in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    cells = [tuple(head), *(tuple(r) for r in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    lines = [
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells
    ]
    lines.insert(1, "  ".join("-" * w for w in widths))
    return lines


def make_report(scene: Composition, model: Any, data: Any) -> SceneReport:
    """The report of a compiled scene whose ``data`` is at the start pose, forwarded."""
    contacts = _start_contacts(scene, model, data)
    return SceneReport(
        name=scene.spec.name,
        sizes={name: int(getattr(model, name)) for name in _SIZES},
        owners=tuple(_owner_row(o) for o in scene.owners),
        options=tuple(scene.options),
        merged_assets=scene.merged_assets,
        keyframes=tuple(model.key(i).name for i in range(model.nkey)),
        contacts=contacts,
        warnings=tuple(scene.warnings),
    )


def _owner_row(owner: Owner) -> OwnerRow:
    notes = list(owner.notes)
    notes += [f"actuator {n!r} moved from group {g} to 0" for n, g in owner.regrouped.items()]
    if owner.parked:
        notes.append(f"disabled by its file: {', '.join(owner.parked)}")
    elif owner.source is not None and owner.source.disabled_groups:
        groups = [str(g) for g in range(31) if owner.source.disabled_groups >> g & 1]
        notes.append(f"disables actuator groups {', '.join(groups)}, which it has no actuators in")
    return OwnerRow(
        kind=owner.kind,
        name=owner.label,
        prefix=owner.prefix if owner.source is not None else "",
        source=owner.source.label if owner.source is not None else getattr(owner.spec, "shape", ""),
        mount=owner.mount,
        counts=dict.fromkeys(KINDS, 0) | {kind: len(names) for kind, names in owner.names.items()},
        sensors=len(owner.source.spec.sensors) if owner.source is not None else 0,
        names=dict(owner.names),
        notes=tuple(notes),
    )


def geom_label(model: Any, geom: int) -> str:
    """A geom's name, or ``body#k`` for the k-th geom of a body."""
    name = model.geom(geom).name
    if name:
        return str(name)
    body = int(model.geom_bodyid[geom])
    return f"{model.body(body).name or f'body{body}'}#{geom - int(model.body_geomadr[body])}"


def _start_contacts(scene: Composition, model: Any, data: Any) -> tuple[StartContact, ...]:
    if not data.ncon:
        return ()
    owner_of: dict[int, Owner] = {}
    for owner in scene.owners:
        for name in owner.names.get("body", ()):
            owner_of[mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)] = owner
    found: dict[tuple[int, int], StartContact] = {}
    for contact in data.contact[: data.ncon]:
        geoms = tuple(sorted(int(g) for g in contact.geom))
        if geoms[0] < 0:  # a flex
            continue
        owners = [_body_owner(model, owner_of, int(model.geom_bodyid[g])) for g in geoms]
        if not any(o is not None and o.kind != "object" for o in owners):
            continue
        pair = (geoms[0], geoms[1])
        distance = float(contact.dist)
        if pair in found:
            distance = min(distance, found[pair].distance)
        found[pair] = StartContact(
            geoms=(geom_label(model, pair[0]), geom_label(model, pair[1])),
            owners=tuple(o.label if o is not None else "world" for o in owners),  # type: ignore[arg-type]
            distance=distance,
            internal=_is_internal(owners),
        )
    return tuple(found.values())


def _body_owner(model: Any, owner_of: dict[int, Owner], body: int) -> Owner | None:
    while body > 0 and body not in owner_of:  # an unnamed body
        body = int(model.body_parentid[body])
    return owner_of.get(body)


def _is_internal(owners: list[Owner | None]) -> bool:
    """Whether two owners are parts of one robot, or one is mounted on the other."""
    roots = [o.root if o is not None else None for o in owners]
    if roots[0] is roots[1]:
        return True
    bases = [r.base.root if r is not None and r.base is not None else None for r in roots]
    return any(b is not None and b is r for b, r in zip(bases, reversed(roots), strict=True))
