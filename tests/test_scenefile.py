"""Scene files: what they mean, the twins of the scenes that ship, and how they are written."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from model_diff import differences

import mjscene
from mjscene import (
    AttachKind,
    AttachmentSpec,
    CameraSpec,
    ComposeError,
    CtrlMode,
    CtrlModeSpec,
    FloorSpec,
    LightSpec,
    RobotSpec,
    SceneSpec,
    SpecError,
    body,
    build_scene,
    check_scene_file,
    load_scene,
    read_scene_file,
    scene_from_yaml,
    scene_names,
    scene_to_yaml,
)

SCENES = Path(mjscene.__file__).resolve().parents[1] / "scenes"
ARM = "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody></mujoco>"


# The scenes that ship


def test_every_scene_that_ships_has_its_twin() -> None:
    assert tuple(sorted(p.stem for p in SCENES.glob("*.yaml"))) == scene_names()


@pytest.mark.parametrize("name", scene_names())
def test_twin_is_the_same_spec_and_survives_yaml(name: str) -> None:
    spec, twin = load_scene(name), read_scene_file(SCENES / f"{name}.yaml")
    assert repr(twin) == repr(spec)
    assert twin == spec
    assert scene_from_yaml(scene_to_yaml(spec)) == spec


@pytest.mark.parametrize("name", scene_names())
def test_twin_builds_the_same_model(name: str) -> None:
    first = build_scene(load_scene(name)).model
    second = build_scene(load_scene(SCENES / f"{name}.yaml")).model
    assert differences(first, second) == {}


# What a file means


def test_words_of_a_file() -> None:
    spec = scene_from_yaml(
        """
        name: yes                   # a word, not true
        robots:
          - path: a.xml
            prefix: on/
            attach_to: World
            home: {no: 1e-3, elbow: {deg: 90}}
            modes: [{mode: torque, force_limit: 1e2}]
            initial_mode: Position
            attachments:
              - {path: b.xml, prefix: b/, attach_to: {kind: body, name: hand}, home: off}
          - {path: c.xml, prefix: c/, attach_to: {frame: on/f}, home: [{deg: -180}, .5, 3]}
        cameras: [{name: c, fovy: {deg: 60}, pos: [0, 0, 1]}]
        floor: true
        sky: false
        light: [{name: a}, {name: b}]
        """
    )
    assert spec == SceneSpec(
        [
            RobotSpec(
                "a.xml",
                prefix="on/",
                home={"no": 1e-3, "elbow": math.radians(90)},
                modes=[CtrlModeSpec(CtrlMode.TORQUE, force_limit=100.0)],
                initial_mode=CtrlMode.POSITION,
                attachments=[
                    AttachmentSpec("b.xml", prefix="b/", attach_to=body("hand"), home="off")
                ],
            ),
            RobotSpec(
                "c.xml", prefix="c/", attach_to=mjscene.frame("on/f"), home=[-math.pi, 0.5, 3]
            ),
        ],
        cameras=[CameraSpec("c", fovy=60.0, pos=(0, 0, 1))],
        floor=FloorSpec(),
        light=[LightSpec("a"), LightSpec("b")],
        name="yes",
    )
    assert spec.robots[1].attach_to.kind is AttachKind.FRAME


def test_joint_may_be_called_deg() -> None:
    spec = scene_from_yaml("robots: [{path: a.xml, home: {deg: 90}}]")
    assert spec.robots[0].home == (("deg", 90.0),)


def test_merged_mapping_is_a_copy_with_changes() -> None:
    spec = scene_from_yaml(
        "robots:\n"
        "  - &arm {path: a.xml, prefix: a/, pos: &p [1, 2, 3], home: up}\n"
        "  - {<<: *arm, prefix: b/, pos: [0, 0, 0]}\n"
        "  - {<<: [{home: down}, *arm], prefix: c/}\n"
        "sites: [{name: s, pos: *p}]\n"
    )
    first, second, third = spec.robots
    assert (first.prefix, second.prefix, third.prefix) == ("a/", "b/", "c/")
    assert (first.pos, second.pos, third.pos) == ((1, 2, 3), (0, 0, 0), (1, 2, 3))
    assert (first.home, second.home, third.home) == ("up", "up", "down")
    assert spec.sites[0].pos == (1, 2, 3)


def test_variables_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARM", "left")
    assert scene_from_yaml('name: "${ARM}$ARM"').name == "${ARM}$ARM"


def test_empty_scene() -> None:
    assert scene_to_yaml(SceneSpec()) == "{}\n"
    assert scene_from_yaml("{}") == SceneSpec()


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(SpecError, match="YAML text"):
        scene_from_yaml(b"name: a")  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="SceneSpec"):
        scene_to_yaml({"name": "a"})  # type: ignore[arg-type]


# Checking


def test_check_builds_the_scene_and_says_where_its_file_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text(
        "robots:\n  - path: mjscene:panda\n    attachments:\n      - path: mjscene:gripper\n"
        "        attach_to: {site: atachment_site}\n",
        encoding="utf-8",
    )
    read_scene_file(file)  # well-formed: only the model tells
    with pytest.raises(ComposeError, match="did you mean 'attachment_site'") as caught:
        check_scene_file(file)
    error = caught.value
    assert error.where == "robots[0].attachments[0].attach_to"
    assert (error.file, error.line, error.column) == (str(file), 5, 20)
    file.write_text(file.read_text(encoding="utf-8").replace("atach", "attach"), encoding="utf-8")
    assert check_scene_file(file) == read_scene_file(file)


def test_error_about_a_model_keeps_the_models_file(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text("<mujoco>\n<wordbody/>\n</mujoco>", encoding="utf-8")
    (tmp_path / "s.yaml").write_text("robots: [{path: arm.xml}]\n", encoding="utf-8")
    with pytest.raises(ComposeError, match="wordbody") as caught:
        check_scene_file(tmp_path / "s.yaml")
    assert caught.value.file == str(tmp_path / "arm.xml")
    assert caught.value.line == 2
