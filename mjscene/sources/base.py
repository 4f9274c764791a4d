"""One loaded source: a MjSpec that serves every robot that uses it, and what its file says."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mjscene.errors import ComposeError
from mjscene.messages import first_line, line_of
from mjscene.sources.document import Document

__all__ = ["KINDS", "Source"]

# Named element kinds and the MjSpec list that holds each; MuJoCo's namespaces are one per kind.
KINDS = {
    "body": "bodies",
    "joint": "joints",
    "geom": "geoms",
    "site": "sites",
    "camera": "cameras",
    "light": "lights",
    "frame": "frames",
    "mesh": "meshes",
    "texture": "textures",
    "material": "materials",
    "hfield": "hfields",
    "skin": "skins",
    "flex": "flexes",
    "pair": "pairs",
    "exclude": "excludes",
    "equality": "equalities",
    "tendon": "tendons",
    "actuator": "actuators",
    "sensor": "sensors",
    "numeric": "numerics",
    "text": "texts",
    "tuple": "tuples",
    "key": "keys",
    "plugin": "plugins",
}

_OPENING = re.compile(r"(?:opening|open|find|load|read)[^']*'([^']+)'")
# Kinds that MuJoCo's ``copy`` drops without a word when they refer to what is not there.
_REFERRING = ("actuator", "sensor", "equality", "exclude", "pair", "tendon", "tuple", "skin")


@dataclass
class Source:
    """A model as loaded, before it is attached anywhere.

    Attributes:
        label: What it is called in messages: the file, or the model's name.
        spec: Its MjSpec, owned by the source: never the caller's own object.
        file: The file it was read from.
        document: What that file says.
        assets: Files held in memory, by the name the spec uses for them.
        names: Named elements per kind, filled by ``resolve``.
        free_joints: (body, joint) of its top-level free bodies, filled by ``resolve``.
        mocap_bodies: Its mocap bodies, filled by ``resolve``.
        keys_with_ctrl: Keyframes whose controls its file gives.
        disabled_groups: Actuator groups that its file disables, as a bit mask.
        groups_actuators: Whether it has actuators in another group than 0, or disables any.
        notes: What was changed in it, for the report.
    """

    label: str
    spec: Any
    file: Path | None = None
    document: Document | None = None
    assets: dict[str, bytes] = field(default_factory=dict)
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    free_joints: tuple[tuple[str, str], ...] = ()
    mocap_bodies: tuple[str, ...] = ()
    keys_with_ctrl: frozenset[str] = frozenset()
    disabled_groups: int = 0
    groups_actuators: bool = False
    notes: list[str] = field(default_factory=list)

    def read_names(self) -> None:
        """Fill ``names`` from the spec."""
        self.names = {
            kind: tuple(e.name for e in getattr(self.spec, attribute) if e.name)
            for kind, attribute in KINDS.items()
        }

    def check_whole(self, given: Any, where: str | None) -> None:
        """Refuse a spec of which ``copy`` drops elements that refer to what is not there.

        Args:
            given: The spec itself, that ``self.spec`` is or is a copy of.
            where: The spec's field, for messages.

        Raises:
            ComposeError: With what MuJoCo says when it compiles the source alone, if the spec is
                the source's own; else with the names of the elements.
        """
        kept = self.spec if given is not self.spec else given.copy()
        lost = [
            (kind, e.name)
            for kind in _REFERRING
            if len(getattr(kept, KINDS[kind])) < len(getattr(given, KINDS[kind]))
            for e in getattr(given, KINDS[kind])
            if e.name not in {k.name for k in getattr(kept, KINDS[kind])} or not e.name
        ]
        if not lost:
            return
        kind, name = lost[0]
        message, line = f"{kind} {name!r} refers to what is not there", None
        if given is self.spec:
            try:
                given.compile()
            except (ValueError, RuntimeError) as error:
                message, line = first_line(str(error)), line_of(str(error))
        raise self.error(message, where, line=line, element=name or kind)

    def missing_asset(self, message: str, where: str | None, title: str = "") -> Exception | None:
        """The error about a missing file that a message of MuJoCo's speaks of, if it is ours."""
        found = _OPENING.search(message)
        if found is None:
            return None
        wanted = found.group(1).split("/")[-1]
        for file, element, path in self.document.missing_assets() if self.document else ():
            if path.name == wanted:
                name = element.get("name") or path.stem
                return self.error(
                    f"{title}the file of {element.tag} {name!r} is missing: {path}",
                    where,
                    given=str(path),
                    file=file,
                    line=element.sourceline,
                    element=str(element.tag),
                    hint="meshdir and texturedir count from the folder of the top file",
                )
        if any(
            e.file.endswith(wanted) for k in ("meshes", "textures") for e in getattr(self.spec, k)
        ):
            return self.error(f"{title}the file {wanted!r} is missing", where, given=wanted)
        return None

    def error(self, message: str, where: str | None, **facts: Any) -> ComposeError:
        """A ComposeError about this source, with its file unless another is given."""
        facts.setdefault("file", self.file)
        return ComposeError(message, where=where, **facts)
