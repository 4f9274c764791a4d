"""Mistakes that are easily made: each is an error of mjscene's own, and none is lost in silence."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mjscene
from mjscene import (
    CommandError,
    ComposeError,
    ControllerError,
    MjsceneWarning,
    ObjectCmd,
    Pose,
    RobotSpec,
    Scene,
    SceneObject,
    SceneSpec,
    SpecError,
    UnknownNameError,
    Wrench,
    body,
    build_scene,
    site,
)
from mjscene.controllers import (
    BodyPose,
    Controller,
    GravityCompensation,
    JointAdmittance,
    JointImpedance,
)


class Idle(Controller):
    """Does nothing."""

    def reset(self, robot: Any) -> None:
        """Nothing to start with."""

    def update(self, robot: Any, dt: float) -> None:
        """Nothing to do."""


HELD: dict[str, Callable[[Scene], object]] = {
    "a scene": lambda scene: scene,
    "a robot": lambda scene: scene.robots["m"],
    "an attachment": lambda scene: scene.robots["m"].attachments["arm"],
    "robots": lambda scene: scene.robots,
    "all joints": lambda scene: scene.joints,
    "joints of a robot": lambda scene: scene.robots["m"].joints,
    "a joint": lambda scene: next(iter(scene.joints)),
    "actuators": lambda scene: scene.actuators,
    "an actuator": lambda scene: scene.actuators[scene.actuator_names[0]],
    "sensors": lambda scene: scene.robots["m"].ft_sensors,
}


@pytest.mark.parametrize("held", HELD)
def test_a_misspelled_attribute_is_an_error(held: str, mobile: Scene) -> None:
    with pytest.raises(AttributeError, match="comand"):
        HELD[held](mobile).comand = np.zeros(2)  # type: ignore[attr-defined]


@pytest.mark.parametrize("attached", [False, True])
def test_a_misspelled_attribute_of_a_controller_is_an_error(attached: bool, mobile: Scene) -> None:
    arm = mobile.robots["m"].attachments["arm"]
    made: list[Controller] = [
        GravityCompensation(),
        JointAdmittance(),
        JointImpedance(stiffness=1.0, damping=1.0),
        BodyPose("link7", linear=(1, 1), angular=(1, 1)),
    ]
    for controller in made:
        if attached:
            arm.add_controller(controller)
            with pytest.raises(AttributeError, match="comand"):
                controller.joints.comand = np.zeros(7)  # type: ignore[attr-defined]
        with pytest.raises(AttributeError, match="stifness"):
            controller.stifness = 3.0  # type: ignore[attr-defined]
        controller.period = 0.01
        if attached:
            arm.remove_controller(controller)


def test_a_controller_of_ones_own_may_have_any_attribute_and_a_period_of_its_class() -> None:
    class Mine(Idle):
        period = 0.5

    mine, other = Mine(), Mine()
    mine.gain = 3.0  # type: ignore[attr-defined]
    assert (mine.period, Idle().period, mine.is_attached) == (0.5, None, False)
    mine.period = 0.25
    assert (mine.period, other.period) == (0.25, 0.5)


def test_what_is_a_copy_cannot_be_written_to(mobile: Scene) -> None:
    arm = mobile.robots["m"].attachments["arm"]
    admittance, impedance = JointAdmittance(lambda_=[2.0] * 7), JointImpedance(30.0, 3.0)
    copies = [arm.command_limits, arm.saturated, arm.joints.command, arm.joints.position]
    arm.add_controller(admittance)
    copies += [admittance.reference, admittance.lambda_, admittance.joints.command]
    arm.remove_controller(admittance)
    arm.add_controller(impedance)
    copies += [*impedance.target, impedance.stiffness, impedance.damping]
    arm.remove_controller(impedance)
    for copy in copies:
        assert not copy.flags.writeable


def test_a_pose_without_its_flag_is_warned_of(mobile: Scene) -> None:
    target = SceneObject("goal", shape="sphere", size=(0.1,), mocap=True, pos=(0, 0, 3))
    scene = build_scene(SceneSpec([], objects=[target]))
    pose = Pose(position=(1, 1, 1))
    with pytest.warns(MjsceneWarning, match="'goal': the pose has no effect without enable_pos"):
        scene.apply({"goal": ObjectCmd(pose=pose)})
    np.testing.assert_array_equal(scene.data.mocap_pos[0], (0, 0, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene.apply({"goal": ObjectCmd(pose=pose, wrench=Wrench())})  # AMBF's message is whole
        scene.apply({"goal": ObjectCmd(pose=pose, enable_position_controller=True)})
    np.testing.assert_array_equal(scene.data.mocap_pos[0], (1, 1, 1))


def test_a_mount_without_the_prefix_of_its_object_is_named_with_it() -> None:
    table = """<mujoco><worldbody><body name="top"><geom size=".1"/><site name="mount"/></body>
    </worldbody></mujoco>"""
    objects = [SceneObject("table", path=table)]
    for target, close in ((site("mount"), "table/mount"), (body("top"), "table/top")):
        robot = RobotSpec("mjscene:panda", prefix="a/", attach_to=target)
        with pytest.raises(ComposeError, match=f"did you mean '{close}'"):
            build_scene(SceneSpec([robot], objects=objects))


WRONG: dict[str, tuple[Callable[[Scene], object], type[Exception], str]] = {
    "a column of commands": (
        lambda scene: setattr(scene, "command", np.zeros((9, 1))),
        CommandError,
        r"got shape \(9, 1\)",
    ),
    "an object called world": (
        lambda scene: SceneObject("world", shape="box", size=(1, 1, 1)),
        SpecError,
        "name of MuJoCo's own body",
    ),
    "no scene": (lambda scene: mjscene.load_scene(3), ComposeError, "got 3"),  # type: ignore[arg-type]
    "a scene for a path": (
        lambda scene: mjscene.write_scene_file("x.yaml", scene.spec),  # type: ignore[arg-type]
        SpecError,
        "expected a path, got a SceneSpec",
    ),
    "a period for a policy": (
        lambda scene: scene.run(0.1, 3),  # type: ignore[arg-type]
        SpecError,
        r"run\(..., period=...\)",
    ),
    "no path": (lambda scene: scene.save(""), ComposeError, "expected a path"),
    "a controller by a wrong name": (
        lambda scene: scene.robots["m"].controllers["x"],
        UnknownNameError,
        "there is no controller 'x'",
    ),
    "one gain for two": (
        lambda scene: BodyPose("link7", linear=100, angular=(1, 1)),  # type: ignore[arg-type]
        SpecError,
        "BodyPose.linear: expected 2 numbers",
    ),
    "a body that is not there": (
        lambda scene: (
            scene.robots["m"]
            .attachments["arm"]
            .add_controller(BodyPose("lnk7", linear=(1, 1), angular=(1, 1)))
        ),
        ControllerError,
        "did you mean 'm/arm/link7'",
    ),
}


HINTS: dict[str, tuple[Callable[[], object], str]] = {
    "degrees": (lambda: RobotSpec("x.xml", home={"j": {"deg": 90}}), "math.radians"),  # type: ignore[dict-item]
    "Euler angles": (lambda: RobotSpec("x.xml", euler=(0, 0, 1)), r"quat: \[x, y, z, w\]"),  # type: ignore[call-arg]
    "one number for a sphere": (
        lambda: SceneObject("b", shape="sphere", size=(1, 1, 1)),
        "expected 1 number, got 3",
    ),
}


@pytest.mark.parametrize("given", HINTS)
def test_a_spec_says_what_to_write(given: str) -> None:
    make, says = HINTS[given]
    with pytest.raises(SpecError, match=says):
        make()


def test_what_is_printed_says_what_it_is(mobile: Scene) -> None:
    arm = mobile.robots["m"].attachments["arm"]
    assert repr(arm.joints).startswith("<7 joints: m/arm/joint1, m/arm/joint2, ")
    admittance = JointAdmittance()
    assert repr(admittance) == "<JointAdmittance, attached to no robot>"
    arm.add_controller(admittance, joints=["joint1", "joint2"])
    assert repr(admittance) == "<JointAdmittance, on m/arm/joint1, m/arm/joint2>"
    arm.remove_controller(admittance)


@pytest.mark.parametrize("wrong", WRONG)
def test_a_mistake_has_an_error_of_mjscene(wrong: str, mobile: Scene) -> None:
    act, kind, says = WRONG[wrong]
    with pytest.raises(kind, match=says):
        act(mobile)
