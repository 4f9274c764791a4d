"""Save a scene so that it loads anywhere: its XML, with every file it needs beside it.

MuJoCo's own ``to_xml`` and ``to_zip`` keep the file names of robots from different folders
without their folders, so that such a scene does not load again. Here every asset's file is copied
under a name of its own, and the XML names that.

The XML is written "as written" (``savecompiled="false"``): numbers are saved exactly and the model
that it compiles to is the same, bit for bit, but for what ``compiled`` says.
"""

from __future__ import annotations

import os
import re
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import mujoco
from lxml import etree

from mjscene.compose import Composition
from mjscene.errors import ComposeError, article, close_matches
from mjscene.messages import Captured, first_line
from mjscene.sources import Source
from mjscene.spec import SceneObject

__all__ = ["save_scene"]

_SUFFIXES = (".xml", ".mjz", ".mjb")
_KINDS = {"mesh": "meshes", "texture": "textures", "hfield": "hfields", "skin": "skins"}
_CLASS = re.compile(r'<default class="([^"]*)"')
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that zip can say: equal scenes, equal archives


def save_scene(scene: Composition, model: Any, path: Path) -> Path:
    """Save a scene; see ``Scene.save``.

    Raises:
        ComposeError: It names a kind of file that is none of these, it cannot be written, or the
            scene cannot be said in MJCF.
    """
    suffix = path.suffix.lower()
    _check_suffix(path, suffix)
    try:
        if suffix == ".mjb":
            return _write_binary(model, path)
        xml, files = _portable(scene, model)
        if suffix == ".mjz":
            return _write_archive(path, xml, files)
        if suffix == ".xml":
            return _write_folder(path.parent, path.name, xml, files)
        return _write_folder(path, "scene.xml", xml, files)
    except OSError as error:
        raise ComposeError(
            f"cannot be written: {error.strerror or error}", where="save.path", file=path
        ) from error


def _check_suffix(path: Path, suffix: str) -> None:
    """Refuse what reads as a kind of file that is not written, but not a folder named ``v1.2``.

    A suffix of letters alone names a kind; one with digits is part of a folder's name, unless it
    is nearly one that is written. A folder that is there is a folder.
    """
    if not suffix or suffix in _SUFFIXES or path.is_dir():
        return
    close = close_matches(suffix, _SUFFIXES)
    if suffix[1:].isalpha() or close:
        raise ComposeError(
            f"a scene is not saved as {path.suffix!r}",
            where="save.path",
            given=str(path),
            close=close,
            allowed=[*_SUFFIXES, "a folder"],
            hint="a folder of that name must be there first",
        )


def _write_binary(model: Any, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        made = Path(folder) / "model.mjb"
        mujoco.mj_saveModel(model, str(made))
        os.replace(made, path)
    return path


def _write_archive(path: Path, xml: bytes, files: dict[str, bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        made = Path(folder) / "scene.mjz"
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in {"model.xml": xml, **files}.items():
                info = zipfile.ZipInfo(name, _ZIP_TIME)
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, data)
        os.replace(made, path)
    return path


def _write_folder(folder: Path, name: str, xml: bytes, files: dict[str, bytes]) -> Path:
    if folder.exists() and not folder.is_dir():
        raise ComposeError("is a file, not a folder", where="save.path", file=folder)
    folder.mkdir(parents=True, exist_ok=True)
    for file, data in files.items():
        target = folder / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    (folder / name).write_bytes(xml)
    return folder / name


def _portable(scene: Composition, model: Any) -> tuple[bytes, dict[str, bytes]]:
    """The XML and the files that it names."""
    text = _as_xml(scene, model)
    root = etree.fromstring(text.encode(), etree.XMLParser(huge_tree=True, resolve_entities=False))
    for compiler in root.iter("compiler"):
        for key in ("meshdir", "texturedir", "assetdir", "strippath", "conflict"):
            compiler.attrib.pop(key, None)
    files: dict[str, bytes] = {}
    homes = dict(_asset_homes(scene))
    found = _found_files(model)
    for element in root.iter(*_KINDS):
        kind = str(element.tag)
        for key in [k for k in element.attrib if k.startswith("file")]:
            if not element.get(key):
                continue
            home = homes.get((kind, element.get("name") or ""))
            path = found.get((kind, element.get("name") or "")) if key == "file" else None
            if path is not None and path.is_file():
                data = path.read_bytes()
            else:
                data = _read(home, kind, element.get(key) or "", scene)
            element.set(key, _add(files, element.get(key) or "", data))
    return bytes(etree.tostring(root, encoding="utf-8", pretty_print=True)), files


def _as_xml(scene: Composition, model: Any) -> str:
    """The scene's XML, with what was changed in the model since it was compiled."""
    with Captured():
        spec = scene.mjspec.copy()
        if scene.assets:
            spec.assets = scene.assets
        try:
            spec.copy_back(model)
        except ValueError as error:
            raise ComposeError(
                f"the model was changed in a way that MJCF cannot say: {first_line(str(error))}",
                where="save",
                hint="save it as .mjb",
            ) from error
        for i in range(model.nactuator):  # copy_back leaves whole numbers and dampratio alone
            spec.actuator(model.actuator(i).name).biasprm = model.actuator_biasprm[i]
            spec.actuator(model.actuator(i).name).group = int(model.actuator_group[i])
        spec.compiler.savecompiled = False
        try:
            _tell_classes_apart(spec)
            return str(spec.to_xml())
        except (ValueError, mujoco.FatalError):
            # Files whose compiler settings differ in what they infer (inertiafromgeom …) can
            # only be saved as what they compiled to, at the precision MuJoCo prints.
            spec.compiler.savecompiled = True
        try:
            return str(spec.to_xml())
        except (ValueError, mujoco.FatalError) as error:
            raise ComposeError(first_line(str(error)), where="save") from error


def _tell_classes_apart(spec: Any) -> None:
    """Rename default classes of one name: MuJoCo keeps them apart in memory, but not in XML."""
    names = Counter(_CLASS.findall(spec.to_xml()))
    for name, count in names.items():
        for k in range(1, count):
            new = f"{name}_{k}"
            while new in names:
                new += "_"
            spec.find_default(name).name = new


def _found_files(model: Any) -> dict[tuple[str, str], Path]:
    """Where MuJoCo found the file of each asset, by kind and name."""
    paths, found = bytes(model.paths), {}
    for kind in _KINDS:
        head = "tex" if kind == "texture" else kind
        for i, start in enumerate(getattr(model, f"{head}_pathadr")):
            if start >= 0:
                name = getattr(model, head)(i).name
                found[kind, name] = Path(os.fsdecode(paths[start : paths.index(b"\0", start)]))
    return found


def _asset_homes(scene: Composition) -> Iterator[tuple[tuple[str, str], Source | SceneObject]]:
    """Kind and scene name of every asset, with its source or object."""
    for owner in scene.owners:
        if owner.source is not None:
            for kind, attribute in _KINDS.items():
                for element in getattr(owner.source.spec, attribute):
                    yield (kind, owner.prefix + element.name), owner.source
        elif isinstance(owner.spec, SceneObject) and owner.spec.shape == "mesh":
            yield ("mesh", owner.spec.name), owner.spec


def _read(home: Source | SceneObject | None, kind: str, file: str, scene: Composition) -> bytes:
    """The bytes of an asset's file."""
    if file in scene.assets:
        return scene.assets[file]
    tries: list[Path] = []
    if isinstance(home, Source):
        folder = home.spec.texturedir if kind == "texture" else home.spec.meshdir
        base = home.file.parent if home.file is not None else Path.cwd()
        if home.file is not None and zipfile.is_zipfile(home.file):
            return _read_archived(home.file, folder, file)
        name = PurePosixPath(file).name if home.spec.strippath else file
        tries += [base / folder / name, base / name]
        if home.document is not None:
            for document in home.document._all_included():
                if document.file is not None:
                    tries += [document.file.parent / folder / name, document.file.parent / name]
    else:
        tries.append(Path(file))
    for path in tries:
        if path.is_file():
            return path.read_bytes()
    raise ComposeError(f"the file of {article(kind)} is gone: {file}", where="save", file=tries[0])


def _read_archived(archive: Path, folder: str, file: str) -> bytes:
    with zipfile.ZipFile(archive) as opened:
        names = opened.namelist()
        wanted = str(PurePosixPath(folder) / file)
        for name in names:
            if name in (wanted, file) or name.endswith("/" + wanted):
                return bytes(opened.read(name))
    raise ComposeError(f"the archive has no file {file!r}", where="save", file=archive)


def _add(files: dict[str, bytes], file: str, data: bytes) -> str:
    """Add a file under a free name in ``assets/``; equal ones are added once."""
    path = PurePosixPath(file)
    count = 0
    while True:
        name = f"assets/{path.stem}{f'_{count}' if count else ''}{path.suffix}"
        if files.setdefault(name, data) == data:
            return name
        count += 1
