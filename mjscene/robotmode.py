"""What a robot is doing as a whole, in the words of libfranka's ``franka::RobotMode``."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["RobotMode"]


class RobotMode(IntEnum):
    """What a robot is doing. In ``REFLEX`` and ``USER_STOPPED`` it holds and takes no commands."""

    OTHER = 0
    """For a program to say."""
    IDLE = 1
    """Nothing was commanded since it started or recovered."""
    MOVE = 2
    """It was commanded, or a controller runs on it."""
    GUIDING = 3
    """It is led by hand: for a program to say."""
    REFLEX = 4
    """A collision stopped it."""
    USER_STOPPED = 5
    """``robot.stop()`` stopped it."""
    AUTOMATIC_ERROR_RECOVERY = 6
    """It is recovering; for a program to say."""

    def __str__(self) -> str:
        """Its name."""
        return self.name

    @property
    def is_stopped(self) -> bool:
        """Whether a robot in it holds and takes no commands."""
        return self in (RobotMode.REFLEX, RobotMode.USER_STOPPED)
