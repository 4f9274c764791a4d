"""Recorded runs that the tests of recordings share: an arm that moves beside boxes that fall."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from command_models import box
from field_models import build
from mode_models import TWO, VELOCITY, velocity

from mjscene import CtrlModeSpec, PhysicsOptions, RobotSpec, Scene
from mjscene.recording import Recording

__all__ = ["altered", "boxes", "cell", "drive", "recorded"]


def boxes(**options: float) -> Scene:
    """F57: two boxes that fall on a plane, one on the other."""
    return build(
        objects=[
            box("low", pos=(0, 0, 0.5), quat=(0.1, 0.2, 0, 0.9746794344808963)),
            box("high", pos=(0.05, 0, 1.3)),
        ],
        options=PhysicsOptions(**{"timestep": 0.002, **options}),
        floor=True,
    )


def cell(**robot: Any) -> Scene:
    """An arm of two joints with three modes, and a box that lies on the floor."""
    return build(
        RobotSpec(
            TWO, prefix="arm/", modes=(CtrlModeSpec(), velocity(5.0)), pos=(0, 0, 2), **robot
        ),
        objects=[box("cube", pos=(2, 0, 0.29))],
        floor=True,
        name="cell",
    )


def drive(scene: Scene, seconds: float = 0.2) -> None:
    """Move the arm; halfway one joint goes into another mode."""
    arm = scene.robots["arm"]
    arm.command[0] = 0.2
    scene.run(seconds / 2)
    arm.set_control_mode(VELOCITY, joints=["j2"])
    arm.command[1] = 0.3
    scene.run(seconds / 2)


def recorded(
    change: Callable[[Scene], None] | None = None,
    make: Callable[[], Scene] = cell,
    run: Callable[[Scene], None] = drive,
    **what: Any,
) -> Recording:
    """A run, recorded, of a scene that something was changed in before."""
    scene = make()
    if change is not None:
        change(scene)
    with scene.record(**{"bodies": ["cube"], **what}) as recorder:
        run(scene)
    return recorder.recording


def altered(recording: Recording, **arrays: Any) -> Recording:
    """The same recording with other arrays."""
    return Recording(recording.header, {**recording.arrays, **arrays}, recording.model)
