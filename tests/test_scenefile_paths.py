"""Scene files and the disk: where paths lead, and how a file is written."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import mujoco
import pytest

import mjscene
from mjscene import (
    AttachmentSpec,
    RobotSpec,
    SceneObject,
    SceneSpec,
    SpecError,
    build_scene,
    load_scene,
    read_scene_file,
    scene_from_yaml,
    scene_to_yaml,
    site,
    write_scene_file,
)

SCENES = Path(mjscene.__file__).resolve().parents[1] / "scenes"
ARM = "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody></mujoco>"


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
