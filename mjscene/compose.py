"""One MjSpec out of a scene spec: attachment chains, placement, options, keyframes, assets.

Every robot and attachment is attached to the scene's MjSpec directly, from a copy of its source,
after its options were made those of the scene and its names were checked: nothing is left for
``attach`` to merge, drop or rename.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import mujoco

from mjscene.adornments import add_cameras, add_floor, add_lights, add_sites, add_sky
from mjscene.children import PARKED_GROUP, check_free, drop_world, regroup
from mjscene.claims import Author, OptionRow
from mjscene.errors import ComposeError, close_matches
from mjscene.loading import given, load_sources, uses
from mjscene.messages import Captured, first_line
from mjscene.mounting import Mount, find_mount
from mjscene.objects import add_object
from mjscene.options import merge_options
from mjscene.owners import NameRegistry, Owner
from mjscene.poses import frame_transform
from mjscene.sources import Source
from mjscene.spec import AttachTarget, RobotSpec, SceneObject, SceneSpec
from mjscene.visual import adopt_statistics

__all__ = ["Composition", "compose"]


@dataclass
class Composition:
    """A composed scene, before it is compiled.

    Attributes:
        spec: The scene spec it was composed from.
        mjspec: The MjSpec.
        owners: Robots, each followed by its attachments, then objects.
        names: All names and their owners.
        options: Who set which option.
        assets: Files held in memory, by the name the MjSpec uses.
        merged_assets: Assets that were the same as another and were merged into it.
        keyframes: Merged keyframes: name and the owners that authored one of that name.
        warnings: What the user should look at.
    """

    spec: SceneSpec
    mjspec: Any
    owners: list[Owner] = field(default_factory=list)
    names: NameRegistry = field(default_factory=NameRegistry)
    options: list[OptionRow] = field(default_factory=list)
    assets: dict[str, bytes] = field(default_factory=dict)
    merged_assets: tuple[str, ...] = ()
    keyframes: dict[str, list[Owner]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def compose(spec: SceneSpec) -> Composition:
    """Compose a scene.

    Args:
        spec: The scene.

    Returns:
        The composed MjSpec and who owns what in it. The MjSpecs that the spec holds are unchanged.

    Raises:
        ComposeError: A source is missing or broken, a target is unknown, names clash, options
            conflict, or a free joint would not have the world as its parent.
    """
    mjspec = mujoco.MjSpec()
    mjspec.modelname = spec.name
    mjspec.compiler.degree = False  # what a program adds later is in radians
    mjspec.compiler.conflict = mujoco.mjtConflict.mjCONFLICT_MERGE
    scene = Composition(spec=spec, mjspec=mjspec)
    with Captured() as captured:
        sources = load_sources(spec)
        authors = [Author(label, sources[given(path)]) for label, _, path in uses(spec)]
        scene.options = merge_options(spec.options, authors, mjspec)
        if len(spec.robots) == 1:
            scene.options += adopt_statistics(authors, mjspec)
        _place_all(scene, sources)
        _merge_keyframes(scene)
        _merge_assets(scene)
    scene.warnings += captured.messages
    return scene


def _place_all(scene: Composition, sources: dict[Any, Source]) -> None:
    """Floor and sky, then robots in order, each after the object it stands on, then objects."""
    spec, pending = scene.spec, dict(enumerate(scene.spec.objects))
    add_sky(scene.mjspec, spec, scene.names)
    add_floor(scene.mjspec, spec, scene.names)
    add_lights(scene.mjspec, spec, scene.names)
    add_sites(scene.mjspec, spec, scene.names, on_world=True)  # robots may stand on them
    for i, robot in enumerate(spec.robots):
        for k in [k for k, thing in pending.items() if _stands_on(robot, thing)]:
            _place_object(scene, k, pending.pop(k), sources)
        _place_robot(scene, i, robot, sources, partial(_names_in, pending.values(), sources))
    for k, thing in pending.items():
        _place_object(scene, k, thing, sources)
    scene.owners.sort(key=lambda owner: owner.kind == "object")
    add_sites(scene.mjspec, spec, scene.names, on_world=False)
    add_cameras(scene.mjspec, spec, scene.names)
    for owner in scene.owners:
        _exclude_contacts(scene, owner)


def _stands_on(robot: RobotSpec, thing: SceneObject) -> bool:
    name = robot.attach_to.name
    return name == thing.name or name.startswith(thing.name + "/")


def _names_in(things: Iterable[SceneObject], sources: dict[Any, Source], kind: str) -> list[str]:
    """The names that elements of a kind have in objects."""
    names = [thing.name for thing in things] if kind == "body" else []
    for thing in things:
        if thing.shape == "mjcf":
            spec = sources[given(thing.path)].spec
            found = getattr(spec, "bodies" if kind == "body" else f"{kind}s")
            names += [f"{thing.name}/{e.name}" for e in found if e.name and e.name != "world"]
    return names


def _place_object(
    scene: Composition, index: int, thing: SceneObject, sources: dict[Any, Source]
) -> None:
    where = f"objects[{index}]"
    mount = find_mount(
        scene.mjspec,
        thing.attach_to,
        scene.names,
        f"{where}.attach_to",
        what=f"object {thing.name!r}",
    )
    owner = Owner("object", thing.name, where, thing.name + "/", thing, mount=mount.name)
    source = sources[given(thing.path)] if thing.shape == "mjcf" else None
    scene.assets.update(source.assets if source is not None else {})
    owner.base = _owner_at(scene, thing.attach_to)
    add_object(scene.mjspec, owner, mount, source, scene.names)
    scene.owners.append(owner)


def _place_robot(
    scene: Composition,
    index: int,
    robot: RobotSpec,
    sources: dict[Any, Source],
    later: Callable[[str], Sequence[str]],
) -> None:
    where = f"robots[{index}]"
    owner = Owner("robot", robot.label, where, robot.prefix, robot)
    owner.base = _owner_at(scene, robot.attach_to)
    mount = find_mount(
        scene.mjspec,
        robot.attach_to,
        scene.names,
        f"{where}.attach_to",
        what=f"robot {robot.label!r}",
        later=later,
    )
    _attach(scene, owner, mount, sources[given(robot.path)])
    for k, attachment in enumerate(robot.attachments):
        part = Owner(
            kind="attachment",
            label=f"{robot.label}.{attachment.label}",
            where=f"{where}.attachments[{k}]",
            prefix=robot.prefix + attachment.prefix,
            spec=attachment,
            parent=owner,
            base=owner,
        )
        mount = find_mount(
            scene.mjspec, attachment.attach_to, scene.names, f"{part.where}.attach_to", robot=owner
        )
        _attach(scene, part, mount, sources[given(attachment.path)])


def _owner_at(scene: Composition, target: AttachTarget) -> Owner | None:
    """The owner of the element that a target names; None for the world's own."""
    kind, name = target.kind.value, target.name
    return next((o for o in scene.owners if name in o.names.get(kind, ())), None)


def _attach(scene: Composition, owner: Owner, mount: Mount, source: Source) -> None:
    """Attach a copy of a source for an owner at a mount."""
    spec = owner.spec
    owner.source, owner.mount = source, mount.name
    check_free(owner, source, mount)
    scene.names.add_owner(owner, source)
    drops = not isinstance(spec, SceneObject) and spec.drop_world
    is_changed = drops or source.groups_actuators
    child = source.spec.copy() if is_changed else source.spec
    if not isinstance(spec, SceneObject):
        if drops:
            _drop_world(scene, owner, child)
        regroup(owner, source, child, allowed=spec.regroup)
    frame = mount.add_frame(spec.pos, spec.quat)
    owner.world_from_file = frame_transform(frame) if mount.on_world else None
    # To copy while attaching costs less than to copy first, and leaves the source as it is.
    scene.mjspec.copy_during_attach = not is_changed
    try:
        scene.mjspec.attach(child, prefix=owner.prefix, frame=frame)
    except (ValueError, RuntimeError) as error:
        raise source.error(f"{owner.title}: {first_line(str(error))}", owner.where) from error
    finally:
        scene.mjspec.copy_during_attach = False
    scene.assets.update(source.assets)
    owner.notes += source.notes
    scene.owners.append(owner)
    if owner.parked:
        scene.mjspec.option.disableactuator |= 1 << PARKED_GROUP


def _drop_world(scene: Composition, owner: Owner, child: Any) -> None:
    """Remove the geoms and lights of the file's world, and its sky."""
    dropped = drop_world(child)
    for kind, name in dropped:
        full = owner.prefix + name
        owner.names[kind] = tuple(n for n in owner.names[kind] if not name or n != full)
        scene.names.remove(kind, full)
    if dropped:
        shown = ", ".join(f"{kind} {name!r}" if name else kind for kind, name in dropped)
        owner.notes.append(f"drop_world removed {shown}")


def _exclude_contacts(scene: Composition, owner: Owner) -> None:
    """Add the contact exclusions of a robot or attachment."""
    robot = owner.parent or owner
    for i, (outer, own) in enumerate(getattr(owner.spec, "contact_exclusions", ())):
        where = f"{owner.where}.contact_exclusions[{i}]"
        first = robot.scene_name("body", outer) or owner.scene_name("body", outer) or outer
        for name in (first, owner.prefix + own):
            if name != "world" and name not in scene.names.names("body"):
                asked = own if name == owner.prefix + own else outer
                known = [
                    *owner.authored("body"),
                    *robot.authored("body"),
                    *scene.names.names("body"),
                ]
                raise ComposeError(
                    f"there is no body {asked!r} for {owner.title}",
                    where=where,
                    given=(outer, own),
                    close=close_matches(asked, known),
                    element=asked,
                )
        scene.mjspec.add_exclude(bodyname1=first, bodyname2=owner.prefix + own)


def _merge_keyframes(scene: Composition) -> None:
    """Add a keyframe for every name that robots author; it is filled once compiled."""
    for owner in scene.owners:
        if owner.kind == "object":
            continue
        for name in owner.authored("key"):
            scene.keyframes.setdefault(name, []).append(owner)
    for name in scene.keyframes:
        if scene.names.owner("key", name) is None:
            scene.mjspec.add_key(name=name)
            scene.names.add("key", name, "the scene's merged keyframes", None)


def _merge_assets(scene: Composition) -> None:
    """Keep one of each asset that several owners share."""
    mjspec = scene.mjspec
    if scene.assets:
        mjspec.assets = scene.assets
    _merge_skies(mjspec)
    before = [n for kind in ("mesh", "texture") for n in scene.names.names(kind)]
    if mjspec.dedup_assets():
        left = {e.name for e in mjspec.meshes} | {e.name for e in mjspec.textures}
        scene.merged_assets = tuple([n for n in before if n not in left])


_SKY = tuple("builtin mark rgb1 rgb2 markrgb random width height file nchannel".split())


def _merge_skies(mjspec: Any) -> None:
    """Keep one of equal skies without a name: ``dedup_assets`` only merges what has one."""
    seen = set()
    for texture in list(mjspec.textures):
        is_sky = texture.type == mujoco.mjtTexture.mjTEXTURE_SKYBOX
        if texture.name or not is_sky or any(texture.cubefiles):
            continue
        key = tuple(str(getattr(texture, field)) for field in _SKY)
        if key in seen:
            mjspec.delete(texture)
        seen.add(key)
