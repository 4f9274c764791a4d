"""Scenarios in YAML files: read from one and written to one, with nothing lost.

An entry of the timeline is a time and one action, ``{at: 1, move: {robot: arm, …}}``; an
expectation, one kind and when it is looked at, ``{joint: {…}, at: 2}``. Where one field says it
all, it may stand alone: ``recover: arm``. The rest is as in scene files (``mjscene.scenefile``).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from mjscene.errors import MjsceneError, SpecError, close_matches, shown
from mjscene.fields import Reader
from mjscene.hints import Form, Forms
from mjscene.library import scene_names
from mjscene.plain import plain_data
from mjscene.scenario.actions import ACTIONS
from mjscene.scenario.base import Action, Expectation
from mjscene.scenario.expectations import EXPECTATIONS
from mjscene.scenario.spec import Scenario
from mjscene.sceneforms import scene_forms
from mjscene.spec import SceneSpec
from mjscene.yamlfile import parse_yaml, read_yaml
from mjscene.yamlnodes import Document, Node
from mjscene.yamltext import yaml_text

__all__ = [
    "is_optional",
    "read_scenario",
    "scenario_forms",
    "scenario_from_yaml",
    "scenario_to_yaml",
]

Part = type[Action] | type[Expectation]
_SCENE_FILES = (".yaml", ".yml")
_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


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
        (Scenario, "scene"): Form(
            read=lambda reader, node, path: _read_scene(reader, node, path, folder),
            write=lambda value, path: _written_scene(value, path, folder, forms),
        ),
        (Scenario, "timeline"): _parts(ACTIONS, "action", forms),
        (Scenario, "expect"): _parts(EXPECTATIONS, "expectation", forms),
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


# Actions and expectations


def _parts(words: Mapping[str, Part], what: str, forms: Forms) -> Form:
    """The form of a list of actions or expectations."""

    def read(reader: Reader, node: Node, path: str) -> tuple[Any, ...]:
        if not isinstance(node.value, list):
            raise reader.document.error(f"expected a list, got {node.kind}", node, path)
        return tuple(
            _read_part(reader, item, f"{path}[{i}]", words, what)
            for i, item in enumerate(node.value)
        )

    def write(value: Any, path: str) -> list[Any]:
        return [_written_part(p, f"{path}[{i}]", words, forms) for i, p in enumerate(value)]

    return Form(read=read, write=write)


def _read_part(
    reader: Reader, node: Node, path: str, words: Mapping[str, Part], what: str
) -> Action | Expectation:
    error = reader.document.error
    if not isinstance(node.value, dict):
        hint = None
        if isinstance(node.value, str) and node.value in words:
            alone = "true" if is_optional(words[node.value]) else "…"
            hint = f"write {node.value}: {alone}"
        raise error(f"expected a mapping, got {node.kind}", node, path, given=node.plain, hint=hint)
    timing = next(iter(words.values())).timing
    for key, at in node.keys.items():
        if key not in words and key not in timing:
            known = (*words, *timing)
            # Its class may have another name than its word: SetActuator is written set.
            classes = {_CAPITAL.sub("_", p.__name__).lower(): word for word, p in words.items()}
            close = (key,) if key in classes else close_matches(key, (*known, *classes))
            raise error(
                f"there is no {what} {shown(key)}",
                at,
                path,
                given=key,
                close=tuple(dict.fromkeys(classes.get(name, name) for name in close)),
                hint=f"there are {', '.join(known)}",
            )
    named = [key for key in node.value if key in words]
    if len(named) != 1:
        said = f"got {' and '.join(named)}" if named else "got none"
        hint = f"begin another entry for each {what}" if named else f"name one: {', '.join(words)}"
        at = node.keys[named[1]] if named else node
        raise error(f"expected one {what} in an entry, {said}", at, path, hint=hint)
    (word,) = named
    cls = words[word]
    merged, is_short = _merged(node, word, cls)
    try:
        part: Action | Expectation = reader.instance(merged, cls, f"{path}.{word}")
    except MjsceneError as failed:
        raise failed.at(where=_said_path(failed.where, path, cls, is_short)) from None
    return part


def _merged(node: Node, word: str, cls: Part) -> tuple[Node, bool]:
    """The fields of an action or expectation and its time as one node."""
    inner = node.value[word]
    outer = {k: v for k, v in node.value.items() if k != word}
    is_object = cls.whole == "object"
    if isinstance(inner.value, dict) and not is_object:
        keys = {**inner.keys, **{k: node.keys[k] for k in outer}}
        return Node({**inner.value, **outer}, inner.line, inner.column, keys), False
    if inner.value in (True, None) and is_optional(cls):
        keys = {k: node.keys[k] for k in outer}
        return Node(outer, inner.line, inner.column, keys), False
    if cls.whole is None:
        return inner, False  # the error says that a mapping belongs there
    keys = {cls.whole: inner, **{k: node.keys[k] for k in outer}}
    return Node({cls.whole: inner, **outer}, inner.line, inner.column, keys), True


def is_optional(cls: Part) -> bool:
    """Whether no field has to be given, beside its time."""
    free = (MISSING, MISSING)
    return not any(
        (f.default, f.default_factory) == free and f.name not in cls.timing for f in fields(cls)
    )


def _said_path(where: str | None, path: str, cls: Part, is_short: bool) -> str | None:
    """A field's path as the file has it."""
    if where is None:
        return None
    head = f"{path}.{cls.word}."
    rest = where.removeprefix(head)
    if rest == where:
        return where
    first = rest.partition(".")[0].partition("[")[0]
    if first in cls.timing:
        return f"{path}.{rest}"
    if is_short and first == cls.whole:
        return f"{path}.{cls.word}" + rest.removeprefix(first)
    return where


def _written_part(
    part: Action | Expectation, path: str, words: Mapping[str, Part], forms: Forms
) -> dict[str, Any]:
    if words.get(part.word) is not type(part):
        raise SpecError(
            f"a {type(part).__name__} cannot be written to a file",
            where=path,
            hint="functions are of the Python form alone",
        )
    data = plain_data(part, forms, path)
    times = {k: data.pop(k) for k in part.timing if k in data}
    inner: Any = data
    if part.whole is not None and list(data) == [part.whole]:
        inner = data[part.whole]
    elif not data:
        inner = True
    if isinstance(part, Action):
        return {**times, part.word: inner}
    return {part.word: inner, **times}
