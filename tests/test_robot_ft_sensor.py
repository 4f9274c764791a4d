"""The force/torque sensor: its README's numbers, and its readings against closed-form weights.

Lengths in m, forces in N, torques in N·m, masses in kg. Sensor frame: `ft_site`, z out of the tool
face.
"""

from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

XML = Path(__file__).resolve().parents[1] / "robots" / "ft_sensor" / "ft_sensor.xml"
INTEGRATORS = [mujoco.mjtIntegrator.mjINT_IMPLICITFAST, mujoco.mjtIntegrator.mjINT_EULER]
GRAVITY = np.array([0, 0, -9.81])

# Bota SensONE (README, "Sources").
RADIUS, HEIGHT = 0.035, 0.035
MOUNTING_MASS, IMU_MASS, WRENCH_MASS = 0.14931, 0.008415, 0.081117
MOUNTING_COM_Z, MOUNTING_INERTIA = 0.010132, 4.8806e-5
BASE_HEIGHT = 0.020
TOOL_HEIGHT = HEIGHT - BASE_HEIGHT
TOOL_COM = np.array([0, 0, -TOOL_HEIGHT / 2])  # of ft_tool itself, in the sensor frame

LOAD_MASS = 0.5
LOAD_COM = np.array([0.02, -0.01, 0.06])  # in the frame of attachment_site

Vector = npt.NDArray[np.float64]


def with_load(quat: tuple[float, ...], com: Vector = LOAD_COM) -> mujoco.MjModel:
    """The sensor at an orientation (w, x, y, z), world from base, with a load on its tool face."""
    spec = mujoco.MjSpec.from_file(str(XML))
    spec.body("ft_base").quat = quat
    site = spec.site("attachment_site")
    load = spec.body("ft_tool").add_body(name="load", pos=site.pos, quat=site.quat)
    load.add_geom(
        name="load",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[0.02, 0.02, 0.05],
        pos=com,
        mass=LOAD_MASS,
    )
    return spec.compile()


def reading(model: mujoco.MjModel, data: mujoco.MjData) -> tuple[Vector, Vector]:
    """Force and torque of the two sensors, in the sensor frame."""
    mujoco.mj_forward(model, data)
    return data.sensor("force").data.copy(), data.sensor("torque").data.copy()


def weights(quat: tuple[float, ...], com: Vector = LOAD_COM) -> tuple[Vector, Vector]:
    """What the base has to push with: minus the weights and their moments about `ft_site`."""
    rotation = np.zeros(9)
    unit = np.array(quat) / np.linalg.norm(quat)
    mujoco.mju_quat2Mat(rotation, unit)
    down = rotation.reshape(3, 3).T @ GRAVITY
    parts = [(WRENCH_MASS, TOOL_COM), (LOAD_MASS, com)]
    force = -sum(mass * down for mass, _ in parts)
    torque = -sum(np.cross(place, mass * down) for mass, place in parts)
    return force, torque


def test_file_keeps_the_rules_of_the_shipped_models() -> None:
    root = ElementTree.parse(XML).getroot()
    assert root.find("compiler").get("angle") == "radian"
    assert root.find("worldbody/geom") is None
    assert not {node.tag for node in root.iter()} & {"mesh", "light", "joint", "freejoint"}
    sections = ["worldbody", "sensor"]
    parts = [part for name in sections for part in root.find(name).iter() if part.tag != name]
    assert len(parts) > 10
    assert {part.tag for part in parts if "name" not in part.attrib} == {"inertial"}
    assert [part.tag for part in root.iter() if "group" in part.attrib] == []


def test_masses_and_inertias_are_published_or_derived() -> None:
    model = mujoco.MjModel.from_xml_path(str(XML))
    masses = {"ft_base": MOUNTING_MASS + IMU_MASS, "ft_tool": WRENCH_MASS}
    heights = {"ft_base": BASE_HEIGHT, "ft_tool": TOOL_HEIGHT}
    for name, mass in masses.items():
        body, height = model.body(name), heights[name]
        across = mass * (3 * RADIUS**2 + height**2) / 12
        assert body.mass[0] == pytest.approx(mass, abs=1e-12)
        np.testing.assert_allclose(body.ipos, [0, 0, height / 2], atol=1e-12)
        cylinder = [across, across, mass * RADIUS**2 / 2]
        np.testing.assert_allclose(np.sort(body.inertia), np.sort(cylinder), rtol=2e-5)
    # The published CAD values of the mounting side stand by the cylinder: 20.3 mm high, and 4 %.
    assert abs(2 * MOUNTING_COM_Z - BASE_HEIGHT) < 5e-4
    cylinder = MOUNTING_MASS * (3 * RADIUS**2 + BASE_HEIGHT**2) / 12
    assert cylinder == pytest.approx(MOUNTING_INERTIA, rel=0.05)


def test_outline_and_sites() -> None:
    model = mujoco.MjModel.from_xml_path(str(XML))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for site in ("ft_site", "attachment_site"):
        np.testing.assert_allclose(data.site(site).xpos, [0, 0, HEIGHT], atol=1e-12)
        np.testing.assert_allclose(data.site(site).xmat, np.eye(3).ravel(), atol=1e-12)
    # Lower and upper face, and radius, of the cylinders round z.
    stack = {
        "ft_base_shell": (0, 0.018, RADIUS),
        "ft_base_ring": (0.018, BASE_HEIGHT, 0.0345),
        "ft_tool_shell": (BASE_HEIGHT, 0.033, RADIUS),
        "ft_tool_face": (0.033, HEIGHT, 0.063 / 2),
    }
    for name, (low, high, radius) in stack.items():
        place = [0, 0, (low + high) / 2]
        np.testing.assert_allclose(data.geom(name).xpos, place, atol=1e-12, err_msg=name)
        size = [radius, (high - low) / 2]
        np.testing.assert_allclose(model.geom(name).size[:2], size, atol=1e-12, err_msg=name)
    connector = data.geom("ft_connector")
    np.testing.assert_allclose(connector.xmat.reshape(3, 3)[:, 2], [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(connector.xpos, [RADIUS + 0.015 - 0.009, 0, 0.009], atol=1e-12)
    np.testing.assert_allclose(model.geom("ft_connector").size[:2], [0.006, 0.009], atol=1e-12)
    assert data.ncon == model.nv == 0
    assert model.body("ft_tool").parentid[0] == model.body("ft_base").id


def test_reading_is_what_the_base_pushes_with() -> None:
    model = mujoco.MjModel.from_xml_path(str(XML))
    force, torque = reading(model, mujoco.MjData(model))
    np.testing.assert_allclose(force, [0, 0, WRENCH_MASS * 9.81], atol=1e-12)
    np.testing.assert_allclose(torque, 0, atol=1e-12)
    # Hanging: z of the sensor points down, the base pulls the tool up, so Fz is negative.
    hanging = with_load((0, 1, 0, 0), np.array([0, 0, 0.06]))
    force, torque = reading(hanging, mujoco.MjData(hanging))
    np.testing.assert_allclose(force, [0, 0, -(LOAD_MASS + WRENCH_MASS) * 9.81], atol=1e-9)
    np.testing.assert_allclose(torque, 0, atol=1e-9)


@pytest.mark.parametrize(
    "quat",
    [
        (1, 0, 0, 0),
        (0, 1, 0, 0),
        (np.sqrt(0.5), np.sqrt(0.5), 0, 0),
        (np.sqrt(0.5), 0, -np.sqrt(0.5), 0),
        (0.5, 0.5, -0.5, 0.5),
        (0.9, 0.1, 0.3, -0.2),
    ],
)
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_load_at_an_orientation(quat: tuple[float, ...], integrator: mujoco.mjtIntegrator) -> None:
    model = with_load(quat)
    model.opt.integrator = integrator
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data)  # stepping, too: the readings are those of the step
    force, torque = weights(quat)
    np.testing.assert_allclose(data.sensor("force").data, force, atol=1e-6)
    np.testing.assert_allclose(data.sensor("torque").data, torque, atol=1e-6)


@given(
    quat=st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1),
    # Whole millimetres: MuJoCo takes a centre of mass within 1e-6 m of the body frame as on it.
    com_mm=st.tuples(*[st.integers(-100, 100)] * 3),
)
@settings(max_examples=50, deadline=None)
def test_load_at_any_orientation(
    quat: tuple[float, float, float, float], com_mm: tuple[int, int, int]
) -> None:
    com = np.array(com_mm) / 1000
    model = with_load(quat, com)
    force, torque = reading(model, mujoco.MjData(model))
    expected_force, expected_torque = weights(quat, com)
    np.testing.assert_allclose(force, expected_force, atol=1e-6)
    np.testing.assert_allclose(torque, expected_torque, atol=1e-6)


def test_outside_wrench_on_the_load_is_read_with_the_opposite_sign() -> None:
    model = with_load((1, 0, 0, 0))
    data = mujoco.MjData(model)
    still = reading(model, data)
    push, twist = np.array([3.0, -2.0, 1.5]), np.array([0.1, 0.2, -0.3])
    data.xfrc_applied[model.body("load").id] = [*push, *twist]  # acts at the load's centre of mass
    force, torque = reading(model, data)
    np.testing.assert_allclose(force - still[0], -push, atol=1e-9)
    np.testing.assert_allclose(torque - still[1], -(twist + np.cross(LOAD_COM, push)), atol=1e-9)


def test_load_pressed_against_a_wall_is_read() -> None:
    """A contact counts: a falling sensor's tool lands on the floor and reads the base's weight."""
    spec = mujoco.MjSpec.from_file(str(XML))
    base = spec.body("ft_base")
    base.pos, base.quat = [0, 0, HEIGHT], [0, 1, 0, 0]  # tool face down, on the floor
    base.add_joint(name="up", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    model = spec.compile()
    data = mujoco.MjData(model)
    for _ in range(1000):
        mujoco.mj_step(model, data)
    # The tool carries the base: the base pushes it down, which is +z of the sensor here.
    base_weight = (MOUNTING_MASS + IMU_MASS) * 9.81
    np.testing.assert_allclose(data.sensor("force").data, [0, 0, base_weight], atol=1e-6)
