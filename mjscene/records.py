"""What is known of joints beyond position, velocity and effort, worked out when it is read.

After a step, efforts are those of the step just taken, and so is what is here but ``gravity``,
which is at the position of now:

* acceleration and jerk are differences of velocity over the last steps, 0 where there is no
  earlier one: before the first step, and for the jerk in the first one. Writing into ``qpos`` or
  ``qvel`` or changing objects begins anew;
* external effort is what contacts, limits, friction and other constraints, ``qfrc_applied`` and
  ``xfrc_applied`` do to a joint, so that M q̈ + bias = passive + effort + external. Applied forces
  are those that ``data`` holds: read it before writing the next. With RK4 all of it is of the last
  of the step's four stages. Under ``discrete`` MuJoCo's ``qacc`` is the step's change of velocity,
  of another inertia, and q̈ what these forces and M give;
* gravity is the effort that holds the joint against gravity, the gradient of the potential energy;
  Coriolis forces and gravity compensation are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from mjscene.control import ModeControl
from mjscene.cycle import Cycle
from mjscene.errors import ModeError, close_matches
from mjscene.owners import Owner
from mjscene.spans import bytes_of
from mjscene.spec import CtrlMode

if TYPE_CHECKING:
    from mjscene.spec import JointLimits

__all__ = ["JointRecords"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
_LIMITS = ("velocity", "acceleration", "jerk", "contact_threshold", "collision_threshold")
_NO_GRAVITY = int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)


class JointRecords:
    """The records of all joints that take commands (n), in the order of the joint table.

    Attributes:
        velocity, acceleration, jerk: Limits of the spec (n,), infinite where there is none.
        contact_threshold, collision_threshold: Efforts beyond which a joint is in contact or in
            collision (n,) [N·m or N]; write to them.
        by_drive: Whether these look at the drives' effort instead of the external one (n,).
        some_by_drive: Whether some do.
    """

    def __init__(self, control: ModeControl, cycle: Cycle, owners: list[Owner]) -> None:
        self._control, self._cycle = control, cycle
        model, data = cycle.model, cycle.data
        self._model, self._data = model, data
        count = len(control.table)
        for name in _LIMITS:
            setattr(self, name, np.full(count, np.inf))
        self.by_drive = np.zeros(count, dtype=bool)
        self._pushed = bytes_of(data.xfrc_applied)
        self._at_rest = bytes(len(self._pushed()))
        self._scratch: Any = None
        self._applied, self._constraint = data.qfrc_applied, data.qfrc_constraint
        size, nv, at = len(cycle.states[-1]), int(model.nv), cycle.qvel_at
        self._room_now, self._velocity_now = _room(size, nv, at)
        self._room_before, self._velocity_before = _room(size, nv, at)
        self._change = np.zeros(nv)
        self._dof_adr = control.table.dof_adr
        self._known_at: bytes | None = None
        self._external, self._signal = np.zeros(0), np.zeros(0)
        self._child = model.jnt_bodyid[control.table.joint_ids]
        self._root = model.body_rootid[self._child]
        for owner in owners:
            for i, limits in enumerate(getattr(owner.spec, "limits", ())):
                self._take(owner, limits, f"{owner.where}.limits[{i}]")
        self.some_by_drive = bool(self.by_drive.any())

    velocity: Array
    acceleration: Array
    jerk: Array
    contact_threshold: Array
    collision_threshold: Array

    def _take(self, owner: Owner, limits: JointLimits, where: str) -> None:
        """Take limits of some joints of an owner over."""
        names = self._control.table.names
        mine = owner.names.get("joint", ())
        own = [r for r, name in enumerate(names) if name in mine]
        rows = own if not limits.joints else [self._row(owner, j, where) for j in limits.joints]
        for name in _LIMITS:
            value = getattr(limits, name)
            if value is None:
                continue
            if isinstance(value, tuple) and len(value) != len(rows):
                raise ModeError(
                    f"expected one number or one per joint ({len(rows)}), got {len(value)}",
                    where=f"{where}.{name}",
                    given=value,
                    allowed=[names[r] for r in rows],
                )
            getattr(self, name)[rows] = value
        if limits.signal is not None:
            self.by_drive[rows] = limits.signal == "effort"

    def _row(self, owner: Owner, joint: str, where: str) -> int:
        names = self._control.table.names
        full = owner.scene_name("joint", joint)
        if full in names:
            return names.index(str(full))
        own = [n[len(owner.prefix) :] for n in names if n in owner.names.get("joint", ())]
        raise ModeError(
            f"{owner.title} has no joint {joint!r} that takes commands",
            where=f"{where}.joints",
            given=joint,
            close=close_matches(joint, own),
            allowed=own,
            element=joint,
        )

    def keep_thresholds(self, other: JointRecords) -> None:
        """Have the thresholds of another model of the same robots."""
        self.contact_threshold[:] = other.contact_threshold
        self.collision_threshold[:] = other.collision_threshold

    # -- motion ----------------------------------------------------------------------------------

    def _velocities(self, dofs: Any) -> list[Array]:
        """Velocities at the last steps' ends (k,), the newest last; at most three."""
        count, at = self._model.nv, self._cycle.qvel_at
        return [
            np.frombuffer(state, dtype=float, count=count, offset=at)[dofs]
            for state in self._cycle.states
        ]

    def measured_acceleration(self, dofs: Any) -> Array:
        """Differences of velocity over the last step (k,) [rad/s² or m/s²]."""
        states = self._cycle.states
        if len(states) < 2:
            return np.zeros(len(dofs))
        # This is read every step, and making arrays of bytes takes longer than all the rest.
        self._room_now[:], self._room_before[:] = states[-1], states[-2]
        np.subtract(self._velocity_now, self._velocity_before, self._change)
        change: Array = np.divide(self._change, self._cycle.duration, self._change)[dofs]
        return change

    def measured_jerk(self, dofs: Any) -> Array:
        """Differences of acceleration over the last step (k,) [rad/s³ or m/s³]."""
        velocities = self._velocities(dofs)
        if len(velocities) < 3:
            return np.zeros(velocities[0].shape)
        first, second, third = velocities
        return np.asarray((third - 2.0 * second + first) / self._cycle.timestep**2)

    # -- efforts ---------------------------------------------------------------------------------

    def gravity(self, rows: Any) -> Array:
        """The effort that holds joints against gravity at this position (k,) [N·m or N].

        The weight of what hangs on a joint acts at its centre of mass c and does the power
        m g · (v + ω x (c - p)), where the joint's motion axis (ω, v) is taken at p, the centre of
        mass of the whole tree (``cdof``).
        """
        model, data = self._model, self._data
        if model.opt.disableflags & _NO_GRAVITY:
            return np.zeros(len(self._child[rows]))
        child, root = self._child[rows], self._root[rows]
        axes = data.cdof[self._control.table.dof_adr[rows]]
        arm = data.subtree_com[child] - data.subtree_com[root]
        motion = axes[:, 3:] + np.cross(axes[:, :3], arm)
        return np.asarray(-model.body_subtreemass[child] * (motion @ model.opt.gravity))

    def external(self, dofs: Any) -> Array:
        """What constraints and applied forces did to dofs in the last step (k,) [N·m or N]."""
        if self._cycle.states[-1] is not self._known_at:
            self._work_out()
        effort: Array = self._external[dofs]
        return effort

    def forget(self) -> None:
        """Work out anew what constraints and applied forces do, when it is asked for."""
        self._known_at = None

    def put_external(self, effort: Array) -> None:
        """Have the external efforts (nv,) of the step that led to a state that is put back."""
        self._take_external(effort.copy())

    def _work_out(self) -> None:
        """Work out the external efforts (nv,) and signals (n,) of the step, once a step.

        Every step, and whatever else moves the state, leaves another last state.
        """
        data, kept = self._data, self._cycle.kept
        if kept is not None:
            bias, passive = kept
            external = data.qfrc_smooth + bias - passive - data.qfrc_actuator
            external += self._constraint
        else:
            external = self._applied + self._constraint
            if self._pushed() != self._at_rest:
                external += self._projected()
        self._take_external(external)

    def _take_external(self, external: Array) -> None:
        self._external, self._known_at = external, self._cycle.states[-1]
        effort = external[self._dof_adr]
        if self.some_by_drive:
            effort = np.where(self.by_drive, self._data.qfrc_actuator[self._dof_adr], effort)
        self._signal = np.abs(effort, effort)

    def _projected(self) -> Array:
        """``xfrc_applied`` in joint space (nv,), at the position where the step began."""
        model, data = self._model, self._data
        if self._scratch is None:
            self._scratch = mujoco.MjData(model)
        scratch, states = self._scratch, self._cycle.states
        began = states[-2] if len(states) > 1 else states[-1]
        scratch.qpos[:] = np.frombuffer(began, float, model.nq, self._cycle.qpos_at)
        scratch.mocap_pos[:], scratch.mocap_quat[:] = data.mocap_pos, data.mocap_quat
        mujoco.mj_kinematics(model, scratch)
        mujoco.mj_comPos(model, scratch)
        total = np.zeros(model.nv)
        for body in np.flatnonzero(data.xfrc_applied.any(axis=1)).tolist():
            force, torque = data.xfrc_applied[body, :3], data.xfrc_applied[body, 3:]
            mujoco.mj_applyFT(model, scratch, force, torque, scratch.xipos[body], body, total)
        return total

    @property
    def signal(self) -> Array:
        """The efforts that tell contact and collision, without sign (n,) [N·m or N]."""
        if self._cycle.states[-1] is not self._known_at:
            self._work_out()
        return self._signal

    def effort_limits(self, rows: Any) -> Array:
        """The range of what the acting drives can give joints (k, 2) [N·m or N]."""
        self._control.refresh()
        table, model = self._control.table, self._model
        column = table.mode[rows]
        there = np.where(column >= 0, column, 0)
        which = np.arange(len(table))[rows]
        laws = table.laws
        limits = np.stack([laws.low[which, there], laws.high[which, there]], axis=1)
        limits[column < 0] = (-np.inf, np.inf)
        # A torque is what it is commanded to be: its command's range is its own.
        torque = column == CtrlMode.TORQUE
        limits[torque] = laws.ends[which[torque], CtrlMode.TORQUE]
        joints = table.joint_ids[rows]
        own = np.where(
            model.jnt_actfrclimited[joints][:, None] != 0,
            model.jnt_actfrcrange[joints],
            np.array([-np.inf, np.inf]),
        )
        low, high = np.maximum(limits[:, 0], own[:, 0]), np.minimum(limits[:, 1], own[:, 1])
        return np.stack([low, high], axis=1)


def _room(size: int, nv: int, at: int) -> tuple[memoryview, Array]:
    """Room for the bytes of a state, and the velocities (nv,) in it."""
    room = bytearray(size)
    return memoryview(room), np.frombuffer(room, dtype=float, count=nv, offset=at)
