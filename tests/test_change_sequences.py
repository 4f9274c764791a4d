"""Random sequences of additions and removals while a scene runs, against one that never changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from field_models import build
from hypothesis import given, settings
from hypothesis import strategies as st
from running_scene import by_name, differences, lively, object_named

from mjscene import CtrlMode, CtrlModeSpec, RobotSpec, SceneObject
from mjscene.errors import MjsceneError

NAMES = [f"thing{k}" for k in range(5)]
SHAPES = ("box", "sphere", "capsule")
MOTIONS: tuple[dict[str, bool], ...] = ({}, {"fixed": True}, {"mocap": True})
ADD = st.tuples(
    st.just("add"), st.sampled_from(NAMES), st.sampled_from(SHAPES), st.sampled_from(MOTIONS)
)
REMOVE = st.tuples(st.just("remove"), st.sampled_from(NAMES))
STEP = st.tuples(st.just("step"), st.integers(1, 8))
PUSH = st.tuples(st.just("push"), st.sampled_from(NAMES), st.floats(-5, 5, width=32))
SEQUENCES = st.lists(ADD | REMOVE | STEP | PUSH, min_size=1, max_size=12)


def things(scene: Any) -> set[str]:
    """The objects that the model has."""
    bodies = (scene.model.body(i).name for i in range(1, scene.model.nbody))
    return {name for name in bodies if not name.startswith("a/")}


def change(scene: Any, there: dict[str, SceneObject], action: Any) -> None:
    """Add or remove an object, or be refused and stay."""
    before = by_name(scene)
    if action[0] == "add":
        _, name, shape, motion = action
        thing = object_named(name, NAMES.index(name), shape, **motion)
        allowed = name not in there
    else:
        name, allowed = action[1], action[1] in there
    model = scene.model
    try:
        scene.add_object(thing) if action[0] == "add" else scene.remove_object(name)
    except MjsceneError:
        assert not allowed
        assert scene.model is model
    else:
        assert allowed
        if action[0] == "add":
            there[name] = thing
        else:
            del there[name]
    assert differences(before, by_name(scene)) == []


@given(SEQUENCES)
@settings(max_examples=50, deadline=None)
def test_any_sequence_of_changes_leaves_the_rest_alone(actions: list[Any]) -> None:
    scene, quiet = lively(steps=5), lively(steps=5)
    robot = scene.robots["a"]
    joints = [quiet.model.joint(i).name for i in range(quiet.model.njnt)]
    there: dict[str, SceneObject] = {}
    for action in actions:
        if action[0] == "step":
            scene.step(action[1])
            quiet.step(action[1])
        elif action[0] == "push":
            if action[1] in there:
                scene.data.body(action[1]).xfrc_applied[1] = action[2]
        else:
            change(scene, there, action)
        assert things(scene) == set(there) == {o.name for o in scene.spec.objects}
        assert scene.time == quiet.time
        assert scene.robots["a"] == robot
    for name in joints:
        np.testing.assert_allclose(
            scene.data.joint(name).qpos, quiet.data.joint(name).qpos, rtol=0, atol=1e-11
        )


ARM = """<mujoco model="arm"><worldbody><body name="l"><joint name="j" axis="0 1 0"/>
 <geom type="capsule" fromto="0 0 0 .5 0 0" size=".03" mass="1" contype="0" conaffinity="0"/>
 </body></worldbody><actuator><position name="servo" joint="j" kp="100" kv="10"/></actuator>
 </mujoco>"""


@given(st.lists(st.sampled_from(["add", "remove", "torque", "position", "step"]), max_size=12))
@settings(max_examples=50, deadline=None)
def test_handles_modes_and_commands_outlive_every_change(actions: list[str]) -> None:
    def made(*objects: SceneObject) -> Any:
        modes = (CtrlModeSpec(CtrlMode.TORQUE),)
        robots = [RobotSpec(ARM, prefix=p, pos=(0, i, 0), modes=modes) for i, p in enumerate("ab")]
        return build(*robots, objects=objects)

    first = object_named("thing", 1)
    scene, quiet = made(first), made(first)
    handles = [(scene.robots[p], quiet.robots[p]) for p in "ab"]
    there = True
    for k, action in enumerate(actions):
        if action == "step":
            scene.step(3)
            quiet.step(3)
        elif action in ("torque", "position"):
            for changing, still in handles[k % 2 : k % 2 + 1]:
                changing.set_control_mode(CtrlMode[action.upper()])
                still.set_control_mode(CtrlMode[action.upper()])
                changing.command[:] += 0.125
                still.command[:] += 0.125
        elif (action == "add") != there:
            scene.add_object(first) if action == "add" else scene.remove_object("thing")
            there = action == "add"
        for changing, still in handles:
            assert changing.ctrl_modes == still.ctrl_modes
            np.testing.assert_array_equal(changing.command, still.command)
            assert scene.model.joint(changing.joint_ids[0]).name == changing.joint_names[0]
            np.testing.assert_allclose(
                scene.data.qpos[changing.qpos_adr], quiet.data.qpos[still.qpos_adr], atol=1e-12
            )
            np.testing.assert_allclose(
                scene.data.qvel[changing.dof_adr], quiet.data.qvel[still.dof_adr], atol=1e-11
            )


def test_an_object_with_actuators_shifts_no_command_of_a_robot() -> None:
    crate = """<mujoco model="c"><worldbody><body name="b"><geom size=".1"/><body name="lid">
     <joint name="h"/><geom size=".05"/></body></body></worldbody>
     <actuator><motor name="open" joint="h"/><motor name="shut" joint="h"/></actuator></mujoco>"""
    thing = SceneObject("crate", path=crate, pos=(9, 9, 9))
    robots = [RobotSpec(ARM, prefix=p, pos=(0, i, 0)) for i, p in enumerate("ab")]
    scene, quiet = build(*robots), build(*robots)
    handles = [(scene.robots[p], quiet.robots[p]) for p in "ab"]
    for change in (None, scene.add_object, scene.remove_object):
        if change is not None:
            change(thing if change == scene.add_object else "crate")
        for k, (changing, still) in enumerate(handles):
            for handle in (changing, still):
                handle.set_control_mode("torque")
                handle.command[:] = 1.5 + k
        scene.step(20)
        quiet.step(20)
        for changing, still in handles:
            assert changing.names("actuator") == still.names("actuator")
            np.testing.assert_allclose(
                scene.data.qpos[changing.qpos_adr], quiet.data.qpos[still.qpos_adr], atol=1e-13
            )
        effort = scene.data.qfrc_actuator[[int(h.dof_adr[0]) for h, _ in handles]]
        np.testing.assert_allclose(effort, (1.5, 2.5), rtol=1e-12)
