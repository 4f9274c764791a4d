"""Files that moving pictures are written to, by their ending."""

from __future__ import annotations

import itertools
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import RenderError, SimulationError

__all__ = ["WRITERS", "Frame", "Writer", "replacing"]

Frame = NDArray[np.uint8]
Writer = Callable[[Path, Iterator[Frame], Fraction], None]

_QUALITY = {"crf": "20"}  # of libx264: 18 is visually lossless, 23 its default


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A new file beside ``path``, which takes its place at the end, or where a simulation blew up.

    After any other error what was there before is there still.

    Raises:
        OSError: Nothing can be written there.
    """
    place = Path(os.path.realpath(path))  # a link stays one
    fresh = place.with_name(f".{os.getpid()}.{secrets.token_hex(4)}{path.suffix.lower()}")
    try:
        fresh.open("xb").close()  # before anything runs: nothing new may be allowed there
        try:
            yield fresh
        except SimulationError:
            if fresh.stat().st_size:  # nothing was drawn, else
                fresh.replace(place)
            raise
        fresh.replace(place)
    finally:
        fresh.unlink(missing_ok=True)


def _mp4() -> Writer:
    try:
        import av
    except ImportError as error:
        raise _missing("av", "an .mp4") from error

    def write(path: Path, taken: Iterator[Frame], rate: Fraction) -> None:
        first = next(taken)
        height, width, _ = first.shape
        options = {"movflags": "+faststart"}
        # Absolute: FFmpeg takes what stands before a colon in "a:b.mp4" for a protocol.
        with av.open(str(path.absolute()), "w", format="mp4", options=options) as container:
            stream = container.add_stream("libx264", rate=rate, options=_QUALITY)
            stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"

            def add(picture: Frame) -> None:
                frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
                container.mux(stream.encode(frame))

            try:
                add(first)
                for picture in taken:
                    add(picture)
            finally:  # also of a run that failed
                container.mux(stream.encode(None))

    return write


def _gif() -> Writer:
    try:
        from PIL import Image
    except ImportError as error:
        raise _missing("pillow", "a .gif") from error

    def write(path: Path, taken: Iterator[Frame], rate: Fraction) -> None:
        images = []
        try:
            for picture in taken:
                images.append(Image.fromarray(picture).quantize(256))
        finally:
            if images:
                # A GIF counts hundredths of a second: what one frame loses the next one gets.
                ends = [round(100 * k / rate) for k in range(len(images) + 1)]
                durations = [10 * (b - a) for a, b in itertools.pairwise(ends)]
                rest = {"append_images": images[1:], "duration": durations}
                images[0].save(path, format="GIF", save_all=True, loop=0, **rest)

    return write


def _missing(package: str, what: str) -> RenderError:
    return RenderError(
        f"{what} is written with {package}, which is not installed",
        where="record_video",
        hint="pip install 'mjscene[video]'",
    )


WRITERS: dict[str, Callable[[], Writer]] = {".mp4": _mp4, ".gif": _gif}
"""What writes a kind of file; it raises RenderError where its package is missing."""
