"""The robots and scenes that ship with mjscene.

In a wheel they lie inside the package, in a checkout beside it.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from mjscene.errors import ComposeError, close_matches

if TYPE_CHECKING:
    from mjscene.spec import SceneSpec

__all__ = ["load_scene", "robot_names", "robot_path", "scene_names"]

_PACKAGE = Path(__file__).resolve().parent


def _folder(name: str) -> Path:
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


def robot_names() -> tuple[str, ...]:
    """Names of the robots that ship, sorted."""
    folder = _folder("robots")
    return tuple(sorted(p.parent.name for p in folder.glob("*/*.xml") if p.stem == p.parent.name))


def robot_path(name: str, *, where: str | None = None) -> Path:
    """The MJCF file of a robot that ships.

    Raises:
        ComposeError: There is none of that name.
    """
    if name not in robot_names():
        raise ComposeError(
            f"no robot {name!r} ships with mjscene",
            where=where,
            given=f"mjscene:{name}",
            close=close_matches(name, robot_names()),
            allowed=robot_names(),
        )
    return _folder("robots") / name / f"{name}.xml"


def scene_names() -> tuple[str, ...]:
    """Names of the scenes that ship, sorted."""
    return tuple(
        sorted(p.stem for p in _folder("scenes").glob("*.py") if not p.stem.startswith("_"))
    )


def load_scene(name: str) -> SceneSpec:
    """The spec of a scene that ships.

    Raises:
        ComposeError: There is none of that name.
    """
    if name not in scene_names():
        raise ComposeError(
            f"no scene {name!r} ships with mjscene",
            given=name,
            close=close_matches(name, scene_names()),
            allowed=scene_names(),
        )
    file = _folder("scenes") / f"{name}.py"
    module_spec = importlib.util.spec_from_file_location(f"mjscene_scene_{name}", file)
    if module_spec is None or module_spec.loader is None:
        raise ComposeError("cannot be imported", file=file)
    module = importlib.util.module_from_spec(module_spec)
    module_spec.loader.exec_module(module)
    spec: SceneSpec = module.spec
    return spec
