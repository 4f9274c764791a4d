"""The benchmark of a control cycle and the peers' programs run, without any peer's environment."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
# What by_mujoco_robot.py uses of mujoco-robot, done by hand: {fault} is added to its commands.
STAND_IN = """
import numpy as np

class MujocoRobot:
    def __init__(self, model, data, joint_names, verbose):
        self.data = data
        joints = [model.joint(n).id for n in joint_names]
        self.ctrl = [list(model.actuator_trnid[:, 0]).index(j) for j in joints]
        self.qpos = [model.jnt_qposadr[j] for j in joints]

    def set_joint_positions(self, command):
        self.data.ctrl[self.ctrl] = command + {fault}

    def get_actuated_joint_positions(self):
        return np.array(self.data.qpos[self.qpos])
"""


@pytest.fixture
def environments(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ModuleType]:
    """The module, whose environments are in a folder that goes."""
    monkeypatch.syspath_prepend(str(FOLDER))
    module = importlib.import_module("_environments")
    monkeypatch.setattr(module, "_folder", lambda peer: tmp_path / peer)
    yield module
    sys.modules.pop("_environments", None)


def stand_in(folder: Path, fault: float) -> str:
    """An interpreter that finds a stand-in of mujoco-robot, with its metadata."""
    (folder / "mujoco_robot.py").write_text(STAND_IN.format(fault=fault), encoding="utf-8")
    about = folder / "mujoco_robot-0.0.1.dist-info"
    about.mkdir()
    metadata = "Metadata-Version: 2.1\nName: mujoco-robot\nVersion: 0.0.1\n"
    (about / "METADATA").write_text(metadata, encoding="utf-8")
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{folder}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return str(python)


@pytest.mark.bench
def test_step_benchmark_runs_and_writes_what_it_measured(tmp_path: Path) -> None:
    command = [sys.executable, str(FOLDER / "step.py"), "--quick", "--json", "found.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    names = ["(a) by hand", "(b) arrays", "(a) by hand", "(c) messages"]
    assert [row["name"] for row in rows] == names * 3
    assert all(row["median_us"] > 0 for row in rows)
    assert [row["ratio"] for row in rows if row["name"] == "(a) by hand"] == [1.0] * 6


@pytest.mark.bench
def test_a_peers_program_times_it_and_by_hand(environments: ModuleType, tmp_path: Path) -> None:
    step = importlib.import_module("step")
    python = stand_in(tmp_path, fault=0.0)
    found = environments.measured("mujoco-robot", 2, 30, *step.model_files(), python=python)
    assert set(found["versions"]) == {"mujoco", "mujoco-robot"}
    assert found["versions"]["mujoco-robot"] == "0.0.1"
    (times,) = found["pairs"]
    assert list(times) == ["by hand", "MujocoRobot"]
    # The first tenth of the turns is left out.
    assert all(len(series) == 27 and min(series) > 0 for series in times.values())
    sys.modules.pop("step")


@pytest.mark.bench
def test_a_peer_that_moves_otherwise_is_no_peer(environments: ModuleType, tmp_path: Path) -> None:
    step = importlib.import_module("step")
    python = stand_in(tmp_path, fault=1e-9)
    with pytest.raises(SystemExit, match="MujocoRobot does not move the arms as by hand"):
        environments.measured("mujoco-robot", 1, 30, *step.model_files(), python=python)
    sys.modules.pop("step")


def test_every_peer_has_a_program_and_an_environment(environments: ModuleType) -> None:
    step = importlib.import_module("step")
    names = {f"by_{peer.replace('-', '_')}.py" for peer in environments.PACKAGES}
    assert {p.name for p in (FOLDER / "peers").glob("by_*.py")} == names
    assert set(step.PEERS) == set(environments.PACKAGES)
    sys.modules.pop("step")


def test_an_environment_is_made_once_and_anew_for_other_packages(
    environments: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[list[str]] = []

    def create(folder: Path, **_: object) -> None:
        folder.mkdir(exist_ok=True)

    def install(command: list[str]) -> subprocess.CompletedProcess[str]:
        made.append(command[-2:])
        return subprocess.CompletedProcess(command, returncode=0)

    monkeypatch.setattr(environments.venv, "create", create)
    monkeypatch.setattr(environments.subprocess, "run", install)
    monkeypatch.setattr(environments, "PACKAGES", {"peer": ("mujoco", "peer")})
    environments.make("peer")
    environments.make("peer")
    assert made == [["mujoco", "peer"]]
    monkeypatch.setattr(environments, "PACKAGES", {"peer": ("mujoco<4", "peer")})
    environments.make("peer")
    assert made[1:] == [["mujoco<4", "peer"]]


def test_an_environment_that_cannot_be_made_ends_the_run_and_is_not_taken_for_made(
    environments: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(environments.venv, "create", lambda folder, **_: folder.mkdir())
    failed = subprocess.CompletedProcess([], returncode=1)
    monkeypatch.setattr(environments.subprocess, "run", lambda command: failed)
    with pytest.raises(SystemExit, match="robosuite cannot be installed"):
        environments.make("robosuite")
    assert not (tmp_path / "robosuite" / "ready").exists()
