"""Run a scene without commands, or a scenario, and say how it went.

The table has a row per robot: its mode at the end (REFLEX: a collision stopped it), the modes of
its joints, the largest effort of a joint's drive during the run, and how far its hinges and slides
have moved. A scenario (*.scenario.yaml) is run as it says itself.
"""

from __future__ import annotations

import argparse
import time

from mjscene.cli.base import add_scene, build, positive, print_json, scenario_file, steps_in
from mjscene.cli.tables import print_table, require_rich, with_progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mjscene.scenario import Scenario, ScenarioResult
    from mjscene.scene import Scene

__all__ = ["EXAMPLES", "add_arguments", "refuse_seconds", "run", "run_scenario"]

EXAMPLES = """\
  mjscene run dual_arm --seconds 2
  mjscene run my_scene.yaml --seconds 10 --json
  mjscene run pick_and_lift
  mjscene run my.scenario.yaml
"""
_SECONDS = 1.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add_scene(parser)
    parser.add_argument(
        "--seconds", type=positive, help="simulated time [s] of a scene (default: 1)"
    )
    parser.add_argument("--json", action="store_true", help="print the table as JSON")


def run(options: argparse.Namespace) -> int:
    """Run one or the other."""
    file = scenario_file(options.scene)
    if file is not None:
        return _run_scenario(options, file)
    if not options.json:
        require_rich()
    scene = build(options.scene)
    steps = steps_in(scene, _SECONDS if options.seconds is None else options.seconds)
    rows, wall = _run_scene(scene, steps)
    factor = steps * float(scene.model.opt.timestep) / wall
    if options.json:
        print_json({"seconds": scene.time, "steps": steps, "real_time": factor, "robots": rows})
        return 0
    cells = [
        (
            row["robot"],
            row["robot_mode"],
            ", ".join(row["modes"]) or "none",
            f"{row['max_effort']:.4g}",
            row["max_effort_joint"] or "",
            f"{row['moved']:.2g}",
        )
        for row in rows
    ]
    head = ("robot", "robot mode", "modes", "max effort [N·m, N]", "of joint", "moved [rad, m]")
    print_table(f"{scene.spec.name}: {steps} steps, {scene.time:.6g} s", head, cells)
    print(f"{factor:.3g} times real time ({wall:.3g} s)")
    return 0


def _run_scene(scene: Scene, steps: int) -> tuple[list[dict[str, Any]], float]:
    """What each robot did in so many steps, and the time that they took [s]."""
    import numpy as np

    start = scene.data.qpos.copy()
    largest = np.zeros(len(scene.joints))

    def look() -> None:
        np.maximum(largest, np.abs(scene.joints.effort), out=largest)

    end = scene.on_step(look)
    began = time.perf_counter()
    try:
        with_progress(scene.spec.name, steps, scene.step)
    finally:
        end()
    wall = time.perf_counter() - began
    moved = np.abs(scene.data.qpos - start)
    rows = []
    for name, robot in scene.all_handles():
        own = robot.rows
        if not robot.is_robot and not robot.spec.modes:
            continue  # its joints are the robot's
        best = int(largest[own].argmax()) if len(largest[own]) else None
        modes = {mode.name if mode is not None else "native" for mode in robot.ctrl_modes}
        rows.append(
            {
                "robot": name,
                "robot_mode": robot.robot_mode.name,
                "modes": sorted(modes),
                "max_effort": float(largest[own].max(initial=0.0)),
                "max_effort_joint": None if best is None else robot.joint_names[best],
                "moved": float(moved[_places_of(scene, name)].max(initial=0.0)),
            }
        )
    return rows, wall


def _places_of(scene: Scene, name: str) -> Any:
    """Where a robot's hinges and slides are in qpos (k,), whether they take commands or not."""
    import mujoco
    import numpy as np

    model, bodies = scene.model, scene.target(name, "run").bodies
    scalar = model.jnt_type >= int(mujoco.mjtJoint.mjJNT_SLIDE)
    return model.jnt_qposadr[np.isin(model.jnt_bodyid, bodies) & scalar]


def run_scenario(options: argparse.Namespace, file: str) -> ScenarioResult:
    """Run a scenario.

    Raises:
        MjsceneError: It cannot run, or ``--seconds`` is given.
    """
    from mjscene.scenario import read_scenario

    scenario = read_scenario(file)
    refuse_seconds(options, scenario)
    return scenario.run()


def refuse_seconds(options: argparse.Namespace, scenario: Scenario) -> None:
    """Refuse a duration of the command line.

    Raises:
        ComposeError: There is one.
    """
    from mjscene.errors import ComposeError

    if options.seconds is not None:
        raise ComposeError(
            f"a scenario has its own duration, here {scenario.duration:g} s",
            where="--seconds",
            given=options.seconds,
            hint="leave it out, or change the duration in the file",
        )


def _run_scenario(options: argparse.Namespace, file: str) -> int:
    began = time.perf_counter()
    result = run_scenario(options, file)
    wall = time.perf_counter() - began
    if options.json:
        passed, text = bool(result.passed), str(result.text)
        print_json({"scenario": options.scene, "passed": passed, "text": text, "wall": wall})
    else:
        print(result.text)
        print(f"{options.scene}: {'passed' if result.passed else 'FAILED'} ({wall:.3g} s)")
    return 0 if result.passed else 1
