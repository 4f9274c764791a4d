"""Which physics options a scene has, and who said so.

What ``SceneSpec.options`` sets, wins. What it leaves open is taken from whoever authored it; two
authors that differ are merged by MuJoCo's own table (Attribute Merging, ``mjCONFLICT_MERGE``):
the smaller or larger value, the union of flags, or no answer, which is an error here that names
both files.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import mujoco

from mjscene.claims import Author, Claim, OptionRow, by_source, merge_claims, plain
from mjscene.spec import PhysicsOptions
from mjscene.spec.physics import FLAGS, WORDS
from mjscene.visual import copy_visual, merge_sizes, merge_visual

__all__ = ["FIELDS", "merge_options"]

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
    unique = by_source(authors)
    rows = []
    for bit, (name, rule) in enumerate(FIELDS):
        if rule in ("min", "max", "error"):
            default = _option_defaults()[name]
            values = [(a, plain(getattr(a.source.spec.option, name))) for a in unique]
            claims = [
                Claim(value, a)
                for a, value in values
                if value != default or a.source.spec.authored.option >> bit & 1
            ]
            row = merge_claims(name, rule, getattr(options, name), claims)
            if row is not None:
                rows.append(_with_silent(row, default, unique, claims))
                setattr(target.option, name, _enum_value(name, row.value))
    rows += _merge_flags(options, unique, target)
    rows += merge_sizes(unique, target)
    rows += merge_visual(unique, target)
    for author in unique:
        _copy_options(target, author.source.spec)
    return rows


def _with_silent(
    row: OptionRow, default: Any, authors: list[Author], claims: list[Claim]
) -> OptionRow:
    """The row, with those noted who now run with another value than their file alone has."""
    said = {id(claim.author) for claim in claims}
    silent = [a.label for a in authors if id(a) not in said]
    if row.note or not silent or row.origin == "spec" or row.value == default:
        return row
    shown = ", ".join(silent[:3]) + (f" and {len(silent) - 3} more" if len(silent) > 3 else "")
    words = WORDS.get(row.name)
    alone = words[int(default)] if words else _said(default)
    return replace(row, note=f"not set by {shown}, alone at {alone}")


def _said(value: Any) -> str:
    numbers = value if isinstance(value, tuple) else (value,)
    return " ".join(f"{number:g}" for number in numbers)


@cache
def _option_defaults() -> dict[str, Any]:
    """MuJoCo's own value of every option."""
    option = mujoco.MjSpec().option
    return {name: plain(getattr(option, name)) for name, _ in FIELDS}


def _enum_value(name: str, value: Any) -> Any:
    return WORDS[name].index(value) if name in WORDS and isinstance(value, str) else value


@cache
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


def _copy_options(target: Any, spec: Any) -> None:
    """Make a source's options those of the scene."""
    spec.option = target.option  # by value
    spec.option.disableactuator = 0
    spec.authored.disableactuator = 0
    copy_visual(target, spec)
