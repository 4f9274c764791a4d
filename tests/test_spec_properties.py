"""What holds of a spec for every value: quaternions, finite numbers, names, sizes, bounds."""

from __future__ import annotations

import math
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from scipy.spatial.transform import Rotation

from mjscene import (
    AttachmentSpec,
    CameraSpec,
    CtrlModeSpec,
    PhysicsOptions,
    RobotSpec,
    SceneObject,
    SceneSpec,
    SiteSpec,
    SpecError,
    site,
)

# A fixed seed: a run is the same everywhere. No database: nothing is left behind.
fixed = settings(derandomize=True, database=None, deadline=None, max_examples=150)

finite = st.floats(allow_nan=False, allow_infinity=False)
moderate = st.floats(-1e6, 1e6)
not_finite = st.sampled_from([math.nan, math.inf, -math.inf])
NO_NUMBERS = [None, "1", b"1", True, 1j, [1], {}, Ellipsis]
letters = st.text("abcdefgh_", min_size=1, max_size=6)
QUATS = [
    lambda q: RobotSpec("a.xml", quat=q),
    lambda q: AttachmentSpec("a.xml", attach_to=site("s"), quat=q),
    lambda q: SceneObject("o", shape="sphere", size=[1], quat=q),
    lambda q: SiteSpec("s", quat=q),
    lambda q: CameraSpec("c", quat=q),
]
TOLERANCE = 1e-3  # of the norm: the documented one


@st.composite
def directions(draw: Any) -> np.ndarray:
    """Unit 4-vectors."""
    values = np.array(draw(st.lists(st.floats(-1, 1), min_size=4, max_size=4)))
    norm = np.linalg.norm(values)
    assume(norm > 1e-3)
    return values / norm


@pytest.mark.parametrize("make", QUATS)
@fixed
@given(unit=directions(), error=st.floats(-0.9, 0.9).map(lambda e: e * TOLERANCE))
def test_quaternion_within_a_thousandth_is_taken_and_made_unit(
    make: Any, unit: np.ndarray, error: float
) -> None:
    quat = unit * (1 + error)
    kept = make(tuple(quat)).quat
    assert math.isclose(math.hypot(*kept), 1.0, abs_tol=4e-16)
    # Its order and sign are the caller's: the same rotation to SciPy, which is (x, y, z, w) too.
    difference = Rotation.from_quat(kept) * Rotation.from_quat(quat).inv()
    assert difference.magnitude() < 1e-7
    assert np.dot(kept, quat) > 0


@pytest.mark.parametrize("make", QUATS)
@fixed
@given(
    unit=directions(),
    norm=st.one_of(st.floats(0, 1 - 1.1 * TOLERANCE), st.floats(1 + 1.1 * TOLERANCE, 1e100)),
)
@example(unit=np.array([0.0, 0, 0, 1]), norm=0.0)
@example(unit=np.array([0.0, 0, 0, 1]), norm=1e-320)
def test_quaternion_further_off_is_refused(make: Any, unit: np.ndarray, norm: float) -> None:
    with pytest.raises(SpecError) as caught:
        make(tuple(unit * norm))
    assert caught.value.where is not None
    assert caught.value.where.endswith(".quat")


@fixed
@given(quat=st.lists(st.floats(1e150, 1e308), min_size=4, max_size=4))
def test_quaternion_whose_square_overflows_is_refused(quat: list[float]) -> None:
    with pytest.raises(SpecError, match="quat"):
        RobotSpec("a.xml", quat=quat)


@fixed
@given(unit=directions())
def test_normal_form_is_a_fixed_point(unit: np.ndarray) -> None:
    kept = RobotSpec("a.xml", quat=unit).quat
    assert RobotSpec("a.xml", quat=kept).quat == kept


@fixed
@given(pos=st.lists(finite, min_size=3, max_size=3))
def test_finite_positions_are_kept_as_they_are(pos: list[float]) -> None:
    assert RobotSpec("a.xml", pos=pos).pos == tuple(pos)


@fixed
@given(pos=st.lists(finite, min_size=3, max_size=3), at=st.integers(0, 2), bad=not_finite)
def test_one_number_that_is_not_finite_is_refused_and_named(
    pos: list[float], at: int, bad: float
) -> None:
    pos[at] = bad
    with pytest.raises(SpecError, match=rf"pos\[{at}\].*finite"):
        RobotSpec("a.xml", pos=pos)
    with pytest.raises(SpecError, match=rf"gravity\[{at}\].*finite"):
        PhysicsOptions(gravity=pos)


@pytest.mark.parametrize("bad", NO_NUMBERS, ids=repr)
@pytest.mark.parametrize(
    "make",
    [
        lambda v: RobotSpec("a.xml", pos=(0, v, 0)).pos[1],
        lambda v: RobotSpec("a.xml", watchdog=v).watchdog or 1 / 0,
        lambda v: SceneObject("o", shape="sphere", size=[v]),
        lambda v: SceneObject("o", shape="sphere", size=[1], mass=v).mass or 1 / 0,
        lambda v: PhysicsOptions(timestep=v).timestep or 1 / 0,
        lambda v: CameraSpec("c", fovy=v),
    ],
)
def test_what_is_no_number_is_refused(make: Any, bad: Any) -> None:
    # None leaves an optional field open and is no number there.
    refused = (SpecError, ZeroDivisionError) if bad is None else SpecError
    with pytest.raises(refused):
        make(bad)


@fixed
@given(count=st.integers(0, 8).filter(lambda n: n != 3), value=moderate)
def test_positions_have_three_numbers(count: int, value: float) -> None:
    with pytest.raises(SpecError, match=rf"3 numbers, got {count}"):
        RobotSpec("a.xml", pos=[value] * count)


@fixed
@given(value=st.floats(max_value=0, allow_nan=False, allow_infinity=False))
def test_what_must_be_positive_is(value: float) -> None:
    for make in (
        lambda: PhysicsOptions(timestep=value),
        lambda: SceneObject("o", shape="sphere", size=[value]),
        lambda: SceneObject("o", shape="sphere", size=[1], mass=value),
        lambda: RobotSpec("a.xml", watchdog=value),
    ):
        with pytest.raises(SpecError, match="> 0"):
            make()


@fixed
@given(value=finite)
def test_colours_are_from_0_to_1(value: float) -> None:
    if 0 <= value <= 1:
        assert SiteSpec("s", rgba=(0, value, 0, 1)).rgba[1] == value
    else:
        with pytest.raises(SpecError, match=r"rgba\[1\]"):
            SiteSpec("s", rgba=(0, value, 0, 1))


@fixed
@given(value=finite)
def test_counts_are_whole_and_fit_mujocos_int(value: float) -> None:
    if value >= 0 and value == int(value) and value < 2**31:
        assert PhysicsOptions(iterations=value).iterations == value
    else:
        with pytest.raises(SpecError, match="iterations"):
            PhysicsOptions(iterations=value)


@fixed
@given(value=st.integers(2**31, 10**400))
@example(value=2**31)
@example(value=10**400)
def test_counts_beyond_mujocos_int_are_refused(value: int) -> None:
    with pytest.raises(SpecError, match="iterations"):
        PhysicsOptions(iterations=value)


@fixed
@given(name=st.text(max_size=8))
@example(name=" left")
@example(name="left ")
@example(name="left arm")
@example(name="a\u00adb")
@example(name="a\tb")
def test_names_are_printable_and_have_no_white_space_at_the_ends(name: str) -> None:
    legal = bool(name) and name.isprintable() and name == name.strip()
    if legal:
        assert SiteSpec(name).name == name
    else:
        with pytest.raises(SpecError, match="name"):
            SiteSpec(name)


@fixed
@given(prefixes=st.lists(letters, max_size=5))
@example(prefixes=["a", "a"])
@example(prefixes=["a", "a_"])
def test_scene_has_each_prefix_and_each_label_once(prefixes: list[str]) -> None:
    robots = [RobotSpec("a.xml", prefix=p) for p in prefixes]
    labels = [r.label for r in robots]
    if len(set(prefixes)) == len(prefixes) and len(set(labels)) == len(labels):
        assert [r.prefix for r in SceneSpec(robots).robots] == prefixes
    else:
        with pytest.raises(SpecError, match="twice"):
            SceneSpec(robots)


@fixed
@given(names=st.lists(letters, min_size=1, max_size=5), others=st.lists(letters, max_size=3))
def test_robots_and_objects_share_one_set_of_names(names: list[str], others: list[str]) -> None:
    robots = [RobotSpec("a.xml", prefix=f"p{i}/", name=n) for i, n in enumerate(names)]
    things = [SceneObject(n, shape="sphere", size=[1]) for n in others]
    everyone = names + others
    if len(set(everyone)) == len(everyone):
        assert len(SceneSpec(robots, objects=things).objects) == len(others)
    else:
        with pytest.raises(SpecError, match="twice") as caught:
            SceneSpec(robots, objects=things)
        assert everyone.count(caught.value.given) > 1


@fixed
@given(joints=st.lists(letters, max_size=5))
def test_joints_of_a_mode_are_distinct(joints: list[str]) -> None:
    if len(set(joints)) == len(joints):
        assert CtrlModeSpec(joints=joints).joints == tuple(joints)
    else:
        with pytest.raises(SpecError, match="twice"):
            CtrlModeSpec(joints=joints)


@fixed
@given(count=st.integers(1, 5), gains=st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=5))
def test_gains_are_as_many_as_joints(count: int, gains: list[float]) -> None:
    joints = [f"j{i}" for i in range(count)]
    if len(gains) == count:
        assert CtrlModeSpec("velocity", joints=joints, kv=gains).kv == tuple(gains)
    else:
        with pytest.raises(SpecError, match=rf"kv.*\({count}\), got {len(gains)}"):
            CtrlModeSpec("velocity", joints=joints, kv=gains)


@fixed
@given(pos=st.tuples(moderate, moderate, moderate), offset=st.floats(0, 1e-10))
def test_camera_is_never_at_the_point_it_looks_at(
    pos: tuple[float, float, float], offset: float
) -> None:
    target = (pos[0], pos[1], pos[2] + offset)
    with pytest.raises(SpecError, match="look_at"):
        CameraSpec("c", pos=pos, look_at=target)


@fixed
@given(source=st.sampled_from([None, 3, 0.5, b"a.xml", [], {}, object(), ("a.xml",), type]))
def test_what_is_no_source_is_refused(source: Any) -> None:
    for make in (
        lambda: RobotSpec(source),
        lambda: AttachmentSpec(source, attach_to=site("s")),
    ):
        with pytest.raises(SpecError, match="path"):
            make()
