"""The report: what the printed table says, contacts at the start, merged assets, second floors."""

from __future__ import annotations

from typing import Any

import pytest
from field_models import ARM, FLOAT, arm, build

from mjscene import AttachmentSpec, PhysicsOptions, RobotSpec, SceneObject, body, site

MESHED = """<mujoco model="meshed"><asset><mesh name="tetra" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
 <texture name="paint" type="2d" builtin="flat" rgb1="1 0 0" width="4" height="4"/>
 <material name="red" texture="paint"/></asset><worldbody><body name="b"><joint name="j"/>
 <geom type="mesh" mesh="tetra" material="red" contype="0" conaffinity="0"/></body></worldbody>
 </mujoco>"""
WALLED = """<mujoco model="walled"><worldbody>{world}<body name="l" pos="0 0 9"><joint name="j"/>
 <geom size=".1"/></body></worldbody></mujoco>"""


def line_with(scene: Any, *words: str) -> str:
    """The one line of the printed report that has all the words."""
    (found,) = (ln for ln in str(scene.report).splitlines() if all(w in ln for w in words))
    return found


# The table


def test_every_owner_has_a_line_with_its_source_mount_and_counts() -> None:
    tool = AttachmentSpec(arm(0.7), attach_to=site("tip"), prefix="t_", name="tool")
    cube = SceneObject("cube", shape="box", size=[0.1] * 3, pos=(5, 0, 0))
    scene = build(
        RobotSpec(ARM, prefix="left/", attachments=(tool,)),
        RobotSpec(FLOAT, prefix="f/", name="drone", pos=(3, 0, 0)),
        objects=[cube],
    )
    assert line_with(scene, "'left/'", "robot").split()[:5] == [
        *("robot", "left", "'left/'", "arm", "world"),
    ]
    attached = line_with(scene, "attachment", "left.tool", "'left/t_'", "site 'left/tip'")
    assert attached.split()[-3:] == ["1", "1", "0"]
    assert line_with(scene, "robot", "drone", "fl", "world").split()[-3:] == ["1", "0", "0"]
    assert line_with(scene, "object", "cube", "box", "world").split()[-3:] == ["1", "0", "0"]
    kinds = [row.kind for row in scene.report.owners]
    assert kinds == ["robot", "attachment", "robot", "object"]
    assert scene.report.owners[1].names["joint"] == ("left/t_j",)


def test_the_head_has_the_sizes_of_the_model() -> None:
    scene = build(RobotSpec(ARM, prefix="a/"), RobotSpec(FLOAT, prefix="f/", pos=(3, 0, 0)))
    head = str(scene.report).splitlines()[0]
    assert head.startswith("scene 'scene':")
    assert set(scene.report.sizes) == {"nbody", "nq", "nv", "nu", "ngeom", "nmesh", "nkey"}
    for name, size in scene.report.sizes.items():
        assert size == getattr(scene.model, name)
        assert f"{name} {size}" in head


def test_options_and_who_set_them_are_in_the_table() -> None:
    slow = ARM.replace("<worldbody>", '<option timestep="0.004"/><worldbody>', 1)
    fast = ARM.replace("<worldbody>", '<option timestep="0.001"/><worldbody>', 1)
    options = PhysicsOptions(gravity=(0, 0, -1.5), integrator="implicitfast")
    scene = build(RobotSpec(slow, prefix="a/"), RobotSpec(fast, prefix="b/"), options=options)
    assert line_with(scene, "gravity").split()[:5] == ["gravity", "0", "0", "-1.5", "spec"]
    assert line_with(scene, "integrator").split()[:3] == ["integrator", "implicitfast", "spec"]
    row = line_with(scene, "timestep")
    assert row.split()[:3] == ["timestep", "0.001", "b"]
    assert "a has 0.004" in row


def test_keyframes_merged_assets_and_changes_are_listed() -> None:
    unnamed = MESHED.replace('<joint name="j"/>', "<joint/>")
    scene = build(
        RobotSpec(unnamed, prefix="a/"),
        RobotSpec(unnamed, prefix="b/"),
        RobotSpec(ARM, prefix="c/"),
    )
    assert set(line_with(scene, "keyframes:").split(": ")[1].split(", ")) == {"home", "c/home"}
    assert set(scene.report.merged_assets) == {"b/tetra", "b/paint"}
    merged = line_with(scene, "merged assets")
    for name in scene.report.merged_assets:
        assert name in merged
    assert line_with(scene, "a: ", "b_joint0")
    assert (scene.model.nmesh, scene.model.ntex) == (1, 1)


def test_an_empty_scene_has_a_report_that_prints() -> None:
    scene = build()
    assert str(scene.report).startswith("scene 'scene': nbody 1")
    assert (scene.report.owners, scene.report.contacts, scene.report.warnings) == ((), (), ())


def test_long_lists_and_no_value_make_no_line_of_the_table_ragged() -> None:
    scene = build(*(RobotSpec(ARM, prefix=f"robot_number_{i}/") for i in range(12)))
    lines = str(scene.report).splitlines()
    rule = next(i for i, ln in enumerate(lines) if ln.startswith("-----"))
    starts = [i for i, c in enumerate(lines[rule]) if c == "-" and lines[rule][i - 1] in (" ", "")]
    for line in lines[rule + 1 : rule + 13]:
        for start in starts[1:]:
            assert line[start - 1] == " "
            assert line[start] != " "


def test_an_unnamed_xml_string_is_called_what_it_is() -> None:
    scene = build(RobotSpec(ARM.replace(' model="arm"', ""), prefix="a/"))
    assert scene.report.owners[0].source == "XML string"


# Contacts at the start


def spheres(distance: float, margin: float = 0.0) -> str:
    """Two spheres of radius 0.1 on links of a base, that far apart."""
    geom = f'<geom name="{{}}" size=".1" margin="{margin}"/>'
    return (
        f'<mujoco model="s"><worldbody><body name="p"><joint name="j"/>{geom.format("g")}</body>'
        f'<body name="q" pos="0 0 {0.2 + distance}"><joint name="k"/>{geom.format("h")}</body>'
        "</worldbody></mujoco>"
    )


@pytest.mark.parametrize(
    ("distance", "margin"), [(-0.05, 0.0), (-0.001, 0.01), (0.003, 0.01), (0.0, 0.01)]
)
def test_the_distance_of_a_contact_is_that_of_the_geoms(distance: float, margin: float) -> None:
    scene = build(RobotSpec(spheres(distance, margin), prefix="a/"))
    (contact,) = scene.report.contacts
    assert contact.distance == pytest.approx(distance, abs=1e-12)
    assert set(contact.geoms) == {"a/g", "a/h"}
    assert contact.internal


def test_several_points_of_a_pair_are_one_row_with_the_deepest() -> None:
    slab = """<mujoco model="slab"><worldbody><body name="b" euler="3 5 0"><joint name="j"/>
     <geom name="g" type="box" size=".5 .5 .1"/></body></worldbody></mujoco>"""
    scene = build(RobotSpec(slab, prefix="a/", pos=(0, 0, 0.05)), floor=True)
    assert scene.data.ncon > 2
    (contact,) = scene.report.contacts
    assert contact.distance == pytest.approx(float(scene.data.contact.dist.min()), abs=1e-15)
    assert contact.distance < float(scene.data.contact.dist.max())
    assert set(contact.owners) == {"a", "world"}
    assert not contact.internal


def test_unnamed_geoms_are_called_after_their_body_and_place() -> None:
    file = spheres(-0.05).replace(' name="g"', "").replace(' name="h"', "")
    file = file.replace("<geom", '<geom size=".01" pos="0 .5 0"/><geom')
    (contact,) = build(RobotSpec(file, prefix="a/")).report.contacts
    assert set(contact.geoms) == {"a/p#1", "a/q#1"}


def test_contacts_of_objects_among_themselves_are_their_own_business() -> None:
    stack = [
        SceneObject(n, shape="box", size=[0.1] * 3, pos=(0, 0, z))
        for n, z in (("a", 0.09), ("b", 0.28))
    ]
    scene = build(objects=stack, floor=True)
    assert scene.data.ncon > 0
    assert scene.report.contacts == ()


BALL = """<mujoco model="ball"><worldbody><body name="b"><joint name="j"/><geom name="g" size=".1"/>
 </body></worldbody></mujoco>"""
# A link lies between the two balls: MuJoCo leaves out contacts of a body with its parent.
WITH_LINK = BALL.replace(
    "</body></worldbody>",
    '<body name="c" pos="0 0 .1"><joint name="k"/><geom size=".01" mass="1" contype="0" '
    'conaffinity="0"/><site name="end"/></body></body></worldbody>',
)


@pytest.mark.parametrize("case", ["attachment", "robot on robot", "on an object", "beside"])
def test_contacts_with_oneself_and_what_one_stands_on_are_told_from_others(case: str) -> None:
    if case == "attachment":
        part = AttachmentSpec(BALL, attach_to=site("end"), prefix="t_")
        scene = build(RobotSpec(WITH_LINK, prefix="a/", attachments=(part,)))
        owners = {"a", "a.t"}
    elif case == "on an object":
        table = SceneObject("table", shape="box", size=[0.5, 0.5, 0.1], fixed=True)
        robot = RobotSpec(BALL, prefix="a/", attach_to=body("table"), pos=(0, 0, 0.15))
        scene = build(robot, objects=[table])
        owners = {"a", "table"}
    elif case == "robot on robot":
        parent = RobotSpec(WITH_LINK, prefix="a/")
        scene = build(parent, RobotSpec(BALL, prefix="b/", attach_to=site("a/end")))
        owners = {"a", "b"}
    else:
        scene = build(RobotSpec(BALL, prefix="a/"), RobotSpec(BALL, prefix="b/", pos=(0, 0, 0.15)))
        owners = {"a", "b"}
    (contact,) = scene.report.contacts
    assert set(contact.owners) == owners
    assert contact.internal == (case != "beside")
    line = line_with(scene, *contact.geoms)
    assert line.endswith("yes") == (case != "beside")


# A second floor


@pytest.mark.parametrize("first", ["floor", "robot"])
def test_a_second_floor_is_warned_of_by_name_and_drop_world_cures_it(first: str) -> None:
    grounded = WALLED.format(world='<geom name="ground" type="plane" size="1 1 1"/>')
    if first == "floor":
        scene = build(RobotSpec(grounded, prefix="a/"), floor=True)
        cured = build(RobotSpec(grounded, prefix="a/", drop_world=True), floor=True)
        names = ("'floor'", "'a/ground'")
    else:
        made = [{"prefix": "a/"}, {"prefix": "b/", "pos": (5, 0, 0)}]
        scene = build(*(RobotSpec(grounded, **m) for m in made))
        cured = build(
            RobotSpec(grounded, **made[0]), RobotSpec(grounded, drop_world=True, **made[1])
        )
        names = ("'a/ground'", "'b/ground'")
    (warning,) = scene.report.warnings
    for name in names:
        assert name in warning
    assert "drop_world=True" in warning
    assert warning in str(scene.report)
    assert cured.report.warnings == ()


@pytest.mark.parametrize(
    "world",
    [
        '<geom type="plane" size="1 1 1" zaxis="1 0 0" pos="-3 0 0"/>',  # a wall
        '<geom type="plane" size="1 1 1" contype="0" conaffinity="0"/>',  # only drawn
        "",
    ],
)
def test_what_is_no_second_floor_is_not_warned_of(world: str) -> None:
    spec = RobotSpec(WALLED.format(world=world), prefix="a/")
    assert build(spec, floor=True).report.warnings == ()
