"""``mjscene.set_control_mode``: the switch of modes as a function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mjscene.transfer import Transfer

if TYPE_CHECKING:
    from mjscene.scene import Scene
    from mjscene.spec import CtrlMode

__all__ = ["set_control_mode"]


def set_control_mode(
    scene: Scene,
    robot: Any,
    mode: CtrlMode | str | None = None,
    joints: Sequence[str] | None = None,
    transfer: Transfer | str = Transfer.BUMPLESS,
) -> None:
    """Switch joints of a robot into a mode; see :meth:`Scene.set_control_mode`.

    Raises:
        ModeError: No such robot or joint, or the mode is not offered; nothing has changed.
    """
    scene.set_control_mode(robot, mode, joints, transfer)
