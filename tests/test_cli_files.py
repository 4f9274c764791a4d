"""Commands on files of the project's own kinds: scenes, recordings, the schema."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import ROOT, only_line
from small_scene import ARM

from mjscene.cli import main

TWO = """\
robots:
  - path: arm.xml
    prefix: a/
  - path: arm.xml
    prefix: b/
    pos: [0, 1, 0]
"""
MODULE = """\
from mjscene import RobotSpec, SceneSpec

a, b = RobotSpec("arm.xml", prefix="a/"), RobotSpec("arm.xml", prefix="b/", pos=(0, 1, 0))
spec = SceneSpec([a, b])
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a robot, and a scene of two of it in YAML and in Python."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"arm.xml": ARM, "two.yaml": TWO, "two.py": MODULE}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("scene", ["two.yaml", "two.py"])
def test_a_scene_is_a_file_too(
    folder: Path, scene: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", scene, "--json", "--strict"]) == 0
    assert json.loads(capsys.readouterr().out)["robots"] == ["a", "b"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            ("pos: [0, 1, 0]", "attach_to: {site: a/tip}"),
            "robots[1].attach_to: two.yaml:6:16: there",
        ),
        (("pos: [0, 1, 0]", "poss: [0, 1, 0]"), "two.yaml:6:5"),
        (("- path: arm.xml\n    prefix: b/", "- path: gone.xml\n    prefix: b/"), "gone.xml"),
        (("prefix: b/", "prefix: [b/"), "two.yaml:"),
    ],
    ids=["unknown mount", "unknown field", "missing file", "no YAML"],
)
def test_f60_an_error_of_a_scene_file_has_its_place(
    folder: Path, change: tuple[str, str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = TWO.replace(*change)
    assert text != TWO
    (folder / "two.yaml").write_text(text, encoding="utf-8")
    assert main(["check", "two.yaml"]) == 2
    assert said in only_line(capsys.readouterr().err)


def test_runs_are_recorded_and_compared(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("golden.npz", "same.npz"):
        assert main(["record", "two.yaml", "-o", name, "--seconds", "0.1"]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("golden.npz: 50 steps, 0.1 s")
    assert Path("golden.npz").read_bytes() == Path("same.npz").read_bytes()
    assert main(["compare", "golden.npz", "same.npz", "--tolerance", "0"]) == 0
    (folder / "arm.xml").write_text(ARM.replace('mass="1"', 'mass="1.1"'), encoding="utf-8")
    assert (
        main(["record", "two.yaml", "-o", "heavy.npz", "--seconds", "0.1", "--bodies", "a/link"])
        == 0
    )
    capsys.readouterr()
    assert main(["compare", "golden.npz", "heavy.npz"]) == 1
    assert "mass of body 'a/link'" in capsys.readouterr().out
    assert main(["compare", "golden.npz", "heavy.npz", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["equal"] is False


def test_the_joint_that_differs_first_is_named_and_plotted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["record", "two.yaml", "-o", "golden.npz", "--seconds", "0.1"]) == 0
    moved = TWO + "    home: [0.1]\n"
    (folder / "two.yaml").write_text(moved, encoding="utf-8")
    assert (
        main(["record", "two.yaml", "-o", "now.npz", "--seconds", "0.1", "--plot", "now.png"]) == 0
    )
    capsys.readouterr()
    words = ["compare", "golden.npz", "now.npz", "--json", "--plot", "parts.png"]
    assert main(words) == 1
    first = json.loads(capsys.readouterr().out)["first"]
    assert (first["row"], first["time"]) == (0, 0)
    assert first["name"].startswith("b/")
    for name in ("now.png", "parts.png"):
        assert Path(name).read_bytes().startswith(b"\x89PNG")


def test_a_plot_that_fails_leaves_the_result_one_document_and_its_exit_code(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, more in (("golden.npz", ""), ("now.npz", "    home: [0.1]\n")):
        (folder / "two.yaml").write_text(TWO + more, encoding="utf-8")
        assert main(["record", "two.yaml", "-o", name, "--seconds", "0.1"]) == 0
    capsys.readouterr()
    words = ["compare", "golden.npz", "now.npz", "--json", "--plot"]
    assert main([*words, "arm.xml/x.png"]) == 1
    said = capsys.readouterr()
    assert json.loads(said.out)["equal"] is False
    assert "no plot: arm.xml/x.png: cannot be written" in only_line(said.err)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert main([*words, "x.png"]) == 1
    said = capsys.readouterr()
    assert json.loads(said.out)["equal"] is False
    assert "pip install 'mjscene[plot]'" in only_line(said.err)


def test_nothing_is_the_same_where_nothing_was_compared(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["record", "two.yaml", "--seconds", "0.01", "-o"]
    assert main([*words, "one.npz", "--every", "100"]) == 0
    assert main([*words, "six.npz"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == "one.npz: 5 steps, 0.01 s of scene; 1 row, the start alone"
    assert second == "six.npz: 5 steps, 0.01 s of scene; 6 rows"
    for pair in (["one.npz", "one.npz"], ["six.npz", "one.npz"], ["one.npz", "six.npz"]):
        assert main(["compare", *pair]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert "one.npz: has 1 row: no step was recorded" in only_line(said.err)
    assert main(["compare", "six.npz", "six.npz"]) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="of Linux")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    ("words", "code"), [("--version", 0), ("list --json", 0), ("check gone.yaml --json", 2)]
)
def test_an_output_that_is_closed_or_full_gives_no_traceback(
    words: str, code: int, unbuffered: str, tmp_path: Path
) -> None:
    for output, expected in ((">&-", code), (">/dev/full", 2)):
        done = subprocess.run(
            ["sh", "-c", f'"$0" -m mjscene {words} {output}', sys.executable],
            env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == expected, done.stderr
        if expected:
            assert "error: " in only_line(done.stderr)
        else:
            assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["compare", "gone.npz", "gone.npz"], "gone.npz"),
        (["compare", "arm.xml", "arm.xml"], "arm.xml"),
        (["record", "two.yaml", "-o", "x.npz", "--bodies", "a/lnk"], "did you mean 'a/link'"),
        (["record", "two.yaml", "-o", "x.npz", "--sensors", "a/force"], "a/force"),
        (["record", "two.yaml", "-o", "arm.xml/x.npz"], "arm.xml"),
        (["schema", "-o", "arm.xml/x.json"], "arm.xml: File exists"),
    ],
)
def test_what_cannot_be_read_or_written_is_one_line(
    folder: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(folder.iterdir())
    assert main(words) == 2
    assert said in only_line(capsys.readouterr().err)
    assert sorted(folder.iterdir()) == before


def test_the_schema_is_that_of_the_library(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from mjscene.schema import scene_schema

    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == scene_schema()
    for name in ("s.json", "new/dir/s.json"):
        assert main(["schema", "-o", name]) == 0
        assert capsys.readouterr().out == f"{name}\n"
        assert json.loads(Path(name).read_text(encoding="utf-8")) == scene_schema()
