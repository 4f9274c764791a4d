"""The differential-drive base: its README's numbers, recomputed, and its motion on a floor.

Lengths in m, masses in kg, torques in N·m, wheel speeds in rad/s. Frame of the base: origin on the
floor under the middle of the axle, x forward, z up.
"""

from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest

XML = Path(__file__).resolve().parents[1] / "robots" / "diff_drive" / "diff_drive.xml"
INTEGRATORS = [mujoco.mjtIntegrator.mjINT_IMPLICITFAST, mujoco.mjtIntegrator.mjINT_EULER]
SIDES = ("left", "right")
GRAVITY = 9.81

# Neobotix MP-500 (README, "Sources").
WHEEL_RADIUS, WHEEL_WIDTH = 0.260 / 2, 0.085
FRONT, REAR, DECK_FRONT, DECK_REAR = 0.296, -0.527, 0.183, -0.493
DECK_HEIGHT, DECK_WIDTH, MAX_WIDTH, CLEARANCE = 0.358, 0.551, 0.592, 0.070
TRACK = MAX_WIDTH - WHEEL_WIDTH
MASS, WHEEL_MASS = 70.0, 1.82362
CASTER_X = -0.43
GEAR = 8 * 1.5
MOTOR_PEAK_TORQUE, MOTOR_RATED_TORQUE = 2.85, 0.95
MAX_SPEED, MAX_ACCELERATION = 1.5, 2.4

# Lowest and highest corner of every geom of the body, and of a rim and its mark about the axle.
EXTENTS = {
    "lower_shell": ((DECK_REAR, -0.205, CLEARANCE), (DECK_FRONT, 0.205, 0.265)),
    "upper_shell": ((DECK_REAR, -DECK_WIDTH / 2, 0.265), (DECK_FRONT, DECK_WIDTH / 2, 0.348)),
    "deck": ((DECK_REAR, -DECK_WIDTH / 2, 0.348), (DECK_FRONT, DECK_WIDTH / 2, DECK_HEIGHT)),
    "scanner_housing": ((DECK_FRONT, -0.15, 0.16), (FRONT, 0.15, 0.259)),
    "scanner": ((0.18, -0.05, CLEARANCE), (0.28, 0.05, 0.16)),
    "rear_bumper": ((REAR, -0.205, 0.09), (DECK_REAR, 0.205, 0.17)),
    "caster": ((CASTER_X - 0.05, -0.05, 0), (CASTER_X + 0.05, 0.05, 0.1)),
}
RIM_RADIUS, MARK_RADIUS, MARK_X = 0.080, 0.012, 0.050

BASE_MASS = MASS - 2 * WHEEL_MASS
COM_X = (DECK_FRONT + DECK_REAR) / 2
WHEEL_INERTIA = WHEEL_MASS * WHEEL_RADIUS**2 / 2
KV = 7.5


def on_floor(
    integrator: mujoco.mjtIntegrator = INTEGRATORS[0], load: float = 0.0
) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The base on a plane, settled for 0.5 s, with a load [kg] on its `mount_site`."""
    spec = mujoco.MjSpec.from_file(str(XML))
    spec.option.integrator = integrator
    spec.worldbody.add_geom(
        name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], friction=[1.5, 0, 0]
    )
    if load:
        site = spec.site("mount_site")
        body = spec.body("base").add_body(name="arm", pos=site.pos)
        body.add_geom(
            name="arm",
            type=mujoco.mjtGeom.mjGEOM_CYLINDER,
            size=[0.075, 0.4, 0],
            pos=[0, 0, 0.4],
            mass=load,
        )
    model = spec.compile()
    data = mujoco.MjData(model)
    run(model, data, 0.5)
    return model, data


def run(model: mujoco.MjModel, data: mujoco.MjData, seconds: float) -> None:
    """Step for a time [s]."""
    for _ in range(round(seconds / model.opt.timestep)):
        mujoco.mj_step(model, data)


def loads(model: mujoco.MjModel, data: mujoco.MjData) -> dict[str, float]:
    """Normal force [N] of the floor on each of the base's geoms that touch it."""
    result: dict[str, float] = {}
    wrench = np.zeros(6)
    for index, contact in enumerate(data.contact):
        mujoco.mj_contactForce(model, data, index, wrench)
        (name,) = {model.geom(int(geom)).name for geom in contact.geom} - {"floor"}
        result[name] = result.get(name, 0.0) + wrench[0]
    return result


def rolling_radius(data: mujoco.MjData) -> float:
    """Radius [m] of rolling: MuJoCo puts a contact half way into the overlap."""
    return WHEEL_RADIUS + np.mean([contact.dist for contact in data.contact if contact.dim > 1]) / 2


def test_file_keeps_the_rules_of_the_shipped_models() -> None:
    root = ElementTree.parse(XML).getroot()
    assert root.find("compiler").get("angle") == "radian"
    assert root.find("worldbody/geom") is None
    assert not {node.tag for node in root.iter()} & {"mesh", "light", "hfield", "option"}
    sections = ["worldbody", "contact", "actuator", "sensor", "keyframe"]
    parts = [part for name in sections for part in root.find(name).iter() if part.tag != name]
    assert len(parts) > 30
    assert {part.tag for part in parts if "name" not in part.attrib} == {"inertial"}
    assert [part.tag for part in root.iter() if "group" in part.attrib] == []


def test_mass_and_inertia_are_the_derived_ones() -> None:
    model = mujoco.MjModel.from_xml_path(str(XML))
    base = model.body("base")
    assert model.body_subtreemass[base.id] == pytest.approx(MASS, abs=1e-9)
    assert base.mass[0] == pytest.approx(BASE_MASS, abs=1e-9)
    size = np.array([DECK_FRONT - DECK_REAR, DECK_WIDTH, DECK_HEIGHT - CLEARANCE])
    box = BASE_MASS / 12 * ((size**2).sum() - size**2)
    np.testing.assert_allclose(base.inertia, box, rtol=5e-5)  # the file gives five digits
    np.testing.assert_allclose(base.ipos, [COM_X, 0, (DECK_HEIGHT + CLEARANCE) / 2], atol=1e-12)
    across = WHEEL_MASS * (3 * WHEEL_RADIUS**2 + WHEEL_WIDTH**2) / 12
    for side in SIDES:
        wheel = model.body(f"{side}_wheel")
        assert wheel.mass[0] == WHEEL_MASS
        np.testing.assert_allclose(wheel.inertia, [across, WHEEL_INERTIA, across], rtol=1e-5)


def test_outline_is_the_data_sheets() -> None:
    model = mujoco.MjModel.from_xml_path(str(XML))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for name, corners in EXTENTS.items():
        middle, half = np.mean(corners, axis=0), np.diff(corners, axis=0)[0] / 2
        np.testing.assert_allclose(data.geom(name).xpos, middle, atol=1e-12, err_msg=name)
        box = model.geom_aabb[model.geom(name).id, 3:]
        np.testing.assert_allclose(box, half, atol=1e-12, err_msg=name)
    np.testing.assert_allclose(data.site("mount_site").xpos, [COM_X, 0, DECK_HEIGHT], atol=1e-12)
    np.testing.assert_allclose(data.site("scanner_site").xpos, [0.230, 0, 0.110], atol=1e-12)
    for side, sign in zip(SIDES, (1, -1), strict=True):
        place = [0, sign * TRACK / 2, WHEEL_RADIUS]
        np.testing.assert_allclose(data.geom(f"{side}_tyre").xpos, place, atol=1e-12)
        size = [WHEEL_RADIUS, WHEEL_WIDTH / 2, WHEEL_RADIUS]
        np.testing.assert_allclose(model.geom(f"{side}_tyre").size, size, atol=1e-12)
        for name, radius, x in (("rim", RIM_RADIUS, 0), ("spoke", MARK_RADIUS, MARK_X)):
            geom = model.geom(f"{side}_{name}")
            np.testing.assert_allclose(geom.pos, [x, 0, 0], atol=1e-12)
            np.testing.assert_allclose(geom.size[:2], [radius, WHEEL_WIDTH / 2], atol=3e-4)
            assert data.geom(geom.id).xmat[5] == pytest.approx(-1)  # its axis along the axle
            assert geom.contype[0] == geom.conaffinity[0] == 0


def test_drives_have_the_motors_torque_and_speed() -> None:
    model = mujoco.MjModel.from_xml_path(str(XML))
    for side in SIDES:
        drive = model.actuator(f"{side}_drive")
        peak = MOTOR_PEAK_TORQUE * GEAR
        np.testing.assert_allclose(drive.forcerange, [-peak, peak], rtol=1e-12)
        assert drive.ctrlrange[1] == pytest.approx(MAX_SPEED / WHEEL_RADIUS, abs=2e-3)
        assert drive.ctrlrange[0] == -drive.ctrlrange[1]
        assert drive.gainprm[0] == -drive.biasprm[2] == KV
    # The published acceleration asks for about the motors' rated torque: the figures agree.
    wheel_torque = MASS * MAX_ACCELERATION * WHEEL_RADIUS / 2
    assert wheel_torque == pytest.approx(MOTOR_RATED_TORQUE * GEAR, rel=0.05)


def test_torque_saturates_at_the_limit() -> None:
    model, data = on_floor()
    data.ctrl[:] = model.actuator_ctrlrange[:, 1]
    mujoco.mj_step(model, data)
    np.testing.assert_allclose(data.actuator_force, MOTOR_PEAK_TORQUE * GEAR, rtol=1e-12)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_start_pose_rests_on_the_floor(integrator: mujoco.mjtIntegrator) -> None:
    model, data = on_floor(integrator)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    np.testing.assert_array_equal(data.qpos, model.qpos0)
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose([contact.dist for contact in data.contact], [0] * 3, atol=1e-12)
    run(model, data, 2.0)
    # 1 mm is the width of MuJoCo's default solimp: beyond it a contact has its full stiffness.
    assert -1e-3 < data.qpos[2] < 0
    np.testing.assert_allclose(data.qpos[:2], 0, atol=1e-6)
    np.testing.assert_allclose(data.qvel, 0, atol=1e-6)
    caster = BASE_MASS * GRAVITY * COM_X / CASTER_X
    wheel = (MASS * GRAVITY - caster) / 2
    expected = {"caster": caster, "left_tyre": wheel, "right_tyre": wheel}
    assert loads(model, data) == pytest.approx(expected, rel=1e-4)


def test_caster_is_frictionless_on_any_floor() -> None:
    model, data = on_floor()
    dims = {contact.dim for contact in data.contact if model.geom("caster").id in contact.geom}
    assert dims == {1}
    np.testing.assert_array_equal(model.geom("caster").friction, 0)
    friction = [contact.friction[0] for contact in data.contact if contact.dim == 3]
    assert friction == [0.8, 0.8]  # the tyre's, though the floor of this test has 1.5


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("load", [0.0, 20.0])
@pytest.mark.parametrize("speed", [-5.0, 1.0, 11.5])
def test_equal_speeds_drive_straight(
    speed: float, load: float, integrator: mujoco.mjtIntegrator
) -> None:
    model, data = on_floor(integrator, load)
    data.ctrl[:] = speed
    run(model, data, 3.0)
    velocity = data.qvel[:3]
    assert velocity[0] == pytest.approx(speed * WHEEL_RADIUS, rel=2e-3)
    assert velocity[0] == pytest.approx(speed * rolling_radius(data), rel=1e-5)
    np.testing.assert_allclose(data.qpos[[1, 4, 6]], 0, atol=1e-9)
    assert min(loads(model, data).values()) > 0
    assert len(loads(model, data)) == 3


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("speed", [-1.0, 0.5, 1.0])
def test_opposite_speeds_turn_on_the_spot(speed: float, integrator: mujoco.mjtIntegrator) -> None:
    model, data = on_floor(integrator)
    data.ctrl[:] = -speed, speed
    run(model, data, 3.0)
    yaw_rate = data.qvel[5]
    assert yaw_rate == pytest.approx(speed * 2 * WHEEL_RADIUS / TRACK, rel=5e-3)
    # The mass behind the axle is pulled inward by both wheels: each servo droops by the same.
    droop = BASE_MASS * yaw_rate**2 * COM_X * WHEEL_RADIUS / 2 / KV
    np.testing.assert_allclose(data.qvel[6:] - data.ctrl, droop, rtol=0.05)
    assert np.linalg.norm(data.qpos[:2]) < 0.02


def test_speed_builds_up_with_the_derived_time_constant() -> None:
    # Euler, the integrator whose step is the plain one: implicitfast's step differs by kv * dt / I.
    model, data = on_floor(mujoco.mjtIntegrator.mjINT_EULER)
    data.ctrl[:] = 1.0
    time_constant = (MASS * WHEEL_RADIUS**2 / 2 + WHEEL_INERTIA) / KV
    start = data.time
    for _ in range(4):
        run(model, data, time_constant / 2)
        share = data.qvel[0] / WHEEL_RADIUS
        expected = 1 - np.exp(-(data.time - start) / time_constant)
        assert share == pytest.approx(expected, abs=0.025)  # one step, of the time constant


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_lifted_wheels_do_not_overshoot(integrator: mujoco.mjtIntegrator) -> None:
    model = mujoco.MjModel.from_xml_path(str(XML))
    model.opt.integrator = integrator
    model.opt.gravity[:] = 0
    assert KV * model.opt.timestep / WHEEL_INERTIA < 1
    data = mujoco.MjData(model)
    data.ctrl[:] = 4.0  # below the torque limit, which is reached at 4.56
    speeds = []
    for _ in range(100):
        mujoco.mj_step(model, data)
        speeds.append(data.sensor("left_wheel_vel").data[0])
    assert max(speeds) <= 4.0 + 1e-9
    assert speeds[-1] == pytest.approx(4.0, rel=1e-6)
