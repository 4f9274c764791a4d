"""The command line as a whole: commands, help, exit codes, and what is imported when."""

from __future__ import annotations

import argparse
import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from command_line import ROOT, command, only_line

import mjscene
from mjscene.cli import COMMANDS, main

MODULES = {name: "shipped" if name == "list" else name for name in COMMANDS}


def test_every_command_has_a_module_and_every_module_is_known() -> None:
    folder = ROOT / "mjscene" / "cli"
    files = {p.stem for p in folder.glob("*.py")} - {"__init__", "base", "tables"}
    assert files == set(MODULES.values())


def test_the_script_is_installed_under_its_name() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    assert project["scripts"] == {"mjscene": "mjscene.cli:main"}
    assert project["optional-dependencies"]["cli"] == ["rich"]


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    for name, summary in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(summary)}$", text, re.MULTILINE)
    assert "exit codes" in text
    assert max(map(len, text.splitlines())) <= 100


def test_without_a_command_help_is_shown_as_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "commands:" in shown.err


def test_the_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"mjscene {mjscene.__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_has_examples_that_parse(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--help"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: mjscene {name} ")
    assert max(map(len, text.splitlines())) <= 100
    examples = text.split("examples:\n")[1].splitlines()
    own = [line.split("&&")[0].split() for line in examples if line.startswith(f"  mjscene {name}")]
    assert own
    for words in own:
        module = importlib.import_module(f"mjscene.cli.{MODULES[name]}")
        parser = argparse.ArgumentParser(exit_on_error=False)
        module.add_arguments(parser)
        assert parser.parse_args(words[2:]) is not None


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["biuld"], "there is no command 'biuld'; did you mean 'build'?"),
        (["zzz"], "there are build, check,"),
        (["--nope"], "--nope"),
        (["build"], "required: SCENE"),
        (["build", "dual_arm", "--jsn"], "unrecognized arguments: --jsn"),
        (["run", "dual_arm", "--seconds", "-1"], "expected a number > 0, got '-1'"),
        (["run", "dual_arm", "--seconds", "nan"], "expected a number > 0, got 'nan'"),
        (["run", "dual_arm", "--seconds", "x"], "--seconds: expected a number, got 'x'"),
        (["test", ".", "-j", "0"], "expected a whole number > 0"),
        (["record", "dual_arm", "-o", "x.txt"], "expected a file .npz or .parquet"),
        (["record", "dual_arm", "-o", "x.npz", "--plot", "x.gif"], "file .png, .svg or .pdf"),
        (["record", "dual_arm", "-o", "x.npz", "--every", "x"], "a whole number > 0, got 'x'"),
        (["compare", "a.npz", "b.npz", "--plot", "x.foo"], "file .png, .svg or .pdf, got 'x.foo'"),
        (["compare", "a.npz", "b.npz", "--tolerance", "-1"], "expected a number >= 0, got '-1'"),
        (["render", "dual_arm"], "required: -o/--output"),
        (["render", "dual_arm", "-o", "x.png", "--size", "960"], "expected WIDTHxHEIGHT"),
        (["render", "dual_arm", "-o", "x.png", "--distance", "0"], "expected a number > 0"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    words: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert text in only_line(shown.err)


IMPORTS = """
import sys
sys.path.insert(0, {root!r})
from mjscene.cli import main
assert main({words!r}) == {code}
heavy = ["mujoco", "numpy", "lxml", "yaml", "typing", "dataclasses", "pathlib", "rich", "inspect"]
print([name for name in heavy if name in sys.modules])
"""


@pytest.mark.parametrize("words", [["--help"], ["check", "--help"], ["test", "--help"], ["run"]])
def test_help_and_usage_load_nothing_heavy(words: list[str]) -> None:
    program = IMPORTS.format(root=str(ROOT), words=words, code=0 if "--help" in words else 2)
    done = subprocess.run(
        [sys.executable, "-S", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


def test_an_error_nobody_foresaw_is_a_line_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise ValueError("two\nlines")

    monkeypatch.setattr("mjscene.library.robot_names", broken)
    assert main(["list", "--json"]) == 2
    line = only_line(capsys.readouterr().err)
    assert line == "mjscene list: error: ValueError: two lines (--traceback shows where)"
    assert main(["list", "--json", "--traceback"]) == 2
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert "in broken" in err


def test_a_file_that_cannot_be_opened_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("mjscene.library.robot_names", lambda: Path("gone/x").read_text())
    assert main(["list", "--json"]) == 2
    line = only_line(capsys.readouterr().err)
    assert line == "mjscene list: error: gone/x: No such file or directory"


def test_an_interrupt_ends_quietly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mjscene.library.robot_names", interrupted)
    assert main(["list", "--json"]) == 130
    assert capsys.readouterr().err == ""


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    program = [sys.executable, "-m", "mjscene", "list", "--json"]
    with subprocess.Popen(
        program, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


@pytest.mark.parametrize("words", [["list"], ["run", "arm_gripper", "--seconds", "0.01"]])
def test_without_rich_a_table_says_what_to_install(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name, *rest: None if name == "rich" else find_spec(name)
    )
    assert main(words) == 2
    shown = capsys.readouterr()
    assert "pip install 'mjscene[cli]'" in only_line(shown.err)
    assert shown.out == ""
    assert main([*words, "--json"]) == 0


def test_a_file_without_the_letters_gets_the_table_all_the_same(tmp_path: Path) -> None:
    done = command(
        "run", "arm_gripper", "--seconds", "0.01", cwd=tmp_path, PYTHONIOENCODING="ascii"
    )
    assert done.returncode == 0, done.stderr
    assert "arm" in done.stdout
