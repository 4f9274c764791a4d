"""Sources by name: ``menagerie:NAME[/ENTRY]`` and the robots that ship, ``mjscene:NAME``."""

from __future__ import annotations

from mjscene import library
from mjscene.errors import ComposeError, close_matches
from mjscene.sources.base import Source
from mjscene.sources.files import load_file

__all__ = ["load_menagerie", "load_shipped"]


def load_menagerie(name: str, where: str | None) -> Source:
    """A model of MuJoCo Menagerie through the package ``mujoco-menagerie``.

    The package downloads a model on first use; its environment variable ``MENAGERIE_ROOT`` points
    it at a local checkout instead. Without an entry the robot itself is taken, not its scene.

    Raises:
        ComposeError: The package is not installed, or it has no such model or entry, or cannot
            get it.
    """
    try:
        import mujoco_menagerie
    except ImportError as error:
        raise ComposeError(
            "the package mujoco-menagerie is not installed",
            where=where,
            given=f"menagerie:{name}",
            hint="pip install 'mjscene[menagerie]'",
        ) from error
    robot_name, _, entry = name.partition("/")
    given = f"menagerie:{name}"
    known = mujoco_menagerie.names()
    if robot_name not in known:
        raise ComposeError(
            f"Menagerie has no model {robot_name!r}",
            where=where,
            given=given,
            close=close_matches(robot_name, known),
            hint="mujoco_menagerie.names() lists them",
        )
    robot = mujoco_menagerie.get(robot_name)
    if entry and entry not in robot.entry_names:
        raise ComposeError(
            f"Menagerie's {robot_name} has no entry {entry!r}",
            where=where,
            given=given,
            close=close_matches(entry, robot.entry_names),
            allowed=robot.entry_names,
        )
    try:
        path = robot.xml(entry or robot.default_model)
    except (mujoco_menagerie.MenagerieError, OSError) as error:
        raise ComposeError(f"Menagerie: {error}", where=where, given=given) from error
    source = load_file(str(path), where)
    source.label = given
    return source


def load_shipped(name: str, where: str | None) -> Source:
    """A robot that ships with mjscene.

    Raises:
        ComposeError: There is none of that name.
    """
    source = load_file(str(library.robot_path(name, where=where)), where)
    source.label = f"mjscene:{name}"
    return source
