"""Thresholds of contact and collision, as an attribute of joints that is set by assignment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import CommandError
from mjscene.geometry import as_numbers

if TYPE_CHECKING:
    from mjscene.jointarrays import Joints

__all__ = ["Thresholds"]

Array = NDArray[np.float64]


class Thresholds:
    """Efforts beyond which joints are in contact or in collision (n,) [N·m or N].

    Infinite by default. Assigning sets them: one number >= 0, or one per joint.

    Args:
        name: Their name among the records.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, joints: Joints | None, owner: type[Any]) -> Array:
        """The thresholds now, sealed."""
        if joints is None:
            return self  # type: ignore[return-value]
        array: Array = getattr(joints._records, self._name)[joints._rows].copy()
        array.setflags(write=False)
        return array

    def __set__(self, joints: Joints, value: Any) -> None:
        """Set them.

        Raises:
            CommandError: A wrong count, a negative number or NaN; nothing has changed.
        """
        numbers = as_numbers(value, self._name)
        if numbers.shape not in ((), (1,), (len(joints),)):
            raise CommandError(
                f"expected one number or one per joint ({len(joints)}), got {numbers.size}",
                where=self._name,
                given=value,
                allowed=joints.names,
            )
        if not (numbers >= 0).all():
            raise CommandError("a threshold is >= 0", where=self._name, given=value)
        getattr(joints._records, self._name)[joints._rows] = numbers
