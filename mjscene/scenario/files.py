"""Scenarios in YAML files: read from one and written to one, with nothing lost.

An entry of the timeline is a time and one action, ``{at: 1, move: {robot: arm, …}}``; an
expectation, one kind and when it is looked at, ``{joint: {…}, at: 2}``. Where one field says it
all, it may stand alone: ``recover: arm``. The rest is as in scene files (``mjscene.scenefile``).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from mjscene.errors import SpecError, close_matches, shown
from mjscene.fields import Reader
from mjscene.hints import Form, Forms
from mjscene.library import scene_names
from mjscene.plain import plain_data
from mjscene.scenario.actions import ACTIONS
from mjscene.scenario.expectations import EXPECTATIONS
from mjscene.scenario.parts import NO_ANGLES, parts_form
from mjscene.scenario.spec import Scenario
from mjscene.sceneforms import scene_forms
from mjscene.spec import SceneSpec
from mjscene.yamlfile import parse_yaml, read_yaml
from mjscene.yamlnodes import Document, Node
from mjscene.yamltext import yaml_text

__all__ = [
    "read_scenario",
    "scenario_forms",
    "scenario_from_yaml",
    "scenario_to_yaml",
]

_SCENE_FILES = (".yaml", ".yml")


def read_scenario(path: str | os.PathLike[str]) -> Scenario:
    """The scenario of a YAML file.

    Args:
        path: The file. A scene's path in it counts from the file's folder.

    Raises:
        SpecError: The file is missing or wrong, with file, line, column and the field's path. What
            only the scene can tell is said by ``check`` and ``run``, with the same.
    """
    file = Path(path)
    return _scenario_of(read_yaml(file), Path(os.path.abspath(file.parent)), _stem(file))


def scenario_from_yaml(
    text: str, *, file: str | os.PathLike[str] | None = None, folder: str | Path | None = None
) -> Scenario:
    """The scenario of a YAML text.

    Args:
        text: The text.
        file: The file it is of, for messages, its name and its folder.
        folder: The folder that its paths count from; by default that of ``file``. Without
            either, paths stay as they are and nothing is looked for.

    Raises:
        SpecError: The text is wrong, with line, column and the field's path.
    """
    if not isinstance(text, str):
        raise SpecError(f"expected YAML text, got a {type(text).__name__}", given=text)
    document = parse_yaml(text, file=None if file is None else os.fspath(file))
    if folder is None and file is not None:
        folder = Path(file).parent
    place = None if folder is None else Path(os.path.abspath(folder))
    return _scenario_of(document, place, "" if file is None else _stem(Path(file)))


def scenario_to_yaml(scenario: Scenario, *, folder: str | Path | None = None) -> str:
    """A scenario as YAML text, its fields in order and defaults left out.

    Args:
        scenario: The scenario.
        folder: The folder of the file that it is for: paths become relative to it.

    Raises:
        SpecError: It has a function, or a source that is an object.
    """
    if not isinstance(scenario, Scenario):
        raise SpecError(f"expected a Scenario, got a {type(scenario).__name__}", given=scenario)
    place = None if folder is None else Path(os.path.abspath(folder))
    data = plain_data(scenario, scenario_forms(place))
    first: dict[str, Any] = {k: data.pop(k) for k in ("name", "description") if k in data}
    return yaml_text(first | data)


def _stem(file: Path) -> str:
    return file.name.partition(".scenario.")[0] if ".scenario." in file.name else file.stem


def _scenario_of(document: Document, folder: Path | None, name: str) -> Scenario:
    scenario: Scenario = Reader(document, scenario_forms(folder)).read(Scenario)
    object.__setattr__(scenario, "document", document)
    if not scenario.name:
        object.__setattr__(scenario, "name", name)
    return scenario


def scenario_forms(folder: Path | None) -> Forms:
    """The forms of scenario files.

    Args:
        folder: The file's folder, that paths count from; None leaves paths as they are.
    """
    forms = scene_forms(folder)
    return {
        **forms,
        **NO_ANGLES,
        (Scenario, "scene"): Form(
            read=lambda reader, node, path: _read_scene(reader, node, path, folder),
            write=lambda value, path: _written_scene(value, path, folder, forms),
        ),
        (Scenario, "timeline"): parts_form(ACTIONS, "action", forms),
        (Scenario, "expect"): parts_form(EXPECTATIONS, "expectation", forms),
    }


# The scene


def _read_scene(reader: Reader, node: Node, path: str, folder: Path | None) -> str | SceneSpec:
    if isinstance(node.value, dict):
        spec: SceneSpec = reader.instance(node, SceneSpec, path)
        return spec
    if not isinstance(node.value, str):
        raise reader.expected(node, str | SceneSpec, path)
    scene, error = node.value, reader.document.error
    if scene in scene_names():
        return scene
    if not scene.lower().endswith(_SCENE_FILES):
        raise error(
            f"no scene {shown(scene)} ships with mjscene",
            node,
            path,
            given=scene,
            close=close_matches(scene, scene_names()),
            allowed=scene_names(),
            hint="the path of a scene file ends in .yaml or .yml",
        )
    if folder is None:
        return scene
    file = os.path.abspath(folder / scene)
    if not os.path.isfile(file):
        parent = os.path.dirname(file)
        near = os.listdir(parent) if os.path.isdir(parent) else []
        raise error(
            f"there is no file {shown(scene)} seen from {str(folder)!r}",
            node,
            path,
            given=scene,
            close=close_matches(os.path.basename(file), near),
        )
    return scene if os.path.isabs(scene) else file


def _written_scene(value: str | SceneSpec, path: str, folder: Path | None, forms: Forms) -> Any:
    if isinstance(value, SceneSpec):
        return plain_data(value, forms, path)
    if folder is None or not os.path.isabs(value):
        return value
    return os.path.relpath(value, folder)
