"""Objects: every shape and kind of motion, against closed forms and models written by hand."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from field_models import ARM, OBJ, alone, build, ids, matrix, names_of, refusal, world_matrix

from mjscene import FloorSpec, PhysicsOptions, RobotSpec, SceneObject, SpecError, body, site

TURN = (0.18257418583505536, 0.3651483716701107, 0.5477225575051661, 0.7302967433402214)
GEOM = mujoco.mjtGeom
WATER = 1000.0  # MuJoCo's default density [kg/m³]

# Shape, size, MuJoCo's type, volume [m³] and the inertia per mass about the three axes [m²].
A, B, C, R, H = 0.1, 0.2, 0.3, 0.15, 0.25
_BALLS = 4 / 3 * math.pi * R**3
_TUBE = math.pi * R**2 * 2 * H


def capsule_inertia() -> tuple[float, float]:
    """Transverse and axial inertia per mass of a cylinder with two half balls at its ends."""
    tube, balls = _TUBE / (_TUBE + _BALLS), _BALLS / (_TUBE + _BALLS)
    axial = tube * R**2 / 2 + balls * 2 / 5 * R**2
    # A half ball's centre is 3R/8 off its flat side; about that centre it has 83/320 R² per mass.
    across = tube * (R**2 / 4 + H**2 / 3) + balls * (83 / 320 * R**2 + (H + 3 / 8 * R) ** 2)
    return across, axial


SHAPES: dict[str, tuple[tuple[float, ...], Any, float, tuple[float, float, float]]] = {
    "box": (
        (A, B, C),
        GEOM.mjGEOM_BOX,
        8 * A * B * C,
        ((B**2 + C**2) / 3, (A**2 + C**2) / 3, (A**2 + B**2) / 3),
    ),
    "sphere": ((R,), GEOM.mjGEOM_SPHERE, _BALLS, (2 / 5 * R**2,) * 3),
    "cylinder": (
        (R, H),
        GEOM.mjGEOM_CYLINDER,
        _TUBE,
        (R**2 / 4 + H**2 / 3, R**2 / 4 + H**2 / 3, R**2 / 2),
    ),
    "capsule": (
        (R, H),
        GEOM.mjGEOM_CAPSULE,
        _TUBE + _BALLS,
        (capsule_inertia()[0], capsule_inertia()[0], capsule_inertia()[1]),
    ),
    "ellipsoid": (
        (A, B, C),
        GEOM.mjGEOM_ELLIPSOID,
        4 / 3 * math.pi * A * B * C,
        ((B**2 + C**2) / 5, (A**2 + C**2) / 5, (A**2 + B**2) / 5),
    ),
}
CUBE_OBJ = "".join(f"v {x} {y} {z}\n" for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)) + (
    "f 1 2 4\nf 1 4 3\nf 5 7 8\nf 5 8 6\nf 1 5 6\nf 1 6 2\n"
    "f 3 4 8\nf 3 8 7\nf 1 3 7\nf 1 7 5\nf 2 6 8\nf 2 8 4\n"
)
CRATE = """<mujoco model="crate"><option cone="elliptic"/><worldbody><body name="box" pos="0 0 .1">
 {free}<geom name="wall" type="box" size=".1 .1 .1" mass="2" friction=".3"/>
 <body name="lid" pos="0 0 .1"><joint name="hinge" axis="0 1 0"/><geom size=".05" mass=".5"/></body>
 </body></worldbody><actuator><motor name="open" joint="hinge"/></actuator>
 <sensor><jointpos name="angle" joint="hinge"/></sensor></mujoco>"""


def inertia(scene: Any, name: str) -> list[float]:
    """Principal inertia per mass of an object's body."""
    return sorted(scene.model.body(name).inertia / scene.model.body(name).mass)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("matter", [{}, {"density": 250.0}, {"mass": 3.5}])
def test_a_primitive_has_the_size_mass_and_inertia_of_its_shape(shape: str, matter: Any) -> None:
    size, kind, volume, moments = SHAPES[shape]
    scene = build(objects=[SceneObject("thing", shape=shape, size=size, **matter)])
    geom = scene.model.geom("thing")
    assert geom.type[0] == kind
    np.testing.assert_array_equal(geom.size, [*size, 0, 0][:3])
    mass = matter.get("mass", volume * matter.get("density", WATER))
    assert scene.model.body("thing").mass[0] == pytest.approx(mass, rel=1e-12)
    assert inertia(scene, "thing") == pytest.approx(sorted(moments), rel=1e-9)


@pytest.mark.parametrize(
    ("scale", "half"), [((), (1, 1, 1)), ((0.1,), (0.1,) * 3), ((0.1, 0.2, 0.3), (0.1, 0.2, 0.3))]
)
def test_a_mesh_is_scaled_by_its_size(
    tmp_path: Path, scale: tuple[float, ...], half: tuple[float, ...]
) -> None:
    file = tmp_path / "cube.obj"
    file.write_text(CUBE_OBJ)
    scene = build(objects=[SceneObject("thing", path=file, size=scale, mass=2, pos=(1, 2, 3))])
    a, b, c = half
    assert scene.model.geom("thing").type[0] == GEOM.mjGEOM_MESH
    assert scene.model.body("thing").mass[0] == pytest.approx(2)
    expected = sorted([(b**2 + c**2) / 3, (a**2 + c**2) / 3, (a**2 + b**2) / 3])
    assert inertia(scene, "thing") == pytest.approx(expected, rel=1e-6)
    np.testing.assert_array_equal(scene.data.body("thing").xpos, (1, 2, 3))


def test_two_objects_of_one_mesh_file_share_it(tmp_path: Path) -> None:
    file = tmp_path / "cube.obj"
    file.write_text(CUBE_OBJ)
    things = [SceneObject(n, path=file, size=[0.1], pos=(i, 0, 0)) for i, n in enumerate("ab")]
    scene = build(objects=things)
    assert scene.model.nmesh == 1
    assert len(scene.report.merged_assets) == 1
    assert build(objects=[things[0], SceneObject("c", path=file)]).model.nmesh == 2


def test_a_missing_mesh_is_refused_with_its_place(tmp_path: Path) -> None:
    error = refusal(objects=[SceneObject("thing", path=tmp_path / "no.stl")])
    assert (error.where, error.file) == ("objects[0].path", str(tmp_path / "no.stl"))


# Motion


def test_a_free_object_falls_by_g_t_squared_over_two() -> None:
    thing = SceneObject("thing", shape="sphere", size=[0.1], pos=(1, 2, 3), quat=TURN)
    scene = build(objects=[thing], options=PhysicsOptions(timestep=0.001))
    assert names_of(scene.model, OBJ.mjOBJ_JOINT, 1) == ["thing_joint0"]
    np.testing.assert_allclose(world_matrix(scene, "body", "thing"), matrix((1, 2, 3), TURN))
    scene.step(100)
    # Semi-implicit Euler: after n steps the fall is g h² n (n + 1) / 2.
    fall = 9.81 * 0.001**2 * 100 * 101 / 2
    assert scene.data.joint("thing_joint0").qpos[2] == pytest.approx(3 - fall, rel=1e-12)


def test_a_fixed_object_stays_and_a_mocap_one_goes_where_it_is_told() -> None:
    rock = SceneObject("rock", shape="sphere", size=[0.1], pos=(1, 0, 0), quat=TURN, fixed=True)
    ghost = SceneObject("ghost", shape="sphere", size=[0.1], pos=(0, 1, 0), quat=TURN, mocap=True)
    scene = build(objects=[rock, ghost])
    assert (scene.model.nq, scene.model.nmocap) == (0, 1)
    np.testing.assert_allclose(world_matrix(scene, "body", "ghost"), matrix((0, 1, 0), TURN))
    scene.data.mocap_pos[0] = (5, 5, 5)
    scene.step(10)
    np.testing.assert_allclose(world_matrix(scene, "body", "rock"), matrix((1, 0, 0), TURN))
    np.testing.assert_array_equal(scene.data.body("ghost").xpos, (5, 5, 5))


def test_an_object_on_a_robots_link_moves_with_it_and_weighs_on_it() -> None:
    tray = SceneObject(
        "tray",
        shape="box",
        size=[0.05] * 3,
        mass=2,
        fixed=True,
        attach_to=site("a/tip"),
        pos=(0, 0, 0.1),
        quat=TURN,
    )
    scene = build(RobotSpec(ARM, prefix="a/"), objects=[tray])
    for q in (0.0, 0.9):
        scene.data.qpos[:] = q
        scene.forward()
        np.testing.assert_allclose(
            world_matrix(scene, "body", "tray"),
            world_matrix(scene, "site", "a/tip") @ matrix((0, 0, 0.1), TURN),
            atol=1e-15,
        )
        # The joint's axis is +y: a weight m at horizontal x pulls with m g x about it.
        weights = (1, scene.data.body("a/link").xipos[0]), (2, scene.data.body("tray").xipos[0])
        pull = sum(mass * 9.81 * x for mass, x in weights)
        assert scene.data.qfrc_bias[0] == pytest.approx(-pull, rel=1e-12)


@pytest.mark.parametrize("moving", [{}, {"mocap": True}])
def test_only_a_fixed_object_can_be_on_something(moving: Any) -> None:
    with pytest.raises(SpecError, match=r"only be attached to the world.*body 'a/link'"):
        SceneObject("thing", shape="sphere", size=[0.1], attach_to=body("a/link"), **moving)


# Contact


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, (1, 0.005, 0.0001)),
        (0.3, (0.3, 0.005, 0.0001)),
        ((0.3,), (0.3, 0.005, 0.0001)),
        ((0.3, 0.02), (0.3, 0.02, 0.0001)),
        ((0.3, 0.02, 0.001), (0.3, 0.02, 0.001)),
    ],
)
def test_friction_that_is_not_given_is_mujocos(given: Any, expected: Any) -> None:
    scene = build(objects=[SceneObject("thing", shape="sphere", size=[0.1], friction=given)])
    np.testing.assert_array_equal(scene.model.geom("thing").friction, expected)


def test_condim_and_rgba_are_those_of_the_spec_else_mujocos() -> None:
    painted = SceneObject("p", shape="sphere", size=[0.1], condim=6, rgba=(0.1, 0.2, 0.3, 0.4))
    scene = build(objects=[painted, SceneObject("q", shape="sphere", size=[0.1], pos=(1, 0, 0))])
    found = [(int(scene.model.geom(n).condim[0]), scene.model.geom(n).rgba.tolist()) for n in "pq"]
    assert found[0] == (6, [np.float32(v) for v in (0.1, 0.2, 0.3, 0.4)])
    assert found[1] == (3, [0.5, 0.5, 0.5, 1.0])


@pytest.mark.parametrize(("friction", "slides"), [(0.5, True), (0.7, False)])
def test_a_box_slides_on_a_slope_when_friction_is_below_its_tangent(
    friction: float, *, slides: bool
) -> None:
    tilt = math.atan(0.6)
    gravity = (9.81 * math.sin(tilt), 0, -9.81 * math.cos(tilt))
    thing = SceneObject(
        "thing", shape="box", size=[0.1, 0.1, 0.02], pos=(0, 0, 0.02), friction=friction
    )
    options = PhysicsOptions(gravity=gravity, cone="elliptic", impratio=10)
    # The larger friction of a pair counts: the floor has none.
    scene = build(objects=[thing], floor=FloorSpec(friction=(0.0,)), options=options)
    scene.step(500)
    assert (scene.data.body("thing").xpos[0] > 0.1) == slides


# MJCF assets


@pytest.mark.parametrize("free", ["", '<freejoint name="loose"/>'])
@pytest.mark.parametrize("kind", ["free", "fixed", "mocap"])
def test_an_asset_moves_as_the_object_says_and_keeps_all_it_has(free: str, kind: str) -> None:
    motion = {} if kind == "free" else {kind: True}
    thing = SceneObject("crate", path=CRATE.format(free=free), pos=(1, 2, 3), quat=TURN, **motion)
    scene = build(RobotSpec(ARM, prefix="a/", pos=(9, 0, 0)), objects=[thing])
    model = scene.model
    ids(model, OBJ.mjOBJ_JOINT, "crate/hinge")
    ids(model, OBJ.mjOBJ_ACTUATOR, "crate/open")
    ids(model, OBJ.mjOBJ_SENSOR, "crate/angle")
    assert model.geom("crate/wall").friction[0] == 0.3
    np.testing.assert_allclose(
        world_matrix(scene, "body", "crate/box"), matrix((1, 2, 3), TURN) @ matrix((0, 0, 0.1))
    )
    joints = names_of(model, OBJ.mjOBJ_JOINT, model.njnt)
    assert ("crate_joint0" in joints) == (kind == "free")
    assert "crate/loose" not in joints
    assert model.body("crate").mocapid[0] == (0 if kind == "mocap" else -1)
    assert model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC
    if kind == "free":
        file = alone(CRATE.format(free="<freejoint/>"))
        assert model.body("crate").subtreemass[0] == pytest.approx(file.body_subtreemass[0])
        before = scene.data.body("crate/box").xpos.copy()
        scene.step(10)
        assert scene.data.body("crate/box").xpos[2] < before[2]


@pytest.mark.parametrize(
    ("asset", "words"),
    [
        (
            '<body name="a"><freejoint name="x"/><geom size=".1"/></body>'
            '<body name="b"><freejoint name="y"/><geom size=".1"/></body>',
            "2 free bodies",
        ),
        ('<body name="a" mocap="true"><geom size=".1"/></body>', "mocap body 'a'"),
        (
            '<body name="a"><joint name="hinge"/><geom size=".1"/></body>',
            "fixed=True",  # nothing of it belongs to the body that is to be free
        ),
    ],
)
def test_an_asset_that_is_not_one_body_is_refused_with_what_to_do(asset: str, words: str) -> None:
    file = f'<mujoco model="m"><worldbody>{asset}</worldbody></mujoco>'
    error = refusal(objects=[SceneObject("thing", path=file)])
    assert str(error.where).startswith("objects[0]")
    assert words in str(error)
