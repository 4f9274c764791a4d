"""Bad specs and files: each gives the documented error, within a second, and leaves nothing.

The rows are in ``bad_specs`` (the spec itself), ``bad_names`` (what it asks of good models),
``bad_files`` (missing and broken files), ``bad_rules`` (rules of composition) and
``bad_references`` (elements that refer to what is not there).
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import mujoco
import pytest
from bad_cases import BadCase
from bad_files import BAD_FILES
from bad_names import BAD_NAMES
from bad_references import BAD_REFERENCES, MODEL, REFERENCES
from bad_rules import BAD_RULES
from bad_specs import BAD_SPECS

from mjscene import MjsceneError, SceneSpec, build_scene

CASES = [*BAD_SPECS, *BAD_NAMES, *BAD_FILES, *BAD_RULES, *BAD_REFERENCES]
LIMIT = 1.0  # s, of the issue
LONGEST = 600  # characters: a message is a sentence, not a dump of what was given

each_case = pytest.mark.parametrize("case", CASES, ids=[c.id for c in CASES])


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder for a row's files, beside an empty working directory and an empty Menagerie."""
    for name in ("files", "cwd", "menagerie"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("MENAGERIE_ROOT", str(tmp_path / "menagerie"))
    monkeypatch.chdir(tmp_path / "cwd")
    return tmp_path / "files"


def seen(folder: Path) -> dict[str, int]:
    """Files below a folder and their sizes."""
    return {str(p): p.lstat().st_size for p in sorted(folder.rglob("*"))}


def attempt(case: BadCase, files: Path) -> tuple[Exception | None, float, dict[str, int]]:
    """What a row raises, how long that took [s], and the files it had made before."""
    made: dict[str, int] = {}
    began = time.perf_counter()
    error: Exception | None = None
    try:
        spec = case.make(files)
        made = seen(files)
        began = time.perf_counter()
        if isinstance(spec, SceneSpec):  # what is none was taken, and should have been refused
            build_scene(spec)
    except Exception as raised:  # noqa: BLE001  (that it is the right one is what is tested)
        error = raised
    return error, time.perf_counter() - began, made


@each_case
def test_bad_input_gives_its_error(
    case: BadCase, files: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if case.id == "unreadable" and os.geteuid() == 0:
        pytest.skip("root reads every file")
    error, took, made = attempt(case, files)
    assert isinstance(error, case.error), repr(error)
    assert [text for text in case.says if text not in str(error)] == [], str(error)
    assert took < LIMIT
    assert list(Path.cwd().iterdir()) == []
    assert made in ({}, seen(files))
    assert capfd.readouterr() == ("", "")


@each_case
def test_message_is_one_sentence_that_repeats_nothing(case: BadCase, files: Path) -> None:
    if case.id == "unreadable" and os.geteuid() == 0:
        pytest.skip("root reads every file")
    error, _, _ = attempt(case, files)
    assert isinstance(error, MjsceneError), repr(error)
    message = str(error)
    assert message.isprintable()
    assert len(message) <= LONGEST
    assert [junk for junk in ("Error:", "ParseXML", ":0:") if junk in message] == []
    if error.file is not None:
        assert message.count(error.file) == 1
        assert f"line {error.line}," not in message
    assert len(set(error.close)) == len(error.close)
    assert error.given not in list(error.close)


def test_table_has_the_rows_it_claims() -> None:
    ids = [case.id for case in CASES]
    assert len(ids) == len(set(ids))
    assert len(ids) >= 50
    assert [case.id for case in CASES if not case.says] == []


@pytest.mark.parametrize(("section", "element"), [r[1:] for r in REFERENCES])
def test_mujoco_refuses_the_file_of_each_row_of_references(section: str, element: str) -> None:
    # The oracle of these rows is MuJoCo itself on the file alone.
    xml = MODEL.format(section=section, element=element)
    with pytest.raises(ValueError, match="line 7"):
        mujoco.MjModel.from_xml_string(xml)
