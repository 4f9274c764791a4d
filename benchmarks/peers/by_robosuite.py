"""A control cycle with robosuite: ``env.step`` with one physics step in it.

The scene is robosuite's own: ``Lift`` with one UR5e and ``TwoArmLift`` with two, each with its
2F-85. ``JOINT_POSITION`` takes absolute targets and computes torques from them with the mass
matrix, and every step returns all proprioception of the robots (no camera, no object). By hand
steps the same model with the torques that robosuite computed, so that both move alike: what is
compared is all that robosuite does beside the physics step.
"""

from __future__ import annotations

import copy
import sys
from typing import Any

import mujoco
import numpy as np
import robosuite
from _cycle import BY_HAND, SEED, SPREAD, Work, check_same, print_times
from robosuite.controllers import (
    load_composite_controller_config,
    load_part_controller_config,
)

ENVIRONMENTS = {1: "Lift", 2: "TwoArmLift"}


def make(count: int) -> Any:
    """The environment, whose control step is one physics step."""
    config = load_composite_controller_config(controller=None, robot="UR5e")
    part = load_part_controller_config(default_controller="JOINT_POSITION")
    part |= {"input_type": "absolute", "gripper": {"type": "GRIP"}}
    config["body_parts"]["right"] = part
    made = robosuite.make(
        ENVIRONMENTS[count],
        robots=["UR5e"] * count,
        controller_configs=[config] * count,
        has_renderer=False,
        has_offscreen_renderer=False,
        use_camera_obs=False,
        use_object_obs=False,
        control_freq=round(1.0 / robosuite.macros.SIMULATION_TIMESTEP),
        ignore_done=True,
        seed=SEED,  # it places its objects at random
    )
    made.reset()
    return made


def main() -> None:
    """Measure and print."""
    env = make(int(sys.argv[1]))
    if int(env.control_timestep / env.model_timestep) != 1:
        raise SystemExit("one step of control is not one of physics")
    model, theirs = env.sim.model._model, env.sim.data._data
    data = copy.copy(theirs)
    arms = np.concatenate([robot._ref_joint_pos_indexes for robot in env.robots])
    rng = np.random.default_rng(SEED)
    actions = np.zeros((64, env.action_dim))
    first = 0
    for robot in env.robots:
        start = robot._joint_positions
        actions[:, first : first + 6] = start + rng.normal(0.0, SPREAD, (64, 6))
        first += robot.action_dim
    torques = np.zeros((64, model.nu))
    every = np.arange(model.nu)

    def peer(turn: int) -> object:
        found = env.step(actions[turn % 64])
        torques[turn % 64] = theirs.ctrl
        return found

    def by_hand(turn: int) -> object:
        if turn == 0:  # it is a step behind: in every second turn it comes first
            return None
        data.ctrl[every] = torques[(turn - 1) % 64]
        mujoco.mj_step(model, data)
        return data.qpos[arms]

    turns = int(sys.argv[2])
    pair: Work = {BY_HAND: by_hand, "env.step": peer}
    print_times(("mujoco", "robosuite"), [pair])
    by_hand(turns)
    check_same("env.step", theirs, data)


if __name__ == "__main__":
    main()
