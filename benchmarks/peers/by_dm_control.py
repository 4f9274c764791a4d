"""A control cycle with dm_control: ``Physics``, with plain indices and with bindings.

The scene is PyMJCF's, since only that can be bound; by hand steps the same model.
"""

from __future__ import annotations

import sys

import mujoco
from _cycle import BY_HAND, Arms, Work, check_same, print_times
from dm_control import mjcf


def compose(count: int, arm: str, gripper: str) -> mjcf.RootElement:
    """The arms and grippers as one PyMJCF tree."""
    scene = mjcf.RootElement(model="scene")
    scene.compiler.angle = "radian"
    for i in range(count):
        robot, hand = mjcf.from_path(arm), mjcf.from_path(gripper)
        robot.model, hand.model = f"arm{i}", "gripper"
        robot.find("site", "attachment_site").attach(hand)
        scene.attach(robot).pos = (0.0, float(i), 0.0)
    return scene


def main() -> None:
    """Measure and print."""
    count, (arm, gripper) = int(sys.argv[1]), sys.argv[3:5]
    tree = compose(count, arm, gripper)
    indexed = mjcf.Physics.from_mjcf_model(tree)
    bound = mjcf.Physics.from_mjcf_model(tree)
    scene = Arms(indexed.model.ptr, count, arm)
    first, second = (scene.place(mujoco.MjData(scene.model)) for _ in range(2))
    for physics in (indexed, bound):
        scene.place(physics.data.ptr)
    names = [name for names in scene.names for name in names]
    joints = bound.bind([tree.find("joint", name) for name in names])
    of = {a.joint.full_identifier: a for a in tree.find_all("actuator") if a.joint is not None}
    drives = bound.bind([of[name] for name in names])

    def by_index(turn: int) -> object:
        indexed.data.ctrl[scene.ctrl] = scene.commands[turn % 64]
        indexed.step()
        return indexed.data.qpos[scene.qpos]

    def by_binding(turn: int) -> object:
        drives.ctrl = scene.commands[turn % 64]
        bound.step()
        return joints.qpos

    pairs: list[Work] = [
        {BY_HAND: scene.by_hand(first), "Physics, indices": by_index},
        {BY_HAND: scene.by_hand(second), "Physics, bind": by_binding},
    ]
    print_times(("mujoco", "dm_control"), pairs)
    check_same("Physics, indices", indexed.data.ptr, first)
    check_same("Physics, bind", bound.data.ptr, second)


if __name__ == "__main__":
    main()
