"""What the peers' programs share: the scene, the commands, and the same cycle by hand.

A program is run as ``by_<peer>.py COUNT TURNS ARM GRIPPER`` and prints JSON: the versions of what
it imported, and for each of its ways the processor times [s] of that way and of by hand, which
took turns in this process on one model.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from _turns import in_turns

SEED = 20261130
SPREAD = 1e-3  # of the commands around the start pose [rad]
BY_HAND = "by hand"

Work = dict[str, Callable[[int], object]]


class Arms:
    """UR5e arms with 2F-85 grippers: where their joints are, and commands around the start pose.

    Attributes:
        model: The scene.
        names: The six joints of each arm, by arm; their actuators are in the same order.
        ctrl: Index of each arm joint's control (6 * count,).
        qpos: Index of each arm joint's position (6 * count,).
        commands: Position targets (64, 6 * count) [rad].
    """

    def __init__(self, model: Any, count: int, arm: str) -> None:
        alone = mujoco.MjModel.from_xml_path(arm)
        home = alone.key("home")
        joints = [alone.joint(i).name for i in range(alone.njnt)]
        self.model = model
        self.names = [[f"arm{i}/{joint}" for joint in joints] for i in range(count)]
        flat = [name for names in self.names for name in names]
        ids = [model.joint(name).id for name in flat]
        self.qpos = np.array([model.jnt_qposadr[j] for j in ids])
        direct = np.flatnonzero(model.actuator_trntype == int(mujoco.mjtTrn.mjTRN_JOINT))
        drive_of = {int(model.actuator_trnid[a, 0]): a for a in direct}
        self.ctrl = np.array([drive_of[j] for j in ids])
        self._start = (np.tile(home.qpos, count), np.tile(home.ctrl, count))
        noise = np.random.default_rng(SEED).normal(0.0, SPREAD, (64, len(ids)))
        self.commands = self._start[1] + noise

    def place(self, data: Any) -> Any:
        """Put a state at the start pose, held there, and compute what depends on it."""
        data.qpos[self.qpos], data.ctrl[self.ctrl] = self._start
        mujoco.mj_forward(self.model, data)
        return data

    def by_hand(self, data: Any) -> Callable[[int], object]:
        """The cycle that all ways are held against."""
        model, ctrl, qpos, commands = self.model, self.ctrl, self.qpos, self.commands

        def cycle(turn: int) -> object:
            data.ctrl[ctrl] = commands[turn % 64]
            mujoco.mj_step(model, data)
            return data.qpos[qpos]

        return cycle


def hand_made(count: int, arm: str, gripper: str) -> Any:
    """The scene's model, made with MjSpec."""
    from _arms import by_hand

    return by_hand(arm, gripper)(count)[0]


def print_times(packages: Iterable[str], pairs: Iterable[Work]) -> None:
    """Time each way in turns with by hand, which is the first of its pair, and print the times.

    It is processor time: on a busy machine a long piece of work is interrupted more often than a
    short one, and its wall time says more about the others.
    """
    times = [in_turns(pair, int(sys.argv[2]), time.thread_time) for pair in pairs]
    print(json.dumps({"versions": {p: version(p) for p in packages}, "pairs": times}))


def check_same(way: str, data: Any, by_hand: Any) -> None:
    """See that a way moved the arms as by hand, bit for bit.

    Raises:
        SystemExit: It did not.
    """
    if not np.array_equal(data.qpos, by_hand.qpos):
        raise SystemExit(f"{way} does not move the arms as by hand")
