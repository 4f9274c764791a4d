"""Records a scene while it runs: one pass over its arrays after every step."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene import fingerprint
from mjscene.aside import measured_kept
from mjscene.errors import UnknownNameError, close_matches
from mjscene.recording import Recording
from mjscene.recordingfile import FORMAT, FORMAT_VERSION, RecordingError

if TYPE_CHECKING:
    from mjscene.scene import Scene

__all__ = ["Recorder"]

_HINT = "stop it before and start another after; this one ends where that happened"
_TYPES = {0: "free", 1: "ball", 2: "slide", 3: "hinge"}
_QPOS = {"free": 7, "ball": 4}
_DOFS = {"free": 6, "ball": 3}


class Recorder:
    """Records a scene from ``start`` to ``stop``, or inside ``with``.

    A recording is of one model, and its time goes forwards: a step after an object was added or
    removed is an error, and so is one after a reset, or after a state was put back, that ends no
    later than the step before. Stop before, and start another recording after. A state put back
    whose time is later is a jump that is recorded as such.

    Args:
        scene: The scene.
        sensors: Names of the sensors to record.
        bodies: Names of the bodies whose world poses to record.
        every: Record every k-th step; changes of modes are noted at any step.

    Raises:
        UnknownNameError: There is no such sensor or body.
        RecordingError: ``every`` is no whole number >= 1, or a name stands where names belong.
    """

    def __init__(
        self,
        scene: Scene,
        *,
        sensors: Sequence[str] = (),
        bodies: Sequence[str] = (),
        every: int = 1,
    ) -> None:
        if isinstance(every, bool) or not isinstance(every, int | np.integer) or every < 1:
            raise RecordingError(
                f"expected a whole number of steps >= 1, got {every!r}",
                where="record.every",
                given=every,
            )
        self._scene, self._every = scene, int(every)
        obj = mujoco.mjtObj
        self._sensors = _find(scene.model, obj.mjOBJ_SENSOR, sensors, "sensor")
        self._bodies = _find(scene.model, obj.mjOBJ_BODY, bodies, "body")
        self._asked = list(sensors), list(bodies)
        self._end: Callable[[], None] | None = None
        self._header: dict[str, Any] = {}

    def start(self) -> Self:
        """Begin; row 0 is the state now.

        What follows from the state is computed for it (``scene.forward``), so that row 0 depends on
        the state alone and not on the step before; what that step measured is put back.

        Raises:
            RecordingError: It has begun already, or objects changed since it was made.
        """
        if self._end is not None:
            raise RecordingError("the recording has begun already", where="record.start")
        sensors, bodies = self._asked
        obj = mujoco.mjtObj
        model = self._scene.model
        self._sensors = _find(model, obj.mjOBJ_SENSOR, sensors, "sensor")
        self._bodies = _find(model, obj.mjOBJ_BODY, bodies, "body")
        self._header = self._make_header()
        self._model = fingerprint.model_values(model)
        self._times: list[float] = []
        self._rows = bytearray()
        self._contacts: list[int] = []
        self._modes: list[int] = []
        self._contact_sets: dict[bytes, int] = {}
        self._mode_sets: dict[bytes, int] = {}
        self._changes: list[tuple[int, float, bytes, bytes]] = []
        with measured_kept(self._scene):
            self._scene.forward()
            keep = self._bind()
        self._end = self._scene.on_step(keep)
        return self

    def stop(self) -> Recording:
        """End, and give what was recorded; stopping twice is no error."""
        if self._end is not None:
            self._end()
            self._end = None
        return self.recording

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Save what was recorded until now; see ``Recording.save``."""
        return self.recording.save(path)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _make_header(self) -> dict[str, Any]:
        scene, model = self._scene, self._scene.model
        joints = []
        for i in range(model.njnt):
            kind = _TYPES[int(model.jnt_type[i])]
            joints.append(
                {
                    "name": model.joint(i).name or f"#{i}",
                    "type": kind,
                    "qpos": int(model.jnt_qposadr[i]),
                    "nq": _QPOS.get(kind, 1),
                    "dof": int(model.jnt_dofadr[i]),
                    "nv": _DOFS.get(kind, 1),
                }
            )
        sensors, bodies = self._asked
        return {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "scene": scene.spec.name,
            "versions": fingerprint.versions(),
            "options": fingerprint.options(scene),
            "every": self._every,
            "joints": joints,
            "managed": list(scene.joint_names),
            "controls": _controls_by_mode(scene),
            "sensors": [
                [name, int(model.sensor_dim[i])]
                for name, i in zip(sensors, self._sensors, strict=True)
            ],
            "bodies": list(bodies),
            "names": fingerprint.element_names(model),
            "digests": fingerprint.digests(model),
        }

    def _bind(self) -> Callable[[], None]:
        """The function called after a step, with all that it reads at hand."""
        scene, data, table = self._scene, self._scene.data, self._scene.control.table
        model, every = scene.model, self._every
        sensordata, xpos, xquat = data.sensordata, data.xpos, data.xquat
        places = [
            np.arange(adr, adr + dim)
            for adr, dim in zip(
                model.sensor_adr[self._sensors], model.sensor_dim[self._sensors], strict=True
            )
        ]
        columns = np.concatenate([np.zeros(0, np.intp), *places]).astype(np.intp)
        bodies = np.array(self._bodies, dtype=np.intp)
        chosen = np.zeros(len(columns)), np.zeros((len(bodies), 3)), np.zeros((len(bodies), 4))
        parts = [data.qpos, data.qvel, data.ctrl, data.qfrc_actuator, table.command, *chosen]
        self._widths = [part.size for part in parts]
        self._dofs = table.dof_adr.copy()
        self._mode_type = table.mode.dtype
        # One join over the arrays' own memory: reading each array by itself costs twice as much.
        row = [memoryview(part).cast("B") for part in parts if part.size]
        read_modes, times, rows = table.mode.tobytes, self._times, self._rows
        contacts, contact_sets = self._contacts, self._contact_sets
        modes, mode_sets = self._modes, self._mode_sets
        modes_seen, count, before = read_modes(), 0, data.time
        contact = data.contact  # live: it reads MuJoCo's list of now

        def keep(time: float) -> None:
            if len(columns):
                sensordata.take(columns, out=chosen[0], mode="clip")
            if len(bodies):
                xpos.take(bodies, axis=0, out=chosen[1], mode="clip")
                xquat.take(bodies, axis=0, out=chosen[2], mode="clip")
            times.append(time)
            rows.extend(b"".join(row))
            modes.append(mode_sets.setdefault(modes_seen, len(mode_sets)))
            pairs = contact.geom.tobytes()
            contacts.append(contact_sets.setdefault(pairs, len(contact_sets)))

        def after_step() -> None:
            nonlocal modes_seen, count, before
            if scene.data is not data:
                said = "an object was added or removed during a recording, which is of one model"
                raise RecordingError(said, where="record", hint=_HINT)
            time = data.time
            if time <= before:
                said = f"the time went back from {before:.6g} s by a reset, or a state put back"
                raise RecordingError(said, where="record", hint=_HINT)
            before = time
            count += 1
            modes_now = read_modes()
            if modes_now != modes_seen:
                self._changes.append((count, time, modes_seen, modes_now))
                modes_seen = modes_now
            if count % every == 0:
                keep(time)

        keep(before)
        return after_step

    @property
    def recording(self) -> Recording:
        """What was recorded until now.

        Raises:
            RecordingError: It has not begun.
        """
        if not self._header:
            raise RecordingError("nothing is recorded yet: start it first", where="record")
        flat = np.frombuffer(bytes(self._rows), dtype=np.float64)
        table = flat.reshape(len(self._times), sum(self._widths))
        parts = np.split(table, np.cumsum(self._widths)[:-1], axis=1)
        qpos, qvel, ctrl, forces, commands, sensors, places, quats = (p.copy() for p in parts)
        poses = np.concatenate(
            [places.reshape(len(table), -1, 3), np.roll(quats.reshape(len(table), -1, 4), -1, 2)],
            axis=2,
        )
        arrays: dict[str, NDArray[Any]] = {
            "time": np.array(self._times),
            "qpos": qpos,
            "qvel": qvel,
            "ctrl": ctrl,
            "efforts": forces[:, self._dofs],
            "commands": commands,
            "modes": self._mode_rows(),
            "sensors": sensors,
            "bodies": poses.reshape(len(table), 7 * len(self._bodies)),
        }
        header = {**self._header, "mode_changes": self._mode_changes()}
        header["contact_sets"], arrays["contacts"] = self._contact_rows()
        return Recording(header, arrays, self._model)

    def _mode_rows(self) -> NDArray[np.int8]:
        sets = np.array([np.frombuffer(s, self._mode_type) for s in self._mode_sets])
        return sets.astype(np.int8)[self._modes]

    def _mode_changes(self) -> list[list[Any]]:
        changes = []
        for step, time, before, after in self._changes:
            old, new = (np.frombuffer(s, self._mode_type) for s in (before, after))
            for row in np.flatnonzero(old != new):
                name = self._header["managed"][row]
                changes.append([step, time, name, int(old[row]), int(new[row])])
        return changes

    def _contact_rows(self) -> tuple[list[Any], NDArray[np.int32]]:
        """The distinct sets of pairs of geoms, by name, and which of them each row has."""
        names = self._header["names"]["geom"]
        found: dict[tuple[Any, ...], int] = {}
        new_index = []
        for key in self._contact_sets:
            pairs = np.frombuffer(key, dtype=np.int32).reshape(-1, 2).tolist()
            # What is no geom is a flex.
            named = [sorted("flex" if g < 0 else names[g] for g in pair) for pair in pairs]
            counted = sorted(Counter((first, second) for first, second in named).items())
            pairs_key = tuple((*pair, count) for pair, count in counted)
            new_index.append(found.setdefault(pairs_key, len(found)))
        sets = [[list(pair) for pair in pairs] for pairs in found]
        return sets, np.array(new_index, dtype=np.int32)[self._contacts]


def _find(model: Any, kind: Any, names: Sequence[str], what: str) -> list[int]:
    where = f"record.{'bodies' if what == 'body' else what + 's'}"
    if isinstance(names, str):
        raise RecordingError(f"expected a list of names, got {names!r}", where=where, given=names)
    count = model.nbody if what == "body" else model.nsensor
    known = tuple(n for i in range(count) if (n := mujoco.mj_id2name(model, kind, i)))
    found = []
    for i, name in enumerate(names):
        if name not in known:
            raise UnknownNameError(
                f"there is no {what} {name!r}",
                where=f"{where}[{i}]",
                given=name,
                close=close_matches(str(name), known),
                allowed=known,
            )
        found.append(mujoco.mj_name2id(model, kind, name))
    return found


def _controls_by_mode(scene: Scene) -> list[list[int]]:
    """Of each managed joint, the control of each mode's actuator; -1 for none."""
    table = scene.control.table
    controls = np.where(table.actuators >= 0, table.ctrl_adr, -1)
    return [[int(c) for c in row] for row in controls]
