"""The positions of a robot's joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mjscene.errors import SpecError
from mjscene.scenario.base import Expectation, Miss, Numbers, Probe, check_numbers
from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["JointPositions"]


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class JointPositions(Expectation):
    """The joints of a robot are at positions.

    Args:
        robot: The robot, or an attachment with modes of its own as ``robot.attachment``.
        positions: One number per joint, or numbers by joint [rad or m].
        tolerance: For each joint [rad or m].
    """

    robot: str
    positions: Numbers
    tolerance: float = 1e-3

    word: ClassVar[str] = "joints"

    def _check_fields(self) -> None:
        self._put("robot", checks.name)
        self._put("positions", check_numbers)
        self._put("tolerance", checks.number, at_least=0)

    @property
    def _pairs(self) -> tuple[tuple[str, float], ...] | None:
        """The numbers by joint, if they are."""
        given: Any = self.positions
        return given if isinstance(given[0], tuple) else None

    def check(self, stage: Stage) -> None:
        """Look robot and joints up."""
        rows = stage.rows(self.robot, ())
        if self._pairs is not None:
            for name, _ in self._pairs:
                stage.rows(self.robot, [name], f"positions[{name!r}]")
        elif len(self.positions) != len(rows):
            raise SpecError(
                f"robot {self.robot!r} has {len(rows)} joints that take commands, got "
                f"{len(self.positions)} numbers",
                where="positions",
                given=self.positions,
            )

    def said(self, stage: Stage) -> str:
        """What is expected."""
        pairs, given = self._pairs, self.positions
        named = [f"{n} {v:.4g}" for n, v in pairs] if pairs else [f"{v:.4g}" for v in given]
        listed = ", ".join(named)
        return f"joints of {self.robot!r} at ({listed}) ± {self.tolerance:.3g} rad or m"

    def bind(self, run: Run) -> Probe:
        """Read them."""
        scene, table = run.scene, run.scene.control.table
        if self._pairs is not None:
            rows = np.concatenate([run.rows(self.robot, [n]) for n, _ in self._pairs])
            wanted = np.array([v for _, v in self._pairs])
        else:
            rows, wanted = run.rows(self.robot, ()), np.array(self.positions, dtype=float)
        adr, qpos, tolerance = table.qpos_adr[rows], scene.data.qpos, self.tolerance

        def look() -> Miss | None:
            off = np.abs(qpos[adr] - wanted)
            if (off <= tolerance).all():
                return None
            off = np.where(np.isnan(off), np.inf, off)
            k = int(off.argmax())
            seen = f"joint {table.names[rows[k]]!r} at {qpos[adr[k]]:.6g}, not {wanted[k]:.6g}"
            return Miss(seen, float(off[k]) - tolerance)

        return look
