"""What two runs were of, fact by fact: options, names, masses, gains, versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjscene.fingerprint import FIELDS
from mjscene.quantities import mode_name
from mjscene.recording import Recording

__all__ = ["Fact", "compare_headers"]

# Two compiles of one model, by other versions or from a saved file, may differ by rounding: MuJoCo
# writes XML with 9 digits at least.
_ROUNDING = 1e-9
_WORDS = {
    "body": "body",
    "jnt": "joint",
    "dof": "joint",
    "qpos": "joint",
    "eq": "equality",
    "pair": "contact pair",
    "exclude": "contact exclusion",
    "wrap": "tendon path",
    "ctrl": "actuator",
    "key": "keyframe",
}
_FIELD_WORDS = {
    "ipos": "centre of mass",
    "iquat": "inertial axes",
    "pos": "position",
    "quat": "orientation",
    "actfrcrange": "actuator force range",
    "gainprm": "gain",
    "biasprm": "bias",
    "dynprm": "dynamics",
    "ctrlrange": "control range",
    "forcerange": "force range",
    "actrange": "activation range",
    "frictionloss": "friction loss",
    "parentid": "parent",
    "bodyid": "body",
    "gravcomp": "gravity compensation",
}
_ENUMS = {
    "integrator": "mjtIntegrator",
    "cone": "mjtCone",
    "solver": "mjtSolver",
    "jacobian": "mjtJacobian",
}
_GAINS = 10  # gains are rows of ten numbers, most of them unused and 0
_SHOWN_ITEMS = 8  # of a list
_SHOWN_ROWS = 4  # elements named per field


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A fact in which two runs differ.

    Attributes:
        what: What it is: ``option timestep``, ``mass of body 'left/link3'``.
        golden, now: Both values; None where there is none.
        unit: Their unit.
        fails: Whether the difference fails a comparison by itself.
        separates: Whether trajectories cannot be compared where it differs.
    """

    what: str
    golden: Any
    now: Any
    unit: str = ""
    fails: bool = True
    separates: bool = False

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        what, old, new, more = self.what, self.golden, self.now, ""
        lists = isinstance(old, list | tuple) and isinstance(new, list | tuple)
        if lists and _shown(old) == _shown(new) and len(old) == len(new):  # it is behind the dots
            apart = [k for k, pair in enumerate(zip(old, new, strict=True)) if pair[0] != pair[1]]
            if apart:
                what, old, new = f"{what}[{apart[0]}]", old[apart[0]], new[apart[0]]
                more = f" (and {len(apart) - 1} more)" if len(apart) > 1 else ""
        shown = _shown(old), _shown(new)
        if shown[0] == shown[1] and isinstance(old, float) and isinstance(new, float):
            shown = repr(old), repr(new)
        return f"{what}: {shown[0]}{unit} -> {shown[1]}{unit}{more}"


def compare_headers(golden: Recording, now: Recording) -> tuple[Fact, ...]:
    """All facts that differ: those that make the runs incomparable first, versions last."""
    facts = [
        *_run(golden, now),
        *_names(golden, now),
        *_options(golden, now),
        *_initial_modes(golden, now),
        *_model(golden, now),
        *_digests(golden, now),
    ]
    old, new = golden.header["versions"], now.header["versions"]
    for key in sorted(old.keys() | new.keys()):
        if old.get(key) != new.get(key):
            facts.append(Fact(what=key, golden=old.get(key), now=new.get(key), fails=False))
    return tuple(sorted(facts, key=lambda f: (not f.separates, not f.fails)))


def _run(golden: Recording, now: Recording) -> Iterator[Fact]:
    if golden.every != now.every:
        yield Fact(what="steps from row to row", golden=golden.every, now=now.every, separates=True)
    if len(golden) != len(now):
        yield Fact(what="number of rows", golden=len(golden), now=len(now))
    old, new = ([_change(c) for c in r.mode_changes] for r in (golden, now))
    if old != new and golden.every > 1:  # with every step recorded, the rows say it
        yield Fact(what="changes of modes", golden=old, now=new)


def _change(change: Sequence[Any]) -> str:
    step, _, joint, before, after = change
    return f"step {step}: {joint} {mode_name(before)} to {mode_name(after)}"


def _names(golden: Recording, now: Recording) -> Iterator[Fact]:
    """Names that only one run has, and orders that differ."""
    old, new = golden.header, now.header
    lists = [
        ("joints that take commands", old["managed"], new["managed"], True),
        ("recorded sensors", [s for s, _ in old["sensors"]], [s for s, _ in new["sensors"]], True),
        ("recorded bodies", old["bodies"], new["bodies"], True),
    ]
    kinds = {
        "jnt": "joints",
        "ctrl": "controls",
        "actuator": "actuators",
        "body": "bodies",
        "eq": "equalities",
    }
    for kind in sorted(old["names"].keys() | new["names"].keys()):
        if kind in ("qpos", "dof", "wrap"):
            continue
        words = kinds.get(kind, f"{_WORDS.get(kind, kind)}s")
        both = old["names"].get(kind, []), new["names"].get(kind, [])
        lists.append((words, *both, kind in ("jnt", "ctrl")))
    for words, was, is_now, separates in lists:
        if was == is_now:
            continue
        gone = [n for n in was if n not in is_now]
        come = [n for n in is_now if n not in was]
        if gone or come:
            yield Fact(what=f"{words} only in one", golden=gone, now=come, separates=separates)
        else:
            yield Fact(what=f"order of {words}", golden=was, now=is_now, separates=separates)
    if [j["type"] for j in old["joints"]] != [j["type"] for j in new["joints"]]:
        was, is_now = ([f"{j['name']} {j['type']}" for j in h["joints"]] for h in (old, new))
        changed = [(a, b) for a, b in zip(was, is_now, strict=False) if a != b]
        yield Fact(
            what="types of joints",
            golden=[a for a, _ in changed],
            now=[b for _, b in changed],
            separates=True,
        )


def _options(golden: Recording, now: Recording) -> Iterator[Fact]:
    old, new = golden.header["options"], now.header["options"]
    other_version = golden.header["versions"].get("mujoco") != now.header["versions"].get("mujoco")
    for name in sorted(old.keys() | new.keys()):
        values = [_option(name, options.get(name)) for options in (old, new)]
        if values[0] != values[1]:
            is_new = name not in old or name not in new  # another MuJoCo has another list
            yield Fact(
                what=f"option {name}",
                golden=values[0],
                now=values[1],
                unit="s" if name == "timestep" else "",
                fails=not (is_new and other_version),
                separates=name == "timestep",
            )


def _option(name: str, value: Any) -> Any:
    if name in _ENUMS and isinstance(value, int):
        import mujoco

        try:
            return getattr(mujoco, _ENUMS[name])(value).name
        except (ValueError, AttributeError):
            return value
    return value


def _initial_modes(golden: Recording, now: Recording) -> Iterator[Fact]:
    new = dict(zip(now.joint_names, now.modes[0].tolist(), strict=True))
    for name, mode in zip(golden.joint_names, golden.modes[0].tolist(), strict=True):
        if name in new and new[name] != mode:
            yield Fact(
                what=f"mode of joint {name!r} at the start",
                golden=mode_name(mode),
                now=mode_name(new[name]),
            )


def _model(golden: Recording, now: Recording) -> Iterator[Fact]:
    """Values of elements that both have, by name."""
    for field, unit in FIELDS.items():
        old, new = golden.model.get(field), now.model.get(field)
        if old is None or new is None or old.shape[1:] != new.shape[1:]:
            continue
        kind, _, rest = field.partition("_")
        kind = "qpos" if field == "qpos0" else kind
        names = [_labels(r, kind, len(v)) for r, v in ((golden, old), (now, new))]
        places = {name: i for i, name in enumerate(names[1])}
        pairs = [(i, places[name]) for i, name in enumerate(names[0]) if name in places]
        if not pairs:
            continue
        here, there = (np.array(rows) for rows in zip(*pairs, strict=True))
        changed = np.flatnonzero(_differs(old[here], new[there]))
        words = "reference position" if field == "qpos0" else _FIELD_WORDS.get(rest, rest)
        for k in changed[:_SHOWN_ROWS].tolist():
            name = names[0][here[k]]
            yield Fact(
                what=f"{words} of {_WORDS.get(kind, kind)} {name!r}",
                golden=_value(old[here[k]]),
                now=_value(new[there[k]]),
                unit=unit,
            )
        if len(changed) > _SHOWN_ROWS:
            left = len(changed) - _SHOWN_ROWS
            what = f"{words} of {left} more of kind {_WORDS.get(kind, kind)}"
            yield Fact(what=what, golden="…", now="…")


def _labels(recording: Recording, kind: str, count: int) -> list[str]:
    names = recording.header["names"]
    own = names.get(kind, [])
    if len(own) != count and kind == "actuator":
        own = names.get("ctrl", [])
    return own if len(own) == count else [f"#{i}" for i in range(count)]


def _differs(old: NDArray[Any], new: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rows differ by more than rounding; two NaN are the same setting."""
    if old.dtype.kind == "f":
        scale = np.maximum(np.abs(old), np.abs(new))
        with np.errstate(invalid="ignore"):
            bad = ~(np.abs(old - new) <= _ROUNDING * scale) & (old != new)
        bad &= ~(np.isnan(old) & np.isnan(new))
    else:
        bad = old != new
    return np.asarray(bad.reshape(len(old), -1).any(axis=1))


def _digests(golden: Recording, now: Recording) -> Iterator[Fact]:
    old, new = golden.header["digests"], now.header["digests"]
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            yield Fact(what=f"data of {name}", golden=old.get(name), now=new.get(name))


def _value(value: Any) -> Any:
    items = np.asarray(value).tolist()
    if isinstance(items, list) and len(items) == 1:
        return items[0]
    return items


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, list | tuple):
        if len(value) >= _GAINS and all(isinstance(v, int | float) for v in value):
            while len(value) > 1 and value[-1] == 0:
                value = value[:-1]
            if len(value) == 1:
                return _shown(value[0])
        items = ", ".join(_shown(v) for v in value[:_SHOWN_ITEMS])
        return f"({items}{', …' if len(value) > _SHOWN_ITEMS else ''})"
    text = str(value)
    return text if len(text) <= 60 else f"{text[:16]}…"
