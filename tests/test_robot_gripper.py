"""The gripper model: every number of its README, recomputed, and a box held by friction.

Lengths in m, forces in N, masses in kg. Frame of the hand: origin on the mounting face, z out of
the flange, the fingers move along y.
"""

from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

XML = Path(__file__).resolve().parents[1] / "robots" / "gripper" / "gripper.xml"
INTEGRATORS = [mujoco.mjtIntegrator.mjINT_IMPLICITFAST, mujoco.mjtIntegrator.mjINT_EULER]
FINGERS = ("left", "right")

# Published figures (README, "Sources").
TOTAL_MASS = 0.73
STROKE = 0.08
FORCE = 70.0
FINGER_SPEED = 0.05
TCP_HEIGHT = 0.1034
RAIL_HEIGHT = 0.0584
FINGER_MASS = 0.0291
HAND_MASS_CAD = 0.6544
HAND_INERTIA_CAD = np.array([[1860.0, 0, 0], [0, 300.0, -20.0], [0, -20.0, 1740.0]]) * 1e-6
FINGER_INERTIA_CAD = np.array([[8.49, 0, 0], [0, 8.53, -1.06], [0, -1.06, 1.77]]) * 1e-6

HAND_COM = (0.0, 0.0119, 0.0207)
FINGER_COM = (0.0, 0.015285, 0.0219675)

# Lowest and highest corner of every geom, fingers closed (README, "Lengths"); right mirrors left.
TOP = TCP_HEIGHT + 0.0185 / 2
EXTENTS = {
    "hand_flange": ((-0.0315, -0.0315, 0), (0.0315, 0.0315, 0.012)),
    "hand_housing": ((-0.03, -0.06, 0.012), (0.03, 0.06, 0.051)),
    "hand_end_left": ((-0.03, 0.03, 0.0123), (0.03, 0.09, 0.0507)),
    "hand_rail": ((-0.013, -0.076, 0.051), (0.013, 0.076, RAIL_HEIGHT)),
    "left_carriage": ((-0.011, 0.004, RAIL_HEIGHT), (0.011, 0.026, RAIL_HEIGHT + 0.02)),
    "left_link": ((-0.00875, 0.012, TOP - 0.0345), (0.00875, 0.02, TOP)),
    "left_pad": ((-0.00875, 0, TOP - 0.0185), (0.00875, 0.012, TOP)),
}

GRAVITY = 9.81
BOX_EDGE = 0.04
BOX_MASS = 0.2
SLIP_BOUND = 20e-6  # [m] in 2 s: four times the rate that `slip_rate` derives
# Hand pointing down, hand level with the fingers moving sideways, fingers moving up and down.
POINTING_DOWN = (0.0, 1.0, 0.0, 0.0)
LEVEL = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)
FINGERS_VERTICAL = (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)


@pytest.fixture
def model() -> mujoco.MjModel:
    """The compiled file, alone."""
    return mujoco.MjModel.from_xml_path(str(XML))


def grasp(
    hand_quat: tuple[float, ...],
    integrator: mujoco.mjtIntegrator,
    command: float = 0.0,
    box_mass: float = BOX_MASS,
    box_friction: float = 1.0,
) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """A box between the pads, the hand closed on it for 1.5 s without gravity, then gravity on.

    `hand_quat` is (w, x, y, z), world from hand; `command` is the opening [m] asked for.
    """
    spec = mujoco.MjSpec.from_file(str(XML))
    spec.option.integrator = integrator
    spec.body("hand").quat = hand_quat
    spec.delete(spec.key("open"))  # the box adds seven positions, which this key does not have
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, np.array(hand_quat))
    body = spec.worldbody.add_body(
        name="box", pos=rotation.reshape(3, 3) @ [0, 0, TCP_HEIGHT], quat=hand_quat
    )
    body.add_freejoint()
    size, friction = [BOX_EDGE / 2] * 3, [box_friction, 0, 0]
    shape = mujoco.mjtGeom.mjGEOM_BOX
    body.add_geom(name="box", type=shape, size=size, mass=box_mass, friction=friction)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[[model.joint(f"{finger}_finger_joint").qposadr[0] for finger in FINGERS]] = STROKE / 2
    data.ctrl[0] = command
    model.opt.gravity[:] = 0
    run(model, data, 1.5)
    model.opt.gravity[2] = -GRAVITY
    return model, data


def run(model: mujoco.MjModel, data: mujoco.MjData, seconds: float) -> None:
    """Step for a time [s]."""
    for _ in range(round(seconds / model.opt.timestep)):
        mujoco.mj_step(model, data)


def pad_forces(model: mujoco.MjModel, data: mujoco.MjData) -> dict[str, float]:
    """Normal force [N] on each pad, summed over its contact points."""
    total = dict.fromkeys(FINGERS, 0.0)
    wrench = np.zeros(6)
    for index, contact in enumerate(data.contact):
        names = {model.geom(int(geom)).name for geom in contact.geom}
        mujoco.mj_contactForce(model, data, index, wrench)
        for finger in FINGERS:
            total[finger] += wrench[0] if f"{finger}_pad" in names else 0.0
    return total


def slip_rate(model: mujoco.MjModel, points: int) -> float:
    """Slow slippage [m/s] of the held box, in closed form (README, "Pads")."""
    pad = model.geom("left_pad")
    impedance, most, time_constant = pad.solimp[0], pad.solimp[1], pad.solref[0]
    finger = 1 / (FINGER_MASS + model.joint("left_finger_joint").armature[0]) / 3
    regulariser = (1 - impedance) / impedance * (1 / BOX_MASS + finger) / model.opt.impratio
    damping = 2 / (most * time_constant)
    return regulariser * BOX_MASS * GRAVITY / points / damping


def test_file_keeps_the_rules_of_the_shipped_models() -> None:
    root = ElementTree.parse(XML).getroot()
    assert root.find("option").attrib == {"cone": "elliptic", "impratio": "10"}
    assert root.find("compiler").get("angle") == "radian"
    assert root.find("worldbody/geom") is None
    assert not {node.tag for node in root.iter()} & {"mesh", "light", "hfield"}
    sections = ["worldbody", "contact", "tendon", "equality", "actuator", "sensor", "keyframe"]
    parts = [part for name in sections for part in root.find(name).iter() if part.tag != name]
    coupled = {id(part) for part in root.find("tendon/fixed")}  # these refer to a joint
    nameless = [part for part in parts if "name" not in part.attrib and id(part) not in coupled]
    assert len(parts) > 30
    assert {part.tag for part in nameless} == {"inertial"}
    assert [part.tag for part in root.iter() if "group" in part.attrib] == []


def test_mass_and_inertia_are_the_published_ones(model: mujoco.MjModel) -> None:
    assert model.body_subtreemass[model.body("hand").id] == pytest.approx(TOTAL_MASS, abs=1e-12)
    hand_mass = TOTAL_MASS - 2 * FINGER_MASS
    assert model.body("hand").mass[0] == pytest.approx(hand_mass, abs=1e-12)
    expected = {"hand": HAND_INERTIA_CAD * hand_mass / HAND_MASS_CAD}
    expected |= {f"{finger}_finger": FINGER_INERTIA_CAD for finger in FINGERS}
    for body, inertia in expected.items():
        centre = HAND_COM if body == "hand" else FINGER_COM
        np.testing.assert_allclose(model.body(body).ipos, centre, atol=1e-12)
        axes = np.zeros(9)
        mujoco.mju_quat2Mat(axes, model.body(body).iquat)
        axes = axes.reshape(3, 3)
        compiled = axes @ np.diag(model.body(body).inertia) @ axes.T
        # The file rounds the scaled values to 1e-6 kg·m²; the fingers' are as published.
        np.testing.assert_allclose(compiled, inertia, atol=5e-7 if body == "hand" else 1e-12)


def test_shape_is_the_readmes(model: mujoco.MjModel) -> None:
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mirror = {name.replace("left", "right"): name for name in EXTENTS}
    assert EXTENTS.keys() | mirror.keys() == {model.geom(i).name for i in range(model.ngeom)}
    for name, left in {**mirror, **dict.fromkeys(EXTENTS)}.items():
        middle = np.mean(EXTENTS[left or name], axis=0) * [1, -1 if left else 1, 1]
        half = np.diff(EXTENTS[left or name], axis=0)[0] / 2
        np.testing.assert_allclose(data.geom(name).xpos, middle, atol=1e-9, err_msg=name)
        box = model.geom_aabb[model.geom(name).id, 3:]
        np.testing.assert_allclose(box, half, atol=1e-9, err_msg=name)


def test_pads_have_the_derived_contact_parameters(model: mujoco.MjModel) -> None:
    patch = np.sqrt(0.0175 * 0.0185 / np.pi)  # radius of a disc with the pad's area
    for finger in FINGERS:
        pad = model.geom(f"{finger}_pad")
        assert (pad.condim[0], pad.priority[0]) == (4, 1)
        np.testing.assert_allclose(pad.friction, [1, 2 / 3 * patch, 1e-4], rtol=0.01)
        np.testing.assert_array_equal(pad.solref, [2 * 0.002, 1])
        np.testing.assert_array_equal(pad.solimp[:3], [0.99, 0.995, 0.001])
    np.testing.assert_array_equal(model.equality("fingers_mirrored").solref, [2 * 0.002, 1])


def test_pads_meet_at_the_tool_centre_and_open_by_the_tendon(model: mujoco.MjModel) -> None:
    data = mujoco.MjData(model)
    for opening in np.linspace(0, STROKE, 9):
        data.qpos[:] = opening / 2
        mujoco.mj_forward(model, data)
        left, right = (data.geom(f"{finger}_pad").xpos for finger in FINGERS)
        assert left[1] - right[1] - 0.012 == pytest.approx(opening, abs=1e-12)
        assert data.tendon("opening").length[0] == pytest.approx(opening, abs=1e-12)
        np.testing.assert_allclose((left + right) / 2, [0, 0, TCP_HEIGHT], atol=1e-12)
        np.testing.assert_allclose(data.site("grip_site").xpos, [0, 0, TCP_HEIGHT], atol=1e-12)


@given(left=st.floats(0, STROKE / 2), right=st.floats(0, STROKE / 2))
@settings(max_examples=50, deadline=None)
def test_tendon_length_is_the_sum_of_both_fingers(left: float, right: float) -> None:
    model = mujoco.MjModel.from_xml_path(str(XML))
    data = mujoco.MjData(model)
    data.qpos[:] = left, right
    mujoco.mj_forward(model, data)
    assert data.ten_length[0] == pytest.approx(left + right, abs=1e-15)
    np.testing.assert_array_equal(data.actuator_moment, [1, 1])
    np.testing.assert_array_equal(data.sensor("opening_pos").data, data.ten_length)


def test_limits_are_stroke_force_and_speed(model: mujoco.MjModel) -> None:
    actuator = model.actuator("grip")
    np.testing.assert_array_equal(actuator.ctrlrange, [0, STROKE])
    np.testing.assert_array_equal(actuator.forcerange, [-FORCE, FORCE])
    assert actuator.gainprm[0] == -actuator.biasprm[1] == FORCE / 0.005
    for finger in FINGERS:
        joint = f"{finger}_finger_joint"
        np.testing.assert_array_equal(model.joint(joint).range, [0, STROKE / 2])
        assert model.joint(joint).damping[0] == FORCE / FINGER_SPEED
        assert model.joint(joint).armature[0] == pytest.approx(FORCE / FINGER_SPEED * 4e-3)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_full_stroke_runs_at_the_published_speed(
    model: mujoco.MjModel, integrator: mujoco.mjtIntegrator
) -> None:
    data = mujoco.MjData(model)
    model.opt.integrator = integrator
    data.ctrl[0] = STROKE
    run(model, data, 0.4)  # in the saturated part: 20 mm of each finger's 40 mm
    np.testing.assert_allclose(data.qvel, FINGER_SPEED, rtol=1e-6)
    run(model, data, 1.6)  # 0.8 s of travel, then 20 time constants of damping / (2 kp) = 50 ms
    assert data.ten_length[0] == pytest.approx(STROKE, abs=1e-6)
    assert data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number == 0


def test_mirror_moves_both_fingers_when_one_is_pushed(model: mujoco.MjModel) -> None:
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("open").id)
    data.joint("left_finger_joint").qfrc_applied = -28.0
    run(model, data, 1.0)
    # 28 N on the tendon's servo: both fingers yield 28 / 2 / kp / 2 = 0.5 mm.
    opening = STROKE - 14.0 / model.actuator("grip").gainprm[0]
    assert data.ten_length[0] == pytest.approx(opening, abs=1e-6)
    np.testing.assert_allclose(data.qpos, opening / 2, atol=5e-5)


@pytest.mark.parametrize(("key", "opening"), [(None, 0.0), ("open", STROKE)])
def test_poses_are_free_of_contact_and_at_rest(
    model: mujoco.MjModel, key: str | None, opening: float
) -> None:
    data = mujoco.MjData(model)
    if key is not None:
        mujoco.mj_resetDataKeyframe(model, data, model.key(key).id)
        np.testing.assert_array_equal(model.key(key).ctrl, [opening])
    run(model, data, 0.2)
    assert data.ncon == 0
    np.testing.assert_allclose(data.qpos, opening / 2, atol=1e-9)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("hand_quat", [POINTING_DOWN, LEVEL])
@pytest.mark.parametrize("box_friction", [1.0, 0.05])  # the pads decide, not the object
def test_box_is_held_against_gravity(
    hand_quat: tuple[float, ...], integrator: mujoco.mjtIntegrator, box_friction: float
) -> None:
    model, data = grasp(hand_quat, integrator, box_friction=box_friction)
    before = data.body("box").xpos.copy()
    run(model, data, 2.0)
    slip = data.body("box").xpos - before
    assert np.linalg.norm(slip) < SLIP_BOUND
    assert -slip[2] == pytest.approx(2.0 * slip_rate(model, data.ncon), rel=0.05)
    # At rest a pad is pressed by what the tendon pulls with, its coefficient being 1.
    force = -data.sensor("grip_force").data[0]
    assert force == FORCE
    for normal in pad_forces(model, data).values():
        assert normal == pytest.approx(force, rel=1e-6)


def test_force_follows_the_command() -> None:
    model, data = grasp(POINTING_DOWN, INTEGRATORS[0], command=BOX_EDGE - 0.002)
    run(model, data, 1.0)
    force = model.actuator("grip").gainprm[0] * (data.ten_length[0] - data.ctrl[0])
    assert force == pytest.approx(28.0, rel=0.02)  # 2 mm, less what the pads give way
    for normal in pad_forces(model, data).values():
        assert normal == pytest.approx(force, rel=1e-5)


def test_weight_along_the_fingers_is_shared_by_mirror_and_pads() -> None:
    model, data = grasp(FINGERS_VERTICAL, INTEGRATORS[0])
    run(model, data, 2.0)
    normal = pad_forces(model, data)
    assert sum(normal.values()) == pytest.approx(2 * FORCE, rel=1e-5)
    weight = BOX_MASS * GRAVITY
    assert abs(normal["left"] - normal["right"]) == pytest.approx(weight, rel=1e-3)


@pytest.mark.parametrize(("share", "held"), [(0.8, True), (1.2, False)])
def test_heaviest_box_is_two_pads_times_friction(share: float, held: bool) -> None:
    error = 0.001  # of the opening: a grip of 14 N
    mass = share * 2 * 1.0 * error * FORCE / 0.005 / GRAVITY
    model, data = grasp(POINTING_DOWN, INTEGRATORS[0], command=BOX_EDGE - error, box_mass=mass)
    before = data.body("box").xpos.copy()
    run(model, data, 0.2)
    fallen = before[2] - data.body("box").xpos[2]
    assert (fallen < 1e-4) == held
