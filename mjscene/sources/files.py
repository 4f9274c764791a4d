"""Sources that are files: MJCF, URDF and .mjz archives."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

import mujoco

from mjscene.errors import ComposeError, close_matches, shown
from mjscene.library import robot_names
from mjscene.messages import first_line
from mjscene.sources.base import Source
from mjscene.sources.document import Document
from mjscene.sources.text import explain_parse_error
from mjscene.spec.checks import MODEL_SUFFIXES as SUFFIXES

__all__ = ["load_file"]


def load_file(path: str, where: str | None) -> Source:
    """A source from a file.

    The path is made absolute first: MuJoCo looks for included files and meshes at other places
    when it is given a relative one.

    Raises:
        ComposeError: The file is missing, of another kind, or not what its kind says.
    """
    file = Path(os.path.abspath(os.path.expanduser(path)))
    _check_file(file, path, where)
    if file.suffix in (".mjz", ".zip"):
        return _load_archive(file, where)
    document = Document.read(file, where)
    try:
        spec = mujoco.MjSpec.from_file(str(file))
    except ValueError as error:
        raise explain_parse_error(str(error), document, where) from error
    return Source(label=file.name, spec=spec, file=file, document=document)


def _check_file(file: Path, given: str, where: str | None) -> None:
    facts: dict[str, Any] = {"where": where, "given": given, "file": file}
    if not given.isprintable():
        raise ComposeError(f"is not a path: {shown(given)}", where=where, given=given)
    try:
        if file.is_dir():
            inside = sorted(p.name for p in file.iterdir() if p.suffix in SUFFIXES)
            hint = None if inside else "there is no model file in it"
            raise ComposeError("is a folder, not a model file", allowed=inside, hint=hint, **facts)
        if file.is_symlink() and not file.exists():
            raise ComposeError(f"is a link to {os.readlink(file)!r}, which is not there", **facts)
        if not file.exists():
            folder = file.parent
            near = [p.name for p in folder.iterdir()] if folder.is_dir() else []
            close, hint = close_matches(file.name, near), None
            if not file.suffix and file.name in robot_names():
                close, hint = (f"mjscene:{file.name}",), None
            elif not file.suffix and not close:
                hint = "a robot by name is 'mjscene:NAME' or 'menagerie:NAME'"
            raise ComposeError("no such file", close=close, hint=hint, **facts)
        if not file.is_file():
            raise ComposeError("is not a file", **facts)
    except OSError as error:  # too long a name
        message = f"is not a path ({error.strerror}): {shown(given)}"
        raise ComposeError(message, where=where, given=given) from error
    if file.suffix not in SUFFIXES:
        raise ComposeError(f"unknown kind of model file {file.suffix!r}", allowed=SUFFIXES, **facts)


def _load_archive(file: Path, where: str | None) -> Source:
    if not zipfile.is_zipfile(file):
        raise ComposeError("is not a zip archive", where=where, file=file)
    document = _archived_document(file, where)
    try:
        spec = mujoco.MjSpec.from_file(str(file))
    except ValueError as error:
        message = first_line(str(error)).replace(str(file), file.name)
        raise ComposeError(message, where=where, file=file) from error
    return Source(label=file.name, spec=spec, file=file, document=document)


def _archived_document(file: Path, where: str | None) -> Document | None:
    """The document of an archive's model; every XML in it is looked at for entities."""
    found = None
    stem = file.stem
    order = ("model.xml", f"{stem}.xml", f"{stem}/{stem}.xml", f"{stem}/model.xml")
    try:
        with zipfile.ZipFile(file) as archive:
            names = [n for n in archive.namelist() if n.endswith(".xml")]
            root = next((n for n in order if n in names), None)
            for name in names:
                document = Document.parse(archive.read(name), file, where)
                if name == root:
                    found = document
    except (zipfile.BadZipFile, OSError, RuntimeError) as error:
        raise ComposeError(f"is a broken archive: {error}", where=where, file=file) from error
    return found
