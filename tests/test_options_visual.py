"""What files say beside physics: visual options, sizes, memory and statistics."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from field_models import ARM, FLOAT, alone, build

from mjscene import AttachmentSpec, RobotSpec, SceneObject, site

MIB = 2**20
VISUAL = """<visual><global fovy="30" azimuth="10" offwidth="1280"/><quality shadowsize="1024"/>
 <headlight ambient=".1 .2 .3" active="0"/><map znear=".02" zfar="40" stiffness="7"/>
 <scale forcewidth=".2"/><rgba haze="1 0 0 1"/></visual>"""
GROUPS = ("global_", "quality", "headlight", "map", "scale", "rgba")


def having(extra: str, base: str = ARM) -> str:
    """A robot whose file has more at its start."""
    return base.replace("<worldbody>", f"{extra}<worldbody>", 1)


def sized(sizes: dict[str, int]) -> str:
    """The element of some sizes."""
    written = " ".join(f'{name}="{count}"' for name, count in sizes.items())
    return f"<size {written}/>"


def visual_of(model: Any) -> dict[str, Any]:
    """All visual options of a model."""
    return {
        f"{group}.{name}": np.array(getattr(getattr(model.vis, group), name))
        for group in GROUPS
        for name in dir(getattr(model.vis, group))
        if not name.startswith("_")
    }


def assert_same_visual(found: Any, expected: Any, but: tuple[str, ...] = ()) -> None:
    """Two models look the same."""
    right = visual_of(expected)
    assert len(right) > 50
    for name, value in visual_of(found).items():
        if name not in but:
            np.testing.assert_array_equal(value, right[name], err_msg=name)


# Visual


def test_a_file_looks_in_the_scene_as_it_looks_alone_and_the_report_says_so() -> None:
    file = having(VISUAL)
    scene = build(RobotSpec(ARM, prefix="x/"), RobotSpec(file, prefix="a/"))
    assert_same_visual(scene.model, alone(file))
    rows = {row.name: row for row in scene.report.options}
    assert set(rows) == {
        *("visual global.fovy", "visual global.azimuth", "visual global.offwidth"),
        *("visual quality.shadowsize", "visual headlight.ambient", "visual headlight.active"),
        *("visual map.znear", "visual map.zfar", "visual map.stiffness"),
        *("visual scale.forcewidth", "visual rgba.haze"),
    }
    assert {row.origin for row in rows.values()} == {"a"}
    found = visual_of(scene.model)
    for name, row in rows.items():
        field = name.removeprefix("visual ").replace("global.", "global_.")
        np.testing.assert_array_equal(row.value, found[field])


def test_of_two_files_the_first_is_taken_the_nearest_near_and_the_farthest_far_plane() -> None:
    one = having('<visual><global fovy="30"/><map znear=".02" zfar="40"/></visual>')
    other = having('<visual><global fovy="60" azimuth="5"/><map znear=".1" zfar="90"/></visual>')
    for files, fovy in (((one, other), 30), ((other, one), 60)):
        scene = build(*(RobotSpec(f, prefix=p) for f, p in zip(files, ("a/", "b/"), strict=True)))
        vis = scene.model.vis
        assert (vis.global_.fovy, vis.global_.azimuth) == (fovy, 5)
        assert (vis.map.znear, vis.map.zfar) == (np.float32(0.02), 90)
        rows = {row.name: row for row in scene.report.options}
        assert rows["visual global.fovy"].origin == "a"
        assert "b has" in rows["visual global.fovy"].note
        nearest = "a" if files[0] == one else "b"
        assert rows["visual map.znear"].origin == nearest


def test_realtime_is_the_slowest() -> None:
    files = [having(f'<visual><global realtime="{r}"/></visual>') for r in (0.5, 0.25)]
    scene = build(*(RobotSpec(f, prefix=p) for f, p in zip(files, ("a/", "b/"), strict=True)))
    assert scene.model.vis.global_.realtime == 0.25


# Sizes and memory


def test_sizes_are_the_largest_of_all_files() -> None:
    names = ("nuserdata", "nuser_body", "nuser_jnt", "nuser_geom", "nuser_site", "nuser_cam")
    names += ("nuser_tendon", "nuser_actuator", "nuser_sensor")
    small = having(sized({n: i + 1 for i, n in enumerate(names)}))
    large = having(sized({n: 9 - i for i, n in enumerate(names)}))
    scene = build(RobotSpec(small, prefix="a/"), RobotSpec(large, prefix="b/"))
    rows = {row.name: row for row in scene.report.options}
    for i, name in enumerate(names):
        assert getattr(scene.model, name) == max(i + 1, 9 - i), name
        assert rows[name].value == max(i + 1, 9 - i)


def test_user_values_of_elements_stay_theirs_when_another_file_has_longer_ones() -> None:
    short = having('<size nuser_jnt="1"/>').replace('axis="0 1 0"', 'axis="0 1 0" user="5"')
    long = having('<size nuser_jnt="3"/>').replace('axis="0 1 0"', 'axis="0 1 0" user="1 2 3"')
    scene = build(RobotSpec(short, prefix="a/"), RobotSpec(long, prefix="b/"))
    np.testing.assert_array_equal(scene.model.joint("a/j").user, (5, 0, 0))
    np.testing.assert_array_equal(scene.model.joint("b/j").user, (1, 2, 3))


def test_each_file_gets_the_arena_that_it_asks_for() -> None:
    file = having('<size memory="40M"/>')
    assert alone(file).narena == 40 * MIB
    scene = build(RobotSpec(file, prefix="a/"), RobotSpec(ARM, prefix="x/"))
    assert scene.model.narena >= 40 * MIB + alone(ARM).narena
    scene = build(*(RobotSpec(file, prefix=f"{i}/") for i in range(3)))
    (row,) = scene.report.options
    assert (row.name, row.value) == ("memory", scene.model.narena)
    assert scene.model.narena >= 3 * 40 * MIB


def test_nobodys_memory_is_mujocos_own_choice() -> None:
    scene = build(RobotSpec(ARM, prefix="a/"))
    assert scene.model.narena == alone(ARM).narena
    assert scene.report.options == ()


def pile(size: str) -> str:
    """A floor with 36 balls that touch it and one another, and a size in the file."""
    balls = "".join(
        f'<body pos="{0.15 * i} {0.15 * j} .09"><freejoint/><geom size=".1"/></body>'
        for i in range(6)
        for j in range(6)
    )
    return f"""<mujoco model="pile"><option cone="elliptic"/>{size}<worldbody>
     <geom type="plane" size="9 9 1"/>{balls}</worldbody></mujoco>"""


@pytest.mark.parametrize("size", ["", '<size memory="1M"/>', '<size njmax="500" nconmax="100"/>'])
def test_contacts_of_many_copies_do_not_outgrow_what_one_copy_asked_for(size: str) -> None:
    file = alone(pile(size))
    data = mujoco.MjData(file)
    mujoco.mj_forward(file, data)
    assert data.ncon == 36 + 2 * 30  # with the floor, and neighbours along x and y
    copies = 6
    scene = build(
        *(
            RobotSpec(pile(size), prefix=f"{i}/", pos=(5 * i, 0, 0), drop_world=i > 0)
            for i in range(copies)
        )
    )
    warned = scene.data.warning.number
    assert scene.data.ncon == copies * data.ncon
    assert warned[mujoco.mjtWarning.mjWARN_CONTACTFULL] == 0
    assert warned[mujoco.mjtWarning.mjWARN_CNSTRFULL] == 0


def test_legacy_sizes_of_one_file_leave_room_for_the_others_and_go_with_memory_of_another() -> None:
    legacy = having('<size njmax="10" nconmax="3"/>')
    scene = build(RobotSpec(legacy, prefix="a/"), RobotSpec(ARM, prefix="b/"))
    assert scene.model.narena >= alone(ARM).narena
    scene = build(RobotSpec(legacy, prefix="a/"), RobotSpec(having('<size memory="40M"/>')))
    assert scene.model.narena >= 40 * MIB
    alone_again = build(RobotSpec(legacy, prefix="a/")).model
    assert (alone_again.njmax, alone_again.nconmax) == (10, 3)


# Statistics

STATISTIC = '<statistic extent="3" center="1 2 3" meansize=".4" meanmass="5" meaninertia="6"/>'


@pytest.mark.parametrize("objects", [(), (SceneObject("s", shape="sphere", size=[1]),)])
def test_the_statistics_of_the_only_robot_are_those_of_the_scene(objects: Any) -> None:
    scene = build(RobotSpec(having(STATISTIC), prefix="a/"), objects=objects)
    stat = scene.model.stat
    assert (stat.extent, stat.meansize, stat.meanmass, stat.meaninertia) == (3, 0.4, 5, 6)
    np.testing.assert_array_equal(stat.center, (1, 2, 3))
    assert {row.name for row in scene.report.options} == {
        f"statistic {n}" for n in ("extent", "center", "meansize", "meanmass", "meaninertia")
    }


def test_the_statistics_of_one_of_several_robots_say_nothing_of_the_scene() -> None:
    scene = build(
        RobotSpec(having(STATISTIC), prefix="a/"), RobotSpec(FLOAT, prefix="f/", pos=(9, 0, 0))
    )
    assert scene.model.stat.extent != 3
    plain = build(RobotSpec(ARM, prefix="a/"), RobotSpec(FLOAT, prefix="f/", pos=(9, 0, 0)))
    assert scene.model.stat.extent == plain.model.stat.extent
    assert scene.model.stat.meaninertia == plain.model.stat.meaninertia


def test_a_robot_goes_before_its_attachments() -> None:
    tool = AttachmentSpec(having('<statistic extent="7"/>'), attach_to=site("tip"), prefix="t_")
    scene = build(RobotSpec(having('<statistic extent="3"/>'), prefix="a/", attachments=(tool,)))
    assert scene.model.stat.extent == 3
