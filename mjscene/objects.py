"""Objects: a body with one geom, or an MJCF asset, free, fixed or mocap."""

from __future__ import annotations

import os
from typing import Any

import mujoco

from mjscene.errors import ComposeError, close_matches
from mjscene.mounting import Mount
from mjscene.owners import NameRegistry, Owner
from mjscene.poses import wxyz
from mjscene.sources import Source
from mjscene.spec import SceneObject

__all__ = ["add_object"]

_GEOMS = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
    "mesh": mujoco.mjtGeom.mjGEOM_MESH,
}


def add_object(
    mjspec: Any, owner: Owner, mount: Mount, source: Source | None, names: NameRegistry
) -> None:
    """Add an object's body, and its geom or asset, at a mount.

    Raises:
        ComposeError: A name is taken, a mesh is missing, or an MJCF asset brings joints that its
            motion has no place for.
    """
    thing = owner.spec
    assert isinstance(thing, SceneObject)  # noqa: S101  (an owner of kind "object" has no other)
    names.add("body", thing.name, owner.title, f"{owner.where}.name")
    body = mount.body.add_body(name=thing.name, mocap=thing.mocap)
    owner.names = {"body": (thing.name,)}
    if mount.on_world and mount.frame is None:
        body.pos, body.quat = thing.pos, wxyz(thing.quat)
    else:
        body.set_frame(mount.add_frame(thing.pos, thing.quat))
    if not thing.fixed and not thing.mocap:
        joint = f"{thing.name}_joint0"
        names.add("joint", joint, owner.title, f"{owner.where}.name")
        body.add_freejoint(name=joint)
        owner.names["joint"] = (joint,)
    if source is None:
        _add_geom(mjspec, body, thing, owner, names)
    else:
        _add_asset(mjspec, body, thing, owner, source, names)


def _add_geom(
    mjspec: Any, body: Any, thing: SceneObject, owner: Owner, names: NameRegistry
) -> None:
    names.add("geom", thing.name, owner.title, f"{owner.where}.name")
    owner.names["geom"] = (thing.name,)
    geom = body.add_geom(name=thing.name, type=_GEOMS[thing.shape])
    if thing.shape == "mesh":
        file = os.path.abspath(os.path.expanduser(thing.path))
        if not os.path.isfile(file):
            folder = os.path.dirname(file)
            near = os.listdir(folder) if os.path.isdir(folder) else []
            raise ComposeError(
                f"no such mesh file, for object {thing.name!r}",
                where=f"{owner.where}.path",
                file=file,
                close=close_matches(os.path.basename(file), near),
            )
        names.add("mesh", thing.name, owner.title, f"{owner.where}.name")
        owner.names["mesh"] = (thing.name,)
        mesh = mjspec.add_mesh(name=thing.name, file=file)
        if thing.size:
            mesh.scale = [*thing.size] if len(thing.size) == 3 else [*thing.size] * 3
        geom.meshname = thing.name
    else:
        geom.size = [*thing.size, 0.0, 0.0][:3]
    for quantity in ("mass", "density", "rgba", "condim"):
        value = getattr(thing, quantity)
        if value is not None:
            setattr(geom, quantity, value)
    if isinstance(thing.friction, tuple):
        geom.friction = [*thing.friction, *geom.friction[len(thing.friction) :]]


def _add_asset(
    mjspec: Any,
    body: Any,
    thing: SceneObject,
    owner: Owner,
    source: Source,
    names: NameRegistry,
) -> None:
    """Attach an MJCF asset to the object's body; the body's motion replaces its free joint."""
    owner.source = source
    child = source.spec.copy()
    freed = [j for b in child.worldbody.bodies for j in b.joints if _is_free(j)]
    if len(freed) > 1:
        raise source.error(
            f"the asset of object {thing.name!r} has {len(freed)} free bodies: an object is one",
            f"{owner.where}.path",
            hint="put it into the scene as a robot, or split the file",
        )
    if source.mocap_bodies:
        raise source.error(
            f"the asset of object {thing.name!r} has the mocap body {source.mocap_bodies[0]!r}, "
            "which needs the world as its parent",
            f"{owner.where}.path",
            element=source.mocap_bodies[0],
            hint="use mocap=True on the object instead",
        )
    if not thing.fixed and not thing.mocap and not _has_matter(child, freed):
        raise source.error(
            "nothing of the asset is fixed to the object's body, which therefore has no mass: "
            "its bodies all have joints of their own",
            f"{owner.where}.path",
            hint="set fixed=True, or put it into the scene as a robot",
        )
    left_out = [("joint", j.name) for j in freed] + [("key", k.name) for k in child.keys]
    for element in (*freed, *list(child.keys)):
        child.delete(element)
    owner.notes += [f"{kind} {name!r} of the file is left out" for kind, name in left_out]
    owner.notes += source.notes
    names.add_owner(owner, source, without=left_out)
    try:
        mjspec.attach(child, prefix=owner.prefix, frame=body.add_frame())
    except (ValueError, RuntimeError) as error:
        raise source.error(str(error), owner.where) from error


def _has_matter(child: Any, freed: list[Any]) -> bool:
    """Whether something of an asset is rigidly on the object's body."""
    loose = [b for b in child.worldbody.bodies if all(j in freed for j in b.joints)]
    return bool(loose or len(child.worldbody.geoms))


def _is_free(joint: Any) -> bool:
    return bool(joint.type == mujoco.mjtJoint.mjJNT_FREE)
