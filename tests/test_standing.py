"""Who stands on whom: what can be built is let through, what cannot is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from mjscene import (
    AttachmentSpec,
    ComposeError,
    RobotSpec,
    SceneObject,
    SceneSpec,
    SiteSpec,
    SpecError,
    body,
    build_scene,
    load_scene,
    scene_names,
    site,
)
from mjscene.standing import check_standing

PLATE = """<mujoco><worldbody><body name="{0}plate"><geom size="0.1"/><site name="{0}top"/></body>
</worldbody></mujoco>"""


def plate(prefix: str, on: str = "", inner: str = "", **more: object) -> RobotSpec:
    place = {"attach_to": site(on)} if on else {}
    return RobotSpec(PLATE.format(inner), prefix=prefix, name=f"n{prefix}", **place, **more)  # type: ignore[arg-type]


def block(name: str, on: str = "") -> SceneObject:
    place = {"attach_to": body(on)} if on else {}
    return SceneObject(name, shape="box", size=(1, 1, 1), fixed=True, **place)


def hand(prefix: str, on: str) -> AttachmentSpec:
    return AttachmentSpec(PLATE.format(""), attach_to=site(on), prefix=prefix, name=f"h{prefix}")


GOOD = {
    "tower": SceneSpec([plate("a/"), plate("b/", "a/top"), plate("c/", "b/top")]),
    "prefix within a prefix": SceneSpec([plate("a"), plate("ab", "abtop", inner="b")][:1]),
    "name of an earlier robot that begins like one's own": SceneSpec(
        [plate("a/", inner="b/"), plate("a/b/x", "a/b/top")]
    ),
    "no prefix": SceneSpec([plate("", inner="x/"), plate("x/y", "x/top")]),
    "robot on an object": SceneSpec(
        [RobotSpec(PLATE.format(""), prefix="a/", attach_to=body("t"))], objects=[block("t")]
    ),
    "object on a robot": SceneSpec([plate("a/")], objects=[block("t", "a/plate")]),
    "objects on objects": SceneSpec(objects=[block("s"), block("t", "s")]),
    "robot on a site of the scene": SceneSpec(
        [plate("a/", "a/mark")], sites=[SiteSpec("a/mark", pos=(1, 0, 0))]
    ),
    "attachments in a row": SceneSpec(
        [plate("a/", attachments=[hand("m/", "top"), hand("h/", "m/top")])]
    ),
    "attachment on a name like its own prefix": SceneSpec(
        [plate("a/", inner="h/", attachments=[hand("h/x", "h/top")])]
    ),
    "attachment on a name that begins like a later prefix": SceneSpec(
        [plate("a/", inner="to_", attachments=[hand("to_h/", "to_top"), hand("t", "to_top")])]
    ),
}  # fmt: skip
BAD = {
    "robots[1].attach_to": SceneSpec([plate("a/"), plate("b/", "b/top")]),
    "robots[0].attach_to": SceneSpec(
        [RobotSpec(PLATE.format(""), prefix="a/", name="a", attach_to=body("t"))],
        objects=[block("t", "s"), block("s", "a/plate")],
    ),
    "objects[0].attach_to": SceneSpec(objects=[block("t", "s"), block("s", "t")]),
    "robots[0].attachments[1].attach_to": SceneSpec(
        [plate("a/", attachments=[hand("m/", "top"), hand("h/", "h/top")])]
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_what_can_be_built_is_let_through(name: str) -> None:
    build_scene(GOOD[name])  # MuJoCo's word on it
    check_standing(GOOD[name])


@pytest.mark.parametrize("name", scene_names())
def test_scenes_that_ship_stand(name: str) -> None:
    check_standing(load_scene(name))


@pytest.mark.parametrize("where", BAD)
def test_what_cannot_be_built_is_told(where: str) -> None:
    with pytest.raises(ComposeError):
        build_scene(BAD[where])
    with pytest.raises(SpecError, match=r"stands on .*in order") as caught:
        check_standing(BAD[where])
    assert caught.value.where == where


def test_model_that_is_missing_is_left_to_the_build(tmp_path: Path) -> None:
    arm = RobotSpec(str(tmp_path / "a.xml"), attachments=[hand("h/", "h/top")])
    check_standing(SceneSpec([arm]))
