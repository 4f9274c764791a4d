"""Where something attached ends up: numpy's product of transforms, and MuJoCo's own attach."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from field_models import build, matrix, refusal, world_matrix
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from mjscene import (
    WORLD,
    AttachmentSpec,
    RobotSpec,
    SceneObject,
    SceneSpec,
    SiteSpec,
    body,
    build_scene,
    frame,
    site,
)
from mjscene.messages import Captured

TURN = (0.18257418583505536, 0.3651483716701107, 0.5477225575051661, 0.7302967433402214)
OFFSET = ((0.1, -0.2, 0.3), (0.5, -0.5, 0.5, 0.5))
TOLERANCE = 1e-13  # a product of at most ten transforms of size 10, at 2e-16 each, with room

# Sites that say their orientation in every way that MJCF has; none of them is the identity.
SITES = {
    "plain": 'pos=".3 0 0"',
    "quat": 'pos=".3 .1 0" quat="1 2 3 4"',
    "euler": 'pos="0 .1 .2" euler="10 20 30"',
    "axisangle": 'pos="0 .1 .2" axisangle="1 2 3 40"',
    "xyaxes": 'pos="0 .1 .2" xyaxes="1 1 0 -1 1 0"',
    "zaxis": 'pos="0 .1 .2" zaxis="1 2 3"',
    "fromto": 'type="capsule" size=".01" fromto=".1 .2 .3 .4 .4 -.1"',
    "classed": 'class="turned" pos=".1 0 0"',
}
HOST = """<mujoco model="host"><compiler {compiler}/><default><default class="turned">
 <site quat="1 0 1 0"/></default></default><worldbody><site name="ground" pos="1 2 0" {turn}/>
 <frame name="corner" pos="2 0 0" {turn}><frame name="shelf" pos="0 0 1" {turn}>
 <site name="spot" pos=".1 .2 .3" {turn}/></frame></frame>
 <body name="base" pos="0 0 .5" {turn}><joint name="j0" axis="0 0 1"/><geom size=".05"/>
 <body name="link" pos=".2 0 0"><joint name="j1" axis="0 1 0"/><geom size=".05"/>
 <frame name="outer" pos="0 0 .1" {turn}><frame name="inner" pos=".1 0 0" {turn}>
 <site name="framed" pos="0 .1 0" {turn}/></frame></frame>{sites}</body></body>
 </worldbody></mujoco>"""
TOOL = """<mujoco model="tool"><worldbody><body name="hand" pos=".01 .02 .03" quat="1 2 0 0">
 <joint name="finger" type="slide"/><geom size=".02" contype="0" conaffinity="0"/>
 <site name="tip" pos="0 0 .1" euler="0 45 0"/></body></worldbody></mujoco>"""
FILE_FROM_HAND = matrix((0.01, 0.02, 0.03), (2, 0, 0, 1))


def host(*, radian: bool = False, eulerseq: str = "xyz") -> str:
    """A moving host with frames and sites on its links and on its world."""
    sites = "".join(f'<site name="{n}" {how}/>' for n, how in SITES.items())
    unit = "radian" if radian else "degree"
    return HOST.format(
        compiler=f'angle="{unit}" eulerseq="{eulerseq}"', turn='euler="10 20 30"', sites=sites
    )


HOSTS = [{}, {"radian": True}, {"eulerseq": "ZYX"}, {"radian": True, "eulerseq": "zXz"}]
TARGETS = [*SITES, "framed", "ground", "spot"]


def moved(scene: Any, q: tuple[float, float] = (0.7, -1.1)) -> Any:
    """The scene with its host at a pose."""
    for joint, value in zip(("h/j0", "h/j1"), q, strict=True):
        scene.data.joint(joint).qpos[:] = value
    scene.forward()
    return scene


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("how", HOSTS)
def test_an_offset_is_in_the_frame_of_the_site(target: str, how: Any) -> None:
    tool = RobotSpec(
        TOOL, prefix="t/", attach_to=site(f"h/{target}"), pos=OFFSET[0], quat=OFFSET[1]
    )
    scene = moved(build(RobotSpec(host(**how), prefix="h/", pos=(1, 2, 3), quat=TURN), tool))
    world_from_site = world_matrix(scene, "site", f"h/{target}")
    assert not np.allclose(world_from_site[:3, :3], np.eye(3))
    np.testing.assert_allclose(
        world_matrix(scene, "body", "t/hand"),
        world_from_site @ matrix(*OFFSET) @ FILE_FROM_HAND,
        rtol=0,
        atol=TOLERANCE,
    )


# MuJoCo's attach takes a site's pos and quat as they are before fromto is resolved.
@pytest.mark.parametrize("target", [t for t in TARGETS if t != "fromto"])
@pytest.mark.parametrize("how", HOSTS)
def test_without_an_offset_it_is_where_mujocos_own_attach_puts_it(target: str, how: Any) -> None:
    with Captured():
        spec = mujoco.MjSpec.from_string(host(**how))
        child = mujoco.MjSpec.from_string(TOOL)
        spec.attach(child, prefix="t/", site=spec.site(target))
        model = spec.compile()
    data = mujoco.MjData(model)
    data.joint("j0").qpos[:], data.joint("j1").qpos[:] = 0.7, -1.1
    mujoco.mj_kinematics(model, data)
    tool = AttachmentSpec(TOOL, attach_to=site(target), prefix="t/")
    scene = moved(build(RobotSpec(host(**how), prefix="h/", attachments=(tool,))))
    found, expected = scene.data.body("h/t/hand"), data.body("t/hand")
    np.testing.assert_allclose(found.xpos, expected.xpos, rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(found.xmat, expected.xmat, rtol=0, atol=TOLERANCE)


def euler_xyz(degrees: tuple[float, float, float]) -> Any:
    """Rotation (4, 4) of intrinsic xyz Euler angles, by its factors."""
    result = np.eye(4)
    for axis, angle in enumerate(np.radians(degrees)):
        quat = np.zeros(4)
        quat[axis], quat[3] = np.sin(angle / 2), np.cos(angle / 2)
        result = result @ matrix((0, 0, 0), quat)
    return result


@pytest.mark.parametrize(
    ("target", "holder", "inside"),
    [
        ("outer", "link", ((0, 0, 0.1),)),
        ("inner", "link", ((0, 0, 0.1), (0.1, 0, 0))),
        ("corner", "world", ((2, 0, 0),)),
        ("shelf", "world", ((2, 0, 0), (0, 0, 1))),
    ],
)
def test_nested_frames_multiply(target: str, holder: str, inside: Any) -> None:
    placed = {"pos": (1, 2, 3), "quat": TURN}
    tool = RobotSpec(
        TOOL, prefix="t/", attach_to=frame(f"h/{target}"), pos=OFFSET[0], quat=OFFSET[1]
    )
    scene = moved(build(RobotSpec(host(), prefix="h/", **placed), tool))
    expected = (
        matrix((1, 2, 3), TURN) if holder == "world" else world_matrix(scene, "body", "h/link")
    )
    for step in inside:
        expected = expected @ matrix(step) @ euler_xyz((10, 20, 30))
    np.testing.assert_allclose(
        world_matrix(scene, "body", "t/hand"),
        expected @ matrix(*OFFSET) @ FILE_FROM_HAND,
        rtol=0,
        atol=TOLERANCE,
    )


@pytest.mark.parametrize("target", ["h/base", "h/link", "table", "world"])
def test_a_body_is_a_frame_too(target: str) -> None:
    table = SceneObject("table", shape="box", size=[0.1] * 3, pos=(4, 5, 6), quat=TURN, fixed=True)
    to = WORLD if target == "world" else body(target)
    tool = RobotSpec(TOOL, prefix="t/", attach_to=to, pos=OFFSET[0], quat=OFFSET[1])
    scene = moved(build(RobotSpec(host(), prefix="h/", quat=TURN), tool, objects=[table]))
    np.testing.assert_allclose(
        world_matrix(scene, "body", "t/hand"),
        world_matrix(scene, "body", target) @ matrix(*OFFSET) @ FILE_FROM_HAND,
        rtol=0,
        atol=TOLERANCE,
    )
    parent = scene.model.body_parentid[scene.model.body("t/hand").id]
    assert scene.model.body(parent).name == target


def test_a_chain_of_attachments_multiplies_link_by_link() -> None:
    chain = tuple(
        AttachmentSpec(
            TOOL, attach_to=site(to), prefix=f"{p}/", pos=OFFSET[0], quat=OFFSET[1], name=p
        )
        for p, to in (("p", "fromto"), ("q", "p/tip"), ("r", "q/tip"))
    )
    scene = moved(build(RobotSpec(host(), prefix="h/", attachments=chain)))
    for finger, q in zip(("p", "q", "r"), (0.1, -0.2, 0.3), strict=True):
        scene.data.joint(f"h/{finger}/finger").qpos[:] = q
    scene.forward()
    expected = world_matrix(scene, "site", "h/fromto")
    for part, q in zip("pqr", (0.1, -0.2, 0.3), strict=True):
        hand = expected @ matrix(*OFFSET) @ FILE_FROM_HAND @ matrix((0, 0, q))
        np.testing.assert_allclose(
            world_matrix(scene, "body", f"h/{part}/hand"), hand, rtol=0, atol=TOLERANCE
        )
        expected = hand @ matrix((0, 0, 0.1)) @ euler_xyz((0, 45, 0))


# In steps of 1e-3: MuJoCo takes a site within 1e-6 of its body's frame to be that frame.
FLOATS = st.integers(-10_000, 10_000).map(lambda n: n / 1000)
QUATS = st_numpy.arrays(int, 4, elements=st.integers(-1000, 1000)).filter(lambda q: q @ q > 10_000)


@given(st.tuples(*[FLOATS] * 3), QUATS, st.sampled_from(TARGETS), st.tuples(FLOATS, FLOATS))
@settings(max_examples=40, deadline=None)
def test_any_offset_at_any_site_of_any_pose(pos: Any, quat: Any, target: str, q: Any) -> None:
    unit = tuple(quat / np.linalg.norm(quat))
    spot = SiteSpec("spot", attach_to=site(f"h/{target}"), pos=pos, quat=unit)
    thing = SceneObject(
        "thing",
        shape="sphere",
        size=[0.1],
        attach_to=site("h/quat"),
        pos=pos,
        quat=unit,
        fixed=True,
    )
    tool = RobotSpec(TOOL, prefix="t/", attach_to=site(f"h/{target}"), pos=pos, quat=unit)
    scene = build(RobotSpec(host(), prefix="h/", quat=TURN), tool, objects=[thing], sites=[spot])
    moved(scene, q)
    expected = world_matrix(scene, "site", f"h/{target}") @ matrix(pos, unit)
    np.testing.assert_allclose(
        world_matrix(scene, "body", "t/hand"), expected @ FILE_FROM_HAND, rtol=0, atol=1e-12
    )
    np.testing.assert_allclose(world_matrix(scene, "site", "spot"), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        world_matrix(scene, "body", "thing"),
        world_matrix(scene, "site", "h/quat") @ matrix(pos, unit),
        rtol=0,
        atol=1e-12,
    )


@pytest.mark.parametrize(
    ("target", "close", "words"),
    [
        (site("h/fromt"), "h/fromto", "no site"),
        (site("fromto"), "h/fromto", "no site"),
        (body("h/fromto"), None, "use site('h/fromto')"),
        (frame("h/link"), None, "use body('h/link')"),
        (site("t/tip"), None, "no site 't/tip'"),
    ],
)
def test_an_unknown_target_is_refused_with_what_comes_near(
    target: Any, close: str | None, words: str
) -> None:
    error = refusal(RobotSpec(host(), prefix="h/"), RobotSpec(TOOL, prefix="t/", attach_to=target))
    assert error.where == "robots[1].attach_to"
    assert words in str(error)
    if close is not None:
        assert close in error.close


BALL = '<mujoco><worldbody><body name="b">{}<geom size=".1"/></body></worldbody></mujoco>'


def test_a_robot_stands_on_a_site_of_the_scene() -> None:
    ball = RobotSpec(BALL.format("<freejoint/>"), prefix="a/", attach_to=site("pad"))
    scene = build_scene(SceneSpec([ball], sites=[SiteSpec("pad", pos=(1.0, 2.0, 0.5))]))
    assert scene.data.body("a/b").xpos.tolist() == [1.0, 2.0, 0.5]


def test_a_base_and_the_world_can_be_kept_from_touching() -> None:
    for excluded, touching in (([("world", "b")], 0), ([], 1)):
        ball = RobotSpec(BALL.format("<joint/>"), prefix="a/", contact_exclusions=excluded)
        assert build_scene(SceneSpec([ball], floor=True)).data.ncon == touching
