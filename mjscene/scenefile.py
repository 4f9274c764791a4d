"""Scenes in YAML files: a :class:`SceneSpec` read from one and written to one, with nothing lost.

A file has the names of the dataclasses' fields and their units; ``{deg: 90}`` may stand for any
number, in radians then. Paths are relative to the file, ``menagerie:`` and ``mjscene:`` names and
XML stay what they are. Environment variables and ``~`` are not expanded.

A file is data: reading it runs nothing, writes nothing and opens no other file, but for one look
whether each model file is there. A path may lead out of the file's folder (robots lie where they
lie), but only to a file with a model's or mesh's suffix that exists; any other is an error.

What is wrong in a file is a :class:`~mjscene.errors.SpecError` with ``file``, ``line``, ``column``
and ``where``, the field's path, as in ``robots[1].attachments[0].attach_to``.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from mjscene.errors import MjsceneError, SpecError, shown
from mjscene.fields import Reader, locate
from mjscene.plain import plain_data
from mjscene.sceneforms import scene_forms
from mjscene.spec import SceneSpec
from mjscene.standing import check_standing
from mjscene.yamlfile import MAX_BYTES, parse_yaml, read_yaml
from mjscene.yamlnodes import Document
from mjscene.yamltext import yaml_text

__all__ = [
    "check_scene_file",
    "read_scene_file",
    "scene_from_yaml",
    "scene_to_yaml",
    "write_scene_file",
]


def read_scene_file(path: str | Path) -> SceneSpec:
    """The scene of a YAML file; its relative paths become absolute.

    Args:
        path: The file.

    Raises:
        SpecError: The file is missing or wrong, with file, line, column and the field's path.
    """
    file = Path(path)
    return _scene_of(read_yaml(file), _folder(file.parent))


def scene_from_yaml(
    text: str, *, file: str | Path | None = None, folder: str | Path | None = None
) -> SceneSpec:
    """The scene of a YAML text.

    Args:
        text: The text.
        file: The file it is of, for messages, and for its folder.
        folder: The folder that its paths are relative to; by default that of ``file``. Without
            either, paths stay as they are and nothing is looked for.

    Raises:
        SpecError: The text is wrong, with line, column and the field's path.
    """
    if not isinstance(text, str):
        raise SpecError(f"expected YAML text, got a {type(text).__name__}", given=text)
    document = parse_yaml(text, file=None if file is None else str(file))
    if folder is None and file is not None:
        folder = Path(file).parent
    return _scene_of(document, None if folder is None else _folder(folder))


def scene_to_yaml(spec: SceneSpec, *, folder: str | Path | None = None) -> str:
    """A scene as YAML text, its fields in order and defaults left out.

    Args:
        spec: The scene.
        folder: The folder of the file that it is for: paths become relative to it. By default
            they stay as they are.

    Raises:
        SpecError: It has a source that is an object (an MjSpec, a PyMJCF element), or is too large.
    """
    if not isinstance(spec, SceneSpec):
        raise SpecError(f"expected a SceneSpec, got a {type(spec).__name__}", given=spec)
    place = None if folder is None else _folder(folder)
    data = plain_data(spec, scene_forms(place))
    text = yaml_text(data)
    if len(text.encode("utf-8", errors="replace")) > MAX_BYTES:
        raise SpecError(
            f"the scene's text is larger than {MAX_BYTES // 1024} KiB",
            hint="keep models in files of their own",
        )
    return text


def write_scene_file(spec: SceneSpec, path: str | Path) -> Path:
    """Write a scene to a YAML file, whole or not at all.

    Args:
        spec: The scene.
        path: The file, ``.yaml`` or ``.yml``; one that is there is replaced.

    Returns:
        The file's path.

    Raises:
        SpecError: It cannot be written; a file that was there is as it was.
    """
    if not isinstance(path, str | os.PathLike):
        raise SpecError(f"expected a path, got {shown(path)}", where="path", given=path)
    file = Path(path)
    if file.suffix.lower() not in (".yaml", ".yml"):
        raise SpecError(
            f"unknown kind of scene file {file.suffix!r}",
            given=str(path),
            allowed=(".yaml", ".yml"),
        )
    text = scene_to_yaml(spec, folder=file.parent)
    try:
        _write_whole(file, text)
    except OSError as error:
        raise SpecError(f"cannot be written: {error.strerror}", file=file) from error
    return file


def check_scene_file(path: str | Path) -> SceneSpec:
    """Read a scene file and build its scene, to see that it can be.

    Args:
        path: The file.

    Returns:
        Its spec.

    Raises:
        MjsceneError: What :func:`read_scene_file` or ``build_scene`` raises. What is about a
            field and no model file has the line and column of that field in this file.
    """
    from mjscene.build import build_scene

    document = read_yaml(path)
    spec = _scene_of(document, _folder(Path(path).parent))
    try:
        build_scene(spec)
    except MjsceneError as error:
        if error.where is None or error.file is not None:
            raise
        at = locate(document.root, error.where)
        raise error.at(file=document.file, line=at.line, column=at.column) from error
    return spec


def _scene_of(document: Document, folder: Path | None) -> SceneSpec:
    spec: SceneSpec = Reader(document, scene_forms(folder)).read(SceneSpec)
    try:
        check_standing(spec)
    except SpecError as error:
        at = locate(document.root, error.where or "")
        raise error.at(file=document.file, line=at.line, column=at.column) from None
    return spec


def _folder(folder: str | Path) -> Path:
    return Path(os.path.abspath(folder))


def _write_whole(file: Path, text: str) -> None:
    """Write beside the file, then put it in its place; through a link, where it leads."""
    file = file.resolve() if file.is_symlink() else file
    part = file.with_name(f".{file.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        if file.exists():
            part.chmod(file.stat().st_mode & 0o777)
        os.replace(part, file)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
