"""The short way of commands into ``data.ctrl`` does what the long one does, whatever else goes on.

Both run the same random program; the long one compares every command with what was written last.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from command_models import BACKWARDS
from field_models import build
from mode_models import TWO, rod

from mjscene import (
    CtrlMode,
    CtrlModeSpec,
    MjsceneError,
    ObjectCmd,
    PhysicsOptions,
    RobotSpec,
    Scene,
    SceneObject,
)
from mjscene.controllers import GravityCompensation, JointAdmittance
from mjscene.joints import JointTable

MODES = (CtrlModeSpec(CtrlMode.TORQUE), CtrlModeSpec(CtrlMode.VELOCITY, kv=5.0))
Rng = np.random.Generator
Act = Callable[[Scene, Rng], object]


def make(*, plain: bool) -> Scene:
    """Arms with modes and without, one with a filter; if not plain, some with gears as well."""
    filtered = '<position name="p" joint="j" kp="20" kv="2" timeconst="0.05"/>'
    geared = '<motor name="m" joint="j" gear="3"/>'
    robots = [
        RobotSpec(TWO, prefix="a/", modes=MODES),
        RobotSpec(TWO, prefix="b/", pos=(0, 3, 0)),
        RobotSpec(rod(filtered), prefix="c/", pos=(0, 6, 0), modes=MODES),
    ]
    if not plain:
        robots += [
            RobotSpec(BACKWARDS, prefix="d/", pos=(0, 9, 0)),
            RobotSpec(rod(geared), prefix="e/", pos=(0, 12, 0)),
        ]
    target = SceneObject("target", shape="sphere", size=(0.05,), mocap=True, pos=(0, 0, 3))
    return build(*robots, objects=[target])


def robot(scene: Scene, rng: Rng) -> Any:
    return scene.robots[str(rng.choice(list(scene.robots)))]


def one_command(scene: Scene, rng: Rng) -> None:
    scene.command[rng.integers(len(scene.command))] = rng.normal() * 0.3


def all_commands(scene: Scene, rng: Rng) -> None:
    scene.command[:] = rng.normal(size=len(scene.command)) * 0.3


def message(scene: Scene, rng: Rng) -> None:
    who = robot(scene, rng)
    scene.apply({who.name: ObjectCmd(joint_cmds=rng.normal(size=len(who.joint_names)) * 0.3)})


def control(scene: Scene, rng: Rng) -> None:
    scene.data.ctrl[rng.integers(scene.model.nu)] = rng.normal() * 0.3


def all_controls(scene: Scene, rng: Rng) -> None:
    scene.data.ctrl[:] = rng.normal(size=scene.model.nu) * 0.1


def switch(scene: Scene, rng: Rng) -> None:
    mode = CtrlMode(int(rng.integers(3)))
    robot(scene, rng).set_control_mode(mode, transfer=str(rng.choice(["bumpless", "hold"])))


def push(scene: Scene, rng: Rng) -> None:
    scene.data.qvel[rng.integers(scene.model.nv)] += rng.normal() * 0.1


def pull(scene: Scene, rng: Rng) -> None:
    scene.data.xfrc_applied[rng.integers(scene.model.nbody), 2] = rng.normal()
    scene.data.mocap_pos[0, 2] += 0.1


def gear(scene: Scene, rng: Rng) -> None:
    gears = scene.model.actuator_gear
    one = rng.integers(len(gears))
    gears[one, 0] = gears[one, 0] / 2 if gears[one, 0] % 2 == 0 else gears[one, 0] * 2
    scene.forward()


def box(scene: Scene, rng: Rng) -> None:
    if any(o.name == "box" for o in scene.spec.objects):
        scene.remove_object("box")
    else:
        scene.add_object(SceneObject("box", shape="box", size=(0.1,) * 3, mass=1, pos=(5, 0, 5)))


def controller(scene: Scene, rng: Rng) -> None:
    who = robot(scene, rng)
    for name in list(who.controllers):
        who.remove_controller(name)
        return
    who.add_controller(GravityCompensation() if rng.random() < 0.5 else JointAdmittance())


def observer(scene: Scene, rng: Rng) -> None:
    where, value = int(rng.integers(scene.model.nu)), rng.normal() * 0.1
    ends: list[Callable[[], None]] = []

    def write() -> None:
        scene.data.ctrl[where] = value
        ends.pop()()

    ends.append(scene.on_step(write))


COMMON: list[Act] = [one_command, all_commands, message, control, push]
RARE: list[Act] = [
    *(all_controls, switch, switch, pull, gear, box, controller, controller, observer),
    lambda scene, rng: scene.forward(),
    lambda scene, rng: scene.set_state(scene.get_state()),
    lambda scene, rng: scene.reset(keep_modes=bool(rng.random() < 0.5)),
    lambda scene, rng: robot(scene, rng).stop(),
    lambda scene, rng: robot(scene, rng).recover(),
]


def program(seed: int, turns: int, *, plain: bool) -> list[tuple[bytes, ...]]:
    """What a random program leads to, step by step, and which of its wishes were refused."""
    rng, scene = np.random.default_rng(seed), make(plain=plain)
    seen: list[tuple[bytes, ...]] = []
    for _ in range(turns):
        for _ in range(rng.integers(3)):
            acts = COMMON if rng.random() < 0.7 else RARE
            act = acts[rng.integers(len(acts))]
            try:
                act(scene, rng)
            except MjsceneError as refused:
                seen.append((str(refused).encode(),))
        for _ in range(rng.integers(1, 4)):
            try:
                scene.step()
            except MjsceneError as refused:  # a joint of a stopped robot was commanded
                seen.append((str(refused).encode(),))
                scene.reset(keep_modes=True)
            data = scene.data
            seen.append((data.ctrl.tobytes(), scene.command.tobytes(), data.qpos.tobytes()))
    return seen


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_both_ways_lead_to_the_same_bit_for_bit(
    seed: int, plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = []
    find = JointTable.find_short_way

    def count(table: JointTable, ctrl: Any) -> None:
        find(table, ctrl)
        taken.append(table.short_way is not None)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        monkeypatch.setattr(JointTable, "find_short_way", count)
        short = program(seed, 120, plain=plain)
        monkeypatch.setattr(JointTable, "find_short_way", lambda table, ctrl: None)
        long = program(seed, 120, plain=plain)
    assert short == long
    assert any(taken)
    assert not all(taken)


def test_a_switch_ends_the_way_to_the_old_drive_though_all_numbers_are_zero() -> None:
    still = PhysicsOptions(gravity=(0, 0, 0))
    scene = build(RobotSpec(TWO, prefix="a/", modes=MODES), options=still)
    for value in (0.1, 0.0, 0.0):  # the last two steps know the way, and end where all is zero
        scene.command[:] = value
        scene.step()
    assert scene.control.table.short_way is not None
    scene.set_control_mode("a", CtrlMode.TORQUE, transfer="hold")
    scene.command[:] = (0.5, -0.5)
    scene.step()
    model, data = scene.model, scene.data
    for name, value in {"a/p1": 0.0, "a/p2": 0.0, "a/j1_torque": 0.5, "a/j2_torque": -0.5}.items():
        assert data.ctrl[model.actuator_ctrladr[model.actuator(name).id]] == value, name
