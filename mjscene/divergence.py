"""Where two runs part."""

from __future__ import annotations

from dataclasses import dataclass

from mjscene.quantities import QUANTITIES

__all__ = ["Divergence"]


@dataclass(frozen=True, kw_only=True)
class Divergence:
    """Where a quantity of two runs first differs.

    Attributes:
        row: The row of both recordings.
        time: Simulated time there, in the golden [s].
        quantity: ``qpos``, ``qvel``, ``ctrl``, ``efforts``, ``commands``, ``sensors``, ``bodies``,
            ``modes``, ``contacts`` or ``time``.
        name: The joint, actuator, sensor, body or pair of geoms.
        golden, now: Both values: a number, a mode's name, or how many contacts.
        unit: The unit of the golden's value, and of the other's too unless ``now_unit`` is given.
        now_unit: The unit of the other's value where that is another, as of commands in two modes.
        by: How far they are apart; NaN where one is not finite, None for modes.
        tolerance: How far apart they might be.
    """

    row: int
    time: float
    quantity: str
    name: str
    golden: float | int | str
    now: float | int | str
    unit: str = ""
    now_unit: str | None = None
    by: float | None = None
    tolerance: float = 0.0

    def __str__(self) -> str:
        what = QUANTITIES[self.quantity].words.format(name=self.name)
        golden, now = _number(self.golden, self.now), _number(self.now, self.golden)
        if self.now_unit is not None:
            return f"{what}: {golden} {self.unit} -> {now} {self.now_unit}"
        text = f"{what}: {golden} -> {now}"
        text += f" {self.unit}" if self.unit else ""
        if self.by is not None and self.quantity != "contacts":
            text += f" (by {self.by:.3g}, tolerance {self.tolerance:.3g})"
        return text


def _number(value: float | int | str, other: float | int | str) -> str:
    """A value with as many digits as tell it from the other."""
    if not isinstance(value, float) or not isinstance(other, float):
        return str(value)
    for digits in (6, 9, 12):
        if f"{value:.{digits}g}" != f"{other:.{digits}g}":
            return f"{value:.{digits}g}"
    return repr(value)
