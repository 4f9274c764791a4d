"""The quantities of a recording: how each is read and named, causes before effects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mjscene.layout import columns
from mjscene.recording import Recording

__all__ = ["QUANTITIES", "Quantity", "mode_name", "unit_of_command"]

_UNITS = {"hinge": ("rad", "rad/s", "N·m"), "slide": ("m", "m/s", "N")}
_MODES = ("POSITION", "TORQUE", "VELOCITY")  # CtrlMode's, in the order of its values


def mode_name(mode: int) -> str:
    """A mode's name, ``none`` for -1."""
    return _MODES[mode] if 0 <= mode < len(_MODES) else "none"


def unit_of_command(recording: Recording, name: str, mode: int) -> str:
    """The unit of a joint's command in a mode."""
    position, velocity, effort = _joint_units(recording, name)
    return {0: position, 1: effort, 2: velocity}.get(mode, "")


def _joint_units(recording: Recording, name: str) -> tuple[str, str, str]:
    kinds = {joint["name"]: joint["type"] for joint in recording.header["joints"]}
    return _UNITS.get(kinds.get(name, ""), ("", "", ""))


def _of_vector(place: str, size: str, which: int) -> Callable[[Recording, int, int], str]:
    """The unit of a column of qpos or qvel."""
    free = (("m", ""), ("m/s", "rad/s"))[which]

    def unit(recording: Recording, row: int, column: int) -> str:
        for joint in recording.header["joints"]:
            k = column - joint[place]
            if 0 <= k < joint[size]:
                if joint["type"] == "free":
                    return free[0] if k < 3 else free[1]
                if joint["type"] == "ball":
                    return free[1]
                return _UNITS[joint["type"]][which]
        return ""

    return unit


def _of_command(recording: Recording, row: int, column: int) -> str:
    mode = int(recording.modes[row, column])
    return unit_of_command(recording, recording.joint_names[column], mode)


def _of_effort(recording: Recording, row: int, column: int) -> str:
    return _joint_units(recording, recording.joint_names[column])[2]


def _of_body(recording: Recording, row: int, column: int) -> str:
    return "m" if column % 7 < 3 else ""


def _none(recording: Recording, row: int, column: int) -> str:
    return ""


@dataclass(frozen=True)
class Quantity:
    """One of the quantities of a recording.

    Attributes:
        name: Its name in ``Recording.arrays``.
        words: What to call one column of it, with ``{name}``.
        unit: The unit of a column in a row.
        exact: Whether it is compared for equality: modes and contacts.
    """

    name: str
    words: str
    unit: Callable[[Recording, int, int], str] = _none
    exact: bool = False

    def read(self, recording: Recording) -> Any:
        """Its values (rows, columns)."""
        values = recording.arrays[self.name]
        if self.name == "ctrl":
            return _acting(recording, values)
        return values[:, None] if values.ndim == 1 else values

    def columns(self, recording: Recording) -> list[str]:
        """A name for each column."""
        return ["time"] if self.name == "time" else columns(recording.header, self.name)


def _acting(recording: Recording, values: Any) -> Any:
    """Controls, with 0 for those of actuators that are muted: they move nothing."""
    values = values.copy()
    for joint, controls in enumerate(recording.header.get("controls", [])):
        for mode, control in enumerate(controls):
            if control >= 0:
                values[recording.modes[:, joint] != mode, control] = 0.0
    return values


QUANTITIES: dict[str, Quantity] = {
    q.name: q
    for q in (
        Quantity("time", "simulated time", lambda *_: "s"),
        Quantity("modes", "mode of joint '{name}'", exact=True),
        Quantity("commands", "command of joint '{name}'", _of_command),
        Quantity("ctrl", "control of actuator '{name}'"),
        Quantity("contacts", "contacts of {name}", exact=True),
        Quantity("efforts", "effort at joint '{name}'", _of_effort),
        Quantity("qvel", "velocity of joint '{name}'", _of_vector("dof", "nv", 1)),
        Quantity("qpos", "position of joint '{name}'", _of_vector("qpos", "nq", 0)),
        Quantity("sensors", "sensor '{name}'"),
        Quantity("bodies", "pose of body '{name}'", _of_body),
    )
}
"""All quantities by name, in the order in which one acts on the next."""
