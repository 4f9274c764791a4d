"""The effort and range that an added actuator is given."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import mujoco

from mjscene.spec import CtrlMode

if TYPE_CHECKING:
    from mjscene.modes import JointModes

__all__ = ["effort_limit", "joint_range", "set_range"]


def set_range(actuator: Any, what: str, limits: tuple[float, float] | None) -> None:
    """Set an MjsActuator's ``ctrl`` or ``force`` range; None for no limit."""
    limited = mujoco.mjtLimited.mjLIMITED_TRUE if limits else mujoco.mjtLimited.mjLIMITED_FALSE
    setattr(actuator, f"{what}limited", limited)
    if limits:
        setattr(actuator, f"{what}range", limits)


def _is_limited(limited: Any, limits: Sequence[float]) -> bool:
    """Whether a range of the MjSpec applies: ``autolimits`` takes a range that is given."""
    if limited == mujoco.mjtLimited.mjLIMITED_AUTO:
        return bool(limits[0] < limits[1])
    return bool(limited == mujoco.mjtLimited.mjLIMITED_TRUE)


def effort_limit(mjspec: Any, joint: JointModes, given: float | None) -> tuple[float, float] | None:
    """The effort that an added actuator may give [N·m or N].

    The spec's ``force_limit``, else the native drive's in joint space (its force range, or a
    motor's control range times its gain, times its gear), else the joint's ``actuatorfrcrange``.
    """
    if given is not None:
        return (-given, given) if given > 0 else None
    if joint.native is not None:
        drive = mjspec.actuator(joint.actuators[joint.native])
        ranges = []
        if _is_limited(drive.forcelimited, drive.forcerange):
            ranges.append([f * drive.gear[0] for f in drive.forcerange])
        if joint.native is CtrlMode.TORQUE and _is_limited(drive.ctrllimited, drive.ctrlrange):
            ranges.append([u * drive.gainprm[0] * drive.gear[0] for u in drive.ctrlrange])
        if ranges:
            return max(min(r) for r in ranges), min(max(r) for r in ranges)
    element = mjspec.joint(joint.joint)
    if _is_limited(element.actfrclimited, element.actfrcrange):
        low, high = element.actfrcrange
        return float(low), float(high)
    return None


def joint_range(joint: Any) -> tuple[float, float] | None:
    """A joint's range [rad or m]; the MjSpec has it in the unit of its file's compiler."""
    if not _is_limited(joint.limited, joint.range):
        return None
    hinge = joint.type == mujoco.mjtJoint.mjJNT_HINGE
    unit = math.radians(1) if hinge and joint.compiler.degree else 1.0
    return float(joint.range[0]) * unit, float(joint.range[1]) * unit
