"""Field cases F07, F13 and F14: angle units, physics options and disabled actuator groups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from field_models import ARM, OBJ, alone, build, ids, refusal

import mjscene
from mjscene import AttachmentSpec, PhysicsOptions, RobotSpec, SceneObject, site

QUARTER = 1.5707963
HINGE = """<mujoco model="{name}"><compiler angle="{unit}"/><worldbody>
 <body name="l" euler="0 0 {turn}"><joint name="j" range="-{limit} {limit}"/><geom size=".1"/>
 </body></worldbody></mujoco>"""
DEGREE = HINGE.format(name="degrees", unit="degree", turn=90, limit=90)
RADIAN = HINGE.format(name="radians", unit="radian", turn=QUARTER, limit=QUARTER)
# Without <compiler>, MJCF is in degrees.
DEFAULT = DEGREE.replace('<compiler angle="degree"/>', "")

TUNED = ARM.replace(
    "<worldbody>",
    '<option timestep="0.0005" integrator="implicitfast" impratio="10" cone="elliptic" '
    'gravity="0 0 -1"/><worldbody>',
    1,
)


# F07: angle units


@pytest.mark.parametrize("files", [(DEGREE, RADIAN), (RADIAN, DEGREE), (DEFAULT, RADIAN)])
def test_f07_robots_in_degrees_and_in_radians_meet_in_one_scene(files: tuple[str, str]) -> None:
    scene = build(RobotSpec(files[0], prefix="a/"), RobotSpec(files[1], prefix="b/"))
    np.testing.assert_allclose(
        scene.model.jnt_range, [[-np.pi / 2, np.pi / 2]] * 2, rtol=0, atol=5e-8
    )
    for prefix in ("a/", "b/"):
        x_axis = scene.data.body(f"{prefix}l").xmat.reshape(3, 3)[:, 0]
        np.testing.assert_allclose(x_axis, (0, 1, 0), rtol=0, atol=5e-8)


@pytest.mark.parametrize("file", [DEGREE, RADIAN, DEFAULT])
def test_f07_a_joint_that_is_added_later_is_in_radians(file: str) -> None:
    scene = build(RobotSpec(file, prefix="a/"))
    scene.mjspec.body("a/l").add_joint(name="later", range=[-1, 1], axis=[1, 0, 0])
    scene.mjspec.worldbody.add_body(name="new").add_joint(name="world", range=[-1, 1])
    scene.mjspec.body("new").add_geom(size=[0.1, 0, 0])
    model = scene.mjspec.compile()
    for name in ("later", "world"):
        np.testing.assert_array_equal(model.joint(name).range, (-1, 1))


def test_f07_an_attachment_keeps_its_unit_and_so_does_a_key_in_the_unit_of_its_file() -> None:
    arm = RADIAN.replace("</body></worldbody>", '<site name="tip"/></body></worldbody>')
    tool = AttachmentSpec(DEGREE, attach_to=site("tip"), prefix="t_")
    scene = build(RobotSpec(arm, prefix="a/", attachments=(tool,)))
    np.testing.assert_allclose(
        scene.model.jnt_range, [[-np.pi / 2, np.pi / 2]] * 2, rtol=0, atol=5e-8
    )


# F13: the options of a robot's file


@pytest.mark.parametrize("who", ["robot", "attachment", "object"])
def test_f13_what_a_file_sets_is_what_the_scene_has_and_the_report_says_who(who: str) -> None:
    if who == "robot":
        scene = build(RobotSpec(TUNED, prefix="a/"), RobotSpec(ARM, prefix="b/"))
        label = "a"
    elif who == "attachment":
        tool = AttachmentSpec(TUNED, attach_to=site("tip"), prefix="t_")
        scene = build(RobotSpec(ARM, prefix="a/", attachments=(tool,)))
        label = "a.t"
    else:
        crate = TUNED.split("<actuator>")[0] + "</mujoco>"
        scene = build(
            RobotSpec(ARM, prefix="a/"),
            objects=[SceneObject("crate", path=crate, fixed=True, pos=(9, 0, 0))],
        )
        label = "crate"
    opt = scene.model.opt
    assert (opt.timestep, opt.impratio) == (0.0005, 10)
    assert opt.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    assert opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC
    np.testing.assert_array_equal(opt.gravity, (0, 0, -1))
    rows = {row.name: row for row in scene.report.options}
    for name in ("timestep", "integrator", "impratio", "cone", "gravity"):
        assert rows[name].origin == label


def test_f13_what_the_scene_sets_wins_and_the_report_says_what_it_overruled() -> None:
    options = PhysicsOptions(timestep=0.002, gravity=(0, 0, -9.81), cone="pyramidal")
    scene = build(RobotSpec(TUNED, prefix="a/"), options=options)
    opt = scene.model.opt
    assert opt.timestep == 0.002
    np.testing.assert_array_equal(opt.gravity, (0, 0, -9.81))
    assert opt.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL
    assert (opt.impratio, opt.integrator) == (10, mujoco.mjtIntegrator.mjINT_IMPLICITFAST)
    rows = {row.name: row for row in scene.report.options}
    for name, value in (("timestep", "0.0005"), ("cone", "elliptic"), ("gravity", "-1")):
        assert rows[name].origin == "spec"
        assert "a has" in rows[name].note
        assert value in rows[name].note
    assert rows["impratio"].origin == "a"
    assert "0.0005" in str(scene.report)


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("gravity", "0 0 -1", "0 0 -2"),
        ("integrator", "implicit", "RK4"),
        ("cone", "elliptic", "pyramidal"),
        ("impratio", "10", "1"),  # 1 is MuJoCo's default, but written
    ],
)
def test_f13_two_robots_that_cannot_agree_are_refused_with_files_values_and_the_line_to_add(
    tmp_path: Path, name: str, one: str, other: str
) -> None:
    files = []
    for i, value in enumerate((one, other)):
        files.append(tmp_path / f"robot{i}.xml")
        files[-1].write_text(
            ARM.replace("<worldbody>", f'<option {name}="{value}"/><worldbody>', 1)
        )
    robots = [RobotSpec(f, prefix=p) for f, p in zip(files, ("a/", "b/"), strict=True)]
    error = refusal(*robots)
    text = str(error)
    assert str(files[0]) in text
    assert str(files[1]) in text
    assert error.where == f"options.{name}"
    hint = error.hint or ""
    line = hint[hint.index("PhysicsOptions(") : -1]
    allowed: Any = eval(line, {"PhysicsOptions": PhysicsOptions})
    scene = build(*robots, options=allowed)
    expected = getattr(alone(files[0]).opt, name)
    np.testing.assert_array_equal(getattr(scene.model.opt, name), expected)


def test_f13_nothing_a_file_sets_is_lost_two_levels_down() -> None:
    tool = AttachmentSpec(TUNED, attach_to=site("t_tip"), prefix="u_")
    middle = AttachmentSpec(ARM, attach_to=site("tip"), prefix="t_")
    scene = build(RobotSpec(ARM, prefix="a/", attachments=(middle, tool)))
    assert (scene.model.opt.timestep, scene.model.opt.impratio) == (0.0005, 10)


# F14: actuator groups that a robot's file disables


def disabling(groups: str, *actuators: tuple[str, int]) -> str:
    """A hinge with motors in groups, some of which the file disables."""
    drives = "".join(f'<motor name="{n}" joint="j" group="{g}"/>' for n, g in actuators)
    return (
        f'<mujoco model="d"><option actuatorgroupdisable="{groups}"/><worldbody><body name="l">'
        f'<joint name="j"/><geom size=".1" mass="1"/></body></worldbody><actuator>{drives}'
        "</actuator></mujoco>"
    )


def efforts(model: Any, prefix: str, *names: str) -> list[float]:
    """The force of each actuator at control 1."""
    data = mujoco.MjData(model)
    data.ctrl[:] = 1
    mujoco.mj_forward(model, data)
    found = ids(model, OBJ.mjOBJ_ACTUATOR, *(prefix + n for n in names))
    return [float(data.actuator_force[i]) for i in found]


@pytest.mark.parametrize(
    ("groups", "actuators"),
    [
        ("1 7", [("on", 0), ("off", 1), ("off7", 7), ("other", 2)]),
        ("0", [("off", 0), ("other", 1)]),
        ("30", [("off", 30), ("on", 0)]),
    ],
)
def test_f14_a_robots_own_disabled_actuators_stay_disabled(
    groups: str, actuators: list[tuple[str, int]]
) -> None:
    file = disabling(groups, *actuators)
    names = [n for n, _ in actuators]
    scene = build(
        RobotSpec(file, prefix="a/", regroup=True),
        RobotSpec(ARM, prefix="b/", pos=(0, 1, 0)),
    )
    assert efforts(scene.model, "a/", *names) == efforts(alone(file), "", *names)
    assert efforts(scene.model, "b/", "servo") == efforts(alone(ARM), "", "servo")
    notes = " ".join(note for row in scene.report.owners for note in row.notes)
    for name in names:
        if name.startswith("off"):
            assert f"a/{name}" in notes


def test_f14_a_second_robot_in_the_group_that_the_first_disables_is_not_disabled() -> None:
    off, on = disabling("3", ("drive", 3)), disabling("", ("drive", 3))
    on = on.replace('<option actuatorgroupdisable=""/>', "")
    scene = build(
        RobotSpec(off, prefix="a/", regroup=True), RobotSpec(on, prefix="b/", regroup=True)
    )
    assert efforts(scene.model, "a/", "drive") == [0.0]
    assert efforts(scene.model, "b/", "drive") == [1.0]


def test_f14_a_mask_without_actuators_disables_nobody_and_is_reported() -> None:
    file = ARM.replace("<worldbody>", '<option actuatorgroupdisable="1 7"/><worldbody>', 1)
    scene = build(RobotSpec(file, prefix="a/"))
    assert efforts(scene.model, "a/", "servo") == [100.0]
    (row,) = scene.report.owners
    assert any("1, 7" in note for note in row.notes)


def test_f14_a_file_that_assigns_groups_is_refused_with_file_line_and_element(
    tmp_path: Path,
) -> None:
    file = tmp_path / "grouped.xml"
    file.write_text(disabling("1", ("on", 0), ("off", 1)).replace("<actuator>", "\n<actuator>\n"))
    error = refusal(RobotSpec(file, prefix="a/"))
    assert isinstance(error, mjscene.ComposeError)
    assert (error.file, error.line, error.element) == (str(file), 3, "motor")
    assert "regroup=True" in str(error)


def test_f14_the_mask_survives_save_and_a_change_of_objects(tmp_path: Path) -> None:
    scene = build(RobotSpec(disabling("1", ("off", 1), ("on", 0)), prefix="a/", regroup=True))
    scene.add_object(SceneObject("cube", shape="box", size=[0.1, 0.1, 0.1], pos=(5, 0, 0)))
    assert efforts(scene.model, "a/", "off", "on") == [0.0, 1.0]
    scene.model.opt.disableactuator |= 1 << 20
    scene.remove_object("cube")
    assert scene.model.opt.disableactuator >> 20 & 1
    assert efforts(scene.model, "a/", "off", "on") == [0.0, 1.0]
    saved = mujoco.MjModel.from_xml_path(str(scene.save(tmp_path / "saved")))
    assert efforts(saved, "a/", "off", "on") == [0.0, 1.0]
