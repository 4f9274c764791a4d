"""Settings of the whole suite."""

from __future__ import annotations

import os

# Pictures are rendered without a display; MuJoCo reads this when it is imported.
os.environ.setdefault("MUJOCO_GL", "egl")
