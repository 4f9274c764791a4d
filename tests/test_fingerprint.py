"""What a recording keeps of its model, and that a change of any of it is named."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from mode_models import TORQUE, VELOCITY
from recorded_runs import cell, recorded
from running_scene import lively

from mjscene import RobotSpec, Scene, SceneSpec, build_scene, fingerprint, load_scene, scene_names
from mjscene.comparison import compare
from mjscene.facts import compare_headers
from mjscene.recording import Recording


def of(scene: Scene) -> Recording:
    with scene.record() as recorder:
        pass
    return recorder.recording


def test_every_field_is_one_of_mujoco() -> None:
    model = lively(steps=0).model
    missing = [f for f in fingerprint.FIELDS if not isinstance(getattr(model, f, None), np.ndarray)]
    assert missing == []


@pytest.fixture(scope="module")
def still() -> Recording:
    return of(lively(steps=0))


@pytest.fixture(scope="module")
def scene() -> Scene:
    """A scene for tests that put back what they change."""
    return lively(steps=0)


MODEL = lively(steps=0).model
FLOATS = [
    field
    for field in sorted(fingerprint.FIELDS)
    if getattr(MODEL, field).size and getattr(MODEL, field).dtype.kind == "f"
]


@pytest.mark.parametrize("field", FLOATS)
def test_a_change_of_any_value_is_named_with_its_element(
    still: Recording, scene: Scene, field: str
) -> None:
    values = getattr(scene.model, field)
    last = values.reshape(len(values), -1)
    before = last[-1, 0]
    last[-1, 0] = before + 0.125
    try:
        now = of(scene)
    finally:
        last[-1, 0] = before
    facts = [f for f in compare_headers(still, now) if f.fails]
    kind = field.partition("_")[0] if field != "qpos0" else "qpos"
    assert len(facts) == 1, [str(f) for f in facts]
    assert repr(still.header["names"][kind][-1]) in facts[0].what
    old, new = (np.ravel(np.asarray(value))[0] for value in (facts[0].golden, facts[0].now))
    assert new - old == pytest.approx(0.125)


def test_rounding_of_a_compile_is_no_change(still: Recording) -> None:
    scene = lively(steps=0)
    scene.model.body_inertia[:] *= 1 + 1e-11
    assert compare_headers(still, of(scene)) == ()
    scene.model.body_inertia[:] *= 1 + 1e-8
    facts = compare_headers(still, of(scene))
    assert facts
    assert all("inertia of " in f.what for f in facts)


def test_many_changes_of_one_kind_are_counted(still: Recording) -> None:
    scene = lively(steps=0)
    scene.model.geom_friction[:, 0] += 1
    facts = [f.what for f in compare_headers(still, of(scene))]
    assert len(facts) == min(5, scene.model.ngeom)
    if scene.model.ngeom > 4:
        assert facts[-1] == f"friction of {scene.model.ngeom - 4} more of kind geom"


@pytest.mark.parametrize("mixed", [False, True])
def test_modes_leave_no_trace_in_the_facts_of_the_model(mixed: bool) -> None:
    plain, other = cell(), cell()
    other.robots["arm"].set_control_mode(TORQUE)
    if mixed:
        other.robots["arm"].set_control_mode(VELOCITY, joints=["j1"])
        assert not np.array_equal(plain.model.actuator_group, other.model.actuator_group)
    else:
        assert plain.model.opt.disableactuator != other.model.opt.disableactuator
    facts = compare_headers(of(plain), of(other))
    assert {f.what for f in facts} == {
        "mode of joint 'arm/j1' at the start",
        "mode of joint 'arm/j2' at the start",
    }


def test_what_one_only_sees_is_no_fact(still: Recording) -> None:
    scene = lively(steps=0)
    scene.model.geom_rgba[:] = 0.5
    scene.model.geom_group[:] = 3
    assert compare_headers(still, of(scene)) == ()


@pytest.mark.parametrize("name", scene_names())
def test_labels_of_positions_are_where_mujoco_has_them(name: str) -> None:
    model = build_scene(load_scene(name)).model
    labels = fingerprint.qpos_labels(model), fingerprint.dof_labels(model)
    assert [len(part) for part in labels] == [model.nq, model.nv]
    for j in range(model.njnt):
        own = model.joint(j).name
        assert labels[0][model.jnt_qposadr[j]].partition(" ")[0] == own
        assert labels[1][model.jnt_dofadr[j]].partition(" ")[0] == own


MESH = """<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 {z}"/></asset><worldbody>
 <body><freejoint/><geom type="mesh" mesh="m" mass="1"/></body></worldbody></mujoco>"""


def test_meshes_are_told_apart_by_digest() -> None:
    one, same, other = (
        fingerprint.digests(mujoco.MjModel.from_xml_string(MESH.format(z=z))) for z in (1, 1, 1.01)
    )
    assert one == same
    assert list(one) == ["mesh 'm'"]
    assert one != other


def test_other_data_of_a_mesh_is_named(still: Recording) -> None:
    def with_digest(value: str) -> Recording:
        return Recording(
            {**still.header, "digests": {"mesh 'm'": value}}, still.arrays, still.model
        )

    assert compare_headers(with_digest("a" * 64), with_digest("a" * 64)) == ()
    (fact,) = compare_headers(with_digest("a" * 64), with_digest("b" * 64))
    assert fact.what == "data of mesh 'm'"
    assert fact.fails


@pytest.mark.parametrize("mujoco_too", [False, True])
def test_an_option_that_only_another_mujoco_has_fails_only_if_it_is_the_same(
    mujoco_too: bool,
) -> None:
    golden = recorded()
    header: dict[str, Any] = {**golden.header, "options": {**golden.header["options"], "new": 1}}
    if mujoco_too:
        header["versions"] = {**golden.header["versions"], "mujoco": "5.0.0"}
    now = Recording(header, golden.arrays, golden.model)
    comparison = compare(golden, now)
    assert comparison.equal is mujoco_too
    assert "option new: none -> 1" in str(comparison)


TOUCH = """<mujoco><worldbody><body name="b"><freejoint/><geom size="0.1"/>
<site name="s" size="{size}"/></body></worldbody><sensor><touch name="t" site="s"/></sensor>
<keyframe><key name="up" qpos="0 0 {height} 1 0 0 0"/></keyframe></mujoco>"""


@pytest.mark.parametrize(
    ("changed", "what"),
    [({"size": 0.02}, "size of site 'r/s'"), ({"height": 2}, "qpos of keyframe 'r/up'")],
)
def test_what_only_a_sensor_or_a_reset_would_feel_is_a_fact(
    changed: dict[str, float], what: str
) -> None:
    both = [
        of(build_scene(SceneSpec([RobotSpec(TOUCH.format(**values), prefix="r/", name="r")])))
        for values in ({"size": 0.01, "height": 1}, {"size": 0.01, "height": 1} | changed)
    ]
    facts = [f.what for f in compare_headers(*both) if f.fails]
    assert what in facts
