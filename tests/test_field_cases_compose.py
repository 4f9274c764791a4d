"""Field cases F05, F09, F10, F15 and F16: a robot in the scene is the robot of its file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from field_models import ARM, FLOAT, OBJ, alone, build, ids, refusal

from mjscene import AttachmentSpec, FloorSpec, RobotSpec, SceneObject, body, frame, site

# F05: a free joint below the top level

MOUNTS = """<mujoco model="mounts"><worldbody><site name="spot" pos="1 0 0"/>
 <frame name="outer" pos="0 1 0"><frame name="inner" pos="0 0 1"/></frame>
 <body name="mount"><geom size=".05"/><frame name="inside" pos="0 0 .1"/></body>
 </worldbody></mujoco>"""


@pytest.mark.parametrize("target", [site("a/tip"), body("a/link")])
def test_f05_a_floating_robot_on_a_moving_mount_is_refused_with_robot_joint_and_mount(
    target: Any,
) -> None:
    error = refusal(
        RobotSpec(ARM, prefix="a/"), RobotSpec(FLOAT, prefix="f/", attach_to=target, name="floater")
    )
    assert "robot 'floater'" in str(error)
    assert "free joint 'root'" in str(error)
    assert str(target) in str(error)
    assert error.where == "robots[1].attach_to"


@pytest.mark.parametrize("target", [body("m/mount"), frame("m/inside")])
def test_f05_so_is_one_on_a_mount_that_does_not_move(target: Any) -> None:
    error = refusal(RobotSpec(MOUNTS, prefix="m/"), RobotSpec(FLOAT, prefix="f/", attach_to=target))
    assert "free joint 'root'" in str(error)
    assert str(target) in str(error)


def test_f05_a_floating_attachment_or_a_floating_robot_on_an_object_is_refused() -> None:
    tool = AttachmentSpec(FLOAT, attach_to=site("tip"), prefix="f_", name="drone")
    error = refusal(RobotSpec(ARM, prefix="a/", attachments=(tool,)))
    assert "attachment 'a.drone'" in str(error)
    assert error.where == "robots[0].attachments[0].attach_to"
    table = SceneObject("table", shape="box", size=[1, 1, 0.1], fixed=True)
    error = refusal(RobotSpec(FLOAT, prefix="f/", attach_to=body("table")), objects=[table])
    assert "body 'table'" in str(error)


@pytest.mark.parametrize(
    ("target", "where"), [(site("m/spot"), (1, 0, 0)), (frame("m/inner"), (0, 1, 1))]
)
def test_f05_frames_and_sites_of_the_world_take_a_floating_robot(
    target: Any, where: tuple[float, ...]
) -> None:
    scene = build(
        RobotSpec(MOUNTS, prefix="m/"),
        RobotSpec(FLOAT, prefix="f/", attach_to=target, pos=(0, 0, 2), home="home"),
    )
    assert scene.model.nq == 7
    np.testing.assert_allclose(scene.data.qpos[:3], np.add(where, (0, 0, 3)), atol=1e-15)


# F09: empty prefixes and default classes of one name


def classed(name: str, colour: str, size: float) -> str:
    """A robot whose main default and class ``lol`` are its own."""
    return f"""<mujoco model="{name}"><default><geom rgba="{colour}"/><default class="lol">
     <geom size="{size}"/></default></default><worldbody><body name="{name}">
     <geom name="{name}" class="lol"/><site name="{name}"/></body></worldbody></mujoco>"""


GREEN, RED = classed("green", "0 1 0 1", 0.9), classed("red", "1 0 0 1", 0.2)


@pytest.mark.parametrize(
    ("nested", "prefixes"),
    [
        *((False, p) for p in (("", "a/"), ("a/", ""), ("a/", "b/"))),
        *((True, p) for p in (("", "t_"), ("a/", ""), ("a/", "t_"), ("", ""))),
    ],
)
def test_f09_classes_of_one_name_stay_apart_and_the_saved_scene_loads_again(
    tmp_path: Path, *, nested: bool, prefixes: tuple[str, str]
) -> None:
    if nested:  # the second prefix is that of an attachment: "" adds nothing to its robot's
        tool = AttachmentSpec(RED, attach_to=site("green"), prefix=prefixes[1])
        scene = build(RobotSpec(GREEN, prefix=prefixes[0], attachments=(tool,)))
        names = (f"{prefixes[0]}green", f"{prefixes[0]}{prefixes[1]}red")
    else:
        scene = build(RobotSpec(GREEN, prefix=prefixes[0]), RobotSpec(RED, prefix=prefixes[1]))
        names = (f"{prefixes[0]}green", f"{prefixes[1]}red")
    reloaded = mujoco.MjModel.from_xml_path(str(scene.save(tmp_path / "saved")))
    for model in (scene.model, reloaded):
        found = [model.geom(n) for n in names]
        assert [g.size[0] for g in found] == [0.9, 0.2]
        np.testing.assert_array_equal([g.rgba for g in found], [(0, 1, 0, 1), (1, 0, 0, 1)])


def test_f09_owners_that_come_to_one_prefix_by_different_ways_can_be_saved(tmp_path: Path) -> None:
    tool = AttachmentSpec(RED, attach_to=site("green"), prefix="b/")
    blue = classed("blue", "0 0 1 1", 0.4)
    thing = SceneObject("b", path=classed("white", "1 1 1 1", 0.5), fixed=True)
    meet = build(
        RobotSpec(GREEN, prefix="a", attachments=(tool,)), RobotSpec(blue, prefix="ab/", name="x")
    )
    other = build(RobotSpec(blue, prefix="b/", name="x"), objects=[thing])
    for scene in (meet, other):
        reloaded = mujoco.MjModel.from_xml_path(str(scene.save(tmp_path / "saved")))
        for g in range(scene.model.ngeom):
            name = scene.model.geom(g).name
            np.testing.assert_array_equal(reloaded.geom(name).rgba, scene.model.geom(g).rgba)
            np.testing.assert_array_equal(reloaded.geom(name).size, scene.model.geom(g).size)


def test_f09_an_empty_prefix_gives_no_warning_about_saving_that_is_not_true() -> None:
    tool = AttachmentSpec(RED, attach_to=site("green"))
    assert build(RobotSpec(GREEN, attachments=(tool,))).report.warnings == ()


# F10: defaults that leak

LEAKY = """<mujoco model="leaky"><default><geom friction=".1 .2 .3" density="5" rgba="1 0 0 1"
 condim="6"/><joint damping="50" armature="3"/><site rgba="0 1 0 1"/><camera fovy="10"/>
 <default class="robot"><joint damping="{damping}"/><position kp="{kp}"/></default></default>
 <worldbody><body name="link" childclass="robot"><joint name="j"/><geom name="g" size=".1"/>
 <site name="tip"/></body></worldbody>
 <actuator><position class="robot" name="servo" joint="j"/></actuator></mujoco>"""
PER_NAME = {
    "joint": (OBJ.mjOBJ_JOINT, "jnt_stiffness jnt_range jnt_solref jnt_margin"),
    "geom": (OBJ.mjOBJ_GEOM, "geom_friction geom_solref geom_solimp geom_rgba geom_condim"),
    "body": (OBJ.mjOBJ_BODY, "body_mass body_inertia body_gravcomp"),
    "site": (OBJ.mjOBJ_SITE, "site_rgba site_size"),
    "actuator": (OBJ.mjOBJ_ACTUATOR, "actuator_gainprm actuator_biasprm actuator_gear"),
}


def assert_as_alone(scene: Any, robot: Any, file: str) -> None:
    """Every named element of a robot has the values that it has in its file alone."""
    own = alone(file)
    for kind, (obj, fields) in PER_NAME.items():
        names = robot.names(kind)
        assert names, kind
        here = ids(scene.model, obj, *names)
        there = ids(own, obj, *(n[len(robot.prefix) :] for n in names))
        for field in fields.split():
            np.testing.assert_array_equal(
                getattr(scene.model, field)[here], getattr(own, field)[there]
            )
        if kind == "joint":
            for field in ("dof_damping", "dof_armature"):
                np.testing.assert_array_equal(
                    getattr(scene.model, field)[scene.model.jnt_dofadr[here]],
                    getattr(own, field)[own.jnt_dofadr[there]],
                )


@pytest.mark.parametrize("prefixes", [("a/", "b/", "c/"), ("", "b/", "c/"), ("a/", "b/", "")])
def test_f10_every_robot_keeps_its_own_defaults(prefixes: tuple[str, str, str]) -> None:
    files = (LEAKY.format(damping=3, kp=30), LEAKY.format(damping=7, kp=70), ARM)
    scene = build(
        *(
            RobotSpec(f, prefix=p, name=f"r{i}", pos=(i, 0, 0))
            for i, (f, p) in enumerate(zip(files, prefixes, strict=True))
        )
    )
    for i, (file, damping) in enumerate(zip(files, (3, 7, 0), strict=True)):
        assert_as_alone(scene, scene.robots[f"r{i}"], file)
        assert scene.model.joint(f"{prefixes[i]}j").damping[0] == damping


@pytest.mark.parametrize("prefix", ["", "t_"])
def test_f10_an_attachment_keeps_its_defaults_on_a_robot_with_others(prefix: str) -> None:
    tool = ARM.replace('"link"', '"hand"').replace('"j"', '"k"').replace('"g"', '"h"')
    tool = tool.replace('"tip"', '"end"').replace('"servo"', '"grip"')
    robot = LEAKY.format(damping=3, kp=30)
    part = AttachmentSpec(tool, attach_to=site("tip"), prefix=prefix, name="tool")
    scene = build(RobotSpec(robot, prefix="a/", attachments=(part,)))
    assert_as_alone(scene, scene.robots["a"], robot)
    assert_as_alone(scene, scene.robots["a"].attachments["tool"], tool)


@pytest.mark.parametrize("prefix", ["", "a/"])
def test_f10_the_scenes_own_things_take_nothing_from_a_robots_defaults(prefix: str) -> None:
    plain = alone("""<mujoco><worldbody><body name="cube"><freejoint name="cube_joint0"/>
     <geom name="cube" type="box" size=".1 .1 .1"/></body></worldbody></mujoco>""")
    cube = SceneObject("cube", shape="box", size=[0.1] * 3, pos=(3, 0, 0))
    robot = RobotSpec(LEAKY.format(damping=3, kp=30), prefix=prefix)
    scene = build(robot, objects=[cube], floor=FloorSpec(friction=(0.7,)))
    for field in ("friction", "condim", "rgba", "solref", "margin"):
        found = getattr(scene.model.geom("cube"), field)
        np.testing.assert_array_equal(found, getattr(plain.geom("cube"), field), err_msg=field)
    assert scene.model.body("cube").mass[0] == plain.body("cube").mass[0] == pytest.approx(8.0)
    np.testing.assert_array_equal(scene.model.joint("cube_joint0").damping, 0)
    np.testing.assert_array_equal(scene.model.geom("floor").friction, (0.7, 0.005, 0.0001))
    assert scene.model.geom("floor").condim[0] == 3


# F16: plugin actuators of several robots

PLUGIN = """<mujoco model="p"><extension><plugin plugin="mujoco.pid"><instance name="pid">
 <config key="kp" value="40"/><config key="ki" value="0"/><config key="kd" value="4"/></instance>
 </plugin></extension><worldbody><body name="l"><joint name="j" type="slide"/>
 <geom size=".1" mass="1"/></body></worldbody>
 <actuator><plugin name="drive" joint="j" plugin="mujoco.pid" instance="pid"/></actuator>
 </mujoco>"""
PROGRAM = """
import json, pathlib, sys, mujoco, mjscene
folder = pathlib.Path(mujoco.__file__).parent / "plugin"
mujoco.mj_loadPluginLibrary(str(next(folder.glob("*actuator*"))))
xml = sys.stdin.read()
scene = mjscene.build_scene(mjscene.SceneSpec([
    mjscene.RobotSpec(xml, prefix="a/"), mjscene.RobotSpec(xml, prefix="b/", pos=(0, 3, 0))]))
scene.data.ctrl[:] = [1, 2]
scene.forward()
before = scene.data.actuator_force.tolist()
scene.add_object(mjscene.SceneObject("cube", shape="box", size=[.1, .1, .1], pos=(9, 0, 0)))
print(json.dumps([scene.model.nplugin, before, scene.data.actuator_force.tolist(),
                  scene.robots["a"].names("plugin"), scene.robots["b"].names("actuator")]))
"""


def test_f16_plugin_actuators_work_in_every_robot_and_the_process_ends_cleanly(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=PLUGIN,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    nplugin, before, after, plugins, actuators = json.loads(done.stdout)
    assert (nplugin, before, after) == (2, [40, 80], [40, 80])  # kp * ctrl, at rest at 0
    assert (plugins, actuators) == (["a/pid"], ["b/drive"])
    assert list(tmp_path.iterdir()) == []


def test_f16_a_plugin_that_is_not_loaded_is_named_with_its_robot() -> None:
    missing = PLUGIN.replace("mujoco.pid", "nobody.has_this")
    error = refusal(RobotSpec(ARM, prefix="a/"), RobotSpec(missing, prefix="b/"))
    assert "nobody.has_this" in str(error)
    assert "robots[1]" in str(error)
