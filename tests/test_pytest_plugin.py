"""The pytest plugin, from the outside: pytest run in a folder of its own."""

from __future__ import annotations

import importlib.metadata
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import matplotlib.figure  # noqa: F401 - or each run in this process would load another
import pytest

import mjscene
import mjscene.goldens
import mjscene.plots
import mjscene.recorder
from mjscene.errors import ComposeError

ROOT = Path(__file__).resolve().parents[1]
INSTALLED = any(p.name == "mjscene" for p in importlib.metadata.entry_points(group="pytest11"))
PLUGIN = [] if INSTALLED else ["-p", "mjscene.pytest_plugin"]

FALLS = """
import os
from mjscene import SceneObject, SceneSpec

SPEC = SceneSpec(
    objects=[SceneObject("cube", shape="box", size=(0.1, 0.1, 0.1), pos=(0, 0, 0.15), mass=1)],
    floor=True,
)

def run(scene, seconds=0.2):
    one = scene(SPEC)
    one.model.body("cube").mass[0] *= float(os.environ.get("TIMES", "1"))
    with one.record(bodies=["cube"]) as recorder:
        one.run(seconds)
    return recorder

def test_falls(scene, trajectory_regression):
    trajectory_regression(run(scene))
"""


@pytest.fixture
def folder(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with one test of a falling cube; the project is found from there."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makepyfile(test_cube=FALLS)
    return pytester


def run(folder: pytest.Pytester, *args: str) -> pytest.RunResult:
    return folder.runpytest_inprocess(*PLUGIN, "-p", "no:cacheprovider", "-p", "no:xdist", *args)


def run_outside(folder: pytest.Pytester, *args: str) -> pytest.RunResult:
    return folder.runpytest_subprocess(*PLUGIN, "-p", "no:cacheprovider", *args, timeout=120)


def files(folder: pytest.Pytester) -> set[str]:
    found = (p.relative_to(folder.path) for p in folder.path.rglob("*") if p.is_file())
    own = {"stdout", "stderr"}  # pytester's
    return {str(p) for p in found if "__pycache__" not in p.parts and p.name not in own}


GOLDEN = "goldens/test_cube/test_falls.npz"


def test_a_golden_is_recorded_and_then_met_here_and_in_another_process(
    folder: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run(folder, "--mjscene-record")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*goldens recorded, nothing compared*", GOLDEN])
    content = (folder.path / GOLDEN).read_bytes()
    again = run(folder)
    again.assert_outcomes(passed=1)
    again.stdout.no_fnmatch_line("*goldens recorded*")
    monkeypatch.setenv("MUJOCO_GL", "disabled")
    monkeypatch.delenv("DISPLAY", raising=False)
    exact = FALLS.replace("(run(scene))", "(run(scene), tolerance=0, relative=0)")
    folder.makepyfile(test_cube=exact)
    run_outside(folder).assert_outcomes(passed=1)
    run_outside(folder, "--mjscene-record").assert_outcomes(passed=1)
    assert (folder.path / GOLDEN).read_bytes() == content, "bit for bit, the file too"
    assert files(folder) == {"test_cube.py", GOLDEN}, "no log, nothing else"


def test_a_missing_golden_fails_and_says_the_command_that_records_it(
    folder: pytest.Pytester,
) -> None:
    result = run(folder)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*there is no golden {GOLDEN}; record it: python -m pytest*"])
    result.stdout.no_fnmatch_line("*Traceback*")
    assert files(folder) == {"test_cube.py"}
    line = next(x for x in result.outlines if "record it: " in x)
    command = shlex.split(line.partition("record it: ")[2])
    assert command[:3] == ["python", "-m", "pytest"]
    run(folder, *command[3:]).assert_outcomes(passed=1)
    assert (folder.path / GOLDEN).exists()


def test_a_change_fails_with_its_name_a_text_and_a_picture(
    folder: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(folder, "--mjscene-record").assert_outcomes(passed=1)
    monkeypatch.setenv("TIMES", "1.01")
    result = run(folder)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "the run differs from its golden",
            "*mass of body 'cube': 1 kg -> 1.01 kg",
            "*golden: *test_falls.npz",
            "*if this is right: python -m pytest --mjscene-record *test_cube.py::test_falls",
        ]
    )
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")
    out = folder.path / "mjscene-output" / "test_cube"
    assert "mass of body 'cube'" in (out / "test_falls.txt").read_text(encoding="utf-8")
    assert (out / "test_falls.npz").exists()
    monkeypatch.setenv("TIMES", "1")
    run(folder).assert_outcomes(passed=1)
    assert list(out.iterdir()) == [], "a run that passes leaves no evidence of an earlier one"


def test_a_difference_in_the_run_has_a_picture_in_the_folder_that_was_named(
    folder: pytest.Pytester,
) -> None:
    run(folder, "--mjscene-record").assert_outcomes(passed=1)
    folder.makepyfile(test_cube=FALLS.replace("0.15)", "0.16)"))
    run(folder, "--mjscene-output", "left/here").assert_outcomes(failed=1)
    picture = folder.path / "left/here/test_cube/test_falls.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert not (folder.path / "mjscene-output").exists()


@pytest.mark.parametrize("damage", ["cut", "flip", "foreign", "empty"])
def test_a_damaged_golden_is_an_error_and_no_pass(folder: pytest.Pytester, damage: str) -> None:
    run(folder, "--mjscene-record").assert_outcomes(passed=1)
    path = folder.path / GOLDEN
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 255
    path.write_bytes(
        {
            "cut": path.read_bytes()[:-100],
            "flip": bytes(content),
            "foreign": b"PK and not a golden",
            "empty": b"",
        }[damage]
    )
    result = run(folder)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*RecordingError: *test_falls.npz: is damaged or no recording*"])


def test_a_golden_is_recorded_only_if_something_was_judged(folder: pytest.Pytester) -> None:
    folder.makepyfile(test_cube=FALLS.replace("        one.run(seconds)\n", "        pass\n"))
    result = run(folder, "--mjscene-record")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*no step was recorded*"])
    folder.makepyfile(test_cube=FALLS.replace("trajectory_regression(run(scene))",
                                              "trajectory_regression(5)"))  # fmt: skip
    run(folder, "--mjscene-record").stdout.fnmatch_lines(["*expected a recording, got a int*"])
    assert not (folder.path / "goldens").exists()


def test_goldens_have_the_names_of_their_tests(folder: pytest.Pytester) -> None:
    more = """
import pytest

@pytest.mark.parametrize("how", ["a/b", "a_b"])
def test_ways(scene, trajectory_regression, how):
    trajectory_regression(run(scene).recording)

class TestCube:
    def test_falls(self, scene, trajectory_regression):
        trajectory_regression(run(scene))
        trajectory_regression(run(scene), "second")

class TestBox:
    class TestCube:
        def test_falls(self, scene, trajectory_regression):
            trajectory_regression(run(scene, 0.1))

def test_twice(scene, trajectory_regression):
    trajectory_regression(run(scene), name="shared")
    with pytest.raises(Exception, match="has used the golden 'shared' already"):
        trajectory_regression(run(scene), name="shared")
"""
    folder.makepyfile(test_cube=FALLS + more)
    run(folder, "--mjscene-record").assert_outcomes(passed=6)
    run(folder).assert_outcomes(passed=6)
    names = {p.name for p in (folder.path / "goldens/test_cube").iterdir()}
    assert len(names) == 7
    assert "TestBox.TestCube.test_falls.npz" in names
    assert names > {"test_falls.npz", "TestCube.test_falls.npz", "shared.npz", "test_ways[a_b].npz"}


@pytest.mark.parametrize("how", ["name", "link", "among", "store"])
def test_evidence_never_overwrites_a_golden(
    folder: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    run(folder, "--mjscene-record").assert_outcomes(passed=1)
    content = (folder.path / GOLDEN).read_bytes()
    (folder.path / "link").symlink_to("goldens")
    if how == "store":  # the goldens are elsewhere, and linked to
        (folder.path / "goldens").rename(folder.path / "store")
        (folder.path / "goldens").symlink_to("store")
    output = {"name": "goldens", "link": "link", "among": "goldens/x", "store": "store"}[how]
    for times in ("1.01", "1"):  # a run that differs would overwrite it, one that passes delete it
        monkeypatch.setenv("TIMES", times)
        result = run(folder, "--mjscene-output", output)
        if how == "store":
            result.assert_outcomes(**{"passed" if times == "1" else "failed": 1})
        else:
            assert result.ret == pytest.ExitCode.USAGE_ERROR
            result.stderr.fnmatch_lines([f"*--mjscene-output {output}: *would overwrite goldens*"])
        assert (folder.path / GOLDEN).read_bytes() == content
        assert len(list((folder.path / GOLDEN).parent.iterdir())) == 1


SHARED = (
    FALLS
    + """
import pytest

@pytest.mark.parametrize("seconds", [0.1, 0.2])
def test_ways(scene, trajectory_regression, seconds):
    trajectory_regression(run(scene, seconds), name="run")
"""
)


def test_one_golden_is_recorded_by_one_test(folder: pytest.Pytester) -> None:
    folder.makepyfile(test_cube=SHARED)
    result = run(folder, "--mjscene-record")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        ["*test_cube.py::test_ways?0.1? has recorded goldens/test_cube/run.npz in this session*"]
    )
    run(folder).assert_outcomes(passed=2, failed=1)
    out = folder.path / "mjscene-output/test_cube"
    left = "test_ways[0.2].run.txt"
    assert (out / left).exists()
    run(folder, "-k", "0.1").assert_outcomes(passed=1, deselected=2)
    assert (out / left).exists(), "what another test left, which shares the golden"


def test_one_golden_recorded_in_several_processes_fails(folder: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    folder.makepyfile(test_cube=SHARED)
    result = run_outside(folder, "-n", "3", "--dist", "each", "--tx", "2*popen", "-k", "0.1",
                         "--mjscene-record")  # fmt: skip
    assert result.ret == 0, "one test, though in two processes"
    result = run_outside(folder, "-n", "2", "-k", "ways", "--mjscene-record")
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_it_works_with_xdist(folder: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    again = "".join(FALLS.partition("def test_")[1:]).replace("falls", "again")
    folder.makepyfile(test_cube=FALLS + again)
    result = run_outside(folder, "-n", "2", "--mjscene-record")
    result.assert_outcomes(passed=2)
    recorded = [GOLDEN.replace("falls", "again"), GOLDEN]
    result.stdout.fnmatch_lines(["*goldens recorded*", *recorded])
    assert files(folder) == {"test_cube.py", *recorded}
    run(folder).assert_outcomes(passed=2)


def test_scene_takes_names_specs_and_paths_beside_the_test(
    folder: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def load(name: Any) -> Any:
        asked.append(name)
        return mjscene.SceneSpec()

    monkeypatch.setattr(mjscene, "load_scene", load)
    folder.mkdir("deep").joinpath("test_scenes.py").write_text(
        "from pathlib import Path\nfrom mjscene import SceneSpec\n"
        "def test_it(scene):\n"
        "    assert scene(SceneSpec(name='mine')).spec.name == 'mine'\n"
        "    for given in ('arm_gripper', 'a.yaml', 'b/c.yaml', Path('d'), Path('/e.yaml')):\n"
        "        scene(given).step()\n",
        encoding="utf-8",
    )
    run(folder, "deep").assert_outcomes(passed=1)
    deep = folder.path / "deep"
    beside = [str(deep / name) for name in ("a.yaml", "b/c.yaml", "d")]
    assert asked == ["arm_gripper", *beside, "/e.yaml"]


def test_scene_builds_a_scene_that_ships_and_refuses_others(folder: pytest.Pytester) -> None:
    folder.makepyfile(
        test_cube="import pytest\nfrom mjscene import ComposeError\n"
        "def test_it(scene):\n"
        "    scene('arm_gripper').step()\n"
        "    with pytest.raises(ComposeError, match=\"did you mean 'arm_gripper'\"):\n"
        "        scene('arm_griper')\n"
    )
    run(folder).assert_outcomes(passed=1)


def fake_scenarios(path: Path) -> Any:
    """What mjscene.scenario is expected to do, by what the file says."""
    text = path.read_text(encoding="utf-8").strip()
    if text == "unreadable":
        raise ComposeError("no such key 'rbots'", file=path, line=1)
    if text == "crash":
        raise ZeroDivisionError("a bug")
    result = SimpleNamespace(passed=text == "good", text=f"the arm is {text}", recording=None)
    return SimpleNamespace(run=lambda: result)


def test_scenario_files_are_tests(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("mjscene.scenario")
    module.read_scenario = fake_scenarios  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "mjscene.scenario", module)
    for text in ("good", "late", "unreadable", "crash"):
        (pytester.path / f"{text}.scenario.yaml").write_text(text, encoding="utf-8")
    (pytester.path / "other.yaml").write_text("not one", encoding="utf-8")
    result = run(pytester, "-v")
    result.assert_outcomes(passed=1, failed=3)
    said = result.stdout.str()
    assert "good.scenario.yaml::good PASSED" in said
    assert "late.scenario.yaml: the arm is late" in said
    assert "no such key 'rbots'" in said
    assert "ZeroDivisionError: a bug" in said, "a bug keeps its traceback"
    assert said.count("Traceback") == 0
    run(pytester, "-k", "good").assert_outcomes(passed=1, deselected=3)


IMPORTS = "import sys; import {}; print(any(m.split('.')[0] == 'mujoco' for m in sys.modules))"


def test_a_run_that_does_not_use_the_plugin_does_not_load_mujoco(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    alone = subprocess.run(
        [sys.executable, "-c", IMPORTS.format("mjscene")], capture_output=True, text=True
    )
    if alone.stdout.strip() == "True":
        pytest.skip("the package itself loads MuJoCo when it is imported")
    pytester.makepyfile(
        "import sys\ndef test_it():\n    assert 'mjscene.pytest_plugin' in sys.modules\n"
        "    assert 'mujoco' not in sys.modules"
    )
    run_outside(pytester, "-p", "no:xdist").assert_outcomes(passed=1)


def test_the_plugin_itself_loads_pytest_and_nothing_of_mjscene(monkeypatch: Any) -> None:
    code = """
import sys, pytest, mjscene
before = set(sys.modules)
import mjscene.pytest_plugin
print(sorted(m for m in set(sys.modules) - before if m.startswith(("mjscene", "mujoco", "numpy"))))
"""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['mjscene.pytest_plugin']"


def test_help_tells_the_options(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--help")
    result.stdout.fnmatch_lines(["*--mjscene-record*", "*--mjscene-output*"])
    fixtures = run(pytester, "--fixtures")
    fixtures.stdout.fnmatch_lines(["trajectory_regression -- *", "scene -- *"])
