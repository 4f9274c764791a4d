"""F57: the same run passes, a real change does not, and what differs is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest
from command_models import box
from mode_models import POSITION, TORQUE, VELOCITY
from recorded_runs import altered, boxes, cell, drive, recorded

from mjscene import Scene
from mjscene.comparison import Comparison, compare
from mjscene.recording import Recording
from mjscene.recordingfile import RecordingError

EXACT = {"tolerance": 0.0, "relative": 0.0}


@pytest.fixture(scope="module")
def golden() -> Recording:
    return recorded()


def fall(scene: Scene, steps: int = 600) -> None:
    scene.step(steps)


def falling(
    change: Callable[[Scene], None] | None = None, steps: int = 600, **what: Any
) -> Recording:
    run = recorded(change, make=boxes, run=lambda s: fall(s, steps), bodies=["low"], **what)
    assert run.ncon.max() > 0
    return run


def failing(comparison: Comparison) -> list[str]:
    """The facts that fail, as text; the comparison must not be equal."""
    assert not comparison.equal
    assert not comparison
    return [str(fact) for fact in comparison.header if fact.fails]


# The same run


def test_the_same_run_twice_is_the_same_bit_for_bit(golden: Recording) -> None:
    comparison = compare(golden, recorded(), **EXACT)
    assert comparison.equal
    assert comparison
    assert comparison.first is None
    assert comparison.header == ()
    assert str(comparison) == "the run is the golden's"


def test_f57_boxes_fall_the_same_way_twice_and_after_a_reset() -> None:
    right = falling()
    assert compare(right, falling(), **EXACT).equal

    def after_a_reset(scene: Scene) -> None:
        scene.step(77)
        scene.reset()

    assert compare(right, falling(after_a_reset), **EXACT).equal


def test_f57_a_run_goes_on_the_same_way_from_a_state_put_back() -> None:
    scene = boxes()
    scene.step(150)
    state = scene.get_state()
    with scene.record() as recorder:
        scene.step(200)
    rest = recorder.recording
    for other in (scene, boxes()):
        other.set_state(state)
        with other.record() as again:
            other.step(200)
        assert compare(rest, again.recording, **EXACT).equal


def test_an_arm_with_modes_goes_on_the_same_way_from_a_state_put_back() -> None:
    scene = cell()
    drive(scene)
    scene.robots["arm"].command[0] = -0.1  # given, and not written yet
    state = scene.get_state()
    with scene.record() as recorder:
        scene.step(100)
    other = cell()
    other.set_state(state)
    with other.record() as again:
        other.step(100)
    assert compare(recorder.recording, again.recording, **EXACT).equal


def test_f57_a_start_off_by_rounding_passes_by_default_and_not_exactly() -> None:
    def shift(scene: Scene) -> None:
        scene.data.qpos[2] += 1e-12

    right, shifted = falling(), falling(shift)
    assert compare(right, shifted).equal
    assert not compare(right, shifted, **EXACT).equal


# A real change


def test_a_mass_one_percent_off_is_named(golden: Recording) -> None:
    def heavier(scene: Scene) -> None:
        scene.model.body("arm/lower").mass[0] *= 1.01

    comparison = compare(golden, recorded(heavier))
    assert failing(comparison) == ["mass of body 'arm/lower': 1 kg -> 1.01 kg"]
    assert comparison.first is not None
    assert comparison.first.time <= 0.01
    assert comparison.first.name.startswith("arm/")


def test_a_mass_that_changes_nothing_that_moves_is_named_too(golden: Recording) -> None:
    def heavier(scene: Scene) -> None:
        scene.model.body("world").mass[0] = 1

    comparison = compare(golden, recorded(heavier))
    assert failing(comparison) == ["mass of body 'world': 0 kg -> 1 kg"]
    assert comparison.first is None
    assert "the trajectories agree, but what ran does not" in str(comparison)


def test_a_dropped_contact_is_named() -> None:
    def pass_through(scene: Scene) -> None:
        scene.model.geom("high").contype[0] = 0
        scene.model.geom("high").conaffinity[0] = 0

    right, now = falling(), falling(pass_through)
    comparison = compare(right, now)
    first = comparison.first
    assert first is not None
    assert (first.quantity, first.name) == ("contacts", "high and low")
    touch = next(i for i in range(len(right)) if ("high", "low") in right.contacts(i))
    assert first.row == touch
    assert first.golden == right.contacts(touch)["high", "low"]
    assert first.now == 0
    assert "contype of geom 'high': 1 -> 0" in failing(comparison)


def test_one_contact_of_several_that_is_gone_is_named() -> None:
    """Nothing else differs: the recording is altered, not the run."""
    right = falling()
    row = len(right) - 1
    header = {**right.header, "contact_sets": [*map(list, right.header["contact_sets"])]}
    last = [list(pair) for pair in header["contact_sets"][right.arrays["contacts"][row]]]
    last[0][2] -= 1
    header["contact_sets"].append(last)
    contacts = right.arrays["contacts"].copy()
    contacts[row] = len(header["contact_sets"]) - 1
    now = Recording(header, {**right.arrays, "contacts": contacts}, right.model)
    comparison = compare(right, now)
    assert comparison.first is not None
    assert comparison.first.row == row
    assert comparison.first.by == 1
    assert str(comparison.first) == f"contacts of {last[0][0]} and {last[0][1]}: {last[0][2] + 1}" \
        f" -> {last[0][2]}"  # fmt: skip


def test_a_changed_gain_is_named(golden: Recording) -> None:
    def stiffer(scene: Scene) -> None:
        scene.model.actuator("arm/p2").gainprm[0] *= 1.01
        scene.model.actuator("arm/p2").biasprm[1] *= 1.01

    comparison = compare(golden, recorded(stiffer))
    assert failing(comparison) == [
        "gain of actuator 'arm/p2': 100 -> 101",
        "bias of actuator 'arm/p2': (0, -100, -10) -> (0, -101, -10)",
    ]
    assert comparison.first is not None


def test_another_mode_is_named(golden: Recording) -> None:
    def other(scene: Scene) -> None:
        scene.robots["arm"].set_control_mode(TORQUE, joints=["j1"])

    comparison = compare(golden, recorded(other))
    assert failing(comparison) == ["mode of joint 'arm/j1' at the start: POSITION -> TORQUE"]
    first = comparison.first
    assert first is not None
    assert (first.row, first.quantity, first.name) == (0, "modes", "arm/j1")
    assert (first.golden, first.now) == ("POSITION", "TORQUE")


def test_another_mode_later_is_named_with_its_time(golden: Recording) -> None:
    def other(scene: Scene) -> None:
        scene.robots["arm"].command[0] = 0.2
        scene.run(0.1)
        scene.robots["arm"].set_control_mode(POSITION, joints=["j2"])
        scene.robots["arm"].command[1] = 0.3
        scene.run(0.1)

    first = compare(golden, recorded(run=other)).first
    assert first is not None
    assert first.time == pytest.approx(0.102)
    assert str(first) == "mode of joint 'arm/j2': VELOCITY -> POSITION"


def test_another_timestep_is_named_and_nothing_is_compared(golden: Recording) -> None:
    def finer(scene: Scene) -> None:
        scene.model.opt.timestep = 0.001

    comparison = compare(golden, recorded(finer))
    assert failing(comparison)[0] == "option timestep: 0.002 s -> 0.001 s"
    assert not comparison.compared
    assert comparison.first is None
    assert "cannot be compared" in str(comparison)


@pytest.mark.parametrize(
    ("option", "value", "text"),
    [
        ("integrator", 0, "option integrator: mjINT_IMPLICITFAST -> mjINT_EULER"),
        ("cone", 1, "option cone: mjCONE_PYRAMIDAL -> mjCONE_ELLIPTIC"),
        ("solver", 1, "option solver: mjSOL_NEWTON -> mjSOL_CG"),
        ("gravity", (0, 0, -9.8), "option gravity: (0, 0, -9.81) -> (0, 0, -9.8)"),
        ("disableactuator", 1, "option disableactuator: 0 -> 1"),  # group 0 is no slot's
        ("enableflags", 1, "option enableflags: 0 -> 1"),
    ],
)
def test_another_option_is_named(golden: Recording, option: str, value: Any, text: str) -> None:
    def change(scene: Scene) -> None:
        if option == "disableactuator":
            value_now = scene.model.opt.disableactuator | value
            scene.model.opt.disableactuator = value_now
        else:
            setattr(scene.model.opt, option, value)

    assert failing(compare(golden, recorded(change))) == [text]


def test_other_lengths_are_named_even_if_what_both_have_agrees(golden: Recording) -> None:
    cut = {name: array[:50].copy() for name, array in golden.arrays.items()}
    short = altered(golden, **cut)
    assert failing(compare(golden, short)) == ["number of rows: 101 -> 50"]
    assert failing(compare(short, golden)) == ["number of rows: 50 -> 101"]
    until = f"the trajectories agree until t = {golden.time[49]:.6g} s, where one ends, but"
    assert until in str(compare(golden, short))
    assert until in str(compare(short, golden))


def test_commands_in_two_modes_have_their_own_units() -> None:
    def run(mode: str) -> Recording:
        scene = cell()
        with scene.record() as recorder:
            scene.robots["arm"].set_control_mode(mode)
            scene.robots["arm"].command[:] = 0.5 if mode == "TORQUE" else 0.25
            scene.step(2)
        return recorder.recording

    told = {d.quantity: str(d) for d in compare(run("TORQUE"), run("POSITION")).divergences}
    assert told["commands"].endswith(": 0.5 N·m -> 0.25 rad")


def test_other_joints_and_bodies_are_named(golden: Recording) -> None:
    def more(scene: Scene) -> None:
        scene.add_object(box("new", pos=(5, 0, 0.29)))

    comparison = compare(golden, recorded(more))
    facts = failing(comparison)
    assert "bodies only in one: () -> (new)" in facts
    assert any(f.startswith("joints only in one: () -> (new") for f in facts)
    names = {**golden.header["names"], "eq": ["weld"]}
    welded = Recording({**golden.header, "names": names}, golden.arrays, golden.model)
    assert failing(compare(golden, welded)) == ["equalities only in one: () -> (weld)"]
    assert comparison.first is None
    other = failing(compare(golden, recorded(bodies=[])))
    assert other == ["recorded bodies only in one: (cube) -> ()"]


def test_elements_are_compared_by_name_when_others_come_before_them(golden: Recording) -> None:
    def more(scene: Scene) -> None:
        scene.add_object(box("new", pos=(5, 0, 0.29)))
        scene.model.body("cube").mass[0] *= 2

    facts = failing(compare(golden, recorded(more)))
    assert [f for f in facts if f.startswith("mass")] == ["mass of body 'cube': 2 kg -> 4 kg"]


def test_another_version_is_said_and_fails_nothing(golden: Recording) -> None:
    header = {**golden.header, "versions": {**golden.header["versions"], "mujoco": "5.1.0"}}
    now = Recording(header, golden.arrays, golden.model)
    comparison = compare(golden, now)
    assert comparison.equal
    assert f"mujoco: {mujoco.mj_versionString()} -> 5.1.0" in str(comparison)
    assert "no failure by themselves" in str(comparison)
    other = altered(now, qpos=golden.qpos + 1e-3)
    assert not compare(golden, other).equal


# What is not finite


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["qpos", "qvel", "ctrl", "efforts", "commands", "bodies", "time"])
def test_what_is_not_finite_never_passes(golden: Recording, name: str, value: float) -> None:
    array = golden.arrays[name].copy()
    array[40:] = value
    bad = altered(golden, **{name: array})
    comparison = compare(golden, bad)
    assert not comparison.equal
    assert comparison.first is not None
    assert (comparison.first.row, comparison.first.quantity) == (40, name)
    assert not np.isfinite(comparison.first.now)
    for now in (bad, golden):
        with pytest.raises(RecordingError, match=r"nothing can be judged by it"):
            compare(bad, now)
    one = golden.arrays[name].copy()
    one.reshape(-1)[-1] = value
    assert not compare(golden, altered(golden, **{name: one})).equal


# Tolerances


@pytest.mark.parametrize("by", [1e-9, 1e-7, 1e-5, 1e-3])
@pytest.mark.parametrize("tolerance", [0.0, 1e-8, 1e-6, 1e-4])
def test_the_first_row_beyond_a_tolerance_is_that_of_a_loop(
    golden: Recording, by: float, tolerance: float
) -> None:
    rng = np.random.default_rng(3)
    qpos = golden.qpos + by * rng.uniform(-1, 1, golden.qpos.shape)
    now = altered(golden, qpos=qpos)
    expected = None
    for row in range(len(golden)):
        worst = max(range(qpos.shape[1]), key=lambda c: abs(qpos[row, c] - golden.qpos[row, c]))
        if abs(qpos[row, worst] - golden.qpos[row, worst]) > tolerance:
            expected = row, golden.header["names"]["qpos"][worst]
            break
    first = compare(golden, now, tolerance=tolerance, relative=0).first
    assert (None if first is None else (first.row, first.name)) == expected


def test_a_tolerance_can_be_given_for_each_quantity_and_relatively(golden: Recording) -> None:
    now = altered(golden, efforts=golden.efforts + 1e-3, qpos=golden.qpos + 1e-7)
    first = compare(golden, now).first
    assert first is not None
    assert (first.quantity, first.unit) == ("efforts", "N·m")
    assert first.by == pytest.approx(1e-3)
    assert compare(golden, now, tolerance={"efforts": 2e-3}).equal
    assert not compare(golden, now, tolerance={"qpos": 2e-3}).equal
    scaled = altered(golden, qvel=golden.qvel * (1 + 1e-4))
    assert not compare(golden, scaled).equal
    assert compare(golden, scaled, relative=2e-4).equal


def test_the_earliest_difference_is_first_and_causes_come_before_effects(
    golden: Recording,
) -> None:
    def late(array: Any, row: int) -> Any:
        array = array.copy()
        array[row:] += 1
        return array

    now = altered(
        golden,
        qpos=late(golden.qpos, 30),
        efforts=late(golden.efforts, 30),
        commands=late(golden.commands, 31),
        bodies=late(golden.arrays["bodies"], 29),
    )
    found = [d.quantity for d in compare(golden, now).divergences]
    assert found == ["bodies", "efforts", "qpos", "commands"]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"tolerance": -1}, "expected a number >= 0"),
        ({"tolerance": float("nan")}, "expected a number >= 0"),
        ({"tolerance": "1"}, "expected a number >= 0"),
        ({"tolerance": True}, "expected a number >= 0"),
        ({"tolerance": {"qpo": 1}}, "did you mean 'qpos'"),
        ({"tolerance": {"qpos": -1}}, r"tolerance\['qpos'\]"),
        ({"relative": float("inf")}, "compare.relative"),
    ],
)
def test_bad_tolerances_are_refused(golden: Recording, fields: Any, text: str) -> None:
    with pytest.raises(RecordingError, match=text):
        compare(golden, golden, **fields)


def test_what_is_no_recording_is_refused(golden: Recording) -> None:
    with pytest.raises(RecordingError, match=r"compare.now: expected a Recording"):
        compare(golden, "golden.npz")  # type: ignore[arg-type]


def test_values_are_shown_with_the_digits_that_tell_them_apart(golden: Recording) -> None:
    now = altered(golden, qpos=golden.qpos + 1e-11)
    first = compare(golden, now, **EXACT).first
    before, _, after = str(first).partition(": ")[2].partition(" (")[0].partition(" -> ")
    assert before != after.removesuffix(" rad")


def test_velocity_mode_is_in_the_golden(golden: Recording) -> None:
    assert (golden.modes == VELOCITY).any()


def test_the_control_of_a_muted_actuator_makes_no_difference() -> None:
    runs = []
    for control in (0.0, 5.0):
        scene = cell()
        with scene.record() as recorder:
            scene.data.ctrl[scene.control.table.ctrl_adr[0, VELOCITY]] = control
            scene.step(5)
        runs.append(recorder.recording)
    assert (runs[0].ctrl != runs[1].ctrl).any()
    assert compare(*runs, tolerance=0, relative=0).equal
