"""add_object and remove_object: everything that was there stays as it was, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest
from field_models import ARM, build
from running_scene import by_name, differences, lively, object_named

from mjscene import ComposeError, MjsceneError, RobotSpec, SceneObject, SpecError, body

PARTS = (object_named("one", 1), object_named("two", 2, "sphere"), object_named("three", 3))


# State


@pytest.mark.parametrize("motion", [{}, {"fixed": True}, {"mocap": True}])
def test_an_addition_keeps_time_state_controls_and_forces(motion: Any) -> None:
    scene = lively(*PARTS[:2])
    scene.data.body("two").xfrc_applied[2] = 4
    before, old = by_name(scene), (scene.model, scene.data)
    scene.add_object(object_named("new", 9, **motion))
    after = by_name(scene)
    assert differences(before, after) == []
    assert before.keys() < after.keys()
    assert scene.time == pytest.approx(0.12)
    np.testing.assert_array_equal(scene.data.userdata, (1, 2, 3))
    assert scene.model is not old[0]
    assert scene.data is not old[1]
    np.testing.assert_array_equal(scene.data.body("new").xpos, (38, 7, 30))
    assert [o.name for o in scene.spec.objects] == ["one", "two", "new"]
    assert [row.name for row in scene.report.owners] == ["a", "one", "two", "new"]


@pytest.mark.parametrize("gone", ["one", "two", "three"])
def test_a_removal_keeps_what_is_left_wherever_it_lay(gone: str) -> None:
    scene = lively(*PARTS)
    for k, thing in enumerate(PARTS):
        scene.data.joint(f"{thing.name}_joint0").qvel[:] = k + np.arange(6)
        scene.data.body(thing.name).xfrc_applied[0] = k + 1
    scene.step(3)
    before = by_name(scene)
    scene.remove_object(gone)
    after = by_name(scene)
    assert differences(before, after) == []
    missing = {key[1] for key in before.keys() - after.keys()}
    assert missing == {gone, f"{gone}_joint0"}


def test_an_addition_and_its_removal_leave_no_trace_in_the_run() -> None:
    changed, quiet = lively(*PARTS[:1]), lively(*PARTS[:1])
    changed.add_object(PARTS[1])
    changed.remove_object("two")
    quiet.forward()  # as a change ends with one; it leaves no trace
    for _ in range(20):
        np.testing.assert_array_equal(changed.data.qpos, quiet.data.qpos)
        np.testing.assert_array_equal(changed.data.qacc_warmstart, quiet.data.qacc_warmstart)
        np.testing.assert_array_equal(changed.data.sensordata, quiet.data.sensordata)
        changed.step(5)
        quiet.step(5)


@pytest.mark.parametrize("motion", [{}, {"fixed": True}, {"mocap": True}])
def test_robots_move_as_if_nothing_had_been_added_far_away(motion: Any) -> None:
    changed, quiet = lively(), lively()
    changed.add_object(object_named("new", 9, **motion))
    names = [quiet.model.joint(i).name for i in range(quiet.model.njnt)]
    for _ in range(20):
        for name in names:
            np.testing.assert_allclose(
                changed.data.joint(name).qpos, quiet.data.joint(name).qpos, rtol=0, atol=1e-12
            )
        changed.step(5)
        quiet.step(5)
    assert quiet.data.ncon > 0


def test_the_step_after_a_change_is_the_step_without_it_bit_for_bit() -> None:
    changed, quiet = lively(), lively()
    changed.add_object(object_named("new", 9, fixed=True))
    changed.step()
    quiet.step()
    for name in ("qpos", "qvel", "act", "qacc", "qacc_warmstart", "sensordata"):
        np.testing.assert_array_equal(getattr(changed.data, name), getattr(quiet.data, name))


# Values changed while it runs


def set_qpos_spring(scene: Any) -> None:
    scene.model.joint("a/hinge").qpos_spring[:] = 0.6


CHANGES: dict[str, tuple[Callable[[Any], None], Callable[[Any], Any]]] = {
    "mass": (
        lambda s: s.model.body("a/l2").mass.__setitem__(0, 2.5),
        lambda s: s.model.body("a/l2").mass[0],
    ),
    "friction": (
        lambda s: s.model.geom("two").friction.__setitem__(0, 0.3),
        lambda s: s.model.geom("two").friction[0],
    ),
    "damping": (
        lambda s: s.model.joint("a/hinge").damping.__setitem__(0, 3.0),
        lambda s: s.model.joint("a/hinge").damping[0],
    ),
    "spring reference": (set_qpos_spring, lambda s: s.model.joint("a/hinge").qpos_spring[0]),
    "gain": (
        lambda s: s.model.actuator("a/servo").gainprm.__setitem__(0, 33.0),
        lambda s: s.model.actuator("a/servo").gainprm[0],
    ),
    "control range": (
        lambda s: s.model.actuator_ctrlrange.__setitem__(0, (-1, 2)),
        lambda s: tuple(s.model.actuator_ctrlrange[0]),
    ),
    "group": (
        lambda s: s.model.actuator_group.__setitem__(2, 4),
        lambda s: int(s.model.actuator_group[2]),
    ),
    "colour": (
        lambda s: s.model.geom("a/g1").rgba.__setitem__(0, 0.9),
        lambda s: s.model.geom("a/g1").rgba[0],
    ),
    "site": (
        lambda s: s.model.site("a/s").pos.__setitem__(1, 0.4),
        lambda s: s.model.site("a/s").pos[1],
    ),
    "contact bits": (
        lambda s: s.model.geom("a/lg").contype.__setitem__(0, 2),
        lambda s: s.model.geom("a/lg").contype[0],
    ),
    "gravity": (
        lambda s: s.model.opt.gravity.__setitem__(2, -3.0),
        lambda s: s.model.opt.gravity[2],
    ),
    "timestep": (
        lambda s: setattr(s.model.opt, "timestep", 0.001),
        lambda s: s.model.opt.timestep,
    ),
    "flags": (
        lambda s: setattr(s.model.opt, "disableflags", 1 << 7),
        lambda s: s.model.opt.disableflags,
    ),
    "field of view": (
        lambda s: setattr(s.model.vis.global_, "fovy", 77.0),
        lambda s: s.model.vis.global_.fovy,
    ),
    "keyframe-free start": (
        lambda s: s.model.qpos0.__setitem__(0, 0.125),
        lambda s: s.model.qpos0[0],
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_value_changed_in_the_model_stays_changed(what: str) -> None:
    change, value = CHANGES[what]
    scene = lively(*PARTS[:2], steps=0)
    original = value(scene)
    change(scene)
    changed = value(scene)
    assert changed != original
    scene.add_object(PARTS[2])
    assert value(scene) == changed
    scene.remove_object("one")
    assert value(scene) == changed


def test_what_nobody_changed_is_as_built() -> None:
    scene, fresh = lively(*PARTS[:1]), lively(*PARTS[:2])
    scene.model.body("a/l2").mass[0] = 2.5
    scene.add_object(PARTS[1])
    for field in (
        "body_inertia",
        "geom_friction",
        "dof_damping",
        "actuator_gainprm",
        "geom_rbound",
    ):
        np.testing.assert_array_equal(getattr(scene.model, field), getattr(fresh.model, field))


def test_sums_over_the_scene_count_the_new_object_after_a_mass_was_changed() -> None:
    scene = lively()
    scene.model.body("a/l2").mass[0] = 2.5
    mujoco.mj_setConst(scene.model, scene.data)
    scene.add_object(object_named("new", 9, mass=4.0))
    assert scene.model.body_subtreemass[0] == pytest.approx(scene.model.body_mass.sum())
    assert scene.model.body("a/l2").mass[0] == 2.5


# Elements without names

LATCHED = """<mujoco model="latched"><worldbody><body name="b"><geom size=".1" mass="1"/>
 <body name="p"><joint name="p" type="slide"/><geom size=".05"/></body>
 <body name="q"><joint name="q" type="slide"/><geom size=".05"/></body></body></worldbody>
 <equality><joint joint1="p" joint2="q"/></equality></mujoco>"""


@pytest.mark.parametrize("off", ["one", "two"])
def test_an_equality_without_a_name_stays_with_its_object(off: str) -> None:
    things = [SceneObject(n, path=LATCHED, pos=(3 * i, 0, 5)) for i, n in enumerate(("one", "two"))]
    scene = build(objects=things)
    equality = {  # by the joint that it is about
        scene.model.joint(scene.model.eq_obj1id[i]).name.split("/")[0]: i for i in range(2)
    }
    scene.data.eq_active[equality[off]] = 0
    scene.remove_object("one")
    assert scene.model.neq == 1
    assert scene.data.eq_active[0] == (0 if off == "two" else 1)


# What cannot be


BAD: dict[str, tuple[Callable[[Any], Any], str]] = {
    "no object": (lambda s: s.add_object("cube"), "expected a SceneObject"),
    "name taken": (lambda s: s.add_object(object_named("one", 5)), "'one' is used twice"),
    "robot's name": (lambda s: s.add_object(object_named("a", 5)), "'a' is used twice"),
    "robot's body": (lambda s: s.add_object(object_named("a/l1", 5)), "'a/l1' is used twice"),
    "no mount": (
        lambda s: s.add_object(object_named("new", 5, fixed=True, attach_to=body("a/l9"))),
        "no body 'a/l9'",
    ),
    "no mesh": (
        lambda s: s.add_object(SceneObject("new", path="nowhere/at/all.stl")),
        "no such mesh file",
    ),
    "broken asset": (
        lambda s: s.add_object(SceneObject("new", path="<mujoco><worldbody></mujoco>")),
        "not well-formed",
    ),
    "asset that does not compile": (
        lambda s: s.add_object(
            SceneObject(
                "new",
                path='<mujoco><worldbody><body><geom size=".1"/><body><joint/></body></body>'
                "</worldbody></mujoco>",
            )
        ),
        "mass",
    ),
    "remove nothing": (lambda s: s.remove_object("tow"), "'two'"),
    "remove a robot": (lambda s: s.remove_object("a"), "no object 'a'"),
    "remove None": (lambda s: s.remove_object(None), "no object None"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_change_that_fails_leaves_everything_untouched(case: str) -> None:
    action, words = BAD[case]
    scene, quiet = lively(*PARTS[:2]), lively(*PARTS[:2])
    model, data, spec, report = scene.model, scene.data, scene.spec, scene.report
    with pytest.raises(MjsceneError) as caught:
        action(scene)
    assert words in str(caught.value)
    assert scene.model is model
    assert scene.data is data
    assert scene.spec is spec
    assert scene.report is report
    assert differences(by_name(scene), by_name(quiet)) == []
    scene.step(10)
    quiet.step(10)
    assert differences(by_name(scene), by_name(quiet)) == []
    scene.add_object(PARTS[2])
    assert scene.model.nbody == quiet.model.nbody + 1


def test_what_something_stands_on_cannot_be_removed() -> None:
    table = SceneObject("table", shape="box", size=[1, 1, 0.1], fixed=True)
    cup = object_named("cup", 0, fixed=True, attach_to=body("table"), pos=(0, 0, 0.3))
    scene = build(
        RobotSpec(ARM, prefix="a/", attach_to=body("table"), pos=(0, 0, 0.1)), objects=[table, cup]
    )
    with pytest.raises(ComposeError, match="'table'"):
        scene.remove_object("table")
    scene.remove_object("cup")
    assert scene.model.body(scene.model.body("a/link").parentid[0]).name == "table"


def test_the_error_of_a_taken_name_is_of_the_spec() -> None:
    with pytest.raises(SpecError):
        lively(*PARTS[:1]).add_object(PARTS[0])
