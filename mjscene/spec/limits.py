"""What is known of joints beside their file: limits that MJCF has no word for, and thresholds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields

__all__ = ["JointLimits"]

Value = float | Sequence[float] | None
LIMITS = ("velocity", "acceleration", "jerk", "contact_threshold", "collision_threshold")


SIGNALS = ("external_effort", "effort")


def _limit(value: Any, where: str, joints: int) -> Value:
    # A limit of zero would be no motion; a threshold of zero is any touch.
    least = {"at_least": 0.0} if where.endswith("_threshold") else {"above": 0.0}
    return checks.per_joint(value, where, joints, partial(_one, least=least))


def _one(value: Any, where: str, least: dict[str, float]) -> float:
    if isinstance(value, float) and value == math.inf:
        return value
    return checks.number(value, where, **least)


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class JointLimits:
    """Limits and thresholds of some joints of a robot or attachment.

    Limits are information for planners, controllers and checks; nothing is kept within them by
    itself. Position limits are the file's, effort limits those of the drive that acts. A value is
    one number, or one per joint in the order of ``joints`` (or, where ``joints`` is empty, of those
    that it then stands for); ``inf`` is no limit, None leaves what an earlier entry says.

    Args:
        joints: The joints' names as in the file; empty means all that take commands.
        velocity: Velocity limit [rad/s or m/s].
        acceleration: Acceleration limit [rad/s² or m/s²].
        jerk: Jerk limit [rad/s³ or m/s³].
        contact_threshold: The effort beyond which a joint is in contact [N·m or N].
        collision_threshold: The effort beyond which it is in collision [N·m or N].
        signal: The effort that is meant: ``external_effort`` (of contacts and applied forces, as
            by default) or ``effort`` (of the drives).
    """

    joints: Sequence[str] = field(default=(), kw_only=False)
    velocity: Value = None
    acceleration: Value = None
    jerk: Value = None
    contact_threshold: Value = None
    collision_threshold: Value = None
    signal: str | None = None

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            SpecError: A wrong type or value, or a wrong count of values.
        """
        put = object.__setattr__
        put(self, "joints", checks.names(self.joints, "JointLimits.joints"))
        for name in LIMITS:
            value = _limit(getattr(self, name), f"JointLimits.{name}", len(self.joints))
            put(self, name, value)
        if self.signal is not None:
            checks.choice(self.signal, "JointLimits.signal", SIGNALS)
