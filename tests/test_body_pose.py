"""Body pose: the panda's flange as a spring and damper in space, and a base that flies."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from body_response import OMEGA, STEP, oscillator, world
from command_models import FLOATING, box_inertia
from controller_scenes import arm, everything_ruled, robot_of
from field_models import build
from mode_models import TWO, assert_same, effort
from scipy.spatial.transform import Rotation

from mjscene import (
    AttachmentSpec,
    ControllerError,
    CtrlMode,
    CtrlModeSpec,
    Pose,
    RobotSpec,
    Scene,
    SceneObject,
    SpecError,
    Twist,
    site,
)
from mjscene.controllers import BodyPose

LINEAR, ANGULAR = (900.0, 80.0), (30.0, 2.0)


def panda(**fields: Any) -> Scene:
    scene = arm("panda", modes=[CtrlModeSpec(CtrlMode.TORQUE)], **fields)
    scene.run(2.0)
    return scene


def pose_of(scene: Scene, name: str) -> tuple[Any, Rotation]:
    data, body = scene.data, scene.model.body(name).id
    return data.xpos[body].copy(), Rotation.from_quat(data.xquat[body], scalar_first=True)


@pytest.mark.parametrize(
    ("shift", "turn"),
    [
        ((0.05, 0, 0), (0, 0, 0.3)),
        ((0, -0.05, 0), (0.3, 0, 0)),
        ((0, 0, 0.05), (0, -0.3, 0)),
        ((-0.03, 0.03, -0.02), (0.17, 0.17, -0.17)),
    ],
)
def test_the_flange_goes_to_a_pose_and_settles(shift: Any, turn: Any) -> None:
    scene = panda()
    robot = robot_of(scene)
    controller = robot.add_controller(BodyPose("link7", linear=LINEAR, angular=ANGULAR))
    position, rotation = pose_of(scene, "arm/link7")
    wanted, turned = position + np.array(shift), Rotation.from_rotvec(turn) * rotation
    controller.set_target(Pose(position=wanted, orientation=turned.as_quat()))
    scene.run(4.0)
    found, orientation = pose_of(scene, "arm/link7")
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    assert (turned * orientation.inv()).magnitude() < 1e-4
    assert np.abs(scene.joints.velocity).max() < 1e-3


def test_attaching_keeps_the_pose_and_removing_the_effort() -> None:
    scene = panda()
    robot = robot_of(scene)
    before = effort(scene)
    where = scene.joints.position
    controller = robot.add_controller(BodyPose("link7", linear=LINEAR, angular=ANGULAR))
    np.testing.assert_allclose(effort(scene), before, rtol=0, atol=1e-9)
    scene.run(1.0)
    np.testing.assert_allclose(scene.joints.position, where, atol=1e-5)
    before = effort(scene)
    robot.remove_controller(controller)
    assert robot.ctrl_mode is CtrlMode.POSITION
    np.testing.assert_allclose(effort(scene), before, rtol=0, atol=1e-9)
    scene.run(1.0)
    np.testing.assert_allclose(scene.joints.position, where, atol=1e-4)


def test_a_push_is_answered_by_the_wrench_of_the_spring() -> None:
    scene = panda()
    controller = robot_of(scene).add_controller(BodyPose("link7", linear=LINEAR, angular=ANGULAR))
    body = scene.model.body("arm/link7").id
    start, turned = pose_of(scene, "arm/link7")
    assert controller.target[0].position == pytest.approx(start)
    force, torque = np.array([9.0, -6.0, 12.0]), np.array([0.6, -0.9, 0.3])
    scene.data.xfrc_applied[body] = (*force, *torque)
    scene.run(4.0)
    found, now = pose_of(scene, "arm/link7")
    np.testing.assert_allclose(LINEAR[0] * (found - start), force, atol=0.01)
    # The force acts at the centre of mass: about the frame it has a torque too.
    arm_of_force = scene.data.xipos[body] - found
    about = torque + np.cross(arm_of_force, force)
    np.testing.assert_allclose(ANGULAR[0] * (now * turned.inv()).as_rotvec(), about, atol=0.01)


@pytest.mark.parametrize("damping", [0.0, 2.0])
def test_the_motion_that_leaves_the_body_is_damped_as_asked(damping: float) -> None:
    scene = panda()
    robot_of(scene).add_controller(
        BodyPose("link7", linear=LINEAR, angular=ANGULAR, nullspace_damping=damping)
    )
    jacobian = np.zeros((6, 7))
    body = scene.model.body("arm/link7").id
    mujoco.mj_jacBody(scene.model, scene.data, jacobian[:3], jacobian[3:], body)
    loose = np.linalg.svd(jacobian)[2][-1]  # the arm's seventh freedom
    scene.data.qvel[:] = 0.5 * loose
    scene.run(1.0)
    moving = np.linalg.norm(scene.joints.velocity)
    if damping:
        assert moving < 0.02
    else:
        assert moving > 0.3


def test_a_target_with_a_velocity_is_followed_without_a_lag() -> None:
    scene = panda()
    controller = robot_of(scene).add_controller(BodyPose("link7", linear=LINEAR, angular=ANGULAR))
    start, turned = pose_of(scene, "arm/link7")
    quat, began = turned.as_quat(), scene.time
    for _ in range(1000):
        ahead = start + np.array([0.0, 0.0, 0.03 * (scene.time - began)])
        twist = Twist(linear=(0, 0, 0.03))
        controller.set_target(Pose(position=ahead, orientation=quat), twist)
        scene.step()
    found = pose_of(scene, "arm/link7")[0]
    np.testing.assert_allclose(found, start + np.array([0, 0, 0.03 * 2.0]), atol=5e-4)


# -- a base that flies --------------------------------------------------------------------------

SIZE, MASS = (0.1, 0.2, 0.3), 2.0
BOX = f"""<mujoco model="drone"><worldbody><body name="hull" pos="0 0 1"><freejoint/>
 <geom type="box" size="{" ".join(map(str, SIZE))}" mass="{MASS}"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("damping", [0.3, 1.0, 1.6])
def test_a_free_base_follows_a_pose_as_an_oscillator(damping: float) -> None:
    scene = build(RobotSpec(BOX, prefix="d/"), options=world())
    gains = (MASS * OMEGA**2, 2 * damping * MASS * OMEGA)
    controller = robot_of(scene).add_controller(BodyPose(linear=gains, angular=(20.0, 5.0)))
    controller.set_target(Pose(position=(0.0, 0.4, 1.0)))
    times, found = [], []
    for _ in range(1500):
        scene.step()
        times.append(scene.time)
        found.append(scene.data.qpos[1])
    wanted = 0.4 - oscillator(np.array(times), damping, 0.4)
    np.testing.assert_allclose(found, wanted, atol=0.4 * OMEGA * STEP)


@pytest.mark.parametrize("axis", range(3))
def test_a_free_base_turns_as_an_oscillator(axis: int) -> None:
    scene = build(RobotSpec(BOX, prefix="d/"), options=world())
    inertia = box_inertia()[axis]
    gains = (inertia * OMEGA**2, 2 * inertia * OMEGA)
    controller = robot_of(scene).add_controller(BodyPose(linear=(80.0, 25.0), angular=gains))
    turn = Rotation.from_rotvec(0.8 * np.eye(3)[axis])
    controller.set_target(Pose(position=(0, 0, 1), orientation=turn.as_quat()))
    scene.run(0.4)
    now = Rotation.from_quat(scene.data.qpos[3:7], scalar_first=True).as_rotvec()[axis]
    want = 0.8 - oscillator(np.array([0.4]), 1.0, 0.8)[0]
    assert now == pytest.approx(want, abs=0.8 * OMEGA * STEP * 2)


def test_a_base_is_let_go_when_it_is_taken_away() -> None:
    scene = build(RobotSpec(BOX, prefix="d/"), options=world())
    robot = robot_of(scene)
    controller = robot.add_controller(BodyPose(linear=(80.0, 25.0), angular=(10.0, 3.0)))
    scene.run(1.0)
    np.testing.assert_allclose(scene.data.qpos[:3], (0, 0, 1), atol=1e-6)
    robot.remove_controller(controller)
    assert not scene.data.xfrc_applied.any()
    scene.step()
    np.testing.assert_allclose(scene.data.qacc[:3], (1.0, -2.0, -9.81), atol=1e-9)
    assert robot.controllers == {}


def test_one_base_has_one_pose() -> None:
    scene = build(RobotSpec(FLOATING, prefix="a/"))
    robot = robot_of(scene)
    gains: dict[str, Any] = {"linear": (80.0, 25.0), "angular": (10.0, 3.0)}
    first = robot.add_controller(BodyPose(**gains))
    before = everything_ruled(scene)
    with pytest.raises(ControllerError, match="another controller's pose"):
        robot.add_controller(BodyPose(**gains))
    assert_same(everything_ruled(scene), before)
    assert len(scene.bodies) <= 1
    scene.reset()
    scene.run(0.5)
    robot.remove_controller(first)
    robot.add_controller(BodyPose(**gains))


def test_a_base_goes_on_after_objects_and_states_change() -> None:
    def flown(*, disturbed: bool) -> Any:
        scene = build(RobotSpec(BOX, prefix="d/"), options=world())
        controller = robot_of(scene).add_controller(
            BodyPose(linear=(80.0, 25.0), angular=(10.0, 3.0))
        )
        controller.set_target(Pose(position=(0.3, 0, 1)))
        scene.run(0.2)
        if disturbed:
            state = scene.get_state()
            scene.run(0.3)
            scene.set_state(state)
            scene.add_object(SceneObject("far", shape="sphere", size=[0.1], pos=(9, 9, 9)))
        scene.run(0.3)
        return scene.data.qpos[scene.model.joint(0).qposadr[0] :][:7].copy()

    np.testing.assert_allclose(flown(disturbed=True), flown(disturbed=False), atol=1e-12)


# -- refusals -----------------------------------------------------------------------------------


def test_bodies_that_are_not_there_are_named_with_close_ones() -> None:
    scene = panda()
    before = everything_ruled(scene)
    with pytest.raises(ControllerError) as caught:
        robot_of(scene).add_controller(BodyPose("link77", linear=LINEAR, angular=ANGULAR))
    assert "arm/link7" in caught.value.close
    assert caught.value.where == "BodyPose.body"
    assert_same(everything_ruled(scene), before)


def test_a_body_that_none_of_its_joints_moves_is_refused() -> None:
    scene = build(RobotSpec(TWO, prefix="a/"), RobotSpec(TWO, prefix="b/", pos=(0, 2, 0)))
    robot = robot_of(scene)
    before = everything_ruled(scene)
    for name, joints in (("b/lower", None), ("upper", ["j2"])):
        controller = BodyPose(name, linear=(10, 1), angular=(1, 0.1))
        with pytest.raises(ControllerError, match="none of the controller's joints moves"):
            robot.add_controller(controller, joints=joints)
    assert_same(everything_ruled(scene), before)


def test_a_hand_of_an_attachment_is_moved_by_the_arm() -> None:
    hand = AttachmentSpec("mjscene:gripper", attach_to=site("attachment_site"), prefix="hand/")
    scene = panda(attachments=[hand])
    names = [scene.model.body(b).name for b in range(scene.model.nbody)]
    name = next(n for n in names if n.startswith("arm/hand/"))
    controller = robot_of(scene).add_controller(BodyPose(name, linear=LINEAR, angular=ANGULAR))
    assert len(controller.joints) == 7
    position, rotation = pose_of(scene, name)
    wanted = position + np.array([0, 0.03, 0.03])
    controller.set_target(Pose(position=wanted, orientation=rotation.as_quat()))
    scene.run(4.0)
    np.testing.assert_allclose(pose_of(scene, name)[0], wanted, atol=1e-4)


def test_a_fixed_base_and_bad_arguments_are_refused() -> None:
    scene = panda()
    before = everything_ruled(scene)
    with pytest.raises(ControllerError, match="base is not free"):
        robot_of(scene).add_controller(BodyPose(linear=LINEAR, angular=ANGULAR))
    assert_same(everything_ruled(scene), before)
    for fields in ({"linear": (-1, 1)}, {"angular": (1,)}, {"linear": "stiff"}):
        with pytest.raises(SpecError):
            BodyPose("link7", **{"linear": LINEAR, "angular": ANGULAR} | fields)  # type: ignore[arg-type]
    for damping in (-1.0, [1.0, 2.0], "much", float("nan")):
        with pytest.raises(ControllerError):
            BodyPose("link7", linear=LINEAR, angular=ANGULAR, nullspace_damping=damping)  # type: ignore[arg-type]
    controller = BodyPose("link7", linear=LINEAR, angular=ANGULAR)
    for pose, twist in ((None, None), ((0, 0, 1), None), (Pose(), Pose())):
        with pytest.raises(ControllerError):
            controller.set_target(pose, twist)  # type: ignore[arg-type]


@pytest.mark.parametrize("body", [3, [], b"lower"])
def test_a_body_that_is_no_name_is_refused(body: Any) -> None:
    with pytest.raises(ControllerError, match="expected a body's name"):
        BodyPose(body, linear=(1, 1), angular=(1, 1))
