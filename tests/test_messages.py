"""What MuJoCo says, caught: nothing is printed or written, and the hook is put back."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import mujoco
import pytest
from field_models import ARM

from mjscene import MjsceneWarning
from mjscene.messages import Captured, element_of, first_line, line_of

CONFLICT = ARM.replace("<worldbody>", '<option timestep="0.001"/><worldbody>', 1)


def attach_with_a_warning() -> None:
    """MuJoCo warns that an option of the child is lost."""
    parent = mujoco.MjSpec()
    parent.option.timestep = 0.004
    child = mujoco.MjSpec.from_string(CONFLICT)
    parent.attach(child, prefix="a/", frame=parent.worldbody.add_frame())
    parent.compile()


def step_with_a_warning() -> None:
    """MuJoCo warns of a velocity that is none."""
    model = mujoco.MjModel.from_xml_string(ARM)
    data = mujoco.MjData(model)
    data.qvel[:] = 1e15
    mujoco.mj_step(model, data)


@pytest.mark.parametrize("act", [attach_with_a_warning, step_with_a_warning])
def test_warnings_are_collected_and_neither_printed_nor_written(
    act: Callable[[], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with Captured() as captured:
            act()
    assert captured.messages
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []


def test_outside_mujoco_does_write_so_that_the_test_above_can_fail(tmp_path: Path) -> None:
    program = f"""
import mujoco, warnings
warnings.simplefilter("ignore")
parent = mujoco.MjSpec(); parent.option.timestep = 0.004
child = mujoco.MjSpec.from_string({CONFLICT!r})
parent.attach(child, prefix="a/", frame=parent.worldbody.add_frame())
parent.compile()
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "WARNING" in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["MUJOCO_LOG.TXT"]


def test_one_warning_is_one_message_however_often_it_is_said() -> None:
    with Captured() as captured:
        for _ in range(3):
            step_with_a_warning()
    assert len(captured.messages) == 1
    with Captured() as captured:
        captured._add("something is odd")
        captured._add("something is odd: the timestep")
        captured._add("something is odd")
    assert captured.messages == ["something is odd: the timestep"]


@pytest.mark.parametrize("fails", [False, True])
def test_the_hook_of_before_is_back_afterwards(*, fails: bool) -> None:
    said: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(said.append)
    try:
        mine = mujoco.get_mju_user_warning()
        try:
            with Captured():
                step_with_a_warning()
                if fails:
                    raise ZeroDivisionError
        except ZeroDivisionError:
            assert fails
        assert mujoco.get_mju_user_warning() is mine
        assert said == []
        step_with_a_warning()
        assert len(said) == 1
    finally:
        mujoco.set_mju_user_warning(before)
    assert mujoco.get_mju_user_warning() is before


def test_captures_nest_and_each_has_what_was_said_inside_it() -> None:
    with Captured() as outer:
        with Captured() as inner:
            step_with_a_warning()
        assert len(inner.messages) == 1
        assert outer.messages == []
        attach_with_a_warning()
    assert len(outer.messages) == 1
    assert outer.messages != inner.messages


def test_warnings_of_others_pass_through_with_their_category_and_place() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with Captured() as captured:
            warnings.warn("old", DeprecationWarning, stacklevel=1)
            warnings.warn("ours", MjsceneWarning, stacklevel=1)
    assert captured.messages == []
    assert [(w.category, str(w.message), w.filename) for w in caught] == [
        (DeprecationWarning, "old", __file__),
        (MjsceneWarning, "ours", __file__),
    ]


def test_without_python_the_filters_of_the_caller_are_left_alone() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with Captured(python=False) as captured:
            warnings.warn("at once", UserWarning, stacklevel=1)
            assert len(caught) == 1
            step_with_a_warning()
    assert len(captured.messages) == 1


def test_emit_warns_at_the_line_that_called() -> None:
    with Captured(python=False) as captured:
        step_with_a_warning()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        captured.emit(stacklevel=1)
    (found,) = caught
    assert (found.category, str(found.message)) == (MjsceneWarning, captured.messages[0])
    assert found.filename == __file__


@pytest.mark.parametrize(
    ("message", "line", "element", "first"),
    [
        (
            "XML Error: class 'main' cannot be renamed\nElement 'default', line 12",
            *(12, "default", "class 'main' cannot be renamed"),
        ),
        (
            "Error: mass must be larger\nElement name 'a/l', id 3, line 7",
            *(7, "a/l", "mass must be larger"),
        ),
        ("Error: mass must be larger\nElement name '', id 3", None, None, "mass must be larger"),
        ("ParseXML: Error opening file 'nope.xml'", *(None, None, "Error opening file 'nope.xml'")),
        ("XML_ERROR_PARSING ErrorID=6 Line number=3", 3, None, None),
        ("online 5 stars", None, None, "online 5 stars"),
        ("", None, None, "unknown error"),
    ],
)
def test_lines_and_elements_are_read_out_of_mujocos_messages(
    message: str, line: int | None, element: str | None, first: str | None
) -> None:
    assert line_of(message) == line
    assert element_of(message) == element
    if first is not None:
        assert first_line(message) == first
