"""How joints are controlled: the modes a robot offers and the gains that go with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial
from typing import Any

from mjscene.errors import SpecError
from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields

__all__ = ["BodyController", "CtrlMode", "CtrlModeSpec"]

Gain = float | Sequence[float] | None


class CtrlMode(IntEnum):
    """What a joint's command means. The value is the mode's place in a slot of three groups."""

    POSITION = 0
    """The command is a position [rad or m]."""
    TORQUE = 1
    """The command is an effort [N·m or N]."""
    VELOCITY = 2
    """The command is a velocity [rad/s or m/s]."""

    def __bool__(self) -> bool:
        """Always true, so that a mode can be told from None."""
        return True

    def __str__(self) -> str:
        """Its name."""
        return self.name


def _gain(value: Any, where: str, joints: int) -> Gain:
    return checks.per_joint(value, where, joints, partial(checks.number, at_least=0))


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class CtrlModeSpec:
    """A mode that a robot offers beside what its own actuators give.

    A gain is one number, or one per joint in the order of ``joints`` (or, where ``joints`` is
    empty, of those that it then stands for).

    Args:
        mode: The mode.
        joints: The joints' names as in the file; empty means all joints that the file's own
            actuators already give a mode. Passive joints, and those that a tendon or muscle
            moves, take modes only when named.
        kp: Position gain [N·m/rad or N/m], required for POSITION.
        kd: Derivative gain of POSITION [N·m·s/rad or N·s/m].
        ki: Integral gain of POSITION [N·m/(rad·s) or N/(m·s)].
        kv: Velocity gain [N·m·s/rad or N·s/m], required for VELOCITY.
        force_limit: Effort limit [N·m or N]; by default that of the native drive.
    """

    mode: CtrlMode = field(default=CtrlMode.TORQUE, kw_only=False)
    joints: Sequence[str] = ()
    kp: Gain = None
    kd: Gain = None
    ki: Gain = None
    kv: Gain = None
    force_limit: Gain = None

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            SpecError: A wrong type or value, a missing gain, or one that the mode has no use for.
        """
        put = object.__setattr__
        put(self, "mode", checks.member(self.mode, "CtrlModeSpec.mode", CtrlMode))
        put(self, "joints", checks.names(self.joints, "CtrlModeSpec.joints"))
        for gain in ("kp", "kd", "ki", "kv", "force_limit"):
            where = f"CtrlModeSpec.{gain}"
            put(self, gain, _gain(getattr(self, gain), where, len(self.joints)))
        limits = self.force_limit if isinstance(self.force_limit, tuple) else (self.force_limit,)
        if 0.0 in limits:
            raise SpecError(
                "an effort limit is > 0",
                where="CtrlModeSpec.force_limit",
                given=self.force_limit,
                hint="leave it out for the limit of the native drive",
            )
        used = {
            CtrlMode.POSITION: ("kp", "kd", "ki"),
            CtrlMode.TORQUE: (),
            CtrlMode.VELOCITY: ("kv",),
        }[self.mode]
        for gain in ("kp", "kd", "ki", "kv"):
            if getattr(self, gain) is not None and gain not in used:
                raise SpecError(
                    f"{self.mode.name} has no use for {gain}",
                    where=f"CtrlModeSpec.{gain}",
                    given=getattr(self, gain),
                    allowed=(*used, "force_limit"),
                )
        if used and getattr(self, used[0]) is None:
            raise SpecError(f"{self.mode.name} needs {used[0]}", where=f"CtrlModeSpec.{used[0]}")
        main = getattr(self, used[0]) if used else 1.0
        if 0.0 in (main if isinstance(main, tuple) else (main,)):
            raise SpecError(
                f"{used[0]} is > 0: without it {self.mode.name} would have no effect",
                where=f"CtrlModeSpec.{used[0]}",
                given=main,
            )


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class BodyController:
    """Gains of the Cartesian controller that follows a pose command of a body.

    Args:
        linear: (kp [N/m], kd [N·s/m]) of the position.
        angular: (kp [N·m/rad], kd [N·m·s/rad]) of the orientation.
    """

    linear: Sequence[float]
    angular: Sequence[float]

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            SpecError: Not two finite numbers >= 0.
        """
        for gains in ("linear", "angular"):
            checked = checks.vector(getattr(self, gains), f"BodyController.{gains}", 2, at_least=0)
            object.__setattr__(self, gains, checked)
