"""Rows of bad input in which the models are good and the spec asks of them what they lack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bad_cases import ARM, BLOCK, FLOAT, BadCase, arm, one

from mjscene import (
    AttachmentSpec,
    CameraSpec,
    ComposeError,
    RobotSpec,
    SceneObject,
    SceneSpec,
    SiteSpec,
    body,
    frame,
    site,
)

__all__ = ["BAD_NAMES"]

SUFFIXED = ARM.replace('"j"', '"2_j"').replace('"servo"', '"2_servo"')
UNDERLINED = ARM.replace('"j"', '"_j"').replace('"link"', '"_link"').replace('"g"', '"_g"')
TARGET = """<mujoco model="target"><worldbody><body name="tgt" mocap="true" pos="0 0 1">
 <geom size=".1"/></body></worldbody></mujoco>"""
TWO_FREE = """<mujoco model="pair"><worldbody><body name="one"><freejoint/><geom size=".1"/></body>
 <body name="two" pos="1 0 0"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
FRAMED = """<mujoco model="framed"><worldbody><body name="plate"><geom size=".1" mass="1"/>
 <frame name="holder" pos="0 0 .1"/></body></worldbody></mujoco>"""


def row(id_: str, make: Callable[[], SceneSpec], *says: str) -> BadCase:
    """A row whose spec is legal and whose scene is not."""
    return BadCase(id_, lambda _: make(), ComposeError, says)


def tool(attach_to: Any, path: Any = BLOCK, prefix: str = "tool/", **fields: Any) -> AttachmentSpec:
    """An attachment."""
    return AttachmentSpec(path, attach_to=attach_to, prefix=prefix, **fields)


def panda(*attachments: AttachmentSpec, **fields: Any) -> RobotSpec:
    """The seven-joint arm that ships, with the label ``left``."""
    return RobotSpec("mjscene:panda", prefix="left/", attachments=attachments, **fields)


FLANGE = site("attachment_site")
NEW = "use site('attachment_site')"
SPHERE: dict[str, Any] = {"shape": "sphere", "size": [0.1]}

TARGETS = [
    row(
        "site-typo",
        lambda: SceneSpec([panda(tool(FLANGE), tool(site("atachment_site"), prefix="b/"))]),
        *("robots[0].attachments[1].attach_to", "'left'", "site 'atachment_site'"),
        "did you mean 'attachment_site'",
    ),
    row(
        "site-given-as-body",
        lambda: SceneSpec([panda(tool(body("attachment_site")))]),
        *("robots[0].attachments[0].attach_to", "no body 'attachment_site'", NEW),
    ),
    row(
        "body-given-as-frame",
        lambda: SceneSpec([panda(tool(frame("link7")))]),
        *("robots[0].attachments[0].attach_to", "no frame 'link7'", "use body('link7')"),
    ),
    row(
        "site-of-a-later-attachment",
        lambda: SceneSpec(
            [panda(tool(site("s/ft_site")), tool(FLANGE, "mjscene:ft_sensor", "s/"))]
        ),
        *("robots[0].attachments[0].attach_to", "'left'", "site 's/ft_site'", "earlier"),
    ),
    row(
        "world-given-as-body",
        lambda: SceneSpec([panda(tool(body("world")))]),
        *("robots[0].attachments[0].attach_to", "body 'world'"),
    ),
    row(
        "robot-on-unknown-body",
        lambda: SceneSpec([panda(), arm("right/", attach_to=body("left/lnk7"))]),
        *("robots[1].attach_to", "right", "body 'left/lnk7'", "mean 'left/link7'"),
    ),
    row(
        "robot-on-a-name-without-its-prefix",
        lambda: SceneSpec([panda(), arm("right/", attach_to=body("link7"))]),
        *("robots[1].attach_to", "right", "body 'link7'", "mean 'left/link7'"),
    ),
    row(
        "object-on-unknown-body",
        lambda: SceneSpec(
            [panda()], objects=[SceneObject("cup", fixed=True, attach_to=body("hand"), **SPHERE)]
        ),
        *("objects[0].attach_to", "cup", "body 'hand'"),
    ),
    row(
        "camera-on-unknown-body",
        lambda: SceneSpec([panda()], cameras=[CameraSpec("eye", attach_to=body("left/link"))]),
        *("cameras[0].attach_to", "eye", "body 'left/link'", "'left/link1'"),
    ),
    row(
        "site-on-unknown-frame",
        lambda: SceneSpec(
            [arm(path=FRAMED)], sites=[SiteSpec("mark", attach_to=frame("left/holdr"))]
        ),
        *("sites[0].attach_to", "mark", "frame 'left/holdr'", "mean 'left/holder'"),
    ),
]

NAMES = [
    row(
        "no-such-robot",
        lambda: one("mjscene:pnda"),
        "robots[0].path",
        "left",
        "'pnda'",
        "mean 'panda'",
        "ur5e",
    ),
    row(
        "no-such-menagerie-model",
        lambda: one("menagerie:universal_robots_ur5"),
        *("robots[0].path", "left", "'universal_robots_ur5'", "mean 'universal_robots_ur5e'"),
    ),
    row(
        "no-such-menagerie-entry",
        lambda: one("menagerie:universal_robots_ur5e/ur5"),
        *("robots[0].path", "left", "universal_robots_ur5e", "entry 'ur5'", "ur5e"),
    ),
    row(
        "home-typo",
        lambda: SceneSpec([panda(home="hme")]),
        *("robots[0].home", "'left'", "keyframe 'hme'", "mean 'home'"),
    ),
    row(
        "home-without-keyframes",
        lambda: one(BLOCK, home="home"),
        *("robots[0].home", "'left'", "keyframe 'home'", "joint values"),
    ),
    row(
        "home-too-long",
        lambda: SceneSpec([panda(home=[0.0] * 8)]),
        *("robots[0].home", "'left'", "7 hinge and slide joints", "8 values", "'joint7'"),
    ),
    row(
        "home-joint-typo",
        lambda: SceneSpec([panda(home={"jont3": 0.5})]),
        *("robots[0].home", "'left'", "joint 'jont3'", "'joint3'"),
    ),
    row(
        "home-of-an-attachment",
        lambda: SceneSpec([panda(tool(FLANGE, "mjscene:gripper", home="opn"))]),
        *("robots[0].attachments[0].home", "'left.tool'", "keyframe 'opn'", "mean 'open'"),
    ),
    row(
        "exclusion-typo",
        lambda: SceneSpec(
            [panda(tool(FLANGE, contact_exclusions=[("link7", "b"), ("lnk6", "b")]))]
        ),
        *("robots[0].attachments[0].contact_exclusions[1]", "left", "lnk6", "link6"),
    ),
    row(
        "exclusion-of-unknown-own-body",
        lambda: SceneSpec([panda(tool(FLANGE, contact_exclusions=[("link7", "bb")]))]),
        *("robots[0].attachments[0].contact_exclusions[0]", "left", "bb", "'b'"),
    ),
]

CLASHES = [
    # F18: the names clash once the prefixes are put before them.
    row(
        "F18-prefixes-run-together",
        lambda: SceneSpec([arm("arm", SUFFIXED), arm("arm2", UNDERLINED)]),
        *("robots[1]", "joint", "'arm2_j'", "robot 'arm'", "robot 'arm2'", "prefix"),
    ),
    row(
        "F18-attachment-against-robot",
        lambda: SceneSpec([panda(tool(FLANGE, ARM, "b/")), arm("left/b/", name="other")]),
        *("robots[1]", "'left/b/", "'left.b'", "'other'", "prefix"),
    ),
    row(
        "F18-object-against-robot",
        lambda: SceneSpec([arm("", name="arm")], objects=[SceneObject("link", **SPHERE)]),
        *("objects[0]", "body", "'link'", "robot 'arm'", "object 'link'"),
    ),
    row(
        "F18-attachment-without-prefix",
        lambda: SceneSpec([arm(attachments=[tool(site("tip"), ARM, "", name="second")])]),
        *("robots[0].attachments[0]", "'left'", "'left.second'", "prefix"),
    ),
    row(
        "site-named-as-a-robots",
        lambda: SceneSpec([arm()], sites=[SiteSpec("left/tip")]),
        *("robots[0]", "'left/tip'", "robot 'left'", "the scene"),
    ),
]

JOINTS = [
    row(
        "F05-free-joint-on-a-site",
        lambda: SceneSpec([arm(), arm("base/", FLOAT, attach_to=site("left/tip"))]),
        *("robots[1].attach_to", "'base'", "'root'", "site 'left/tip'", "world"),
    ),
    row(
        "F05-free-joint-in-a-frame-of-a-body",
        lambda: SceneSpec([arm(path=FRAMED), arm("base/", FLOAT, attach_to=frame("left/holder"))]),
        *("robots[1].attach_to", "'base'", "'root'", "frame 'left/holder'", "world"),
    ),
    row(
        "F05-free-joint-of-an-attachment",
        lambda: SceneSpec([panda(tool(FLANGE, FLOAT))]),
        *("robots[0].attachments[0].attach_to", "'left.tool'", "'root'", "'left/attachment_site'"),
    ),
    row(
        "F23-mocap-below-a-link",
        lambda: SceneSpec([arm(), arm("aim/", TARGET, attach_to=site("left/tip"))]),
        *("robots[1].attach_to", "'aim'", "mocap", "'tgt'", "site 'left/tip'"),
    ),
    row(
        "object-of-two-free-bodies",
        lambda: SceneSpec(objects=[SceneObject("thing", path=TWO_FREE)]),
        *("objects[0].path", "thing", "2 free bodies", "robot"),
    ),
    row(
        "object-with-a-mocap-body",
        lambda: SceneSpec(objects=[SceneObject("thing", path=TARGET)]),
        *("objects[0].path", "thing", "mocap", "'tgt'", "mocap=True"),
    ),
    row(
        "F60-massless-link-in-text",
        lambda: SceneSpec([arm(), arm("right/", ARM.replace('mass="1"', 'mass="0"'))]),
        *("robots[1]", "'right'", "mass", "link"),
    ),
]

BAD_NAMES = [*TARGETS, *NAMES, *CLASHES, *JOINTS]
