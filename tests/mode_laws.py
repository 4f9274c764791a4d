"""A two-joint arm under gravity with each kind of actuator that a joint can have, as MJCF."""

from __future__ import annotations

from mjscene import CtrlMode, CtrlModeSpec

__all__ = ["DRIVES", "JOINTS", "LAWS", "MODES", "URDF", "arm"]

JOINTS = ("j1", "j2")
# Gains for links of 0.08 and 0.03 kg m²: stable under implicitfast with steps of 2 ms.
MODES = (
    CtrlModeSpec(CtrlMode.POSITION, joints=JOINTS, kp=150.0, kd=15.0),
    CtrlModeSpec(CtrlMode.TORQUE, joints=JOINTS),
    CtrlModeSpec(CtrlMode.VELOCITY, joints=JOINTS, kv=12.0),
)
_TENDON = (
    '<tendon><fixed name="t"><joint joint="j1" coef="1"/><joint joint="j2" coef="-.5"/>'
    "</fixed></tendon>"
)


def arm(actuators: str, joint: str = "", *, tendon: bool = False) -> str:
    """The arm: ``@`` in its actuators stands for 1 and 2.

    Args:
        actuators: Elements; with an ``@`` in them, once per joint.
        joint: Attributes of both joints.
        tendon: Whether a tendon ``t`` runs over both.
    """
    if "@" in actuators:
        actuators = actuators.replace("@", "1") + actuators.replace("@", "2")
    geom = 'type="capsule" size=".02" contype="0" conaffinity="0"'
    return f"""<mujoco model="arm"><option timestep="0.002" integrator="implicitfast"/><worldbody>
 <body name="l1"><joint name="j1" axis="0 -1 0" {joint}/>
 <geom {geom} fromto="0 0 0 .5 0 0" mass="1"/>
 <body name="l2" pos=".5 0 0" gravcomp=".5"><joint name="j2" axis="0 -1 0" {joint}/>
 <geom {geom} fromto="0 0 0 .4 0 0" mass=".5"/></body></body></worldbody>
 {_TENDON if tendon else ""}<actuator>{actuators}</actuator></mujoco>"""


_FILTERED = '<general name="a@" joint="j@" dyntype="filter" dynprm=".03" gainprm="5" {}/>'
_SERVO = '<position name="a@" joint="j@" kp="200" kv="20" {}/>'
_PID = '<pid name="a@" joint="j@" kp="200" kv="20" {}/>'
_BY_DRIVE = 'actuatorgravcomp="true"'

# Actuators that give their joint a mode.
LAWS = {
    "motor": arm('<motor name="a@" joint="j@" gear="30" ctrlrange="-1 1"/>'),
    "motor_filtered": arm(_FILTERED.format("")),
    "motor_filtered_exactly": arm(
        _FILTERED.format('gear="-3"').replace('"filter"', '"filterexact"')
    ),
    "motor_filtered_early": arm(_FILTERED.format('actearly="true"')),
    "servo_filtered": arm(_SERVO.format('timeconst=".02"')),
    "servo_filtered_early": arm(
        _FILTERED.format('biastype="affine" biasprm="0 -200 -20" actearly="true"').replace(
            'gainprm="5"', 'gainprm="200"'
        )
    ),
    "servo_of_limited_activation": arm(
        _FILTERED.format(
            'biastype="affine" biasprm="0 -200 -20" actlimited="true" actrange="-.5 .5"'
        ).replace('gainprm="5"', 'gainprm="200"')
    ),
    "pid_integral": arm(_PID.format('ki="300" imax=".05"')),
    "pid_slew": arm(_PID.format('slewmax="1"')),
    "pid_both": arm(_PID.format('ki="300" slewmax="1" gear="-4"')),
    "pid_limited": arm(_PID.format('ki="300" slewmax="1" forcerange="-3 3" posrange="-1 1"')),
    "pid_inputs": arm(_PID.format('input="pos vel ff"')),
    "gear_half": arm(_SERVO.format('gear=".5"')),
    "gear_four": arm('<position name="a@" joint="j@" kp="12" kv="1" gear="4"/>'),
    "gear_minus_twenty": arm('<position name="a@" joint="j@" kp="1" kv=".1" gear="-20"/>'),
    "affine": arm(
        '<general name="a@" joint="j@" gainprm="7" biastype="affine" biasprm="1.5 -120 -9"/>'
    ),
    "affine_geared": arm(
        '<general name="a@" joint="j@" gainprm="7" biastype="affine" biasprm="1.5 -30 -2"'
        ' gear="-2"/>'
    ),
    "velocity": arm('<velocity name="a@" joint="j@" kv="3" gear="-2" forcerange="-30 20"/>'),
    "gravity_by_drive": arm(_SERVO.format(""), _BY_DRIVE),
    "gravity_by_drive_filtered": arm(_SERVO.format('timeconst=".02"'), _BY_DRIVE),
    "gravity_by_drive_limited": arm(
        _SERVO.format('timeconst=".02"'), f'{_BY_DRIVE} actuatorfrcrange="-4 4"'
    ),
    "joint_limited": arm(_SERVO.format(""), 'actuatorfrcrange="-4 4"'),
    "joint_limited_filtered": arm(_SERVO.format('timeconst=".02"'), 'actuatorfrcrange="-4 4"'),
}

# Actuators that give none, on joints that are named for modes.
DRIVES = {
    "tendon_motor": arm('<motor name="d" tendon="t" gear="2"/>', tendon=True),
    "tendon_motor_limited": arm('<motor name="d" tendon="t" ctrlrange="-1 1"/>', tendon=True),
    "tendon_servo": arm('<position name="d" tendon="t" kp="100" kv="5"/>', tendon=True),
    "tendon_servo_filtered": arm(
        '<position name="d" tendon="t" kp="100" kv="5" timeconst=".02"/>', tendon=True
    ),
    "tendon_servo_gravity_by_drive": arm(
        '<position name="d" tendon="t" kp="100" kv="5"/>', _BY_DRIVE, tendon=True
    ),
    "two_motors": arm('<motor name="a@" joint="j@"/><motor name="b@" joint="j@" gear="-2"/>'),
    "servo_and_velocity": arm(
        '<position name="a@" joint="j@" kp="100"/><velocity name="b@" joint="j@" kv="5"/>'
    ),
    "tendon_beside_motor": arm(
        '<motor name="m" joint="j1"/><motor name="d" tendon="t"/>', tendon=True
    ),
}

URDF = """<robot name="two"><link name="base"/>
<link name="l1"><inertial><origin xyz=".25 0 0"/><mass value="1"/>
 <inertia ixx=".001" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="l2"><inertial><origin xyz=".2 0 0"/><mass value=".5"/>
 <inertia ixx=".001" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="l1"/><axis xyz="0 -1 0"/>
 <limit lower="-2" upper="2" effort="40" velocity="3"/></joint>
<joint name="j2" type="revolute"><parent link="l1"/><child link="l2"/>
 <origin xyz=".5 0 0"/><axis xyz="0 -1 0"/>
 <limit lower="-2" upper="2" effort="20" velocity="3"/></joint></robot>"""
