"""The README's walk from a robot of one's own to a failing regression test, step by step."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"
TITLE = "## From a robot of your own to a regression test\n"


def blocks() -> dict[str, list[str]]:
    """The section's code blocks, by their language."""
    text = README.read_text(encoding="utf-8")
    section = text[text.index(TITLE) + len(TITLE) :]
    section = section[: section.index("\n## ")]
    found: dict[str, list[str]] = {}
    for language, code in re.findall(r"```(\w+)\n(.*?)```", section, re.DOTALL):
        found.setdefault(language, []).append(code)
    return found


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A line of the README, with this environment's programs."""
    scripts = str(Path(sys.executable).parent)
    environment = os.environ | {"PATH": scripts + os.pathsep + os.environ["PATH"]}
    environment.pop("DISPLAY", None)
    environment.pop("PYTEST_ADDOPTS", None)
    return subprocess.run(
        ["sh", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_the_walk_of_the_readme_ends_where_it_says(tmp_path: Path) -> None:
    given = blocks()
    for name, language in (("my_arm.xml", "xml"), ("cell.yaml", "yaml"), ("test_cell.py", "py")):
        (tmp_path / name).write_text(given[language][0], encoding="utf-8")
    first, changed = (block.strip().splitlines() for block in given["sh"])
    for line in first:
        done = shell(line, tmp_path)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    for line in changed[:-1]:
        assert shell(line, tmp_path).returncode == 0
    failed = shell(changed[-1], tmp_path)
    assert failed.returncode == 1, failed.stdout + failed.stderr
    for line in given["text"][0].strip().splitlines():
        assert line in failed.stdout
    picture = tmp_path / "mjscene-output" / "test_cell" / "test_reach.png"
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert picture.stat().st_size > 10_000


@pytest.mark.parametrize("language", ["xml", "yaml", "py", "sh", "text"])
def test_the_walk_has_all_its_blocks(language: str) -> None:
    assert blocks()[language]
