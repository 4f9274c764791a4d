"""Which physics options a scene has, and who said so.

What ``SceneSpec.options`` sets, wins. What it leaves open is taken from whoever authored it; two
authors that differ are merged by MuJoCo's own table (Attribute Merging, ``mjCONFLICT_MERGE``):
the smaller or larger value, the union of flags, or no answer, which is an error here that names
both files. Visual options have no bearing on physics: the first author's value stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from mjscene.errors import ComposeError
from mjscene.sources import Source
from mjscene.spec import PhysicsOptions
from mjscene.spec.physics import FLAGS, WORDS

__all__ = ["Author", "OptionRow", "adopt_statistics", "merge_options"]

# The fields of mjOption in the order of MuJoCo's bits of authored fields (MJOPTION_FIELDS of
# mjxmacro.h), each with its rule in MuJoCo's table.
FIELDS = (
    *(("timestep", "min"), ("impratio", "error"), ("tolerance", "min"), ("ls_tolerance", "min")),
    *(("noslip_tolerance", "min"), ("ccd_tolerance", "min"), ("sleep_tolerance", "min")),
    *(("gravity", "error"), ("wind", "error"), ("magnetic", "error"), ("density", "error")),
    *(("viscosity", "error"), ("o_margin", "error"), ("o_solref", "error"), ("o_solimp", "error")),
    *(("o_friction", "error"), ("integrator", "error"), ("cone", "error"), ("jacobian", "error")),
    *(("solver", "error"), ("iterations", "max"), ("ls_iterations", "max")),
    *(("noslip_iterations", "max"), ("ccd_iterations", "max"), ("disableflags", "flags")),
    *(("enableflags", "flags"), ("disableactuator", "groups"), ("sdf_initpoints", "max")),
    ("sdf_iterations", "max"),
)
SIZES = (
    *("nuserdata", "nuser_body", "nuser_jnt", "nuser_geom", "nuser_site", "nuser_cam"),
    *("nuser_tendon", "nuser_actuator", "nuser_sensor", "njmax", "nconmax", "nstack", "nemax"),
)
VISUAL_MERGE = {"map.znear": min, "map.zfar": max, "global_.realtime": min}
# Arena that MuJoCo gives a small model by itself; room for owners whose file asks for none.
DEFAULT_ARENA = 13 * 2**20


@dataclass(frozen=True)
class Author:
    """An owner whose file may have authored options."""

    label: str
    source: Source


@dataclass(frozen=True)
class OptionRow:
    """One option of the scene.

    Attributes:
        name: The option as in MJCF.
        value: The value used.
        origin: ``spec``, the owners that authored it, or ``MuJoCo's default``.
        note: What was merged or overruled.
    """

    name: str
    value: Any
    origin: str
    note: str = ""


@dataclass(frozen=True)
class _Claim:
    value: Any
    author: Author


def merge_options(options: PhysicsOptions, authors: list[Author], target: Any) -> list[OptionRow]:
    """Write the merged options into ``target`` and into every author's spec.

    The authors' specs then agree with the target, so that attaching them changes nothing.

    Args:
        options: What the scene sets.
        authors: The owners, in order; owners of one source count once.
        target: The scene's MjSpec.

    Returns:
        A row for every option that somebody set.

    Raises:
        ComposeError: Two authors differ where MuJoCo's table has no answer.
    """
    unique = _by_source(authors)
    rows = []
    for bit, (name, rule) in enumerate(FIELDS):
        if rule in ("min", "max", "error"):
            claims = [
                _Claim(_plain(getattr(a.source.spec.option, name)), a)
                for a in unique
                if _claims(a.source.spec, bit, name)
            ]
            row = _merge_field(name, rule, getattr(options, name), claims)
            if row is not None:
                rows.append(row)
                setattr(target.option, name, _enum_value(name, row.value))
    rows += _merge_flags(options, unique, target)
    rows += _merge_sizes(unique, target)
    rows += _merge_visual(unique, target)
    for author in unique:
        _copy_options(target, author.source.spec)
    return rows


def _by_source(authors: list[Author]) -> list[Author]:
    """One author per source, labelled with all owners that use it."""
    sharing: dict[int, list[Author]] = {}
    for author in authors:
        sharing.setdefault(id(author.source), []).append(author)
    found = []
    for same in sharing.values():
        labels = [a.label for a in same]
        label = ", ".join(labels) if len(labels) < 4 else f"{labels[0]} and {len(labels) - 1} more"
        found.append(Author(label, same[0].source))
    return found


def _plain(value: Any) -> Any:
    return tuple(float(v) for v in value) if isinstance(value, np.ndarray) else value


def _claims(spec: Any, bit: int, name: str) -> bool:
    """Whether a spec authored a field: written in its XML, or set to another value than MuJoCo's.

    Flags and groups have bits of their own and do not come here.
    """
    if spec.authored.option >> bit & 1:
        return True
    return bool(_plain(getattr(spec.option, name)) != _plain(getattr(_DEFAULT.option, name)))


_DEFAULT = mujoco.MjSpec()


def _enum_value(name: str, value: Any) -> Any:
    return WORDS[name].index(value) if name in WORDS and isinstance(value, str) else value


def _shown(name: str, value: Any) -> Any:
    return WORDS[name][int(value)] if name in WORDS and not isinstance(value, str) else value


def _merge_field(name: str, rule: str, wanted: Any, claims: list[_Claim]) -> OptionRow | None:
    claims = [_Claim(_shown(name, c.value), c.author) for c in claims]
    if wanted is not None:
        overruled = [f"{c.author.label} has {c.value}" for c in claims if c.value != wanted]
        return OptionRow(name, wanted, "spec", "; ".join(overruled))
    if not claims:
        return None
    values = list(dict.fromkeys(c.value for c in claims))
    if len(values) == 1:
        return OptionRow(name, values[0], ", ".join(c.author.label for c in claims))
    if rule == "error":
        raise _conflict(name, claims)
    value = min(values) if rule == "min" else max(values)
    origin = ", ".join(c.author.label for c in claims if c.value == value)
    others = "; ".join(f"{c.author.label} has {c.value}" for c in claims if c.value != value)
    word = "smallest" if rule == "min" else "largest"
    return OptionRow(name, value, origin, f"{word} of several: {others}")


def _conflict(name: str, claims: list[_Claim]) -> ComposeError:
    first = claims[0]
    other = next(c for c in claims if c.value != first.value)

    def said(claim: _Claim) -> str:
        file = claim.author.source.file
        return f"{claim.author.label} ({file or claim.author.source.label}) has {claim.value!r}"

    return ComposeError(
        f"the files do not agree on option {name!r}: {said(first)}, {said(other)}",
        where=f"options.{name}",
        given=(first.value, other.value),
        file=first.author.source.file,
        element=name,
        hint=f"decide with SceneSpec(options=PhysicsOptions({name}={first.value!r}))",
    )


def _flag_bits() -> dict[str, tuple[str, int]]:
    """Each MJCF flag's field of mjOption and its bit."""
    bits: dict[str, tuple[str, int]] = {}
    for field, enum, head in (
        ("disableflags", mujoco.mjtDisableBit, "mjDSBL_"),
        ("enableflags", mujoco.mjtEnableBit, "mjENBL_"),
    ):
        for member, value in enum.__members__.items():
            if member.startswith(head):
                flag = member[len(head) :].lower()
                if flag in FLAGS:
                    bits.setdefault(f"{flag}", (field, int(value)))
    return bits


def _merge_flags(options: PhysicsOptions, authors: list[Author], target: Any) -> list[OptionRow]:
    rows = []
    wanted = dict(options.flags)
    for flag, (field, bit) in _flag_bits().items():
        enabling = field == "enableflags"
        setters = [
            a
            for a in authors
            if getattr(a.source.spec.option, field) & bit
            or getattr(a.source.spec.authored, field) & bit
        ]
        if flag in wanted:
            is_on, origin = wanted[flag], "spec"
        elif setters:
            raised = [a for a in setters if getattr(a.source.spec.option, field) & bit]
            is_on = bool(raised) if enabling else not raised
            origin = ", ".join(a.label for a in (raised or setters))
        else:
            continue
        raise_bit = is_on if enabling else not is_on
        current = getattr(target.option, field)
        setattr(target.option, field, current | bit if raise_bit else current & ~bit)
        others = [
            a.label
            for a in setters
            if bool(getattr(a.source.spec.option, field) & bit) != raise_bit
        ]
        note = f"{', '.join(others)} differ(s)" if others else ""
        rows.append(OptionRow(f"flag {flag}", "enable" if is_on else "disable", origin, note))
    return rows


def _merge_sizes(authors: list[Author], target: Any) -> list[OptionRow]:
    rows = []
    for name in SIZES:
        default = getattr(_DEFAULT, name)
        claims = [
            _Claim(getattr(a.source.spec, name), a)
            for a in authors
            if getattr(a.source.spec, name) != default
        ]
        row = _merge_field(name, "max", None, claims)
        if row is not None:
            setattr(target, name, row.value)
            rows.append(row)
    asking = [a for a in authors if a.source.spec.memory > 0]
    if asking:
        # Each file sized the arena for itself alone: together they need the sum.
        total = sum(a.source.spec.memory for a in asking)
        if len(asking) < len(authors):
            total += DEFAULT_ARENA
        target.memory = total
        note = "sum of several" if len(authors) > 1 else ""
        rows.append(OptionRow("memory", total, ", ".join(a.label for a in asking), note))
    return rows


def _visual_fields() -> list[tuple[str, str]]:
    groups = ("global_", "quality", "headlight", "map", "scale", "rgba")
    return [
        (group, field)
        for group in groups
        for field in dir(getattr(_DEFAULT.visual, group))
        if not field.startswith("_")
    ]


def _merge_visual(authors: list[Author], target: Any) -> list[OptionRow]:
    rows = []
    for group, field in _visual_fields():
        default = _plain(getattr(getattr(_DEFAULT.visual, group), field))
        claims = []
        for author in authors:
            value = _plain(getattr(getattr(author.source.spec.visual, group), field))
            if value != default:
                claims.append(_Claim(value, author))
        if not claims:
            continue
        name = f"{group.rstrip('_')}.{field}"
        merge = VISUAL_MERGE.get(f"{group}.{field}", lambda values: next(iter(values)))
        value = merge([c.value for c in claims])
        setattr(getattr(target.visual, group), field, value)
        origin = ", ".join(c.author.label for c in claims if c.value == value)
        others = [f"{c.author.label} has {c.value}" for c in claims if c.value != value]
        rows.append(OptionRow(f"visual {name}", value, origin, "; ".join(others)))
    return rows


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
                rows.append(OptionRow(f"statistic {field}", _plain(value), author.label))
                break
    return rows


def _copy_options(target: Any, spec: Any) -> None:
    """Make a source's options those of the scene."""
    for name, _ in FIELDS:
        setattr(spec.option, name, getattr(target.option, name))
    spec.option.disableactuator = 0
    spec.authored.disableactuator = 0
    for name in (*SIZES, "memory"):
        setattr(spec, name, getattr(target, name))
    for group, field in _visual_fields():
        setattr(getattr(spec.visual, group), field, getattr(getattr(target.visual, group), field))
