"""A second-order low-pass filter for measured signals.

With the corner ``omega`` = w [rad/s] and the damping ratio z,

    H(s) = w² / (s² + 2 z w s + w²),

discretised by the trapezoidal rule (Tustin, without prewarping). With h half the time step, g = w h
and D = 1 + 2 z g + g² that is

    b = (g², 2 g², g²) / D,    a = (1, 2 (g² - 1) / D, (1 - 2 z g + g²) / D).

The rule is half a step of explicit Euler and then half a step of implicit Euler. The filter keeps
what lies between the two, at the half-sample: a value s1, in the signal's unit, and its rate s2,
per second. From there, with e = (h s2 + g² (x - s1)) / D,

    y = s1 + e,    s1' = s1 + 2 e,    s2' = 2 e / h - s2.

The state of a difference equation's direct forms mixes past signals with the coefficients, and
jumps when these change. This one has no parameter in it: whoever changes one just goes on from the
same value and rate. Settled at v it is (v, 0), whatever the parameters, and y = v bit for bit.
"""

from __future__ import annotations

import math
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mjscene.errors import CommandError, SpecError, shown
from mjscene.geometry import as_numbers
from mjscene.spec.checks import number

__all__ = ["SecondOrderFilter"]

Array = NDArray[np.float64]


class SecondOrderFilter:
    """A second-order low-pass filter with unit gain at DC.

    It filters a number, or an array channel by channel, from zero at first. Call ``update`` once
    per ``time_step``: with another period the corner moves by the ratio of the two.

    Args:
        omega: The corner, its undamped natural frequency [rad/s]. The discrete corner is at
            ``2/time_step * atan(omega * time_step/2)``: 0.08 % lower for 8 Hz at 2 ms.
        damping: The damping ratio, 1 for critical damping.
        time_step: Time between two updates [s].

    Raises:
        SpecError: A parameter is not finite or not > 0, or the product of corner and time step is
            beyond what the coefficients can hold.

    Example:
        >>> from mjscene.controllers import SecondOrderFilter
        >>> low_pass = SecondOrderFilter(omega=50.0, time_step=0.002)
        >>> low_pass.reset(3.0)
        >>> low_pass.update(3.0)
        3.0
    """

    __slots__ = ("_a", "_b", "_damping", "_gain", "_half", "_omega", "_shrink", "_state", "_step")

    def __init__(
        self, omega: float = 2 * math.pi * 8, damping: float = 1.0, time_step: float = 0.002
    ) -> None:
        self._state: Array = np.zeros(2)
        self._become(omega, damping, time_step)

    def _become(self, omega: Any, damping: Any, time_step: Any) -> None:
        """Take parameters; rejected ones leave everything as it was."""
        omega = number(omega, "SecondOrderFilter.omega", above=0.0)
        # Without damping it would ring for ever, and have no gain at DC.
        damping = number(damping, "SecondOrderFilter.damping", above=0.0)
        time_step = number(time_step, "SecondOrderFilter.time_step", above=0.0)
        half = time_step / 2
        g = omega * half
        square = g * g
        shrink = 1 + 2 * damping * g + square
        gain = square / shrink
        if not (math.isfinite(shrink) and gain > 0 and half > 0):
            raise SpecError(
                f"omega * time_step = {omega * time_step:g} with damping {damping:g} gives no "
                "usable coefficients",
                where="SecondOrderFilter",
                given=(omega, damping, time_step),
                hint="the corner should be below 1 / time_step [rad/s], and not by many orders",
            )
        self._omega: float = omega
        self._damping: float = damping
        self._step: float = time_step
        self._half, self._shrink, self._gain = half, shrink, gain
        self._b = (gain, 2 * gain, gain)
        self._a = (1.0, 2 * (square - 1) / shrink, (1 - 2 * damping * g + square) / shrink)

    @property
    def omega(self) -> float:
        """The corner [rad/s]; set it at any time, the output stays continuous."""
        return self._omega

    @omega.setter
    def omega(self, value: float) -> None:
        self._become(value, self._damping, self._step)

    @property
    def damping(self) -> float:
        """The damping ratio; set it at any time, the output stays continuous."""
        return self._damping

    @damping.setter
    def damping(self, value: float) -> None:
        self._become(self._omega, value, self._step)

    @property
    def time_step(self) -> float:
        """Time between two updates [s]; set it at any time, the output stays continuous."""
        return self._step

    @time_step.setter
    def time_step(self, value: float) -> None:
        self._become(self._omega, self._damping, value)

    @overload
    def update(self, x: float) -> float: ...
    @overload
    def update(self, x: Array) -> Array: ...
    def update(self, x: float | Array) -> float | Array:
        """Filter the next sample.

        Args:
            x: A number, or an array (n,). The first array makes a filter of numbers one of
                arrays, every channel of which goes on from the same state.

        Returns:
            The filtered sample, of the shape of ``x``: a new array.

        Raises:
            CommandError: It is not finite, or of another shape than before; the filter stays as it
                was.
        """
        sample = self._checked(x)
        value, rate = self._state
        change = (self._half * rate) / self._shrink + self._gain * (sample - value)
        after = np.empty((2, *sample.shape))
        after[0] = value + 2 * change
        after[1] = 2 * change / self._half - rate
        self._state = after
        y = value + change
        return y if sample.ndim else float(y)

    def _checked(self, x: Any) -> Array:
        sample = as_numbers(x, "update.x")
        if self._state.shape[1:] not in ((), sample.shape):
            raise CommandError(
                f"the filter is in use for samples of shape {self._state.shape[1:]}, "
                f"got one of shape {sample.shape}",
                where="update.x",
                given=x,
                hint="reset(value) makes it one for samples of another shape",
            )
        if not np.isfinite(sample).all():
            raise CommandError(
                f"a sample is not finite: {shown(x)}",
                where="update.x",
                given=x,
                hint="one NaN would stay in the filter for ever",
            )
        return sample

    def reset(self, value: ArrayLike = 0.0) -> None:
        """Settle at a value: while the input equals it, so does the output.

        Args:
            value: A number, or an array (n,): the shape of the samples from now on.

        Raises:
            CommandError: It is not finite; the filter stays as it was.
        """
        numbers = as_numbers(value, "reset.value")
        _check_finite(numbers, value, "reset.value")
        self._state = np.stack([numbers, np.zeros_like(numbers)])

    @property
    def state(self) -> Array:
        """Value and rate at the half-sample (2,) or (2, n), a copy; assign to put it back.

        The rate is in the signal's unit per second. The state does not depend on the parameters.
        """
        return self._state.copy()

    @state.setter
    def state(self, value: ArrayLike) -> None:
        """Put a state back.

        Raises:
            CommandError: It is of a wrong shape or not finite; the filter stays as it was.
        """
        numbers = as_numbers(value, "state")
        if numbers.ndim == 0 or numbers.shape[0] != 2:
            raise CommandError(
                f"expected a state (2,) or (2, n), got one of shape {numbers.shape}",
                where="state",
                given=value,
            )
        _check_finite(numbers, value, "state")
        self._state = numbers.copy()

    @property
    def coefficients(self) -> tuple[Array, Array]:
        """The difference equation's b (3,) and a (3,), with a[0] = 1, as in ``scipy.signal``."""
        return np.array(self._b), np.array(self._a)

    @property
    def transition(self) -> Array:
        """One update as a matrix (3, 3): ``[y, s1', s2'] = A @ [x, s1, s2]``, s being ``state``.

        With the samples of n joints as a row and the state below it, (3, n), one product filters
        them all; after a change of parameters it goes on from the same state with the new matrix.
        """
        gain, half, shrink = self._gain, self._half, self._shrink
        return np.array(
            [
                [gain, 1 - gain, half / shrink],
                [2 * gain, 1 - 2 * gain, 2 * half / shrink],
                [2 * gain / half, -2 * gain / half, 2 / shrink - 1],
            ]
        )

    @property
    def change(self) -> tuple[float, float, float]:
        """g, c and r of one update by elements, for samples x in the state (s1, s2).

        With e = g (x - s1) + c s2 it is y = s1 + e, s1' = y + e and s2' = r e - s2.
        """
        return self._gain, self._half / self._shrink, 2 / self._half

    def __repr__(self) -> str:
        return (
            f"SecondOrderFilter(omega={self._omega!r}, damping={self._damping!r}, "
            f"time_step={self._step!r})"
        )


def _check_finite(numbers: Array, given: Any, where: str) -> None:
    if not np.isfinite(numbers).all():
        raise CommandError(f"it is not finite: {shown(given)}", where=where, given=given)
