"""What a sensor reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from mjscene.errors import SpecError
from mjscene.scenario.base import Expectation, Miss, Probe, Range, Value, excess, said_value
from mjscene.scenario.stage import at_field
from mjscene.scenario.tolerance import check_tolerance
from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["FtWrench", "SensorValue"]


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class SensorValue(Expectation):
    """A sensor of the model reads a value.

    Args:
        sensor: The scene's name of the sensor.
        value: What it reads, in the sensor's unit: a number or bounds; a list, one per component.
        tolerance: Of numbers; a sensor can be of any unit, so that there is no default.
    """

    sensor: str
    value: Value | Sequence[float]
    tolerance: float | None = None

    word: ClassVar[str] = "sensor"

    def _check_fields(self) -> None:
        self._put("sensor", checks.name)
        if not isinstance(self.value, Range):
            if isinstance(self.value, int | float):
                self._put("value", checks.number)
            else:
                self._put("value", checks.vector, tuple(range(1, 100)))
            if self.tolerance is None:
                raise SpecError("a number needs a tolerance", where="SensorValue.tolerance")
        self._put("tolerance", check_tolerance, self._values)

    @property
    def _values(self) -> list[Value]:
        value: Any = self.value
        return list(value) if isinstance(value, tuple) else [value]

    def check(self, stage: Stage) -> None:
        """Look it up, and how many components it has."""
        dim = int(stage.scene.model.sensor_dim[stage.sensor(self.sensor)])
        if len(self._values) != dim:
            raise SpecError(
                f"sensor {self.sensor!r} reads {dim} number(s), got {len(self._values)}",
                where="value",
                given=self.value,
            )

    def said(self, stage: Stage) -> str:
        """What is expected."""
        values = [said_value(v, self.tolerance or 0.0, "") for v in self._values]
        return f"sensor {self.sensor!r} {', '.join(values)}"

    def bind(self, run: Run) -> Probe:
        """Read it."""
        read = run.scene.data.sensor(self.sensor)
        wanted, tolerance = self._values, self.tolerance or 0.0

        def look() -> Miss | None:
            seen = np.atleast_1d(read.data)
            beyond = max(excess(float(s), w, tolerance) for s, w in zip(seen, wanted, strict=True))
            listed = ", ".join(f"{v:.6g}" for v in seen)
            return None if beyond <= 0 else Miss(listed, beyond)

        return look


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class FtWrench(Expectation):
    """A force/torque sensor of a robot reads a force or a torque.

    Args:
        robot: The robot.
        sensor: The sensor's name on the robot: that of its site.
        force: The force on the sensor [N]; null for a component leaves it open.
        torque: The torque on it [N·m], about its site.
        frame: Whose axes: the sensor's or the world's.
        tolerance: Of each component [N, N·m]; by default 0.1 N, 0.01 N·m.
    """

    robot: str
    sensor: str
    force: Sequence[float | None] | None = None
    torque: Sequence[float | None] | None = None
    frame: Literal["sensor", "world"] = "sensor"
    tolerance: float | None = None

    word: ClassVar[str] = "ft_sensor"

    def _check_fields(self) -> None:
        self._put("robot", checks.name)
        self._put("sensor", checks.name)
        self._put(self._one_of("force", "torque"), _check_components)
        self._put("frame", checks.choice, ("sensor", "world"))
        if self.tolerance is not None:
            self._put("tolerance", checks.number, at_least=0)

    @property
    def _part(self) -> tuple[str, Any, float, str]:
        """Which part, what is wanted, its tolerance and unit."""
        part = self._one_of("force", "torque")
        default, unit = {"force": (0.1, "N"), "torque": (0.01, "N·m")}[part]
        tolerance = default if self.tolerance is None else self.tolerance
        return part, getattr(self, part), tolerance, unit

    def check(self, stage: Stage) -> None:
        """Look robot and sensor up."""
        robot = stage.robot(self.robot)
        with at_field("sensor"):
            robot.ft_sensors[self.sensor]

    def said(self, stage: Stage) -> str:
        """What is expected."""
        part, wanted, tolerance, unit = self._part
        listed = ", ".join("any" if v is None else f"{v:.4g}" for v in wanted)
        axes = "in world axes" if self.frame == "world" else "in its axes"
        where = f"{part} at {self.sensor!r} of {self.robot!r}"
        return f"{where} ({listed}) ± {tolerance:.3g} {unit} {axes}"

    def bind(self, run: Run) -> Probe:
        """Read it."""
        part, wanted, tolerance, unit = self._part
        sensor = run.scene.handle(self.robot).ft_sensors[self.sensor]
        columns = slice(0, 3) if part == "force" else slice(3, 6)
        in_world = self.frame == "world"

        def look() -> Miss | None:
            seen = (sensor.world_wrench if in_world else sensor.wrench)[columns]
            pairs = [(float(s), w) for s, w in zip(seen, wanted, strict=True) if w is not None]
            beyond = max(excess(s, w, tolerance) for s, w in pairs)
            listed = ", ".join(f"{v:.4g}" for v in seen)
            return None if beyond <= 0 else Miss(f"({listed}) {unit}", beyond)

        return look


def _check_components(value: Any, where: str) -> tuple[float | None, ...]:
    items = checks.sequence(value, where, "numbers")
    if len(items) != 3 or all(item is None for item in items):
        raise SpecError("expected three numbers, some of them null", where=where, given=value)
    return tuple(
        None if v is None else checks.number(v, f"{where}[{i}]") for i, v in enumerate(items)
    )
