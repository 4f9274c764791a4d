"""The robots and scenes that ship, found by name."""

from __future__ import annotations

import pickle
from pathlib import Path

import mujoco
import pytest

from mjscene import (
    ComposeError,
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
