"""Pictures of a scene, rendered off screen. Nothing here is imported before one is asked for."""

from __future__ import annotations

import os
import struct
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import MjsceneError, close_matches

if TYPE_CHECKING:
    from mjscene.scene import Scene

__all__ = ["RenderError", "render", "write_png"]


class RenderError(MjsceneError):
    """A picture that cannot be made here."""


def render(
    scene: Scene, camera: str | None = None, *, width: int | None = None, height: int | None = None
) -> NDArray[np.uint8]:
    """A picture of the scene as it is now.

    Args:
        scene: The scene.
        camera: A camera's name; by default MuJoCo's free camera.
        width: Width [pixels]; by default the camera's, and 960 of the free camera.
        height: Height [pixels]; by default the camera's, and 640 of the free camera.

    Returns:
        RGB, (height, width, 3).

    Raises:
        RenderError: There is no such camera, or nothing here can render; it says what to install.
    """
    import mujoco

    model = scene.model
    names = tuple(model.camera(i).name for i in range(model.ncam))
    if camera is not None and camera not in names:
        raise RenderError(
            f"there is no camera {camera!r}",
            where="render.camera",
            given=camera,
            close=close_matches(camera, names),
            allowed=names,
        )
    view = mujoco.MjvCamera()
    if camera is None:
        mujoco.mjv_defaultFreeCamera(model, view)
    else:
        view.type = mujoco.mjtCamera.mjCAMERA_FIXED
        view.fixedcamid = model.camera(camera).id
    own = (960, 640) if camera is None else model.cam_resolution[view.fixedcamid].tolist()
    own = own if min(own) > 1 else (960, 640)  # MuJoCo's 1 x 1 stands for none
    width, height = width or int(own[0]), height or int(own[1])
    chosen = os.environ.get("MUJOCO_GL", "").strip()
    try:
        context = _gl_context(chosen, width, height)
        try:
            context.make_current()
            return _draw(model, scene.data, view, width, height)
        finally:
            context.free()
    except Exception as error:  # the GL backends raise what they like
        raise RenderError(
            f"MuJoCo cannot render here (MUJOCO_GL={chosen!r}): {type(error).__name__}: {error}",
            where="render",
            hint="install EGL (Debian: apt-get install libegl1 libgl1-mesa-dri libopengl0)"
            " and set MUJOCO_GL=egl",
        ) from error


def _gl_context(chosen: str, width: int, height: int) -> Any:
    """An OpenGL context: as MUJOCO_GL says, else EGL where there is no display.

    MuJoCo itself chooses when it is imported and would choose GLFW, which needs a display.
    """
    if not chosen and sys.platform == "linux" and "DISPLAY" not in os.environ:
        from mujoco.egl import GLContext
    else:
        from mujoco.gl_context import GLContext
    return GLContext(width, height)


def _draw(model: Any, data: Any, view: Any, width: int, height: int) -> NDArray[np.uint8]:
    """Draw into the current context's off-screen buffer and read it back."""
    import mujoco

    had = model.vis.global_.offwidth, model.vis.global_.offheight
    model.vis.global_.offwidth, model.vis.global_.offheight = width, height
    context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_150.value)
    model.vis.global_.offwidth, model.vis.global_.offheight = had
    try:
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, context)
        drawn = mujoco.MjvScene(model, maxgeom=10000)
        mujoco.mjv_updateScene(
            model, data, mujoco.MjvOption(), None, view, mujoco.mjtCatBit.mjCAT_ALL.value, drawn
        )
        area = mujoco.MjrRect(0, 0, width, height)
        mujoco.mjr_render(area, drawn, context)
        picture = np.zeros((height, width, 3), dtype=np.uint8)
        mujoco.mjr_readPixels(picture, None, area, context)
    finally:
        context.free()
    return picture[::-1].copy()


def write_png(path: str | os.PathLike[str], picture: NDArray[np.uint8]) -> Path:
    """Write an RGB picture (height, width, 3) as PNG (W3C PNG specification, 8-bit truecolour)."""
    height, width, _ = picture.shape
    rows = np.zeros((height, 1 + 3 * width), dtype=np.uint8)  # each row starts with filter 0
    rows[:, 1:] = picture.reshape(height, -1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        checksum = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = (
        chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes())) + chunk(b"IEND", b"")
    )
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(b"\x89PNG\r\n\x1a\n" + body)
    return target
