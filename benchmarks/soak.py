"""A million steps of random valid commands and switches on the dual-arm scene.

    python benchmarks/soak.py [--quick] [--steps N]

Shows that there is no NaN, that memory does not grow (resident size after a tenth of the steps
against the end, within 2 %), and that a repetition with the seed ends bit for bit the same.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from pathlib import Path

import numpy as np

import mjscene
from mjscene import CtrlMode, ObjectCmd, Scene, Wrench, build_scene

SEED = 7
SHARE = {CtrlMode.POSITION: 0.3, CtrlMode.TORQUE: 2.0, CtrlMode.VELOCITY: 0.2}  # rad, N·m, rad/s
EVERY = 25  # steps between commands


def resident() -> int:
    """Resident size of this process [bytes]."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def drive(scene: Scene, steps: int, rng: np.random.Generator) -> tuple[int, int]:
    """Random valid commands and switches; resident size after a tenth of the steps and after."""
    home = {n: scene.data.qpos[r.qpos_adr].copy() for n, r in scene.robots.items()}
    early = 0
    for done in range(0, steps, EVERY):
        for name, robot in scene.robots.items():
            if rng.random() < 0.3:
                joints = [j for j in robot.joint_names if rng.random() < 0.5]
                if joints:
                    robot.set_control_mode(CtrlMode(int(rng.integers(3))), joints=joints)
            noise = rng.uniform(-1, 1, len(robot.joint_names))
            spans = np.array([SHARE[m] for m in robot.ctrl_modes if m is not None])
            base = np.where([m is CtrlMode.POSITION for m in robot.ctrl_modes], home[name], 0.0)
            scene.apply({name: ObjectCmd(joint_cmds=base + spans * noise)})
        scene.apply({"cube": ObjectCmd(wrench=Wrench(force=rng.uniform(-0.2, 0.2, 3)))})
        scene.step(EVERY)
        if not early and done >= steps // 10:
            early = resident()
        if done % 100_000 < EVERY:
            scene.reset(keep_modes=True)
    return early, resident()


def main() -> None:
    """Run twice and compare."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--quick", action="store_true", help="a smoke run")
    options = parser.parse_args()
    steps = 4000 if options.quick else options.steps
    ends = []
    for repetition in (1, 2):
        scene = build_scene(mjscene.load_scene("dual_arm"))
        began = time.perf_counter()
        early, late = drive(scene, steps, np.random.default_rng(SEED))
        took = time.perf_counter() - began
        if not np.isfinite(scene.data.qpos).all():
            raise SystemExit("a position is not finite")
        growth = late / early - 1.0
        print(
            f"run {repetition}: {steps} steps in {took:.1f} s, resident {early / 2**20:.1f} MiB "
            f"after a tenth, {late / 2**20:.1f} MiB at the end ({growth:+.2%})"
        )
        if growth > 0.02 and not options.quick:
            raise SystemExit("memory grows")
        ends.append(scene.data.qpos.tobytes() + scene.data.qvel.tobytes())
        del scene
    if ends[0] != ends[1]:
        raise SystemExit("the runs end differently")
    print("both runs end bit for bit the same")


if __name__ == "__main__":
    main()
