"""The names of ``mjscene`` itself: imported when they are used, the same for everybody."""

from __future__ import annotations

import ast
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import mjscene

ROOT = Path(__file__).resolve().parents[1]


def imported_for_type_checkers() -> dict[str, str]:
    """Name and module of what mjscene/__init__.py imports under TYPE_CHECKING."""
    tree = ast.parse(Path(mjscene.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module or "" for node in imports for alias in node.names}


def test_public_names_are_the_same_for_programs_and_type_checkers() -> None:
    homes = {name: f"mjscene.{module}" for name, module in mjscene._HOME.items()}
    assert homes == imported_for_type_checkers()
    assert set(mjscene.__all__) == {*homes, "__version__"}


@pytest.mark.parametrize("heavy", ["mujoco", "numpy", "lxml", "yaml", "typing"])
def test_import_alone_loads_nothing_heavy(heavy: str) -> None:
    program = f"import sys, mjscene; assert {heavy!r} not in sys.modules"
    subprocess.run([sys.executable, "-S", "-c", program], cwd=ROOT, check=True)


def test_star_import_brings_the_public_names_and_dir_shows_no_other() -> None:
    names: dict[str, object] = {}
    exec("from mjscene import *", names)
    assert set(names) - {"__builtins__"} == set(mjscene.__all__)
    assert {name for name in dir(mjscene) if not name.startswith("__")} <= set(mjscene.__all__)


def test_modules_resolve_like_names_and_nothing_else_does() -> None:
    program = """
import mjscene
assert mjscene.poses.__name__ == "mjscene.poses"
for name in ("SceneSpek", "importlib", "np", "_nothing"):
    try:
        getattr(mjscene, name)
    except AttributeError as error:
        assert (error.name, error.obj) == (name, mjscene)
    else:
        raise SystemExit(name)
mjscene.SceneSpek
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Did you mean: 'SceneSpec'?" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("name", ["SceneSpec", "build_scene", "WORLD", "SpecError"])
def test_public_names_survive_pickling(name: str) -> None:
    value = getattr(mjscene, name)
    back = pickle.loads(pickle.dumps(value))
    assert back == value
    if isinstance(value, type):
        assert back is value
