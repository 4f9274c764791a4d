"""How parts of a scene are written in a file where their type hints do not say it.

Sources are paths relative to the file, names or XML; ``attach_to`` is ``world`` or one of
``{body: x}``, ``{site: x}`` and ``{frame: x}``; a camera's ``fovy`` is in degrees already.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from mjscene.errors import SpecError, close_matches, shown
from mjscene.fields import Reader
from mjscene.hints import Form, Forms
from mjscene.spec import AttachKind, AttachTarget, CameraSpec, PhysicsOptions, SceneObject
from mjscene.spec.checks import MODEL_SUFFIXES
from mjscene.spec.objects import MESH_SUFFIXES, SHAPES
from mjscene.spec.physics import FLAGS, WORDS
from mjscene.yamlnodes import Node

__all__ = ["scene_forms"]

_NAMED = ("menagerie:", "mjscene:")
_KINDS = {kind.value: kind for kind in AttachKind if kind is not AttachKind.WORLD}
_MODELS = (*MODEL_SUFFIXES, *MESH_SUFFIXES)
_NUMBER = {"$ref": "#/$defs/number"}


def scene_forms(folder: Path | None) -> Forms:
    """The forms of scene files.

    Args:
        folder: The file's folder, that paths are relative to; None leaves paths as they are.
    """
    words = {
        (PhysicsOptions, name): Form(schema={"enum": [*allowed, None]})
        for name, allowed in WORDS.items()
    }
    flags = {
        "type": "object",
        "propertyNames": {"enum": list(FLAGS)},
        "additionalProperties": {"type": "boolean"},
    }
    pair = {
        "type": "array",
        "prefixItems": [{"enum": list(FLAGS)}, {"type": "boolean"}],
        "minItems": 2,
        "maxItems": 2,
    }
    source = Form(
        read=lambda reader, node, path: _read_source(reader, node, path, folder),
        write=lambda value, path: _written_source(value, path, folder),
        schema={"type": "string"},
    )
    return {
        (Any, "path"): source,
        (SceneObject, "path"): replace(
            source,
            read=lambda reader, node, path: (
                None if node.value is None else _read_source(reader, node, path, folder)
            ),
            schema={"type": ["string", "null"]},
        ),
        AttachTarget: Form(read=_read_target, write=_written_target, schema=_target_schema()),
        (CameraSpec, "fovy"): Form(read=_read_degrees, schema=_NUMBER),
        (SceneObject, "shape"): Form(schema={"enum": ["", *SHAPES]}),
        (PhysicsOptions, "flags"): Form(
            schema={"anyOf": [flags, {"type": "array", "items": pair}]}
        ),
        **words,
    }


# Attach targets


def _read_target(reader: Reader, node: Node, path: str) -> AttachTarget:
    value = node.value
    if isinstance(value, str) and value.lower() == "world":
        return AttachTarget(AttachKind.WORLD)
    hint = "write world, {body: NAME}, {site: NAME} or {frame: NAME}"
    if not isinstance(value, dict):
        close = close_matches(value, ["world"]) if isinstance(value, str) else ()
        if isinstance(value, str) and not close:
            name = shown(value)
            hint = f"a name does not say what it names: write {{site: {name}}} or {{body: {name}}}"
        raise reader.document.error(
            f"expected a place to attach to, got {node.kind}",
            node,
            path,
            given=node.plain,
            close=close,
            hint=hint,
        )
    if "kind" in value:
        target: AttachTarget = reader.instance(node, AttachTarget, path)
        return target
    for key, at in node.keys.items():
        if key not in _KINDS:
            raise reader.document.error(
                f"there is nothing of kind {shown(key)} to attach to",
                at,
                f"{path}.{key}" if key.isidentifier() else path,
                given=key,
                close=close_matches(key, _KINDS),
                allowed=tuple(_KINDS),
                hint=hint,
            )
    if len(value) != 1:
        raise reader.document.error(
            f"expected one place, got {len(value)}", node, path, given=node.plain, hint=hint
        )
    ((kind, child),) = value.items()
    name = reader.value(child, str, f"{path}.{kind}")
    # The target calls the field at fault its name; the file calls it by its kind.
    try:
        return AttachTarget(_KINDS[kind], name=name)
    except SpecError as error:
        place = {"file": reader.document.file, "line": child.line, "column": child.column}
        raise error.at(where=f"{path}.{kind}", **place) from None


def _written_target(target: AttachTarget, path: str) -> Any:
    if target.kind is AttachKind.WORLD:
        return "world"
    return {target.kind.value: target.name}


def _target_schema() -> Mapping[str, Any]:
    one = [
        {
            "type": "object",
            "properties": {kind: {"type": "string"}},
            "required": [kind],
            "additionalProperties": False,
        }
        for kind in _KINDS
    ]
    long = {
        "type": "object",
        "properties": {"kind": {"type": "string"}, "name": {"type": "string"}},
        "required": ["kind"],
        "additionalProperties": False,
    }
    return {"anyOf": [{"type": "string", "pattern": "^[Ww][Oo][Rr][Ll][Dd]$"}, *one, long]}


def _read_degrees(reader: Reader, node: Node, path: str) -> Any:
    if isinstance(node.value, dict) and list(node.value) == ["deg"]:
        return reader.value(node.value["deg"], float, f"{path}.deg")
    return reader.value(node, float, path)


# Sources


def _is_named(source: str) -> bool:
    return source.startswith(_NAMED) or source.lstrip("\ufeff \t\r\n").startswith("<")


def _read_source(reader: Reader, node: Node, path: str, folder: Path | None) -> str:
    """A source; a path is made absolute and has to be that of a model file that is there."""
    source = node.value
    if not isinstance(source, str):
        raise reader.expected(node, str, path)
    if folder is None or _is_named(source) or not source:
        return source
    error = reader.document.error
    if not source.isprintable():
        raise error(f"is not a path: {shown(source)}", node, path, given=source)
    file = os.path.abspath(folder / source)
    if not file.endswith(_MODELS):
        scheme = source.partition(":")[0] + ":" if ":" in source else source
        raise error(
            f"{shown(source)} is no model file",
            node,
            path,
            given=source,
            close=close_matches(scheme, _NAMED),
            allowed=_MODELS,
        )
    if not _is_file(file):
        near = os.listdir(os.path.dirname(file)) if os.path.isdir(os.path.dirname(file)) else []
        hint = "variables are not expanded in scene files" if "$" in source else None
        raise error(
            f"there is no file {shown(source)} seen from {str(folder)!r}",
            node,
            path,
            given=source,
            close=[n for n in close_matches(os.path.basename(file), near) if n.endswith(_MODELS)],
            hint=hint,
        )
    return file if not os.path.isabs(source) else source


def _is_file(file: str) -> bool:
    try:
        return os.path.isfile(file)
    except (OSError, ValueError):
        return False


def _written_source(source: Any, path: str, folder: Path | None) -> Any:
    if source is None:
        return None
    if not isinstance(source, str):
        kind = "an MjSpec" if type(source).__name__ == "MjSpec" else "a PyMJCF element"
        raise SpecError(
            f"{kind} cannot be written to a file",
            where=path,
            given=source,
            hint="save it as an XML file and give its path, or give its XML text",
        )
    if folder is None or _is_named(source):
        return source
    file = os.path.abspath(os.path.expanduser(source))
    if os.path.isabs(source) and file != source:
        return source  # a detour in it, through a link perhaps, stays as it is
    relative = os.path.relpath(file, folder)
    # A relative path up to the root would only hide that the file is elsewhere.
    top = os.path.commonpath([file, folder])
    if top == os.path.dirname(top) and folder.parts[1:]:
        return file
    return f"./{relative}" if _is_named(relative) or re.match(r"[\s\w]*:", relative) else relative
