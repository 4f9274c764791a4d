"""Make a loaded source say in its elements what MuJoCo would else apply to a whole compile.

``attach`` carries elements and their compiler settings over, but a few settings of a file act on
everything that is compiled with it: ``settotalmass``, ``fusestatic``, ``discardvisual`` and
``lengthrange``. They are applied to the file alone here, so that the robot in the scene is the
robot of its file. Joints and actuators without names get names, since they must be addressed.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from functools import cache
from pathlib import PurePosixPath
from typing import Any

import mujoco
import numpy as np

from mjscene.messages import element_of, first_line
from mjscene.sources import Source, place_of

__all__ = ["resolve"]


def resolve(source: Source, where: str | None) -> None:
    """Prepare a source for being attached, in place.

    Raises:
        ComposeError: Its file does not compile alone where that is needed to resolve it.
    """
    spec = source.spec
    source.check_whole(spec, where)
    _hold_assets(source)
    source.disabled_groups = int(spec.option.disableactuator)
    source.groups_actuators = source.disabled_groups != 0 or any(a.group for a in spec.actuators)
    if spec.compiler.discardvisual:
        _on_spec(source, where, spec.discard_visual)
        spec.compiler.discardvisual = False
    if spec.compiler.fusestatic:
        _on_spec(source, where, spec.fuse_static)
        spec.compiler.fusestatic = False
    _name_joints(source)
    _name_actuators(source)
    _name_keys(source)
    pending = _has_pending_keys(source)
    if pending:
        _compile(source, where)
    source.keys_with_ctrl = frozenset(
        k.name for k in spec.keys if (any(k.ctrl) if pending else len(k.ctrl))
    )
    if spec.compiler.alignfree:
        _align_free_joints(spec)
    if _has_mass_settings(spec.compiler):
        _set_masses(source, _compile_unaligned(source, where))
    if _has_lengthrange_options(spec):
        _set_lengthranges(source, _compile(source, where))
    source.read_names()
    bodies = [b for b in spec.bodies if b.name != "world"]
    top = [b for b in bodies if b.parent is not None and b.parent.name == "world"]
    source.free_joints = tuple(
        (b.name, j.name) for b in top for j in b.joints if j.type == mujoco.mjtJoint.mjJNT_FREE
    )
    source.mocap_bodies = tuple(b.name for b in bodies if b.mocap)
    spec.assets.clear()  # the scene holds them: attach would rename them per robot


def _on_spec(source: Source, where: str | None, action: Any) -> None:
    try:
        action()
    except (ValueError, RuntimeError) as error:
        raise _compile_error(source, where, str(error)) from error


def _compile(source: Source, where: str | None) -> Any:
    """The model of the source alone. Its spec then has its keyframes assembled."""
    try:
        return source.spec.compile()
    except (ValueError, RuntimeError) as error:
        raise _compile_error(source, where, str(error)) from error


def _compile_error(source: Source, where: str | None, message: str) -> Exception:
    missing = source.missing_asset(message, where)
    if missing is not None:
        return missing
    file, line = place_of(message, source.document)
    return source.error(
        first_line(message), where, file=file or source.file, line=line, element=element_of(message)
    )


def _hold_assets(source: Source) -> None:
    """Rename files held in memory after their content: equal ones of two sources become one."""
    if not source.assets:
        return
    held = source.assets
    renamed: dict[str, bytes] = {}
    spec = source.spec
    folders = {"meshes": spec.meshdir, "hfields": spec.meshdir, "textures": spec.texturedir}
    for kind, folder in folders.items():
        for element in getattr(spec, kind):
            name = _held_name(element.file, folder, held)
            if name is None:
                continue
            data = held[name]
            path = PurePosixPath(name)
            digest = hashlib.sha256(data).hexdigest()[:16]
            element.file = f"{path.stem}-{digest}{path.suffix}"
            renamed[element.file] = data
    if renamed and not any(
        element.file and element.file not in renamed
        for kind in folders
        for element in getattr(spec, kind)
    ):
        spec.compiler.meshdir = ""
        spec.compiler.texturedir = ""
    source.assets = renamed
    spec.assets = renamed


def _held_name(file: str, folder: str, held: dict[str, bytes]) -> str | None:
    if not file:
        return None
    tries = (f"{folder.rstrip('/')}/{file}" if folder else file, file, PurePosixPath(file).name)
    return next((t for t in tries if t in held), None)


def _name_joints(source: Source) -> None:
    """Give every unnamed joint the name ``<body>_joint<k>``, k counting the body's joints."""
    spec = source.spec
    unnamed = [j for j in spec.joints if not j.name]
    if not unnamed:
        return
    taken = {j.name for j in spec.joints}
    for index, body in enumerate(spec.bodies):
        for k, joint in enumerate(body.joints):
            if not joint.name:
                joint.name = _free_name(f"{body.name or f'body{index}'}_joint{k}", taken)
                source.notes.append(f"unnamed joint of body {body.name!r} is {joint.name!r}")


def _name_actuators(source: Source) -> None:
    """Give every unnamed actuator the name ``<target>_actuator<k>``, k counting per target."""
    spec = source.spec
    unnamed = [a for a in spec.actuators if not a.name]
    if not unnamed:
        return
    taken = {a.name for a in spec.actuators}
    count: Counter[str] = Counter()
    for actuator in spec.actuators:
        k = count[actuator.target]
        count[actuator.target] += 1
        if not actuator.name:
            base = f"{actuator.target or 'plugin'}_actuator"
            actuator.name = _free_name(f"{base}{k}" if k else base, taken)
            source.notes.append(f"unnamed actuator on {actuator.target!r} is {actuator.name!r}")


def _name_keys(source: Source) -> None:
    """Give every unnamed keyframe the name ``key<k>``, k counting the file's keyframes."""
    taken = {k.name for k in source.spec.keys}
    for k, key in enumerate(source.spec.keys):
        if not key.name:
            key.name = _free_name(f"key{k}", taken)
            source.notes.append(f"unnamed keyframe {k} is {key.name!r}")


def _free_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


_SEVERAL_INPUTS = (
    mujoco.mjtGain.mjGAIN_PID,
    mujoco.mjtGain.mjGAIN_DCMOTOR,
    mujoco.mjtGain.mjGAIN_SO3,
)


def _has_pending_keys(source: Source) -> bool:
    """Whether keyframes wait for a compile, as they do after an attach inside the source."""
    if not len(source.spec.keys):
        return False
    if source.document is None:
        return True
    # ``attach`` takes every actuator for one control: those with several inputs need a compile.
    if any(actuator.gaintype in _SEVERAL_INPUTS for actuator in source.spec.actuators):
        return True
    return any(True for _ in source.document.elements("attach", "replicate"))


# Settings of a whole compile that change masses and inertias, with the value that changes none.
_MASS_SETTINGS: dict[str, Any] = {
    "settotalmass": -1,
    "inertiafromgeom": int(mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_AUTO),
    "inertiagrouprange": (0, 5),
    "boundmass": 0,
    "boundinertia": 0,
    "balanceinertia": False,
}


def _has_mass_settings(compiler: Any) -> bool:
    return any(not np.array_equal(getattr(compiler, k), v) for k, v in _MASS_SETTINGS.items())


def _align_free_joints(spec: Any) -> None:
    """Say of each free joint what the file's compiler says of all."""
    for joint in spec.joints:
        if joint.align == mujoco.mjtAlignFree.mjALIGNFREE_AUTO:
            joint.align = mujoco.mjtAlignFree.mjALIGNFREE_TRUE
    spec.compiler.alignfree = False


def _compile_unaligned(source: Source, where: str | None) -> Any:
    """The model with the body frames of the file, which an aligned free joint would move."""
    aligned = {j.name: j.align for j in source.spec.joints}
    for joint in source.spec.joints:
        joint.align = mujoco.mjtAlignFree.mjALIGNFREE_FALSE
    model = _compile(source, where)
    for joint in source.spec.joints:
        joint.align = aligned[joint.name]
    return model


def _set_masses(source: Source, model: Any) -> None:
    """Write masses and inertias that ``settotalmass`` scaled into the bodies."""
    spec = source.spec
    bodies = [b for b in spec.bodies if b.name != "world"]
    for body in bodies:
        i = body.id
        body.mass = model.body_mass[i]
        body.inertia = model.body_inertia[i]
        body.ipos = model.body_ipos[i]
        body.iquat = model.body_iquat[i]
        body.ialt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
        body.fullinertia = [float("nan"), 0, 0, 0, 0, 0]
        body.explicitinertial = True
    for setting, value in _MASS_SETTINGS.items():
        setattr(spec.compiler, setting, value)
    source.notes.append(f"mass settings of its compiler resolved in {len(bodies)} bodies")


def _has_lengthrange_options(spec: Any) -> bool:
    given = spec.compiler.LRopt
    return any(getattr(given, f) != value for f, value in _lengthrange_defaults().items())


@cache
def _lengthrange_defaults() -> dict[str, Any]:
    default = mujoco.MjSpec().compiler.LRopt
    return {f: getattr(default, f) for f in dir(default) if not f.startswith("_")}


def _set_lengthranges(source: Source, model: Any) -> None:
    """Write the length ranges that the file's ``lengthrange`` options gave into the actuators."""
    for actuator in source.spec.actuators:
        actuator.lengthrange = model.actuator_lengthrange[actuator.id]
    source.notes.append("lengthrange options resolved into the actuators")
