"""What is looked at of a running scene: pictures, videos and recordings.

Each is imported when it is first asked for: a scene that is only run needs none of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import NDArray

from mjscene.simulation import Simulation

if TYPE_CHECKING:
    from mjscene.cameras import FreeCamera
    from mjscene.recorder import Recorder
    from mjscene.video import Policy, Shot

__all__ = ["Observed"]


class Observed(Simulation):
    """A scene that runs and is looked at; see :class:`mjscene.Scene`."""

    __slots__ = ()

    def render(
        self,
        camera: str | FreeCamera | None = None,
        width: int | None = None,
        height: int | None = None,
    ) -> NDArray[np.uint8]:
        """A picture of the scene as it is now, RGB (height, width, 3).

        Args and errors are those of :func:`mjscene.pictures.render`.
        """
        from mjscene.pictures import render

        return render(self, camera, width=width, height=height)  # type: ignore[arg-type]

    def frames(
        self, duration: float, policy: Policy | None = None, **shot: Unpack[Shot]
    ) -> Iterator[NDArray[np.uint8]]:
        """Run for a while and yield pictures of it; see :func:`mjscene.video.frames`."""
        from mjscene.video import frames

        return frames(self, duration, policy, **shot)  # type: ignore[arg-type]

    def record_video(
        self,
        path: str | os.PathLike[str],
        duration: float,
        policy: Policy | None = None,
        **shot: Unpack[Shot],
    ) -> Path:
        """Run for a while and write an MP4 or GIF of it; see :func:`mjscene.video.record_video`."""
        from mjscene.video import record_video

        return record_video(self, path, duration, policy, **shot)  # type: ignore[arg-type]

    def record(
        self, sensors: Sequence[str] = (), bodies: Sequence[str] = (), every: int = 1
    ) -> Recorder:
        """Record what happens inside ``with scene.record() as recorder:``; see ``Recorder``.

        Args:
            sensors: Names of the sensors to record.
            bodies: Names of the bodies whose world poses to record.
            every: Record every k-th step.

        Raises:
            UnknownNameError: There is no such sensor or body.
            RecordingError: ``every`` is no whole number >= 1.
        """
        from mjscene.recorder import Recorder

        return Recorder(self, sensors=sensors, bodies=bodies, every=every)  # type: ignore[arg-type]
