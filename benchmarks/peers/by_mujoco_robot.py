"""A control cycle with mujoco-robot: one ``MujocoRobot`` per arm over one model.

Its documentation leaves the step of a model that several share to the caller.
"""

from __future__ import annotations

import sys

import mujoco
from _cycle import BY_HAND, Arms, Work, check_same, hand_made, print_times
from mujoco_robot import MujocoRobot


def main() -> None:
    """Measure and print."""
    count, (arm, gripper) = int(sys.argv[1]), sys.argv[3:5]
    scene = Arms(hand_made(count, arm, gripper), count, arm)
    model = scene.model
    data, robots_data = (scene.place(mujoco.MjData(model)) for _ in range(2))
    robots = [
        MujocoRobot(model=model, data=robots_data, joint_names=names, verbose=False)
        for names in scene.names
    ]
    parts = [slice(6 * i, 6 * i + 6) for i in range(count)]

    def peer(turn: int) -> object:
        command = scene.commands[turn % 64]
        for robot, part in zip(robots, parts, strict=True):
            robot.set_joint_positions(command[part])
        mujoco.mj_step(model, robots_data)
        return [robot.get_actuated_joint_positions() for robot in robots]

    pair: Work = {BY_HAND: scene.by_hand(data), "MujocoRobot": peer}
    print_times(("mujoco", "mujoco-robot"), [pair])
    check_same("MujocoRobot", robots_data, data)


if __name__ == "__main__":
    main()
