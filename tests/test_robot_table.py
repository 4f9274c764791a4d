"""The table: its README's dimensions, and a box that comes to rest on it.

Lengths in m, masses in kg. Frame of the table: origin on the floor under the middle of the top, x
from the rear edge, where arms are mounted, to the front edge, z up.
"""

from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest

XML = Path(__file__).resolve().parents[1] / "robots" / "table" / "table.xml"
INTEGRATORS = [mujoco.mjtIntegrator.mjINT_IMPLICITFAST, mujoco.mjtIntegrator.mjINT_EULER]

# README, "Sources" and "Derivation".
HEIGHT, WIDTH, DEPTH, THICKNESS = 0.75, 1.60, 0.80, 0.03
OVERHANG, INSET = 0.01, 0.10
LEG, RAIL_WIDTH, WALL = 0.06, 0.03, 0.002
WOOD, STEEL = 700.0, 7850.0
LEG_LENGTH = HEIGHT - THICKNESS


@pytest.fixture
def model() -> mujoco.MjModel:
    """The compiled file, alone."""
    return mujoco.MjModel.from_xml_path(str(XML))


def tube_mass(width: float, height: float, length: float) -> float:
    """Mass [kg] of a rectangular steel tube with the README's wall."""
    area = width * height - (width - 2 * WALL) * (height - 2 * WALL)
    return area * length * STEEL


def expected_masses() -> dict[str, float]:
    """Mass [kg] of every geom, from its material and its section."""
    clear_depth = DEPTH - 2 * OVERHANG - 2 * LEG
    clear_width = WIDTH - 2 * OVERHANG - 2 * LEG
    legs = [f"leg_{end}_{side}" for end in ("front", "rear") for side in ("left", "right")]
    masses = dict.fromkeys(legs, tube_mass(LEG, LEG, LEG_LENGTH))
    masses |= dict.fromkeys(["rail_left", "rail_right"], tube_mass(RAIL_WIDTH, LEG, clear_depth))
    masses["rail_rear"] = tube_mass(RAIL_WIDTH, LEG, clear_width)
    masses["top"] = WIDTH * DEPTH * THICKNESS * WOOD
    return masses


def test_file_keeps_the_rules_of_the_shipped_models() -> None:
    root = ElementTree.parse(XML).getroot()
    assert root.find("compiler").get("angle") == "radian"
    assert root.find("worldbody/geom") is None
    assert not {node.tag for node in root.iter()} & {"mesh", "light", "joint", "freejoint"}
    parts = [part for part in root.find("worldbody").iter() if part.tag != "worldbody"]
    assert len(parts) == 12
    assert [part.tag for part in parts if "name" not in part.attrib] == []
    assert [part.tag for part in root.iter() if "group" in part.attrib] == []


def test_heights_and_footprint(model: mujoco.MjModel) -> None:
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert model.nv == data.ncon == 0
    top, place = model.geom("top").size, data.geom("top").xpos
    np.testing.assert_allclose(2 * top, [DEPTH, WIDTH, THICKNESS], atol=1e-12)
    np.testing.assert_allclose(place, [0, 0, HEIGHT - THICKNESS / 2], atol=1e-12)
    low = np.min(data.geom_xpos - model.geom_size, axis=0)
    high = np.max(data.geom_xpos + model.geom_size, axis=0)
    np.testing.assert_allclose(low, [-DEPTH / 2, -WIDTH / 2, 0], atol=1e-12)
    np.testing.assert_allclose(high, [DEPTH / 2, WIDTH / 2, HEIGHT], atol=1e-12)
    legs = [i for i in range(model.ngeom) if model.geom(i).name.startswith("leg_")]
    corner = [DEPTH / 2 - OVERHANG, WIDTH / 2 - OVERHANG, LEG_LENGTH]
    outer = np.abs(data.geom_xpos[legs]) + model.geom_size[legs]
    np.testing.assert_allclose(outer, np.tile(corner, (4, 1)), atol=1e-12)
    rails = {name: model.geom(f"rail_{name}") for name in ("left", "right", "rear")}
    axis_x, axis_y = DEPTH / 2 - OVERHANG - LEG / 2, WIDTH / 2 - OVERHANG - LEG / 2
    side = [2 * axis_x - LEG, RAIL_WIDTH, LEG]
    rear = [RAIL_WIDTH, 2 * axis_y - LEG, LEG]
    expected = {"left": (0, axis_y, side), "right": (0, -axis_y, side), "rear": (-axis_x, 0, rear)}
    for name, (x, y, size) in expected.items():
        np.testing.assert_allclose(2 * rails[name].size, size, atol=1e-12)
        np.testing.assert_allclose(rails[name].pos, [x, y, LEG_LENGTH - LEG / 2], atol=1e-12)
    # EN 527-1: a fixed seated desk is 740 to 760 mm high, its top at most 50 mm thick.
    assert 0.74 <= HEIGHT <= 0.76
    assert THICKNESS <= 0.05


def test_sites_lie_on_the_top(model: mujoco.MjModel) -> None:
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    x = -DEPTH / 2 + INSET
    places = {"mount_site": 0.0, "mount_left": WIDTH / 4, "mount_right": -WIDTH / 4}
    for name, y in places.items():
        np.testing.assert_allclose(data.site(name).xpos, [x, y, HEIGHT], atol=1e-12)
        np.testing.assert_allclose(data.site(name).xmat, np.eye(3).ravel(), atol=1e-12)
        # A ray from above meets the top exactly at the site.
        above, down = np.array([x, y, 2.0]), np.array([0, 0, -1.0])
        hit = np.array([-1], np.int32)
        distance = mujoco.mj_ray(model, data, above, down, None, True, -1, hit)
        assert hit[0] == model.geom("top").id
        assert distance == pytest.approx(2.0 - HEIGHT, abs=1e-12)


def test_masses_and_inertia(model: mujoco.MjModel) -> None:
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    masses = expected_masses()
    assert len(masses) == model.ngeom
    assert model.body("table").mass[0] == pytest.approx(sum(masses.values()), rel=1e-4)
    # MuJoCo takes every geom as a solid box: add them up about the common centre of mass.
    weight = np.array([masses[model.geom(i).name] for i in range(model.ngeom)])
    centre = weight @ data.geom_xpos / weight.sum()
    np.testing.assert_allclose(model.body("table").ipos, centre, atol=1e-5)
    inertia = np.zeros((3, 3))
    for mass, place, half in zip(weight, data.geom_xpos, model.geom_size, strict=True):
        offset, size = place - centre, 2 * half
        inertia += np.diag(mass / 12 * ((size**2).sum() - size**2))
        inertia += mass * (offset @ offset * np.eye(3) - np.outer(offset, offset))
    principal = np.linalg.eigvalsh(inertia)
    np.testing.assert_allclose(np.sort(model.body("table").inertia), principal, rtol=1e-4)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("place", [(0.0, 0.0), (0.3, -0.7), (-0.35, 0.75)])
def test_dropped_box_rests_on_the_top(
    place: tuple[float, float], integrator: mujoco.mjtIntegrator
) -> None:
    half, drop = 0.03, 0.05
    spec = mujoco.MjSpec.from_file(str(XML))
    spec.option.integrator = integrator
    box = spec.worldbody.add_body(name="box", pos=[*place, HEIGHT + half + drop])
    box.add_freejoint()
    box.add_geom(name="box", type=mujoco.mjtGeom.mjGEOM_BOX, size=[half] * 3, mass=0.5)
    model = spec.compile()
    data = mujoco.MjData(model)
    for _ in range(1000):
        mujoco.mj_step(model, data)
    sunk = HEIGHT + half - data.body("box").xpos[2]
    # 1 mm is the width of MuJoCo's default solimp: beyond it a contact has its full stiffness.
    assert 0 < sunk < 1e-3
    np.testing.assert_allclose(data.body("box").xpos[:2], place, atol=1e-4)
    np.testing.assert_allclose(data.qvel, 0, atol=1e-4)
