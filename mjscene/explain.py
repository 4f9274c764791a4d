"""MuJoCo's compile errors, with the robot, file and line that they are about."""

from __future__ import annotations

import re
from typing import Any

from mjscene.compose import Composition
from mjscene.errors import ComposeError, close_matches
from mjscene.messages import element_of, first_line
from mjscene.owners import Owner
from mjscene.sources import place_of

__all__ = ["explain_compile_error"]

_QUOTED = re.compile(r"'([^']+)'")
_HINTS = {
    "mass and inertia": "give the body a mass and inertia, or a geom that has some",
}


def explain_compile_error(scene: Composition, message: str) -> Exception:
    """An error that says whose element MuJoCo cannot compile, and where its file says it."""
    for each in scene.owners:
        if each.source is not None:
            missing = each.source.missing_asset(message, each.where, f"{each.title}: ")
            if missing is not None:
                return missing
    element = element_of(message)
    quoted = ([element] if element else []) + _QUOTED.findall(message)
    owner, name = _owner_of(scene, quoted)
    facts: dict[str, Any] = {"element": element or name}
    facts["hint"] = next((h for k, h in _HINTS.items() if k in message), None)
    title = ""
    if owner is not None and name is not None:
        title = f"{owner.title}: "
        authored = name[len(owner.prefix) :] if name.startswith(owner.prefix) else name
        message = message.replace(f"'{name}'", f"'{authored}'")
        facts["where"], facts["element"] = owner.where, authored
        if owner.source is not None:
            file, line = place_of(message, owner.source.document)
            facts["file"], facts["line"] = file or owner.source.file, line
        if "not found" in message:
            known = [n for kind in owner.names for n in owner.authored(kind)]
            facts["close"] = close_matches(authored, known)
    element = element_of(message)
    shown = first_line(message)
    if element:
        shown += f" (element {element!r}" + (f", in the scene {name!r})" if owner else ")")
    shown += _mesh_file(owner, name)
    return ComposeError(f"{title}MuJoCo cannot compile it: {shown}", **facts)


def _owner_of(scene: Composition, quoted: list[str]) -> tuple[Owner | None, str | None]:
    """The owner of the first quoted name that somebody has, else whose prefix it starts with."""
    for name in quoted:
        for owner in scene.owners:
            if any(name in names for names in owner.names.values()):
                return owner, name
    for name in quoted:
        prefixed = [o for o in scene.owners if o.prefix and name.startswith(o.prefix)]
        if prefixed:
            return max(prefixed, key=lambda o: len(o.prefix)), name
    for name in quoted:  # a reference to nothing keeps its name when it is attached
        for owner in scene.owners:
            document = owner.source.document if owner.source is not None else None
            if document is not None and any(
                name in element.attrib.values() for _, element in document.elements()
            ):
                return owner, name
    return None, None


def _mesh_file(owner: Owner | None, name: str | None) -> str:
    """The file of a mesh that is at fault."""
    if owner is None or owner.source is None or name not in owner.names.get("mesh", ()):
        return ""
    mesh = owner.source.spec.mesh(str(name)[len(owner.prefix) :])
    return f", of file {mesh.file!r}" if mesh is not None and mesh.file else ""
