"""What a picture is taken with: a camera of the scene, or one that stands anywhere."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import Any

from mjscene.errors import RenderError, SpecError, close_matches, shown
from mjscene.spec.fields import SpecFieldError, named_fields

__all__ = ["FreeCamera", "picture_size", "view_of"]

_FREE_SIZE = (960, 640)
_LARGEST = 16384  # pixels a side: what OpenGL drivers commonly allow a renderbuffer


@named_fields(SpecFieldError)
@dataclass(frozen=True)
class FreeCamera:
    """A camera that stands anywhere and looks at a point of the world.

    Attributes:
        lookat: The point it looks at (3,), world frame [m].
        distance: Its distance from that point [m].
        azimuth: Its heading about the world's z [deg]: at 0 it looks along x, at 90 along y.
        elevation: How far it looks up [deg]; negative looks down on the scene.

    Raises:
        SpecError: A value is not finite, or the distance is not positive.
    """

    lookat: tuple[float, float, float] = (0.0, 0.0, 0.0)
    distance: float = 3.0
    azimuth: float = 135.0
    elevation: float = -20.0

    def __post_init__(self) -> None:
        try:
            point = tuple(float(x) for x in self.lookat)
        except (TypeError, ValueError):
            point = ()
        if len(point) != 3 or not all(math.isfinite(x) for x in point):
            raise SpecError(
                f"expected three finite numbers [m], got {shown(self.lookat)}",
                where="FreeCamera.lookat",
                given=self.lookat,
            )
        object.__setattr__(self, "lookat", point)
        for name in ("distance", "azimuth", "elevation"):
            value = getattr(self, name)
            is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
            if not is_number or not math.isfinite(value) or (name == "distance" and value <= 0):
                wanted = "a distance > 0 [m]" if name == "distance" else "a finite angle [deg]"
                raise SpecError(
                    f"expected {wanted}, got {shown(value)}",
                    where=f"FreeCamera.{name}",
                    given=value,
                )
            object.__setattr__(self, name, float(value))


def view_of(model: Any, camera: str | FreeCamera | None) -> Any:
    """MuJoCo's camera for a camera's name, a free camera, or its own default.

    Args:
        model: The model.
        camera: The scene's name of a camera, a free camera, or None: one that sees the whole scene.

    Raises:
        RenderError: There is no such camera.
    """
    import mujoco

    view = mujoco.MjvCamera()
    mujoco.mjv_defaultFreeCamera(model, view)
    if isinstance(camera, FreeCamera):
        view.lookat = camera.lookat
        view.distance, view.azimuth = camera.distance, camera.azimuth
        view.elevation = camera.elevation
    elif camera is not None:
        view.type = mujoco.mjtCamera.mjCAMERA_FIXED
        view.fixedcamid = _camera_id(model, camera)
    return view


def _camera_id(model: Any, camera: Any) -> int:
    names = tuple(model.camera(i).name for i in range(model.ncam))
    if not isinstance(camera, str):
        raise RenderError(
            f"expected the name of a camera or a FreeCamera, got {shown(camera)}",
            where="render.camera",
            given=camera,
            allowed=names,
        )
    if camera not in names:
        raise RenderError(
            f"there is no camera {camera!r}",
            where="render.camera",
            given=camera,
            close=close_matches(camera, names),
            allowed=names,
            hint=None if names else "the scene has none: leave it out, or give a FreeCamera",
        )
    return names.index(camera)


def picture_size(
    model: Any, view: Any, width: int | None = None, height: int | None = None
) -> tuple[int, int]:
    """Width and height of a picture [pixels], by default the camera's own, else 960 x 640.

    Raises:
        RenderError: They are no whole numbers from 1 to 16384.
    """
    own = _FREE_SIZE
    if view.fixedcamid >= 0:
        width_, height_ = (int(n) for n in model.cam_resolution[view.fixedcamid])
        own = (width_, height_) if min(width_, height_) > 1 else own  # 1 x 1 stands for none
    sizes = []
    for name, given, default in (("width", width, own[0]), ("height", height, own[1])):
        size: Any = default if given is None else given
        is_whole = isinstance(size, numbers.Integral) and not isinstance(size, bool)
        if not is_whole or not 1 <= size <= _LARGEST:
            raise RenderError(
                f"expected a whole number of pixels from 1 to {_LARGEST}, got {shown(given)}",
                where=f"render.{name}",
                given=given,
            )
        sizes.append(int(size))
    return sizes[0], sizes[1]
