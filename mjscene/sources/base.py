"""One loaded source: a MjSpec that serves every robot that uses it, and what its file says."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mjscene.errors import ComposeError
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
    notes: list[str] = field(default_factory=list)

    def read_names(self) -> None:
        """Fill ``names`` from the spec."""
        self.names = {
            kind: tuple(e.name for e in getattr(self.spec, attribute) if e.name)
            for kind, attribute in KINDS.items()
        }

    def error(self, message: str, where: str | None, **facts: Any) -> ComposeError:
        """A ComposeError about this source, with its file unless another is given."""
        facts.setdefault("file", self.file)
        return ComposeError(message, where=where, **facts)
