"""Small robots that the tests of control modes share, and what they ask of a running scene."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

import mjscene
from mjscene import CtrlMode, CtrlModeSpec

__all__ = [
    "GRAVITY_TORQUE",
    "POSITION",
    "TORQUE",
    "TWO",
    "VELOCITY",
    "acting",
    "assert_same",
    "effort",
    "everything",
    "rod",
    "send",
    "slider",
    "velocity",
]

POSITION, TORQUE, VELOCITY = CtrlMode.POSITION, CtrlMode.TORQUE, CtrlMode.VELOCITY
GRAVITY_TORQUE = 1 * 9.81 * 0.25  # m g L/2 of the rod when it is horizontal [N m]

_GEOM = '<geom type="capsule" fromto="0 0 0 {l} 0 0" size=".02" mass="1" contype="0"'
_GEOM += ' conaffinity="0"/>'


def rod(
    actuator: str = "", *, joint: str = "", option: str = "", head: str = "", tail: str = ""
) -> str:
    """A horizontal rod of 0.5 m and 1 kg on a hinge ``j``; at q > 0 it points up.

    Args:
        actuator: What is in ``<actuator>``.
        joint: Further attributes of the hinge.
        option: Attributes of ``<option>`` in place of implicitfast.
        head: Elements before the world.
        tail: Elements after the world.
    """
    option = option or 'integrator="implicitfast"'
    return f"""<mujoco model="rod"><option timestep="0.002" {option}/>{head}<worldbody>
     <body name="link"><joint name="j" axis="0 -1 0" {joint}/>{_GEOM.format(l=0.5)}</body>
     </worldbody><actuator>{actuator}</actuator>{tail}</mujoco>"""


TWO = f"""<mujoco model="two"><option timestep="0.002" integrator="implicitfast"/><worldbody>
 <body name="upper"><joint name="j1" axis="0 -1 0"/>{_GEOM.format(l=0.5)}
  <body name="lower" pos=".5 0 0"><joint name="j2" axis="0 -1 0"/>{_GEOM.format(l=0.3)}
   <site name="tip" pos=".3 0 0"/></body></body></worldbody>
 <actuator><position name="p1" joint="j1" kp="200" kv="20"/>
 <position name="p2" joint="j2" kp="100" kv="10"/></actuator></mujoco>"""


def slider(actuator: str = "") -> str:
    """A horizontal slide ``s`` of 1 kg: nothing moves it but its actuators."""
    return f"""<mujoco model="slider"><option timestep="0.002" integrator="implicitfast"/>
     <worldbody><body name="cart"><joint name="s" type="slide" axis="1 0 0"/>
     <geom size=".05" mass="1" contype="0" conaffinity="0"/></body></worldbody>
     <actuator>{actuator}</actuator></mujoco>"""


def velocity(kv: Any = 20.0, **fields: Any) -> CtrlModeSpec:
    """The velocity mode."""
    return CtrlModeSpec(VELOCITY, kv=kv, **fields)


def acting(scene: mjscene.Scene) -> set[str]:
    """The actuators that MuJoCo does not skip, by its rule: group 0 to 30 and its bit set."""
    mask, groups = int(scene.model.opt.disableactuator), scene.model.actuator_group
    return {
        scene.model.actuator(i).name
        for i in range(scene.model.nactuator)
        if not (0 <= groups[i] <= 30 and mask >> int(groups[i]) & 1)
    }


def effort(scene: mjscene.Scene) -> NDArray[np.float64]:
    """The drives' effort on every dof at the state of now (nv,), computed on a copy."""
    data = mujoco.MjData(scene.model)
    mujoco.mj_copyData(data, scene.model, scene.data)
    mujoco.mj_forward(scene.model, data)
    return np.array(data.qfrc_actuator)


def send(scene: mjscene.Scene) -> None:
    """Let commands take effect at the state of now: a step is taken, and taken back."""
    model, data, kind = scene.model, scene.data, mujoco.mjtState.mjSTATE_FULLPHYSICS
    state, warmstart = np.zeros(mujoco.mj_stateSize(model, kind)), data.qacc_warmstart.copy()
    mujoco.mj_getState(model, data, state, kind)
    scene.step()
    mujoco.mj_setState(model, data, state, kind)
    data.qacc_warmstart[:] = warmstart
    scene.forward()


def everything(scene: mjscene.Scene) -> dict[str, Any]:
    """Copies of all that a rejected call must leave alone."""
    data, model, table = scene.data, scene.model, scene.control.table
    fields = ("qpos", "qvel", "act", "ctrl", "mocap_pos", "qacc_warmstart", "qfrc_actuator")
    return {
        **{name: getattr(data, name).copy() for name in fields},
        "time": data.time,
        "group": model.actuator_group.copy(),
        "mask": int(model.opt.disableactuator),
        "command": table.command.copy(),
        "primed": table.primed.copy(),
        "mode": table.mode.copy(),
        "objects": scene.spec.objects,
        "model": id(model),
    }


def assert_same(now: dict[str, Any], before: dict[str, Any]) -> None:
    """Bit for bit, NaN equal to NaN."""
    for name, value in before.items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(now[name], value, err_msg=name)
        else:
            assert now[name] == value, name
