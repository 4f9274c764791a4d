"""Gravity compensation that MuJoCo gives by the drives of joints (``actuatorgravcomp``)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["by_drives"]


def by_drives(model: Any, data: Any, dofs: Any = slice(None)) -> NDArray[np.float64]:
    """What it adds to the efforts of drives (k,) [N·m or N]; of all dofs by default."""
    added = model.jnt_actgravcomp[model.dof_jntid[dofs]] != 0
    return np.asarray(np.where(added, data.qfrc_gravcomp[dofs], 0.0))
