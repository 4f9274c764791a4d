"""What a file's own actuators are: the mode each gives its joint, and what the rest drive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import mujoco

from mjscene.spec import CtrlMode

__all__ = ["Drives", "native_mode", "read_drives"]

GAIN, BIAS, DYN, TRN = mujoco.mjtGain, mujoco.mjtBias, mujoco.mjtDyn, mujoco.mjtTrn
JOINT_TRN = (TRN.mjTRN_JOINT, TRN.mjTRN_JOINTINPARENT)
FILTERS = (DYN.mjDYN_NONE, DYN.mjDYN_FILTER, DYN.mjDYN_FILTEREXACT)
SCALAR = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
_PRESSURE = int(mujoco.mjtCtrlInput.mjINPUT_PRESSURE)
_PID_POS = 1  # bit of the position input in a pid's ctrlspec; 0 stands for its default, [pos, vel]


def native_mode(actuator: Any) -> CtrlMode | None:
    """The mode that an MjsActuator gives the joint it drives, or None.

    The actuator's force is an affine law, f = g u + b0 + b1 l + b2 v (MuJoCo, Computation:
    actuation model). b1 < 0 makes it a position servo, b2 = -g alone a velocity servo, no bias at
    all a source of torque.
    """
    if actuator.trntype not in JOINT_TRN or actuator.gear[0] == 0 or actuator.plugin.active:
        return None
    if actuator.delay > 0 or int(actuator.ctrlspec) & _PRESSURE:
        return None
    if actuator.gaintype == GAIN.mjGAIN_PID:
        takes_position = actuator.ctrlspec == 0 or int(actuator.ctrlspec) & _PID_POS
        return CtrlMode.POSITION if takes_position and actuator.biasprm[1] < 0 else None
    if actuator.gaintype != GAIN.mjGAIN_FIXED or actuator.dyntype not in FILTERS:
        return None
    gain = actuator.gainprm[0]
    if gain == 0:
        return None
    bias = actuator.biasprm[:3] if actuator.biastype == BIAS.mjBIAS_AFFINE else (0.0, 0.0, 0.0)
    if actuator.biastype not in (BIAS.mjBIAS_NONE, BIAS.mjBIAS_AFFINE):
        return None
    if bias[1] < 0:
        return CtrlMode.POSITION
    if bias[0] or bias[1]:
        return None
    if bias[2] == 0:
        return CtrlMode.TORQUE
    return CtrlMode.VELOCITY if gain > 0 and bias[2] == -gain else None


@dataclass
class Drives:
    """What drives the joints of a source, by authored name.

    Attributes:
        native: For each joint with one managed actuator: the actuator and its mode.
        unmanaged: Actuators that give no mode, each with the hinge and slide joints it moves.
        joints: All hinge and slide joints, in model order.
        plugins: Actuators that are plugins.
    """

    native: dict[str, tuple[str, CtrlMode]] = field(default_factory=dict)
    unmanaged: dict[str, tuple[str, ...]] = field(default_factory=dict)
    joints: tuple[str, ...] = ()
    plugins: set[str] = field(default_factory=set)

    def plugins_on(self, joint: str) -> tuple[str, ...]:
        """The plugin actuators that move a joint; MuJoCo does not mute them by group."""
        return tuple(a for a in self.driven_by_unmanaged(joint) if a in self.plugins)

    def driven_by_unmanaged(self, joint: str) -> tuple[str, ...]:
        """The unmanaged actuators that move a joint."""
        return tuple(a for a, joints in self.unmanaged.items() if joint in joints)


def read_drives(spec: Any, disabled_groups: int) -> Drives:
    """Read what drives the joints of a source.

    Actuators that the file disables drive nothing. Where several drive one joint, none of them
    gives it a mode.

    Args:
        spec: The source's MjSpec, its joints and actuators named.
        disabled_groups: Actuator groups that its file disables, as a bit mask.
    """
    order = tuple(j.name for body in spec.bodies for j in body.joints if j.type in SCALAR)
    drives = Drives(joints=order)
    by_joint: dict[str, list[tuple[str, CtrlMode | None]]] = {}
    scalar = set(order)
    for actuator in spec.actuators:
        group = int(actuator.group)
        if actuator.plugin.active:
            drives.plugins.add(actuator.name)
        if 0 <= group <= 30 and disabled_groups >> group & 1:
            continue
        if actuator.trntype in JOINT_TRN and actuator.target in scalar:
            by_joint.setdefault(actuator.target, []).append((actuator.name, native_mode(actuator)))
        else:
            drives.unmanaged[actuator.name] = tuple(
                dict.fromkeys(j for j in _moved_joints(spec, actuator) if j in scalar)
            )
    moved = {j for joints in drives.unmanaged.values() for j in joints}
    for joint, found in by_joint.items():
        name, mode = found[0]
        if len(found) == 1 and mode is not None and joint not in moved:
            drives.native[joint] = (name, mode)
        else:
            drives.unmanaged.update({n: (joint,) for n, _ in found})
    return drives


def _moved_joints(spec: Any, actuator: Any) -> Iterator[str]:
    """Joints that an actuator with another transmission than a joint's can move."""
    if actuator.trntype == TRN.mjTRN_TENDON:
        tendon = spec.tendon(actuator.target)
        bodies = []
        for wrap in tendon.path if tendon is not None else ():
            if wrap.type == mujoco.mjtWrap.mjWRAP_JOINT:
                yield wrap.target.name
            elif wrap.type != mujoco.mjtWrap.mjWRAP_PULLEY:
                bodies.append(wrap.target.parent)
        yield from _joints_between(bodies)
    elif actuator.trntype in (TRN.mjTRN_SITE, TRN.mjTRN_SLIDERCRANK):
        sites = [
            spec.site(n) for n in (actuator.target, actuator.refsite, actuator.slidersite) if n
        ]
        bodies = [s.parent for s in sites if s is not None]
        if len(bodies) == 1:  # a site alone acts against the world
            bodies.append(spec.worldbody)
        yield from _joints_between(bodies)


def _joints_between(bodies: list[Any]) -> Iterator[str]:
    """Joints above some of the bodies but not above all: they move them against each other."""
    chains = []
    for body in bodies:
        chain = []
        while body is not None and body.name != "world":
            chain += [j.name for j in body.joints]
            body = body.parent
        chains.append(chain)
    for joint in dict.fromkeys(j for chain in chains for j in chain):
        if not all(joint in chain for chain in chains):
            yield joint
