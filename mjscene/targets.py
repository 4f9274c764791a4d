"""What a command or a state is about: a robot or a body, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.errors import CommandError, close_matches
from mjscene.spans import as_slice
from mjscene.spec import BodyController, RobotSpec, SceneObject
from mjscene.statelayout import StateLayout, layout_of

if TYPE_CHECKING:
    from mjscene.scene import Scene

__all__ = ["Target", "find_target"]

Ints = NDArray[np.intp]


@dataclass
class Target:
    """A robot or a body of the scene.

    Attributes:
        name: As it is called.
        title: What it is called in messages.
        body: Its body id; a robot's base.
        is_root: Whether it is a robot or an object, which always report their parts.
        rows: Rows of the joint table below it.
        joint_names: The joints of ``rows``.
        children_names: Bodies below it.
        moves: ``free``, ``mocap``, ``fixed`` (welded to the world or a mocap body) or ``link``.
        controller: Gains for pose and twist commands.
        watchdog: Simulated time without a command after which it is released [s].
        parent: The name of its parent body.
        bodies: Its body and those below it; of a robot or object its own, without robots on it.
        first: Where its rows begin, if they are consecutive; else -1.
        first_byte, end_byte: Where its commands begin and end in the bytes of all, likewise.
    """

    name: str
    title: str
    body: int
    is_root: bool
    rows: Ints
    joint_names: tuple[str, ...]
    children_names: tuple[str, ...]
    moves: str
    controller: BodyController | None
    watchdog: float | None
    parent: str
    bodies: Ints

    def __post_init__(self) -> None:
        """Say the rows as a slice where they are consecutive."""
        self.all_rows = as_slice(self.rows)
        self.first = self.all_rows.start if isinstance(self.all_rows, slice) else -1
        self.first_byte, self.end_byte = 8 * self.first, 8 * (self.first + len(self.rows))

    def look(self, model: Any, data: Any, table: Any) -> None:
        """Keep at hand what a state is made of."""
        joints = table.qpos_adr[self.rows], table.dof_adr[self.rows]
        places, self.readers = layout_of(model, data, self.body, joints)
        self.layout = StateLayout(self.name, self.children_names, self.joint_names, places)

    def part(self, count: int) -> Any:
        """The first ``count`` of its rows."""
        if count == len(self.rows):
            return self.all_rows
        if self.first >= 0:
            return slice(self.first, self.first + count)
        return self.rows[:count]


def find_target(scene: Scene, name: Any, where: str) -> Target:
    """The robot or body of a name.

    Raises:
        CommandError: There is none; the message lists near matches.
    """
    model = scene.model
    known = dict(scene.all_handles())
    handle = known.get(name) if isinstance(name, str) else None
    if handle is not None:
        body = handle.base_body_id
        title, is_root = f"robot {name!r}", True
        rows = np.arange(handle.rows.start, handle.rows.stop, dtype=np.intp)
        spec: Any = handle.spec
    else:
        body = -1
        if isinstance(name, str) and _is_text(name):
            body = int(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name))
        if body < 0:
            names = [*known, *(model.body(i).name for i in range(1, model.nbody))]
            raise CommandError(
                f"there is no robot or body {name!r}",
                where=where,
                given=name,
                close=close_matches(str(name), names),
                allowed=(*known, *(o.name for o in scene.spec.objects)),
                hint="or any body, by its name in the scene",
            )
        spec = next((o for o in scene.spec.objects if o.name == name), None)
        title, is_root = f"body {name!r}", spec is not None
        below = _below(model, body)
        table = scene.control.table
        rows = np.flatnonzero(np.isin(model.jnt_bodyid[table.joint_ids], below))
    below = _below(model, body)
    own = _own_bodies(scene, "robot" if handle else "object", str(name))
    joints = scene.control.table.names
    target = Target(
        name=str(name),
        title=title,
        body=body,
        is_root=is_root,
        rows=rows,
        joint_names=tuple(joints[r] for r in rows),
        children_names=tuple(str(model.body(int(b)).name) for b in below[1:]),
        moves=how_it_moves(model, body),
        controller=spec.controller if isinstance(spec, RobotSpec | SceneObject) else None,
        watchdog=spec.watchdog if isinstance(spec, RobotSpec | SceneObject) else None,
        parent=str(model.body(int(model.body_parentid[body])).name),
        bodies=own if len(own) else below,
    )
    target.look(model, scene.data, scene.control.table)
    return target


def _own_bodies(scene: Scene, kind: str, name: str) -> Ints:
    """The bodies of a robot with its attachments, or of an object; none of anything else's."""
    model = scene.model
    mine = {
        body: (owner.root.kind, owner.root.label) == (kind, name)
        for owner in scene._owners()
        for body in owner.names.get("body", ())
    }
    own = np.zeros(model.nbody, dtype=bool)
    for b in range(1, model.nbody):  # one without a name is its parent's owner's
        own[b] = mine.get(str(model.body(b).name), own[model.body_parentid[b]])
    return np.flatnonzero(own)


def _is_text(name: str) -> bool:
    """Whether MuJoCo can be asked for a name: half a surrogate pair is no text."""
    return not any("\ud800" <= letter <= "\udfff" for letter in name)


def _below(model: Any, body: int) -> Ints:
    """A body and all bodies below it, in model order."""
    found = [body]
    inside = {body}
    for b in range(body + 1, model.nbody):
        if int(model.body_parentid[b]) in inside:
            inside.add(b)
            found.append(b)
    return np.array(found, dtype=np.intp)


def how_it_moves(model: Any, body: int) -> str:
    """``free``, ``mocap``, ``fixed`` or ``link``; see ``Target.moves``."""
    if model.body_mocapid[body] >= 0:
        return "mocap"
    joint = int(model.body_jntadr[body])
    if joint >= 0 and model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE:
        return "free"
    weld = int(model.body_weldid[body])
    return "fixed" if weld == 0 or model.body_mocapid[weld] >= 0 else "link"
