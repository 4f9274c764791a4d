"""Scene files: what they mean, the twins of the scenes that ship, and how they are written."""

from __future__ import annotations

import math
import os
import stat
import subprocess
import sys
from pathlib import Path

import mujoco
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
    SceneObject,
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
    site,
    write_scene_file,
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


# Paths


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """A folder of robots beside a folder of scenes."""
    for name in ("robots/arm.xml", "robots/the hand.xml", "scenes/own.xml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(ARM, encoding="utf-8")
    return tmp_path


def test_paths_are_relative_to_the_file(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = lab / "scenes" / "s.yaml"
    file.write_text(
        "robots:\n  - {path: own.xml, prefix: a/}\n  - {path: ../robots/arm.xml, prefix: b/}\n"
        f"  - {{path: {lab}/robots/arm.xml, prefix: c/}}\n"
        "  - {path: mjscene:panda, prefix: d/}\n",
        encoding="utf-8",
    )
    wanted = [f"{lab}/scenes/own.xml", *[f"{lab}/robots/arm.xml"] * 2, "mjscene:panda"]
    assert [r.path for r in read_scene_file(file).robots] == wanted
    monkeypatch.chdir(lab)
    assert [r.path for r in read_scene_file("scenes/s.yaml").robots] == wanted
    text = file.read_text(encoding="utf-8")
    assert [r.path for r in scene_from_yaml(text, file=file).robots] == wanted
    assert [r.path for r in scene_from_yaml(text, folder="scenes").robots] == wanted
    assert [r.path for r in scene_from_yaml(text).robots][:2] == ["own.xml", "../robots/arm.xml"]
    build_scene(read_scene_file("scenes/s.yaml"))


def test_paths_are_written_relative_to_the_file(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(lab / "robots")
    spec = SceneSpec(
        [
            RobotSpec(f"{lab}/robots/arm.xml", prefix="a/"),
            RobotSpec("the hand.xml", prefix="b/"),  # as Python reads it: from the working folder
            RobotSpec("menagerie:franka_fr3", prefix="c/"),
        ],
        objects=[SceneObject("o", path=f"{lab}/scenes/own.xml")],
    )
    file = write_scene_file(spec, lab / "scenes" / "s.yaml")
    text = file.read_text(encoding="utf-8")
    assert "path: ../robots/arm.xml" in text
    assert "path: ../robots/the hand.xml" in text
    assert "path: own.xml" in text
    assert "path: menagerie:franka_fr3" in text
    back = read_scene_file(file)
    assert back.robots[0] == spec.robots[0]
    assert back.objects == spec.objects
    assert back.robots[1].path == f"{lab}/robots/the hand.xml"
    # Moved together, they are found together.
    moved = lab.with_name("moved")
    lab.rename(moved)
    assert read_scene_file(moved / "scenes/s.yaml").robots[0].path == f"{moved}/robots/arm.xml"


def test_far_path_stays_absolute() -> None:
    text = scene_to_yaml(SceneSpec([RobotSpec("/usr/share/x/arm.xml")]), folder="/var/lib/scenes")
    assert "path: /usr/share/x/arm.xml" in text


def test_path_that_looks_like_a_name_is_told_from_it(lab: Path) -> None:
    file = lab / "scenes" / "mjscene:arm.xml"
    file.write_text(ARM, encoding="utf-8")
    spec = SceneSpec([RobotSpec(str(file))])
    written = write_scene_file(spec, lab / "scenes" / "s.yml")
    assert "./mjscene:arm.xml" in written.read_text(encoding="utf-8")
    assert read_scene_file(written) == spec


def test_xml_is_written_as_a_block() -> None:
    xml = "<mujoco>\n\t<worldbody/>  \n\n</mujoco>\n"
    text = scene_to_yaml(SceneSpec([RobotSpec(xml)]))
    assert text == (
        "robots:\n  - path: |\n      <mujoco>\n      \t<worldbody/>  \n\n      </mujoco>\n"
    )
    assert scene_from_yaml(text).robots[0].path == xml


def test_source_that_is_an_object_cannot_be_written(tmp_path: Path) -> None:
    hand = AttachmentSpec(mujoco.MjSpec(), attach_to=site("s"), name="hand")
    spec = SceneSpec([RobotSpec("a.xml", attachments=[hand])])
    for write in (scene_to_yaml, lambda s: write_scene_file(s, tmp_path / "s.yaml")):
        with pytest.raises(SpecError, match="an MjSpec cannot be written") as caught:
            write(spec)
        assert caught.value.where == "robots[0].attachments[0].path"
    mjcf = pytest.importorskip("dm_control.mjcf")
    with pytest.raises(SpecError, match="a PyMJCF element cannot be written"):
        scene_to_yaml(SceneSpec([RobotSpec(mjcf.RootElement())]))
    assert list(tmp_path.iterdir()) == []


def test_reading_and_writing_load_no_mujoco(tmp_path: Path) -> None:
    write_scene_file(load_scene("dual_arm"), tmp_path / "s.yaml")
    code = (
        "import sys, mjscene; spec = mjscene.read_scene_file('s.yaml');"
        "mjscene.write_scene_file(spec, 't.yaml'); mjscene.scene_schema();"
        "print(sorted({'mujoco', 'numpy', 'lxml'} & set(sys.modules)))"
    )
    root = Path(mjscene.__file__).resolve().parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert done.stdout == "[]\n"
    assert (tmp_path / "t.yaml").read_bytes() == (tmp_path / "s.yaml").read_bytes()


# Writing


def test_file_is_replaced_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "s.yaml"
    write_scene_file(SceneSpec(name="first"), file)
    file.chmod(0o640)
    write_scene_file(SceneSpec(name="second"), file)
    assert read_scene_file(file).name == "second"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for step in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, step, fail)
            with pytest.raises(SpecError, match="No space left"):
                write_scene_file(SceneSpec(name="third"), file)
        assert read_scene_file(file).name == "second"
        assert list(tmp_path.iterdir()) == [file]


def test_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "s.yaml").symlink_to(tmp_path / "real" / "s.yaml")
    write_scene_file(SceneSpec(name="a"), tmp_path / "s.yaml")
    assert (tmp_path / "s.yaml").is_symlink()
    assert read_scene_file(tmp_path / "real" / "s.yaml").name == "a"


@pytest.mark.parametrize("name", ["s.xml", "s", "nowhere/s.yaml"])
def test_file_that_cannot_be_written_is_an_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError):
        write_scene_file(SceneSpec(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_scene_too_large_to_be_read_is_not_written(tmp_path: Path) -> None:
    spec = SceneSpec([RobotSpec("<mujoco>" + "<!-- -->" * 50_000 + "</mujoco>")])
    with pytest.raises(SpecError, match="larger than"):
        write_scene_file(spec, tmp_path / "s.yaml")
    assert list(tmp_path.iterdir()) == []


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
