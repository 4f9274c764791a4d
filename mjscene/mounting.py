"""Where a spec's ``attach_to`` leads in the scene, and a frame there to attach to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mjscene.errors import ComposeError, close_matches
from mjscene.owners import NameRegistry, Owner
from mjscene.poses import IDENTITY, Transform, local_transform, wxyz
from mjscene.spec import AttachKind, AttachTarget

__all__ = ["Mount", "find_mount"]


class Mount:
    """A place in the scene to attach to.

    Attributes:
        body: The MjsBody that holds it.
        frame: The MjsFrame it lies in, or None.
        base: Its pose in that frame or body.
        on_world: Whether the body is the world.
        name: What it is called in messages.
    """

    def __init__(self, body: Any, frame: Any, base: Transform, name: str) -> None:
        self.body = body
        self.frame = frame
        self.base = base
        self.on_world = body.name == "world"
        self.name = name

    def add_frame(self, pos: Sequence[float], quat: Sequence[float]) -> Any:
        """A new MjsFrame at a pose (quaternion xyzw) relative to the mount."""
        outer = self.frame
        if not self.base.is_identity:
            outer = self.body.add_frame(pos=self.base.pos, quat=self.base.quat)
            if self.frame is not None:
                outer.set_frame(self.frame)
        inner = self.body.add_frame(pos=pos, quat=wxyz(quat))
        if outer is not None:
            inner.set_frame(outer)
        return inner


def find_mount(
    mjspec: Any,
    target: AttachTarget,
    names: NameRegistry,
    where: str,
    *,
    robot: Owner | None = None,
    what: str = "",
    later: Callable[[str], Sequence[str]] = lambda kind: (),
) -> Mount:
    """The place that a target names.

    Args:
        mjspec: The scene's MjSpec.
        target: What to find.
        names: All names so far.
        where: The spec's field, for messages.
        robot: The robot whose own names are meant, for an attachment.
        what: What shall be attached, for messages.
        later: Names of a kind in objects that come later: they would come before it if it named
            one.

    Raises:
        ComposeError: There is no such element; the message lists near matches.
    """
    if target.kind is AttachKind.WORLD:
        return Mount(mjspec.worldbody, None, IDENTITY, "world")
    kind = target.kind.value
    prefix = robot.prefix if robot is not None else ""
    element = getattr(mjspec, kind)(prefix + target.name)
    if element is None and robot is not None:
        full = robot.scene_name(kind, target.name)
        element = getattr(mjspec, kind)(full) if full is not None else None
    if element is None or (robot is not None and element.name == "world"):
        raise _unknown(target, names, where, robot, what, later)
    if target.kind is AttachKind.BODY:
        return Mount(element, None, IDENTITY, f"body {element.name!r}")
    if target.kind is AttachKind.FRAME:
        return Mount(element.parent, element, IDENTITY, f"frame {element.name!r}")
    return Mount(element.parent, element.frame, local_transform(element), f"site {element.name!r}")


def _unknown(
    target: AttachTarget,
    names: NameRegistry,
    where: str,
    robot: Owner | None,
    what: str,
    later: Callable[[str], Sequence[str]],
) -> ComposeError:
    kind = target.kind.value
    prefix = robot.prefix if robot is not None else ""
    known = [n[len(prefix) :] for n in names.names(kind) if n.startswith(prefix)]
    known += later(kind)
    scope = f"{robot.title} or its earlier attachments" if robot is not None else "the scene so far"
    other = next(
        (
            k
            for k in ("site", "body", "frame")
            if k != kind and prefix + target.name in names.names(k)
        ),
        None,
    )
    return ComposeError(
        f"there is no {kind} {target.name!r} in {scope}" + (f", for {what}" if what else ""),
        where=where,
        given=target,
        close=close_matches(target.name, known),
        allowed=sorted(known) if len(known) <= 12 else (),
        element=target.name,
        hint=f"there is a {other} of that name: use {other}({target.name!r})" if other else None,
    )
