"""Where a body or site is, and how it is turned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.errors import SpecError
from mjscene.poses import wxyz
from mjscene.scenario.base import (
    Expectation,
    Miss,
    Probe,
    Value,
    check_value,
    excess,
    said_value,
)
from mjscene.scenario.things import must_place
from mjscene.scenario.tolerance import check_tolerance
from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["BodyAt", "point_of"]

Array = NDArray[np.float64]


def point_of(run: Run, name: str) -> Array:
    """The world position of a body or site (3,), a view."""
    kind, what = must_place(run.scene, name)
    data: Any = run.scene.data
    return np.asarray((data.xpos if kind == "body" else data.site_xpos)[what])


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class BodyAt(Expectation):
    """A body, or a site, is at a place in the world.

    Args:
        body: The body; a site if no body has the name.
        position: Its position, within ``tolerance`` in distance [m].
        x: One component of it [m].
        y: One component of it [m].
        z: One component of it [m].
        orientation: Quaternion (x, y, z, w), within ``angle_tolerance`` in angle.
        tolerance: Of position and components [m]; by default 0.001 m.
        angle_tolerance: Of the orientation [rad]; by default 0.01 rad.
    """

    body: str
    position: Sequence[float] | None = None
    x: Value | None = None
    y: Value | None = None
    z: Value | None = None
    orientation: Sequence[float] | None = None
    tolerance: float | None = None
    angle_tolerance: float | None = None

    word: ClassVar[str] = "body"

    def _check_fields(self) -> None:
        self._put("body", checks.name)
        if self.position is not None:
            self._put("position", checks.vector, 3)
        for name in "xyz":
            if getattr(self, name) is not None:
                self._put(name, check_value)
        if self.orientation is not None:
            self._put("orientation", checks.unit_quat)
        if all(getattr(self, n) is None for n in ("position", *"xyz", "orientation")):
            raise SpecError("give position, x, y, z or orientation", where="BodyAt")
        self._put("tolerance", check_tolerance, [self.position, self.x, self.y, self.z])
        if self.angle_tolerance is not None:
            self._put("angle_tolerance", checks.number, at_least=0)
            if self.orientation is None:
                raise SpecError(
                    "is of an orientation, and none is given",
                    where="BodyAt.angle_tolerance",
                    given=self.angle_tolerance,
                )

    @property
    def _tolerance(self) -> float:
        return 1e-3 if self.tolerance is None else self.tolerance

    @property
    def _angle_tolerance(self) -> float:
        return 1e-2 if self.angle_tolerance is None else self.angle_tolerance

    def bodies(self) -> tuple[str, ...]:
        """The body."""
        return (self.body,)

    def check(self, stage: Stage) -> None:
        """Look it up."""
        stage.place(self.body, "body")

    def said(self, stage: Stage) -> str:
        """What is expected."""
        parts = []
        if self.position is not None:
            listed = ", ".join(f"{v:.6g}" for v in self.position)
            parts.append(f"at ({listed}) ± {self._tolerance:.3g} m")
        for name in "xyz":
            if (wanted := getattr(self, name)) is not None:
                parts.append(f"{name} {said_value(wanted, self._tolerance, 'm')}")
        if self.orientation is not None:
            listed = ", ".join(f"{v:.4g}" for v in self.orientation)
            parts.append(f"turned by ({listed}) ± {self._angle_tolerance:.3g} rad")
        return f"{self.body!r} {', '.join(parts)}"

    def bind(self, run: Run) -> Probe:
        """Read it."""
        point = point_of(run, self.body)
        turn = _turn(run, self.body, self.orientation)

        def look() -> Miss | None:
            found = []
            if self.position is not None:
                off = float(np.linalg.norm(point - np.array(self.position)))
                beyond = excess(off, 0.0, self._tolerance)
                listed = ", ".join(f"{v:.6g}" for v in point)
                found.append(Miss(f"({listed}), {off:.3g} m off", beyond))
            for k, name in enumerate("xyz"):
                if (wanted := getattr(self, name)) is not None:
                    seen, beyond = float(point[k]), excess(float(point[k]), wanted, self._tolerance)
                    found.append(Miss(f"{name} {seen:.6g} m", beyond))
            if turn is not None:
                angle = turn()
                beyond = excess(angle, 0.0, self._angle_tolerance)
                found.append(Miss(f"turned {angle:.4g} rad away", beyond))
            return max((m for m in found if m.excess > 0), key=lambda m: m.excess, default=None)

        return look


def _turn(run: Run, name: str, orientation: Any) -> Any:
    """A function that gives the angle [rad] between an orientation and the one now."""
    if orientation is None:
        return None
    kind, what = must_place(run.scene, name)
    data: Any = run.scene.data
    matrices = data.xmat if kind == "body" else data.site_xmat
    wanted = np.zeros(9)
    mujoco.mju_quat2Mat(wanted, np.array(wxyz(tuple(orientation))))
    target = wanted.reshape(3, 3)

    def angle() -> float:
        off = target.T @ matrices[what].reshape(3, 3)
        # |R - Rᵀ| and the trace together are exact near 0 and near pi alike.
        sine = np.linalg.norm([off[2, 1] - off[1, 2], off[0, 2] - off[2, 0], off[1, 0] - off[0, 1]])
        return float(np.arctan2(sine / 2.0, (np.trace(off) - 1.0) / 2.0))

    return angle
