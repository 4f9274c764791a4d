"""Bytes of several arrays in one piece, and numbers that are finite by their bytes."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjscene.spans import bytes_of, pieces_of, places_of, tops_of

XML = """<mujoco><worldbody><body name="m" mocap="true"><geom size=".1"/></body>
 <body name="b"><freejoint/><geom size=".1"/></body></worldbody>
 <equality><weld body1="m" body2="b"/></equality></mujoco>"""
FIELDS = ("qpos", "qvel", "act", "ctrl", "xfrc_applied", "eq_active", "mocap_pos", "mocap_quat")


def make() -> mujoco.MjData:
    return mujoco.MjData(mujoco.MjModel.from_xml_string(XML))


@pytest.mark.parametrize(
    "names",
    [("qpos", "qvel"), ("eq_active", "mocap_pos", "mocap_quat"), ("qvel",), ("qvel", "qpos"), ()],
)
def test_every_change_of_every_entry_shows(names: tuple[str, ...]) -> None:
    data = make()
    read = bytes_of(*(getattr(data, n) for n in names))
    before = read()
    for name in names:
        array = getattr(data, name)
        for index in np.ndindex(array.shape):
            old = array[index].copy()
            array[index] = not old if array.dtype == bool else old + 1.0
            assert read() != before, (name, index)
            array[index] = old
            assert read() == before
    assert bool(before) == bool(names)


def test_what_lies_beside_the_arrays_does_not_show() -> None:
    data = make()
    read = bytes_of(data.eq_active, data.mocap_pos, data.mocap_quat)
    before = read()
    for name in set(FIELDS) - {"eq_active", "mocap_pos", "mocap_quat"}:
        getattr(data, name)[:] = 3.0
    mujoco.mj_step(mujoco.MjModel.from_xml_string(XML), make())
    assert read() == before


def test_arrays_far_apart_and_empty_ones_are_read_too() -> None:
    arrays = [np.zeros(3), np.zeros(0), np.zeros((2, 2))]
    read = bytes_of(*arrays)
    assert len(read()) >= 7 * 8
    before = read()
    arrays[2][1, 1] = 1.0
    assert read() != before
    assert bytes_of(np.zeros(0))() == b""


def test_a_strided_array_shows_its_last_entry() -> None:
    warnings = make().warning
    read = bytes_of(warnings.number)
    before = read()
    warnings.number[-1] = 1
    assert read() != before


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True, width=64), max_size=40))
def test_numbers_that_are_not_finite_are_always_seen(numbers: list[float]) -> None:
    tops = tops_of(np.array(numbers, dtype=float))
    sure = tops == tops
    if not all(math.isfinite(x) for x in numbers):
        assert not sure
    if all(abs(x) < 1e306 for x in numbers):
        assert sure


@given(st.integers(0, 2**64 - 1))
def test_every_pattern_of_bits_that_is_not_finite_is_seen(bits: int) -> None:
    number = np.array([bits | 0x7FF << 52], dtype=np.uint64).view(float)
    assert not np.isfinite(number).any()
    tops = tops_of(number)
    assert tops != tops


def test_numbers_are_seen_as_they_are_now() -> None:
    numbers = np.zeros(3)
    tops = tops_of(numbers)
    for value in (np.nan, -np.inf, np.inf, -np.nan):
        numbers[1] = value
        assert tops != tops
        numbers[1] = -1e306
        assert tops == tops


def test_pieces_say_where_each_array_is_in_them() -> None:
    data = make()
    arrays = [data.xquat[1], data.qvel[2:5], data.qpos[1:4], np.zeros(0), data.xfrc_applied[1]]
    data.qvel[:], data.qpos[:], data.xfrc_applied[:] = range(6), range(7), 4.0
    for gap in (0, 64, 1 << 20):
        readers, found = pieces_of(arrays[:4], gap)
        pieces = [read() for read in readers]
        for array, (piece, offset) in zip(arrays[:4], found, strict=True):
            numbers = np.frombuffer(pieces[piece], float, array.size, offset)
            np.testing.assert_array_equal(numbers, array)
    assert len(pieces) == 1
    assert len(pieces_of(arrays, 0)[0]) == 4


@pytest.mark.parametrize("gap", [0, 64, 1 << 20])
def test_places_say_where_each_array_is_in_what_is_read(gap: int) -> None:
    data = make()
    arrays = [data.xfrc_applied, data.qvel, np.zeros(0), data.qpos, data.ctrl, data.mocap_pos]
    data.qvel[:], data.qpos[:], data.xfrc_applied[:] = range(6), range(7), 4.0
    read, places = places_of(*arrays, gap=gap)
    for array, place in zip(arrays, places, strict=True):
        assert read()[place] == array.tobytes()
