"""What a scene adds of its own: floor, sky, lights, sites and cameras."""

from __future__ import annotations

from typing import Any

import mujoco

from mjscene.mounting import find_mount
from mjscene.owners import NameRegistry
from mjscene.poses import look_at_quat, wxyz
from mjscene.spec import WORLD, FloorSpec, SceneSpec, SkySpec

__all__ = ["add_cameras", "add_floor", "add_lights", "add_sites", "add_sky"]

OWNER = "the scene"
_CHECKER = 512  # pixels of the floor's texture; one tile is a metre


def add_sky(mjspec: Any, spec: SceneSpec, names: NameRegistry) -> None:
    """Add the sky box."""
    if not isinstance(spec.sky, SkySpec):
        return
    names.add("texture", "sky", OWNER, "sky")
    mjspec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=spec.sky.zenith,
        rgb2=spec.sky.horizon,
        width=256,
        height=256 * 6,
    )


def add_floor(mjspec: Any, spec: SceneSpec, names: NameRegistry) -> None:
    """Add the floor plane with its checker material."""
    if not isinstance(spec.floor, FloorSpec):
        return
    for kind in ("geom", "texture", "material"):
        names.add(kind, "floor", OWNER, "floor")
    mjspec.add_texture(
        name="floor",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        rgb1=spec.floor.rgb1,
        rgb2=spec.floor.rgb2,
        width=_CHECKER,
        height=_CHECKER,
    )
    textures = [""] * mujoco.mjtTextureRole.mjNTEXROLE
    textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "floor"
    mjspec.add_material(
        name="floor", textures=textures, texrepeat=[1, 1], texuniform=True, reflectance=0.05
    )
    friction = [*spec.floor.friction, *(1.0, 0.005, 0.0001)[len(spec.floor.friction) :]]
    mjspec.worldbody.add_geom(
        name="floor",
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[*spec.floor.size, 0.05],
        pos=[0, 0, spec.floor.height],
        friction=friction,
        material="floor",
        castshadow=False,  # an endless plane would shadow itself in speckles
    )


def add_lights(mjspec: Any, spec: SceneSpec, names: NameRegistry) -> None:
    """Add the lights."""
    lights = spec.light if isinstance(spec.light, tuple) else ()
    for i, light in enumerate(lights):
        names.add("light", light.name, OWNER, f"light[{i}]")
        kind = mujoco.mjtLightType
        mjspec.worldbody.add_light(
            name=light.name,
            pos=light.pos,
            dir=light.direction,
            type=kind.mjLIGHT_DIRECTIONAL if light.directional else kind.mjLIGHT_SPOT,
            diffuse=light.diffuse,
            castshadow=light.castshadow,
        )


def add_sites(mjspec: Any, spec: SceneSpec, names: NameRegistry, *, on_world: bool) -> None:
    """Add the scene's sites: those on the world, or the others."""
    for i, site in enumerate(spec.sites):
        if (site.attach_to == WORLD) is not on_world:
            continue
        where = f"sites[{i}]"
        mount = find_mount(
            mjspec, site.attach_to, names, f"{where}.attach_to", what=f"site {site.name!r}"
        )
        names.add("site", site.name, OWNER, f"{where}.name")
        added = mount.body.add_site(
            name=site.name, size=[site.size] * 3, rgba=site.rgba, group=site.group
        )
        added.set_frame(mount.add_frame(site.pos, site.quat))


def add_cameras(mjspec: Any, spec: SceneSpec, names: NameRegistry) -> None:
    """Add the scene's cameras."""
    for i, camera in enumerate(spec.cameras):
        where = f"cameras[{i}]"
        mount = find_mount(
            mjspec, camera.attach_to, names, f"{where}.attach_to", what=f"camera {camera.name!r}"
        )
        names.add("camera", camera.name, OWNER, f"{where}.name")
        quat = wxyz(camera.quat)
        if camera.look_at is not None:
            quat = look_at_quat(camera.pos, camera.look_at)
        added = mount.body.add_camera(
            name=camera.name,
            pos=camera.pos,
            quat=quat,
            fovy=camera.fovy,
            resolution=camera.resolution,
        )
        added.set_frame(mount.add_frame((0, 0, 0), (0, 0, 0, 1)))
