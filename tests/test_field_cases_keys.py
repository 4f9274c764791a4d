"""Field cases F01 to F03: keyframes of several robots, of grown robots and of nested models."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
from field_models import ARM, FLOAT, OBJ, ROD, alone, arm, build, ids, key_of, refusal

from mjscene import AttachmentSpec, RobotSpec, SceneObject, site

TWO_INPUTS = """<mujoco model="pid"><worldbody><body name="link"><joint name="j" axis="0 1 0"/>
 <geom size=".1" mass="1"/></body></worldbody>
 <actuator><pid name="servo" joint="j" input="pos vel" kp="10" kv="1"/></actuator>
 <keyframe><key name="home" qpos=".5" ctrl=".5 .25"/></keyframe></mujoco>"""
FILTERED = """<mujoco model="filtered"><worldbody><body name="link"><joint name="j"/>
 <geom size=".1" mass="1"/></body></worldbody>
 <actuator><general name="servo" joint="j" dyntype="filter" dynprm=".1"/></actuator>
 <keyframe><key name="home" qpos=".2" qvel=".4" act=".6" ctrl=".8"/></keyframe></mujoco>"""

OUTER = """<mujoco model="outer"><asset><model name="m" file="{file}"/></asset><worldbody>
 <body name="base"><geom size=".05"/><attach model="m" body="{body}" prefix="n_"/></body>
 </worldbody></mujoco>"""


# F01: one keyframe name in several robots


def test_f01_each_robot_keeps_its_key_and_one_of_that_name_moves_both() -> None:
    scene = build(RobotSpec(arm(0.3), prefix="a/"), RobotSpec(arm(0.7), prefix="b/", pos=(1, 0, 0)))
    assert {scene.model.key(i).name for i in range(scene.model.nkey)} == {
        *("home", "a/home", "b/home"),
    }
    assert key_of(scene, "home", "a/j", "a/servo") == (0.3, 0.3)
    assert key_of(scene, "home", "b/j", "b/servo") == (0.7, 0.7)
    assert key_of(scene, "a/home", "a/j", "a/servo") == (0.3, 0.3)
    assert key_of(scene, "a/home", "b/j", "b/servo") == (0.0, 0.0)
    assert key_of(scene, "b/home", "a/j", "a/servo") == (0.0, 0.0)
    assert key_of(scene, "b/home", "b/j", "b/servo") == (0.7, 0.7)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_f01_numbers_follow_names_in_any_order_of_robots(order: tuple[int, ...]) -> None:
    robots = [
        RobotSpec(arm(0.3), prefix="a/"),
        RobotSpec(TWO_INPUTS, prefix="p/"),
        RobotSpec(FLOAT, prefix="f/", pos=(5, 0, 0)),
    ]
    scene = build(*(robots[i] for i in order))
    model = scene.model
    assert key_of(scene, "home", "a/j", "a/servo") == (0.3, 0.3)
    assert key_of(scene, "home", "p/j", "p/servo") == (0.5, 0.5)
    (servo,) = ids(model, OBJ.mjOBJ_ACTUATOR, "p/servo")
    second = model.actuator_ctrladr[servo] + 1
    for name, expected in (("home", 0.25), ("p/home", 0.25), ("a/home", 0.0)):
        (key,) = ids(model, OBJ.mjOBJ_KEY, name)
        assert model.key_ctrl[key, second] == expected
    assert key_of(scene, "home", "f/root") == (5.0,)


def test_f01_a_key_of_one_robot_alone_leaves_the_others_at_their_home() -> None:
    named = ARM.replace('<key name="home"', '<key name="up"')
    scene = build(RobotSpec(named, prefix="a/"), RobotSpec(arm(0.7), prefix="b/", home="home"))
    assert key_of(scene, "up", "a/j", "a/servo") == (0.3, 0.3)
    assert key_of(scene, "up", "b/j", "b/servo") == (0.7, 0.7)
    assert key_of(scene, "a/up", "b/j", "b/servo") == (0.7, 0.7)


def test_f01_a_robot_without_prefix_shares_its_key_name_with_the_merged_one() -> None:
    scene = build(RobotSpec(arm(0.3)), RobotSpec(arm(0.7), prefix="b/"))
    assert [scene.model.key(i).name for i in range(scene.model.nkey)].count("home") == 1
    assert key_of(scene, "home", "j", "servo") == (0.3, 0.3)
    assert key_of(scene, "home", "b/j", "b/servo") == (0.7, 0.7)


def test_f01_an_attachments_key_joins_that_of_its_robot() -> None:
    tool = AttachmentSpec(arm(0.7), attach_to=site("tip"), prefix="t_")
    scene = build(RobotSpec(arm(0.3), prefix="a/", attachments=(tool,)))
    assert key_of(scene, "home", "a/j", "a/servo") == (0.3, 0.3)
    assert key_of(scene, "home", "a/t_j", "a/t_servo") == (0.7, 0.7)
    assert key_of(scene, "a/t_home", "a/j", "a/servo") == (0.0, 0.0)


def test_f01_a_key_named_like_anothers_prefixed_key_is_refused_with_both_names() -> None:
    clash = ARM.replace('"home"', '"b/home"')
    error = refusal(RobotSpec(clash), RobotSpec(ARM, prefix="b/"))
    assert "'b/home'" in str(error)
    assert "'arm'" in str(error)
    assert "'b'" in str(error)


# F02: keyframes and the numbers of a scene with more actuators than the file


def test_f02_state_of_every_kind_lands_on_the_robot_that_authored_it() -> None:
    scene = build(
        RobotSpec(arm(0.3), prefix="a/"),
        RobotSpec(FILTERED, prefix="f/"),
        RobotSpec(TWO_INPUTS, prefix="p/"),
    )
    model = scene.model
    assert (model.nu - model.nactuator, model.na) == (1, 1)
    (key, own) = ids(model, OBJ.mjOBJ_KEY, "home", "f/home")
    (servo,) = ids(model, OBJ.mjOBJ_ACTUATOR, "f/servo")
    (joint,) = ids(model, OBJ.mjOBJ_JOINT, "f/j")
    for k in (key, own):
        assert model.key_qpos[k, model.jnt_qposadr[joint]] == 0.2
        assert model.key_qvel[k, model.jnt_dofadr[joint]] == 0.4
        assert model.key_act[k, model.actuator_actadr[servo]] == 0.6
        assert model.key_ctrl[k, model.actuator_ctrladr[servo]] == 0.8
    assert np.count_nonzero(model.key_qvel[key]) == 1


@pytest.mark.parametrize("extra", ["position", "velocity", "motor"])
def test_f02_an_actuator_added_to_the_callers_spec_gets_nothing_of_the_key(extra: str) -> None:
    spec = mujoco.MjSpec.from_string(ARM)
    actuator = spec.add_actuator(
        name=f"extra_{extra}", target="j", trntype=mujoco.mjtTrn.mjTRN_JOINT
    )
    if extra == "position":
        actuator.set_to_position(kp=10)
    elif extra == "velocity":
        actuator.set_to_velocity(kv=10)
    else:
        actuator.set_to_motor()
    scene = build(RobotSpec(spec, prefix="a/"), RobotSpec(spec, prefix="b/", pos=(0, 1, 0)))
    for prefix in ("a/", "b/"):
        for key in ("home", f"{prefix}home"):
            assert key_of(scene, key, f"{prefix}j", f"{prefix}servo") == (0.3, 0.3)
            assert key_of(scene, key, f"{prefix}j", f"{prefix}extra_{extra}") == (0.3, 0.0)


@pytest.mark.parametrize(
    ("field", "written", "longer"),
    [
        ("qpos", 'qpos=".3"', 'qpos=".3 .4"'),
        ("ctrl", 'ctrl=".3"', 'ctrl=".3 .4"'),
        ("qvel", 'qpos=".3"', 'qpos=".3" qvel="1 2"'),
        ("act", 'qpos=".3"', 'qpos=".3" act="1"'),
    ],
)
def test_f02_a_key_that_does_not_fit_is_refused_with_key_robot_and_both_lengths(
    tmp_path: Path, field: str, written: str, longer: str
) -> None:
    file = tmp_path / "long.xml"
    file.write_text(ARM.replace(written, longer))
    error = refusal(RobotSpec(ARM, prefix="a/"), RobotSpec(str(file), prefix="b/"))
    found, expected = {"qpos": (2, 1), "ctrl": (2, 1), "qvel": (2, 1), "act": (1, 0)}[field]
    text = str(error)
    assert field in text
    assert "home" in text
    assert f"got {found}" in text
    assert f"should be {expected}" in text
    assert "robots[1]" in text
    assert error.file == str(file)


# F03: keyframes of a model that attaches another


def nested(folder: Path, depth: int) -> Path:
    """A file that attaches a file that … attaches ARM; each level puts ``n_`` before names."""
    (folder / "level0.xml").write_text(ARM)
    body = "link"
    for level in range(1, depth + 1):
        text = OUTER.format(file=f"level{level - 1}.xml", body=body)
        (folder / f"level{level}.xml").write_text(text)
        body = "base"
    return folder / f"level{depth}.xml"


@pytest.mark.parametrize("depth", [1, 2])
def test_f03_keys_of_a_nested_attach_are_prefixed_like_everything_else(
    tmp_path: Path, depth: int
) -> None:
    file = nested(tmp_path, depth)
    # Two levels down MuJoCo itself names the joint n_n_j and the key n_home, in the file alone too.
    (key,) = (alone(file).key(i).name for i in range(alone(file).nkey))
    joint, actuator = alone(file).joint(0).name, alone(file).actuator(0).name
    assert (key, joint) == ("n_home", "n_" * depth + "j")
    scene = build(RobotSpec(file, prefix="a/"), RobotSpec(file, prefix="b/", pos=(0, 1, 0)))
    for robot, values in (("a", (0.3, 0.0)), ("b", (0.0, 0.3))):
        for prefix, value in zip("ab", values, strict=True):
            found = key_of(scene, f"{robot}/{key}", f"{prefix}/{joint}", f"{prefix}/{actuator}")
            assert found == (value, value)


def test_f03_a_spec_that_a_program_attached_to_and_never_compiled_is_taken_as_it_is() -> None:
    outer = mujoco.MjSpec()
    outer.modelname = "outer"
    base = outer.worldbody.add_body(name="base")
    base.add_geom(size=[0.05, 0, 0])
    outer.attach(mujoco.MjSpec.from_string(ARM), prefix="n_", frame=base.add_frame())
    scene = build(RobotSpec(outer, prefix="a/"), RobotSpec(outer, prefix="b/", pos=(0, 1, 0)))
    assert key_of(scene, "a/n_home", "a/n_j", "a/n_servo") == (0.3, 0.3)
    assert key_of(scene, "a/n_home", "b/n_j", "b/n_servo") == (0.0, 0.0)
    assert key_of(scene, "n_home", "b/n_j", "b/n_servo") == (0.3, 0.3)


def test_f03_keys_of_a_replicated_robot_are_carried_over() -> None:
    legs = """<mujoco model="legs"><worldbody><body name="base"><geom size=".05"/>
     <replicate count="3" offset="1 0 0"><body name="leg"><joint name="j"/><geom size=".05"/></body>
     </replicate></body></worldbody><keyframe><key name="home" qpos=".1 .2 .3"/></keyframe>
     </mujoco>"""
    file = alone(legs)
    scene = build(RobotSpec(legs, prefix="a/"), RobotSpec(arm(0.7), prefix="b/"))
    for joint in range(file.njnt):
        name = f"a/{file.joint(joint).name}"
        assert key_of(scene, "a/home", name) == (file.key_qpos[0, joint],)
        assert key_of(scene, "home", name) == (file.key_qpos[0, joint],)


def test_f03_the_key_of_an_object_is_left_out_and_the_report_says_so() -> None:
    free = """<mujoco model="box"><worldbody><body name="b"><geom size=".1"/>
     <body name="lid"><joint name="hinge"/><geom size=".1"/></body></body></worldbody>
     <keyframe><key name="open" qpos="1"/></keyframe></mujoco>"""
    scene = build(objects=[SceneObject("crate", path=free)])
    assert scene.model.nkey == 0
    assert any("'open'" in note for row in scene.report.owners for note in row.notes)


def test_f02_the_rod_of_the_cases_has_the_numbers_that_they_state() -> None:
    model = alone(ROD)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.qfrc_bias[0] == pytest.approx(9.81 * 0.25, abs=1e-12)
    assert data.M[0] == pytest.approx(0.0857360, rel=1e-6)
