"""What a recording keeps of the model it is of, so that a comparison can name what changed.

Values are kept themselves, not as one hash: ``mass of body 'left/link3': 2.36 kg -> 2.38 kg`` says
more than that two hashes differ. What the compiler derives from them (inertia at ``qpos0``,
bounding boxes …), what one only sees (colours, cameras) and what a switch of modes moves
(``actuator_group``) is left out; meshes and other large data are kept as digests.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.snapshot import options_of

if TYPE_CHECKING:
    from mjscene.scene import Scene

__all__ = [
    "FIELDS",
    "digests",
    "dof_labels",
    "element_names",
    "model_values",
    "options",
    "qpos_labels",
    "versions",
]

OBJ = mujoco.mjtObj
# The fields kept of each kind of element, with their units where there is one for every row.
_KEPT = {
    "body": "mass:kg inertia:kg·m² pos:m quat ipos:m iquat gravcomp parentid",
    "jnt": "type pos:m axis range limited stiffness stiffnesspoly margin solref solimp"
    " actfrcrange actfrclimited actgravcomp springyield",
    "dof": "damping dampingpoly armature frictionloss solref solimp",
    "geom": "type size:m pos:m quat bodyid contype conaffinity condim friction priority margin:m"
    " gap:m solref solimp solmix adhesion fluid surfacevel",
    "site": "type size:m pos:m quat bodyid",
    "eq": "type objtype obj1id obj2id active0 data solref solimp",
    "pair": "geom1 geom2 dim friction margin:m gap:m adhesion solref solreffriction solimp",
    "exclude": "signature",
    "tendon": "range limited stiffness stiffnesspoly damping dampingpoly armature frictionloss"
    " lengthspring springyield margin actfrcrange actfrclimited solref_lim solimp_lim solref_fri"
    " solimp_fri",
    "wrap": "type objid prm",
    "actuator": "trntype trnid dyntype gaintype biastype gainprm biasprm dynprm gear cranklength:m"
    " ctrlrange ctrllimited forcerange forcelimited actrange actlimited actearly armature damping"
    " dampingpoly delay:s",
    "sensor": "type objtype objid reftype refid cutoff noise delay:s interval:s",
    "key": "time:s qpos qvel act ctrl mpos:m mquat",
    "tree": "sleep_policy",
}
FIELDS: dict[str, str] = {
    f"{kind}_{entry.partition(':')[0]}": entry.partition(":")[2]
    for kind, entries in _KEPT.items()
    for entry in entries.split()
} | {"qpos0": "", "qpos_spring": ""}
"""The fields of mjModel that are kept, with their units."""

_LARGE = (
    *("hfield_data", "plugin_attr", "skin_bonebindpos"),
    *("flex_vert0", "flex_elem", "flex_stiffness", "flex_bending", "flex_damping", "flex_radius"),
    *("flex_edgestiffness", "flex_edgedamping", "flex_friction", "flex_solref", "flex_solimp"),
    *("flex_margin", "flex_gap", "flex_condim", "flex_contype", "flex_conaffinity"),
)
_NAMED = {
    "body": OBJ.mjOBJ_BODY,
    "jnt": OBJ.mjOBJ_JOINT,
    "geom": OBJ.mjOBJ_GEOM,
    "site": OBJ.mjOBJ_SITE,
    "eq": OBJ.mjOBJ_EQUALITY,
    "pair": OBJ.mjOBJ_PAIR,
    "exclude": OBJ.mjOBJ_EXCLUDE,
    "tendon": OBJ.mjOBJ_TENDON,
    "actuator": OBJ.mjOBJ_ACTUATOR,
    "sensor": OBJ.mjOBJ_SENSOR,
    "key": OBJ.mjOBJ_KEY,
}
_JOINT = mujoco.mjtJoint
_QUAT = ("qw", "qx", "qy", "qz")
# Parts of qpos and of qvel by joint type; MuJoCo's own order.
_QPOS_PARTS = {_JOINT.mjJNT_FREE: ("x", "y", "z", *_QUAT), _JOINT.mjJNT_BALL: _QUAT}
_DOF_PARTS = {
    _JOINT.mjJNT_FREE: ("x", "y", "z", "rx", "ry", "rz"),
    _JOINT.mjJNT_BALL: ("rx", "ry", "rz"),
}


def versions() -> dict[str, str]:
    """The versions that a trajectory may depend on."""
    from mjscene import __version__

    return {
        "mjscene": __version__,
        "mujoco": mujoco.mj_versionString(),
        "numpy": np.__version__,
        "python": platform.python_version(),
        "platform": f"{sys.platform} {platform.machine()}",
    }


def options(scene: Scene) -> dict[str, Any]:
    """All of ``model.opt`` by name; without the bits of ``disableactuator`` that modes set."""
    values = options_of(scene.model)
    owned = 0
    for slot in scene.control.groups.slots:
        owned |= slot.bits
    values["disableactuator"] = int(values["disableactuator"]) & ~owned
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in values.items()
    }


def _parts(model: Any, parts: dict[Any, tuple[str, ...]]) -> list[str]:
    labels: list[str] = []
    for i in range(model.njnt):
        name = model.joint(i).name or f"#{i}"
        of_type = parts.get(_JOINT(int(model.jnt_type[i])))
        labels += [name] if of_type is None else [f"{name} {part}" for part in of_type]
    return labels


def qpos_labels(model: Any) -> list[str]:
    """A name for each entry of ``qpos`` (nq): the joint's, and ``x`` … ``qz`` if it has several."""
    return _parts(model, _QPOS_PARTS)


def dof_labels(model: Any) -> list[str]:
    """A name for each entry of ``qvel`` (nv): the joint's, and ``x`` … ``rz`` if it has several."""
    return _parts(model, _DOF_PARTS)


def element_names(model: Any) -> dict[str, list[str]]:
    """The names of all elements by kind; ``ctrl`` has one per control.

    A geom without a name is ``#k of BODY``, the k-th of its body; another element ``#id``.
    """
    names = {}
    for kind, obj in _NAMED.items():
        count = getattr(model, f"n{kind}")
        names[kind] = [mujoco.mj_id2name(model, obj, i) or f"#{i}" for i in range(count)]
    for i, body in enumerate(model.geom_bodyid):
        if names["geom"][i] == f"#{i}":
            place = i - int(model.body_geomadr[body])
            names["geom"][i] = f"#{place} of {names['body'][body]}"
    names["qpos"], names["dof"] = qpos_labels(model), dof_labels(model)
    names["wrap"] = [f"#{i}" for i in range(model.nwrap)]
    names["ctrl"] = []
    for i in range(model.nactuator):
        inputs = int(model.actuator_ctrlnum[i])
        own = names["actuator"][i]
        names["ctrl"] += [own] if inputs == 1 else [f"{own} #{k}" for k in range(inputs)]
    return names


def model_values(model: Any) -> dict[str, NDArray[Any]]:
    """Copies of the fields kept, one row per element of its kind."""
    values = {}
    for field in FIELDS:
        value = getattr(model, field, None)
        if isinstance(value, np.ndarray) and value.size:
            values[field] = np.array(value)
    return values


def digests(model: Any) -> dict[str, str]:
    """SHA-256 of the data that are too large to keep, by name: meshes one by one."""
    found = {}
    for i in range(model.nmesh):
        start = int(model.mesh_vertadr[i])
        vertices = model.mesh_vert[start : start + int(model.mesh_vertnum[i])]
        start = int(model.mesh_faceadr[i])
        faces = model.mesh_face[start : start + int(model.mesh_facenum[i])]
        found[f"mesh {model.mesh(i).name!r}"] = _digest(vertices, faces)
    for field in _LARGE:
        value = getattr(model, field, None)
        if isinstance(value, np.ndarray) and value.size:
            found[field] = _digest(value)
    return found


def _digest(*arrays: NDArray[Any]) -> str:
    sums = hashlib.sha256()
    for array in arrays:
        sums.update(np.ascontiguousarray(array).tobytes())
    return sums.hexdigest()
