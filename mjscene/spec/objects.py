"""Things in the scene that are no robots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Real
from pathlib import PurePath
from typing import Any

from mjscene.errors import SpecError, article
from mjscene.spec import checks
from mjscene.spec.attach import WORLD, AttachTarget, check_target
from mjscene.spec.fields import SpecFieldError, named_fields
from mjscene.spec.modes import BodyController

__all__ = ["SceneObject"]

# Numbers in ``size`` per shape, as MuJoCo's geoms have them (radii, half extents).
SIZES = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2, "ellipsoid": 3}
SHAPES = (*SIZES, "mesh", "mjcf")
MESH_SUFFIXES = (".obj", ".stl", ".msh")


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class SceneObject:
    """One body in the scene: a primitive, a mesh or an MJCF asset; free, fixed or mocap.

    Args:
        name: The body's name; its geom has it too, its free joint is ``<name>_joint0``. The
            elements of an MJCF asset are ``<name>/ + authored name``.
        shape: box, sphere, cylinder, capsule, ellipsoid, mesh or mjcf; by default told from
            ``path``.
        path: The file of a mesh, or the source of an MJCF asset.
        size: As MuJoCo's: half extents [m] of a box or ellipsoid, radius of a sphere, radius and
            half length of a cylinder or capsule. For a mesh, its scale (1 or 3 factors).
        attach_to: The world, or a body, site or frame of a robot or an earlier object.
        pos: Position in the frame of ``attach_to`` [m].
        quat: Orientation in the frame of ``attach_to``, (x, y, z, w).
        mass: Mass [kg]; by default the volume times ``density``. An MJCF asset has its own.
        density: Density [kg/m³]; MuJoCo's 1000 by default.
        rgba: Colour, 0 to 1.
        fixed: Welded to what it is attached to, instead of free.
        mocap: Moved by the program, not by physics.
        friction: Sliding, torsional and rolling friction; the first alone is enough.
        condim: Contact dimension: 1, 3, 4 or 6.
        controller: Gains for pose commands of the body.
        watchdog: Simulated time without a new command after which a wrench is released [s].
    """

    name: str = field(kw_only=False)
    shape: str = ""
    path: Any = None
    size: Sequence[float] = ()
    attach_to: AttachTarget = WORLD
    pos: Sequence[float] = (0.0, 0.0, 0.0)
    quat: Sequence[float] = (0.0, 0.0, 0.0, 1.0)
    mass: float | None = None
    density: float | None = None
    rgba: Sequence[float] | None = None
    fixed: bool = False
    mocap: bool = False
    friction: float | Sequence[float] | None = None
    condim: int | None = None
    controller: BodyController | None = None
    watchdog: float | None = None

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            SpecError: A wrong type, value or name, or fields that do not go together.
        """
        put = object.__setattr__
        where = f"SceneObject({self.name!r})"
        checks.name(self.name, f"{where}.name")
        if self.name == "world":
            raise SpecError(
                "is the name of MuJoCo's own body", where=f"{where}.name", given=self.name
            )
        if self.path is not None:
            put(self, "path", checks.source(self.path, f"{where}.path"))
        shape = checks.choice(self.shape or self._inferred_shape(where), f"{where}.shape", SHAPES)
        put(self, "shape", shape)
        put(self, "size", self._checked_size(where))
        check_target(self.attach_to, f"{where}.attach_to")
        put(self, "pos", checks.vector(self.pos, f"{where}.pos", 3))
        put(self, "quat", checks.unit_quat(self.quat, f"{where}.quat"))
        self._check_matter(where)
        checks.boolean(self.fixed, f"{where}.fixed")
        checks.boolean(self.mocap, f"{where}.mocap")
        self._check_motion(where)

    def _inferred_shape(self, where: str) -> str:
        if self.path is None:
            raise SpecError("give a shape or a path", where=f"{where}.shape", allowed=SHAPES)
        suffix = PurePath(self.path).suffix.lower() if isinstance(self.path, str) else ""
        return "mesh" if suffix in MESH_SUFFIXES else "mjcf"

    def _checked_size(self, where: str) -> tuple[float, ...]:
        where_size = f"{where}.size"
        if self.shape in SIZES:
            if self.path is not None:
                raise SpecError(
                    f"{article(self.shape)} has no path", where=f"{where}.path", given=self.path
                )
            size = checks.vector(self.size, where_size, SIZES[self.shape])
        else:
            if self.path is None:
                raise SpecError(f"{article(self.shape)} object needs a path", where=f"{where}.path")
            size = checks.vector(self.size, where_size, (0, 1, 3) if self.shape == "mesh" else 0)
        for i, extent in enumerate(size):
            checks.number(extent, f"{where_size}[{i}]", above=0)
        return size

    def _check_matter(self, where: str) -> None:
        put = object.__setattr__
        for quantity in ("mass", "density", "watchdog"):
            value = getattr(self, quantity)
            if value is not None:
                put(self, quantity, checks.number(value, f"{where}.{quantity}", above=0))
        if self.mass is not None and self.density is not None:
            raise SpecError("give mass or density, not both", where=f"{where}.density")
        if self.rgba is not None:
            put(self, "rgba", checks.vector(self.rgba, f"{where}.rgba", 4, at_least=0, at_most=1))
        if self.friction is not None:
            alone = isinstance(self.friction, Real)
            friction = (self.friction,) if alone else self.friction
            put(
                self,
                "friction",
                checks.vector(friction, f"{where}.friction", (1, 2, 3), at_least=0),
            )
        if self.shape == "mjcf":
            for quantity in ("mass", "density", "rgba", "friction", "condim"):
                if getattr(self, quantity) is not None:
                    raise SpecError(
                        f"an MJCF asset brings its own {quantity}",
                        where=f"{where}.{quantity}",
                        given=getattr(self, quantity),
                        hint="change it in the file",
                    )
        if self.condim is None:
            return
        if isinstance(self.condim, bool) or self.condim not in (1, 3, 4, 6):
            raise SpecError(
                f"unknown contact dimension {self.condim!r}",
                where=f"{where}.condim",
                given=self.condim,
                allowed=(1, 3, 4, 6),
            )
        put(self, "condim", int(self.condim))

    def _check_motion(self, where: str) -> None:
        if self.fixed and self.mocap:
            raise SpecError("an object is fixed or mocap, not both", where=f"{where}.mocap")
        if not self.fixed and self.attach_to != WORLD:
            kind = "mocap" if self.mocap else "free"
            raise SpecError(
                f"a {kind} object can only be attached to the world, not to {self.attach_to}",
                where=f"{where}.attach_to",
                given=self.attach_to,
                hint="set fixed=True, or place it in the world",
            )
        if self.controller is not None:
            checks.instance(self.controller, f"{where}.controller", BodyController)
            if self.fixed or self.mocap:
                raise SpecError(
                    "only a free object has a controller",
                    where=f"{where}.controller",
                    given=self.controller,
                )

    @property
    def label(self) -> str:
        """The object's name in the scene."""
        return self.name
