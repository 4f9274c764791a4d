"""Field cases F57, F59 and F60 where scenarios touch them."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scenario_scene import scenario

from mjscene import Scene, load_scenario
from mjscene.comparison import compare
from mjscene.library import scenario_path
from mjscene.recording import Recording
from mjscene.scenario import Call

ROOT = Path(__file__).resolve().parents[1]


def mjscene(words: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own."""
    known = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "MUJOCO_GL")}
    return subprocess.run(
        [sys.executable, "-m", "mjscene", *words],
        cwd=folder,
        env={**known, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
    )


# F57: golden trajectories


def test_f57_recording_of_a_scenario_is_a_golden(tmp_path: Path) -> None:
    small = scenario("at: 0, wrench: {body: ball, force: [2, 0, 0]}", duration=0.4)
    small.run().recording.save(tmp_path / "golden.npz")
    golden = Recording.load(tmp_path / "golden.npz")
    assert compare(golden, small.run().recording, tolerance=0, relative=0)

    def heavier(scene: Scene) -> None:
        scene.model.body("ball").mass[0] *= 1.01
        scene.forward()

    other = replace(small, timeline=[Call(at=0, function=heavier), *small.timeline]).run()
    found = compare(golden, other.recording)
    assert not found


def test_f57_a_start_moved_by_a_trillionth_ends_within_a_billionth() -> None:
    small = scenario("", duration=0.4)

    def move(scene: Scene) -> None:
        scene.data.qpos[:2] += 1e-12

    moved = replace(small, timeline=[Call(at=0, function=move)]).run()
    ends = [r.recording.qpos[-1] for r in (small.run(), moved)]
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-9)


# F59: headless machines


@pytest.mark.parametrize("gl", [None, "disabled", "glfw"])
def test_f59_scenarios_run_without_a_display(gl: str | None, tmp_path: Path) -> None:
    environment = {} if gl is None else {"MUJOCO_GL": gl}
    done = mjscene(["test", "free_fall"], tmp_path, **environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_f59_nothing_that_draws_is_imported(tmp_path: Path) -> None:
    program = """
import sys
from mjscene import load_scenario
assert "mujoco" not in sys.modules
assert load_scenario("free_fall").run().passed
late = ("mujoco.viewer", "mjscene.renderer", "mjscene.pictures", "matplotlib", "rich", "PIL", "av")
loaded = [m for m in late if m in sys.modules]
assert not loaded, loaded
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# F60: errors a user can act on; no litter


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("contact: {between: [ball, floor]}", "contact: {between: [bal, floor]}", "between[0]"),
        ("add_object:", "add_objekt:", "did you mean 'add_object'"),
        ("duration: 1.2", "duration: 1.2.0", "duration"),
        ("shape: sphere", "shape: spere", "shape"),
    ],
)
def test_f60_wrong_file_is_one_line_with_its_place(
    old: str, new: str, said: str, tmp_path: Path
) -> None:
    text = scenario_path("free_fall").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "my.scenario.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")
    line = text[: text.index(old)].count("\n") + 1
    done = mjscene(["run", "my.scenario.yaml"], tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    (only,) = done.stderr.splitlines()
    assert said in only
    shown = int(only.partition("my.scenario.yaml:")[2].partition(":")[0])
    assert line <= shown <= line + 1
    assert [p.name for p in tmp_path.iterdir()] == ["my.scenario.yaml"]


def test_f60_failure_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    text = scenario_path("free_fall").read_text(encoding="utf-8").replace("z: 0.05,", "z: 0.06,")
    (tmp_path / "my.scenario.yaml").write_text(text, encoding="utf-8")
    done = mjscene(["run", "my.scenario.yaml"], tmp_path)
    assert done.returncode == 1
    assert "expected 'ball' z 0.06 ± 0.001 m; seen: z 0.04" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("my.scenario.yaml: FAILED")
    assert [p.name for p in tmp_path.iterdir()] == ["my.scenario.yaml"]


def test_scenarios_and_their_errors_cross_a_process() -> None:
    original = load_scenario("free_fall")
    back = pickle.loads(pickle.dumps(original))
    assert back == original
    assert back.run().passed
