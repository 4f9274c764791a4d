"""What a switch of modes does to efforts, against what the new actuators could give."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene import CtrlMode, Scene

__all__ = ["TOLERANCE", "Jump", "actuators_of", "reachable", "switch_and_compare"]

Array = NDArray[np.float64]
TOLERANCE = 1e-9  # of issue 3, relative to max(1, effort)
ENDS = (-1e9, 1e9)  # MuJoCo refuses controls beyond 1e10
PID = int(mujoco.mjtGain.mjGAIN_PID)


@dataclass(frozen=True)
class Jump:
    """Efforts of the switched joints right before and after, and the range of the new ones (n,)."""

    before: Array
    after: Array
    low: Array
    high: Array

    @property
    def within(self) -> NDArray[np.bool_]:
        """Whether the new actuator's limits allow the effort before."""
        return np.asarray((self.low <= self.before) & (self.before <= self.high))

    @property
    def errors(self) -> Array:
        """Distance from the effort before, or from the end of the range that is nearest to it."""
        expected = np.clip(self.before, self.low, self.high)
        return np.asarray(np.abs(self.after - expected) / np.maximum(1.0, np.abs(self.before)))


def actuators_of(scene: Scene, prefix: str, joints: list[str], native: dict[str, Any]) -> Any:
    """Ids of joints' actuators (n, 3) by mode, found by DESIGN's names."""
    found = []
    for joint in joints:
        names = [f"{prefix}{joint}_{mode.name.lower()}" for mode in CtrlMode]
        if joint in native:
            names[native[joint].mode] = prefix + native[joint].actuator
        found.append([scene.model.actuator(name).id for name in names])
    return np.array(found, dtype=np.intp).reshape(-1, 3)


def reachable(model: Any, data: Any, actuators: Any, dofs: Any) -> tuple[Array, Array]:
    """Least and largest effort that acting actuators can give their joints at a state (n,).

    MuJoCo itself says it: their controls go to both ends, and their activations with them, as if
    they had settled. The law is affine in both, so all in between can be reached.
    """
    ends = []
    for end in ENDS:
        trial = copy.copy(data)
        for a in np.asarray(actuators).tolist():
            ctrl = int(model.actuator_ctrladr[a])
            value = np.clip(end, *model.actuator_ctrlrange[ctrl])
            trial.ctrl[ctrl] = value if model.actuator_ctrllimited[ctrl] else end
            first, count = int(model.actuator_actadr[a]), int(model.actuator_actnum[a])
            if count > 0:
                activation = trial.act[first : first + count]
                activation[:] = trial.ctrl[ctrl]
                if _integrates(model, a):
                    activation[-1] = end
                activation.clip(*_activation_ranges(model, a), out=activation)
        mujoco.mj_forward(model, trial)
        ends.append(trial.qfrc_actuator[dofs].copy())
    return np.minimum(*ends), np.maximum(*ends)


def _integrates(model: Any, a: int) -> bool:
    """Whether it is a pid with integral action, which is its last activation."""
    return bool(model.actuator_gaintype[a] == PID and model.actuator_gainprm[a, 0])


def _activation_ranges(model: Any, a: int) -> tuple[Array, Array]:
    """What an actuator's activations can be (n,): a filter or slew state, then a pid's integral."""
    count = int(model.actuator_actnum[a])
    low, high = np.full(count, -np.inf), np.full(count, np.inf)
    if model.actuator_actlimited[a]:
        low[:], high[:] = model.actuator_actrange[a]
    imax = float(model.actuator_dynprm[a, 0])  # MJCF: actuator/pid
    if _integrates(model, a) and imax:
        low[-1], high[-1] = -imax, imax
    return low, high


def _activations_are_in_range(model: Any, data: Any, actuators: Any) -> None:
    for a in np.asarray(actuators).tolist():
        first, count = int(model.actuator_actadr[a]), int(model.actuator_actnum[a])
        if count > 0:
            low, high = _activation_ranges(model, a)
            activation = data.act[first : first + count]
            assert (low <= activation).all(), activation
            assert (activation <= high).all(), activation


def switch_and_compare(
    scene: Scene, robot: str, mode: CtrlMode | None, joints: list[str], actuators: Any
) -> Jump:
    """Switch joints at this state; nothing else may change.

    Args:
        scene: The scene.
        robot: The robot's name.
        mode: The new mode.
        joints: The joints, by the file's names.
        actuators: Ids of their actuators in the new mode (n,).
    """
    model, data = scene.model, scene.data
    names = [scene.robots[robot].prefix + joint for joint in joints]
    dofs = np.array([model.joint(name).dofadr[0] for name in names])
    mujoco.mj_forward(model, data)
    before, ctrl = data.qfrc_actuator.copy(), data.ctrl.copy()
    state = data.qpos.copy(), data.qvel.copy(), data.time
    scene.set_control_mode(robot, mode, joints)
    mujoco.mj_forward(model, data)
    after = data.qfrc_actuator.copy()
    others = np.setdiff1d(np.arange(model.nv), dofs)
    np.testing.assert_array_equal(after[others], before[others])
    for was, now in zip(state, (data.qpos, data.qvel, data.time), strict=True):
        np.testing.assert_array_equal(was, now)
    untouched = np.setdiff1d(np.arange(model.nu), model.actuator_ctrladr[actuators])
    np.testing.assert_array_equal(data.ctrl[untouched], ctrl[untouched])
    _activations_are_in_range(model, data, actuators)
    low, high = reachable(model, data, actuators, dofs)
    return Jump(before[dofs], after[dofs], low, high)
