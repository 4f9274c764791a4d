"""Pictures of a scene, rendered off screen. OpenGL is imported when one is asked for."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjscene.cameras import FreeCamera
from mjscene.errors import RenderError, shown
from mjscene.renderer import Renderer

if TYPE_CHECKING:
    from mjscene.scene import Scene

__all__ = ["RenderError", "picture_file", "render", "write_png", "writing"]


def render(
    scene: Scene,
    camera: str | FreeCamera | None = None,
    *,
    width: int | None = None,
    height: int | None = None,
) -> NDArray[np.uint8]:
    """A picture of the scene as it is now; for many of them keep a ``mjscene.Renderer``.

    Args:
        scene: The scene.
        camera: A camera's name, a free camera, or None for MuJoCo's view of the whole scene.
        width: Width [pixels]; by default the camera's own, else 960.
        height: Height [pixels]; by default the camera's own, else 640.

    Returns:
        RGB, (height, width, 3).

    Raises:
        RenderError: There is no such camera or size, or nothing here can render; it says what to
            install.
    """
    with Renderer(scene, camera, width=width, height=height) as renderer:
        return renderer.render()


def picture_file(path: Any, endings: tuple[str, ...], where: str) -> Path:
    """A path that a picture can be written to, as far as can be told without writing.

    Raises:
        RenderError: It has another ending, is a folder, or nothing may be written there.
    """
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise RenderError(f"expected a path, got {shown(path)}", where=where, given=path)
    if "\0" in os.fspath(path):
        raise RenderError(f"no name of a file: {os.fspath(path)!r}", where=where, given=path)
    target = Path(path)
    if target.suffix.lower() not in endings:
        raise RenderError(
            f"no kind of file that can be written: {str(target)!r}",
            where=where,
            given=str(target),
            allowed=endings,
        )
    if target.is_dir():
        raise RenderError("is a folder, not a file", where=where, file=target)
    above = target.absolute()
    while not above.exists():
        above = above.parent
    if above != target.absolute() and not above.is_dir():
        raise RenderError("its folder is a file", where=where, file=target)
    if not os.access(above, os.W_OK):
        raise RenderError("cannot be written: permission denied", where=where, file=target)
    return target


@contextmanager
def writing(path: Path, where: str) -> Iterator[None]:
    """Make the folder of a file that is written inside; what goes wrong is an error of ours.

    Raises:
        RenderError: The folder cannot be made or the file not written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        reason = error.strerror or error
        raise RenderError(f"cannot be written: {reason}", where=where, file=path) from error


def write_png(path: str | os.PathLike[str], picture: NDArray[np.uint8]) -> Path:
    """Write a picture as PNG (W3C PNG specification, 8-bit truecolour); makes its folder.

    Args:
        path: A file ending in ``.png``.
        picture: RGB, (height, width, 3), of type uint8.

    Returns:
        The path.

    Raises:
        RenderError: It is no such picture, or the file cannot be written.
    """
    target = picture_file(path, (".png",), "write_png.path")
    array = np.asarray(picture)
    if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 3 or not array.size:
        raise RenderError(
            f"expected an array (height, width, 3) of uint8, got {array.shape} of {array.dtype}",
            where="write_png.picture",
        )
    height, width, _ = array.shape
    rows = np.zeros((height, 1 + 3 * width), dtype=np.uint8)  # each row starts with filter 0
    rows[:, 1:] = array.reshape(height, -1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        checksum = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = (
        chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes())) + chunk(b"IEND", b"")
    )
    with writing(target, "write_png.path"):
        target.write_bytes(b"\x89PNG\r\n\x1a\n" + body)
    return target
