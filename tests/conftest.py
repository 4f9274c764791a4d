"""Settings of the whole suite."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import configuration
from real_model_table import pytest_terminal_summary as pytest_terminal_summary

# Tests of the pytest plugin run pytest inside.
pytest_plugins = ["pytester"]

# Pictures are rendered without a display; MuJoCo reads this when it is imported.
os.environ.setdefault("MUJOCO_GL", "egl")
# Hypothesis keeps its examples out of the folder that the tests run in.
configuration.set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "mjscene-hypothesis")
