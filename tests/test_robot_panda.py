"""The compiled Panda equals the published robot, checked without MuJoCo's own formulas.

The tables are the published ones (sources: `robots/panda/README.md`), typed a second time. Forward
kinematics, mass matrix, gravity and servo gains are recomputed from them in plain numpy. Units are
m, rad, kg, s, N m. Link frame i is the modified (Craig) DH frame i.
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

XML = Path(__file__).resolve().parents[1] / "robots" / "panda" / "panda.xml"
N = 7
GRAVITY = 9.81  # m/s^2, MuJoCo's default

# Rows a [m], d [m], alpha [rad]: joints 1..7, then the flange.
DH = np.array(
    [
        (0.0, 0.333, 0.0),
        (0.0, 0.0, -np.pi / 2),
        (0.0, 0.316, np.pi / 2),
        (0.0825, 0.0, np.pi / 2),
        (-0.0825, 0.384, -np.pi / 2),
        (0.0, 0.0, np.pi / 2),
        (0.088, 0.0, np.pi / 2),
        (0.0, 0.107, 0.0),
    ]
)
MASS = np.array([4.970684, 0.646926, 3.228604, 3.587895, 1.225946, 1.666555, 0.735522])  # kg
COM = np.array(  # m, link frames
    [
        (3.875e-3, 2.081e-3, -0.1750),
        (-3.141e-3, -2.872e-2, 3.495e-3),
        (2.7518e-2, 3.9252e-2, -6.6502e-2),
        (-5.317e-2, 1.04419e-1, 2.7454e-2),
        (-1.1953e-2, 4.1065e-2, -3.8437e-2),
        (6.0149e-2, -1.4117e-2, -1.0517e-2),
        (1.0517e-2, -4.252e-3, 6.1597e-2),
    ]
)
INERTIA = np.array(  # kg m^2 about the centre of mass, link axes: xx xy xz yy yz zz
    [
        (7.0337e-1, -1.3900e-4, 6.7720e-3, 7.0661e-1, 1.9169e-2, 9.1170e-3),
        (7.9620e-3, -3.9250e-3, 1.0254e-2, 2.8110e-2, 7.0400e-4, 2.5995e-2),
        (3.7242e-2, -4.7610e-3, -1.1396e-2, 3.6155e-2, -1.2805e-2, 1.0830e-2),
        (2.5853e-2, 7.7960e-3, -1.3320e-3, 1.9552e-2, 8.6410e-3, 2.8323e-2),
        (3.5549e-2, -2.1170e-3, -4.0370e-3, 2.9474e-2, 2.2900e-4, 8.6270e-3),
        (1.9640e-3, 1.0900e-4, -1.1580e-3, 4.3540e-3, 3.4100e-4, 5.4330e-3),
        (1.2516e-2, -4.2800e-4, -1.1960e-3, 1.0027e-2, -7.4100e-4, 4.8150e-3),
    ]
)[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(N, 3, 3)
LOWER = np.array([-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973])
UPPER = np.array([2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973])
TORQUE = np.array([87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0])  # N m
HOME = np.array([0, -np.pi / 4, 0, -3 * np.pi / 4, 0, np.pi / 2, np.pi / 4])
TOTAL_MASS = 17.8  # kg, product manual
BANDWIDTH = 2 * np.pi * 5  # rad/s; damping ratio 1
PAYLOAD, LEVER = 3.0, 0.1034  # kg, m: rated load, Franka Hand's grasp point ahead of the flange

CONFIGURATIONS = st.tuples(*(st.floats(lo, hi) for lo, hi in zip(LOWER, UPPER, strict=True)))


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
    """world_from_frame, shape (8, 4, 4) [m], of links 1..7 and the flange at q (7,) [rad]."""
    transform, out = np.eye(4), []
    for (a, d, alpha), theta in zip(DH, [*q, 0.0], strict=True):
        ca, sa, ct, s = np.cos(alpha), np.sin(alpha), np.cos(theta), np.sin(theta)
        step = [(ct, -s, 0, a), (s * ca, ct * ca, -sa, -d * sa), (s * sa, ct * sa, ca, d * ca)]
        transform = transform @ np.array([*step, (0, 0, 0, 1)])
        out.append(transform)
    return np.array(out)


def centres(q: Array) -> Array:
    """World positions (7, 3) [m] of the centres of mass at q (7,) [rad]."""
    links = frames(q)[:N]
    return links[:, :3, 3] + np.einsum("kij,kj->ki", links[:, :3, :3], COM)


def gravity_torque(q: Array) -> Array:
    """dV/dq (7,) [N m], central differences of V = sum(m g z); error about 1e-8 N m."""
    steps = 1e-5 * np.eye(N)
    rise = [MASS @ (centres(q + h) - centres(q - h))[:, 2] for h in steps]
    return GRAVITY * np.array(rise) / 2e-5


def mass_matrix(q: Array, com: Array = COM, inertia: Array = INERTIA) -> Array:
    """M (7, 7) [kg m^2]: sum over links of m Jv'Jv + Jw' R I R' Jw with geometric Jacobians."""
    links, total = frames(q), np.zeros((N, N))
    axes, origins = links[:N, :3, 2], links[:N, :3, 3]
    for k in range(N):
        rotation = links[k, :3, :3]
        centre = origins[k] + rotation @ com[k]
        moved = (np.arange(N) <= k)[:, None]
        jv, jw = np.cross(axes, centre - origins) * moved, axes * moved
        total += MASS[k] * jv @ jv.T + jw @ rotation @ inertia[k] @ rotation.T @ jw.T
    return total


def loaded_inertia(q: Array) -> Array:
    """M_jj + m (r_j + l)^2, (7,) [kg m^2]; r_j is the flange's distance from joint axis j."""
    links = frames(q)
    arms = np.cross(links[:N, :3, 2], links[N, :3, 3] - links[:N, :3, 3])
    return np.diag(mass_matrix(q)) + PAYLOAD * (np.linalg.norm(arms, axis=1) + LEVER) ** 2


def test_file_holds_the_robot_and_nothing_else(model: mujoco.MjModel) -> None:
    assert (model.nq, model.nv, model.nu, model.nkey) == (N, N, N, 1)
    assert model.nmesh == model.nlight == model.ncam == 0
    assert model.body_geomnum[0] == 0
    assert model.opt.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST


def test_every_element_is_named_and_no_actuator_has_a_group(model: mujoco.MjModel) -> None:
    root = ET.parse(XML).getroot()
    parts = [e for tag in ("worldbody", "actuator", "keyframe") for e in root.iter(tag)]
    elements = [e for p in parts for e in p.iter() if e is not p and e.tag != "inertial"]
    assert len(elements) == 8 + 7 + 33 + 1 + 7 + 1  # bodies, joints, geoms, site, servos, key
    assert [e.tag for e in elements if "name" not in e.attrib] == []
    servos = list(root.iter("position"))
    assert len(servos) == N + 3  # with those of the default classes
    assert not any("group" in servo.attrib for servo in servos)
    assert not model.actuator_group.any()


@settings(deadline=None, max_examples=60, derandomize=True)
@given(CONFIGURATIONS)
def test_forward_kinematics_is_the_dh_table(model: mujoco.MjModel, q: tuple[float, ...]) -> None:
    """Every link frame and the flange. Eight products of numbers near 1: rounding below 1e-14."""
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    placed = [data.body(f"link{k + 1}") for k in range(N)] + [data.site("attachment_site")]
    for element, frame in zip(placed, frames(np.array(q)), strict=True):
        np.testing.assert_allclose(element.xpos, frame[:3, 3], atol=1e-12)
        np.testing.assert_allclose(element.xmat.reshape(3, 3), frame[:3, :3], atol=1e-12)


@pytest.mark.parametrize("k", range(N))
def test_link_inertias_are_published_and_feasible(model: mujoco.MjModel, k: int) -> None:
    """MuJoCo keeps principal moments and axes; R diag R' is the table again (measured: 4e-15)."""
    body = model.body(f"link{k + 1}")
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
    """The base is what the manual's weight leaves, a uniform box 0.22 x 0.19 x 0.145 m."""
    assert model.body_mass.sum() == pytest.approx(TOTAL_MASS, abs=1e-9)
    x, y, z = np.square([0.22, 0.19, 0.145])
    box = (TOTAL_MASS - MASS.sum()) / 12 * np.array([y + z, x + z, x + y])
    np.testing.assert_allclose(model.body("link0").inertia, box, rtol=1e-5)


def test_mass_matrix_and_gravity(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """M against geometric Jacobians (rounding, 1e-12), gravity against dV/dq (step error, 1e-7)."""
    rng, full = np.random.default_rng(7), np.zeros((N, N))
    for q in rng.uniform(LOWER, UPPER, (20, N)):
        data.qpos[:], data.qvel[:] = q, 0
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, full)
        np.testing.assert_allclose(full, mass_matrix(q), atol=1e-12)
        np.testing.assert_allclose(data.qfrc_bias, gravity_torque(q), atol=1e-7)


def test_first_moments_agree_with_the_authors_regression() -> None:
    """Signs and frames of the table: its moments [kg m] against the same paper's regression.

    Both were fitted to the same data, the table under feasibility bounds: they differ by up to
    0.0092 kg m (0.09 N m); a wrong sign in one of these sums would show as 0.02 or more.
    """
    m, (x, y, z) = MASS, COM.T
    a, d = DH[:, 0], DH[:, 1]
    moments_and_fit = [
        (-d[2] * m[2:].sum() + y[1] * m[1] - z[2] * m[2], -3.10258),
        (a[3] * m[3:].sum() + x[2] * m[2], 0.687353),
        (y[2] * m[2] - z[3] * m[3], 0.0233765),
        (a[4] * m[4:].sum() + x[3] * m[3], -0.488836),
        (d[4] * m[4:].sum() + y[3] * m[3] + z[4] * m[4], 1.718488),
        (y[4] * m[4] - z[5] * m[5], 0.0770532),
        (a[6] * m[6] + x[5] * m[5], 0.165681),
        (y[5] * m[5] - z[6] * m[6], -0.0677117),
    ]
    np.testing.assert_allclose(*zip(*moments_and_fit, strict=True), atol=0.01)


def test_what_a_fixed_upright_base_cannot_show() -> None:
    """Link 1's c_z and its xx, xy, xz, yy, yz do not enter M: any values give the same arm."""
    com, inertia = COM.copy(), INERTIA.copy()
    com[0, 2], inertia[0] = 0.3, np.diag([0.1, 0.2, INERTIA[0, 2, 2]])
    for q in np.random.default_rng(3).uniform(LOWER, UPPER, (5, N)):
        np.testing.assert_allclose(mass_matrix(q, com, inertia), mass_matrix(q), atol=1e-12)


def test_limits(model: mujoco.MjModel) -> None:
    np.testing.assert_array_equal(model.jnt_range, np.stack([LOWER, UPPER], 1))
    np.testing.assert_array_equal(model.actuator_ctrlrange, model.jnt_range)
    for limits in (model.jnt_actfrcrange, model.actuator_forcerange):
        np.testing.assert_array_equal(limits, np.stack([-TORQUE, TORQUE], 1))
    for switch in (model.jnt_limited, model.jnt_actfrclimited, model.actuator_ctrllimited):
        assert switch.all()
    for unsourced in (model.dof_damping, model.dof_frictionloss, model.dof_armature):
        assert not unsourced.any()


def test_servo_gains_follow_from_the_worst_joint_inertia(model: mujoco.MjModel) -> None:
    """kp = J w^2 and kv = 2 J w, written to three digits (0.5 %); the ascent finds J to 0.1 %."""
    rng, worst = np.random.default_rng(5), np.zeros(N)
    samples = rng.uniform(LOWER, UPPER, (150, N))
    values = np.array([loaded_inertia(q) for q in samples])
    for j in range(N):
        q = samples[values[:, j].argmax()]
        for k in [1, 2, 3, 4, 5, 6] * 2:
            line = np.tile(q, (31, 1))
            line[:, k] = np.linspace(LOWER[k], UPPER[k], 31)
            q = max([q, *line], key=lambda p: loaded_inertia(p)[j])
        worst[j] = loaded_inertia(q)[j]
    kp, bias = model.actuator_gainprm[:, 0], model.actuator_biasprm
    np.testing.assert_allclose(kp, worst * BANDWIDTH**2, rtol=7e-3)
    np.testing.assert_allclose(-bias[:, 2], 2 * worst * BANDWIDTH, rtol=7e-3)
    np.testing.assert_array_equal(bias[:, 1], -kp)


def test_no_mode_of_the_bare_arm_rings(model: mujoco.MjModel) -> None:
    """det(M s^2 + Kv s + Kp) has real roots only, none slower than w/2 = 15.7 1/s (1 %)."""
    kp, kv = model.actuator_gainprm[:, 0], -model.actuator_biasprm[:, 2]
    for q in np.random.default_rng(11).uniform(LOWER, UPPER, (300, N)):
        inverse = np.linalg.inv(mass_matrix(q))
        system = np.block([[np.zeros((N, N)), np.eye(N)], [-inverse * kp, -inverse * kv]])
        roots = np.linalg.eigvals(system)
        assert np.isreal(roots).all()
        assert roots.real.max() < -0.99 * BANDWIDTH / 2


def test_home(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    key = model.key("home")
    np.testing.assert_allclose(key.qpos, HOME, atol=1e-15)
    np.testing.assert_array_equal(key.ctrl, key.qpos)
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(data.site("attachment_site").xmat[[2, 5, 8]], [0, 0, -1], atol=1e-12)
    assert data.ncon == 0
    data.qpos[:] = 0
    mujoco.mj_forward(model, data)
    assert data.ncon == 0


def test_home_holds_within_the_servo_sag(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """After 5 s of 2 ms steps the sag e solves kp e = tau_g(home - e), found here by iteration.

    The slowest mode has decayed by exp(-78); gravity_torque is good to 1e-8 N m and kp at least
    36.5 N m/rad: e agrees to 1e-9 rad. The closed form tau_g(home)/kp is its first order.
    """
    assert model.opt.timestep == 0.002
    for _ in range(2500):
        mujoco.mj_step(model, data)
    kp, sag = model.actuator_gainprm[:, 0], np.zeros(N)
    for _ in range(60):
        sag = gravity_torque(HOME - sag) / kp
    np.testing.assert_allclose(HOME - data.qpos, sag, atol=1e-9)
    np.testing.assert_allclose(sag, gravity_torque(HOME) / kp, atol=np.abs(sag).max() ** 2)
    assert 0.009 < np.abs(sag).max() < 0.01
    assert not any(w.number for w in data.warning)


def test_no_servo_pushes_harder_than_its_joint(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    data.ctrl[:] = np.where(HOME > 0, LOWER, UPPER)
    mujoco.mj_forward(model, data)
    assert np.abs(data.ctrl - HOME).min() > 1
    np.testing.assert_array_equal(data.qfrc_actuator, np.where(HOME > 0, -TORQUE, TORQUE))
