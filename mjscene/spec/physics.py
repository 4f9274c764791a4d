"""The physics options of a scene."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from mjscene.errors import SpecError
from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields

__all__ = ["PhysicsOptions"]

# Words of MJCF, in the order of MuJoCo's enums (mjtIntegrator, mjtCone, mjtJacobian, mjtSolver).
WORDS = {
    "integrator": ("Euler", "RK4", "implicit", "implicitfast", "discrete"),
    "cone": ("pyramidal", "elliptic"),
    "jacobian": ("dense", "sparse", "auto"),
    "solver": ("PGS", "CG", "Newton"),
}
VECTORS = {
    "gravity": 3,
    "wind": 3,
    "magnetic": 3,
    "o_solref": 2,
    "o_solimp": 5,
    "o_friction": 5,
}
COUNTS = (
    "iterations",
    "ls_iterations",
    "noslip_iterations",
    "ccd_iterations",
    "sdf_iterations",
    "sdf_initpoints",
)
# MJCF's flag names; MuJoCo's default of each is said by the enum it is in (compose reads it).
FLAGS = (
    *("constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper"),
    *("gravity", "clampctrl", "warmstart", "filterparent", "actuation", "refsafe", "sensor"),
    *("midphase", "eulerdamp", "autoreset", "nativeccd", "island", "multiccd"),
    *("override", "energy", "fwdinv", "invdiscrete", "sleep", "diagexact", "speculative", "ipc"),
)


def _flags(value: Any, where: str) -> tuple[tuple[str, bool], ...]:
    if isinstance(value, Mapping):
        value = tuple(value.items())
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise SpecError(
            f"expected flags as a mapping of name to bool, got {value!r}", where=where, given=value
        )
    pairs = {}
    for pair in value:
        if isinstance(pair, str) or not isinstance(pair, Iterable) or len(tuple(pair)) != 2:
            raise SpecError(f"expected (flag, bool), got {pair!r}", where=where, given=pair)
        flag, on = tuple(pair)
        checks.choice(flag, where, FLAGS)
        if flag in pairs:
            raise SpecError(f"flag {flag!r} is given twice", where=where, given=value)
        pairs[flag] = checks.boolean(on, f"{where}[{flag!r}]")
    return tuple(sorted(pairs.items()))


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class PhysicsOptions:
    """MuJoCo's ``<option>``. What is left ``None`` is taken from the robots' files.

    Names, units and meanings are MJCF's. What is set here wins over every file.

    Args:
        timestep: Step of the simulation [s].
        gravity: Gravity in world axes [m/s²].
        integrator: Euler, RK4, implicit, implicitfast or discrete.
        cone: Friction cone: pyramidal or elliptic.
        impratio: Ratio of frictional to normal constraint impedance.
        solver: PGS, CG or Newton.
        jacobian: dense, sparse or auto.
        iterations: Iterations of the solver.
        tolerance: Tolerance of the solver.
        ls_iterations: Line search iterations.
        ls_tolerance: Line search tolerance.
        noslip_iterations: Iterations of the no-slip solver.
        noslip_tolerance: Tolerance of the no-slip solver.
        ccd_iterations: Iterations of convex collision detection.
        ccd_tolerance: Tolerance of convex collision detection.
        sdf_iterations: Iterations of SDF collision detection.
        sdf_initpoints: Starting points of SDF collision detection.
        sleep_tolerance: Velocity below which a tree may sleep.
        wind: Velocity of the medium in world axes [m/s].
        magnetic: Magnetic flux in world axes.
        density: Density of the medium [kg/m³].
        viscosity: Viscosity of the medium [Pa·s].
        o_margin: Contact override: margin.
        o_solref: Contact override: solref.
        o_solimp: Contact override: solimp.
        o_friction: Contact override: friction.
        flags: MJCF's flags that are set, as a mapping of name to bool (kept as sorted pairs).
    """

    timestep: float | None = None
    gravity: Sequence[float] | None = None
    integrator: str | None = None
    cone: str | None = None
    impratio: float | None = None
    solver: str | None = None
    jacobian: str | None = None
    iterations: int | None = None
    tolerance: float | None = None
    ls_iterations: int | None = None
    ls_tolerance: float | None = None
    noslip_iterations: int | None = None
    noslip_tolerance: float | None = None
    ccd_iterations: int | None = None
    ccd_tolerance: float | None = None
    sdf_iterations: int | None = None
    sdf_initpoints: int | None = None
    sleep_tolerance: float | None = None
    wind: Sequence[float] | None = None
    magnetic: Sequence[float] | None = None
    density: float | None = None
    viscosity: float | None = None
    o_margin: float | None = None
    o_solref: Sequence[float] | None = None
    o_solimp: Sequence[float] | None = None
    o_friction: Sequence[float] | None = None
    flags: Mapping[str, bool] | Sequence[tuple[str, bool]] = ()

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            SpecError: A wrong type or value.
        """
        put = object.__setattr__
        for f in fields(self):
            value, where = getattr(self, f.name), f"PhysicsOptions.{f.name}"
            if f.name == "flags":
                put(self, "flags", _flags(value, where))
            elif value is None:
                continue
            elif f.name in WORDS:
                checks.choice(value, where, WORDS[f.name])
            elif f.name in VECTORS:
                put(self, f.name, checks.vector(value, where, VECTORS[f.name]))
            elif f.name in COUNTS:
                put(self, f.name, checks.integer(value, where, at_least=0))
            elif f.name in ("timestep", "impratio"):
                put(self, f.name, checks.number(value, where, above=0))
            else:
                put(self, f.name, checks.number(value, where, at_least=0))
