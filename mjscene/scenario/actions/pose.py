"""Let a body follow a pose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from mjscene.commands import ObjectCmd
from mjscene.errors import SpecError
from mjscene.geometry import Pose
from mjscene.poses import xyzw
from mjscene.scenario.base import Action
from mjscene.scenario.motions import PoseMotion
from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["PlaceBody"]


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class PlaceBody(Action):
    """Place a mocap body, or let a free body with a ``controller`` in its spec follow a pose.

    Args:
        body: The body, or a robot on a free base.
        position: Where to, in the world [m]; by default where it is.
        orientation: Quaternion (x, y, z, w); by default as it is.
        over: How long the way there takes [s], with least jerk; 0 jumps.
    """

    body: str
    position: Sequence[float] | None = None
    orientation: Sequence[float] | None = None
    over: float = 0.0

    word: ClassVar[str] = "pose"

    def _check_fields(self) -> None:
        self._put("body", checks.name)
        if self.position is None and self.orientation is None:
            raise SpecError("give position, orientation or both", where="PlaceBody.position")
        if self.position is not None:
            self._put("position", checks.vector, 3)
        if self.orientation is not None:
            self._put("orientation", checks.unit_quat)
        self._put("over", checks.number, at_least=0)

    def check(self, stage: Stage) -> None:
        """Look the body up, and whether it can follow."""
        target = stage.target(self.body, "body")
        if target.moves != "mocap" and (target.moves != "free" or target.controller is None):
            lacks = (
                "has no gains to follow a pose with"
                if target.moves == "free"
                else "is " + ("a body inside a robot" if target.moves == "link" else target.moves)
            )
            raise SpecError(
                f"{target.title} {lacks}",
                where="body",
                given=self.body,
                hint="mocap: true places it, controller: {linear: [kp, kd], angular: [kp, kd]} "
                "lets a free body follow",
            )
        if self.over:
            stage.steps_over(self.over, "over")

    def act(self, run: Run) -> None:
        """Go there, or begin to."""
        scene = run.scene
        body = scene.target(self.body, "pose").body
        position = tuple(float(v) for v in scene.data.xpos[body])
        orientation = xyzw(scene.data.xquat[body].tolist())
        start = Pose(position=position, orientation=orientation)
        goal = Pose(
            position=position if self.position is None else self.position,
            orientation=orientation if self.orientation is None else self.orientation,
        )
        key = run.key("pose", self.body)
        run.cancel(key)

        def put(pose: Pose) -> None:
            command = ObjectCmd(enable_position_controller=True, pose=pose)
            run.scene.apply({self.body: command})

        if self.over:
            run.begin(PoseMotion(key, start, goal, run.steps_in(self.over), put))
        else:
            put(goal)
