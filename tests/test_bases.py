"""Which body is a robot's base, also where bodies have no names; more in ``test_robot.py``."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from mjscene import RobotSpec, SceneSpec, build_scene
from mjscene.bases import base_id_of, base_of, free_joint_of

MODEL = mujoco.MjModel.from_xml_string("""
<mujoco><worldbody>
 <body name="toy"><freejoint name="toy"/><geom size=".1"/></body>
 <body><body name="a"><geom size=".1"/><body name="b"><geom size=".1"/></body></body>
  <body><joint name="j"/><geom size=".1"/></body></body>
 <body name="marker" mocap="true"/>
</worldbody></mujoco>""")


@pytest.mark.parametrize(
    ("bodies", "base"),
    [
        (("toy", "a", "b"), "a"),
        (("toy", "marker"), "toy"),
        (("b",), "b"),
        (("marker",), "marker"),
        ((), "world"),
    ],
)
def test_the_base_is_the_first_body_of_the_largest_tree(bodies: tuple[str, ...], base: str) -> None:
    assert base_of(MODEL, bodies) == base
    joints = np.array([], dtype=np.intp)
    expected = 0 if base == "world" else MODEL.body(base).id
    assert base_id_of(MODEL, bodies, joints) == expected


def test_an_owner_of_nameless_bodies_has_a_base() -> None:
    assert base_id_of(MODEL, (), np.array([MODEL.joint("j").id])) == 2
    assert MODEL.body(2).name == ""


def test_the_free_joint_of_a_body() -> None:
    assert free_joint_of(MODEL, MODEL.body("toy").id) == "toy"
    assert [free_joint_of(MODEL, i) for i in (0, 2, 3, MODEL.njnt)] == [None] * 4


@pytest.mark.parametrize(("free", "expected"), [("<freejoint/>", "a/"), ("", None)])
def test_a_robot_of_nameless_bodies_says_whether_it_floats(free: str, expected: str | None) -> None:
    file = f"""<mujoco model="n"><worldbody><body pos="0 0 1">{free}
     <geom size=".1"/></body></worldbody></mujoco>"""
    joint = build_scene(SceneSpec([RobotSpec(file, prefix="a/")])).robots["a"].base_joint
    assert joint is None if expected is None else joint.startswith(expected)
