"""A recording as data: views, files, and files that are not whole."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recorded_runs import altered, cell, recorded

from mjscene import UnknownNameError
from mjscene.recording import Recording
from mjscene.recordingfile import RecordingError, replace_file, sealed


@pytest.fixture(scope="module")
def run() -> Recording:
    return recorded()


def test_joint_is_a_view_of_its_columns(run: Recording) -> None:
    track = run.joint("arm/j2")
    np.testing.assert_array_equal(track.position, run.qpos[:, 1])
    np.testing.assert_array_equal(track.velocity, run.qvel[:, 1])
    np.testing.assert_array_equal(track.effort, run.efforts[:, 1])
    np.testing.assert_array_equal(track.command, run.commands[:, 1])
    np.testing.assert_array_equal(track.mode, run.modes[:, 1])
    (free,) = [j["name"] for j in run.header["joints"] if j["type"] == "free"]
    loose = run.joint(free)
    np.testing.assert_array_equal(loose.position, run.bodies["cube"][:, [0, 1, 2, 6, 3, 4, 5]])
    assert loose.velocity.shape == (len(run), 6)
    assert loose.mode is loose.effort is loose.command is None
    with pytest.raises(UnknownNameError, match=r"did you mean 'arm/j2' or|did you mean 'arm/j"):
        run.joint("j2")


def test_arrays_are_sealed(run: Recording) -> None:
    with pytest.raises(ValueError, match="read-only"):
        run.qpos[0] = 1


def test_a_saved_recording_comes_back_and_the_same_run_is_the_same_bytes(
    run: Recording, tmp_path: Path
) -> None:
    path = run.save(tmp_path / "deep" / "run.npz")
    assert recorded().save(tmp_path / "again.npz").read_bytes() == path.read_bytes()
    assert sorted(p.name for p in path.parent.iterdir()) == ["run.npz"], "no part is left"
    back = Recording.load(path)
    assert back.header == json.loads(json.dumps(run.header))
    assert back.arrays.keys() == run.arrays.keys()
    for name, array in run.arrays.items():
        np.testing.assert_array_equal(back.arrays[name], array)
        assert back.arrays[name].dtype == array.dtype
    for name, array in run.model.items():
        np.testing.assert_array_equal(back.model[name], array)
    assert back.joint("arm/j1").position.any()


def test_a_saved_recording_is_an_npz_that_numpy_reads(run: Recording, tmp_path: Path) -> None:
    with np.load(run.save(tmp_path / "run.npz"), allow_pickle=False) as archive:
        np.testing.assert_array_equal(archive["qpos"], run.qpos)
        np.testing.assert_array_equal(archive["model/body_mass"], run.model["body_mass"])


def test_the_same_run_in_another_process_is_the_same_file(run: Recording, tmp_path: Path) -> None:
    here, there = tmp_path / "here.npz", tmp_path / "there.npz"
    run.save(here)
    code = f"from recorded_runs import recorded; recorded().save({str(there)!r})"
    folders = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
    path = f"import sys; sys.path[:0] = {folders!r}; "
    subprocess.run([sys.executable, "-c", path + code], check=True)
    assert there.read_bytes() == here.read_bytes()


def test_a_flipped_missing_or_added_byte_is_an_error(run: Recording, tmp_path: Path) -> None:
    content = run.save(tmp_path / "run.npz").read_bytes()
    bad = tmp_path / "bad.npz"
    rng = np.random.default_rng(57)
    for place in rng.integers(0, len(content), size=60).tolist():
        broken = bytearray(content)
        broken[place] ^= 1 << rng.integers(0, 8)
        bad.write_bytes(broken)
        with pytest.raises(RecordingError) as caught:
            Recording.load(bad)
        assert str(caught.value).startswith(str(bad))
    bad.write_bytes(content + b"\n")
    with pytest.raises(RecordingError, match="damaged"):
        Recording.load(bad)
    for length in [0, 1, 100, len(content) // 2, len(content) - 1]:
        bad.write_bytes(content[:length])
        with pytest.raises(RecordingError, match="damaged or no recording"):
            Recording.load(bad)


def repacked(content: bytes, **members: bytes | None) -> bytes:
    """The archive with other members; None leaves one out."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(stream, "w") as new:
        for name in old.namelist():
            key = name.replace(".", "_")
            value = members.get(key, old.read(name))
            if value is not None:
                new.writestr(name, value)
    return sealed(stream.getvalue())


def npy(array: Any, **how: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, **how)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("members", "text"),
    [
        ({"header_json": None}, "no header"),
        ({"header_json": b"{"}, "damaged"),
        ({"header_json": b"[]"}, "no recording of mjscene"),
        ({"header_json": b'{"format": "other"}'}, "no recording of mjscene"),
        ({"header_json": b'{"format": "mjscene recording", "format_version": 99}'}, "version 99"),
        ({"header_json": b'{"format": "mjscene recording", "format_version": 1}'}, "damaged"),
        ({"qpos_npy": None}, "damaged.*qpos"),
        ({"qpos_npy": npy(np.zeros((3, 2)))}, r"'qpos' is float64 \(3, 2\)"),
        ({"modes_npy": npy(np.zeros((101, 2)))}, "'modes'"),
        ({"contacts_npy": npy(np.full(101, 9, np.int32))}, "contacts"),
        ({"time_npy": npy(np.zeros(0))}, "no rows"),
        ({"qpos_npy": npy(np.array([{}], dtype=object), allow_pickle=True)}, "damaged"),
        ({"qpos_npy": npy(np.zeros((101, 9))) + b"x"}, "more bytes"),
    ],
)
def test_foreign_and_mended_files_are_refused(
    run: Recording, tmp_path: Path, members: dict[str, bytes | None], text: str
) -> None:
    path = run.save(tmp_path / "run.npz")
    path.write_bytes(repacked(path.read_bytes(), **members))
    with pytest.raises(RecordingError, match=text) as caught:
        Recording.load(path)
    assert caught.value.file == str(path)


def test_files_that_are_not_there_or_cannot_be(run: Recording, tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="no such recording"):
        Recording.load(tmp_path / "none.npz")
    with pytest.raises(RecordingError, match="cannot be read"):
        Recording.load(tmp_path)
    with pytest.raises(RecordingError, match=r"allowed: '.npz', '.parquet'"):
        run.save(tmp_path / "run.csv")
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordingError, match="cannot be written"):
        run.save(tmp_path / "file" / "run.npz")


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.npz"
    path.write_bytes(b"old")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(RecordingError, match="No space left"):
        replace_file(path, b"new")
    assert [p.name for p in tmp_path.iterdir()] == ["run.npz"]
    assert path.read_bytes() == b"old"


def test_parquet_is_a_table_with_names_and_comes_back(run: Recording, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = run.save(tmp_path / "run.parquet")
    table = parquet.read_table(path)
    np.testing.assert_array_equal(table["qpos: arm/j1"].to_numpy(), run.qpos[:, 0])
    np.testing.assert_array_equal(table["time"].to_numpy(), run.time)
    assert run.save(tmp_path / "again.parquet").read_bytes() == path.read_bytes()
    back = Recording.load(path)
    for name, array in run.arrays.items():
        np.testing.assert_array_equal(back.arrays[name], array)
        assert back.arrays[name].dtype == array.dtype
    assert back.header == json.loads(json.dumps(run.header))
    content = path.read_bytes()
    for broken in (content[:100], b"", content[:-200]):
        path.write_bytes(broken)
        with pytest.raises(RecordingError):
            Recording.load(path)
    parquet.write_table(table.replace_schema_metadata(None), path)
    with pytest.raises(RecordingError, match="no recording of mjscene"):
        Recording.load(path)


def test_a_parquet_table_that_was_altered_is_no_recording(run: Recording, tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = run.save(tmp_path / "run.parquet")
    table = parquet.read_table(path)
    facts = table.schema.metadata
    positions = table["qpos: arm/j1"].to_numpy().copy()
    positions[1] = np.nextafter(positions[1], 9.0)
    where = table.column_names.index("qpos: arm/j1")
    header = facts[b"mjscene"].replace(b'"timestep": 0.0', b'"timestep": 0.1')
    altered = (
        table.set_column(where, "qpos: arm/j1", pa.array(positions)),
        table.replace_schema_metadata({**facts, b"mjscene": header}),
        table.replace_schema_metadata({k: v for k, v in facts.items() if b"sha256" not in k}),
        table.slice(0, len(table) - 1),
    )
    assert header != facts[b"mjscene"]
    for other in altered:
        parquet.write_table(other, path)
        with pytest.raises(RecordingError, match="damaged or no recording"):
            Recording.load(path)
    parquet.write_table(table, path, compression="gzip")  # the same table in another file
    np.testing.assert_array_equal(Recording.load(path).qpos, run.qpos)


def test_parquet_without_pyarrow_says_what_to_install(
    run: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(Exception, match=r"pip install 'mjscene\[parquet\]'"):
        run.save(tmp_path / "run.parquet")


def test_altered_arrays_do_not_reach_the_original(run: Recording) -> None:
    other = altered(run, qpos=run.qpos + 1)
    assert not np.array_equal(other.qpos, run.qpos)
    assert cell().joint_names == run.joint_names
