"""Settings of the whole suite."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import configuration
from real_model_table import pytest_terminal_summary as pytest_terminal_summary

if TYPE_CHECKING:
    from mjscene import Scene

# Tests of the pytest plugin run pytest inside.
pytest_plugins = ["pytester"]

# Pictures are rendered without a display; MuJoCo reads this when it is imported.
os.environ.setdefault("MUJOCO_GL", "egl")
# Hypothesis keeps its examples out of the folder that the tests run in.
configuration.set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "mjscene-hypothesis")


@pytest.fixture(scope="module")
def mobile() -> Scene:
    """An arm with modes of its own on a mobile base."""
    from mjscene import AttachmentSpec, CtrlModeSpec, RobotSpec, SceneSpec, build_scene, site

    modes = [CtrlModeSpec()]
    arm = AttachmentSpec("mjscene:panda", attach_to=site("mount_site"), prefix="arm/", modes=modes)
    return build_scene(SceneSpec([RobotSpec("mjscene:diff_drive", prefix="m/", attachments=[arm])]))
