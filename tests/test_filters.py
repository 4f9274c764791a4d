"""The second-order low-pass filter against SciPy, the analog filter, and an integrated one."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal
from scipy.integrate import solve_ivp

from mjscene import CommandError, SpecError
from mjscene.controllers import SecondOrderFilter

OMEGA, STEP = 2 * math.pi * 8, 0.002
omegas = st.floats(1.0, 500.0)
dampings = st.floats(0.05, 5.0)
steps = st.floats(1e-4, 0.02)


def run(low_pass: SecondOrderFilter, samples: Any) -> np.ndarray:
    return np.array([low_pass.update(x) for x in samples])


def by_scipy(omega: float, damping: float, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients of the analog filter by SciPy's bilinear transform."""
    analog = [omega**2], [1, 2 * damping * omega, omega**2]
    return signal.bilinear(*analog, fs=1 / step)


def test_step_response_has_the_published_numbers() -> None:
    y = run(SecondOrderFilter(OMEGA, 1.0, STEP), np.ones(25))
    assert y[0] == pytest.approx(0.00229056, abs=5e-9)
    assert y[9] == pytest.approx(0.247407, abs=5e-7)
    assert y[24] == pytest.approx(0.704951, abs=5e-7)
    defaults = run(SecondOrderFilter(), np.ones(25))
    np.testing.assert_array_equal(defaults, y)


def test_step_response_is_the_analog_one_half_a_sample_later() -> None:
    """A step between two samples: critically damped, 1 - (1 + w t) exp(-w t)."""
    y = run(SecondOrderFilter(), np.ones(25))
    analog = [1 - (1 + OMEGA * t) * math.exp(-OMEGA * t) for t in (9.5 * STEP, 24.5 * STEP)]
    np.testing.assert_allclose(analog, [0.24771, 0.70503], atol=5e-6)
    np.testing.assert_allclose(y[[9, 24]], analog, atol=4e-4)  # second order in w T = 0.1
    finer = run(SecondOrderFilter(time_step=STEP / 3), np.ones(75))  # 28.5 / 3 = 9.5
    coarse, fine = abs(y[9] - analog[0]), abs(finer[28] - analog[0])
    assert coarse / fine == pytest.approx(9, rel=0.05)


@given(omegas, dampings, steps, st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_it_is_what_scipy_makes_of_the_analog_filter(
    omega: float, damping: float, step: float, seed: int
) -> None:
    low_pass = SecondOrderFilter(omega, damping, step)
    b, a = by_scipy(omega, damping, step)
    ours_b, ours_a = low_pass.coefficients
    np.testing.assert_allclose(ours_b, b, rtol=1e-7)
    np.testing.assert_allclose(ours_a, a, atol=1e-9)
    x = np.random.default_rng(seed).normal(size=200)
    np.testing.assert_allclose(run(low_pass, x), signal.lfilter(b, a, x), atol=1e-6)
    np.testing.assert_allclose(
        run(SecondOrderFilter(omega, damping, step), x),
        signal.lfilter(ours_b, ours_a, x),
        atol=1e-8,
    )


@given(omegas, dampings, steps)
@settings(max_examples=60, deadline=None)
def test_gain_at_dc_is_one(omega: float, damping: float, step: float) -> None:
    b, a = SecondOrderFilter(omega, damping, step).coefficients
    # sum(a) cancels down to 4 g² / D, which is b's sum: so much of it is rounding of coefficients.
    # They are summed and divided exactly: the last bit of that would be the test's own.
    gain = sum(map(Fraction, b)) / sum(map(Fraction, a))
    assert abs(gain - 1) <= Fraction(8e-16 / b.sum())


def test_a_very_slow_filter_still_has_unit_gain_at_dc() -> None:
    """Where a direct form's coefficients have lost 8 digits (g = 1e-6), the state has not."""
    low_pass = SecondOrderFilter(omega=0.001, damping=1.0, time_step=0.002)
    low_pass.state = [1.0 + 1e-9, 0.0]
    assert low_pass.update(1.0) == pytest.approx(1.0, abs=2e-9)
    low_pass = SecondOrderFilter(omega=10.0, time_step=1e-4)
    y = run(low_pass, np.ones(40_000))  # 40 time constants
    assert y[-1] == pytest.approx(1.0, abs=2.2e-16 / 5e-4)  # an ulp of s1 over g


def test_frequency_response_at_the_corner() -> None:
    """|H| = 1/(2 z) and the phase is -90° where the bilinear transform puts the corner."""
    for damping in (0.3, 1.0, 2.0):
        b, a = SecondOrderFilter(OMEGA, damping, STEP).coefficients
        corner = 2 * math.atan(OMEGA * STEP / 2)  # [rad/sample]
        assert corner / STEP == pytest.approx(OMEGA, rel=1e-3)
        _, response = signal.freqz(b, a, [corner])
        assert abs(response[0]) == pytest.approx(1 / (2 * damping), rel=1e-11)
        assert np.degrees(np.angle(response[0])) == pytest.approx(-90, abs=1e-9)
        # The same in time: a sine at the corner comes out a quarter period late.
        n = np.arange(6000)
        y = run(SecondOrderFilter(OMEGA, damping, STEP), np.sin(corner * n))
        late = -np.cos(corner * n) / (2 * damping)
        np.testing.assert_allclose(y[-100:], late[-100:], atol=1e-9)


@pytest.mark.parametrize("value", [0.1, -7.3, [0.1, 1 / 3, -1e6, 0.0]])
def test_reset_is_settled_bit_for_bit(value: Any) -> None:
    low_pass = SecondOrderFilter(33.3, 0.7, 0.0031)
    run(low_pass, np.ones(5))
    low_pass.reset(value)
    x = np.asarray(value, dtype=float)
    for k in range(100):
        if k == 50:
            low_pass.omega, low_pass.damping, low_pass.time_step = 400.0, 0.1, 0.0007
        np.testing.assert_array_equal(low_pass.update(x), x)
    low_pass.reset()
    assert low_pass.update(0.0) == 0.0
    assert isinstance(low_pass.update(0.0), float)


def test_channels_are_filtered_apart() -> None:
    x = np.random.default_rng(1).normal(size=(50, 3))
    together = run(SecondOrderFilter(), x)
    for i in range(3):
        np.testing.assert_array_equal(together[:, i], run(SecondOrderFilter(), x[:, i]))


def test_an_array_goes_on_from_a_number() -> None:
    low_pass, other = SecondOrderFilter(), SecondOrderFilter()
    low_pass.update(2.0), other.update(2.0)
    np.testing.assert_array_equal(low_pass.update(np.full(2, 5.0)), [other.update(5.0)] * 2)


def test_an_output_is_no_view_of_the_filter() -> None:
    low_pass, other = SecondOrderFilter(), SecondOrderFilter()
    x = np.ones(2)
    y, same = low_pass.update(x), other.update(x)
    np.testing.assert_array_equal(y, same)
    y[:], x[:] = 99, 99
    low_pass.state[:] = 99
    np.testing.assert_array_equal(low_pass.update(np.ones(2)), other.update(np.ones(2)))


def test_a_saved_state_goes_on_bit_for_bit() -> None:
    x = np.random.default_rng(2).normal(size=(40, 3))
    low_pass = SecondOrderFilter()
    run(low_pass, x[:20])
    saved = low_pass.state
    expected = run(low_pass, x[20:])
    other = SecondOrderFilter()
    other.state = saved
    np.testing.assert_array_equal(run(other, x[20:]), expected)
    low_pass.state = saved
    np.testing.assert_array_equal(run(low_pass, x[20:]), expected)


@given(omegas, dampings, steps, st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_the_transition_is_an_update_of_many(
    omega: float, damping: float, step: float, seed: int
) -> None:
    low_pass = SecondOrderFilter(omega, damping, step)
    x = np.random.default_rng(seed).normal(size=(30, 4))
    rows = np.zeros((3, 4))
    outputs = []
    for sample in x:
        rows[0] = sample
        rows = low_pass.transition @ rows
        outputs.append(rows[0].copy())
    y = run(low_pass, x)
    scale = np.array([1, step])[:, None]  # of value and rate
    np.testing.assert_allclose(outputs, y, atol=1e-9)
    np.testing.assert_allclose(rows[1:] * scale, low_pass.state * scale, atol=1e-9)
    # Its poles are the difference equation's: the same filter in other coordinates.
    poles = np.sort_complex(np.linalg.eigvals(low_pass.transition[1:, 1:]))
    np.testing.assert_allclose(np.poly(poles), low_pass.coefficients[1], atol=1e-8)


# Parameters that change while it runs


def switched_analog(times: np.ndarray, switch: float, before: Any, after: Any) -> np.ndarray:
    """The analog filter of sin(3 t) + 1 whose parameters change at a time, value and rate kept."""

    def rate(t: float, y: np.ndarray, omega: float, damping: float) -> list[float]:
        x = math.sin(3 * t) + 1
        return [y[1], omega**2 * (x - y[0]) - 2 * damping * omega * y[1]]

    tight = {"rtol": 1e-11, "atol": 1e-12}
    early, late = times[times < switch], times[times >= switch]
    first = solve_ivp(rate, (0, switch), [0, 0], t_eval=[*early, switch], args=before, **tight)
    start = first.y[:, -1]
    second = solve_ivp(rate, (switch, times[-1]), start, t_eval=late, args=after, **tight)
    return np.concatenate([first.y[0, :-1], second.y[0]])


@pytest.mark.parametrize(
    ("before", "after"),
    [((20.0, 1.0), (5.0, 1.0)), ((20.0, 1.0), (60.0, 0.4)), ((10.0, 0.2), (10.0, 2.0))],
)
def test_a_change_of_parameters_follows_the_analog_filter(before: Any, after: Any) -> None:
    """With finer steps the output converges to a filter that keeps value and rate: no jump."""
    errors = []
    for step in (0.002, 0.0005):
        k = round(0.1 / step)
        times = step * np.arange(1, 3 * k)
        low_pass = SecondOrderFilter(*before, step)
        x = np.sin(3 * times) + 1
        y = [low_pass.update(v) for v in x[:k]]
        low_pass.omega, low_pass.damping = after
        y += [low_pass.update(v) for v in x[k:]]
        # The input steps from 0 to about 1 half a sample before the first one that is given.
        expected = switched_analog(times - step / 2, times[k - 1], before, after)
        errors.append(np.abs(np.array(y) - expected).max())
    assert errors[1] < 2e-3
    assert errors[0] / errors[1] > 3.3  # at least first order


def test_the_output_does_not_jump_when_everything_changes() -> None:
    """What a step changes goes to zero with the time step, also where the parameters change."""
    jumps = []
    for step in (1e-3, 1e-4, 1e-5):
        low_pass = SecondOrderFilter(30.0, 0.5, step)
        before = run(low_pass, np.ones(round(0.05 / step)))[-1]
        low_pass.omega, low_pass.damping, low_pass.time_step = 90.0, 1.5, step / 2
        jumps.append(abs(low_pass.update(1.0) - before))
    assert jumps[0] < 0.03
    assert jumps[0] / jumps[1] == pytest.approx(10, rel=0.2)
    assert jumps[1] / jumps[2] == pytest.approx(10, rel=0.05)


# What is refused

BAD = [0, 0.0, -1.0, math.nan, math.inf, -math.inf, True, None, "8", [1.0], 1e200 + 1j]


@pytest.mark.parametrize("name", ["omega", "damping", "time_step"])
@pytest.mark.parametrize("bad", BAD, ids=repr)
def test_bad_parameters_change_nothing(name: str, bad: Any) -> None:
    with pytest.raises(SpecError) as made:
        SecondOrderFilter(**{name: bad})
    low_pass, other = SecondOrderFilter(), SecondOrderFilter()
    with pytest.raises(SpecError) as caught:
        setattr(low_pass, name, bad)
    for error in (made.value, caught.value):
        assert error.where == f"SecondOrderFilter.{name}"
        assert error.given is bad
    assert repr(low_pass) == repr(other)
    np.testing.assert_array_equal(low_pass.transition, other.transition)
    np.testing.assert_array_equal(run(low_pass, np.ones(3)), run(other, np.ones(3)))


@pytest.mark.parametrize(
    ("name", "extreme"),
    [("omega", 1e200), ("omega", 1e-200), ("damping", 1e308), ("time_step", 5e-324)],
)
def test_parameters_without_usable_coefficients_are_refused(name: str, extreme: float) -> None:
    low_pass = SecondOrderFilter(omega=5e3) if name == "damping" else SecondOrderFilter()
    before = repr(low_pass)
    with pytest.raises(SpecError, match=r"omega \* time_step"):
        setattr(low_pass, name, extreme)
    assert repr(low_pass) == before


@pytest.mark.parametrize(
    "bad", [math.nan, math.inf, "x", [1.0, math.nan, 2.0], [1.0, 2.0], 1.0, [[1.0, 2.0, 3.0]]]
)
def test_bad_samples_change_nothing(bad: Any) -> None:
    low_pass = SecondOrderFilter()
    low_pass.update(np.ones(3))
    before = low_pass.state
    with pytest.raises(CommandError) as caught:
        low_pass.update(bad)
    assert caught.value.where == "update.x"
    np.testing.assert_array_equal(low_pass.state, before)


@pytest.mark.parametrize("bad", [math.nan, [1.0, math.inf], "x", None, [[1.0], [1.0, 2.0]]])
def test_bad_resets_and_states_change_nothing(bad: Any) -> None:
    low_pass = SecondOrderFilter()
    low_pass.update(np.ones(3))
    before = low_pass.state
    with pytest.raises(CommandError):
        low_pass.reset(bad)
    for wrong in (bad, 1.0, np.zeros((3, 2)), [], [1.0]):
        with pytest.raises(CommandError):
            low_pass.state = wrong
    np.testing.assert_array_equal(low_pass.state, before)
