"""Field cases F15, F21 and F23: everything a file has, contacts at the start, mocap bodies."""

from __future__ import annotations

import re
from typing import Any

import mujoco
import numpy as np
import pytest
from field_models import ARM, OBJ, alone, build, ids, key_of, refusal

from mjscene import AttachmentSpec, RobotSpec, SceneObject, body, frame, site

# F15: whatever a file has is in the scene

FULL = """<mujoco model="full"><worldbody><site name="ws" pos="0 0 2"/>
 <geom name="wg" type="plane" size="1 1 .1"/>
 <body name="l" pos="0 0 1"><joint name="j"/><geom name="g" size=".1" pos=".3 0 0"/><site name="s"/>
  <body name="m" pos="0 0 .5"><joint name="k" type="slide"/><geom name="h" size=".1"/>
  <site name="t"/><camera name="cam"/></body></body></worldbody>
 <contact><pair name="p1" geom1="g" geom2="h"/><pair name="p2" geom1="g" geom2="wg"/>
  <exclude name="x" body1="l" body2="m"/></contact>
 <equality><joint name="e1" joint1="j" joint2="k"/><weld name="e2" body1="l" body2="m"/>
  <connect name="e3" body1="m" body2="world" anchor="0 0 0"/></equality>
 <tendon><fixed name="t1"><joint joint="j" coef="2"/></fixed>
  <spatial name="t2"><site site="s"/><geom geom="g"/><site site="t"/></spatial>
  <spatial name="t3"><site site="ws"/><site site="t"/></spatial></tendon>
 <actuator><motor name="a1" joint="j"/><motor name="a2" tendon="t2"/>
  <general name="a3" site="t" refsite="ws" gear="0 0 1 0 0 0"/></actuator>
 <sensor><jointpos name="s1" joint="j"/><framepos name="s2" objtype="site" objname="s"
   reftype="site" refname="ws"/><distance name="s3" geom1="g" geom2="wg" cutoff="9"/>
  <tendonpos name="s4" tendon="t3"/><actuatorfrc name="s5" actuator="a2"/>
  <force name="s6" site="t"/><framequat name="s7" objtype="camera" objname="cam"/></sensor>
 <custom><numeric name="n" data="1 2"/><text name="tx" data="hello"/>
  <tuple name="tu"><element objtype="body" objname="l"/><element objtype="site" objname="ws"/>
  </tuple></custom><keyframe><key name="home" qpos=".1 .2"/></keyframe></mujoco>"""
KINDS = {
    "npair": (OBJ.mjOBJ_PAIR, 2),
    "nexclude": (OBJ.mjOBJ_EXCLUDE, 1),
    "neq": (OBJ.mjOBJ_EQUALITY, 3),
    "ntendon": (OBJ.mjOBJ_TENDON, 3),
    "nactuator": (OBJ.mjOBJ_ACTUATOR, 3),
    "nsensor": (OBJ.mjOBJ_SENSOR, 7),
    "nnumeric": (OBJ.mjOBJ_NUMERIC, 1),
    "ntext": (OBJ.mjOBJ_TEXT, 1),
    "ntuple": (OBJ.mjOBJ_TUPLE, 1),
    "nsite": (OBJ.mjOBJ_SITE, 3),
    "ngeom": (OBJ.mjOBJ_GEOM, 3),
    "ncam": (OBJ.mjOBJ_CAMERA, 1),
    "njnt": (OBJ.mjOBJ_JOINT, 2),
}


def assert_has_all_of(model: Any, prefixes: list[str]) -> None:
    """The model has each element of FULL once per prefix, and no other of its kinds."""
    file = alone(FULL)
    for count, (obj, number) in KINDS.items():
        assert getattr(file, count) == number
        names = {mujoco.mj_id2name(file, obj, i) for i in range(number)}
        found = {mujoco.mj_id2name(model, obj, i) for i in range(getattr(model, count))}
        assert found == {p + n for p in prefixes for n in names}, count


@pytest.mark.parametrize("prefixes", [["a/"], [""], ["a/", "b/"], ["", "b_"]])
def test_f15_counts_and_names_are_those_of_the_file(prefixes: list[str]) -> None:
    robots = [RobotSpec(FULL, prefix=p, pos=(5 * i, 0, 0)) for i, p in enumerate(prefixes)]
    assert_has_all_of(build(*robots).model, prefixes)


def test_f15_so_they_are_of_an_attachment_and_of_what_is_on_a_frame() -> None:
    mount = """<mujoco model="m"><worldbody><frame name="f" pos="0 0 1"><body name="base">
     <geom name="b" size=".1"/><frame name="in"/></body></frame></worldbody></mujoco>"""
    part = AttachmentSpec(FULL, attach_to=frame("in"), prefix="p_")
    model = build(RobotSpec(mount, prefix="a/", attachments=(part,))).model
    assert (model.npair, model.nexclude, model.neq, model.ntendon) == (2, 1, 3, 3)
    assert (model.nactuator, model.nsensor, model.nnumeric) == (3, 7, 1)
    assert (model.ntext, model.ntuple) == (1, 1)
    ids(model, OBJ.mjOBJ_SENSOR, *(f"a/p_s{i}" for i in range(1, 8)))


def test_f15_sensors_read_what_they_read_in_the_file_alone() -> None:
    file = alone(FULL)
    data = mujoco.MjData(file)
    scene = build(RobotSpec(ARM, prefix="x/", pos=(9, 9, 9)), RobotSpec(FULL, prefix="a/"))
    rng = np.random.default_rng(0)
    for joint in ("j", "k"):
        data.joint(joint).qpos[:] = scene.data.joint(f"a/{joint}").qpos[:] = rng.normal()
        data.joint(joint).qvel[:] = scene.data.joint(f"a/{joint}").qvel[:] = rng.normal()
    mujoco.mj_forward(file, data)
    scene.forward()
    for i in range(1, 8):
        np.testing.assert_allclose(
            scene.data.sensor(f"a/s{i}").data, data.sensor(f"s{i}").data, rtol=1e-10, atol=1e-10
        )


def test_f15_what_drop_world_removes_is_listed_and_a_reference_to_it_is_no_silent_loss() -> None:
    plain = FULL.replace('<pair name="p2" geom1="g" geom2="wg"/>', "")
    plain = plain.replace('<distance name="s3" geom1="g" geom2="wg" cutoff="9"/>', "")
    scene = build(RobotSpec(plain, prefix="a/", drop_world=True))
    assert scene.model.ngeom == 2
    assert any("'wg'" in note for note in scene.report.owners[0].notes)
    scene = build(RobotSpec(FULL, prefix="a/", drop_world=True))
    assert (scene.model.npair, scene.model.nsensor) == (1, 6)
    assert "a/p2" not in scene.robots["a"].names("pair")
    notes = " ".join(scene.report.owners[0].notes)
    assert "'p2'" in notes
    assert "'s3'" in notes


DANGLING = (
    '<actuator><motor name="q" joint="no"/></actuator>',
    '<actuator><motor name="q" tendon="no"/></actuator>',
    '<actuator><general name="q" site="s" refsite="no"/></actuator>',
    '<sensor><jointpos name="q" joint="no"/></sensor>',
    '<sensor><framepos name="q" objtype="site" objname="s" reftype="site" refname="no"/></sensor>',
    '<equality><weld name="q" body1="l" body2="no"/></equality>',
    '<contact><pair name="q" geom1="g" geom2="no"/></contact>',
    '<contact><exclude name="q" body1="l" body2="no"/></contact>',
    '<tendon><fixed name="q"><joint joint="no" coef="1"/></fixed></tendon>',
    '<custom><tuple name="q"><element objtype="body" objname="no"/></tuple></custom>',
    '<asset><material name="q" texture="no"/></asset>',
)


@pytest.mark.parametrize("fragment", DANGLING)
@pytest.mark.parametrize("place", ["robot", "attachment", "object"])
def test_f15_what_refers_to_nothing_is_refused_as_mujoco_refuses_it_and_not_left_out(
    fragment: str, place: str
) -> None:
    file = f"""<mujoco model="d"><worldbody><body name="l"><geom name="g" size=".1"/>
     <site name="s"/></body></worldbody>{fragment}</mujoco>"""
    with pytest.raises(ValueError, match="'no'"):
        alone(file)
    if place == "robot":
        error = refusal(RobotSpec(ARM, prefix="x/"), RobotSpec(file, prefix="a/"))
    elif place == "attachment":
        part = AttachmentSpec(file, attach_to=site("tip"), prefix="t_")
        error = refusal(RobotSpec(ARM, prefix="x/", attachments=(part,)))
    else:
        error = refusal(RobotSpec(ARM), objects=[SceneObject("thing", path=file)])
    assert re.search(r"'(\w+/)?(t_)?no'", str(error))
    assert str(error.where).startswith(
        {"robot": "robots[1]", "object": "objects[0]"}.get(place, "robots[0]")
    )


# F21: contacts at the start


SPHERES = """<mujoco model="s"><worldbody><body name="base">{free}<geom name="g0" size=".2"/>
 <body name="l1" pos="0 0 .1"><joint name="j"/><geom name="g1" size=".2"/></body></body></worldbody>
 {exclude}</mujoco>"""
FIXED = SPHERES.format(free="", exclude="")
EXCLUDED = SPHERES.format(free="", exclude='<contact><exclude body1="base" body2="l1"/></contact>')
TABLE = SceneObject("table", shape="box", size=[0.5, 0.5, 0.15], fixed=True)


def test_f21_a_fixed_base_that_touches_its_first_link_is_reported_by_geom_names() -> None:
    scene = build(RobotSpec(FIXED, prefix="a/"))
    (contact,) = scene.report.contacts
    assert scene.data.ncon == 1
    assert set(contact.geoms) == {"a/g0", "a/g1"}
    assert contact.owners == ("a", "a")
    assert contact.internal
    assert contact.distance == pytest.approx(0.1 - 2 * 0.2, abs=1e-12)
    assert "a/g0" in str(scene.report)
    assert "-300" in str(scene.report)


@pytest.mark.parametrize("file", [SPHERES.format(free="<freejoint/>", exclude=""), EXCLUDED])
def test_f21_a_free_base_and_an_exclude_of_the_file_leave_nothing_to_report(file: str) -> None:
    scene = build(RobotSpec(file, prefix="a/"))
    assert (scene.data.ncon, scene.report.contacts) == (0, ())


@pytest.mark.parametrize("target", [body("table"), None])
def test_f21_contacts_with_what_a_robot_stands_on_are_reported_as_such(target: Any) -> None:
    where = {"pos": (0, 0, 0.2)} if target is None else {"pos": (0, 0, 0.2), "attach_to": target}
    scene = build(RobotSpec(EXCLUDED, prefix="a/", **where), objects=[TABLE])
    assert scene.model.nexclude == 1
    found = {frozenset(c.geoms): c for c in scene.report.contacts}
    contact = found[frozenset(("a/g1", "table"))]
    assert set(contact.owners) == {"a", "table"}
    assert contact.internal == (target is not None)
    assert len(found) == scene.data.ncon


def test_f21_an_exclusion_of_the_spec_silences_one_pair_of_bodies() -> None:
    place = {"prefix": "a/", "pos": (0, 0, 0.2), "attach_to": body("table")}
    noisy = build(RobotSpec(EXCLUDED, **place), objects=[TABLE])
    assert {frozenset(c.geoms) for c in noisy.report.contacts} == {frozenset(("a/g1", "table"))}
    calm = build(
        RobotSpec(EXCLUDED, contact_exclusions=[("table", "l1")], **place), objects=[TABLE]
    )
    assert (calm.model.nexclude, calm.data.ncon, calm.report.contacts) == (2, 0, ())


def test_f21_an_attachment_can_be_excluded_from_its_robot_and_a_wrong_body_is_refused() -> None:
    arm = ARM.replace('<site name="tip"', '<site name="in" pos=".1 0 0"/><site name="tip"')
    ball = '<mujoco model="b"><worldbody><body name="b"><joint name="k"/><geom name="g" size=".1"/>'
    ball += "</body></worldbody></mujoco>"
    link = arm[arm.index("<body") : arm.index("</worldbody>")]
    parent = '<mujoco model="p"><worldbody><body name="root"><geom size=".3"/>'
    parent += f"{link}</body></worldbody></mujoco>"

    def made(*pairs: tuple[str, str]) -> Any:
        part = AttachmentSpec(ball, attach_to=site("in"), prefix="t_", contact_exclusions=pairs)
        return RobotSpec(
            parent, prefix="a/", attachments=(part,), contact_exclusions=[("root", "link")]
        )

    noisy = build(made())
    assert {frozenset(c.geoms) for c in noisy.report.contacts} == {frozenset(("a/root#0", "a/t_g"))}
    assert all(c.internal for c in noisy.report.contacts)
    assert build(made(("root", "b"))).report.contacts == ()
    error = refusal(made(("rot", "b")))
    assert error.where == "robots[0].attachments[0].contact_exclusions[0]"
    assert "root" in str(error)


# F23: mocap bodies of a robot

MOCAP = """<mujoco model="m"><worldbody><body name="tgt" mocap="true" pos="0 0 1">
 <geom size=".05" contype="0" conaffinity="0"/></body><body name="l"><joint name="j"/>
 <geom size=".1"/></body></worldbody>
 <keyframe><key name="home" mpos="1 1 1"/></keyframe></mujoco>"""


def test_f23_mocap_bodies_start_where_the_robot_is_put_and_so_do_keys() -> None:
    scene = build(
        RobotSpec(MOCAP, prefix="a/", pos=(5, 0, 0)), RobotSpec(MOCAP, prefix="b/", pos=(0, 5, 0))
    )
    model, data = scene.model, scene.data
    spot = {p: int(model.body(f"{p}/tgt").mocapid[0]) for p in "ab"}
    np.testing.assert_array_equal(data.mocap_pos[spot["a"]], (5, 0, 1))
    np.testing.assert_array_equal(data.mocap_pos[spot["b"]], (0, 5, 1))
    keys = {
        "home": ((6, 1, 1), (1, 6, 1)),
        "a/home": ((6, 1, 1), (0, 5, 1)),
        "b/home": ((5, 0, 1), (1, 6, 1)),
    }
    for key, (of_a, of_b) in keys.items():
        scene.reset(key)
        np.testing.assert_array_equal(data.mocap_pos[spot["a"]], of_a)
        np.testing.assert_array_equal(data.mocap_pos[spot["b"]], of_b)
        np.testing.assert_array_equal(data.mocap_quat, [(1, 0, 0, 0)] * 2)
    assert key_of(scene, "home", "a/j") == (0.0,)


def test_f23_a_mocap_body_on_a_link_is_refused_with_both_names() -> None:
    error = refusal(
        RobotSpec(ARM, prefix="x/"), RobotSpec(MOCAP, prefix="a/", attach_to=site("x/tip"))
    )
    assert "'tgt'" in str(error)
    assert "site 'x/tip'" in str(error)
    part = AttachmentSpec(MOCAP, attach_to=site("tip"), prefix="m_")
    error = refusal(RobotSpec(ARM, prefix="x/", attachments=(part,)))
    assert "'tgt'" in str(error)
    assert error.where == "robots[0].attachments[0].attach_to"
