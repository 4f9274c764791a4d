"""Golden recordings on disk, and what is left behind where a run is not its golden's."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from recorded_runs import altered, recorded

from mjscene.goldens import Evidence, check_golden, file_stem, record_golden
from mjscene.recording import Recording
from mjscene.recordingfile import RecordingError


@pytest.fixture(scope="module")
def run() -> Recording:
    return recorded()


@pytest.mark.parametrize("name", ["test_x", "test_x[left-0.5]", "TestA.test_x", "a+b=c"])
def test_plain_names_stay(name: str) -> None:
    assert file_stem(name) == name


def test_other_names_become_files_in_their_folder_and_stay_apart() -> None:
    names = [
        "t[a/b]",
        "t[a_b]",
        "t[a b]",
        "../t",
        ".t",
        "t" * 300,
        "t" * 301,
        "t[é\n]",
        "..",
        "機" * 200,
    ]
    stems = [file_stem(name) for name in names]
    assert len(set(stems)) == len(names)
    for stem in stems:
        assert Path(stem).name == stem
        assert not stem.startswith(".")
        assert len(stem.encode()) < 230


def test_a_golden_is_met_by_its_run_and_clears_what_was_left(
    run: Recording, tmp_path: Path
) -> None:
    golden, evidence = tmp_path / "golden.npz", Evidence(tmp_path / "out" / "test")
    record_golden(golden, run)
    worse = altered(run, qpos=run.qpos + 0.1)
    text = check_golden(golden, worse, evidence)
    assert text is not None
    assert "position of joint 'arm/j1'" in text
    left = sorted(p.name for p in (tmp_path / "out").iterdir())
    assert left == ["test.npz", "test.png", "test.txt"]
    assert all(name in text for name in left)
    assert (tmp_path / "out/test.txt").read_text(encoding="utf-8").splitlines()[0] in text
    np.testing.assert_array_equal(Recording.load(tmp_path / "out/test.npz").qpos, worse.qpos)
    assert check_golden(golden, run, evidence) is None
    assert list((tmp_path / "out").iterdir()) == []


def test_what_differs_is_said_where_nothing_can_be_written(run: Recording, tmp_path: Path) -> None:
    golden, folder = tmp_path / "golden.npz", tmp_path / "taken"
    record_golden(golden, run)
    folder.write_text("a file where the folder should be")
    evidence = Evidence(folder / "run")
    assert check_golden(golden, run, evidence) is None
    other = altered(run, qpos=run.qpos + 0.1)
    text = check_golden(golden, other, evidence)
    assert text is not None
    assert "first, at t =" in text
    assert "no files about it" in text


def test_no_picture_where_nothing_is_drawn(
    run: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    golden, evidence = tmp_path / "golden.npz", Evidence(tmp_path / "out" / "test")
    record_golden(golden, run)
    short = altered(run, **{name: array[:9].copy() for name, array in run.arrays.items()})
    text = check_golden(golden, short, evidence)
    assert text is not None
    assert "number of rows" in text
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    text = check_golden(golden, altered(run, qpos=run.qpos + 1), evidence)
    assert text is not None
    assert "pip install 'mjscene[plot]'" in text
    assert sorted(p.suffix for p in (tmp_path / "out").iterdir()) == [".npz", ".txt"]


def test_whatever_a_plot_raises_the_difference_is_said(
    run: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    golden, evidence = tmp_path / "golden.npz", Evidence(tmp_path / "out" / "test")
    record_golden(golden, run)

    def fail(*args: object) -> None:
        raise ZeroDivisionError("as a test")

    monkeypatch.setattr("mjscene.plots.plot_divergence", fail)
    text = check_golden(golden, altered(run, qpos=run.qpos + 1), evidence)
    assert text is not None
    assert "position of joint 'arm/j1'" in text
    assert "(no picture: ZeroDivisionError: as a test)" in text
    assert sorted(p.suffix for p in (tmp_path / "out").iterdir()) == [".npz", ".txt"]


@pytest.mark.parametrize("place", ["goldens/run", "link/run", "x/run"])
def test_evidence_among_goldens_is_not_written(run: Recording, tmp_path: Path, place: str) -> None:
    """Where the golden is; through a link; and a golden that is a link to where evidence goes."""
    golden = tmp_path / "goldens" / "run.npz"
    record_golden(golden, run)
    (tmp_path / "link").symlink_to("goldens")
    if place.startswith("x"):
        (tmp_path / "x").mkdir()
        golden.rename(tmp_path / "x" / "run.npz")
        golden.symlink_to(tmp_path / "x" / "run.npz")
    content = golden.read_bytes()
    evidence = Evidence(tmp_path / place)
    assert check_golden(golden, run, evidence) is None
    text = check_golden(golden, altered(run, qpos=run.qpos + 1), evidence)
    assert text is not None
    assert "is a folder of goldens" in text
    assert golden.read_bytes() == content


def test_evidence_among_the_goldens_of_other_tests_is_not_written(
    run: Recording, tmp_path: Path
) -> None:
    golden, other = tmp_path / "a.npz", tmp_path / "sub" / "goldens" / "test_x" / "test.npz"
    record_golden(golden, run)
    record_golden(other, run)
    (tmp_path / "sub" / "test_x.py").touch()
    content = other.read_bytes()
    evidence = Evidence(other.with_suffix(""))
    assert check_golden(golden, altered(run, qpos=run.qpos + 1), evidence) is not None
    assert check_golden(golden, run, evidence) is None
    assert other.read_bytes() == content


def test_what_nothing_can_be_judged_by_is_refused(run: Recording, tmp_path: Path) -> None:
    golden, evidence = tmp_path / "golden.npz", Evidence(tmp_path / "out" / "test")
    nan = altered(run, qvel=np.full_like(run.qvel, np.nan))
    still = altered(run, **{name: array[:1].copy() for name, array in run.arrays.items()})
    with pytest.raises(RecordingError, match="the run to record"):
        record_golden(golden, nan)
    with pytest.raises(RecordingError, match="no step was recorded"):
        record_golden(golden, still)
    assert not golden.exists()
    nan.save(golden)
    for now in (nan, run):
        with pytest.raises(RecordingError, match="nothing can be judged by it"):
            check_golden(golden, now, evidence)
    still.save(golden)
    with pytest.raises(RecordingError, match="no step was recorded"):
        check_golden(golden, run, evidence)
    golden.write_bytes(golden.read_bytes()[:-30])
    with pytest.raises(RecordingError, match="damaged"):
        check_golden(golden, run, evidence)
    assert not (tmp_path / "out").exists()
