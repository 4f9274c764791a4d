"""Field case F60 on the command line: errors a user can act on, and no litter. And F59 there."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from command_line import command, only_line
from small_scene import ARM

from mjscene import RobotSpec, SceneSpec, site
from mjscene.cli import main

BROKEN = {
    "broken.xml": ARM.replace("</body>", ""),
    "unknown.xml": ARM.replace('name="rod"', 'nme="rod"'),
    "mesh.xml": ARM.replace(
        "<worldbody>", '<asset><mesh name="m" file="zz.stl"/></asset>\n<worldbody>'
    ),
    "massless.xml": "".join(line for line in ARM.splitlines(True) if "<geom" not in line),
}
# File, and all that the one line must say.
CASES = [
    ("gone.xml", ["gone", "gone.xml", "no such file"]),
    ("broken.xml", ["broken", "broken.xml:8", "not well-formed XML"]),
    ("unknown.xml", ["unknown", "unknown.xml:6", "'nme'", "'geom'"]),
    ("mesh.xml", ["robot 'mesh'", "mesh.xml:3", "mesh 'm'", "zz.stl"]),
    ("massless.xml", ["robot 'massless'", "massless.xml", "element 'link'", "mass and inertia"]),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with good and bad robots."""
    monkeypatch.chdir(tmp_path)
    for name, text in ({"ok.xml": ARM} | BROKEN).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("file", "said"), CASES, ids=[c[0] for c in CASES])
@pytest.mark.parametrize("name", ["check", "build", "run"])
def test_f60_a_bad_robot_is_one_line_with_label_file_and_element(
    folder: Path, name: str, file: str, said: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(folder.iterdir())
    assert main([name, file]) == 2
    shown = capsys.readouterr()
    line = only_line(shown.err)
    assert shown.out == ""
    assert line.startswith(f"mjscene {name}: error: robots[0]")
    assert [part for part in said if part not in line] == []
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("robots", "said"),
    [
        ([("ok.xml", {}), ("mesh.xml", {})], ["robots[1]", "robot 'b'", "mesh.xml:3", "zz.stl"]),
        (
            [("ok.xml", {}), ("ok.xml", {"attach_to": site("a/tip")})],
            ["robots[1].attach_to", "no site 'a/tip'", "robot 'b'"],
        ),
        ([("ok.xml", {}), ("massless.xml", {})], ["robots[1]", "robot 'b'", "element 'link'"]),
    ],
    ids=["missing mesh", "unknown mount", "massless link"],
)
def test_f60_of_two_robots_the_one_at_fault_is_named(
    folder: Path,
    robots: list,
    said: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    specs = [
        RobotSpec(file, prefix=f"{p}/", **more)
        for p, (file, more) in zip("ab", robots, strict=True)
    ]
    monkeypatch.setattr("mjscene.library.load_scene", lambda name: SceneSpec(specs))
    assert main(["check", "two"]) == 2
    line = only_line(capsys.readouterr().err)
    assert [part for part in said if part not in line] == []


def test_f60_a_traceback_is_shown_when_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "mesh.xml", "--traceback"]) == 2
    assert "Traceback (most recent call last)" in capsys.readouterr().err


TWO_FLOORS = ARM.replace(
    "<worldbody>", "<worldbody>" + 2 * '<geom type="plane" size="1 1 1" pos="0 0 -9"/>'
)


def test_f60_a_run_that_only_warns_leaves_nothing_and_warnings_are_in_the_report(
    tmp_path: Path,
) -> None:
    (tmp_path / "two_floors.xml").write_text(TWO_FLOORS, encoding="utf-8")
    tmp_path.chmod(0o500)
    try:
        for words in (["build"], ["check"], ["run", "--seconds", "0.01"]):
            done = command(words[0], "two_floors.xml", *words[1:], cwd=tmp_path)
            assert (done.returncode, done.stderr) == (0, "")
            if words[0] != "run":
                assert "2 planes" in done.stdout
        assert [p.name for p in tmp_path.iterdir()] == ["two_floors.xml"]
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize("backend", [None, "egl", "disabled"])
def test_f59_all_but_pictures_works_without_a_display(tmp_path: Path, backend: str | None) -> None:
    (tmp_path / "ok.xml").write_text(ARM, encoding="utf-8")
    for words in (
        ["list", "--json"],
        ["check", "ok.xml", "--strict", "--json"],
        ["build", "ok.xml", "-o", "saved.mjz", "--json"],
        ["run", "ok.xml", "--seconds", "0.01", "--json"],
    ):
        done = command(*words, cwd=tmp_path, backend=backend)
        assert (done.returncode, done.stderr) == (0, ""), words
        json.loads(done.stdout)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["ok.xml", "saved.mjz"]


@pytest.mark.parametrize("backend", ["disabled", "glfw"])
def test_f59_a_picture_that_cannot_be_made_is_one_line(tmp_path: Path, backend: str) -> None:
    (tmp_path / "ok.xml").write_text(ARM, encoding="utf-8")
    done = command("render", "ok.xml", "-o", "new/x.png", cwd=tmp_path, backend=backend)
    assert done.returncode == 2
    line = only_line(done.stderr)
    assert f"MUJOCO_GL={backend!r}" in line
    assert "egl" in line
    assert [p.name for p in tmp_path.iterdir()] == ["ok.xml"]


@pytest.mark.parametrize("display", [{}, {"DISPLAY": ":7654"}])
def test_f59_the_viewer_says_that_there_is_no_display(tmp_path: Path, display: dict) -> None:
    (tmp_path / "ok.xml").write_text(ARM, encoding="utf-8")
    done = command("view", "ok.xml", cwd=tmp_path, **display)
    assert done.returncode == 2
    line = only_line(done.stderr)
    assert "display" in line
    assert "mjscene render ok.xml -o picture.png" in line
    assert [p.name for p in tmp_path.iterdir()] == ["ok.xml"]


def test_f59_a_backend_that_mujoco_cannot_import_is_named(tmp_path: Path) -> None:
    done = command("check", "dual_arm", cwd=tmp_path, backend="nonsense")
    assert done.returncode == 2
    assert "MuJoCo cannot be imported (MUJOCO_GL='nonsense')" in only_line(done.stderr)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--seconds", "-1"], 2, "expected a number > 0"),
        (["--seconds", "0.04", "--picture", "file/x.png"], 1, "its folder is a file"),
        (["--seconds", "0.04", "--picture", "x.jpg"], 1, "allowed: '.png'"),
        (["--scene", "dual_arms"], 1, "did you mean 'dual_arm'"),
    ],
)
def test_the_demo_says_what_is_wrong_in_a_line(
    words: list[str],
    code: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from mjscene import demo

    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    try:
        found = demo.main(words)
    except SystemExit as done:
        found = done.code
    assert found == code
    assert said in capsys.readouterr().err.splitlines()[-1]
    assert os.listdir(tmp_path) == ["file"]
