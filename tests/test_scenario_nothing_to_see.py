"""What could pass because it looks at nothing, or at the wrong thing, is refused or fails."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mjscene import CtrlMode, CtrlModeSpec, MjsceneError, RobotSpec, SceneSpec
from mjscene.scenario import (
    Action,
    AddController,
    BodyAt,
    Command,
    EffortJump,
    FtWrench,
    Scenario,
    SetMode,
    Stop,
    read_scenario,
)
from mjscene.transfer import Transfer

# A free base before the joints: a joint's row and its dof are not the same number.
ROVER = """<mujoco><worldbody><body name="hull" pos="0 0 1"><freejoint/>
<geom name="hull" size="0.3" mass="50" contype="0" conaffinity="0"/>
<body name="arm" pos="0 0 0.4"><joint name="lift" axis="0 1 0"/>
<geom name="bar" type="capsule" fromto="0 0 0 0.5 0 0" size="0.02" mass="2" contype="0"
 conaffinity="0"/></body></body></worldbody>
<actuator><position name="lift" joint="lift" kp="500" kv="20"/></actuator></mujoco>"""
LOAD = """<mujoco><worldbody><body name="load"><freejoint/><geom size="0.05" mass="1"/>
<body name="pin" pos="0 0 0.2"><joint name="turn"/><geom name="tip" size="0.01" mass="0.1"/>
<site name="knob" pos="0 0 0.1"/></body></body></worldbody>
<sensor><jointpos name="angle" joint="turn"/></sensor></mujoco>"""
POST = '<mujoco><worldbody><body name="post"><geom size="0.05"/></body></worldbody></mujoco>'
WHEEL = """<mujoco><worldbody><body name="wheel"><joint name="spin"/><geom size="0.1"/></body>
</worldbody><actuator><motor name="spin" joint="spin"/></actuator></mujoco>"""


def test_a_jump_is_looked_for_at_the_dof_of_its_joint() -> None:
    torque = CtrlModeSpec(CtrlMode.TORQUE)
    scenario = Scenario(
        SceneSpec([RobotSpec(ROVER, name="rover", modes=[torque])]),
        duration=0.1,
        timeline=[
            Command(at=0, robot="rover", to=[0.5]),
            SetMode(at=0.01, robot="rover", mode=CtrlMode.TORQUE, transfer=Transfer.HOLD),
        ],  # drops what turns the bar
        expect=[EffortJump(below=1e-3), EffortJump(below=1e-3, robot="rover")],
    )
    failures = scenario.run().failures
    assert [f.where for f in failures] == ["expect[0].effort_jump", "expect[1].effort_jump"]
    assert all("lift" in f.seen for f in failures)


@pytest.mark.parametrize(
    "action",
    [
        SetMode(at=0.01, robot="a", mode=CtrlMode.TORQUE),
        Stop(at=0.01, robot="a"),
        AddController(at=0.01, robot="a", controller="JointAdmittance"),
    ],
)
def test_jumps_of_a_robot_are_looked_for_where_it_is_switched(action: Action) -> None:
    torque = CtrlModeSpec(CtrlMode.TORQUE)
    robots = [RobotSpec(ROVER, prefix=f"{n}/", modes=[torque]) for n in "ab"]

    def check(robot: str | None) -> None:
        expect = [EffortJump(below=1, robot=robot)]
        Scenario(SceneSpec(robots), duration=0.1, timeline=[action], expect=expect).check()

    check("a")
    check(None)
    with pytest.raises(MjsceneError, match="nothing of robot 'b' is switched") as caught:
        check("b")
    assert caught.value.where == "expect[0].effort_jump.below"


def test_a_tolerance_of_zero_is_zero() -> None:
    expected = FtWrench(at=0, robot="arm", sensor="ft/ft_site", force=[0, None, None], tolerance=0)
    result = Scenario("ft_chain", duration=0.004, expect=[expected]).run()
    assert not result.passed
    assert "± 0 N" in result.failures[0].expected


def read(folder: Path, lines: str, objects: str = "") -> Scenario:
    (folder / "post.xml").write_text(POST, encoding="utf-8")
    (folder / "wheel.xml").write_text(WHEEL, encoding="utf-8")
    (folder / "load.xml").write_text(LOAD, encoding="utf-8")
    file = folder / "it.scenario.yaml"
    robots = (
        "{path: post.xml, name: post}, {path: wheel.xml, prefix: w/, name: wheel, pos: [1,0,1]}"
    )
    scene = f"{{robots: [{robots}], objects: [{objects}], floor: false}}"
    file.write_text(f"scene: {scene}\n{lines}", encoding="utf-8")
    return read_scenario(file)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ("at_rest: {robot: post}", "no joint that takes commands"),
        ("effort: {robot: post, below: 1}", "no joint that takes commands"),
        ("moved: {robot: post, by: 0}", "no joint that takes commands"),
        ("ctrl_mode: {robot: post, mode: TORQUE}", "no joint that takes commands"),
        ("within_limits: post", "no joint that takes commands"),
        ("within_limits: wheel", "no joint of robot 'wheel' has limits"),
    ],
)
def test_what_is_said_of_no_joint_is_refused(entry: str, says: str, tmp_path: Path) -> None:
    scenario = read(tmp_path, f"duration: 0.1\nexpect:\n- {{{entry}}}\n")
    with pytest.raises(MjsceneError, match=says) as caught:
        scenario.check()
    assert (caught.value.line, str(caught.value.where).rpartition(".")[2]) == (4, "robot")


def test_a_body_that_is_always_at_rest_is_refused(tmp_path: Path) -> None:
    drop = "{name: drop, shape: sphere, size: [0.1], mass: 1, pos: [0, 0, 3]}"
    hand = "{name: hand, shape: sphere, size: [0.1], mocap: true, pos: [0, 0, 5]}"
    for body in ("post", "hand"):
        lines = f"duration: 0.1\nexpect:\n- {{at_rest: {{body: {body}}}}}\n"
        with pytest.raises(MjsceneError, match="no joint moves body") as caught:
            read(tmp_path, lines, f"{drop}, {hand}").check()
        assert (caught.value.line, caught.value.given) == (4, body)
    lines = "duration: 0.1\nexpect:\n- {at_rest: {body: drop}}\n"
    assert not read(tmp_path, lines, f"{drop}, {hand}").run().passed


def test_an_angle_of_no_orientation_is_refused(tmp_path: Path) -> None:
    lines = "duration: 0.1\nexpect:\n- {body: {body: post, z: 0, angle_tolerance: 0.5}}\n"
    with pytest.raises(MjsceneError, match="is of an orientation") as caught:
        read(tmp_path, lines)
    assert (caught.value.line, caught.value.given) == (4, 0.5)
    turned = BodyAt(body="post", orientation=(0, 0, 0.0998334, 0.9950042), angle_tolerance=0.3)
    for tolerance, passes in ((None, False), (0.19, False), (0.21, True)):
        expect = [replace(turned, angle_tolerance=tolerance)]
        scene = SceneSpec([RobotSpec(POST, name="post")])
        assert Scenario(scene, duration=0.01, expect=expect).run().passed is passes


def test_a_run_without_a_step_is_refused(tmp_path: Path) -> None:
    scenario = read(tmp_path, "duration: 1.0e-9\nexpect: [{no_warnings: true}]\n")
    with pytest.raises(MjsceneError, match="shorter than the timestep") as caught:
        scenario.run()
    assert (caught.value.where, caught.value.line) == ("duration", 2)


ADDED = (
    "duration: 0.1\ntimeline:\n- {at: 0.04, add_object: {name: load, path: load.xml}}\n"
    "- {at: 0.08, remove_object: load}\n"
)


@pytest.mark.parametrize("when", ["at: 0.02", "since: 0.06", "at: 0.1"])
def test_a_sensor_of_an_object_that_is_not_there_is_refused(when: str, tmp_path: Path) -> None:
    entry = f"- {{sensor: {{sensor: load/angle, value: 0, tolerance: 1}}, {when}}}"
    scenario = read(tmp_path, f"{ADDED}expect:\n{entry}\n")
    with pytest.raises(MjsceneError, match="'load' is not there all the time") as caught:
        scenario.run()
    assert caught.value.line == 7


def test_a_sensor_of_an_object_is_seen_and_recorded_while_it_is_there(tmp_path: Path) -> None:
    entry = "- {sensor: {sensor: load/angle, value: 0, tolerance: 1}, at: 0.06}"
    result = read(tmp_path, f"{ADDED}expect:\n{entry}\nsensors: [load/angle]\n").run()
    assert result.passed
    assert ["load/angle" in r.sensors for r in result.recordings] == [False, True, False]


def test_an_object_with_the_name_of_a_robot_is_refused_at_its_line(tmp_path: Path) -> None:
    lines = (
        "duration: 0.1\ntimeline:\n- {at: 0, add_object: {name: wheel, shape: sphere, size: [1]}}\n"
    )
    scenario = read(tmp_path, f"{lines}expect: [{{no_warnings: true}}]\n")
    with pytest.raises(MjsceneError, match="used twice") as caught:
        scenario.run()
    assert (caught.value.where, caught.value.line) == ("timeline[0].add_object.name", 4)


FIRST = (
    "{name: thing, path: load.xml, pos: [2, 0, 0]}, {name: other, path: load.xml, pos: [7, 0, 0]}"
)
BECOMES = """\
duration: 0.1
timeline:
- {at: 0.04, remove_object: thing}
- {at: 0.06, add_object: {name: thing, shape: box, size: [0.1, 0.1, 0.1], pos: [3, 0, 0]}}
"""


@pytest.mark.parametrize(
    ("entry", "where"),
    [
        ("body: {body: thing/knob, x: 7}", "body.body"),
        ("distance: {between: [thing/knob, wheel], value: {min: 0}}", "distance.between[0]"),
        ("no_contact: {between: [thing/tip, wheel]}, since: 0.08", "no_contact.between[0]"),
        ("joint: {joint: thing/turn, position: {min: -9}}", "joint.joint"),
        ("sensor: {sensor: thing/angle, value: {min: -9}}", "sensor.sensor"),
    ],
)
def test_a_name_is_looked_up_in_what_the_object_is_by_then(
    entry: str, where: str, tmp_path: Path
) -> None:
    scenario = read(tmp_path, f"{BECOMES}expect:\n- {{{entry}}}\n", FIRST)
    with pytest.raises(MjsceneError, match=r"there is no .*'thing/") as caught:
        scenario.check()
    assert (caught.value.where, caught.value.line) == (f"expect[0].{where}", 7)


def test_what_an_object_was_and_what_it_has_become_are_both_seen(tmp_path: Path) -> None:
    expect = """\
expect:
- {joint: {joint: thing/turn, position: 0}, at: 0.02}
- {body: {body: thing/knob, x: 2}, at: 0.04}
- {sensor: {sensor: thing/angle, value: 0, tolerance: 0.001}, at: 0.02}
- {body: {body: thing, x: 3}, at: 0.08}
- {body: {body: other/knob, x: 7}}
bodies: [thing/pin]
"""
    result = read(tmp_path, BECOMES + expect, FIRST).run()
    assert [checked.passed for checked in result.checked] == [True] * 5, result.text
    seen = [sorted(r.bodies) for r in result.recordings]
    assert seen[-1] == ["thing"]
    # And the other way round: a box first, and then what has a joint.
    first = FIRST.replace("path: load.xml, pos: [2", "shape: sphere, size: [0.1], pos: [2")
    turned = BECOMES.replace("shape: box, size: [0.1, 0.1, 0.1]", "path: load.xml")
    expect = """\
expect:
- {joint: {joint: thing/turn, position: 0, tolerance: 0.001}, at: 0.08}
- {body: {body: thing, x: 2}, at: 0.02}
- {body: {body: thing/knob, x: 3}}
sensors: [thing/angle]
"""
    result = read(tmp_path, turned + expect, first).run()
    assert result.passed, result.text
    assert "thing/angle" in result.recording.sensors


def test_an_object_that_cannot_come_again_is_refused_at_its_line(tmp_path: Path) -> None:
    broken = BECOMES.replace(
        "name: thing, shape: box",
        "name: thing, attach_to: {site: other/knop}, fixed: true, shape: box",
    )
    scenario = read(tmp_path, f"{broken}expect: [{{no_warnings: true}}]\n", FIRST)
    with pytest.raises(MjsceneError, match="knop") as caught:
        scenario.check()
    assert (caught.value.where, caught.value.line) == ("timeline[1].add_object.attach_to", 5)
