"""How the commands of joints come into ``data.ctrl``: as controls of what acts, when they change.

A program may write ``data.ctrl`` too: what it wrote stays until that joint's own command changes
or is given anew, by a message or an assignment. So what was written last is compared with what is
to be written, joint by joint. While nobody else has written there, which a step sees, all of it can
go by a short way: one copy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjscene.laws import ActuatorLaws
from mjscene.spans import as_slice, tops_of

__all__ = ["Writing"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


class Writing:
    """The commands of joints, and how they are written.

    Attributes:
        mode: The mode each joint is in (n,), -1 while an unmanaged drive moves it.
        command: The command of each (n,), in the unit of its mode; write to it.
        command_bytes: The same memory as bytes.
        tops: The same memory, equal to itself if the commands are finite; see ``tops_of``.
        forward: Effort that is added to what commands ask for (n,) [N·m or N]; None for none.
        ctrl_now: Where the control of each is in ``data.ctrl`` (n,).
        scale_now, offset_now: From commands to controls (n,).
        is_shifted: Whether an offset is not 0.
        plain: Whether commands are in the controls' unit: no offset, and all scales are 1.
        direct: Whether the commands are the controls, as they are.
        written: The bytes of the commands when they were written last; empty if they are to be.
        controls: What was written then (n,), where it is not the commands themselves.
        short_way: How all commands come into ``data.ctrl`` at once: where to write, at which
            places, and what, None for what ``convert`` gives. None if that would not do or is not
            known: others may have written there.
    """

    def __init__(self, laws: ActuatorLaws, ctrl_adr: Ints) -> None:
        count = len(ctrl_adr)
        self.laws = laws
        self.mode = np.full(count, -1, dtype=np.intp)
        self.command = np.zeros(count)
        self.command_bytes = self.command.view(np.uint8).data
        self.tops = tops_of(self.command)
        self.forward: Array | None = None
        self.direct, self.written, self.controls = False, b"", np.full(count, np.nan)
        self.ctrl_now = ctrl_adr[:, 0]
        self.scale_now, self.offset_now = np.ones(count), np.zeros(count)
        self.follow()

    def follow(self) -> None:
        """Derive what a step needs from modes, laws and what is fed forward."""
        self._remember()
        self.is_shifted = bool(self.offset_now.any())
        self.plain = bool((self.scale_now == 1.0).all()) and not self.is_shifted
        self.live = None if (self.mode >= 0).all() else np.flatnonzero(self.mode >= 0)
        self.direct = self.plain and self.live is None and self.forward is None
        if self.forward is not None:
            self._effort_now = self._efforts_per_control(self.mode, slice(None))
        self.short_way: tuple[Any, Any, Any] | None = None

    def _remember(self) -> None:
        """Keep what was written last where it was the commands themselves."""
        if self.direct and self.written:
            self.controls = np.frombuffer(self.written).copy()

    def _control(self, out: Array | None = None) -> Array:
        """The controls that give what is commanded and fed forward (n,)."""
        command, fed = self.command, self.forward
        if fed is not None:
            fed = fed / self._effort_now
            if self.plain:
                return np.asarray(np.add(command, fed, out))
        control: Array = np.multiply(command, self.scale_now, out)
        if self.is_shifted:
            control += self.offset_now
        if fed is not None:
            control += fed
        return control

    def as_given(self, rows: Any, control: Array) -> Array:
        """What the commands of joints give (k,), which are to stand for these controls.

        There and back is not always the same bit for bit: a step would write the difference.
        """
        return control if self.plain and self.forward is None else self._control()[rows]

    def last_controls(self) -> Array:
        """What was written last (n,), NaN for nothing yet."""
        self._remember()
        return self.controls.copy()

    def compare_with(self, controls: Array) -> None:
        """Have these controls (n,) as what was written last: the next step writes what differs."""
        self.controls, self.written, self.short_way = controls.copy(), b"", None

    def take_as_written(self) -> None:
        """Take the commands as written already: a step writes those that change."""
        self.written, self.controls = self.command.tobytes(), self._control()

    def is_pending(self) -> bool:
        """Whether commands have changed since they were written."""
        if self.command.tobytes() == self.written:
            return False
        self._remember()
        return True

    # -- into data.ctrl --------------------------------------------------------------------------

    def put(self, ctrl: Array) -> None:
        """Put commands that have changed into ``data.ctrl``, as controls of what acts."""
        self.controls = self.put_aside(ctrl)

    def put_aside(self, ctrl: Array) -> Array:
        """Put commands that have changed into a copy of ``data.ctrl``, without taking note of it.

        What a program has written there stays, where commands are as they were.

        Returns:
            The controls of all commands (n,).
        """
        self._remember()
        control = self.command.copy() if self.direct else self._control()
        changed = control != self.controls
        if self.live is not None:
            changed &= self.mode >= 0
        ctrl[self.ctrl_now[changed]] = control[changed]
        return control

    def find_short_way(self, ctrl: Array) -> None:
        """Find the way into ``data.ctrl`` for the next steps, after all was put there."""
        where = as_slice(self.ctrl_now if self.live is None else self.ctrl_now[self.live])
        if not self.direct:
            self.short_way = (ctrl, where, None)
        elif isinstance(where, slice):  # of a memoryview: numpy would take three times as long
            controls = ctrl[where].view(np.uint8).data
            self.short_way = (controls, slice(None), self.command_bytes)
        else:
            self.short_way = (ctrl, where, self.command)
        self.look_at_controls()

    def convert(self) -> Array:
        """The controls to be written where they are not the commands; they are taken as written."""
        control = self._control(self.controls)
        return control if self.live is None else control[self.live]

    def look_at_controls(self) -> None:
        """Take the long way where others have written into ``data.ctrl`` since commands were."""
        if self.short_way is not None and not self.is_there():
            self.short_way = None

    def is_there(self) -> bool:
        """Whether all that was written last is known to be in ``data.ctrl`` still."""
        if self.short_way is None:
            return False
        controls, where, _ = self.short_way
        if self.direct:
            last = self.written
        else:
            last = (self.controls if self.live is None else self.controls[self.live]).tobytes()
        return bool(controls[where].tobytes() == last)

    def tell(self, rows: Any) -> None:
        """Have the commands of joints written in the next step, even as they were.

        They were given anew, and a program may have written these controls since.
        """
        if not self.is_there():
            self._remember()
            self.controls[rows] = np.nan
            self.written, self.short_way = b"", None

    # -- what is fed forward ---------------------------------------------------------------------

    def _efforts_per_control(self, modes: Any, rows: Any) -> Array:
        """The effort that one unit of control gives in some modes (k,).

        An integral would take what is fed forward for an offset of the set-point, and carries loads
        itself: a servo with one gets none, as if that took an infinite effort. A limp one, too.
        """
        laws, column = self.laws, np.where(modes >= 0, modes, 0)
        which = np.arange(len(self.mode))[rows]
        gain = laws.ku[which, column]
        efforts: Array = np.where(laws.integral[which, column] | (gain == 0), np.inf, gain)
        return efforts

    def forward_control(self, effort: Array, modes: Any, rows: Any = slice(None)) -> Array:
        """The controls that give efforts in some modes (k,), in the controls' own units."""
        control: Array = effort / self._efforts_per_control(modes, rows)
        return control

    def add_forward(self, effort: Array | None) -> None:
        """Add an effort (n,) to what commands ask for, from the next step on; None for none."""
        self.forward = effort
        self.follow()
        self.written = b""

    def drop_forward(self, rows: Ints) -> None:
        """Add no effort to the commands of joints any more."""
        if self.forward is not None:
            self.forward[rows] = 0.0
            self.written = b""

    def take_over_forward(self, rows: Ints) -> None:
        """Have the commands of joints give what was added to them, and add no more."""
        if self.forward is not None and self.forward[rows].any():
            given = self.forward_control(self.forward[rows], self.mode[rows], rows)
            acting = rows[self.mode[rows] >= 0]
            self.command[acting] += (given / self.scale_now[rows])[self.mode[rows] >= 0]
            self.drop_forward(rows)
