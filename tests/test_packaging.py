"""What a user installs: metadata, contents, and an import without side effects."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import mjscene

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]


def is_ours(path: Path) -> bool:
    """Whether a file of the tree belongs to the project, for when git cannot tell."""
    parts = path.relative_to(ROOT).parts
    if parts[0] in {"build", "dist", "out"} or "__pycache__" in parts:
        return False
    return parts[0] in {".ci", ".gitignore"} or not any(part.startswith(".") for part in parts)


def project_files() -> list[Path]:
    """Files of the tree that git tracks or would track: in an unpacked sdist, all that are ours."""
    paths = list(ROOT.rglob("*"))
    if (ROOT / ".git").exists() and shutil.which("git"):
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if listing.returncode == 0:  # git refuses a tree that belongs to someone else
            paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    return [path for path in paths if path.is_file() and is_ours(path)]


# Core and metadata


def test_core_has_exactly_four_dependencies() -> None:
    assert sorted(PROJECT["dependencies"]) == ["lxml", "mujoco>=4.0,<5", "numpy", "pyyaml"]


def test_python_and_extras_are_those_documented() -> None:
    assert PROJECT["requires-python"] == ">=3.11"
    extras = PROJECT["optional-dependencies"]
    assert extras["menagerie"] == ["mujoco-menagerie"]
    assert extras["dm-control"] == ["dm_control"]
    assert {"test", "dev"} <= set(extras)


def test_version_is_the_package_version_everywhere() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", mjscene.__version__)
    assert PYPROJECT["tool"]["hatch"]["version"]["path"] == "mjscene/__init__.py"
    assert mjscene.__version__ in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_package_is_typed() -> None:
    assert (Path(mjscene.__file__).parent / "py.typed").is_file()


def test_public_names_resolve_and_are_listed_once() -> None:
    names = list(mjscene.__all__)
    assert names, "mjscene.__all__ is empty"
    assert len(names) == len(set(names))
    missing = [name for name in names if not hasattr(mjscene, name)]
    assert missing == []


# What files say

# Split so that this file does not contain what it looks for.
TRACES = re.compile(
    "|".join(
        [
            r"(?<![\w.}])/" + r"work/",
            "/tmp/" + r"w\b",
            "/root/" + r"\.",
            r"(?<![\w.}])/" + r"home/\w+/",
            "/opt/" + r"(pypi|wheels)",
            "py" + r"pi\.(org|python\.org)",
            "python" + r"hosted\.org",
            "npm" + r"js\.(org|com)",
            r"(deb|security|snapshot)\." + r"debian\.org",
            r"(archive|security)\." + r"ubuntu\.com",
        ]
    )
)


def traces_in(text: str) -> list[str]:
    """What in `text` names one machine's paths or a package registry's host."""
    found = [match.group() for match in TRACES.finditer(text)]
    # A short root, such as /mjscene in a container, would match links.
    if len(ROOT.parts) > 2 and f"{ROOT}/" in text:
        found.append(str(ROOT))
    return found


def test_no_file_names_this_machine_or_a_registry() -> None:
    files = project_files()
    assert ROOT / "pyproject.toml" in files
    found = {}
    for path in files:
        traces = traces_in(path.read_bytes().decode("utf-8", errors="replace"))
        if traces:
            found[str(path.relative_to(ROOT))] = traces
    assert found == {}


@pytest.mark.parametrize(
    ("text", "is_trace"),
    [
        ("see /" + "work/main/x.py", True),
        ("/tmp/" + "w/v/bin", True),
        ("/" + "home/me/x", True),
        ("https://py" + "pi.org/simple", True),
        ("https://files.python" + "hosted.org/a", True),
        ("robots/home/key and network/x, frame" + "work/y", False),
        ("/tmp/" + "wheels", False),
        ("https://mujoco.readthedocs.io/en/stable", False),
    ],
)
def test_traces_are_found(text: str, is_trace: bool) -> None:
    assert bool(traces_in(text)) is is_trace


# Import

# Packages mjscene may use when asked to, and never by being imported.
LATE = {
    "OpenGL",
    "PIL",
    "dm_control",
    "glfw",
    "hypothesis",
    "matplotlib",
    "mujoco_menagerie",
    "pytest",
    "scipy",
}
LATE_MUJOCO = ("viewer", "renderer", "rendering", "studio", "egl", "osmesa", "glfw", "gl_context")

# MuJoCo itself imports GLFW (and, told to by MUJOCO_GL, OpenGL): only what mjscene adds counts.
IMPORT = """
import json, logging, sys, threading, warnings
import mujoco

def state():
    return {
        "path": list(sys.path),
        "filters": [str(f) for f in warnings.filters],
        "showwarning": str(warnings.showwarning),
        "handlers": [str(h) for h in logging.getLogger().handlers],
        "threads": threading.active_count(),
        "excepthook": str(sys.excepthook),
    }

modules, before = set(sys.modules), state()
import mjscene
light = sorted(set(sys.modules) - modules)
for name in mjscene.__all__:
    getattr(mjscene, name)
print(json.dumps({
    "light": light, "added": sorted(set(sys.modules) - modules),
    "before": before, "after": state()}))
"""


@pytest.fixture(scope="module", params=["unset", "egl", "disabled"])
def fresh_import(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """What `import mjscene` did in a new process, in a working directory of its own."""
    cwd = tmp_path_factory.mktemp("cwd")
    environ = {k: v for k, v in os.environ.items() if k not in ("MUJOCO_GL", "PYOPENGL_PLATFORM")}
    environ.pop("DISPLAY", None)
    environ["PYTHONPATH"] = str(ROOT)
    if request.param != "unset":
        environ["MUJOCO_GL"] = request.param
    done = subprocess.run(
        [sys.executable, "-c", IMPORT], cwd=cwd, env=environ, capture_output=True, text=True
    )
    if done.returncode and request.param == "egl":
        bare = [sys.executable, "-c", "import mujoco"]
        if subprocess.run(bare, env=environ, capture_output=True).returncode:
            pytest.skip("no EGL here: `import mujoco` alone fails")
    assert done.returncode == 0, done.stderr
    *said, result = (done.stderr + done.stdout).splitlines()
    return {**json.loads(result), "said": said, "files": list(cwd.rglob("*"))}


def test_import_loads_no_gl_and_no_optional_package(fresh_import) -> None:
    added = fresh_import["added"]
    assert fresh_import["light"] == ["mjscene"]  # its names are imported when they are used
    assert {"mjscene", "mjscene.scene"} <= set(added)
    unwanted = [
        name
        for name in added
        if name.split(".")[0] in LATE
        or (name.startswith("mujoco.") and name.split(".")[1] in LATE_MUJOCO)
    ]
    assert unwanted == []


def test_import_leaves_no_file_and_says_nothing(fresh_import) -> None:
    assert fresh_import["files"] == []
    assert fresh_import["said"] == []


def test_import_changes_no_global_state(fresh_import) -> None:
    assert fresh_import["after"] == fresh_import["before"]


# Make


def make_venv(python: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Run the script behind `make run` with an interpreter that must not do."""
    return subprocess.run(
        ["sh", ROOT / "tools/make_venv.sh", tmp_path / "venv", "."],
        env={**os.environ, "PYTHON": python},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )


def fake_python(tmp_path: Path, name: str, status: int) -> str:
    """An interpreter that ends every call with `status`, as the probe of make_venv.sh would."""
    path = tmp_path / name
    path.write_text(f"#!/bin/sh\nexit {status}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.skipif(sys.platform != "linux", reason="the hint is for Debian and Ubuntu")
@pytest.mark.parametrize(
    ("name", "status", "packages"),
    [
        ("absent", None, r"python3 python3-venv"),
        ("python3", 3, r"(python3 python3-venv|python3\.11 python3\.11-venv)"),
        ("python3", 4, r"python3 python3-venv"),
        ("python3.12", 4, r"python3\.12 python3\.12-venv"),
    ],
    ids=["no python", "too old", "no venv", "no venv of another python"],
)
def test_missing_python_is_answered_with_one_line(
    name: str, status: int | None, packages: str, tmp_path: Path
) -> None:
    python = str(tmp_path / name) if status is None else fake_python(tmp_path, name, status)
    done = make_venv(python, tmp_path)
    assert done.returncode != 0
    assert done.stdout == ""
    assert re.fullmatch(rf"mjscene needs .*apt-get install -y {packages}\n", done.stderr)
    assert not (tmp_path / "venv").exists()


def test_ci_runs_all_three_targets() -> None:
    script = ROOT / ".ci/run"
    if not script.exists():
        pytest.skip("not in this copy of the tree")
    assert os.access(script, os.X_OK)
    text = script.read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("check", "test", "build"):
        assert f"\nmake {target}\n" in text
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
