"""Actuators that give no joint a mode, addressed by name with their own control."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.errors import CommandError, ModeError, UnknownNameError, close_matches
from mjscene.geometry import as_numbers

if TYPE_CHECKING:
    from mjscene.scene import Scene

__all__ = ["Actuator", "Actuators"]


class Actuator:
    """One actuator of the scene.

    Attributes:
        name: Its name in the scene.
        managed: Whether it is a mode of a joint, whose command sets its control.
    """

    __slots__ = ("_scene", "managed", "name")  # no other: a misspelled one is an error

    def __init__(self, scene: Scene, name: str, *, managed: bool) -> None:
        self._scene = scene
        self.name = name
        self.managed = managed

    @property
    def id(self) -> int:
        """Its id in the model."""
        kind = mujoco.mjtObj.mjOBJ_ACTUATOR
        return int(mujoco.mj_name2id(self._scene.model, kind, self.name))

    @property
    def group(self) -> int:
        """The actuator group it is in now."""
        return int(self._scene.model.actuator_group[self.id])

    @property
    def enabled(self) -> bool:
        """Whether its group is enabled."""
        group = self.group
        mask = int(self._scene.model.opt.disableactuator)
        return not (0 <= group <= 30 and mask >> group & 1)

    @property
    def ctrl(self) -> NDArray[np.float64]:
        """Its controls (ctrlnum,), in the actuator's own unit: a copy; assign to set them."""
        return np.array(self._scene.data.ctrl[self._slice()])

    @ctrl.setter
    def ctrl(self, value: Any) -> None:
        """Set its controls: one number, or one per input.

        Raises:
            ModeError: It is a mode of a joint: set the joint's command.
            CommandError: A wrong count, or a number that is not finite.
        """
        if self.managed:
            raise ModeError(
                f"{self.name!r} is a mode of a joint: its control follows the joint's command",
                where=f"actuators[{self.name!r}].ctrl",
                element=self.name,
                hint="set robot.command",
            )
        where = self._slice()
        numbers = np.atleast_1d(as_numbers(value, f"actuators[{self.name!r}].ctrl"))
        if numbers.shape not in ((1,), (where.stop - where.start,)):
            raise CommandError(
                f"{self.name!r} has {where.stop - where.start} control(s), got {numbers.size}",
                where=f"actuators[{self.name!r}].ctrl",
                given=value,
                element=self.name,
            )
        if not np.isfinite(numbers).all():
            raise CommandError(
                f"a control of {self.name!r} is not finite: {numbers}",
                where=f"actuators[{self.name!r}].ctrl",
                given=value,
                element=self.name,
            )
        self._scene.data.ctrl[where] = numbers

    @property
    def ctrlrange(self) -> NDArray[np.float64]:
        """The range of its controls (2,), in the actuator's own unit; infinite without one."""
        model, i = self._scene.model, self.id
        if not model.actuator_ctrllimited[i]:
            return np.array([-np.inf, np.inf])
        return np.array(model.actuator_ctrlrange[i])

    @property
    def force(self) -> NDArray[np.float64]:
        """Its force outputs (outnum,) of the step just taken, in its own unit: a copy."""
        model, i = self._scene.model, self.id
        first = int(model.actuator_outadr[i])
        outputs = slice(first, first + int(model.actuator_outnum[i]))
        return np.array(self._scene.data.actuator_force[outputs])

    def _slice(self) -> slice:
        model, i = self._scene.model, self.id
        first = int(model.actuator_ctrladr[i])
        return slice(first, first + int(model.actuator_ctrlnum[i]))

    def __repr__(self) -> str:
        return f"<actuator {self.name!r}{', a mode of a joint' if self.managed else ''}>"


class Actuators(Mapping[str, Actuator]):
    """All actuators of the scene by name; a wrong name gets the closest ones."""

    __slots__ = ("_scene",)

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def __getitem__(self, name: str) -> Actuator:
        names = self._scene.actuator_names
        if name not in names:
            raise UnknownNameError(
                f"there is no actuator {name!r}",
                given=name,
                close=close_matches(str(name), names),
            )
        return Actuator(self._scene, name, managed=name not in self._scene.unmanaged)

    def __iter__(self) -> Iterator[str]:
        return iter(self._scene.actuator_names)

    def __len__(self) -> int:
        return len(self._scene.actuator_names)

    def __repr__(self) -> str:
        return f"actuators: {', '.join(self) or 'none'}"
