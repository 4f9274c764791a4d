"""What each command does, and its exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import mujoco
import numpy as np
import pytest
from command_line import only_line
from PIL import Image
from small_scene import ARM, SIZE, draws, small_scene

import mjscene
from mjscene import (
    AttachmentSpec,
    CtrlMode,
    CtrlModeSpec,
    RobotSpec,
    SceneSpec,
    build_scene,
    site,
)
from mjscene.cli import main
from mjscene.cli.check import problems, undriven
from mjscene.cli.shipped import describe_robot

TOUCHING = """\
<mujoco model="touching">
  <worldbody>
    <geom name="ground" type="plane" size="1 1 .1"/>
    <body name="a" pos="0 0 .2"><geom name="one" size=".1" mass="1"/>
      <body name="m"><joint name="j"/><geom name="mid" size=".01" mass="1" pos="0 0 1"/>
        <body name="b"><joint name="k"/><geom name="two" size=".1" pos=".15 0 0" mass="1"/></body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def arm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A robot's file in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.xml").write_text(ARM, encoding="utf-8")
    return "arm.xml"


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    """What was printed; nothing was said beside it."""
    shown = capsys.readouterr()
    assert shown.err == ""
    return shown.out


def test_build_prints_the_report(arm: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", arm]) == 0
    out = printed(capsys)
    report = build_scene(SceneSpec([RobotSpec(arm, name="arm")], name="arm")).report
    assert out == f"{report}\n"


@pytest.mark.parametrize("out", ["saved", "saved.xml", "saved.mjz", "saved.mjb"])
def test_build_saves_what_loads_again(
    arm: str, out: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", arm, "-o", out, "--json"]) == 0
    found = json.loads(printed(capsys))
    assert found["sizes"]["nq"] == 1
    assert [row["name"] for row in found["owners"]] == ["arm"]
    saved = found["saved"]
    load = mujoco.MjModel.from_binary_path if out.endswith("mjb") else None
    model = load(saved) if load else mujoco.MjSpec.from_file(saved).compile()
    assert model.joint(0).name == "hinge"


def test_check_finds_what_the_report_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.xml").write_text(TOUCHING, encoding="utf-8")
    assert main(["check", "t.xml"]) == 0
    out = printed(capsys)
    assert "contact: 'one' and 'two' touch at the start" in out
    assert main(["check", "t.xml", "--strict"]) == 1
    assert main(["check", "t.xml", "--strict", "--json"]) == 1
    capsys.readouterr()
    assert main(["check", "t.xml", "--json"]) == 0
    found = json.loads(printed(capsys))
    assert found["ok"] is False
    assert found["robots"] == ["t"]
    assert {p["kind"] for p in found["problems"]} == {"contact", "actuators"}


@pytest.mark.parametrize("hand", [False, True])
def test_check_names_a_robot_that_nothing_can_move(hand: bool) -> None:
    passive = """<mujoco><worldbody><body name="base"><freejoint/><geom size=".1"/><body name="l">
    <joint name="j"/><geom size=".1"/><site name="tip"/></body></body></worldbody></mujoco>"""
    motor = """<mujoco><worldbody><body name="h"><joint name="k"/><geom size=".1"/></body>
    </worldbody><actuator><motor joint="k"/></actuator></mujoco>"""
    parts = [AttachmentSpec(motor, attach_to=site("tip"), prefix="hand/")] if hand else []
    given = [CtrlModeSpec(CtrlMode.TORQUE, joints=["j"])]
    robots = [
        RobotSpec(passive, prefix="a/", name="a", attachments=parts),
        RobotSpec(passive, prefix="b/", name="b", pos=(9, 0, 0), modes=given),
    ]
    found = list(undriven(build_scene(SceneSpec(robots))))
    if hand:
        assert not found
    else:
        ((kind, text),) = found
        assert kind == "actuators"
        assert "robot 'a' has 1 joint and no actuator" in text


def test_check_of_a_sound_robot_is_ok(arm: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", arm, "--strict"]) == 0
    assert only_line(printed(capsys)).startswith("arm.xml: ok (nbody 2, nq 1,")


def test_check_takes_scenarios(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "grip_force"]) == 0
    assert capsys.readouterr().out.startswith("grip_force: ok (nbody ")
    text = "scene: arm_gripper\nduration: 1\nexpect:\n  - {within_limits: arn}\n"
    wrong = tmp_path / "wrong.scenario.yaml"
    wrong.write_text(text, encoding="utf-8")
    assert main(["check", str(wrong)]) == 2
    assert re.search(r"wrong\.scenario\.yaml:4:\d+: .*'arn'.*'arm'", capsys.readouterr().err)


def test_check_takes_urdf(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    urdf = tmp_path / "robot.urdf"
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    links = "".join(
        f'<link name="{n}"><inertial><mass value="1"/>{inertia}</inertial></link>' for n in "ab"
    )
    joint = (
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/>'
        '<axis xyz="0 0 1"/></joint>'
    )
    urdf.write_text(f'<robot name="r">{links}{joint}</robot>', encoding="utf-8")
    assert main(["check", str(urdf), "--json"]) == 0
    assert json.loads(printed(capsys))["robots"] == ["robot"]


def test_gains_floors_and_depths_are_problems() -> None:
    def kinds(*robots: RobotSpec, **more: object) -> list[str]:
        with pytest.warns(mjscene.MjsceneWarning) if more.pop("warns", True) else _nothing():
            scene = build_scene(SceneSpec(list(robots), **more))  # type: ignore[arg-type]
        return [f"{kind}: {text}" for kind, text in problems(scene.report)]

    from contextlib import nullcontext as _nothing

    stiff = RobotSpec(ARM, prefix="a/", modes=[CtrlModeSpec("POSITION", kp=1e7)])
    (found,) = kinds(stiff)
    assert found.startswith("warning: joint 'a/hinge': its POSITION gain is unstable")
    floors = kinds(RobotSpec(TOUCHING, prefix="a/", pos=(0, 0, 0.0)), floor=True)
    assert any("2 planes" in text for text in floors)
    for depth, expected in ((0.5e-3, 0), (2e-3, 1)):
        other = RobotSpec(ARM, prefix="b/", pos=(0.04 - depth, 0, 0))
        rows = kinds(RobotSpec(ARM, prefix="a/"), other, warns=False)
        assert len([row for row in rows if row.startswith("overlap")]) == expected, depth


def test_run_says_what_a_run_by_hand_says(arm: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", arm, "--seconds", "0.2", "--json"]) == 0
    found = json.loads(printed(capsys))
    model = mujoco.MjModel.from_xml_string(ARM)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 100)
    (row,) = found["robots"]
    assert (found["steps"], found["seconds"]) == (100, pytest.approx(0.2))
    assert row["modes"] == ["TORQUE"]
    assert row["max_effort"] == 0
    assert row["moved"] == abs(float(data.qpos[0]))
    assert found["real_time"] > 0


def test_run_reports_the_largest_effort_of_the_whole_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # A level rod falls onto a soft servo: its effort is negative, and largest at 0.2 s.
    servo = '<position name="motor" joint="hinge" kp="20" kv="0.1"/>'
    text = ARM.replace('<motor name="motor" joint="hinge"/>', servo)
    text = text.replace('fromto="0 0 0 0 0 -0.5"', 'fromto="0 0 0 0.5 0 0"')
    (tmp_path / "arm.xml").write_text(text, encoding="utf-8")
    assert main(["run", str(tmp_path / "arm.xml"), "--seconds", "0.5", "--json"]) == 0
    (row,) = json.loads(printed(capsys))["robots"]
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    largest = 0.0
    for _ in range(250):
        mujoco.mj_step(model, data)
        largest = max(largest, abs(float(data.qfrc_actuator[0])))
    assert largest > 2 * abs(float(data.qfrc_actuator[0]))
    assert row["max_effort"] == pytest.approx(largest, rel=1e-9)
    assert row["max_effort_joint"] == "hinge"


def test_run_draws_a_table(arm: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", arm, "--seconds", "0.01"]) == 0
    out = printed(capsys)
    assert "max effort [N·m, N]" in out
    assert "moved [rad, m]" in out
    assert "times real time" in out
    assert all(line == line.rstrip() for line in out.splitlines())


def test_a_run_that_blows_up_fails(arm: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = ARM.replace('timestep="0.002"', 'timestep="0.002" gravity="1e12 0 0"')
    Path("wild.xml").write_text(text, encoding="utf-8")
    assert main(["run", "wild.xml"]) == 1
    assert only_line(capsys.readouterr().err).startswith("mjscene run: error: step: at t =")
    assert {p.name for p in Path.cwd().iterdir()} == {"arm.xml", "wild.xml"}


def test_list_names_all_that_ships_with_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json"]) == 0
    found = json.loads(printed(capsys))
    assert tuple(found["robots"]) == mjscene.robot_names()
    assert tuple(found["scenes"]) == mjscene.scene_names()
    for what in (*found["robots"].values(), *found["scenes"].values()):
        assert 10 < len(what) < 200
        assert "\n" not in what
        assert not what.endswith(".")
    assert main(["list"]) == 0
    out = printed(capsys)
    for name in mjscene.robot_names():
        assert f" mjscene:{name} " in out
        assert describe_robot(name) in out  # nothing is cut off


@draws
def test_render_draws_what_scene_render_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("mjscene.library.load_scene", lambda name: small_scene().spec)
    scene = small_scene()
    assert main(["render", "small", "-o", "start.png"]) == 0
    assert printed(capsys) == "start.png\n"
    words = ["--seconds", "0.2", "--camera", "side", "--size", "32x20"]
    assert main(["render", "small", "-o", "later.png", *words]) == 0
    free = ["--distance", "3", "--lookat", "0", "0", "1", "--azimuth", "90", "--elevation", "0"]
    assert main(["render", "small", "-o", "free.png", "--size", "32x20", *free]) == 0
    for name, picture in (
        ("start", scene.render("side", *SIZE)),
        ("free", scene.render(mjscene.FreeCamera((0, 0, 1), 3, 90, 0), 32, 20)),
    ):
        with Image.open(f"{name}.png") as image:
            np.testing.assert_array_equal(np.asarray(image), picture)
    scene.step(100)
    with Image.open("later.png") as image:
        np.testing.assert_array_equal(np.asarray(image), scene.render("side", 32, 20))


@draws
def test_render_writes_videos(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("mjscene.library.load_scene", lambda name: small_scene().spec)
    words = ["--seconds", "0.1", "--fps", "20", "--size", "32x20"]
    assert main(["render", "small", "-o", "x.gif", *words]) == 0
    with Image.open("x.gif") as image:
        assert (image.n_frames, image.size) == (2, (32, 20))


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["-o", "x.jpg"], "allowed: '.png', '.mp4', '.gif'"),
        (["-o", "x.png", "--camera", "frnt"], "did you mean 'front'"),
        (["-o", "x.png", "--camera", "front", "--distance", "2"], "choose one"),
        (["-o", "x.mp4", "--size", "63x48"], "use 64 x 48"),
        (["-o", "x.png", "--size", "0x48"], "from 1 to 16384"),
    ],
)
def test_render_refuses_in_a_line(
    words: list[str],
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["render", "arm_gripper", *words]) == 2
    assert text in only_line(capsys.readouterr().err)
    assert list(tmp_path.iterdir()) == []
