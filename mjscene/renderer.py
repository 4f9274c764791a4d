"""Many pictures through one OpenGL context.

Example:
    >>> import mjscene
    >>> from mjscene.renderer import Renderer
    >>> scene = mjscene.build_scene(mjscene.load_scene("dual_arm"))
    >>> with Renderer(scene, "front", width=320, height=240) as renderer:
    ...     before = renderer.render()
    ...     scene.step(100)
    ...     after = renderer.render()
"""

from __future__ import annotations

import ctypes.util
import os
import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjscene.cameras import FreeCamera, picture_size, view_of
from mjscene.errors import RenderError

if TYPE_CHECKING:
    from mjscene.scene import Scene

__all__ = ["Renderer"]

_MAX_GEOMS = 10000
_SMALL = 64  # pixels: whoever can render at all renders this
_OFF = ("disable", "disabled", "off", "false", "0")  # the words that MuJoCo knows


class Renderer:
    """An off-screen renderer of a scene, open until it is closed; also a context manager.

    It follows the scene when objects are added or removed. Use it in the thread that made it.

    Args:
        scene: The scene.
        camera: A camera's name, a free camera, or None for MuJoCo's view of the whole scene.
        width: Width [pixels]; by default the camera's own, else 960.
        height: Height [pixels]; by default the camera's own, else 640.

    Raises:
        RenderError: There is no such camera or size, or nothing here can render; it says what to
            install.
    """

    def __init__(
        self,
        scene: Scene,
        camera: str | FreeCamera | None = None,
        *,
        width: int | None = None,
        height: int | None = None,
    ) -> None:
        self._gl: Any = None
        self._scene, self._camera = scene, camera
        self._model: Any = None  # what _context and _drawn are for
        self._context: Any = None
        self._drawn: Any = None
        self.width, self.height = picture_size(
            scene.model, view_of(scene.model, camera), width, height
        )
        try:
            self._gl = _gl_context(self.width, self.height)
            self._follow_model()
        except Exception as error:
            self.close()
            self._refuse_size(error)
            raise _cannot_render(error) from error

    def _refuse_size(self, error: Exception) -> None:
        """Raise that a picture is too large, if a small one can be drawn."""
        if self.width * self.height <= _SMALL**2 or not _needs_no_display():
            return
        try:
            Renderer(self._scene, self._camera, width=_SMALL, height=_SMALL).close()
        except RenderError:
            return
        raise RenderError(
            f"a picture of {self.width} x {self.height} pixels is more than OpenGL can draw here",
            where="render",
            hint="ask for a smaller one",
        ) from error

    def __enter__(self) -> Renderer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Free the context; closing twice is no error."""
        gl, context = self._gl, self._context
        self._gl = self._context = self._drawn = self._model = None
        if gl is not None:
            if context is not None:
                gl.make_current()
                context.free()
            gl.free()

    def render(self) -> NDArray[np.uint8]:
        """A picture of the scene as it is now.

        Returns:
            RGB, (height, width, 3); a new array.

        Raises:
            RenderError: The renderer is closed, the camera is gone, or OpenGL failed.
        """
        if self._gl is None:
            raise RenderError("the renderer is closed", where="render")
        try:
            view = view_of(self._scene.model, self._camera)
        except RenderError as error:  # it was there when the renderer was made
            raise error.of(f"it was removed before t = {self._scene.time:.6g} s") from None
        try:
            self._follow_model()
            return self._draw(view)
        except Exception as error:
            raise _cannot_render(error) from error

    def _follow_model(self) -> None:
        """Upload the model's meshes and textures, unless it is the one they were taken from."""
        import mujoco

        self._gl.make_current()
        model = self._scene.model
        if model is self._model:
            return
        if self._context is not None:
            self._context.free()
            self._context = None
        had = model.vis.global_.offwidth, model.vis.global_.offheight
        model.vis.global_.offwidth, model.vis.global_.offheight = self.width, self.height
        try:
            self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_150.value)
        finally:
            model.vis.global_.offwidth, model.vis.global_.offheight = had
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)
        self._drawn = mujoco.MjvScene(model, maxgeom=_MAX_GEOMS)
        self._model = model

    def _draw(self, view: Any) -> NDArray[np.uint8]:
        """Draw into the context's off-screen buffer and read it back."""
        import mujoco

        everything = mujoco.mjtCatBit.mjCAT_ALL.value
        option = mujoco.MjvOption()
        mujoco.mjv_updateScene(
            self._model, self._scene.data, option, None, view, everything, self._drawn
        )
        area = mujoco.MjrRect(0, 0, self.width, self.height)
        mujoco.mjr_render(area, self._drawn, self._context)
        picture = np.zeros((self.height, self.width, 3), dtype=np.uint8)
        mujoco.mjr_readPixels(picture, None, area, self._context)
        return picture[::-1].copy()  # OpenGL counts rows from below


def _gl_context(width: int, height: int) -> Any:
    """An OpenGL context: as MUJOCO_GL says, else EGL or OSMesa where there is no display.

    MuJoCo itself chooses when it is imported and would choose GLFW, which needs a display.
    """
    chosen = os.environ.get("MUJOCO_GL", "").strip()
    if chosen or sys.platform != "linux" or "DISPLAY" in os.environ:
        from mujoco.gl_context import GLContext
    elif ctypes.util.find_library("EGL") is None and ctypes.util.find_library("OSMesa"):
        from mujoco.osmesa import GLContext
    else:
        from mujoco.egl import GLContext
    return GLContext(width, height)


def _needs_no_display() -> bool:
    """Whether the context is EGL's or OSMesa's: GLFW ends the process when it is asked again."""
    chosen = os.environ.get("MUJOCO_GL", "").strip().lower()
    unset = not chosen and sys.platform == "linux" and "DISPLAY" not in os.environ
    return unset or chosen in ("egl", "osmesa")


def _cannot_render(error: Exception) -> RenderError:
    """What to do about what a GL backend raised: they raise what they like."""
    chosen = os.environ.get("MUJOCO_GL", "").strip()
    if chosen.lower() in _OFF:
        return RenderError(
            f"MuJoCo cannot render here: MUJOCO_GL={chosen!r} switches it off",
            where="render",
            hint="unset MUJOCO_GL, or set it to egl or osmesa",
        )
    text = " ".join(str(error).split())
    return RenderError(
        f"MuJoCo cannot render here (MUJOCO_GL={chosen!r}): {type(error).__name__}: {text}",
        where="render",
        hint="install EGL (Debian: apt-get install libegl1 libgl1-mesa-dri libopengl0)"
        " and set MUJOCO_GL=egl, or OSMesa (libosmesa6) and MUJOCO_GL=osmesa",
    )
