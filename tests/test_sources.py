"""Where models come from: each kind of source gives the model that its file alone is.

The oracle is MuJoCo's own load of the same file; a scene of one robot without a prefix must have
its numbers. What is refused is in ``bad_files``.
"""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from bad_cases import ARM, MESH, write
from real_models import ur5e_and_gripper

from mjscene import RobotSpec, Scene, SceneSpec, SpecError, build_scene
from mjscene.sources import load_source, source_key
from mjscene.sources.files import SUFFIXES

URDF = """\
<robot name="two">
  <link name="base"/>
  <link name="link"><inertial><origin xyz="0.1 0 0"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="revolute"><parent link="base"/><child link="link"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="7" velocity="1"/></joint>
</robot>
"""
MESHED = """\
<mujoco model="meshed">
  <compiler meshdir="{meshdir}"/>
  <asset><mesh name="hull" file="{file}"/></asset>
  <worldbody><body name="b"><joint name="j"/><geom type="mesh" mesh="hull"/></body></worldbody>
</mujoco>
"""
# Arrays that tell one model from another.
ARRAYS = ("body_mass", "body_inertia", "jnt_range", "geom_size", "actuator_gainprm", "mesh_vert")


def build(path: Any, **fields: Any) -> Scene:
    """The scene of one robot without a prefix."""
    return build_scene(SceneSpec([RobotSpec(path, name="robot", modes=(), **fields)]))


def check_same(scene: Scene, alone: mujoco.MjModel) -> None:
    """The scene's model is the model of the file alone."""
    assert (scene.model.nbody, scene.model.nv, scene.model.nmesh) == (
        alone.nbody,
        alone.nv,
        alone.nmesh,
    )
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(scene.model, name), getattr(alone, name), name)
    scene.step()
    data = mujoco.MjData(alone)
    mujoco.mj_step(alone, data)
    np.testing.assert_array_equal(scene.data.qpos, data.qpos)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the arm's file, which is the working directory and the home directory."""
    write(tmp_path, "robots/arm.xml", ARM)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


class TestPaths:
    @pytest.mark.parametrize("form", ["relative", "dotted", "absolute", "object", "home"])
    def test_every_spelling_of_a_path_gives_the_model_of_the_file(
        self, folder: Path, form: str
    ) -> None:
        file = folder / "robots" / "arm.xml"
        path = {
            "relative": "robots/arm.xml",
            "dotted": "./robots/../robots/arm.xml",
            "absolute": str(file),
            "object": file.relative_to(folder),
            "home": "~/robots/arm.xml",
        }[form]
        check_same(build(path), mujoco.MjModel.from_xml_path(str(file)))

    def test_spellings_of_one_file_are_one_source(self, folder: Path) -> None:
        spellings = ["robots/arm.xml", "./robots/arm.xml", str(folder / "robots/arm.xml")]
        assert {source_key(s) for s in (*spellings, "~/robots/arm.xml")} == {
            str(folder / "robots/arm.xml")
        }
        assert source_key(ARM) == ARM
        assert source_key("mjscene:panda") == "mjscene:panda"

    def test_source_knows_its_file_and_what_it_is_called(self, folder: Path) -> None:
        source = load_source("robots/arm.xml")
        assert source.file == folder / "robots" / "arm.xml"
        assert source.label == "arm.xml"
        assert source.document is not None
        assert source.document.file == source.file

    def test_working_directory_may_change_after_the_build(
        self,
        folder: Path,
        tmp_path_factory: pytest.TempPathFactory,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        write(folder, "robots/hull.obj", MESH)
        write(folder, "robots/meshed.xml", MESHED.format(meshdir="", file="hull.obj"))
        scene = build("robots/meshed.xml")
        monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
        scene.step()
        assert scene.model.nmesh == 1

    @pytest.mark.parametrize("suffix", SUFFIXES)
    def test_every_allowed_suffix_is_read(self, folder: Path, suffix: str) -> None:
        file = folder / f"arm{suffix}"
        if suffix in (".mjz", ".zip"):
            with zipfile.ZipFile(file, "w") as made:
                made.writestr("arm.xml", ARM)
        else:
            write(folder, file.name, URDF if suffix == ".urdf" else ARM)
        assert build(file).model.njnt == 1

    def test_urdf_is_read(self, folder: Path) -> None:
        file = write(folder, "two.urdf", URDF)
        scene = build(file)
        check_same(scene, mujoco.MjModel.from_xml_path(file))
        # The numbers of the file itself.
        joint = mujoco.mj_name2id(scene.model, mujoco.mjtObj.mjOBJ_JOINT, "j")
        np.testing.assert_allclose(scene.model.jnt_range[joint], [-1, 2])
        assert scene.model.body_mass.sum() == pytest.approx(2.0)

    def test_spec_and_files_are_as_they_were(self, folder: Path) -> None:
        before = sorted((p, p.stat().st_mtime_ns) for p in folder.rglob("*"))
        build("robots/arm.xml").step(3)
        assert sorted((p, p.stat().st_mtime_ns) for p in folder.rglob("*")) == before


class TestArchives:
    def archive(self, folder: Path, suffix: str, meshdir: str) -> str:
        path = folder / f"meshed{suffix}"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
            made.writestr("meshed.xml", MESHED.format(meshdir=meshdir, file="hull.obj"))
            made.writestr(f"{meshdir}/hull.obj" if meshdir else "hull.obj", MESH)
        return str(path)

    @pytest.mark.parametrize("meshdir", ["", "assets"])
    @pytest.mark.parametrize("suffix", [".mjz", ".zip"])
    def test_archive_with_a_mesh_is_read(self, folder: Path, suffix: str, meshdir: str) -> None:
        path = self.archive(folder, suffix, meshdir)
        alone = mujoco.MjSpec.from_file(path).compile()
        assert alone.nmesh == 1
        check_same(build(path), alone)

    def test_archive_that_mujoco_wrote_is_read(self, folder: Path) -> None:
        spec = mujoco.MjSpec.from_string(ARM)
        spec.compile()
        spec.to_zip(str(folder / "arm.mjz"))
        check_same(build("arm.mjz"), mujoco.MjModel.from_xml_string(ARM))

    def test_two_robots_of_one_archive_share_its_mesh(self, folder: Path) -> None:
        path = self.archive(folder, ".mjz", "assets")
        robots = [
            RobotSpec(path, prefix=p, pos=(k, 0, 0), modes=()) for k, p in enumerate(("a/", "b/"))
        ]
        model = build_scene(SceneSpec(robots)).model
        assert (model.nmesh, model.nbody) == (1, 3)

    def test_archive_may_be_gone_after_the_build(self, folder: Path) -> None:
        path = self.archive(folder, ".mjz", "")
        scene = build(path)
        os.unlink(path)
        scene.reset()
        scene.step()
        assert scene.data.time > 0


class TestIncludes:
    """F12: an included file's own folder, and three spellings of the path of the including one."""

    def tree(self, folder: Path, meshdir: str, at: str) -> Path:
        write(folder, at, MESH)
        write(folder, "inc/parts/robot2.xml", MESHED.format(meshdir=meshdir, file="part.obj"))
        write(
            folder,
            "inc/scene2.xml",
            '<mujoco model="scene2"><include file="parts/robot2.xml"/></mujoco>',
        )
        return folder / "inc"

    def outcome(self, path: str) -> tuple[Any, ...]:
        try:
            model = build(path).model
        except Exception as error:  # noqa: BLE001  (compared with that of the other spellings)
            return type(error), str(error)
        return model.nmesh, model.mesh_vert.tobytes()

    @pytest.mark.parametrize("meshdir", ["", "assets", "parts/assets"])
    @pytest.mark.parametrize(
        "at", ["inc/parts/assets/part.obj", "inc/assets/part.obj", "inc/part.obj"]
    )
    def test_f12_three_spellings_give_one_result(
        self, folder: Path, meshdir: str, at: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        inside = self.tree(folder, meshdir, at)
        results = [self.outcome("inc/scene2.xml"), self.outcome(str(inside / "scene2.xml"))]
        monkeypatch.chdir(inside)
        results.append(self.outcome("scene2.xml"))
        assert results[0] == results[1] == results[2]
        # The oracle: MuJoCo alone with the absolute path loads it or does not.
        try:
            loads = mujoco.MjModel.from_xml_path(str(inside / "scene2.xml")).nmesh == 1
        except ValueError:
            loads = False
        assert (results[0][0] == 1) == loads

    def test_f12_mesh_beside_the_including_file_loads(self, folder: Path) -> None:
        inside = self.tree(folder, "", "inc/part.obj")
        assert self.outcome(str(inside / "scene2.xml"))[0] == 1

    def test_include_of_the_same_folder_is_that_of_the_file_alone(self, folder: Path) -> None:
        write(folder, "robots/scene.xml", '<mujoco><include file="arm.xml"/></mujoco>')
        check_same(
            build("robots/scene.xml"),
            mujoco.MjModel.from_xml_path(str(folder / "robots/scene.xml")),
        )


class TestText:
    def test_xml_string_is_a_model(self) -> None:
        check_same(build(ARM), mujoco.MjModel.from_xml_string(ARM))

    @pytest.mark.parametrize(
        "head", ["\n  ", '<?xml version="1.0"?>\n', "<!-- an arm -->\n", "\ufeff"]
    )
    def test_xml_string_may_begin_with_more_than_its_root(self, head: str) -> None:
        assert build(head + ARM).model.nu == 1

    def test_files_of_a_string_are_looked_for_in_the_working_directory(self, folder: Path) -> None:
        write(folder, "hull.obj", MESH)
        assert build(MESHED.format(meshdir="", file="hull.obj")).model.nmesh == 1

    def test_urdf_string_is_read(self) -> None:
        assert build(URDF).model.joint("j").id == 0


class TestMenagerie:
    @pytest.fixture(autouse=True)
    def local(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The real models of a test dependency, as a local checkout."""
        root = Path(ur5e_and_gripper()[0]).parents[1]
        monkeypatch.setenv("MENAGERIE_ROOT", str(root))

    @pytest.mark.parametrize("name", ["universal_robots_ur5e", "universal_robots_ur5e/ur5e"])
    def test_name_and_entry_give_the_robots_file(self, name: str) -> None:
        file = Path(ur5e_and_gripper()[0])
        assert load_source(f"menagerie:{name}").file == file
        check_same(build(f"menagerie:{name}"), mujoco.MjModel.from_xml_path(str(file)))

    def test_source_is_called_by_its_name(self) -> None:
        assert load_source("menagerie:robotiq_2f85").label == "menagerie:robotiq_2f85"

    def test_root_is_where_the_environment_says(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        source = Path(ur5e_and_gripper()[1]).parent
        shutil.copytree(source, tmp_path / "robotiq_2f85")
        monkeypatch.setenv("MENAGERIE_ROOT", str(tmp_path))
        assert load_source("menagerie:robotiq_2f85").file == tmp_path / "robotiq_2f85" / "2f85.xml"


def test_shipped_robot_is_its_file() -> None:
    source = load_source("mjscene:panda")
    assert source.label == "mjscene:panda"
    assert source.file is not None
    check_same(build("mjscene:panda"), mujoco.MjModel.from_xml_path(str(source.file)))


def test_what_is_no_source_is_refused() -> None:
    with pytest.raises(SpecError, match=r"robots\[0\].path"):
        load_source(3, "robots[0].path")
