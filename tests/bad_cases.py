"""What the tables of bad input share: the row, and small models to go wrong with."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mjscene import MjsceneError, RobotSpec, SceneSpec

__all__ = ["ARM", "BLOCK", "FLOAT", "MESH", "BadCase", "arm", "one", "write"]

# Cases of the field, "Shared fixtures".
ARM = """<mujoco model="arm"><worldbody><body name="link"><joint name="j" axis="0 1 0"/>
 <geom name="g" type="capsule" fromto="0 0 0 .5 0 0" size=".03" mass="1"/><site name="tip" pos=".5 0 0"/></body></worldbody>
 <actuator><position name="servo" joint="j" kp="100" kv="10"/></actuator>
 <keyframe><key name="home" qpos=".3" ctrl=".3"/></keyframe></mujoco>"""  # noqa: E501
FLOAT = """<mujoco model="fl"><worldbody><body name="base" pos="0 0 1"><freejoint name="root"/>
 <geom size=".1" mass="1"/></body></worldbody>
 <keyframe><key name="home" qpos="0 0 1 1 0 0 0"/></keyframe></mujoco>"""
BLOCK = (
    '<mujoco model="block"><worldbody><body name="b"><geom size=".1"/></body></worldbody></mujoco>'
)
# A tetrahedron.
MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@dataclass(frozen=True)
class BadCase:
    """One row of the table.

    Attributes:
        id: The test's id.
        make: Makes the files, in the folder it is given, and the spec. It may raise itself; the
            SceneSpec it returns is built.
        error: The documented exception.
        says: What the message must contain.
    """

    id: str
    make: Callable[[Path], Any]
    error: type[MjsceneError]
    says: tuple[str, ...]


def write(folder: Path, name: str, text: str | bytes) -> str:
    """Write a file and return its path; a text's common indentation is taken away."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    data = text if isinstance(text, bytes) else textwrap.dedent(text).lstrip("\n").encode()
    file.write_bytes(data)
    return str(file)


def arm(prefix: str = "left/", path: Any = ARM, **fields: Any) -> RobotSpec:
    """A robot, by default the one-joint arm with the label ``left``."""
    return RobotSpec(path, prefix=prefix, **fields)


def one(path: Any, **fields: Any) -> SceneSpec:
    """A scene of one robot whose label is ``left``."""
    return SceneSpec([arm(path=path, **fields)])
