"""Rows of bad input that break a rule of composition: groups, options, keyframes, entities."""

from __future__ import annotations

from pathlib import Path

from bad_cases import ARM, BadCase, arm, one, write
from bad_files import archive, files, row, second_robot, text

from mjscene import AttachmentSpec, SceneSpec, site

__all__ = ["BAD_RULES"]

GROUPED = """\
<mujoco model="m">
  <worldbody><body name="b"><joint name="j"/><geom size=".1"/></body></worldbody>
  <actuator>
    <motor name="first" joint="j"/>
    <velocity name="second" joint="j" kv="1" group="7"/>
  </actuator>
</mujoco>
"""
BY_CLASS = """\
<mujoco model="m">
  <default>
    <default class="drive">
      <position kp="5" group="2"/>
    </default>
  </default>
  <worldbody><body name="b"><joint name="j"/><geom size=".1" group="3"/></body></worldbody>
  <actuator><position class="drive" name="servo" joint="j"/></actuator>
</mujoco>
"""
INCLUDER = """\
<mujoco model="top">
  <include file="part.xml"/>
</mujoco>
"""
KEYED = """\
<mujoco model="m">
  <worldbody><body name="b"><joint name="j"/><geom size=".1"/></body></worldbody>
  <actuator><motor name="drive" joint="j"/></actuator>
  <keyframe>
    <key name="rest" {}/>
  </keyframe>
</mujoco>
"""
LAUGHS = """\
<!DOCTYPE lolz [
  <!ENTITY lol "lol">
  <!ENTITY lol1 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">
  <!ENTITY lol2 "&lol1;&lol1;&lol1;&lol1;&lol1;&lol1;&lol1;&lol1;&lol1;&lol1;">
  <!ENTITY lol3 "&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;">
  <!ENTITY lol4 "&lol3;&lol3;&lol3;&lol3;&lol3;&lol3;&lol3;&lol3;&lol3;&lol3;">
  <!ENTITY lol5 "&lol4;&lol4;&lol4;&lol4;&lol4;&lol4;&lol4;&lol4;&lol4;&lol4;">
  <!ENTITY lol6 "&lol5;&lol5;&lol5;&lol5;&lol5;&lol5;&lol5;&lol5;&lol5;&lol5;">
  <!ENTITY lol7 "&lol6;&lol6;&lol6;&lol6;&lol6;&lol6;&lol6;&lol6;&lol6;&lol6;">
  <!ENTITY lol8 "&lol7;&lol7;&lol7;&lol7;&lol7;&lol7;&lol7;&lol7;&lol7;&lol7;">
]>
<mujoco model="&lol8;"/>
"""
LOCAL_FILE = """\
<?xml version="1.0"?>
<!DOCTYPE mujoco [
  <!ENTITY secret SYSTEM "secret.txt">
]>
<mujoco model="&secret;"/>
"""
NETWORK = """\
<?xml version="1.0"?>
<!DOCTYPE mujoco SYSTEM "http://127.0.0.1:9/m.dtd">
<mujoco model="m"><worldbody><geom size=".1"/></worldbody></mujoco>
"""


def option(value: str) -> str:
    """The arm with an option."""
    return ARM.replace("<worldbody>", f"<option {value}/><worldbody>", 1)


def two(id_: str, first: str, second: str, *says: str) -> BadCase:
    """Two robots whose files author options."""

    def make(folder: Path) -> SceneSpec:
        a, b = write(folder, "a.xml", option(first)), write(folder, "b.xml", option(second))
        return SceneSpec([arm(path=a), arm("right/", b)])

    return row(id_, make, "left", "right", "a.xml", "b.xml", "PhysicsOptions", *says)


def attached(folder: Path) -> SceneSpec:
    """A tool whose file assigns a group."""
    tool = AttachmentSpec(write(folder, "tool.xml", GROUPED), attach_to=site("tip"), prefix="tool/")
    return SceneSpec([arm(attachments=[tool])])


GROUPS = [
    text("group", GROUPED, "arm.xml:5", "group 7", "'second'", "velocity", "regroup=True"),
    text("group-by-class", BY_CLASS, "arm.xml:4", "group 2", "'servo'", "position", "regroup=True"),
    text(
        "group-of-the-actuator-it-names",
        BY_CLASS.replace("<actuator>", '<actuator>\n    <motor name="first" joint="j" group="7"/>'),
        *("arm.xml:9", "group 7", "'first'", "motor", "regroup=True"),
    ),
    files(
        "group-in-an-included-file",
        {"arm.xml": INCLUDER, "part.xml": GROUPED},
        *("part.xml:5", "group 7", "'second'", "velocity", "regroup=True"),
    ),
    row(
        "group-of-an-attachment",
        attached,
        *(
            "robots[0].attachments[0]",
            "'left.tool'",
            "tool.xml:5",
            "group 7",
            "'second'",
            "regroup",
        ),
    ),
    row(
        "group-in-a-string",
        lambda folder: one(GROUPED),
        *("robots[0]", "'left'", "line 5", "group 7", "'second'", "velocity", "regroup=True"),
    ),
    row(
        "group-in-an-archive",
        lambda folder: one(archive(folder, {"arm.xml": GROUPED})),
        *("robots[0]", "'left'", "arm.mjz", "group 7", "'second'", "regroup=True"),
    ),
]

OPTIONS = [
    two("options-impratio", 'impratio="10"', 'impratio="5"', "impratio", "10", "5", "(impratio="),
    two(
        "options-cone", 'cone="elliptic"', 'cone="pyramidal"', "'elliptic'", "'pyramidal'", "(cone="
    ),
    two(
        "options-gravity",
        'gravity="0 0 -1"',
        'gravity="0 0 -2"',
        *("(0.0, 0.0, -1.0)", "(0.0, 0.0, -2.0)", "(gravity="),
    ),
]

KEYS = [
    # F02: a key whose vectors do not fit, with its name, the expected and the found length.
    second_robot(
        "F02-key-qpos-too-long",
        {"b.xml": KEYED.format('qpos="1 2"')},
        *("b.xml", "rest", "qpos", " 1", " 2"),
    ),
    second_robot(
        "F02-key-ctrl-too-long",
        {"b.xml": KEYED.format('ctrl="1 2 3"')},
        *("b.xml", "rest", "ctrl", " 1", " 3"),
    ),
]

ENTITIES = [
    text("entities-laughs", LAUGHS, "arm.xml:2", "entit"),
    text("entities-local-file", LOCAL_FILE, "arm.xml:3", "entit"),
    text("entities-utf-16", LAUGHS.encode("utf-16"), "arm.xml"),
    text("dtd-from-the-network", NETWORK, "arm.xml:2", "DTD"),
    files(
        "entities-in-an-included-file",
        {"arm.xml": INCLUDER, "part.xml": LAUGHS},
        *("part.xml:2", "entit"),
    ),
    files(
        "entities-unused-in-an-included-file",
        {
            "arm.xml": INCLUDER,
            "part.xml": LOCAL_FILE.replace('<?xml version="1.0"?>', "").replace("&secret;", "m"),
        },
        *("part.xml:", "entit"),
    ),
    row("entities-in-a-string", lambda folder: one(LAUGHS), "robots[0]", "left", "line 2", "entit"),
    row(
        "entities-in-an-archive",
        lambda folder: one(archive(folder, {"arm.xml": LAUGHS})),
        *("robots[0]", "left", "arm.mjz", "entit"),
    ),
]

BAD_RULES = [*GROUPS, *OPTIONS, *KEYS, *ENTITIES]
