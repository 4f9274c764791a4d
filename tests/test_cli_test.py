"""``mjscene test`` and ``mjscene run SCENARIO``: what is found, what is run, what the codes say."""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from command_line import only_line

from mjscene import ComposeError, SimulationError
from mjscene.cli import main
from mjscene.cli.test import find_scenarios


def read_scenario(path: str) -> SimpleNamespace:
    """Stands for the real one: the file's text says what comes out."""
    text = Path(path).read_text(encoding="utf-8")
    if text == "unreadable":
        raise ComposeError("no scenario", file=path, line=3)

    def run() -> SimpleNamespace:
        if text == "blows up":
            raise SimulationError("NaN", time=1.0)
        if text == "bug":
            raise ValueError("oh")
        if text == "warns":
            warnings.warn("look here", stacklevel=1)
        if text == "dies":
            os._exit(9)
        if text == "slow":
            time.sleep(0.4)
        return SimpleNamespace(passed=text != "fails", text=f"{text} in {os.getpid()}")

    return SimpleNamespace(run=run)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory, and a module of scenarios that reads what the tests write."""
    module = ModuleType("mjscene.scenario")
    module.read_scenario = read_scenario  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "mjscene.scenario", module)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, **texts: str) -> None:
    """Write scenarios by name."""
    for name, text in texts.items():
        (folder / f"{name}.scenario.yaml").write_text(text, encoding="utf-8")


def test_scenarios_are_found_below_folders_sorted_and_once(tmp_path: Path) -> None:
    for path in ("b/y.scenario.yaml", "b/x.scenario.yml", "a.scenario.yaml", "b/scene.yaml"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).touch()
    one = str(tmp_path / "b/scene.yaml")  # given by name, a file is a scenario
    found = find_scenarios([str(tmp_path), one, str(tmp_path / "a.scenario.yaml")])
    names = [os.path.relpath(path, tmp_path) for path in found]
    assert names == ["a.scenario.yaml", "b/x.scenario.yml", "b/y.scenario.yaml", "b/scene.yaml"]


@pytest.mark.parametrize("jobs", ["1", "2", "9"])
@pytest.mark.parametrize(
    ("texts", "code"),
    [
        (["fine", "fine"], 0),
        (["fine", "fails"], 1),
        (["blows up", "fine"], 1),
        (["fails", "unreadable"], 2),
        (["bug", "fine"], 2),
    ],
)
def test_the_code_says_the_worst_that_happened(
    folder: Path, jobs: str, texts: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, **{f"s{k}": text for k, text in enumerate(texts)})
    assert main(["test", ".", "-j", jobs]) == code
    shown = capsys.readouterr()
    assert shown.err == ""
    heads = [line for line in shown.out.splitlines() if "scenario.yaml (" in line]
    assert [line.split()[1] for line in heads] == ["./s0.scenario.yaml", "./s1.scenario.yaml"]
    assert all(
        (line.split()[0] == "ok") is (t == "fine") for line, t in zip(heads, texts, strict=True)
    )
    assert (f"{texts.count('fine')} passed" in shown.out.splitlines()[-1]) is True


def test_json_has_every_result_and_warning(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, a="fails", b="warns", c="unreadable")
    assert main(["test", ".", "--json", "-j", "2"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert found["counts"] == {"passed": 1, "failed": 1, "error": 1}
    assert [r["status"] for r in found["results"]] == ["failed", "passed", "error"]
    assert found["results"][1]["warnings"] == ["look here"]
    assert "c.scenario.yaml:3: no scenario" in found["results"][2]["text"]


def test_several_run_at_once_in_processes_of_their_own(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, a="slow", b="slow", c="slow", d="slow")
    began = time.perf_counter()
    assert main(["test", ".", "-j", "4", "--json"]) == 0
    assert time.perf_counter() - began < 4 * 0.4  # they sleep, however busy the machine is
    results = json.loads(capsys.readouterr().out)["results"]
    pids = {int(r["text"].split()[-1]) for r in results}
    assert os.getpid() not in pids
    assert len(pids) == 4


def test_a_process_that_dies_is_an_error_of_its_scenario(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, a="fine", b="dies")
    assert main(["test", ".", "-j", "2", "--json"]) == 2
    results = json.loads(capsys.readouterr().out)["results"]
    assert results[1]["status"] == "error"
    assert "died" in results[1]["text"]


@pytest.mark.parametrize("path", ["nothing", "gone.scenario.yaml"])
def test_nothing_to_run_is_an_error(
    folder: Path, path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "nothing").mkdir()
    assert main(["test", path]) == 2
    assert path in only_line(capsys.readouterr().err)


@pytest.mark.parametrize(("text", "code"), [("fine", 0), ("fails", 1)])
def test_run_runs_a_scenario(
    folder: Path, text: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, one=text)
    assert main(["run", "one.scenario.yaml"]) == code
    assert ("FAILED" in capsys.readouterr().out) is bool(code)
    assert main(["run", "one.scenario.yaml", "--json"]) == code
    assert json.loads(capsys.readouterr().out)["passed"] is not bool(code)
