"""Something has come to rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import mujoco
import numpy as np

from mjscene.scenario.base import Expectation, Miss, Probe
from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["AtRest"]


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class AtRest(Expectation):
    """A robot's joints, or a body, are slower than a bound. With ``since`` it has settled by then.

    Args:
        robot: The robot.
        body: The body, of which the speed of its centre of mass and its spin are looked at.
        below: The bound of every speed [rad/s, m/s].
    """

    robot: str | None = None
    body: str | None = None
    below: float = 0.01

    word: ClassVar[str] = "at_rest"

    def _check_fields(self) -> None:
        self._put(self._one_of("robot", "body"), checks.name)
        self._put("below", checks.number, above=0)

    def bodies(self) -> tuple[str, ...]:
        """The body."""
        return () if self.body is None else (self.body,)

    def check(self, stage: Stage) -> None:
        """Look it up."""
        if self.body is not None:
            stage.moving_body(self.body)
        else:
            stage.some_rows(str(self.robot))

    def said(self, stage: Stage) -> str:
        """What is expected."""
        name = self.robot if self.body is None else self.body
        unit = "rad/s or m/s"
        return f"{name!r} at rest, speeds <= {self.below:g} {unit}"

    def bind(self, run: Run) -> Probe:
        """Read the speeds."""
        scene = run.scene
        model, data, velocity = scene.model, scene.data, np.zeros(6)
        if self.body is None:
            rows, table = run.rows(str(self.robot), ()), scene.control.table
            adr = table.dof_adr[rows]

            def speeds() -> tuple[float, str]:
                now = np.abs(data.qvel[adr])
                k = int(now.argmax())
                return float(now[k]), f"joint {table.names[rows[k]]!r} at {now[k]:.4g}"

        else:
            body = int(model.body(self.body).id)
            kind = int(mujoco.mjtObj.mjOBJ_BODY)

            def speeds() -> tuple[float, str]:
                mujoco.mj_objectVelocity(model, data, kind, body, velocity, 0)
                spin, speed = np.linalg.norm(velocity[:3]), np.linalg.norm(velocity[3:])
                return float(max(spin, speed)), f"{speed:.4g} m/s and {spin:.4g} rad/s"

        def look() -> Miss | None:
            fastest, seen = speeds()
            return None if fastest <= self.below else Miss(seen, fastest - self.below)

        return look
