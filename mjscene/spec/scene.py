"""The scene as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from mjscene.errors import SpecError
from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields
from mjscene.spec.objects import SceneObject
from mjscene.spec.physics import PhysicsOptions
from mjscene.spec.robots import RobotSpec, check_prefixes
from mjscene.spec.views import CameraSpec, FloorSpec, LightSpec, SiteSpec, SkySpec

__all__ = ["SceneSpec"]

T = TypeVar("T")


def _optional(value: Any, where: str, cls: type[T]) -> T | None:
    if value is None or value is False:
        return None
    return (
        cls()
        if value is True
        else checks.instance(value, where, cls, "True and False are allowed too")
    )


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class SceneSpec:
    """What a scene is: robots, objects, what is added to look at it, and the physics.

    Args:
        robots: The robots, in order.
        objects: The objects, in order.
        sites: Sites of the scene.
        cameras: Cameras of the scene.
        options: Physics options; what it leaves open is taken from the robots' files.
        floor: A floor: True, or a FloorSpec.
        sky: A sky: True, or a SkySpec.
        light: A light: True, a LightSpec, or a sequence of them.
        name: The scene's name.
    """

    robots: Sequence[RobotSpec] = field(default=(), kw_only=False)
    objects: Sequence[SceneObject] = ()
    sites: Sequence[SiteSpec] = ()
    cameras: Sequence[CameraSpec] = ()
    options: PhysicsOptions = PhysicsOptions()
    floor: FloorSpec | bool | None = None
    sky: SkySpec | bool | None = None
    light: LightSpec | Sequence[LightSpec] | bool = ()
    name: str = "scene"

    def __post_init__(self) -> None:
        """Check the fields and what they say together.

        Raises:
            SpecError: A wrong type, or a name or prefix that is used twice.
        """
        put = object.__setattr__
        checks.name(self.name, "SceneSpec.name")
        put(self, "robots", checks.tuple_of(self.robots, "robots", RobotSpec))
        put(self, "objects", checks.tuple_of(self.objects, "objects", SceneObject))
        put(self, "sites", checks.tuple_of(self.sites, "sites", SiteSpec))
        put(self, "cameras", checks.tuple_of(self.cameras, "cameras", CameraSpec))
        put(self, "floor", _optional(self.floor, "floor", FloorSpec))
        put(self, "sky", _optional(self.sky, "sky", SkySpec))
        put(self, "light", self._lights())
        checks.instance(self.options, "options", PhysicsOptions)
        self._check_names()

    def _lights(self) -> tuple[LightSpec, ...]:
        if isinstance(self.light, Iterable):
            return checks.tuple_of(self.light, "light", LightSpec)
        light = _optional(self.light, "light", LightSpec)
        return () if light is None else (light,)

    def _check_names(self) -> None:
        for kind in ("sites", "cameras", "light"):
            checks.unique((item.name for item in getattr(self, kind)), kind, "name")
        check_prefixes(self.robots, "robots")
        users: dict[str, str] = {}
        for place, label in self._labels():
            if label in users:
                raise SpecError(
                    f"the name {label!r} is used twice: {users[label]} and {place}",
                    where=f"{place}.name",
                    given=label,
                    hint="give one of them another name",
                )
            users[label] = place

    def _labels(self) -> list[tuple[str, str]]:
        robots = [(f"robots[{i}]", r.label) for i, r in enumerate(self.robots)]
        return robots + [(f"objects[{i}]", o.name) for i, o in enumerate(self.objects)]
