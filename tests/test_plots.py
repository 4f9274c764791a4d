"""Plots are drawn of what was recorded, and leave the user's own matplotlib alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from recorded_runs import altered, boxes, recorded

from mjscene import MjsceneError, UnknownNameError
from mjscene.comparison import compare
from mjscene.recording import Recording
from mjscene.recordingfile import RecordingError

pytest.importorskip("matplotlib")
from mjscene.plots import plot, plot_divergence


@pytest.fixture(scope="module")
def run() -> Recording:
    return recorded()


def test_lines_are_the_recorded_numbers(run: Recording) -> None:
    figure = plot(run, joints=["arm/j2", "arm/j1"])
    assert len(figure.axes) == 4
    position, effort = figure.axes[0], figure.axes[1]
    measured, target = position.lines
    np.testing.assert_array_equal(measured.get_xdata(), run.time)
    np.testing.assert_array_equal(measured.get_ydata(), run.qpos[:, 1])
    is_position = run.modes[:, 1] == 0
    np.testing.assert_array_equal(target.get_ydata()[is_position], run.commands[is_position, 1])
    assert np.isnan(target.get_ydata()[~is_position]).all(), "a velocity is no target position"
    np.testing.assert_array_equal(effort.lines[0].get_ydata(), run.efforts[:, 1])
    assert [len(axes.patches) for axes in figure.axes] == [2, 2, 1, 1], "a band for each mode"
    assert position.get_ylabel() == "[rad]"
    assert effort.get_ylabel() == "[N·m]"


def test_a_golden_is_drawn_too(run: Recording) -> None:
    golden = altered(run, qpos=run.qpos + 1)
    figure = plot(run, joints=["arm/j1"], against=golden)
    np.testing.assert_array_equal(figure.axes[0].lines[0].get_ydata(), golden.qpos[:, 0])
    assert "golden" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_pictures_are_written_the_same_each_time(run: Recording, tmp_path: Path) -> None:
    for suffix, start in ((".png", b"\x89PNG"), (".svg", b"<?xml")):
        path = tmp_path / f"run{suffix}"
        plot(run, path, joints=["arm/j1"])
        assert path.read_bytes().startswith(start)
    before = (tmp_path / "run.png").read_bytes()
    plot(run, tmp_path / "run.png", joints=["arm/j1"])
    assert (tmp_path / "run.png").read_bytes() == before
    with pytest.raises(RecordingError, match=r"no plot is written as '\.gif'"):
        plot(run, tmp_path / "run.gif")


def test_what_cannot_be_plotted_is_refused(run: Recording) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'arm/j"):
        plot(run, joints=["arm/j3"])
    with pytest.raises(RecordingError, match="list of joints"):
        plot(run, joints="arm/j1")
    bare = recorded(make=boxes, run=lambda s: s.step(3), bodies=())
    with pytest.raises(RecordingError, match="no joints that take commands"):
        plot(bare)
    free = [j["name"] for j in bare.header["joints"]]
    assert len(plot(bare, joints=free).axes) == 4
    with pytest.raises(RecordingError, match="do not differ"):
        plot_divergence(run, run, compare(run, run))


@pytest.mark.parametrize("quantity", ["qpos", "qvel", "efforts", "ctrl", "commands", "bodies"])
def test_the_first_difference_is_drawn_where_it_is(run: Recording, quantity: str) -> None:
    array = run.arrays[quantity].copy()
    array[40:, 0] += 0.1
    now = altered(run, **{quantity: array})
    comparison = compare(run, now)
    figure = plot_divergence(run, now, comparison)
    golden, drawn, marker = figure.axes[0].lines
    np.testing.assert_array_equal(golden.get_ydata(), run.arrays[quantity][:, 0])
    np.testing.assert_array_equal(drawn.get_ydata(), array[:, 0])
    assert list(marker.get_xdata()) == [run.time[40]] * 2
    assert figure.get_suptitle() == str(comparison.first)


def test_modes_contacts_and_nan_are_drawn_too(run: Recording) -> None:
    modes = run.modes.copy()
    modes[20:, 0] = 1
    now = altered(run, modes=modes)
    figure = plot_divergence(run, now, compare(run, now))
    assert [t.get_text() for t in figure.axes[0].get_yticklabels()][1:3] == ["POSITION", "TORQUE"]
    bad = altered(run, qpos=np.where(np.arange(len(run))[:, None] > 50, np.nan, run.qpos))
    plot_divergence(run, bad, compare(run, bad))

    def apart(scene: object) -> None:
        scene.data.qpos[9] += 1  # type: ignore[attr-defined]

    fell, missed = (recorded(c, boxes, lambda s: s.step(400), bodies=()) for c in (None, apart))
    comparison = compare(fell, missed, tolerance=1e9)
    assert comparison.first is not None
    assert comparison.first.quantity == "contacts"
    figure = plot_divergence(fell, missed, comparison)
    counts = [fell.contacts(i).get(("high", "low"), 0) for i in range(len(fell))]
    np.testing.assert_array_equal(figure.axes[0].lines[0].get_ydata(), counts)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("tolerance", [0.0, 1e-6])
@pytest.mark.parametrize("scale", [1e-300, 2.997118912376729, 0.2831967211714329, 1e300])
def test_numbers_as_good_as_constant_are_drawn_without_a_warning(
    run: Recording, scale: float, tolerance: float, tmp_path: Path
) -> None:
    """Apart by numbers that differ in their last bits: matplotlib's own limits would be one."""
    zero, apart = np.zeros_like(run.qpos), np.full_like(run.qpos, scale)
    apart[::2] = np.nextafter(np.nextafter(scale, np.inf), np.inf)
    golden, now = altered(run, qpos=zero), altered(run, qpos=apart)
    comparison = compare(golden, now, tolerance=tolerance, relative=0)
    if comparison.first is not None:  # 1e-300 is within a tolerance
        figure = plot_divergence(golden, now, comparison, tmp_path / "x.png")
        low, high = figure.axes[2].get_ylim()
        assert 0 < low < high < np.inf
        assert low < scale < high or not 1e-200 < scale < 1e200
        assert np.isfinite(figure.axes[2].lines[0].get_ydata()).all()
    plot(now, tmp_path / "x.png", against=golden)


def test_many_joints_are_cut_to_a_page_that_says_so(run: Recording) -> None:
    header = {**run.header, "managed": [f"j{i}" for i in range(30)]}
    header["joints"] = [{**run.header["joints"][0], "name": f"j{i}"} for i in range(30)]
    wide = {name: np.repeat(run.arrays[name][:, :1], 30, axis=1) for name in
            ("efforts", "commands", "modes")}  # fmt: skip
    figure = plot(Recording(header, {**run.arrays, **wide}, run.model))
    assert len(figure.axes) == 24
    assert figure.get_suptitle() == "cell (12 of 30 joints)"


def test_the_users_backend_and_figures_are_left_alone(tmp_path: Path) -> None:
    code = """
import sys
from recorded_runs import recorded
from mjscene.plots import plot
plot(recorded(), sys.argv[1])
assert "matplotlib.pyplot" not in sys.modules
"""
    path = f"import sys; sys.path[:0] = {[str(Path(__file__).parent), *sys.path]!r}\n"
    command = [sys.executable, "-c", path + code, str(tmp_path / "x.png")]
    subprocess.run(command, check=True)
    assert (tmp_path / "x.png").exists()


def test_without_matplotlib_it_says_what_to_install(
    run: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("matplotlib.figure", "matplotlib.backends.backend_agg"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MjsceneError, match=r"pip install 'mjscene\[plot\]'"):
        plot(run)
