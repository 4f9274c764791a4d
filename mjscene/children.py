"""What is done to a copy of a source before it is attached."""

from __future__ import annotations

from collections import Counter
from typing import Any

import mujoco

from mjscene.errors import ComposeError
from mjscene.mounting import Mount
from mjscene.owners import Owner
from mjscene.sources import KINDS, Source

__all__ = ["PARKED_GROUP", "check_free", "drop_world", "regroup"]

# Actuators that a robot's own file disables (actuatorgroupdisable) are put into this group, which
# the scene disables: groups above 30 can never be.
PARKED_GROUP = 30


def check_free(owner: Owner, source: Source, mount: Mount) -> None:
    """Refuse a free joint or a mocap body that would not have the world as its parent.

    Raises:
        ComposeError: It names the owner, the joint or body, and the mount.
    """
    if mount.on_world:
        return
    for body, joint in source.free_joints:
        raise source.error(
            f"{owner.title} has the free joint {joint!r} (body {body!r}), which needs the world as "
            f"its parent, and is attached to {mount.name}",
            f"{owner.where}.attach_to",
            element=joint,
            hint="attach it to the world, or hold it there with an equality constraint",
        )
    for body in source.mocap_bodies:
        raise source.error(
            f"{owner.title} has the mocap body {body!r}, which needs the world as its parent, and "
            f"is attached to {mount.name}",
            f"{owner.where}.attach_to",
            element=body,
            hint="attach it to the world",
        )


def drop_world(child: Any) -> list[tuple[str, str]]:
    """Remove the geoms and lights of a file's world, and its sky, and what refers to them.

    Returns:
        (kind, name) of everything that is gone: MuJoCo's copies leave out pairs and sensors of a
        geom that is no more.
    """
    before = {kind: Counter(e.name for e in getattr(child, a)) for kind, a in KINDS.items()}
    doomed = [*child.worldbody.geoms, *child.worldbody.lights]
    doomed += [t for t in child.textures if t.type == mujoco.mjtTexture.mjTEXTURE_SKYBOX]
    for element in doomed:
        child.delete(element)
    left = child.copy() if doomed else child
    return [
        (kind, name)
        for kind, a in KINDS.items()
        for name in (before[kind] - Counter(e.name for e in getattr(left, a))).elements()
    ]


def regroup(owner: Owner, source: Source, child: Any, *, allowed: bool) -> None:
    """Refuse or move actuator groups that the file assigns, and honour those it disables.

    Raises:
        ComposeError: The file assigns a group, and ``allowed`` does not say to move it.
    """
    if not source.groups_actuators:
        return
    parked = []
    for actuator in child.actuators:
        group = int(actuator.group)
        name = owner.prefix + actuator.name
        if group != 0:
            if not allowed:
                raise _group_error(owner, source, actuator.name, group)
            owner.regrouped[name] = group
        if 0 <= group <= 30 and source.disabled_groups >> group & 1:
            parked.append(name)
            actuator.group = PARKED_GROUP
        else:
            actuator.group = 0
    owner.parked = tuple(parked)


def _group_error(owner: Owner, source: Source, actuator: str, group: int) -> ComposeError:
    found = list(source.document.grouped_actuators()) if source.document else []
    named = [f for f in found if f[1].get("name") == actuator]
    file, element = (named or found or [(source.file, None)])[0]
    tag = str(element.tag) if element is not None else "actuator"
    return ComposeError(
        f"{owner.title} assigns actuator group {group} to {actuator!r} (<{tag}>): groups 1 to 30 "
        "are reserved for control modes",
        where=owner.where,
        given=group,
        file=file,
        line=element.sourceline if element is not None else None,
        element=tag,
        hint="set regroup=True on the spec to move the file's groups to group 0",
    )
