"""The robots, scenes and scenarios that ship with mjscene.

In a wheel they lie inside the package, in a checkout beside it.
"""

from __future__ import annotations

import importlib.util
import os
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from mjscene.errors import ComposeError, MjsceneError, article, close_matches, shown

if TYPE_CHECKING:
    from mjscene.scenario import Scenario
    from mjscene.spec import SceneSpec

__all__ = [
    "load_scenario",
    "load_scene",
    "robot_names",
    "robot_path",
    "scenario_names",
    "scenario_path",
    "scene_names",
]

_SCENARIO = ".scenario.yaml"
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


def scenario_names() -> tuple[str, ...]:
    """Names of the scenarios that ship, sorted."""
    files = _folder("scenarios").glob(f"*{_SCENARIO}")
    return tuple(sorted(p.name.removesuffix(_SCENARIO) for p in files))


def scenario_path(name: str) -> Path:
    """The file of a scenario that ships.

    Raises:
        ComposeError: There is none of that name.
    """
    if name not in scenario_names():
        raise ComposeError(
            f"no scenario {name!r} ships with mjscene",
            given=name,
            close=close_matches(name, scenario_names()),
            allowed=scenario_names(),
            hint=f"a path of a file ends in {_SCENARIO}",
        )
    return _folder("scenarios") / f"{name}{_SCENARIO}"


def load_scenario(what: str | os.PathLike[str]) -> Scenario:
    """A scenario: one that ships, by its name, or that of a YAML file (``.yaml``, ``.yml``).

    Raises:
        ComposeError: No scenario of that name ships.
        SpecError: The file is missing or wrong; with file, line and column.
    """
    from mjscene.scenario import read_scenario

    name = os.fspath(what)
    is_file = Path(name).suffix.lower() in (".yaml", ".yml")
    return read_scenario(name if is_file else scenario_path(name))


def load_scene(what: str | os.PathLike[str]) -> SceneSpec:
    """The spec of a scene: one that ships, or that of a file.

    Args:
        what: The name of a scene that ships; the path of a YAML file (``.yaml``, ``.yml``); or the
            path of a Python module (``.py``), which is run, with a ``spec`` at its top level.

    Raises:
        ComposeError: No scene of that name ships, or the module cannot be run or has no spec.
        SpecError: The YAML file is missing or wrong, or the module makes a spec that cannot be;
            with file and line.
    """
    if not isinstance(what, str | os.PathLike):
        raise ComposeError(
            f"expected a scene's name or the path of a file, got {shown(what)}", given=what
        )
    name = os.fspath(what)
    suffix = Path(name).suffix.lower() if isinstance(name, str) else ""
    if suffix in (".yaml", ".yml"):
        from mjscene.scenefile import read_scene_file  # the library is what sources are found by

        return read_scene_file(name)
    if suffix == ".py":
        return _spec_of_module(Path(name))
    if name not in scene_names():
        raise ComposeError(
            f"no scene {name!r} ships with mjscene",
            given=name,
            close=close_matches(name, scene_names()),
            allowed=scene_names(),
            hint="a path of a file ends in .yaml, .yml or .py",
        )
    return _spec_of_module(_folder("scenes") / f"{name}.py")


def _spec_of_module(file: Path) -> SceneSpec:
    """What a module calls ``spec``; what goes wrong in it is an error with its file and line."""
    from mjscene.spec import SceneSpec

    if not file.is_file():
        near = [p.name for p in file.parent.glob("*.py")] if file.parent.is_dir() else []
        raise ComposeError("no such file", file=file, close=close_matches(file.name, near))
    module_spec = importlib.util.spec_from_file_location(f"mjscene_scene_{file.stem}", file)
    if module_spec is None or module_spec.loader is None:
        raise ComposeError("cannot be imported", file=file)
    module = importlib.util.module_from_spec(module_spec)
    try:
        module_spec.loader.exec_module(module)
    except MjsceneError as error:
        if error.file is not None:
            raise
        raise error.at(file=file, line=_line_in(file, error)) from error
    except SyntaxError as error:
        message = f"is no Python: {error.msg}"
        raise ComposeError(message, file=file, line=error.lineno, column=error.offset) from error
    except (Exception, SystemExit) as error:
        message = f"{type(error).__name__} while it ran: {error}"
        raise ComposeError(message, file=file, line=_line_in(file, error)) from error
    spec = getattr(module, "spec", None)
    if not isinstance(spec, SceneSpec):
        kind = article(type(spec).__name__)
        found = "has no spec" if spec is None else f"has a spec that is {kind}"
        raise ComposeError(found, file=file, hint="give it a line: spec = SceneSpec(...)")
    return spec


def _line_in(file: Path, error: BaseException) -> int | None:
    """The last line of a file that an error passed through."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f.lineno for f in frames if Path(f.filename) == file]
    return lines[-1] if lines else None
