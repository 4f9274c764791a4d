"""The position, velocity or effort of a joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from mjscene.scenario.base import (
    Expectation,
    Miss,
    Probe,
    Value,
    check_value,
    excess,
    said_value,
)
from mjscene.scenario.things import unit_of
from mjscene.scenario.tolerance import check_tolerance
from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["JointValue"]

_QUANTITIES = ("position", "velocity", "effort")
_TOLERANCES = {"position": 1e-3, "velocity": 1e-2, "effort": 0.1}


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class JointValue(Expectation):
    """The position, velocity or drive effort of a joint is a number, or within bounds.

    Args:
        joint: The scene's name of a hinge or slide joint, driven or not.
        position: Position [rad or m].
        velocity: Velocity [rad/s or m/s].
        effort: What the drives deliver [N·m or N].
        tolerance: Of a number; by default 0.001 rad or m, 0.01 rad/s or m/s, 0.1 N·m or N.
    """

    joint: str
    position: Value | None = None
    velocity: Value | None = None
    effort: Value | None = None
    tolerance: float | None = None

    word: ClassVar[str] = "joint"

    def _check_fields(self) -> None:
        self._put("joint", checks.name)
        self._put(self._one_of(*_QUANTITIES), check_value)
        self._put("tolerance", check_tolerance, [getattr(self, self._quantity)])

    @property
    def _quantity(self) -> str:
        return self._one_of(*_QUANTITIES)

    @property
    def _tolerance(self) -> float:
        return _TOLERANCES[self._quantity] if self.tolerance is None else self.tolerance

    def check(self, stage: Stage) -> None:
        """Look the joint up."""
        stage.joint(self.joint)

    def said(self, stage: Stage) -> str:
        """What is expected."""
        quantity = self._quantity
        unit = unit_of(stage.scene.model, stage.joint(self.joint), quantity)
        wanted = said_value(getattr(self, quantity), self._tolerance, unit)
        return f"{quantity} of joint {self.joint!r} {wanted}"

    def bind(self, run: Run) -> Probe:
        """Read it."""
        quantity, tolerance = self._quantity, self._tolerance
        wanted = getattr(self, quantity)
        model, data = run.scene.model, run.scene.data
        joint = model.joint(self.joint)
        values: Any = {
            "position": data.qpos,
            "velocity": data.qvel,
            "effort": data.qfrc_actuator,
        }[quantity]
        adr = int(joint.qposadr[0] if quantity == "position" else joint.dofadr[0])
        unit = unit_of(model, int(joint.id), quantity)

        def look() -> Miss | None:
            seen = float(values[adr])
            beyond = excess(seen, wanted, tolerance)
            return None if beyond <= 0 else Miss(f"{seen:.6g} {unit}", beyond)

        return look
