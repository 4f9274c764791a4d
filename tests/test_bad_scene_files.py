"""Wrong scene files: the right error at the right line and column, fast, and nothing else."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from bad_scene_files import CASES, BadFile

from mjscene import MjsceneError, SpecError, read_scene_file, scene_from_yaml

SIGN = "«"
# Seconds, of this process alone: other work on the machine does not count.
LIMIT = 1.0


def place(text: str) -> tuple[int, int]:
    """Line and column of the sign, counted from 1."""
    before = text[: text.index(SIGN)]
    lines = before.split("\n")
    return len(lines), len(lines[-1]) + 1


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a scene file, with a robot's file and a folder in it."""
    inside = tmp_path / "a" / "scene"
    inside.mkdir(parents=True)
    (inside / "arm.xml").write_text("<mujoco/>", encoding="utf-8")
    (inside / "arm.txt").write_text("<mujoco/>", encoding="utf-8")
    (inside / "folder.xml").mkdir()
    monkeypatch.chdir(inside)
    return inside


def test_table_has_each_case_once_and_one_sign_in_each() -> None:
    assert len(CASES) >= 100
    assert len({case.name for case in CASES}) == len(CASES)
    assert [case.name for case in CASES if case.text.count(SIGN) != 1] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_bad_file_is_refused_where_it_is_wrong(case: BadFile, folder: Path) -> None:
    file = folder / "scene.yaml"
    file.write_text(case.text.replace(SIGN, ""), encoding="utf-8")
    before = sorted(folder.parent.parent.rglob("*"))
    began = time.process_time()
    with pytest.raises(SpecError) as caught:
        read_scene_file(file)
    took = time.process_time() - began
    error = caught.value
    assert (error.line, error.column) == place(case.text), str(error)
    assert error.file == str(file)
    assert error.where == case.where
    assert case.says in str(error)
    assert f"{file}:{error.line}:{error.column}" in str(error)
    assert "\n" not in str(error)
    assert len(str(error)) < 1500
    if case.close is not None:
        assert case.close in error.close
    assert sorted(folder.parent.parent.rglob("*")) == before
    assert took < LIMIT


def test_deeper_trouble_of_a_file_is_told_too(folder: Path) -> None:
    with pytest.raises(SpecError, match="no such file") as caught:
        read_scene_file(folder / "scen.yaml")
    assert caught.value.file == str(folder / "scen.yaml")
    with pytest.raises(SpecError, match="is a folder"):
        read_scene_file(folder)
    (folder / "scene.yaml").write_bytes(b"name: a\nsky: \xff\n")
    with pytest.raises(SpecError, match="not UTF-8") as caught:
        read_scene_file(folder / "scene.yaml")
    assert (caught.value.line, caught.value.column) == (2, 6)
    (folder / "scene.yaml").write_bytes("name: a\n".encode("utf-16"))
    with pytest.raises(SpecError, match="not UTF-8"):
        read_scene_file(folder / "scene.yaml")


def test_huge_file_is_not_read(folder: Path) -> None:
    file = folder / "scene.yaml"
    with file.open("wb") as stream:
        stream.truncate(10**10)  # sparse: 10 GB on paper
    began = time.process_time()
    with pytest.raises(SpecError, match="larger than"):
        read_scene_file(file)
    assert time.process_time() - began < 0.1


def test_what_is_no_regular_file_is_not_read() -> None:
    with pytest.raises(SpecError, match="no such file"):
        read_scene_file("/dev/zero")


@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_byte_order_mark_moves_no_column(bom: str, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(bom + "nme: a\n", encoding="utf-8")
    with pytest.raises(SpecError) as caught:
        read_scene_file(tmp_path / "s.yaml")
    assert (caught.value.line, caught.value.column) == (1, 1)


def test_columns_count_characters_not_bytes() -> None:
    with pytest.raises(SpecError) as caught:
        scene_from_yaml("{name: 日本語😀, skyy: true}")
    assert (caught.value.line, caught.value.column) == (1, 14)


def test_lines_end_with_windows_breaks_too() -> None:
    with pytest.raises(SpecError) as caught:
        scene_from_yaml("name: a\r\nfloor: true\r\nskyy: true\r\n")
    assert (caught.value.line, caught.value.column) == (3, 1)


def test_every_cut_of_a_scene_is_read_or_refused_with_a_place() -> None:
    text = Path(__file__).parents[1].joinpath("scenes/dual_arm.yaml").read_text(encoding="utf-8")
    refused = []
    for end in range(0, len(text), 41):
        try:
            scene_from_yaml(text[:end], file="x.yaml", folder=".")
        except MjsceneError as error:
            refused.append(error)
    assert len(refused) > 10
    for error in refused:
        assert None not in (error.line, error.column)
        assert re.match(r"(.*: )?x\.yaml:\d+:\d+: ", str(error))
