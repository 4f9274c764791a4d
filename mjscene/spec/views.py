"""Sites and cameras that a scene adds, and its floor, sky and light."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from mjscene.errors import SpecError
from mjscene.spec import checks
from mjscene.spec.attach import WORLD, AttachTarget, check_target
from mjscene.spec.fields import SpecFieldError, named_fields

__all__ = ["CameraSpec", "FloorSpec", "LightSpec", "SiteSpec", "SkySpec"]


def _check_pose(spec: SiteSpec | CameraSpec) -> None:
    kind = f"{type(spec).__name__}({spec.name!r})"
    put = object.__setattr__
    checks.name(spec.name, f"{kind}.name")
    check_target(spec.attach_to, f"{kind}.attach_to")
    put(spec, "pos", checks.vector(spec.pos, f"{kind}.pos", 3))
    put(spec, "quat", checks.unit_quat(spec.quat, f"{kind}.quat"))


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class SiteSpec:
    """A site: a named frame to attach to, to measure at or to mark.

    Args:
        name: The site's name in the scene.
        attach_to: The world, or a body, site or frame by its name in the scene.
        pos: Position in the frame of ``attach_to`` [m].
        quat: Orientation in the frame of ``attach_to``, (x, y, z, w).
        size: Radius of the sphere it is drawn as [m].
        rgba: Colour, 0 to 1.
        group: Visibility group, 0 to 5.
    """

    name: str = field(kw_only=False)
    attach_to: AttachTarget = WORLD
    pos: Sequence[float] = (0.0, 0.0, 0.0)
    quat: Sequence[float] = (0.0, 0.0, 0.0, 1.0)
    size: float = 0.005
    rgba: Sequence[float] = (0.5, 0.5, 0.5, 1.0)
    group: int = 0

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            SpecError: A wrong type, value or name.
        """
        _check_pose(self)
        put = object.__setattr__
        where = f"SiteSpec({self.name!r})"
        put(self, "size", checks.number(self.size, f"{where}.size", above=0))
        put(self, "rgba", checks.vector(self.rgba, f"{where}.rgba", 4, at_least=0, at_most=1))
        put(self, "group", checks.integer(self.group, f"{where}.group", at_least=0, at_most=5))


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class CameraSpec:
    """A camera. It looks along its -z axis, +x is right and +y is up in the image.

    Args:
        name: The camera's name in the scene.
        attach_to: The world, or a body, site or frame by its name in the scene.
        pos: Position in the frame of ``attach_to`` [m].
        quat: Orientation in the frame of ``attach_to``, (x, y, z, w).
        look_at: Instead of ``quat``: a point in the frame of ``attach_to`` [m] that it looks at,
            with that frame's z axis up.
        fovy: Vertical field of view [degrees].
        resolution: Width and height [pixels].
    """

    name: str = field(kw_only=False)
    attach_to: AttachTarget = WORLD
    pos: Sequence[float] = (0.0, 0.0, 0.0)
    quat: Sequence[float] = (0.0, 0.0, 0.0, 1.0)
    look_at: Sequence[float] | None = None
    fovy: float = 45.0
    resolution: Sequence[int] = (640, 480)

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            SpecError: A wrong type, value or name.
        """
        _check_pose(self)
        put = object.__setattr__
        where = f"CameraSpec({self.name!r})"
        fovy = checks.number(self.fovy, f"{where}.fovy", above=0)
        if not fovy < 180:
            raise SpecError(
                f"expected less than 180 degrees, got {fovy:g}", where=f"{where}.fovy", given=fovy
            )
        put(self, "fovy", fovy)
        size = checks.vector(self.resolution, f"{where}.resolution", 2, at_least=1)
        pixels = tuple(checks.integer(s, f"{where}.resolution") for s in size)
        put(self, "resolution", pixels)
        if self.look_at is not None:
            put(self, "look_at", checks.vector(self.look_at, f"{where}.look_at", 3))
            if self.quat != (0.0, 0.0, 0.0, 1.0):
                raise SpecError("give quat or look_at, not both", where=f"{where}.look_at")
            if math.dist(self.look_at, self.pos) < 1e-9:
                raise SpecError("the camera is at the point it looks at", where=f"{where}.look_at")


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class FloorSpec:
    """A plane with its top at ``height``, named ``floor``.

    Args:
        size: Half extents of what is drawn [m]; 0 is drawn without end. It collides without end.
        height: z of the plane in the world [m].
        friction: Sliding, torsional and rolling friction.
        rgb1: First colour of its checker pattern, 0 to 1.
        rgb2: Second colour of its checker pattern, 0 to 1.
    """

    size: Sequence[float] = (0.0, 0.0)
    height: float = 0.0
    friction: Sequence[float] = (1.0, 0.005, 0.0001)
    rgb1: Sequence[float] = (0.32, 0.36, 0.40)
    rgb2: Sequence[float] = (0.26, 0.30, 0.34)

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            SpecError: A wrong type or value.
        """
        put = object.__setattr__
        put(self, "size", checks.vector(self.size, "FloorSpec.size", 2, at_least=0))
        put(self, "height", checks.number(self.height, "FloorSpec.height"))
        friction = checks.vector(self.friction, "FloorSpec.friction", (1, 2, 3), at_least=0)
        put(self, "friction", friction)
        for colour in ("rgb1", "rgb2"):
            value = checks.vector(
                getattr(self, colour), f"FloorSpec.{colour}", 3, at_least=0, at_most=1
            )
            put(self, colour, value)


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class SkySpec:
    """A sky box: a gradient from the horizon to the zenith, named ``sky``.

    Args:
        zenith: Colour above, 0 to 1.
        horizon: Colour at and below the horizon, 0 to 1.
    """

    zenith: Sequence[float] = (0.45, 0.60, 0.78)
    horizon: Sequence[float] = (0.75, 0.80, 0.86)

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            SpecError: A wrong type or value.
        """
        for colour in ("zenith", "horizon"):
            value = checks.vector(
                getattr(self, colour), f"SkySpec.{colour}", 3, at_least=0, at_most=1
            )
            object.__setattr__(self, colour, value)


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class LightSpec:
    """A light in the world.

    Args:
        name: The light's name in the scene.
        pos: Position in the world [m].
        direction: Where it shines to, in world axes; any length.
        directional: Parallel rays (a sun) instead of a spot.
        diffuse: Colour, 0 to 1.
        castshadow: Whether it casts shadows.
    """

    name: str = field(default="light", kw_only=False)
    pos: Sequence[float] = (0.0, 0.0, 4.0)
    direction: Sequence[float] = (0.3, 0.2, -1.0)
    directional: bool = True
    diffuse: Sequence[float] = (0.7, 0.7, 0.7)
    castshadow: bool = True

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            SpecError: A wrong type, value or name.
        """
        where = f"LightSpec({self.name!r})"
        put = object.__setattr__
        checks.name(self.name, f"{where}.name")
        put(self, "pos", checks.vector(self.pos, f"{where}.pos", 3))
        put(self, "direction", checks.vector(self.direction, f"{where}.direction", 3))
        if math.hypot(*self.direction) < 1e-9:
            raise SpecError("the direction is zero", where=f"{where}.direction")
        put(
            self,
            "diffuse",
            checks.vector(self.diffuse, f"{where}.diffuse", 3, at_least=0, at_most=1),
        )
        checks.boolean(self.directional, f"{where}.directional")
        checks.boolean(self.castshadow, f"{where}.castshadow")
