"""The phases of a step: their order, and that none is there for nothing."""

from __future__ import annotations

import numpy as np
import pytest
from command_models import box
from mode_models import TWO

from mjscene import (
    BodyController,
    JointLimits,
    ObjectCmd,
    Pose,
    RobotSpec,
    Scene,
    SceneObject,
    SceneSpec,
    SpecError,
    build_scene,
)
from mjscene.controllers import GravityCompensation


def watched() -> Scene:
    cube = SceneObject(
        "cube",
        shape="box",
        size=(0.1, 0.1, 0.1),
        pos=(3, 0, 1),
        controller=BodyController(linear=(10, 5), angular=(1, 0.5)),
    )
    arm = RobotSpec(
        TWO, prefix="arm/", watchdog=0.1, reflex=True, limits=[JointLimits(collision_threshold=1e6)]
    )
    return build_scene(SceneSpec([arm], objects=[cube]))


def test_a_plain_scene_has_no_phase() -> None:
    scene = build_scene(SceneSpec([RobotSpec(TWO, prefix="arm/")]))
    assert scene.cycle.before == []
    assert scene.cycle.after == []


def test_phases_come_in_their_order() -> None:
    scene = watched()
    scene.robots["arm"].add_controller(GravityCompensation())
    scene.apply({"cube": ObjectCmd(enable_position_controller=True, pose=Pose())})
    end = scene.on_step(lambda: None)
    before = [phase.__func__.__qualname__ for phase in scene.cycle.before]
    assert before == ["Watch.look", "Runner.act", "BodyControl.act"]
    assert len(scene.cycle.after) == 3
    kept = scene.control.table.delivered  # what the drives delivered
    kept[:] = np.nan
    scene.cycle.after[0]()
    np.testing.assert_array_equal(kept, scene.data.qfrc_actuator)
    assert scene.cycle.after[1].__func__.__qualname__ == "Stops.look"
    scene.robots["arm"].stop()
    before = [phase.__func__.__qualname__ for phase in scene.cycle.before]
    looks = ["Watch.look", "Stops.hold", "Runner.act", "Stops.hold", "BodyControl.act"]
    assert before == looks
    end()
    end()
    assert len(scene.cycle.after) == 2


def test_an_observer_is_called_after_every_step_and_outlives_objects() -> None:
    scene = watched()
    seen: list[float] = []
    end = scene.on_step(lambda: seen.append(scene.time))
    scene.step(3)
    scene.add_object(box("more", pos=(5, 0, 1)))
    scene.step(2)
    step = scene.model.opt.timestep
    assert seen == pytest.approx([step * k for k in range(1, 6)])
    end()
    scene.step()
    assert len(seen) == 5
    with pytest.raises(SpecError, match="expected a function"):
        scene.on_step(3)  # type: ignore[arg-type]


def test_an_observer_may_end_itself_while_others_are_called() -> None:
    scene = watched()
    calls: list[str] = []

    def once() -> None:
        calls.append("once")
        end()

    end = scene.on_step(once)
    scene.on_step(lambda: calls.append("always"))
    scene.step(2)
    assert calls == ["once", "always", "always"]
