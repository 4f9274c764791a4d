"""Who stands on whom: robots on later robots, attachments on later ones, and cycles of these.

A scene is put together in order, so none of them can be built. The models' files tell the same
later; here it is told by prefixes alone, and only where no other element can have the name.
"""

from __future__ import annotations

from mjscene.errors import MjsceneError, SpecError
from mjscene.spec import AttachKind, RobotSpec, SceneSpec

__all__ = ["check_standing"]


def check_standing(spec: SceneSpec) -> None:
    """Refuse what stands on itself, on what comes later, or in a circle.

    Raises:
        SpecError: Its ``where`` is the ``attach_to`` at fault.
    """
    for i, robot in enumerate(spec.robots):
        _check_robot(spec, i)
        for k in range(len(robot.attachments)):
            _check_attachment(robot, f"robots[{i}]", k)
    for k, thing in enumerate(spec.objects):
        names = [o.name for o in spec.objects]
        owner = _object_of(thing.attach_to.name, names)
        if owner is not None and owner >= k and not _robots_of(spec, thing.attach_to.name):
            raise _error(f"object {thing.name!r}", names[owner], thing.name, f"objects[{k}]")


def _check_robot(spec: SceneSpec, index: int) -> None:
    """Follow a robot's mount through objects down to a robot or the world."""
    robot = spec.robots[index]
    names, seen = [o.name for o in spec.objects], set()
    target = robot.attach_to
    while target.kind is not AttachKind.WORLD and not _is_of_world(spec, target.name):
        owners = _robots_of(spec, target.name)
        thing = _object_of(target.name, names)
        if any(k < index for k in owners) or (thing is None and not owners):
            return
        if thing is None:
            title = f"robot {robot.label!r}"
            raise _error(title, spec.robots[owners[0]].label, robot.label, f"robots[{index}]")
        if thing in seen:
            return  # a circle of objects: told of them
        seen.add(thing)
        target = spec.objects[thing].attach_to


def _is_of_world(spec: SceneSpec, name: str) -> bool:
    return name == "world" or any(
        s.name == name for s in spec.sites if s.attach_to.kind is AttachKind.WORLD
    )


def _robots_of(spec: SceneSpec, name: str) -> list[int]:
    """The robots that may have an element of that name."""
    return [k for k, robot in enumerate(spec.robots) if name.startswith(robot.prefix)]


def _object_of(name: str, names: list[str]) -> int | None:
    return next((k for k, n in enumerate(names) if name == n or name.startswith(n + "/")), None)


def _check_attachment(robot: RobotSpec, where: str, index: int) -> None:
    attachment = robot.attachments[index]
    name, kind = attachment.attach_to.name, attachment.attach_to.kind
    owners = [k for k, a in enumerate(robot.attachments) if a.prefix and name.startswith(a.prefix)]
    free = [k for k in range(index) if not robot.attachments[k].prefix]
    if not owners or free or owners[0] < index:
        return
    # The robot itself may have a name that begins alike: its file tells. (Rare, and only then is
    # MuJoCo needed to read a scene file.)
    from mjscene.sources import load_source

    try:
        source = load_source(robot.path, f"{where}.path")
    except MjsceneError:
        return
    if getattr(source.spec, kind.value)(name) is not None:
        return
    title = f"attachment {attachment.label!r}"
    other = robot.attachments[owners[0]].label
    raise _error(title, other, attachment.label, f"{where}.attachments[{index}]")


def _error(title: str, other: str, own: str, where: str) -> SpecError:
    on = "itself" if other == own else f"{other!r}, which comes later"
    return SpecError(
        f"{title} stands on {on}",
        where=f"{where}.attach_to",
        hint="things are put together in order: attach it to the world or to an earlier one",
    )
