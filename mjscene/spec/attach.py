"""Where something is attached: the world, or a body, site or frame of what is already there."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from mjscene.errors import SpecError
from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields

__all__ = ["WORLD", "AttachKind", "AttachTarget", "body", "frame", "site", "world"]


class AttachKind(Enum):
    """The kinds of element that something can be attached to."""

    WORLD = "world"
    BODY = "body"
    SITE = "site"
    FRAME = "frame"


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class AttachTarget:
    """The element that a robot, attachment, object, site or camera is attached to.

    In an :class:`AttachmentSpec` the name is the file's own one within the robot (an earlier
    attachment's element is ``attachment prefix + name``); elsewhere it is the scene's name.

    Args:
        kind: World, body, site or frame.
        name: The element's name; empty for the world.
    """

    kind: AttachKind = field(kw_only=False)
    name: str = ""

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            SpecError: A kind that is none, or a name too many or too few.
        """
        kind = checks.member(self.kind, "AttachTarget.kind", AttachKind)
        object.__setattr__(self, "kind", kind)
        if kind is AttachKind.WORLD:
            if self.name:
                raise SpecError(
                    "the world has no name to give",
                    where="AttachTarget.name",
                    given=self.name,
                    hint="use world(), or body('…'), site('…'), frame('…')",
                )
        else:
            checks.name(self.name, "AttachTarget.name")

    def __str__(self) -> str:
        return "world" if self.kind is AttachKind.WORLD else f"{self.kind.value} {self.name!r}"


WORLD = AttachTarget(AttachKind.WORLD)


def world() -> AttachTarget:
    """The world."""
    return WORLD


def body(name: str) -> AttachTarget:
    """The body of that name."""
    return AttachTarget(AttachKind.BODY, name=name)


def site(name: str) -> AttachTarget:
    """The site of that name."""
    return AttachTarget(AttachKind.SITE, name=name)


def frame(name: str) -> AttachTarget:
    """The MJCF frame of that name."""
    return AttachTarget(AttachKind.FRAME, name=name)


def check_target(value: object, where: str) -> AttachTarget:
    """An AttachTarget, with a hint for those who gave a bare name."""
    hint = "use site('…'), body('…'), frame('…') or world()"
    if isinstance(value, str):
        hint = f"a bare name does not say what it names: use site({value!r}) or body({value!r})"
    return checks.instance(value, where, AttachTarget, hint)
