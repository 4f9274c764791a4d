"""Who owns what in a scene: the robots, attachments and objects, and the names each brought."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from mjscene.errors import ComposeError
from mjscene.poses import Transform
from mjscene.sources import KINDS, Source
from mjscene.spec import AttachmentSpec, RobotSpec, SceneObject

__all__ = ["NameRegistry", "Owner"]


@dataclass
class Owner:
    """A robot, attachment or object in the scene.

    Attributes:
        kind: ``robot``, ``attachment`` or ``object``.
        label: Its name; an attachment's is ``robot.attachment``.
        where: The spec's field, such as ``robots[0].attachments[1]``.
        prefix: Put before each of its authored names, the robot's prefix included.
        spec: What the scene's spec says of it.
        source: Its model; None for a primitive object.
        parent: The robot that an attachment belongs to.
        mount: What it is attached to.
        base: The owner of what it is attached to; None for the world.
        world_from_file: The pose of its file's world in the scene's, if it is attached to the
            world; else None.
        at: Where its state lies in the model's vectors (``keyframes.Addresses``), once compiled.
        names: Its named elements by kind, as named in the scene.
        regrouped: Actuators (scene name) moved to group 0, with the group their file gave them.
        parked: Actuators (scene name) that its file disables.
        notes: What was changed in it or left out, for the report.
    """

    kind: str
    label: str
    where: str
    prefix: str
    spec: RobotSpec | AttachmentSpec | SceneObject
    source: Source | None = None
    parent: Owner | None = None
    mount: str = "world"
    base: Owner | None = None
    world_from_file: Transform | None = None
    at: Any = None
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    regrouped: dict[str, int] = field(default_factory=dict)
    parked: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)

    @property
    def root(self) -> Owner:
        """The robot that an attachment belongs to; itself otherwise."""
        return self.parent or self

    @property
    def title(self) -> str:
        """What it is called in messages."""
        origin = f" ({self.source.label})" if self.source is not None else ""
        return f"{self.kind} {self.label!r}{origin}"

    def scene_name(self, kind: str, name: str) -> str | None:
        """The scene's name of one of its elements, by its authored name.

        What the file itself prefixed (``sub/j``) may be given without that part if the rest is
        unique.
        """
        known = self.names.get(kind, ())
        full = self.prefix + name
        if full in known:
            return full
        tails = [n for n in known if n.endswith("/" + name) or n.endswith("_" + name)]
        return tails[0] if len(tails) == 1 else None

    def authored(self, kind: str) -> tuple[str, ...]:
        """The authored names of its elements of one kind."""
        return tuple(n[len(self.prefix) :] for n in self.names.get(kind, ()))


def _clash_hint(first: str, second: str) -> str:
    if all(title.startswith(("robot", "attachment")) for title in (first, second)):
        return "give them different prefixes, such as 'left/' and 'right/'"
    return "rename one of them"


class NameRegistry:
    """All names of the scene, each with its owner; MuJoCo has one namespace per kind."""

    def __init__(self) -> None:
        self._owners: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
        self._prefixes: Counter[str] = Counter()

    def has_owner_at(self, prefix: str) -> bool:
        """Whether an owner before the latest has this very prefix, so that classes may meet."""
        return self._prefixes[prefix] > 1

    def add(self, kind: str, name: str, title: str, where: str | None) -> None:
        """Register one name.

        Raises:
            ComposeError: It is taken; the message names both owners.
        """
        taken = self._owners[kind].get(name)
        if taken is not None:
            raise ComposeError(
                f"the {kind} name {name!r} is used twice: by {taken} and by {title}",
                where=where,
                given=name,
                element=name,
                hint=_clash_hint(taken, title),
            )
        self._owners[kind][name] = title

    def add_owner(
        self, owner: Owner, source: Source, without: Iterable[tuple[str, str]] = ()
    ) -> None:
        """Register what an owner's source brings, under its prefix, and fill ``owner.names``.

        Args:
            owner: The owner.
            source: Its source.
            without: Elements (kind, authored name) that are left out.

        Raises:
            ComposeError: A name is taken; the message names both owners.
        """
        self._prefixes[owner.prefix] += 1
        left_out = {("body", "world"), *without}
        prefix, title = owner.prefix, owner.title
        for kind, authored in source.names.items():
            if not authored:
                owner.names.setdefault(kind, ())
                continue
            gone = [n for k, n in left_out if k == kind]
            names = tuple([prefix + n for n in authored if n not in gone])
            owner.names[kind] = owner.names.get(kind, ()) + names
            taken = self._owners[kind]
            if not taken.keys().isdisjoint(names):
                for name in names:
                    self.add(kind, name, title, owner.where)
            taken.update(dict.fromkeys(names, title))

    def remove(self, kind: str, name: str) -> None:
        """Forget a name."""
        self._owners[kind].pop(name, None)

    def names(self, kind: str) -> list[str]:
        """All names of a kind."""
        return list(self._owners[kind])

    def owner(self, kind: str, name: str) -> str | None:
        """The title of the owner of a name."""
        return self._owners[kind].get(name)
