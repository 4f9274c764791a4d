"""Commands on files of the project's own kinds: scenes, recordings, the schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import only_line
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


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["compare", "gone.npz", "gone.npz"], "gone.npz"),
        (["compare", "arm.xml", "arm.xml"], "arm.xml"),
        (["record", "two.yaml", "-o", "x.npz", "--bodies", "a/lnk"], "did you mean 'a/link'"),
        (["record", "two.yaml", "-o", "x.npz", "--sensors", "a/force"], "a/force"),
        (["record", "two.yaml", "-o", "arm.xml/x.npz"], "arm.xml"),
        (["schema", "-o", "gone/x.json"], "gone/x.json: No such file"),
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
    assert main(["schema", "-o", "s.json"]) == 0
    assert capsys.readouterr().out == "s.json\n"
    assert json.loads(Path("s.json").read_text(encoding="utf-8")) == scene_schema()
