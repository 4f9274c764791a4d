"""Any sequence of calls: a refused one changes nothing, and one actuator per joint acts after all.

Robots: two arms (one with filters), an attachment with modes, a gripper that a tendon drives, and a
robot without any actuator that has modes for named joints; slots in both layouts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from field_models import build
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from mode_models import (
    POSITION,
    TORQUE,
    TWO,
    VELOCITY,
    acting,
    assert_same,
    everything,
    rod,
    slider,
    velocity,
)
from test_switching import FILTERED, FINGERS, GRIPPER

import mjscene
from mjscene import AttachmentSpec, CtrlMode, CtrlModeSpec, RobotSpec, SceneObject, site

MODES = (CtrlModeSpec(), velocity(20.0))
MOTOR = '<motor name="m" joint="s" ctrlrange="-5 5"/>'
ON_J = (
    CtrlModeSpec(POSITION, kp=50.0, kd=5.0, ki=3.0, joints=("j",)),
    CtrlModeSpec(TORQUE, joints=("j",), force_limit=4.0),
    velocity(7.0, joints=("j",)),
)
# The actuator of every joint and mode, by the rule of names; the tendon stands apart.
ACTUATORS: dict[str, dict[CtrlMode, str]] = {
    **{
        f"{r}/j{k}": {
            POSITION: f"{r}/p{k}",
            TORQUE: f"{r}/j{k}_torque",
            VELOCITY: f"{r}/j{k}_velocity",
        }
        for r in ("a", "b")
        for k in (1, 2)
    },
    "a/g/s": {TORQUE: "a/g/m", VELOCITY: "a/g/s_velocity"},
    "t/fl": {TORQUE: "t/fl_torque"},
    "t/fr": {TORQUE: "t/fr_torque"},
    "u/j": {m: f"u/j_{m.name.lower()}" for m in CtrlMode},
}
FINGER = ("t/fl", "t/fr")
OWNERS = {
    "a": ("a/j1", "a/j2"),
    "b": ("b/j1", "b/j2"),
    "a.grip": ("a/g/s",),
    "t": FINGER,
    "u": ("u/j",),
}
INITIAL: dict[str, CtrlMode | None] = {
    **dict.fromkeys(("a/j1", "a/j2", "b/j1", "b/j2", "u/j"), POSITION),
    "a/g/s": TORQUE,
    **dict.fromkeys(FINGER, None),
}
OWNED_BITS = sum(0b111 << (1 + 3 * i) for i in range(5))
TRANSFERS = st.sampled_from(["bumpless", "hold", "BUMPLESS"])
BAD_NUMBERS = st.sampled_from([float("nan"), float("inf"), -float("inf")])


def build_all() -> mjscene.Scene:
    grip = AttachmentSpec(
        slider(MOTOR),
        attach_to=site("tip"),
        prefix="g/",
        name="grip",
        modes=(CtrlModeSpec(), velocity(9.0)),
    )
    return build(
        RobotSpec(TWO, prefix="a/", attachments=(grip,), modes=MODES),
        RobotSpec(FILTERED, prefix="b/", modes=MODES, pos=(0, 2, 0)),
        RobotSpec(GRIPPER, prefix="t/", modes=FINGERS, pos=(0, 4, 0)),
        RobotSpec(rod(), prefix="u/", modes=ON_J, pos=(0, 6, 0)),
    )


class Sessions(RuleBasedStateMachine):
    """A scene and, beside it, the modes that its joints must be in."""

    @initialize()
    def start(self) -> None:
        self.scene = build_all()
        self.modes = dict(INITIAL)
        self.foreign = 0
        self.saved: tuple[Any, dict[str, CtrlMode | None]] | None = None
        self.boxes = 0

    def handle(self, owner: str) -> mjscene.Robot:
        return self.scene.handle(owner)

    def offered(self, joint: str, mode: CtrlMode | None) -> bool:
        return mode in ACTUATORS[joint] if mode is not None else joint in FINGER

    # Calls that must go through

    @rule(
        owner=st.sampled_from(sorted(OWNERS)),
        mode=st.sampled_from([*CtrlMode, None]),
        transfer=TRANSFERS,
        pick=st.integers(0, 3),
    )
    def switch(self, owner: str, mode: CtrlMode | None, transfer: str, pick: int) -> None:
        joints = OWNERS[owner]
        named = [j for i, j in enumerate(joints) if pick >> i & 1]
        wanted = named or [j for j in joints if self.offered(j, mode)]
        if not wanted or not all(self.offered(j, mode) for j in wanted):
            self.refused(
                mjscene.ModeError,
                lambda: self.scene.set_control_mode(owner, mode, named or None, transfer),
            )
            return
        self.scene.set_control_mode(owner, mode, named or None, transfer)
        self.modes.update(dict.fromkeys(wanted, mode))

    @rule(mode=st.sampled_from([TORQUE, VELOCITY]), transfer=TRANSFERS)
    def switch_several(self, mode: CtrlMode, transfer: str) -> None:
        self.scene.set_control_mode({"b": mode, "a": POSITION, "a.grip": mode}, transfer=transfer)
        for owner, now in (("b", mode), ("a", POSITION), ("a.grip", mode)):
            self.modes.update(dict.fromkeys(OWNERS[owner], now))

    @rule(mode=st.sampled_from([TORQUE, VELOCITY]))
    def keep(self, mode: CtrlMode) -> None:
        robot = self.handle("u")
        moves = robot.ctrl_mode is not mode
        robot.prime(mode, [0.25])
        robot.set_control_mode(mode, transfer="keep")
        self.modes["u/j"] = mode
        if moves:
            assert robot.command.tolist() == [0.25]

    @rule(owner=st.sampled_from(["a", "b", "u"]), number=st.floats(-2, 2))
    def command(self, owner: str, number: float) -> None:
        robot = self.handle(owner)
        robot.command = np.full(len(robot.joint_names), number)

    @rule(n=st.integers(1, 3))
    def step(self, n: int) -> None:
        time = self.scene.time
        self.scene.step(n)
        assert self.scene.time == pytest.approx(time + 0.002 * n)

    @rule(keep=st.booleans())
    def reset(self, keep: bool) -> None:
        self.scene.reset(keep_modes=keep)
        self.modes = self.modes if keep else dict(INITIAL)
        assert np.isnan(self.scene.control.table.primed).all()

    @rule()
    def save(self) -> None:
        self.saved = (self.scene.get_state(), dict(self.modes))
        self.kept = everything(self.scene)

    @precondition(lambda self: self.saved is not None)
    @rule()
    def restore(self) -> None:
        assert self.saved is not None
        self.scene.set_state(self.saved[0])
        self.modes = dict(self.saved[1])
        now, parts = everything(self.scene), ("qpos", "qvel", "act", "ctrl", "command", "primed")
        assert_same({k: now[k] for k in parts}, {k: self.kept[k] for k in parts})

    @rule()
    def change_objects(self) -> None:
        before = everything(self.scene)
        self.saved = None
        if self.boxes:
            self.scene.remove_object("box")
        else:
            self.scene.add_object(
                SceneObject("box", shape="box", pos=(9, 9, 9), size=(0.1, 0.1, 0.1))
            )
        self.boxes ^= 1
        now = everything(self.scene)
        for name in ("command", "primed", "mode", "ctrl", "act", "group", "mask", "time"):
            assert_same({name: now[name]}, {name: before[name]})

    @rule(bit=st.sampled_from([20, 27, 29]))
    def toggle_foreign_bit(self, bit: int) -> None:
        self.scene.model.opt.disableactuator ^= 1 << bit
        self.foreign ^= 1 << bit

    # Calls that must be refused

    def refused(self, error: type[Exception], call: Any) -> None:
        before = everything(self.scene)
        with pytest.raises(error):
            call()
        assert_same(everything(self.scene), before)

    @rule(data=st.data())
    def bad_switch(self, data: st.DataObject) -> None:
        bad = {
            "joint": lambda s: s.set_control_mode("a", TORQUE, ["j1", "nope"]),
            "robot": lambda s: s.set_control_mode({"b": VELOCITY, "nope": TORQUE}),
            "mode": lambda s: s.set_control_mode({"b": VELOCITY, "a": "nope"}),
            "transfer": lambda s: s.set_control_mode("b", VELOCITY, transfer="nope"),
            "one of two": lambda s: s.set_control_mode(["b", "t"], VELOCITY),
            "twice": lambda s: s.set_control_mode({"a": TORQUE, s.robots["a"]: VELOCITY}),
        }
        call = bad[data.draw(st.sampled_from(sorted(bad)))]
        self.refused(mjscene.ModeError, lambda: call(self.scene))

    @rule(owner=st.sampled_from(["a", "b", "u"]), bad=BAD_NUMBERS, size=st.integers(0, 4))
    def bad_command(self, owner: str, bad: float, size: int) -> None:
        robot = self.handle(owner)
        numbers = np.zeros(len(robot.joint_names))
        numbers[-1] = bad
        wrong = np.zeros(size if size != len(numbers) else size + 1)
        for value in (numbers, wrong):
            self.refused(mjscene.CommandError, lambda v=value: setattr(robot, "command", v))
            self.refused(mjscene.CommandError, lambda v=value: robot.prime(TORQUE, v))

    @rule(bad=BAD_NUMBERS)
    def bad_number_in_the_view(self, bad: float) -> None:
        kept = self.scene.command[0]
        self.scene.command[0] = bad
        self.refused(mjscene.CommandError, self.scene.step)
        self.scene.command[0] = kept

    @rule()
    def bad_objects(self) -> None:
        self.refused(mjscene.MjsceneError, lambda: self.scene.remove_object("nope"))
        lost = SceneObject(
            "lost", shape="box", size=(0.1, 0.1, 0.1), fixed=True, attach_to=site("nope")
        )
        self.refused(mjscene.MjsceneError, lambda: self.scene.add_object(lost))
        self.refused(mjscene.MjsceneError, lambda: self.scene.reset("nope"))

    # What must hold at all times

    @invariant()
    def modes_are_those_asked_for(self) -> None:
        found = {
            name: mode
            for robot in self.scene.robots.values()
            for name, mode in zip(robot.joint_names, robot.ctrl_modes, strict=True)
        }
        assert found == self.modes

    @invariant()
    def exactly_one_actuator_of_each_managed_joint_acts(self) -> None:
        wanted = {ACTUATORS[j][m] for j, m in self.modes.items() if m is not None}
        if all(self.modes[j] is None for j in FINGER):
            wanted.add("t/pull")
        assert acting(self.scene) == wanted

    @invariant()
    def foreign_bits_are_the_users(self) -> None:
        assert int(self.scene.model.opt.disableactuator) & ~OWNED_BITS == self.foreign

    @invariant()
    def everything_is_finite(self) -> None:
        data = self.scene.data
        for field in (data.qpos, data.qvel, data.act, data.ctrl, self.scene.command):
            assert np.isfinite(field).all()
        assert not data.warning.number.any()


TestSessions = Sessions.TestCase
TestSessions.settings = settings(
    max_examples=30,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate, Phase.shrink],
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
