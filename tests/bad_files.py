"""Rows of bad input that are files: missing, broken, or not what a robot's file may be."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bad_cases import ARM, MESH, BadCase, arm, one, write

from mjscene import AttachmentSpec, ComposeError, MjsceneError, SceneObject, SceneSpec, site

__all__ = ["BAD_FILES"]


def row(
    id_: str, make: Callable[[Path], Any], *says: str, error: type[MjsceneError] = ComposeError
) -> BadCase:
    """A row that makes files in the folder it is given."""
    return BadCase(id_, make, error, says)


def text(id_: str, xml: str | bytes, *says: str, name: str = "arm.xml") -> BadCase:
    """A row that is one file, used by the robot ``left``."""
    return row(id_, lambda folder: one(write(folder, name, xml)), "robots[0]", "left", name, *says)


def files(id_: str, parts: dict[str, str], *says: str, **fields: Any) -> BadCase:
    """A row of several files, the first of which is the file of the robot ``left``."""

    def make(folder: Path) -> SceneSpec:
        paths = [write(folder, name, xml) for name, xml in parts.items()]
        return one(paths[0], **fields)

    return row(id_, make, "robots[0]", "left", *says)


def second_robot(id_: str, parts: dict[str, str], *says: str) -> BadCase:
    """As ``files``, but a good robot ``left`` comes first and the file is that of ``right``."""

    def make(folder: Path) -> SceneSpec:
        paths = [write(folder, name, xml) for name, xml in parts.items()]
        return SceneSpec([arm(), arm("right/", paths[0])])

    return row(id_, make, "robots[1]", "'right'", *says)


def archive(folder: Path, members: dict[str, str], keep: float = 1.0) -> str:
    """A .mjz of which only the first part is kept."""
    path = folder / "arm.mjz"
    with zipfile.ZipFile(path, "w") as made:
        for name, data in members.items():
            made.writestr(name, data)
    raw = path.read_bytes()
    path.write_bytes(raw[: int(len(raw) * keep)])
    return str(path)


def unreadable(folder: Path) -> SceneSpec:
    """A file without read permission."""
    path = write(folder, "arm.xml", ARM)
    os.chmod(path, 0)
    return one(path)


def link_to_nowhere(folder: Path) -> SceneSpec:
    """A dangling symbolic link."""
    (folder / "arm.xml").symlink_to(folder / "gone.xml")
    return one(str(folder / "arm.xml"))


def body_of(geom: str, asset: str = "", head: str = "") -> str:
    """A model with its asset on line 3 and its geom on line 6."""
    return f"""\
<mujoco model="m">{head}
  <asset>
    {asset}
  </asset>
  <worldbody><body name="b">
    {geom}
  </body></worldbody>
</mujoco>
"""


MESH_GEOM = '<geom type="mesh" mesh="hull"/>'
MESH_GONE = body_of(MESH_GEOM, '<mesh name="hull" file="hull.obj"/>')
TEXTURE_GONE = body_of(
    '<geom size=".1"/>',
    '<texture name="wood" type="2d" file="wood.png"/>',
    '<compiler texturedir="t"/>',
)
HFIELD_GONE = body_of(
    '<geom type="hfield" hfield="hill"/>', '<hfield name="hill" file="hill.png" size="1 1 1 1"/>'
)
INCLUDER = """\
<mujoco model="top">
  <include file="part.xml"/>
</mujoco>
"""

MISSING = [
    row(
        "missing-file",
        lambda folder: SceneSpec(
            [arm(), arm("right/", write(folder, "ur5e.xml", ARM)[:-5] + ".xml")]
        ),
        *("robots[1].path", "right", "ur5.xml", "no such file", "mean 'ur5e.xml'"),
    ),
    row(
        "missing-folder",
        lambda folder: one(str(folder / "robts" / "arm.xml")),
        *("robots[0].path", "left", "robts", "arm.xml", "no such"),
    ),
    row("dangling-link", link_to_nowhere, "robots[0].path", "left", "arm.xml", "gone.xml"),
    row(
        "missing-object-mesh",
        lambda folder: SceneSpec(
            objects=[SceneObject("cup", path=write(folder, "cup.obj", MESH)[:-5] + ".obj")]
        ),
        *("objects[0].path", "cup", "cu.obj", "no such", "mean 'cup.obj'"),
    ),
    row(
        "missing-object-asset",
        lambda folder: SceneSpec(
            [arm()], objects=[SceneObject("cup", path=str(folder / "cup.xml"))]
        ),
        *("objects[0].path", "cup", "cup.xml", "no such file"),
    ),
    text("missing-mesh", MESH_GONE, "arm.xml:3", "mesh", "'hull'", "hull.obj"),
    second_robot(
        "F60-missing-mesh-of-the-second", {"b.xml": MESH_GONE}, "b.xml:3", "mesh", "'hull'"
    ),
    row(
        "missing-mesh-of-an-attachment",
        lambda folder: SceneSpec(
            [
                arm(
                    attachments=[
                        AttachmentSpec(
                            write(folder, "b.xml", MESH_GONE), attach_to=site("tip"), prefix="t/"
                        )
                    ]
                )
            ]
        ),
        *("robots[0].attachments[0]", "'left.t'", "b.xml:3", "mesh", "'hull'", "hull.obj"),
    ),
    files(
        "missing-mesh-in-an-included-file",
        {"arm.xml": INCLUDER, "part.xml": MESH_GONE},
        *("part.xml:3", "mesh", "'hull'", "hull.obj"),
    ),
    text("missing-texture", TEXTURE_GONE, "arm.xml:3", "texture", "'wood'", "t/wood.png"),
    text("missing-hfield", HFIELD_GONE, "arm.xml:3", "hfield", "'hill'", "hill.png"),
    text(
        "missing-submodel",
        body_of('<attach model="sub" body="b" prefix="n_"/>', '<model name="sub" file="sub.xml"/>'),
        *("arm.xml:3", "sub.xml", "model"),
    ),
    text("missing-include", INCLUDER, "arm.xml:2", "include", "'part.xml'"),
    files(
        "missing-include-of-an-include",
        {"arm.xml": INCLUDER, "part.xml": INCLUDER.replace("part", "deeper")},
        *("part.xml:2", "include", "'deeper.xml'"),
    ),
    files("include-of-itself", {"arm.xml": INCLUDER.replace("part", "arm")}, "arm.xml", "include"),
    text(
        "urdf-missing-mesh",
        '<robot name="r"><link name="a"><collision><geometry>\n<mesh filename="hull.stl"/>\n'
        "</geometry></collision></link></robot>",
        *("arm.urdf:2", "mesh", "hull.stl"),
        name="arm.urdf",
    ),
]

BROKEN = [
    row(
        "folder",
        lambda folder: one(str(Path(write(folder, "robot/arm.xml", ARM)).parent)),
        *("robots[0].path", "left", "folder", "'arm.xml'"),
    ),
    text("wrong-suffix", ARM, ".yaml", ".mjz", ".urdf", name="arm.yaml"),
    text("suffix-in-capitals", ARM, "'.XML'", "'.xml'", ".mjz", name="arm.XML"),
    text("empty-file", "", "empty"),
    text("binary-file", bytes(range(256)) * 8, "XML"),
    text("not-xml", b"\njust words\n", "arm.xml:2", "XML"),
    text("mismatched-tag", "<mujoco>\n <worldbody>\n</mujoco>\n", "arm.xml:3", "XML", "worldbody"),
    text("cut-off", ARM[:200], "arm.xml:2", "XML"),
    text("wrong-root", "<sdf>\n</sdf>\n", "arm.xml:1", "<sdf>", "<mujoco>", "<robot>"),
    text(
        "F60-unknown-attribute", body_of('<geom size=".1" nme="g"/>'), "arm.xml:6", "'nme'", "geom"
    ),
    text("unknown-element", body_of('<goem size=".1"/>'), "arm.xml:6", "'goem'"),
    text("bad-number", body_of('<geom size=".1 x"/>'), "arm.xml:6", "size", "geom"),
    text("unknown-mesh", body_of('<geom type="mesh" mesh="hll"/>'), "arm.xml:6", "'hll'", "mesh"),
    text(
        "name-twice",
        body_of('<geom name="g" size=".1"/><geom name="g" size=".1"/>'),
        *("arm.xml:6", "geom", "'g'"),
    ),
    files(
        "unknown-attribute-in-an-included-file",
        {"arm.xml": INCLUDER, "part.xml": body_of('<geom size=".1" nme="g"/>')},
        *("part.xml:6", "'nme'", "geom"),
    ),
    second_robot(
        "F60-massless-link",
        {"b.xml": body_of('<joint/><geom size=".1" mass="0"/>')},
        *("b.xml:5", "mass", "right/b"),
    ),
    files(
        "F60-massless-link-in-an-included-file",
        {
            "arm.xml": INCLUDER.replace("  <inc", "<compiler/>\n\n\n\n  <inc"),
            "part.xml": body_of('<joint/><geom size=".1" mass="0"/>'),
        },
        *("part.xml:5", "mass", "left/b"),
    ),
    files(
        "mesh-file-of-words",
        {"arm.xml": MESH_GONE, "hull.obj": "just words\n"},
        *("arm.xml:3", "hull.obj", "'hull'"),
    ),
    row(
        "object-mesh-of-words",
        lambda folder: SceneSpec(
            objects=[SceneObject("cup", path=write(folder, "cup.stl", "words"))]
        ),
        *("objects[0]", "cup", "cup.stl"),
    ),
    row("long-path", lambda folder: one("a" * 5000 + ".xml"), "robots[0].path", "left", "too long"),
    row("path-with-nul", lambda folder: one("arm\0.xml"), "path", "arm", error=MjsceneError),
    row("unreadable", unreadable, "robots[0].path", "left", "arm.xml", "ermission"),
    row(
        "xml-string-broken",
        lambda folder: one("<mujoco>\n<worldbody>\n"),
        "robots[0]",
        "left",
        "line",
    ),
    row(
        "mjz-cut-off",
        lambda folder: one(archive(folder, {"arm.xml": ARM}, keep=0.6)),
        *("robots[0]", "left", "arm.mjz", "zip"),
    ),
    row(
        "mjz-without-model",
        lambda folder: one(archive(folder, {"notes.txt": "none"})),
        *("robots[0]", "left", "arm.mjz", "model"),
    ),
    row(
        "mjz-missing-mesh",
        lambda folder: one(archive(folder, {"arm.xml": MESH_GONE})),
        *("robots[0]", "left", "arm.mjz", "hull.obj"),
    ),
    row(
        "mjz-missing-include",
        lambda folder: one(archive(folder, {"arm.xml": INCLUDER})),
        *("robots[0]", "left", "arm.mjz", "part.xml"),
    ),
]

BAD_FILES = [*MISSING, *BROKEN]
