"""Sources that a program made, and that stay as they were: PyMJCF elements and ``MjSpec``s."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from bad_cases import ARM, BLOCK, MESH, write
from PIL import Image

from mjscene import AttachmentSpec, RobotSpec, SceneObject, SceneSpec, build_scene, site
from mjscene.sources import load_source

mjcf = pytest.importorskip("dm_control.mjcf")

MESHED = """\
<mujoco model="meshed">
  <compiler meshdir="{}"/>
  <asset><mesh name="hull" file="hull.obj"/></asset>
  <worldbody><body name="b"><joint name="j"/><geom type="mesh" mesh="hull"/></body></worldbody>
</mujoco>
"""


def png(colour: tuple[int, int, int]) -> bytes:
    """A picture of one colour."""
    made = io.BytesIO()
    Image.new("RGB", (4, 2), colour).save(made, "png")
    return made.getvalue()


def pymjcf_model(name: str = "made", colour: tuple[int, int, int] = (255, 0, 0)) -> Any:
    """A PyMJCF model with a mesh and a texture in memory, a joint and a servo."""
    root = mjcf.RootElement(model=name)
    mesh = mjcf.Asset(MESH.encode(), extension=".obj")
    root.asset.add("mesh", name="hull", file=mesh)
    root.asset.add(
        "texture", name="skin", type="2d", file=mjcf.Asset(png(colour), extension=".png")
    )
    root.asset.add("material", name="paint", texture="skin")
    body = root.worldbody.add("body", name="b")
    joint = body.add("joint", name="j", axis=[0, 1, 0])
    body.add("geom", name="g", type="mesh", mesh="hull", material="paint")
    body.add("site", name="tip", pos=[0, 0, 1])
    root.actuator.add("position", name="servo", joint=joint, kp=30)
    return root


def compiled_alone(root: Any) -> mujoco.MjModel:
    """The PyMJCF model by MuJoCo itself."""
    return mujoco.MjModel.from_xml_string(root.to_xml_string(), root.get_assets())


def scene_of(*sources: Any) -> mujoco.MjModel:
    """The model of a scene with the sources side by side, with the prefixes r0/, r1/, …"""
    robots = [RobotSpec(s, prefix=f"r{i}/", pos=(i, 0, 0), modes=()) for i, s in enumerate(sources)]
    return build_scene(SceneSpec(robots)).model


def test_assets_in_memory_that_robots_share_exist_once() -> None:
    # DESIGN 4: the same source twice, and two sources with the same file.
    root, spec = pymjcf_model(), spec_with_assets()
    assert scene_of(root, root).nmesh == 1
    assert scene_of(pymjcf_model("a"), pymjcf_model("b")).ntex == 1
    assert scene_of(spec, spec).nmesh == 1
    assert scene_of(spec_with_assets(), spec_with_assets()).nmesh == 1


class TestPyMjcf:
    def test_element_gives_the_model_that_it_is(self) -> None:
        root = pymjcf_model()
        alone, model = compiled_alone(root), scene_of(root)
        assert model.joint("r0/j").id == model.actuator("r0/servo").trnid[0]
        for name in ("mesh_vert", "tex_data", "body_inertia", "actuator_gainprm"):
            np.testing.assert_array_equal(getattr(model, name), getattr(alone, name), name)

    def test_element_below_the_root_stands_for_its_whole_model(self) -> None:
        root = pymjcf_model()
        assert load_source(root.worldbody.body["b"]).spec.body("b") is not None
        assert scene_of(root.worldbody.body["b"]).njnt == 1

    def test_label_is_the_models_name(self) -> None:
        assert RobotSpec(pymjcf_model("walker")).label == "walker"
        assert "walker" in load_source(pymjcf_model("walker")).label

    def test_model_with_an_attached_model_is_whole(self) -> None:
        root, tool = pymjcf_model("arm"), pymjcf_model("tool", (0, 255, 0))
        root.find("site", "tip").attach(tool)
        alone, model = compiled_alone(root), scene_of(root)
        assert (model.njnt, model.nu, model.ntex) == (alone.njnt, alone.nu, alone.ntex) == (2, 2, 2)
        assert model.joint("r0/tool/j").id >= 0

    def test_two_models_keep_their_own_textures(self) -> None:
        model = scene_of(pymjcf_model("a", (255, 0, 0)), pymjcf_model("b", (0, 0, 255)))
        assert model.ntex == 2
        size = 4 * 2 * 3
        first, second = model.tex_data[:size], model.tex_data[size : 2 * size]
        np.testing.assert_array_equal(first.reshape(-1, 3), [[255, 0, 0]] * 8)
        np.testing.assert_array_equal(second.reshape(-1, 3), [[0, 0, 255]] * 8)

    def test_element_is_as_it_was(self) -> None:
        root = pymjcf_model()
        xml, assets = root.to_xml_string(), dict(root.get_assets())
        scene_of(root, root)
        assert root.to_xml_string() == xml
        assert dict(root.get_assets()) == assets


def spec_with_assets(meshdir: str = "") -> mujoco.MjSpec:
    """A MjSpec whose mesh is in its assets."""
    spec = mujoco.MjSpec.from_string(MESHED.format(meshdir))
    spec.assets = {"hull.obj": MESH.encode()}
    return spec


def spec_of_a_file(folder: Path) -> mujoco.MjSpec:
    """A MjSpec that was read from a file, with its mesh beside it."""
    write(folder, "parts/hull.obj", MESH)
    return mujoco.MjSpec.from_file(write(folder, "meshed.xml", MESHED.format("parts")))


def spec_with_subspec() -> mujoco.MjSpec:
    """A MjSpec that itself attached another, with its keyframe."""
    spec = mujoco.MjSpec.from_string(ARM)
    spec.attach(mujoco.MjSpec.from_string(ARM), prefix="sub_", site="tip")
    return spec


def spec_of_parts() -> mujoco.MjSpec:
    """A MjSpec that was made element by element."""
    spec = mujoco.MjSpec()
    spec.modelname = "parts"
    body = spec.worldbody.add_body(name="b")
    body.add_joint(name="j", type=mujoco.mjtJoint.mjJNT_SLIDE)
    body.add_geom(name="g", size=[0.1, 0, 0], mass=2)
    spec.option.timestep = 0.001
    return spec


SPECS = {
    "text": lambda folder: mujoco.MjSpec.from_string(ARM),
    "assets": lambda folder: spec_with_assets(),
    "file": spec_of_a_file,
    "subspec": lambda folder: spec_with_subspec(),
    "parts": lambda folder: spec_of_parts(),
}
each_spec = pytest.mark.parametrize("kind", sorted(SPECS))


class TestMjSpec:
    @each_spec
    def test_spec_gives_the_model_that_it_is(self, tmp_path: Path, kind: str) -> None:
        alone = SPECS[kind](tmp_path).compile()
        model = scene_of(SPECS[kind](tmp_path))
        assert (model.nq, model.nu, model.nmesh) == (alone.nq, alone.nu, alone.nmesh)
        assert model.opt.timestep == alone.opt.timestep
        for name in ("body_mass", "body_inertia", "mesh_vert", "geom_size", "jnt_type"):
            np.testing.assert_array_equal(getattr(model, name), getattr(alone, name), name)
        own = {alone.key(k).name for k in range(alone.nkey)}
        assert {f"r0/{name}" for name in own} <= {model.key(k).name for k in range(model.nkey)}

    @each_spec
    def test_callers_spec_is_as_it_was_and_still_compiles(self, tmp_path: Path, kind: str) -> None:
        reference, spec = SPECS[kind](tmp_path), SPECS[kind](tmp_path)
        assets = dict(spec.assets)
        names = [b.name for b in spec.bodies]
        scene = build_scene(
            SceneSpec([RobotSpec(spec, prefix="a/"), RobotSpec(spec, prefix="b/", pos=(1, 0, 0))])
        )
        scene.step()
        assert dict(spec.assets) == assets
        assert [b.name for b in spec.bodies] == names
        kept, wanted = spec.compile(), reference.compile()
        assert spec.to_xml() == reference.to_xml()
        for name in ("qpos0", "key_qpos", "body_mass", "mesh_vert", "geom_pos"):
            np.testing.assert_array_equal(getattr(kept, name), getattr(wanted, name), name)

    @each_spec
    def test_compiled_spec_writes_the_same_xml_before_and_after(
        self, tmp_path: Path, kind: str
    ) -> None:
        spec = SPECS[kind](tmp_path)
        spec.compile()
        before = spec.to_xml()
        scene_of(spec, spec)
        assert spec.to_xml() == before

    @each_spec
    def test_changing_the_spec_afterwards_changes_no_scene(self, tmp_path: Path, kind: str) -> None:
        spec = SPECS[kind](tmp_path)
        scene = build_scene(SceneSpec([RobotSpec(spec, prefix="a/")]))
        before = scene.model.nbody, scene.model.opt.timestep
        spec.worldbody.add_body(name="late").add_geom(size=[1, 0, 0])
        spec.option.timestep = 0.5
        scene.step()
        scene.reset()
        assert (scene.model.nbody, scene.model.opt.timestep) == before

    def test_spec_may_be_attached_and_an_object_too(self) -> None:
        spec = mujoco.MjSpec.from_string(BLOCK)
        arm = RobotSpec(
            ARM, prefix="a/", attachments=[AttachmentSpec(spec, attach_to=site("tip"), prefix="t/")]
        )
        model = build_scene(SceneSpec([arm], objects=[SceneObject("cup", path=spec)])).model
        assert {model.body(b).name for b in range(model.nbody)} == {
            *("world", "a/link", "a/t/b", "cup", "cup/b")
        }
        assert [b.name for b in spec.bodies] == ["world", "b"]

    @pytest.mark.parametrize("meshdir", ["", "assets"])
    def test_assets_of_two_specs_with_one_file_name_keep_their_own(self, meshdir: str) -> None:
        small, large = spec_with_assets(meshdir), spec_with_assets(meshdir)
        large.assets = {"hull.obj": MESH.replace("1", "2", 3).encode()}
        alone = [spec.copy().compile().mesh_vert for spec in (small, large)]
        model = scene_of(small, large)
        assert model.nmesh == 2
        np.testing.assert_array_equal(model.mesh_vert, np.concatenate(alone))

    def test_options_that_a_program_set_are_those_of_the_scene(self) -> None:
        spec = spec_of_parts()
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        spec.option.impratio = 7
        model = scene_of(spec)
        assert model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC
        assert (model.opt.impratio, model.opt.timestep) == (7, 0.001)

    def test_label_says_that_it_is_a_spec(self) -> None:
        assert RobotSpec(spec_of_parts()).label == "parts"
        source = load_source(spec_of_parts())
        assert source.label == "MjSpec 'parts'"
        assert source.file is None
