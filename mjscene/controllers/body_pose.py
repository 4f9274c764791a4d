"""Body pose: a body follows a pose as if a spring and a damper held it there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.bodies import rotation_error
from mjscene.controllers.base import ControlledJoints, Controller
from mjscene.controllers.matrices import checked_vector
from mjscene.errors import ControllerError, SpecError, close_matches, shown
from mjscene.geometry import Pose, Twist
from mjscene.poses import wxyz, xyzw
from mjscene.spec import BodyController, CtrlMode

if TYPE_CHECKING:
    from mjscene.robot import Robot

__all__ = ["BodyPose"]

Array = NDArray[np.float64]


class BodyPose(Controller):
    """A body that follows a pose, with the wrench of a spring and a damper at its frame.

    force  = kp (x_d - x) + kd (v_d - v)
    torque = kp e + kd (w_d - w)

    in world axes, e the axis-angle of the rotation from the body's orientation to the desired one.
    A body of the robot is moved by its joints in TORQUE: Jᵀ wrench + h, with h = bias - passive,
    and damping of the motions of the joints that do not move the body. Without a body it is the
    robot's base, which must be free: the wrench is then an outside force that also carries the
    robot's weight, as for a pose command.

    Args:
        body: The body, by the file's or the scene's name; None for a free base.
        linear: kp and kd [N/m, N·s/m].
        angular: kp and kd [N·m/rad, N·m·s/rad].
        nullspace_damping: Damping of joint motions that leave the body where it is
            [N·m·s/rad or N·s/m].

    Raises:
        SpecError: Gains that are none.
        ControllerError: A damping that is none, or a body that is no name.
    """

    adds: ClassVar[bool] = False
    carries_load: ClassVar[bool] = True

    __slots__ = (
        *("_id", "_loose", "_pose", "_told", "_twist"),
        *("body", "gains", "modes", "needs_joints"),
    )

    def __init__(
        self,
        body: str | None = None,
        *,
        linear: Sequence[float],
        angular: Sequence[float],
        nullspace_damping: float = 1.0,
    ) -> None:
        if not isinstance(body, str | None):
            raise ControllerError(
                f"expected a body's name, got {shown(body)}", where="BodyPose.body", given=body
            )
        self.body = body
        self.modes = (CtrlMode.TORQUE,) if body is not None else ()
        self.needs_joints = body is not None
        try:
            self.gains = BodyController(linear=linear, angular=angular)
        except SpecError as error:
            field = str(error.where).rpartition(".")[2]
            raise SpecError(
                error.message, where=f"BodyPose.{field}", given=error.given, hint="(kp, kd)"
            ) from None
        loose = checked_vector(nullspace_damping, "BodyPose.nullspace_damping")
        if loose.ndim:
            raise ControllerError(
                f"expected a number >= 0, got {shown(nullspace_damping)}",
                where="BodyPose.nullspace_damping",
                given=nullspace_damping,
            )
        self._loose = float(loose)
        self._id = -1
        self._pose, self._twist, self._told = Pose(), Twist(), False

    def bind(self, joints: ControlledJoints) -> None:
        """Rule these joints.

        Raises:
            ControllerError: The robot has no such body, or no free base.
        """
        model = joints.model
        if self.body is None:
            first = int(model.body_jntadr[joints.base_body])
            if first < 0 or model.jnt_type[first] != mujoco.mjtJoint.mjJNT_FREE:
                raise ControllerError(
                    "the robot's base is not free",
                    where="BodyPose.body",
                    hint="name the body that shall follow",
                )
            self._id = joints.base_body
        else:
            self._id = _find_body(model, joints.prefix, self.body)
            _check_moved(joints, self._id, self.body)
        self._told = False
        super().bind(joints)

    @property
    def target(self) -> tuple[Pose, Twist]:
        """The pose and twist that it follows, in world axes."""
        return self._pose, self._twist

    def set_target(self, pose: Pose, twist: Twist | None = None) -> None:
        """Follow a pose in the world, and the velocity that goes with it.

        Raises:
            ControllerError: It is none.
        """
        for value, kind in ((pose, Pose), (twist or Twist(), Twist)):
            if not isinstance(value, kind):
                raise ControllerError(
                    f"expected a {kind.__name__}, got {shown(value)}",
                    where="set_target",
                    given=value,
                )
        self._pose, self._twist, self._told = pose, twist or Twist(), False

    def reset(self, robot: Robot) -> None:
        """Follow the pose of now.

        Raises:
            ControllerError: Another one moves this base.
        """
        for other in robot.controllers.values():
            if self.body is None and other is not self and isinstance(other, BodyPose):
                _refuse_second(other)
        data = self.joints.data
        self._pose = Pose(
            position=data.xpos[self._id], orientation=xyzw(data.xquat[self._id].tolist())
        )
        self._twist, self._told = Twist(), False

    def update(self, robot: Robot, dt: float) -> None:
        """Command the torques, or let the base follow."""
        if self.body is None:
            self._follow(robot)
            return
        joints = self.joints
        model, data = joints.model, joints.data
        linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacBody(model, data, linear, angular, self._id)
        speed, spin = linear @ data.qvel, angular @ data.qvel
        wanted = np.array([wxyz(tuple(self._pose.orientation))])
        error = rotation_error(data.xquat[self._id][None], wanted)[0]
        (kp, kd), (akp, akd) = self.gains.linear, self.gains.angular
        force = kp * (np.array(self._pose.position) - data.xpos[self._id])
        force += kd * (np.array(self._twist.linear) - speed)
        torque = akp * error + akd * (np.array(self._twist.angular) - spin)
        jacobian = np.vstack([linear, angular])[:, joints.dof_adr]
        loose = _leaving(jacobian, joints.velocity)
        joints.command = (
            jacobian.T @ np.concatenate([force, torque]) - self._loose * loose + joints.owed
        )

    def _follow(self, robot: Robot) -> None:
        """Let the base follow, where something is new."""
        if self._told:
            return
        pose = (self._pose.position, self._pose.orientation)
        twist = (tuple(self._twist.linear), tuple(self._twist.angular))
        robot._scene.bodies.follow(self._id, pose, twist, self.gains)
        robot._scene.arrange()
        self._told = True

    def release(self, robot: Robot) -> None:
        """Let go of a base."""
        if self.body is None:
            robot._scene.bodies.release(self._id)
            self._told = False

    def get_state(self) -> dict[str, Any]:
        """What it follows."""
        return {"pose": self._pose, "twist": self._twist}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a state."""
        self._pose, self._twist, self._told = state["pose"], state["twist"], False


def _leaving(jacobian: Array, velocity: Array) -> Array:
    """The part of joint velocities (k,) that leaves the body where it is: v - J⁺ J v.

    J⁺ = Jᵀ (J Jᵀ + ε)⁻¹, with an ε that is small beside what moves the body: where the arm is
    singular, what hardly moves the body is let go of gradually.
    """
    gram = jacobian @ jacobian.T
    gram.flat[:: len(gram) + 1] += 1e-9 * gram.trace()
    return np.asarray(velocity - jacobian.T @ np.linalg.solve(gram, jacobian @ velocity))


def _refuse_second(other: BodyPose) -> None:
    if other.body is None:
        raise ControllerError(
            "the robot's base follows another controller's pose already",
            where="add_controller",
            hint="remove that first",
        )


def _check_moved(joints: ControlledJoints, body: int, name: str) -> None:
    """Refuse a body that none of the joints moves."""
    model = joints.model
    movers = set(model.jnt_bodyid[model.dof_jntid[joints.dof_adr]].tolist())
    above = body
    while above and above not in movers:
        above = int(model.body_parentid[above])
    if not above:
        raise ControllerError(
            f"none of the controller's joints moves the body {name!r}",
            where="BodyPose.body",
            given=name,
            allowed=joints.names,
            hint="give a body that hangs on one of them",
        )


def _find_body(model: Any, prefix: str, name: str) -> int:
    kind = mujoco.mjtObj.mjOBJ_BODY
    for full in (prefix + name, name):
        found = int(mujoco.mj_name2id(model, kind, full))
        if found > 0:
            return found
    names = [mujoco.mj_id2name(model, kind, b) or "" for b in range(1, model.nbody)]
    whole = {n.removeprefix(prefix): n for n in names if n}
    raise ControllerError(
        f"the scene has no body {name!r}",
        where="BodyPose.body",
        given=name,
        close=[whole[n] for n in close_matches(name, whole)],
    )
