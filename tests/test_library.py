"""The robots and scenes that ship, found by name."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import mujoco
import pytest

from mjscene import (
    ComposeError,
    MjsceneError,
    SceneSpec,
    build_scene,
    load_scene,
    robot_names,
    robot_path,
    scene_names,
)
from mjscene.sources import load_source

# The issue's list: arm of seven joints, arm of six, gripper, base, sensor plate, table.
ROBOTS = ("diff_drive", "ft_sensor", "gripper", "panda", "table", "ur5e")
SCENES = 5


def test_robots_are_those_of_the_issue_sorted() -> None:
    assert robot_names() == ROBOTS


@pytest.mark.parametrize("name", ROBOTS)
def test_path_of_a_robot_is_a_file_that_compiles(name: str) -> None:
    path = robot_path(name)
    assert path.is_absolute()
    assert path.name == f"{name}.xml"
    assert mujoco.MjModel.from_xml_path(str(path)).nbody > 1


@pytest.mark.parametrize("name", ROBOTS)
def test_name_as_a_source_is_that_file(name: str) -> None:
    assert load_source(f"mjscene:{name}").file == robot_path(name)


@pytest.mark.parametrize("name", ROBOTS)
def test_every_robot_has_a_readme_and_no_mesh(name: str) -> None:
    folder = robot_path(name).parent
    assert (folder / "README.md").is_file()
    assert {p.suffix for p in folder.iterdir()} <= {".xml", ".md", ".png"}


def test_names_do_not_depend_on_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = robot_names(), scene_names()
    monkeypatch.chdir(tmp_path)
    assert (robot_names(), scene_names()) == before


@pytest.mark.parametrize(
    ("name", "close"), [("pnda", "panda"), ("UR5E", "ur5e"), ("griper", "gripper")]
)
def test_unknown_robot_is_refused_with_near_names(name: str, close: str) -> None:
    with pytest.raises(ComposeError) as caught:
        robot_path(name, where="robots[0].path")
    error = caught.value
    assert close in error.close
    assert error.allowed == ROBOTS
    assert error.where == "robots[0].path"
    assert repr(name) in str(error)


@pytest.mark.parametrize("name", ["../robots/panda", "panda/panda", "panda.xml", "", "."])
def test_names_are_no_paths(name: str) -> None:
    with pytest.raises(ComposeError):
        robot_path(name)
    with pytest.raises(ComposeError):
        load_scene(name)


def test_scenes_that_ship_are_five_sorted() -> None:
    assert len(scene_names()) == SCENES
    assert list(scene_names()) == sorted(scene_names())


@pytest.mark.parametrize("name", scene_names())
def test_scene_loads_as_a_spec_that_is_equal_each_time_and_crosses_a_process(name: str) -> None:
    spec = load_scene(name)
    assert isinstance(spec, SceneSpec)
    assert spec.robots
    assert load_scene(name) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec


@pytest.mark.parametrize("name", scene_names())
def test_scene_builds_without_a_warning_and_steps(
    name: str, recwarn: pytest.WarningsRecorder
) -> None:
    scene = build_scene(load_scene(name))
    assert [str(w.message) for w in recwarn] == []
    scene.step(10)
    assert scene.data.time == pytest.approx(10 * scene.model.opt.timestep)


def test_unknown_scene_is_refused_with_near_names() -> None:
    known = scene_names()[0]
    with pytest.raises(ComposeError) as caught:
        load_scene(known[:-1])
    assert known in caught.value.close
    assert caught.value.allowed == scene_names()


def test_loading_a_scene_leaves_nothing_in_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    build_scene(load_scene(scene_names()[0])).step()
    assert list(tmp_path.iterdir()) == []


# Scenes in files


def test_scene_of_a_file_is_loaded_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("name: a\n", encoding="utf-8")
    (tmp_path / "b.YML").write_text("name: b\n", encoding="utf-8")
    (tmp_path / "c.py").write_text(
        "from mjscene import SceneSpec\nspec = SceneSpec(name='c')\n", encoding="utf-8"
    )
    found = [load_scene(tmp_path / n).name for n in ("a.yaml", "b.YML", "c.py")]
    assert found == ["a", "b", "c"]
    assert load_scene(str(tmp_path / "c.py")) == SceneSpec(name="c")


@pytest.mark.parametrize(
    ("text", "says", "line"),
    [
        ("x = 1\n", "has no spec", None),
        ("spec = {}\n", "a spec that is a dict", None),
        ("spec = 3\n", "a spec that is an int", None),
        ("x = 1\nspec = 1 / 0\n", "ZeroDivisionError while it ran: division by zero", 2),
        ("def make():\n    return 1 / 0\n\n\nspec = make()\n", "ZeroDivisionError", 2),
        ("import nowhere_at_all\n", "ModuleNotFoundError", 1),
        ("x = 1\nspec = (\n", "is no Python", 2),
        ("import sys\n\nsys.exit(3)\n", "SystemExit", 3),
        ("import mjscene\n\nspec = mjscene.SceneSpec(name='')\n", "non-empty string", 3),
        ("import mjscene\nspec = mjscene.load_scene('nowhere')\n", "no scene 'nowhere'", 2),
    ],
)
def test_error_of_a_module_names_the_file_and_line(
    text: str, says: str, line: int | None, tmp_path: Path
) -> None:
    file = tmp_path / "s.py"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(MjsceneError, match=re.escape(says)) as caught:
        load_scene(file)
    assert (caught.value.file, caught.value.line) == (str(file), line)


def test_file_that_is_missing_is_named_with_near_ones(tmp_path: Path) -> None:
    for suffix in ("py", "yaml"):
        (tmp_path / f"scene.{suffix}").write_text("name: a", encoding="utf-8")
        with pytest.raises(MjsceneError, match="no such file") as caught:
            load_scene(tmp_path / f"scen.{suffix}")
        assert f"scene.{suffix}" in caught.value.close
