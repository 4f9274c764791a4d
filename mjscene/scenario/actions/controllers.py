"""Add, set and remove controllers."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mjscene import controllers
from mjscene.controllers.rows import controlled_rows
from mjscene.errors import MjsceneError, SpecError, close_matches
from mjscene.geometry import Pose
from mjscene.scenario.base import Action, Ints
from mjscene.scenario.motions import PoseMotion, ValueMotion
from mjscene.scenario.stage import at_field
from mjscene.spec import checks
from mjscene.spec.fields import SpecFieldError, named_fields

if TYPE_CHECKING:
    from mjscene.scenario.run import Run
    from mjscene.scenario.stage import Stage

__all__ = ["AddController", "RemoveController", "SetController", "controller_classes"]


def controller_classes() -> dict[str, type[Any]]:
    """The controllers that a file may name."""
    base = controllers.Controller
    found = {name: getattr(controllers, name) for name in controllers.__all__}
    return {
        name: cls
        for name, cls in found.items()
        if isinstance(cls, type) and issubclass(cls, base) and cls is not base
    }


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class AddController(Action):
    """Put a controller on joints of a robot.

    Args:
        robot: The robot, or an attachment with modes of its own as ``robot.attachment``.
        controller: The controller's class: JointAdmittance, JointImpedance, BodyPose …
        parameters: What its constructor takes, by name.
        joints: The joints it rules; by default all that offer a mode it can command in.
        name: Its name on the robot; by default that of its class, as in ``joint_admittance``.
    """

    robot: str
    controller: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    joints: Sequence[str] = ()
    name: str | None = None

    word: ClassVar[str] = "add_controller"
    switches: ClassVar[bool] = True

    def _check_fields(self) -> None:
        self._put("robot", checks.name)
        self._put("controller", checks.choice, controller_classes())
        object.__setattr__(self, "parameters", dict(self.parameters))
        self._put("joints", checks.names)
        if self.name is not None:
            self._put("name", checks.name)
        self._check_parameters()

    def _check_parameters(self) -> None:
        taken = inspect.signature(controller_classes()[self.controller]).parameters
        for name in self.parameters:
            if name not in taken:
                raise SpecError(
                    f"{self.controller} has no parameter {name!r}",
                    where=f"AddController.parameters[{name!r}]",
                    given=name,
                    close=close_matches(str(name), taken),
                    allowed=taken,
                )
        for name, parameter in taken.items():
            if parameter.default is parameter.empty and name not in self.parameters:
                raise SpecError(
                    f"{self.controller} needs the parameter {name!r}",
                    where="AddController.parameters",
                )
        self.make()

    def make(self) -> Any:
        """A controller of these parameters.

        Raises:
            SpecError: They are none.
        """
        try:
            return controller_classes()[self.controller](**self.parameters)
        except (TypeError, ValueError, MjsceneError) as error:
            message = error.message if isinstance(error, MjsceneError) else str(error)
            hint = error.hint if isinstance(error, MjsceneError) else None
            place = getattr(error, "where", None) or ""
            name = place.partition(".")[2].partition("[")[0]
            rest = f"[{name!r}]" if name in self.parameters else ""
            where = f"AddController.parameters{rest}"
            raise SpecError(message, where=where, hint=hint) from None

    def check(self, stage: Stage) -> None:
        """Look robot and joints up, and whether another controller has them."""
        robot = stage.robot(self.robot)
        made = self.make()
        with at_field("joints" if self.joints else "controller"):
            rows = controlled_rows(stage.scene, robot, made, list(self.joints) or None)
            # Sizes of gains, names of bodies.
            made.bind(_joints(stage, robot, rows))
        stage.controllers.take(robot.label, self.name, made, rows)

    def switched(self, stage: Stage) -> Ints:
        """Its joints."""
        return stage.rows(self.robot, self.joints)

    def act(self, run: Run) -> None:
        """Put it there."""
        run.leave(run.rows(self.robot, self.joints))
        joints = list(self.joints) or None
        run.scene.handle(self.robot).add_controller(self.make(), joints=joints, name=self.name)


def _joints(stage: Stage, robot: Any, rows: Any) -> Any:
    scene = stage.scene
    table = scene.control.table
    return controllers.ControlledJoints(
        scene.model, scene.data, table, rows, robot.base_body_id, robot.prefix
    )


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class RemoveController(Action):
    """Take a controller off a robot; its joints get their modes back.

    Args:
        robot: The robot.
        name: The controller's name on it.
    """

    robot: str
    name: str

    word: ClassVar[str] = "remove_controller"
    switches: ClassVar[bool] = True

    def _check_fields(self) -> None:
        self._put("robot", checks.name)
        self._put("name", checks.name)

    def check(self, stage: Stage) -> None:
        """See that it is there."""
        stage.controllers.give(stage.robot(self.robot).label, self.name)

    def switched(self, stage: Stage) -> Ints:
        """Its joints."""
        return stage.rows(self.robot, ())

    def act(self, run: Run) -> None:
        """Take it away."""
        robot = run.scene.handle(self.robot)
        run.cancel(("controller", robot.label, self.name))
        robot.remove_controller(self.name)


@named_fields(SpecFieldError)
@dataclass(frozen=True, kw_only=True)
class SetController(Action):
    """Set what a controller follows, at once or along a smooth way, or its parameters.

    Args:
        robot: The robot.
        name: The controller's name on it.
        reference: One number per joint it rules: the reference of a JointAdmittance, the target
            of a JointImpedance.
        position: Where the body of a BodyPose shall go, in the world [m].
        orientation: How it shall be turned, a quaternion (x, y, z, w).
        over: How long the way there takes [s], with least jerk; 0 jumps.
        parameters: Attributes to set, by name (``lambda_``, ``stiffness``, ``damping``).
    """

    robot: str
    name: str
    reference: Sequence[float] | None = None
    position: Sequence[float] | None = None
    orientation: Sequence[float] | None = None
    over: float = 0.0
    parameters: Mapping[str, Any] = field(default_factory=dict)

    word: ClassVar[str] = "set_controller"

    def _check_fields(self) -> None:
        self._put("robot", checks.name)
        self._put("name", checks.name)
        if self.reference is not None:
            self._put("reference", checks.vector, tuple(range(1, 1000)))
        if self.position is not None:
            self._put("position", checks.vector, 3)
        if self.orientation is not None:
            self._put("orientation", checks.unit_quat)
        self._put("over", checks.number, at_least=0)
        object.__setattr__(self, "parameters", dict(self.parameters))
        posed = self.position is not None or self.orientation is not None
        if self.reference is not None and posed:
            raise SpecError("give reference or a pose", where="SetController.reference")
        if self.reference is None and not posed and not self.parameters:
            raise SpecError(
                "give reference, position, orientation or parameters", where="SetController"
            )

    def check(self, stage: Stage) -> None:
        """See that the controller is there and has these settings."""
        made, rows = stage.controllers.find(stage.robot(self.robot).label, self.name)
        title = type(made).__name__
        for name in self.parameters:
            known = [
                n for n, v in inspect.getmembers(type(made)) if isinstance(v, property) and v.fset
            ]
            if name not in known or name == "reference":
                raise SpecError(
                    f"{title} has no parameter {name!r} to set",
                    where=f"parameters[{name!r}]",
                    given=name,
                    close=close_matches(str(name), known),
                    allowed=known,
                )
            with at_field(f"parameters[{name!r}]"):
                setattr(made, name, self.parameters[name])
        kinds = (controllers.JointAdmittance, controllers.JointImpedance)
        if self.reference is not None:
            if not isinstance(made, kinds):
                raise SpecError(f"{title} has no reference", where="reference")
            if len(self.reference) != len(rows):
                raise SpecError(
                    f"{title} {self.name!r} rules {len(rows)} joints, got {len(self.reference)} "
                    "numbers",
                    where="reference",
                    given=self.reference,
                )
        posed = "position" if self.position is not None else "orientation"
        if getattr(self, posed) is not None and not isinstance(made, controllers.BodyPose):
            raise SpecError(f"{title} follows no pose", where=posed)
        if self.over:
            stage.steps_over(self.over, "over")

    def act(self, run: Run) -> None:
        """Set it, or begin to."""
        robot = run.scene.handle(self.robot)
        controller: Any = robot.controllers[self.name]
        for name, value in self.parameters.items():
            setattr(controller, name, value)
        key = ("controller", robot.label, self.name)
        if self.reference is not None:
            run.cancel(key)
            self._lead_reference(run, controller, key)
        elif self.position is not None or self.orientation is not None:
            run.cancel(key)
            self._lead_pose(run, controller, key)

    def _lead_reference(self, run: Run, controller: Any, key: object) -> None:
        if isinstance(controller, controllers.JointAdmittance):
            start, put = controller.reference, partial(setattr, controller, "reference")
        else:
            start, put = controller.target[0], controller.set_target
        if self.over:
            goal, rows = np.array(self.reference), controller.joints.rows
            run.begin(ValueMotion(key, start, goal, run.steps_in(self.over), put, rows))
        else:
            put(self.reference)

    def _lead_pose(self, run: Run, controller: Any, key: object) -> None:
        start = controller.target[0]
        goal = Pose(
            position=start.position if self.position is None else self.position,
            orientation=start.orientation if self.orientation is None else self.orientation,
        )
        if self.over:
            steps, rows = run.steps_in(self.over), controller.joints.rows
            run.begin(PoseMotion(key, start, goal, steps, controller.set_target, rows))
        else:
            controller.set_target(goal)
