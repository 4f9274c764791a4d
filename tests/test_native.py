"""What a file's own actuators are: every row of the table of natives in the design."""

from __future__ import annotations

import subprocess
import sys

import mujoco
import numpy as np
import pytest
from field_models import alone, build
from mode_models import POSITION, TORQUE, VELOCITY, acting, send

from mjscene import CtrlMode, CtrlModeSpec, ModeError, RobotSpec

BENCH = """<mujoco model="bench"><option gravity="0 0 0" timestep=".002" {option}/><worldbody>
 <site name="ws" pos="0 0 1"/>
 <body name="a"><joint name="j" axis="0 0 1"/><geom size=".1" mass="1" pos=".2 0 0"/>
  <site name="sa" pos=".3 .1 0"/>
  <body name="b" pos=".4 0 0"><joint name="k" type="slide" axis="1 0 0"/>
   <geom size=".1" mass="1"/><site name="sb" pos=".1 .1 .1"/></body></body>
 <body name="c" pos="0 2 0"><joint name="ball" type="ball"/><geom size=".1" mass="1"/></body>
 <body name="d" pos="0 4 0"><freejoint name="free"/><geom size=".1" mass="1"/></body></worldbody>
 <tendon><fixed name="t"><joint joint="j" coef="1"/><joint joint="k" coef="2"/></fixed>
  <spatial name="sp"><site site="ws"/><site site="sb"/></spatial>
  <spatial name="inner"><site site="sa"/><site site="sb"/></spatial></tendon>
 <actuator>{actuator}</actuator></mujoco>"""


def bench(actuator: str, option: str = "") -> str:
    return BENCH.format(actuator=actuator, option=option)


MANAGED: dict[str, tuple[str, CtrlMode]] = {
    "motor": ('<motor name="x" joint="j"/>', TORQUE),
    "motor, gear 0.5": ('<motor name="x" joint="j" gear=".5"/>', TORQUE),
    "motor, gear -20": ('<motor name="x" joint="j" gear="-20"/>', TORQUE),
    "motor, negative gain": ('<general name="x" joint="j" gainprm="-2"/>', TORQUE),
    "filtered motor": ('<general name="x" joint="j" dyntype="filter" dynprm=".1"/>', TORQUE),
    "filterexact": ('<general name="x" joint="j" dyntype="filterexact" dynprm=".1"/>', TORQUE),
    "motor in the parent": ('<motor name="x" jointinparent="j"/>', TORQUE),
    "position": ('<position name="x" joint="j" kp="40" kv="3"/>', POSITION),
    "position, gear": ('<position name="x" joint="j" kp="40" kv="3" gear="-4"/>', POSITION),
    "position, damping ratio": ('<position name="x" joint="j" kp="9" dampratio="1"/>', POSITION),
    "position, filtered": ('<position name="x" joint="j" kp="9" timeconst=".1"/>', POSITION),
    "gain other than kp": (
        '<general name="x" joint="j" gainprm="50" biastype="affine" biasprm="3 -40 -2"/>',
        POSITION,
    ),
    "pid": ('<pid name="x" joint="j" kp="30" kv="1"/>', POSITION),
    "pid, integral": ('<pid name="x" joint="j" kp="30" kv="1" ki="2"/>', POSITION),
    "pid, pos alone": ('<pid name="x" joint="j" kp="30" input="pos"/>', POSITION),
    "pid, all inputs": ('<pid name="x" joint="j" kp="30" kv="1" input="pos vel ff"/>', POSITION),
    "pid, slew": ('<pid name="x" joint="j" kp="30" ki="2" slewmax="9"/>', POSITION),
    "velocity": ('<velocity name="x" joint="j" kv="6"/>', VELOCITY),
    "velocity, gear": ('<velocity name="x" joint="j" kv="6" gear="-3"/>', VELOCITY),
}

AFFINE = '<general name="x" joint="j" gainprm="5" biastype="affine" biasprm="{}"/>'
# The actuator, and the joints that it moves.
UNMANAGED: dict[str, tuple[str, tuple[str, ...]]] = {
    "muscle": ('<muscle name="x" joint="j"/>', ("j",)),
    "adhesion": ('<adhesion name="x" body="b" ctrlrange="0 1"/>', ()),
    "damper": ('<damper name="x" joint="j" kv="2" ctrlrange="0 1"/>', ("j",)),
    "cylinder": ('<cylinder name="x" joint="j" area="2"/>', ("j",)),
    "cylinder with bias": ('<cylinder name="x" joint="j" area="2" bias="0 -1 -2"/>', ("j",)),
    "intvelocity": ('<intvelocity name="x" joint="j" kp="5" actrange="-1 1"/>', ("j",)),
    "dcmotor": ('<dcmotor name="x" joint="j" motorconst="1 1" resistance="1"/>', ("j",)),
    "orientation": ('<orientation name="x" joint="ball" kp="3"/>', ()),
    "pid without position": ('<pid name="x" joint="j" kp="3" kv="1" input="vel"/>', ("j",)),
    "tendon": ('<motor name="x" tendon="t"/>', ("j", "k")),
    "tendon servo": ('<position name="x" tendon="t" kp="9"/>', ("j", "k")),
    "spatial tendon": ('<motor name="x" tendon="sp"/>', ("j", "k")),
    "tendon between links": ('<motor name="x" tendon="inner"/>', ("k",)),
    "site": ('<motor name="x" site="sb" gear="1 0 0 0 0 0"/>', ("j", "k")),
    "site and refsite": (
        '<motor name="x" site="sa" refsite="sb" gear="1 0 0 0 0 0"/>',
        ("k",),
    ),
    "slider-crank": (
        '<motor name="x" slidersite="sa" cranksite="sb" cranklength=".5"/>',
        ("k",),
    ),
    "ball": ('<motor name="x" joint="ball" gear="1 0 0"/>', ()),
    "ball in the parent": ('<motor name="x" jointinparent="ball" gear="1 0 0"/>', ()),
    "free": ('<motor name="x" joint="free" gear="1 0 0 0 0 0"/>', ()),
    "gear 0": ('<motor name="x" joint="j" gear="0"/>', ("j",)),
    "delay": ('<motor name="x" joint="j" delay=".01" nsample="5"/>', ("j",)),
    "damped motor": (AFFINE.format("0 0 -3"), ("j",)),
    "motor with an offset": (AFFINE.format("2 0 0"), ("j",)),
    "repelling spring": (AFFINE.format("0 3 0"), ("j",)),
}


@pytest.mark.parametrize("row", MANAGED)
def test_a_managed_actuator_gives_its_joint_its_mode(row: str) -> None:
    actuator, mode = MANAGED[row]
    scene = build(RobotSpec(bench(actuator), prefix="r/", modes=()))
    robot = scene.robots["r"]
    assert dict(robot.offers) == {"r/j": (mode,)}
    assert robot.ctrl_mode is mode
    assert scene.unmanaged == ()
    assert scene.actuators["r/x"].managed
    assert scene.actuators["r/x"].group == 1 + mode


@pytest.mark.parametrize("row", MANAGED)
def test_a_command_is_where_the_effort_vanishes_or_is_the_effort(row: str) -> None:
    # The meaning of each mode, asked of MuJoCo: no effort at the commanded position at rest, none
    # at the commanded velocity, and the effort itself.
    actuator, mode = MANAGED[row]
    scene = build(RobotSpec(bench(actuator), modes=()))
    model, data = scene.model, scene.data
    scene.robots["bench"].command = [0.3]
    send(scene)
    if model.actuator_actnum[0] == 1 and mode is not POSITION:
        data.act[:] = data.ctrl[:1]  # the filter settled
    elif "filtered" in row or "slew" in row:
        data.act[0] = data.ctrl[0]
    data.joint("j").qpos[:] = 0.3 if mode is POSITION else 0.1
    data.joint("j").qvel[:] = {POSITION: 0.0, TORQUE: 0.2, VELOCITY: 0.3}[mode]
    mujoco.mj_forward(model, data)
    wanted = 0.3 if mode is TORQUE else 0.0
    found = float(data.qfrc_actuator[model.joint("j").dofadr[0]])
    assert found == pytest.approx(wanted, abs=1e-12)
    data.joint("j").qpos[:] += 0.1
    data.joint("j").qvel[:] += 0.1
    mujoco.mj_forward(model, data)
    moved = float(data.qfrc_actuator[model.joint("j").dofadr[0]])
    assert moved == pytest.approx(0.3, abs=1e-12) if mode is TORQUE else moved < -0.01


@pytest.mark.parametrize("row", UNMANAGED)
def test_an_unmanaged_actuator_gives_no_mode_and_stays_in_group_0(row: str) -> None:
    scene = build(RobotSpec(bench(UNMANAGED[row][0]), prefix="r/"))
    assert scene.robots["r"].joint_names == ()
    assert scene.unmanaged == ("r/x",)
    assert not scene.actuators["r/x"].managed
    assert scene.actuators["r/x"].group == 0
    assert scene.model.nactuator == 1, "nothing is added to a joint that something else drives"


@pytest.mark.parametrize("row", UNMANAGED)
def test_an_unmanaged_actuator_moves_the_robot_as_in_its_file(row: str) -> None:
    xml = bench(UNMANAGED[row][0])
    model = alone(xml)
    data = mujoco.MjData(model)
    scene = build(RobotSpec(xml))
    ctrl = np.full(scene.actuators["x"].ctrl.shape, 0.4)
    scene.actuators["x"].ctrl = ctrl
    data.ctrl[:] = ctrl
    mujoco.mj_forward(model, data)
    for _ in range(20):
        mujoco.mj_step(model, data)
    scene.step(20)
    np.testing.assert_array_equal(scene.data.qpos, data.qpos)


@pytest.mark.parametrize("row", [r for r in UNMANAGED if UNMANAGED[r][1]])
def test_the_joints_that_an_unmanaged_actuator_moves_take_modes_when_named(row: str) -> None:
    actuator, joints = UNMANAGED[row]
    modes = (CtrlModeSpec(joints=("j", "k")),)
    robot = build(RobotSpec(bench(actuator), modes=modes)).robots["bench"]
    expected = {name: None if name in joints else TORQUE for name in ("j", "k")}
    assert dict(zip(robot.joint_names, robot.ctrl_modes, strict=True)) == expected


@pytest.mark.parametrize("row", [r for r in UNMANAGED if UNMANAGED[r][1] and r != "gear 0"])
def test_the_joints_found_are_those_that_mujoco_finds_a_moment_on(row: str) -> None:
    # The oracle of the column above: MuJoCo's own moment arms at a state in general position.
    actuator, joints = UNMANAGED[row]
    model = alone(bench(actuator))
    data = mujoco.MjData(model)
    data.joint("j").qpos, data.joint("k").qpos = 0.3, 0.1
    mujoco.mj_forward(model, data)
    dofs = data.moment_colind[: int(data.moment_rownnz[0])]
    arms = data.actuator_moment[: int(data.moment_rownnz[0])]
    moved = {model.joint(int(model.dof_jntid[d])).name for d in dofs[np.abs(arms) > 1e-9]}
    assert moved <= set(joints)
    assert moved


def test_several_actuators_on_one_joint_give_it_no_mode() -> None:
    both = '<position name="x" joint="j" kp="9"/><velocity name="y" joint="j" kv="1"/>'
    scene = build(RobotSpec(bench(both + '<motor name="z" joint="k"/>')))
    assert scene.unmanaged == ("x", "y")
    assert scene.robots["bench"].joint_names == ("k",)


def test_a_joint_with_a_motor_and_a_tendon_takes_no_mode_by_itself() -> None:
    scene = build(RobotSpec(bench('<motor name="x" joint="j"/><motor name="y" tendon="t"/>')))
    assert set(scene.unmanaged) == {"x", "y"}
    assert scene.robots["bench"].joint_names == ()


def test_an_actuator_that_its_file_disables_leaves_the_mode_to_the_other() -> None:
    both = '<position name="x" joint="j" kp="9"/><motor name="y" joint="j" group="4"/>'
    xml = bench(both, 'actuatorgroupdisable="4"')
    scene = build(RobotSpec(xml, regroup=True, modes=()))
    assert dict(scene.robots["bench"].offers) == {"j": (POSITION,)}
    assert scene.unmanaged == ("y",)
    assert acting(scene) == {"x"}


@pytest.mark.parametrize("joint", ["free", "ball"])
def test_f34_free_and_ball_joints_are_refused_by_name_and_not_counted(joint: str) -> None:
    motors = '<motor name="x" joint="j"/><motor name="y" joint="k"/>'
    assert build(RobotSpec(bench(motors))).robots["bench"].joint_names == ("j", "k")
    with pytest.raises(ModeError, match=f"no hinge or slide joint '{joint}'") as caught:
        build(RobotSpec(bench(motors), modes=(CtrlModeSpec(joints=("j", joint)),)))
    assert caught.value.where == "robots[0].modes[0].joints"
    assert caught.value.element == joint


PLUGIN = """
import pathlib, sys, warnings
import mujoco, mjscene
warnings.simplefilter("ignore")
folder = pathlib.Path(mujoco.__file__).parent / "plugin"
mujoco.mj_loadPluginLibrary(str(next(folder.glob("*actuator*"))))
build = lambda *modes: mjscene.build_scene(
    mjscene.SceneSpec([mjscene.RobotSpec(sys.argv[1], modes=modes)]))
scene = build(mjscene.CtrlModeSpec())
scene.actuators["x"].ctrl = 0.5
scene.step()
print(scene.unmanaged, scene.robots["bench"].joint_names, *scene.data.joint("j").qfrc_actuator)
try:
    scene = build(mjscene.CtrlModeSpec(joints=("j",)))
except mjscene.ModeError as error:
    print("refused:", error)
else:
    scene.actuators["x"].ctrl = 0.5
    scene.robots["bench"].set_control_mode("torque", transfer="hold")
    scene.forward()
    print(*scene.data.joint("j").qfrc_actuator)
"""


def test_a_plugin_gives_no_mode_and_never_acts_beside_one() -> None:
    # MuJoCo 4.0.0 applies the force of a plugin whose group is disabled: either mjscene mutes it by
    # other means, or it refuses modes on its joint.
    head = """<extension><plugin plugin="mujoco.pid"><instance name="pid">
     <config key="kp" value="40"/></instance></plugin></extension>"""
    xml = bench('<plugin name="x" joint="j" plugin="mujoco.pid" instance="pid"/>')
    xml = xml.replace("<worldbody>", head + "<worldbody>", 1)
    done = subprocess.run(
        [sys.executable, "-c", PLUGIN, xml], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    native, named = done.stdout.splitlines()
    assert native == "('x',) () 20.0"
    if named.startswith("refused:"):
        assert "'j'" in named
        assert "'x'" in named
    else:
        assert float(named) == 0.0
