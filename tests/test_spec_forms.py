"""The one normal form of each field of a spec, whatever form it was given in."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from mjscene import SpecError
from mjscene.spec import (
    AttachmentSpec,
    BodyController,
    CameraSpec,
    CtrlMode,
    CtrlModeSpec,
    FloorSpec,
    LightSpec,
    PhysicsOptions,
    RobotSpec,
    SceneObject,
    SceneSpec,
    SiteSpec,
    SkySpec,
    site,
)
from mjscene.spec.physics import FLAGS, WORDS

XML = '<mujoco model="tool"><worldbody><body name="b"><geom size="1"/></body></worldbody></mujoco>'

SEQUENCES: list[tuple[Any, str, Any]] = [
    (RobotSpec, "pos", (1, 2, 3)),
    (RobotSpec, "quat", (0, 0, 1, 0)),
    (RobotSpec, "home", (0.5, 0.25)),
    (SiteSpec, "rgba", (0, 1, 0, 1)),
    (CameraSpec, "look_at", (1, 2, 3)),
    (FloorSpec, "friction", (1, 0.5)),
    (LightSpec, "direction", (0, 0, -1)),
    (SkySpec, "zenith", (0, 0, 1)),
    (PhysicsOptions, "gravity", (0, 0, -1)),
    (PhysicsOptions, "o_solimp", (0.5, 0.75, 1, 0.5, 2)),
]
FIRST = {RobotSpec: ("arm.xml",), SiteSpec: ("s",), CameraSpec: ("c",)}


@pytest.mark.parametrize("form", [list, tuple, np.array, iter], ids=lambda f: f.__name__)
@pytest.mark.parametrize(("cls", "name", "value"), SEQUENCES)
def test_vectors_are_tuples_of_floats(cls: Any, name: str, value: Any, form: Any) -> None:
    kept = getattr(cls(*FIRST.get(cls, ()), **{name: form(value)}), name)
    assert kept == value
    assert type(kept) is tuple
    assert {type(v) for v in kept} == {float}


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        (SceneObject("c", shape="sphere", size=[1], mass=2), "mass"),
        (PhysicsOptions(timestep=1), "timestep"),
        (CameraSpec("c", fovy=60), "fovy"),
        (RobotSpec("a.xml", watchdog=np.float32(1)), "watchdog"),
        (SiteSpec("s", size=np.int64(1)), "size"),
    ],
)
def test_numbers_are_floats(spec: Any, name: str) -> None:
    assert type(getattr(spec, name)) is float


@pytest.mark.parametrize(
    ("spec", "name", "value"),
    [
        (PhysicsOptions(iterations=np.int32(7)), "iterations", 7),
        (PhysicsOptions(iterations=7.0), "iterations", 7),
        (SiteSpec("s", group=2.0), "group", 2),
        (SceneObject("c", shape="sphere", size=[1], condim=np.int64(4)), "condim", 4),
        (SceneObject("c", shape="sphere", size=[1], condim=4.0), "condim", 4),
    ],
)
def test_counts_are_ints(spec: Any, name: str, value: int) -> None:
    assert getattr(spec, name) == value
    assert type(getattr(spec, name)) is int


def test_true_is_no_contact_dimension() -> None:
    with pytest.raises(SpecError, match="condim"):
        SceneObject("c", shape="sphere", size=[1], condim=True)


def test_pixels_are_ints() -> None:
    resolution = CameraSpec("c", resolution=[320, 240.0]).resolution
    assert resolution == (320, 240)
    assert {type(r) for r in resolution} == {int}


@pytest.mark.parametrize("given", [0.5, np.float64(0.5), np.float32(0.5), [0.5], (0.5,)])
def test_friction_may_be_the_first_number_alone(given: Any) -> None:
    assert SceneObject("c", shape="sphere", size=[1], friction=given).friction == (0.5,)


def test_flags_are_sorted_pairs_in_any_form() -> None:
    wanted = (("contact", True), ("gravity", False))
    for given in (
        {"gravity": False, "contact": True},
        [("gravity", False), ["contact", True]],
        wanted,
    ):
        assert PhysicsOptions(flags=given).flags == wanted


def test_flags_given_twice_are_refused() -> None:
    with pytest.raises(SpecError, match="gravity"):
        PhysicsOptions(flags=[("gravity", False), ("gravity", True)])


def test_flags_are_those_of_mujoco() -> None:
    # The oracle is the schema that MuJoCo itself parses with: a flag it does not know fails.
    for flag in FLAGS:
        mujoco.MjSpec.from_string(f'<mujoco><option><flag {flag}="enable"/></option></mujoco>')
    bits = {
        name.split("_")[1].lower()
        for enum in (mujoco.mjtDisableBit, mujoco.mjtEnableBit)
        for name in enum.__members__
        if not name.startswith("mjN")
    }
    assert bits == set(FLAGS)


@pytest.mark.parametrize("option", sorted(WORDS))
def test_words_are_mjcfs_in_the_order_of_mujocos_enum(option: str) -> None:
    for i, word in enumerate(WORDS[option]):
        spec = mujoco.MjSpec.from_string(f'<mujoco><option {option}="{word}"/></mujoco>')
        assert int(getattr(spec.option, option)) == i
        assert getattr(PhysicsOptions(**{option: word}), option) == word


def test_options_are_fields_of_mujocos_option_and_all_of_them() -> None:
    ours = {f.name for f in dataclasses.fields(PhysicsOptions)} - {"flags"}
    theirs = {n for n in dir(mujoco.MjOption()) if not n.startswith("_")}
    assert theirs - ours == {"disableflags", "enableflags", "disableactuator"}
    assert ours <= theirs


@pytest.mark.parametrize("given", ["velocity", "VELOCITY", "Velocity", CtrlMode.VELOCITY])
def test_modes_may_be_named_by_words(given: Any) -> None:
    assert CtrlModeSpec(given, kv=1).mode is CtrlMode.VELOCITY
    assert RobotSpec("a.xml", initial_mode=given).initial_mode is CtrlMode.VELOCITY


def test_gains_are_one_float_or_a_tuple_of_them() -> None:
    assert CtrlModeSpec("position", kp=5).kp == 5.0
    assert CtrlModeSpec("position", kp=[5, 6]).kp == (5.0, 6.0)
    assert CtrlModeSpec("position", kp=np.array([5, 6])).kp == (5.0, 6.0)
    controller = BodyController(linear=[1, 2], angular=np.array([3, 4]))
    assert (controller.linear, controller.angular) == ((1.0, 2.0), (3.0, 4.0))


@pytest.mark.parametrize("home", [{"a": 1, "b": 2}, [("a", 1), ("b", 2)], (["a", 1], ["b", 2])])
def test_home_by_joint_is_pairs_in_the_order_given(home: Any) -> None:
    assert RobotSpec("a.xml", home=home).home == (("a", 1.0), ("b", 2.0))


def test_home_of_two_numbers_is_no_pair() -> None:
    assert RobotSpec("a.xml", home=[0.1, 0.2]).home == (0.1, 0.2)
    assert RobotSpec("a.xml", home="rest").home == "rest"


def test_contact_exclusions_are_pairs_of_names() -> None:
    robot = RobotSpec("a.xml", contact_exclusions=[["table", "base"], ("a", "b")])
    assert robot.contact_exclusions == (("table", "base"), ("a", "b"))


@pytest.mark.parametrize(
    ("given", "count"), [(False, 0), (None, 0), (True, 1), (LightSpec("sun"), 1), ([], 0)]
)
def test_light_is_a_tuple_of_lights(given: Any, count: int) -> None:
    light = SceneSpec(light=given).light
    assert type(light) is tuple
    assert len(light) == count
    assert {type(item) for item in light} <= {LightSpec}


def test_floor_and_sky_may_be_true() -> None:
    scene = SceneSpec(floor=True, sky=True)
    assert (scene.floor, scene.sky) == (FloorSpec(), SkySpec())
    assert SceneSpec(floor=False, sky=False) == SceneSpec()


def test_path_objects_are_kept_as_text() -> None:
    path = Path("robots") / "arm.xml"
    assert RobotSpec(path).path == str(path)
    assert AttachmentSpec(path, attach_to=site("s")).path == str(path)
    assert SceneObject("c", path=path).path == str(path)


@pytest.mark.parametrize(
    ("fields", "label"),
    [
        ({"name": "own", "prefix": "left/"}, "own"),
        ({"prefix": "left/"}, "left"),
        ({"prefix": "left_"}, "left"),
        ({}, "arm"),
        ({"path": "menagerie:ur5e/scene"}, "ur5e"),
        ({"path": "mjscene:panda"}, "panda"),
        ({"path": XML}, "tool"),
        ({"path": "<mujoco/>"}, "robot"),
        ({"path": mujoco.MjSpec.from_string(XML)}, "tool"),
    ],
)
def test_label_is_name_else_prefix_else_model(fields: dict[str, Any], label: str) -> None:
    fields = {"path": "robots/arm.xml", **fields}
    assert RobotSpec(**fields).label == label
    assert AttachmentSpec(**fields, attach_to=site("s")).label == label


@pytest.mark.parametrize(
    ("path", "shape"),
    [
        ("cup.obj", "mesh"),
        ("cup.STL", "mesh"),
        ("cup.msh", "mesh"),
        ("cup.xml", "mjcf"),
        (XML, "mjcf"),
    ],
)
def test_shape_of_an_object_is_told_from_its_path(path: str, shape: str) -> None:
    assert SceneObject("cup", path=path).shape == shape
