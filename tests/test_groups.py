"""Groups and mask say what the modes are: slots, layouts, foreign bits, many owners."""

from __future__ import annotations

import random
from typing import Any

import mujoco
import numpy as np
import pytest
from field_models import build
from mode_models import POSITION, TORQUE, TWO, VELOCITY, acting, effort, rod, send, slider, velocity

import mjscene
from mjscene import AttachmentSpec, CtrlMode, CtrlModeSpec, RobotSpec, site

SERVO = '<position name="p" joint="j" kp="200" kv="20"/>'
SUFFIX = {TORQUE: "_torque", VELOCITY: "_velocity"}
MODES = (CtrlModeSpec(), velocity(20.0))


def two_robots(count: int, **fields: Any) -> list[RobotSpec]:
    """Robots of two servo joints that offer all three modes."""
    return [
        RobotSpec(TWO, prefix=f"r{i}/", pos=(0, 2 * i, 0), modes=MODES, **fields)
        for i in range(count)
    ]


def actuator_of(joint: str, mode: CtrlMode) -> str:
    """The name of a joint's actuator in TWO, by the naming rule."""
    if mode is POSITION:
        return joint.replace("j", "p") if "/" not in joint else joint[:-2] + "p" + joint[-1]
    return joint + SUFFIX[mode]


def group_of(scene: mjscene.Scene, actuator: str) -> int:
    return int(scene.model.actuator_group[scene.model.actuator(actuator).id])


def enabled(scene: mjscene.Scene, slot: int) -> list[int]:
    mask = int(scene.model.opt.disableactuator)
    return [g for g in range(1 + 3 * slot, 4 + 3 * slot) if not mask >> g & 1]


def assert_slots(scene: mjscene.Scene, count: int, modes: dict[str, CtrlMode]) -> None:
    """DESIGN's groups, written down anew: what each actuator's group must be.

    Args:
        scene: A scene of ``two_robots``.
        count: How many.
        modes: The mode that each joint is to be in.
    """
    for owner in range(count):
        joints = [f"r{owner}/j1", f"r{owner}/j2"]
        slot = min(owner, 9)
        first = 1 + 3 * slot
        shared = count > 10 and slot == 9
        uniform = modes[joints[0]] is modes[joints[1]] and not shared
        for joint in joints:
            for mode in CtrlMode:
                acts = modes[joint] is mode
                wanted = first + mode if uniform else first + (not acts)
                name = actuator_of(joint, mode)
                assert group_of(scene, name) == wanted, name
        wanted_enabled = first + modes[joints[0]] if uniform else first
        assert enabled(scene, slot) == [wanted_enabled]
    assert acting(scene) == {actuator_of(j, m) for j, m in modes.items()}


@pytest.mark.parametrize("count", [1, 2, 9, 10])
def test_up_to_ten_owners_the_compiled_group_is_1_plus_3_owner_plus_mode(count: int) -> None:
    scene = build(*two_robots(count))
    model = scene.mjspec.compile()
    for owner in range(count):
        for joint in ("j1", "j2"):
            for mode in CtrlMode:
                name = actuator_of(f"r{owner}/{joint}", mode)
                group = int(model.actuator_group[model.actuator(name).id])
                assert group == 1 + 3 * owner + mode
    assert_slots(scene, count, {f"r{i}/j{k}": POSITION for i in range(count) for k in (1, 2)})


@pytest.mark.parametrize("count", [11, 12, 40])
def test_beyond_ten_the_tenth_and_all_further_share_the_last_slot(count: int) -> None:
    scene = build(*two_robots(count))
    model = scene.mjspec.compile()
    joints = [f"r{i}/j{k}" for i in range(count) for k in (1, 2)]
    for joint in joints:
        owner = int(joint[1:].split("/")[0])
        for mode in CtrlMode:
            group = int(model.actuator_group[model.actuator(actuator_of(joint, mode)).id])
            assert group == (1 + 3 * owner + mode if owner < 9 else 28 + (mode is not POSITION))
    rng = random.Random(count)
    modes = dict.fromkeys(joints, POSITION)
    for _ in range(25):
        owner, mode = rng.randrange(count), rng.choice(list(CtrlMode))
        names = rng.choice([["j1"], ["j2"], ["j1", "j2"]])
        scene.robots[f"r{owner}"].set_control_mode(mode, joints=names)
        modes.update({f"r{owner}/{n}": mode for n in names})
        assert_slots(scene, count, modes)


def test_with_40_owners_each_acts_in_its_own_mode() -> None:
    # The effort of each is that of its own law at its own state, whatever the others are in.
    scene = build(*[RobotSpec(rod(SERVO), prefix=f"r{i}/", modes=MODES) for i in range(40)])
    rng = np.random.default_rng(3)
    modes = [CtrlMode(int(m)) for m in rng.integers(0, 3, 40)]
    scene.set_control_mode({f"r{i}": m for i, m in enumerate(modes)}, transfer="hold")
    scene.data.qpos[:] = q = rng.normal(size=40)
    scene.data.qvel[:] = v = rng.normal(size=40)
    scene.command[:] = u = rng.normal(size=40)
    send(scene)
    laws = {
        POSITION: 200 * (u - q) - 20 * v,
        TORQUE: u,
        VELOCITY: 20 * (u - v),
    }
    wanted = [laws[m][i] for i, m in enumerate(modes)]
    np.testing.assert_allclose(effort(scene), wanted, rtol=1e-10)
    assert [r.ctrl_mode for r in scene.robots.values()] == modes


def test_random_switches_keep_both_layouts_and_the_foreign_bits() -> None:
    # F40. Bits of no slot are the user's: 0, and those above the slots of the scene's owners.
    count = 4
    scene = build(*two_robots(count))
    owned = sum(0b111 << (1 + 3 * i) for i in range(count))
    rng = random.Random(0)
    modes = {f"r{i}/j{k}": POSITION for i in range(count) for k in (1, 2)}
    foreign = 0
    for _ in range(120):
        if rng.random() < 0.3:
            bit = rng.choice([b for b in range(31) if not owned >> b & 1 and b])
            foreign ^= 1 << bit
            scene.model.opt.disableactuator ^= 1 << bit
        owner, mode = rng.randrange(count), rng.choice(list(CtrlMode))
        names = rng.choice([None, ["j1"], ["j2"], ["j1", "j2"]])
        transfer = rng.choice(["bumpless", "hold"])
        scene.robots[f"r{owner}"].set_control_mode(mode, joints=names, transfer=transfer)
        modes.update({f"r{owner}/{n}": mode for n in names or ("j1", "j2")})
        assert int(scene.model.opt.disableactuator) & ~owned == foreign
        assert_slots(scene, count, modes)
        if rng.random() < 0.2:
            keep = rng.random() < 0.7
            scene.reset(keep_modes=keep)
            modes = modes if keep else dict.fromkeys(modes, POSITION)
            assert int(scene.model.opt.disableactuator) & ~owned == foreign
            assert_slots(scene, count, modes)


def test_attachments_with_modes_own_a_slot_after_all_robots_and_others_none() -> None:
    motor = '<motor name="m" joint="s"/>'
    own = AttachmentSpec(
        slider(motor), attach_to=site("tip"), prefix="own/", modes=(velocity(5.0),)
    )
    none = AttachmentSpec(slider(motor), attach_to=site("tip"), prefix="none/")
    scene = build(
        RobotSpec(TWO, prefix="a/", attachments=(none, own), modes=MODES),
        RobotSpec(TWO, prefix="b/", modes=MODES, pos=(0, 2, 0)),
    )
    assert group_of(scene, "b/p1") == 4 + POSITION
    assert group_of(scene, "a/own/m") == 7 + TORQUE
    assert group_of(scene, "a/own/s_velocity") == 7 + VELOCITY
    assert group_of(scene, "a/none/m") == 0
    robot = scene.robots["a"]
    robot.set_control_mode(TORQUE)
    assert robot.attachments["own"].ctrl_mode is TORQUE
    robot.attachments["own"].set_control_mode(VELOCITY)
    assert robot.ctrl_modes == (TORQUE, TORQUE, TORQUE, VELOCITY)
    assert enabled(scene, 0) == [1 + TORQUE]
    assert enabled(scene, 2) == [7 + VELOCITY]
    assert {"a/none/m", "a/own/s_velocity", "a/j1_torque", "b/p1"} <= acting(scene)


def test_what_a_file_disables_stays_disabled_whatever_the_tenth_owner_does() -> None:
    both = SERVO + '<motor name="off" joint="j" group="7" gear="100"/>'
    parked = rod(both, option='integrator="implicitfast" actuatorgroupdisable="7"')
    robots = [RobotSpec(rod(SERVO), prefix=f"r{i}/", modes=MODES) for i in range(9)]
    scene = build(*robots, RobotSpec(parked, prefix="last/", modes=MODES, regroup=True))
    assert "last/off" not in acting(scene)
    for mode in (VELOCITY, TORQUE, POSITION, VELOCITY):
        scene.robots["last"].set_control_mode(mode)
        assert "last/off" not in acting(scene), mode


def test_f25_groups_that_a_file_assigns_are_refused_or_moved_with_a_record() -> None:
    xml = rod('<motor name="m" joint="j" group="1"/>')
    with pytest.raises(mjscene.ComposeError, match="group 1"):
        build(RobotSpec(xml))
    servo = CtrlModeSpec(POSITION, kp=50.0)
    scene = build(RobotSpec(xml, prefix="r/", regroup=True, modes=(servo,)))
    assert any("'r/m' moved from group 1" in n for n in scene.report.owners[0].notes)
    robot = scene.robots["r"]
    robot.command = [2.0]
    send(scene)
    assert effort(scene) == [2.0]
    robot.set_control_mode(POSITION, transfer="hold")
    robot.command = [0.1]
    send(scene)
    assert effort(scene)[0] == pytest.approx(5.0)


def test_f40_with_the_actuation_flag_a_switch_says_that_no_mode_has_an_effect() -> None:
    scene = build(RobotSpec(rod(SERVO), modes=MODES))
    scene.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
    with pytest.warns(mjscene.MjsceneWarning, match="no mode of any joint has an effect"):
        scene.robots["rod"].set_control_mode(TORQUE)
    scene.model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    assert acting(scene) == {"j_torque"}
