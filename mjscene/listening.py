"""MuJoCo's warnings while scenes run: caught, so that a step can raise them and no log is written.

MuJoCo has one warning hook per process. It is set while any scene exists and put back when the last
one is gone. What other code makes MuJoCo warn of meanwhile becomes a Python warning at the next
step of a scene.
"""

from __future__ import annotations

import weakref
from typing import Any

import mujoco

__all__ = ["heard", "hears", "listen", "settle"]

heard: list[str] = []
"""Warnings since a scene last looked."""

_listeners = 0
_before: Any = None


def _hear(message: str) -> None:
    heard.append(message.strip())


def listen(scene: object) -> None:
    """Hear MuJoCo's warnings for as long as ``scene`` exists."""
    global _listeners, _before
    if _listeners == 0:
        _before = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(_hear)
    _listeners += 1
    weakref.finalize(scene, _release)


def hears() -> bool:
    """Whether the hook is still this one: another program may have taken it."""
    return mujoco.get_mju_user_warning() is _hear


def settle() -> None:
    """Give the hook back if it was put back by who took it while the last scene went."""
    if _listeners == 0 and mujoco.get_mju_user_warning() is _hear:
        mujoco.set_mju_user_warning(_before)


def _release() -> None:
    global _listeners
    _listeners -= 1
    settle()
