"""Whose call a warning is about."""

from __future__ import annotations

import sys

__all__ = ["callers_level"]


def callers_level() -> int:
    """How far above its caller the first frame outside of mjscene is: modes switch in many ways."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("mjscene."):
        level, frame = level + 1, frame.f_back
    return level
