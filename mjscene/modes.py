"""The actuator that each further mode of a joint adds, and the effort limit that goes with it.

Each mode is a MuJoCo actuator of its own on the joint; exactly one of them acts. An added one is
built from a clean default (gear 1, no armature, no damping): a muted actuator's would still act.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import mujoco

from mjscene.compose import Composition
from mjscene.errors import ModeError, close_matches
from mjscene.limits import effort_limit, joint_range, set_range
from mjscene.native import Drives, read_drives
from mjscene.owners import Owner
from mjscene.spec import CtrlMode, CtrlModeSpec, SceneObject

__all__ = ["JointModes", "ModePlan", "add_modes"]

SUFFIX = {
    CtrlMode.POSITION: "position",
    CtrlMode.TORQUE: "torque",
    CtrlMode.VELOCITY: "velocity",
}


@dataclass
class JointModes:
    """A joint that takes commands.

    Attributes:
        joint: Its name in the scene.
        owner: Whose it is.
        actuators: The actuator of each mode it offers, by the scene's names.
        native: The mode that its file's own actuator gives; None if none does.
        drives: Unmanaged actuators that move it, by the scene's names.
        initial: The mode it starts in; None while an unmanaged drive moves it.
    """

    joint: str
    owner: Owner
    actuators: dict[CtrlMode, str] = field(default_factory=dict)
    native: CtrlMode | None = None
    drives: tuple[str, ...] = ()
    initial: CtrlMode | None = None


@dataclass
class ModePlan:
    """All joints of a scene that take commands, in the order of its joint vectors.

    Attributes:
        joints: Robot by robot: its own joints in model order, then its attachments'.
        added: Actuators that were added, by name.
        drives: Unmanaged actuators that must be muted while a joint they move is in an added
            mode, each with those joints.
        unmanaged: All actuators that give no mode.
        parked: Whether a file disables some.
    """

    joints: list[JointModes] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    drives: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unmanaged: list[str] = field(default_factory=list)
    parked: bool = False


def add_modes(scene: Composition) -> ModePlan:
    """Add the actuators of the modes that the spec asks for to the scene's MjSpec.

    Args:
        scene: The composed scene; its MjSpec is changed.

    Returns:
        Which joints take commands, and through which actuators.

    Raises:
        ModeError: A mode names a joint that is not there or is no hinge or slide joint, or
            ``initial_mode`` is one that no joint offers.
    """
    plan = ModePlan()
    cache: dict[int, Drives] = {}
    for owner in scene.owners:
        if owner.source is None:
            continue
        key = id(owner.source)
        if key not in cache:
            cache[key] = read_drives(owner.source.spec, owner.source.disabled_groups)
        drives = cache[key]
        plan.unmanaged += [owner.prefix + a for a in drives.unmanaged]
        plan.unmanaged += owner.parked
        plan.parked = plan.parked or bool(owner.parked)
        if not isinstance(owner.spec, SceneObject):
            _plan_owner(scene, plan, owner, drives, owner.spec.modes)
    return plan


def _plan_owner(
    scene: Composition,
    plan: ModePlan,
    owner: Owner,
    drives: Drives,
    modes: Sequence[CtrlModeSpec],
) -> None:
    joints = {
        name: JointModes(
            joint=owner.prefix + name,
            owner=owner,
            actuators={mode: owner.prefix + actuator},
            native=mode,
        )
        for name, (actuator, mode) in drives.native.items()
    }
    for i, mode in enumerate(modes):
        where = f"{owner.where}.modes[{i}]"
        named = list(_named_joints(owner, mode, drives, where))
        _check_gains(mode, named, where)
        if not named and (owner.kind == "attachment" or mode != CtrlModeSpec()):
            scene.warnings.append(
                f"{where}: {owner.title} has no joint to which its file's own actuators give a "
                f"mode, so that {mode.mode} is for none: name them, joints=[...]"
            )
        for k, name in enumerate(named):
            _refuse_plugins(owner, drives, name, where)
            if name not in joints:
                moving = drives.driven_by_unmanaged(name)
                joints[name] = JointModes(
                    joint=owner.prefix + name,
                    owner=owner,
                    drives=tuple(owner.prefix + a for a in moving),
                )
            _offer(scene, plan, joints[name], mode, k)
    ordered = [joints[name] for name in drives.joints if name in joints]
    for joint in ordered:
        joint.initial = _initial(joint)
        for drive in joint.drives:
            plan.drives[drive] = (*plan.drives.get(drive, ()), joint.joint)
    _apply_initial_mode(owner, ordered)
    plan.joints += ordered


def _check_gains(mode: CtrlModeSpec, named: list[str], where: str) -> None:
    for gain in ("kp", "kd", "ki", "kv", "force_limit"):
        given = getattr(mode, gain)
        if isinstance(given, tuple) and len(given) != len(named):
            raise ModeError(
                f"expected one number or one per joint ({len(named)}), got {len(given)}",
                where=f"{where}.{gain}",
                given=given,
                allowed=named,
            )


def _refuse_plugins(owner: Owner, drives: Drives, joint: str, where: str) -> None:
    for drive in drives.plugins_on(joint):
        raise ModeError(
            f"{owner.title}: joint {joint!r} is driven by the plugin {drive!r}, which no actuator "
            "group mutes: it takes no modes",
            where=f"{where}.joints",
            element=joint,
        )


def _named_joints(owner: Owner, mode: CtrlModeSpec, drives: Drives, where: str) -> Iterator[str]:
    """The authored names of the joints that a mode is for."""
    order = drives.joints
    if not mode.joints:
        yield from (n for n in order if n in drives.native)
        return
    for given in mode.joints:
        full = owner.scene_name("joint", given)
        name = full[len(owner.prefix) :] if full is not None else None
        if name not in order:
            problem = "no hinge or slide joint" if name is not None else "no joint"
            raise ModeError(
                f"{owner.title} has {problem} {given!r}",
                where=f"{where}.joints",
                given=given,
                close=close_matches(given, order),
                allowed=order,
                element=given,
            )
        yield str(name)


def _initial(joint: JointModes) -> CtrlMode | None:
    if joint.native is not None:
        return joint.native
    return None if joint.drives else min(joint.actuators)


def _apply_initial_mode(owner: Owner, joints: list[JointModes]) -> None:
    wanted = getattr(owner.spec, "initial_mode", None)
    if wanted is None:
        return
    offering = [j for j in joints if wanted in j.actuators]
    if not offering:
        raise ModeError(
            f"no joint of {owner.title} offers {wanted.name}",
            where=f"{owner.where}.initial_mode",
            given=wanted,
            allowed=sorted({m.name for j in joints for m in j.actuators}),
            hint=f"add it: modes=[CtrlModeSpec(CtrlMode.{wanted.name}, joints=[...], ...)]; joints "
            "that the file's own actuators give no mode must be named",
        )
    for joint in offering:
        joint.initial = wanted


def _offer(
    scene: Composition, plan: ModePlan, joint: JointModes, mode: CtrlModeSpec, index: int
) -> None:
    """Add the actuator of one mode to one joint, unless its file's own gives that mode."""
    if mode.mode in joint.actuators:
        ignored = any(getattr(mode, g) is not None for g in ("kp", "kd", "ki", "kv", "force_limit"))
        if ignored and mode.mode != joint.native:
            scene.warnings.append(
                f"{joint.joint} has two specs of {mode.mode.name}: the second is not used"
            )
        elif ignored:
            scene.warnings.append(
                f"{joint.joint} is in {mode.mode.name} by its file's own actuator "
                f"{joint.actuators[mode.mode]!r}: the gains and limits of the spec are not used"
            )
        return
    name = _free_name(scene, f"{joint.joint}_{SUFFIX[mode.mode]}")
    actuator = scene.mjspec.add_actuator(
        name=name, target=joint.joint, trntype=mujoco.mjtTrn.mjTRN_JOINT
    )
    limit = effort_limit(scene.mjspec, joint, _at(mode.force_limit, index))
    if mode.mode is CtrlMode.TORQUE:
        actuator.set_to_motor()
        set_range(actuator, "ctrl", limit)
    elif mode.mode is CtrlMode.VELOCITY:
        actuator.set_to_velocity(kv=_at(mode.kv, index))
        set_range(actuator, "force", limit)
    else:
        kd, ki = _at(mode.kd, index) or 0.0, _at(mode.ki, index)
        kp = _at(mode.kp, index) or 0.0
        if ki:
            actuator.set_to_pid(kp=kp, kv=kd, ki=ki, ctrlspec=1)
        else:
            actuator.set_to_position(kp=kp, kv=kd)
        set_range(actuator, "force", limit)
        set_range(actuator, "ctrl", joint_range(scene.mjspec.joint(joint.joint)))
    joint.actuators[mode.mode] = name
    plan.added.append(name)
    scene.names.add("actuator", name, f"{SUFFIX[mode.mode]} mode of {joint.owner.title}", None)


def _at(gain: Any, index: int) -> float | None:
    """A gain for the k-th joint of its mode."""
    value = gain[index] if isinstance(gain, tuple) else gain
    return None if value is None else float(value)


def _free_name(scene: Composition, name: str) -> str:
    while scene.names.owner("actuator", name) is not None:
        name += "_"
    return name
