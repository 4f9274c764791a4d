"""Sources that are files: MJCF, URDF and .mjz archives."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import mujoco

from mjscene.errors import ComposeError, close_matches
from mjscene.messages import first_line
from mjscene.sources.base import Source
from mjscene.sources.document import Document
from mjscene.sources.text import explain_parse_error

__all__ = ["load_file"]

SUFFIXES = (".xml", ".mjcf", ".urdf", ".mjz", ".zip")


def load_file(path: str, where: str | None) -> Source:
    """A source from a file.

    The path is made absolute first: MuJoCo looks for included files and meshes at other places
    when it is given a relative one.

    Raises:
        ComposeError: The file is missing, of another kind, or not what its kind says.
    """
    file = Path(os.path.abspath(os.path.expanduser(path)))
    _check_file(file, path, where)
    if file.suffix.lower() in (".mjz", ".zip"):
        return _load_archive(file, where)
    document = Document.read(file, where)
    try:
        spec = mujoco.MjSpec.from_file(str(file))
    except ValueError as error:
        raise explain_parse_error(str(error), document, where) from error
    return Source(label=file.name, spec=spec, file=file, document=document)


def _check_file(file: Path, given: str, where: str | None) -> None:
    if file.is_dir():
        inside = sorted(p.name for p in file.iterdir() if p.suffix.lower() in SUFFIXES)
        raise ComposeError(
            "is a folder, not a model file",
            where=where,
            given=given,
            file=file,
            allowed=inside,
            hint=None if inside else "there is no model file in it",
        )
    if not file.exists():
        near: tuple[str, ...] = ()
        if file.parent.is_dir():
            near = close_matches(file.name, (p.name for p in file.parent.iterdir()))
        raise ComposeError("no such file", where=where, given=given, file=file, close=near)
    if file.suffix.lower() not in SUFFIXES:
        raise ComposeError(
            f"unknown kind of model file {file.suffix!r}",
            where=where,
            given=given,
            file=file,
            allowed=SUFFIXES,
        )


def _load_archive(file: Path, where: str | None) -> Source:
    if not zipfile.is_zipfile(file):
        raise ComposeError("is not a zip archive", where=where, file=file)
    try:
        spec = mujoco.MjSpec.from_file(str(file))
    except ValueError as error:
        raise ComposeError(first_line(str(error)), where=where, file=file) from error
    return Source(label=file.name, spec=spec, file=file)
