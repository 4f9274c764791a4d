"""A recorded run: what happened at every step, and of which model, so that runs can be compared.

Example:
    >>> import mjscene
    >>> scene = mjscene.build_scene(mjscene.load_scene("arm_gripper"))
    >>> with scene.record(bodies=["cube"]) as recorder:
    ...     scene.run(0.1)
    >>> recording = recorder.recording
    >>> recording.qpos.shape[0], recording.joint("arm/joint1").position.shape
    (51, (51,))

Row 0 is the state in which the recording began, row i that after ``i * every`` steps. Positions,
velocities, body poses and contacts are those of the row's time; efforts, controls and force sensors
are those of the step that led there (in row 0, what the state gives by itself).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import UnknownNameError, close_matches
from mjscene.layout import check_shapes
from mjscene.recordingfile import RecordingError, pack, read_file, replace_file, unpack

__all__ = ["JointTrack", "Recording", "RecordingError"]

Array = NDArray[np.float64]
_MODEL = "model/"


@dataclass(frozen=True, kw_only=True, eq=False)
class JointTrack:
    """One joint in a recording.

    Attributes:
        name: Its name in the scene.
        time: Times of the rows [s] (rows,).
        position: Position [rad or m] (rows,); of a ball or free joint (rows, 4 or 7), as in qpos.
        velocity: Velocity [rad/s or m/s] (rows,); of a ball or free joint (rows, 3 or 6).
        mode: Its mode (rows,), -1 for none; None if it takes no commands, and so are the others.
        effort: What its drives delivered [N·m or N] (rows,).
        command: Its command (rows,) in the unit of its mode.
    """

    name: str
    time: Array
    position: Array
    velocity: Array
    mode: NDArray[np.int8] | None
    effort: Array | None
    command: Array | None


class Recording:
    """A recorded run; its arrays are sealed.

    Attributes:
        header: What the run was of: ``versions``, ``options`` (all of ``model.opt``), ``names`` of
            all elements, ``joints``, ``managed`` (the joints that take commands), ``sensors``,
            ``bodies``, ``every``, ``mode_changes``, ``contact_sets``.
        model: Fields of the model when the recording began, see ``mjscene.fingerprint``.
        arrays: The arrays of the run by name.
    """

    def __init__(
        self,
        header: Mapping[str, Any],
        arrays: Mapping[str, NDArray[Any]],
        model: Mapping[str, NDArray[Any]],
    ) -> None:
        self.header, self.arrays, self.model = dict(header), dict(arrays), dict(model)
        for array in (*self.arrays.values(), *self.model.values()):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        return (
            f"<Recording of {self.header['scene']!r}: {len(self)} rows,"
            f" {self.time[0]:g} s to {self.time[-1]:g} s>"
        )

    @property
    def time(self) -> Array:
        """Simulated time of each row [s] (rows,)."""
        return self.arrays["time"]

    @property
    def qpos(self) -> Array:
        """All positions (rows, nq), as in ``data.qpos``; quaternions are MuJoCo's (w, x, y, z)."""
        return self.arrays["qpos"]

    @property
    def qvel(self) -> Array:
        """All velocities (rows, nv), as in ``data.qvel``."""
        return self.arrays["qvel"]

    @property
    def ctrl(self) -> Array:
        """All controls (rows, nu), each in its actuator's own unit."""
        return self.arrays["ctrl"]

    @property
    def efforts(self) -> Array:
        """What the drives delivered to the joints of ``joint_names`` [N·m or N] (rows, n)."""
        return self.arrays["efforts"]

    @property
    def commands(self) -> Array:
        """The commands of the joints of ``joint_names`` (rows, n), in the units of their modes."""
        return self.arrays["commands"]

    @property
    def modes(self) -> NDArray[np.int8]:
        """The modes of the joints of ``joint_names`` (rows, n): a ``CtrlMode``, or -1 for none."""
        return self.arrays["modes"]

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints that take commands, by the scene's names (n)."""
        return tuple(self.header["managed"])

    @cached_property
    def sensors(self) -> Mapping[str, Array]:
        """The sensors that were asked for (rows, dim), in MuJoCo's units and frames."""
        values, start = {}, 0
        for name, dim in self.header["sensors"]:
            values[name] = self.arrays["sensors"][:, start : start + dim]
            start += dim
        return values

    @cached_property
    def bodies(self) -> Mapping[str, Array]:
        """World poses of the bodies asked for (rows, 7): x, y, z [m], quaternion (x, y, z, w)."""
        return {
            name: self.arrays["bodies"][:, 7 * i : 7 * i + 7]
            for i, name in enumerate(self.header["bodies"])
        }

    @property
    def ncon(self) -> NDArray[np.intp]:
        """How many contacts there were (rows,)."""
        counts = [sum(count for *_, count in pairs) for pairs in self.header["contact_sets"]]
        return np.asarray(np.array(counts, dtype=np.intp)[self.arrays["contacts"]])

    def contacts(self, row: int) -> dict[tuple[str, str], int]:
        """The pairs of geoms in contact in a row, by their names, and how often each."""
        pairs = self.header["contact_sets"][int(self.arrays["contacts"][row])]
        return {(first, second): count for first, second, count in pairs}

    @property
    def timestep(self) -> float:
        """The timestep of the run [s]."""
        return float(self.header["options"]["timestep"])

    @property
    def every(self) -> int:
        """How many steps there are from row to row."""
        return int(self.header["every"])

    @property
    def mode_changes(self) -> tuple[tuple[int, float, str, int, int], ...]:
        """Every change of a mode, at any step: step, time [s], joint, mode before, mode after."""
        return tuple((s, t, j, old, new) for s, t, j, old, new in self.header["mode_changes"])

    def joint(self, name: str) -> JointTrack:
        """What one joint did.

        Raises:
            UnknownNameError: There is none of that name.
        """
        joints = {str(joint["name"]): joint for joint in self.header["joints"]}
        if name not in joints:
            raise UnknownNameError(
                f"the recording has no joint {name!r}",
                given=name,
                close=close_matches(str(name), joints),
                allowed=joints,
            )
        joint = joints[name]
        q, nq, v, nv = (joint[key] for key in ("qpos", "nq", "dof", "nv"))
        k = self.joint_names.index(name) if name in self.joint_names else None
        return JointTrack(
            name=name,
            time=self.time,
            position=self.qpos[:, q] if nq == 1 else self.qpos[:, q : q + nq],
            velocity=self.qvel[:, v] if nv == 1 else self.qvel[:, v : v + nv],
            mode=None if k is None else self.modes[:, k],
            effort=None if k is None else self.efforts[:, k],
            command=None if k is None else self.commands[:, k],
        )

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Save as ``.npz``, or as ``.parquet`` with ``pip install 'mjscene[parquet]'``.

        The same recording gives the same bytes; a file that was there is replaced at once.

        Raises:
            RecordingError: It cannot be written.
        """
        path = Path(path)
        model = {_MODEL + name: array for name, array in self.model.items()}
        if path.suffix == ".parquet":
            from mjscene.parquet import write_parquet

            write_parquet(path, self, model)
        elif path.suffix == ".npz":
            replace_file(path, pack(self.header, {**self.arrays, **model}))
        else:
            raise RecordingError(
                f"no recording is written as {path.suffix!r}",
                where="save.path",
                given=path.suffix,
                allowed=(".npz", ".parquet"),
            )
        return path

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Load what ``save`` wrote.

        Raises:
            RecordingError: There is no such file, or it is damaged, of another version or none of
                mjscene's.
        """
        path = Path(path)
        if path.suffix == ".parquet":
            from mjscene.parquet import read_parquet

            header, arrays = read_parquet(path)
        else:
            header, arrays = unpack(read_file(path), path)
        model = {n[len(_MODEL) :]: a for n, a in arrays.items() if n.startswith(_MODEL)}
        run = {n: a for n, a in arrays.items() if not n.startswith(_MODEL)}
        try:
            check_shapes(header, run)
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
            reason = f"{type(error).__name__}: {error}"
            raise RecordingError(f"is damaged: {reason}", file=path) from error
        return cls(header, run, model)
