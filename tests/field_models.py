"""The small models that field cases are about, and what their tests share.

A case carries its number (F01 …) in the name of its tests; the models are those of the cases.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

import mjscene
from mjscene.messages import Captured

__all__ = [
    "ARM",
    "FLOAT",
    "OBJ",
    "ROD",
    "alone",
    "arm",
    "build",
    "ids",
    "key_of",
    "matrix",
    "names_of",
    "refusal",
    "world_matrix",
]

OBJ = mujoco.mjtObj

ARM = """<mujoco model="arm"><worldbody><body name="link"><joint name="j" axis="0 1 0"/>
 <geom name="g" type="capsule" fromto="0 0 0 .5 0 0" size=".03" mass="1"/>
 <site name="tip" pos=".5 0 0"/></body></worldbody>
 <actuator><position name="servo" joint="j" kp="100" kv="10"/></actuator>
 <keyframe><key name="home" qpos=".3" ctrl=".3"/></keyframe></mujoco>"""

# A horizontal rod: gravity torque at q = 0 is m g L / 2 = 2.4525 N m.
ROD = """<mujoco model="rod"><option integrator="implicitfast" timestep="0.002"/><worldbody>
 <body name="link"><joint name="j" axis="0 -1 0"/>
 <geom type="capsule" fromto="0 0 0 .5 0 0" size=".02" mass="1" contype="0" conaffinity="0"/>
 </body></worldbody><actuator>
 <position name="P" joint="j" kp="200" kv="20" group="1"/>
 <velocity name="V" joint="j" kv="20" group="2"/>
 <motor name="T" joint="j" group="3"/></actuator></mujoco>"""

FLOAT = """<mujoco model="fl"><worldbody><body name="base" pos="0 0 1"><freejoint name="root"/>
 <geom size=".1" mass="1"/></body></worldbody>
 <keyframe><key name="home" qpos="0 0 1 1 0 0 0"/></keyframe></mujoco>"""


def alone(source: str | Path) -> Any:
    """The model of a file or text by itself; what MuJoCo warns of is not written anywhere."""
    with Captured():
        if isinstance(source, Path):
            return mujoco.MjModel.from_xml_path(str(source))
        return mujoco.MjModel.from_xml_string(source)


def arm(value: float) -> str:
    """ARM with its keyframe at ``value`` [rad]."""
    return ARM.replace('qpos=".3" ctrl=".3"', f'qpos="{value}" ctrl="{value}"')


def build(*robots: mjscene.RobotSpec, **fields: Any) -> mjscene.Scene:
    """The scene of some robots; what it warns of is not what the test is about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mjscene.MjsceneWarning)
        return mjscene.build_scene(mjscene.SceneSpec(robots, **fields))


def refusal(*robots: mjscene.RobotSpec, **fields: Any) -> mjscene.MjsceneError:
    """The error with which a scene is refused."""
    try:
        build(*robots, **fields)
    except mjscene.MjsceneError as error:
        return error
    raise AssertionError("the scene was built")


def ids(model: Any, kind: Any, *names: str) -> list[int]:
    """Ids of elements, each of which must be there."""
    found = [mujoco.mj_name2id(model, kind, name) for name in names]
    assert -1 not in found, (names, found)
    return found


def names_of(model: Any, kind: Any, count: int) -> list[str]:
    """Names of all elements of a kind, empty for unnamed ones."""
    return [mujoco.mj_id2name(model, kind, i) or "" for i in range(count)]


def key_of(scene: mjscene.Scene, key: str, joint: str, actuator: str = "") -> tuple[float, ...]:
    """What a keyframe says of a joint, and of an actuator, found by their names."""
    model = scene.model
    (k,) = ids(model, OBJ.mjOBJ_KEY, key)
    (j,) = ids(model, OBJ.mjOBJ_JOINT, joint)
    values = [float(model.key_qpos[k, model.jnt_qposadr[j]])]
    if actuator:
        (a,) = ids(model, OBJ.mjOBJ_ACTUATOR, actuator)
        values.append(float(model.key_ctrl[k, model.actuator_ctrladr[a]]))
    return tuple(values)


def matrix(pos: Any = (0, 0, 0), quat_xyzw: Any = (0, 0, 0, 1)) -> NDArray[np.float64]:
    """The homogeneous matrix (4, 4) of a pose, from the formula of quaternion rotation."""
    x, y, z, w = np.asarray(quat_xyzw, dtype=float) / np.linalg.norm(quat_xyzw)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    result = np.eye(4)
    result[:3, :3] = np.eye(3) + 2 * w * cross + 2 * cross @ cross
    result[:3, 3] = pos
    return result


def world_matrix(scene: mjscene.Scene, kind: str, name: str) -> NDArray[np.float64]:
    """World pose (4, 4) of a body, site, geom or camera, as MuJoCo computed it."""
    element = getattr(scene.data, kind)(name)
    result = np.eye(4)
    result[:3, :3] = element.xmat.reshape(3, 3)
    result[:3, 3] = element.xpos
    return result
