"""One scene, built in several ways: N times a UR5e with a 2F-85 on its ``attachment_site``.

The arms stand a metre apart and are named ``arm0/``, ``arm1/`` …, their grippers ``arm0/gripper/``.
``build.py`` runs this file in fresh processes, also under another interpreter (PyMJCF's), so that a
way imports what it needs, and only that, before the clock starts. Prints JSON.

    _arms.py fresh WAY COUNT ARM GRIPPER
    _arms.py later WAY[,WAY…] COUNT ARM GRIPPER ROUNDS
"""

from __future__ import annotations

import gc
import json
import resource
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

SPACING = 1.0  # between bases [m]

# A way to build ``count`` arms: the model, and all that the caller is left with.
Build = Callable[[int], tuple[Any, Any]]


def _by_mjscene(arm: str, gripper: str, **extra: Any) -> Build:
    from mjscene import AttachmentSpec, RobotSpec, SceneSpec, build_scene, site

    def build(count: int) -> tuple[Any, Any]:
        robots = [
            RobotSpec(
                arm,
                prefix=f"arm{i}/",
                pos=(0.0, SPACING * i, 0.0),
                attachments=[
                    AttachmentSpec(gripper, attach_to=site("attachment_site"), prefix="gripper/")
                ],
                **extra,
            )
            for i in range(count)
        ]
        scene = build_scene(SceneSpec(robots))
        return scene.model, scene

    return build


def by_mjscene(arm: str, gripper: str) -> Build:
    """The subject: from the spec's dataclasses to a running scene, at its start, with a report.

    With the files' own actuators and no others, which is the scene made by hand.
    """
    return _by_mjscene(arm, gripper, modes=())


def by_mjscene_torque(arm: str, gripper: str) -> Build:
    """As by default: every joint of an arm has a motor too, for the mode TORQUE."""
    return _by_mjscene(arm, gripper)


def _by_hand(arm: str, gripper: str, *, parse_once: bool, dedup: bool) -> Build:
    import mujoco

    merge = mujoco.mjtConflict.mjCONFLICT_MERGE
    # Attaching reports the options it merges to stderr and to a log file; that is not timed.
    mujoco.set_mju_user_warning(lambda message: None)
    warnings.simplefilter("ignore")

    def pair() -> Any:
        robot = mujoco.MjSpec.from_file(arm)
        robot.compiler.conflict = merge
        hand = mujoco.MjSpec.from_file(gripper)
        robot.attach(hand, prefix="gripper/", site=robot.site("attachment_site"))
        return robot

    def build(count: int) -> tuple[Any, Any]:
        spec = mujoco.MjSpec()
        spec.compiler.conflict = merge
        first = pair()
        for i in range(count):
            robot = first.copy() if parse_once else pair() if i else first
            frame = spec.worldbody.add_frame(pos=[0.0, SPACING * i, 0.0])
            spec.attach(robot, prefix=f"arm{i}/", frame=frame)
        if dedup:
            spec.dedup_assets()
        model = spec.compile()
        return model, (spec, model, mujoco.MjData(model))

    return build


def by_hand(arm: str, gripper: str) -> Build:
    """The best a careful expert writes: each file parsed once, mounted once, the pair copied."""
    return _by_hand(arm, gripper, parse_once=True, dedup=True)


def by_hand_parsing(arm: str, gripper: str) -> Build:
    """The same with both files parsed anew for every arm, as a loop over robots does."""
    return _by_hand(arm, gripper, parse_once=False, dedup=True)


def by_plain_attach(arm: str, gripper: str) -> Build:
    """As the last, without ``dedup_assets``: every arm has its own meshes."""
    return _by_hand(arm, gripper, parse_once=False, dedup=False)


def by_pymjcf(arm: str, gripper: str) -> Build:
    """dm_control's PyMJCF, as its documentation attaches models."""
    from dm_control import mjcf

    def build(count: int) -> tuple[Any, Any]:
        scene = mjcf.RootElement(model="scene")
        scene.compiler.angle = "radian"
        for i in range(count):
            robot, hand = mjcf.from_path(arm), mjcf.from_path(gripper)
            robot.model, hand.model = f"arm{i}", "gripper"
            robot.find("site", "attachment_site").attach(hand)
            scene.attach(robot).pos = (0.0, SPACING * i, 0.0)
        physics = mjcf.Physics.from_mjcf_model(scene)
        return physics.model.ptr, (scene, physics)

    return build


WAYS: dict[str, Callable[[str, str], Build]] = {
    "mjscene": by_mjscene,
    "mjscene-torque": by_mjscene_torque,
    "hand": by_hand,
    "hand-parsing": by_hand_parsing,
    "plain-attach": by_plain_attach,
    "pymjcf": by_pymjcf,
}


def timed(build: Build, count: int) -> tuple[dict[str, float], Any, Any]:
    """Time one build; returns the times, its model, and what keeps that alive.

    The times are wall and processor time [s] (of all threads), and the pages that the allocator
    had to get from the system. The last scene's remains are collected before the clock starts.
    """
    gc.collect()
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    wall, cpu = time.perf_counter(), time.process_time()
    model, scene = build(count)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults
    return {"wall": wall, "cpu": cpu, "faults": faults}, model, scene


def facts(model: Any) -> dict[str, Any]:
    """What the model is, to tell that all ways build the same."""
    import mujoco

    return {
        "bytes": int(mujoco.mj_sizeModel(model)),
        "meshes": int(model.nmesh),
        "nq": int(model.nq),
        "nv": int(model.nv),
        "nu": int(model.nu),
        "mass": float(np.sum(model.body_mass)),
    }


def differences(model: Any, other: Any) -> list[str]:
    """What differs by one bit or more between two models, beside keyframes and actuator groups.

    mjscene adds merged keyframes, with which the addresses of names shift: bodies, joints and
    actuators are compared by their names' text instead. Groups are how it switches modes.
    """
    found = [n for n in ("nq", "nv", "nu", "na") if getattr(model, n) != getattr(other, n)]
    for kind, size in (("body", "nbody"), ("joint", "njnt"), ("actuator", "nu")):
        names = [
            [getattr(m, kind)(i).name for i in range(getattr(m, size))] for m in (model, other)
        ]
        if names[0] != names[1]:
            found.append(f"{kind} names")
    for name in dir(model):
        value = getattr(model, name)
        if name.startswith(("key_", "name", "_")) or name == "actuator_group":
            continue
        if not isinstance(value, np.ndarray):
            continue
        if (
            value.shape != getattr(other, name).shape
            or value.tobytes() != getattr(other, name).tobytes()
        ):
            found.append(name)
    for name in dir(model.opt):
        values = [getattr(m.opt, name) for m in (model, other)]
        if name.startswith("_") or name == "disableactuator" or callable(values[0]):
            continue
        if not np.array_equal(*values):
            found.append(f"opt.{name}")
    return found


def fresh(way: str, count: int, arm: str, gripper: str) -> dict[str, Any]:
    """The first build in a process, and the second."""
    build = WAYS[way](arm, gripper)
    cold, model, scene = timed(build, count)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    about = {**facts(model), "peak": peak}
    del model, scene
    warm, *_scene = timed(build, count)
    return {"cold": cold, "warm": warm, "facts": about}


def later(ways: list[str], count: int, arm: str, gripper: str, rounds: int) -> dict[str, Any]:
    """Later builds in one process, in turns; every round starts with another way.

    The first build of each way, which is not timed, is compared with that of the first way.
    """
    builds = {way: WAYS[way](arm, gripper) for way in ways}
    times: dict[str, list[dict[str, float]]] = {way: [] for way in ways}
    first = {way: build(count) for way, build in builds.items()}
    about = {way: facts(model) for way, (model, _) in first.items()}
    reference = first[ways[0]][0]
    unlike = {way: differences(reference, first[way][0]) for way in ways[1:]}
    del first, reference
    for k in range(rounds):
        turn = k % len(ways)
        for way in (*ways[turn:], *ways[:turn]):
            took, model, scene = timed(builds[way], count)
            times[way].append(took)
            del model, scene
    return {"times": times, "facts": about, "unlike": unlike}


def main(argv: list[str]) -> None:
    mode, way, count, arm, gripper = argv[:5]
    if mode == "fresh":
        found = fresh(way, int(count), arm, gripper)
    else:
        found = later(way.split(","), int(count), arm, gripper, int(argv[5]))
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
