"""The compiled UR5e equals the published robot, checked without MuJoCo's own formulas.

The tables are the published ones (sources: `robots/ur5e/README.md`), typed a second time. Forward
kinematics, mass matrix, gravity and the torques that hold `home` are recomputed from them in plain
numpy. Units are m, rad, kg, s, N m. Link frame i is the (standard) DH frame i, at the far end of
link i.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

Array = NDArray[np.float64]

XML = Path(__file__).resolve().parents[1] / "robots" / "ur5e" / "ur5e.xml"
N = 6
GRAVITY = 9.81  # m/s^2, MuJoCo's default

LINKS = ("shoulder", "upper_arm", "forearm", "wrist_1", "wrist_2", "wrist_3")
JOINTS = ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")
# Rows a [m], d [m], alpha [rad].
DH = np.array(
    [
        (0.0, 0.1625, np.pi / 2),
        (-0.425, 0.0, 0.0),
        (-0.3922, 0.0, 0.0),
        (0.0, 0.1333, np.pi / 2),
        (0.0, 0.0997, -np.pi / 2),
        (0.0, 0.0996, 0.0),
    ]
)
MASS = np.array([3.761, 8.058, 2.846, 1.37, 1.3, 0.365])  # kg
COM = np.array(  # m, link frames
    [
        (0.0, -0.02561, 0.00193),
        (0.2125, 0.0, 0.11336),
        (0.15, 0.0, 0.0265),
        (0.0, -0.0018, 0.01634),
        (0.0, 0.0018, 0.01634),
        (0.0, 0.0, -0.001159),
    ]
)
INERTIA = np.array(  # kg m^2 about the centre of mass, link axes: xx xy xz yy yz zz
    [
        (0.00700210, 0.00000073, -0.00001053, 0.00648091, 0.00049994, 0.00657286),
        (0.01505885, -0.00005400, 0.00000563, 0.33388086, -0.00000181, 0.33247207),
        (0.00399632, -0.00001365, 0.00137272, 0.07879254, -0.00000660, 0.07848510),
        (0.00165491, -0.00000282, -0.00000438, 0.00135962, 0.00010157, 0.00126279),
        (0.00135617, -0.00000274, 0.00000444, 0.00127827, -0.00005048, 0.00096614),
        (0.00018694, 0.00000006, -0.00000017, 0.00018908, -0.00000092, 0.00025756),
    ]
)[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(N, 3, 3)
REACH = np.pi * np.array([2.0, 2.0, 1.0, 2.0, 2.0, 2.0])  # rad, either way
TORQUE = np.array([150.0, 150.0, 150.0, 28.0, 28.0, 28.0])  # N m
HOME = np.pi * np.array([1.0, -0.5, 0.5, -0.5, -0.5, 0.0])
TOTAL_MASS = 20.6  # kg, data sheet

CONFIGURATIONS = st.tuples(*(st.floats(-reach, reach) for reach in REACH))


@pytest.fixture(scope="module")
def model() -> mujoco.MjModel:
    """The file compiled alone."""
    return mujoco.MjModel.from_xml_path(str(XML))


@pytest.fixture
def data(model: mujoco.MjModel) -> mujoco.MjData:
    """A fresh state at the keyframe `home`."""
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    return data


def frames(q: Array) -> Array:
    """world_from_frame, shape (7, 4, 4) [m], of the base and links 1..6 at q (6,) [rad]."""
    out = [np.eye(4)]
    for (a, d, alpha), theta in zip(DH, q, strict=True):
        ca, sa, c, s = np.cos(alpha), np.sin(alpha), np.cos(theta), np.sin(theta)
        step = [(c, -s * ca, s * sa, a * c), (s, c * ca, -c * sa, a * s), (0, sa, ca, d)]
        out.append(out[-1] @ np.array([*step, (0, 0, 0, 1)]))
    return np.array(out)


def centres(q: Array) -> Array:
    """World positions (6, 3) [m] of the centres of mass at q (6,) [rad]."""
    links = frames(q)[1:]
    return links[:, :3, 3] + np.einsum("kij,kj->ki", links[:, :3, :3], COM)


def gravity_torque(q: Array) -> Array:
    """dV/dq (6,) [N m], central differences of V = sum(m g z); error about 1e-8 N m."""
    steps = 1e-5 * np.eye(N)
    rise = [MASS @ (centres(q + h) - centres(q - h))[:, 2] for h in steps]
    return GRAVITY * np.array(rise) / 2e-5


def mass_matrix(q: Array) -> Array:
    """M (6, 6) [kg m^2]: sum over links of m Jv'Jv + Jw' R I R' Jw with geometric Jacobians.

    Joint i turns about the z axis of frame i-1.
    """
    placed, mass_centres, total = frames(q), centres(q), np.zeros((N, N))
    axes, origins = placed[:N, :3, 2], placed[:N, :3, 3]
    for k in range(N):
        rotation = placed[k + 1, :3, :3]
        moved = (np.arange(N) <= k)[:, None]
        jv, jw = np.cross(axes, mass_centres[k] - origins) * moved, axes * moved
        total += MASS[k] * jv @ jv.T + jw @ rotation @ INERTIA[k] @ rotation.T @ jw.T
    return total


def test_file_holds_the_robot_and_nothing_else(model: mujoco.MjModel) -> None:
    assert (model.nq, model.nv, model.nu, model.nkey) == (N, N, N, 1)
    assert model.nmesh == model.nlight == model.ncam == 0
    assert model.body_geomnum[0] == 0
    assert model.opt.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST


def test_every_element_is_named_and_no_actuator_has_a_group(model: mujoco.MjModel) -> None:
    root = ET.parse(XML).getroot()
    parts = [e for tag in ("worldbody", "actuator", "keyframe") for e in root.iter(tag)]
    elements = [e for p in parts for e in p.iter() if e is not p and e.tag != "inertial"]
    assert len(elements) == 7 + 6 + 30 + 1 + 6 + 1  # bodies, joints, geoms, site, motors, key
    assert [e.tag for e in elements if "name" not in e.attrib] == []
    motors = list(root.iter("motor"))
    assert len(motors) == N + 3  # with those of the default classes
    assert not any("group" in motor.attrib for motor in motors)
    assert not model.actuator_group.any()
    assert [model.body(k + 2).name for k in range(N)] == list(LINKS)
    assert [model.joint(k).name for k in range(N)] == [f"{name}_joint" for name in JOINTS]
    assert [model.actuator(k).name for k in range(N)] == [f"{name}_motor" for name in JOINTS]


@settings(deadline=None, max_examples=60, derandomize=True)
@given(CONFIGURATIONS)
def test_forward_kinematics_is_the_dh_table(model: mujoco.MjModel, q: tuple[float, ...]) -> None:
    """Every link frame and the flange. Six products of numbers near 1: rounding below 1e-14."""
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    expected = frames(np.array(q))
    placed = [*(data.body(name) for name in ("base", *LINKS)), data.site("attachment_site")]
    for element, frame in zip(placed, [*expected, expected[N]], strict=True):
        np.testing.assert_allclose(element.xpos, frame[:3, 3], atol=1e-12)
        np.testing.assert_allclose(element.xmat.reshape(3, 3), frame[:3, :3], atol=1e-12)


@pytest.mark.parametrize("k", range(N))
def test_link_inertias_are_published_and_feasible(model: mujoco.MjModel, k: int) -> None:
    """MuJoCo keeps principal moments and axes; R diag R' is the table again (rounding)."""
    body = model.body(LINKS[k])
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, body.iquat)
    tensor = rotation.reshape(3, 3) * body.inertia @ rotation.reshape(3, 3).T
    np.testing.assert_array_equal(body.mass, MASS[k])
    np.testing.assert_array_equal(body.ipos, COM[k])
    np.testing.assert_allclose(tensor, INERTIA[k], atol=1e-12)
    moments = np.linalg.eigvalsh(INERTIA[k])
    assert moments[0] > 0
    assert moments[0] + moments[1] > moments[2]


def test_base_and_total_mass(model: mujoco.MjModel) -> None:
    """The base is what the data sheet's weight leaves, a uniform cylinder of its footprint."""
    base, radius, height = model.body("base"), 0.149 / 2, 0.1
    assert model.body_mass.sum() == pytest.approx(TOTAL_MASS, abs=1e-12)
    mass = TOTAL_MASS - MASS.sum()
    across = mass * (3 * radius**2 + height**2) / 12
    np.testing.assert_allclose(base.inertia, [across, across, mass * radius**2 / 2], rtol=1e-5)
    np.testing.assert_allclose(base.ipos, [0, 0, height / 2], atol=1e-15)


def test_mass_matrix_and_gravity(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """M against geometric Jacobians (rounding, 1e-12), gravity against dV/dq (step error, 1e-7)."""
    rng, full = np.random.default_rng(7), np.zeros((N, N))
    for q in rng.uniform(-REACH, REACH, (20, N)):
        data.qpos[:], data.qvel[:] = q, 0
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, full)
        np.testing.assert_allclose(full, mass_matrix(q), atol=1e-12)
        np.testing.assert_allclose(data.qfrc_bias, gravity_torque(q), atol=1e-7)


def test_limits(model: mujoco.MjModel) -> None:
    np.testing.assert_array_equal(model.jnt_range, np.stack([-REACH, REACH], 1))
    for limits in (model.actuator_ctrlrange, model.jnt_actfrcrange):
        np.testing.assert_array_equal(limits, np.stack([-TORQUE, TORQUE], 1))
    for switch in (model.jnt_limited, model.jnt_actfrclimited, model.actuator_ctrllimited):
        assert switch.all()
    for unsourced in (model.dof_damping, model.dof_frictionloss, model.dof_armature):
        assert not unsourced.any()


def test_motors_are_plain_and_saturate(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Gear 1, unit gain, no bias, no filter: joint torque is the command, clamped."""
    for sign in (1.0, -1.0):
        data.ctrl[:] = sign * np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
        mujoco.mj_forward(model, data)
        np.testing.assert_array_equal(data.qfrc_actuator, data.ctrl)
        data.ctrl[:] = sign * 1e3
        mujoco.mj_forward(model, data)
        np.testing.assert_array_equal(data.qfrc_actuator, sign * TORQUE)


def test_home_is_where_the_dh_table_says(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Upper arm up, forearm along +x, tool down; nothing touches here or at zero."""
    np.testing.assert_allclose(model.key("home").qpos, HOME, atol=1e-15)
    mujoco.mj_forward(model, data)
    site = data.site("attachment_site")
    (a2, a3), (d1, d4, d5, d6) = DH[1:3, 0], DH[[0, 3, 4, 5], 1]
    np.testing.assert_allclose(site.xpos, [d5 - a3, d4, d1 - a2 - d6], atol=1e-12)
    np.testing.assert_allclose(site.xmat[[2, 5, 8]], [0, 0, -1], atol=1e-12)
    assert data.ncon == 0
    data.qpos[:] = 0
    mujoco.mj_forward(model, data)
    assert data.ncon == 0


def test_home_torques_balance_gravity_for_five_seconds(
    model: mujoco.MjModel, data: mujoco.MjData
) -> None:
    """Open loop. The pose is an inverted pendulum whose fastest mode grows as exp(5.1 t).

    A rounding error of 1e-15 rad may reach 1e-15 exp(5.1 * 5) = 1.2e-4 rad.
    """
    np.testing.assert_allclose(model.key("home").ctrl, gravity_torque(HOME), atol=1e-7)
    for _ in range(2500):
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(data.qpos, HOME, atol=1.2e-4)
    assert data.time == pytest.approx(5.0)


def test_computed_torque_brings_a_pushed_arm_home(
    model: mujoco.MjModel, data: mujoco.MjData
) -> None:
    """ctrl = M(-w^2 e - 2 w de) + bias makes every joint e'' = -w^2 e - 2 w e', w = 5 1/s.

    From e = 0.1 rad at rest e(t) = 0.1 (1 + w t) exp(-w t); at t = 2 s and with 2 ms steps (first
    order, w t * w dt = 10 %) it is 5e-5 rad to 12 %. 5 s leave 4e-11 rad.
    """
    w, start, full = 5.0, 0.1, np.zeros((N, N))
    data.qpos[:] = HOME + start
    errors = []
    for _ in range(2500):
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, full)
        wanted = -(w**2) * (data.qpos - HOME) - 2 * w * data.qvel
        data.ctrl[:] = full @ wanted + data.qfrc_bias
        assert np.all(np.abs(data.ctrl) < TORQUE)
        mujoco.mj_step(model, data)
        errors.append(data.qpos - HOME)
    np.testing.assert_allclose(errors[999], start * (1 + 2 * w) * np.exp(-2 * w), rtol=0.12)
    np.testing.assert_allclose(errors[-1], 0, atol=1e-9)


def test_a_dropped_arm_falls_as_its_mass_and_gravity_say(
    model: mujoco.MjModel, data: mujoco.MjData
) -> None:
    """No torque: it starts with -M^-1 tau_g (to 1e-6 rad/s^2), and 5 s stay finite."""
    data.ctrl[:] = 0
    mujoco.mj_forward(model, data)
    expected = -np.linalg.solve(mass_matrix(HOME), gravity_torque(HOME))
    np.testing.assert_allclose(data.qacc, expected, atol=1e-6)
    for _ in range(2500):
        mujoco.mj_step(model, data)
    assert data.time == pytest.approx(5.0)
    assert not any(warning.number for warning in data.warning)
    assert np.all(np.abs(data.qpos) < REACH + 0.1)
