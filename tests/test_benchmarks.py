"""The benchmarks run, compare like with like, and compute what they print."""

from __future__ import annotations

import importlib
import json
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import mujoco
import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
TWO_BODIES = """
<mujoco>
  <worldbody>
    <body name="a"><joint name="j"/><geom size=".1" mass="1"/></body>
    <body name="b"><geom size=".1" mass="2"/></body>
  </worldbody>
  <actuator><motor name="m" joint="j"/></actuator>
</mujoco>
"""


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """The modules of the folder, which is no package: its scripts run by path."""
    names = ("_arms", "_stats", "_tables")
    monkeypatch.syspath_prepend(str(FOLDER))
    modules: dict[str, ModuleType] = {}
    for name in names:
        modules[name] = importlib.import_module(name)
    yield SimpleNamespace(**modules)
    for name in names:
        sys.modules.pop(name, None)


def times(walls: list[float]) -> list[dict[str, float]]:
    """Builds with these wall times, and processor times of half of them."""
    return [{"wall": wall, "cpu": wall / 2, "faults": 0} for wall in walls]


# The smoke run


@pytest.mark.bench
def test_controllers_benchmark_runs_and_writes_what_it_measured(tmp_path: Path) -> None:
    command = [sys.executable, str(FOLDER / "controllers.py"), "--quick", "--json", "found.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["found.json"]
    rows = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    ratios = {row["name"]: row["ratio"] for row in rows}
    assert len(ratios) == 6
    assert ratios["(a) plain"] == 1.0
    assert ratios["(b) everything"] > 1.0


@pytest.mark.bench
def test_build_benchmark_runs_and_writes_what_it_measured(tmp_path: Path) -> None:
    command = [sys.executable, str(FOLDER / "build.py"), "--quick", "--json", "found.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["found.json"]
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    ways = {"mjscene", "hand", "hand-parsing"}
    assert set(found["cold"]["2"]) == set(found["warm"]["2"]) == ways
    for count in ("1", "2"):
        assert set(found["later"][count]) == {*ways, "mjscene-torque"}
    modes = ("cold", "warm", "later")
    series = [s for mode in modes for by_way in found[mode].values() for s in by_way.values()]
    assert len(series) == 3 + 3 + 2 * 4
    assert all(t["wall"] > 0 and t["cpu"] > 0 for one in series for t in one)
    for count, by_way in found["facts"].items():
        for way in ways:
            # A UR5e has 6 joints and motors, a 2F-85 8 joints and one motor.
            assert by_way[way]["nq"] == by_way[way]["nv"] == 14 * int(count)
            assert by_way[way]["nu"] == 7 * int(count)
            assert by_way[way]["meshes"] == found["facts"]["1"]["hand"]["meshes"]
    rows = {row["what"]: row for row in found["targets"]}
    sizes = rows["model bytes, 2 arms / 1"]
    assert 1.0 < sizes["bytes"] <= sizes["limit"] == 1.05
    assert rows["warm, 2 arms, mjscene / hand"]["limit"] is None, "two turns decide nothing"
    for row in rows:
        assert row in done.stdout


@pytest.mark.bench
def test_cli_benchmark_runs_and_writes_what_it_measured(tmp_path: Path) -> None:
    command = [sys.executable, str(FOLDER / "cli.py"), "--quick", "--json", "found.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["found.json"]
    rows = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    names = ["python -c pass", "mjscene --help"] * 2 + ["by hand", "mjscene check"] * 2
    names += ["mjscene test -j 1", "mjscene test -j 2"]
    assert [row["name"] for row in rows] == names
    assert all(row["median_us"] > 0 for row in rows)


# Like with like


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (("body_mass", 2, 1.001), "body_mass"),
        (("dof_damping", 0, 1e-12), "dof_damping"),
        (("body_pos", 1, 1.0), "body_pos"),
    ],
)
def test_two_models_are_told_apart(
    bench: SimpleNamespace, change: tuple[str, int, float], named: str
) -> None:
    model, other = (mujoco.MjModel.from_xml_string(TWO_BODIES) for _ in range(2))
    assert bench._arms.differences(model, other) == []
    field, row, value = change
    getattr(other, field)[row] = value
    assert bench._arms.differences(model, other) == [named]


def test_names_sizes_and_options_are_told_apart(bench: SimpleNamespace) -> None:
    model = mujoco.MjModel.from_xml_string(TWO_BODIES)
    renamed = mujoco.MjModel.from_xml_string(TWO_BODIES.replace('"j"', '"k"'))
    assert bench._arms.differences(model, renamed) == ["joint names"]
    other = mujoco.MjModel.from_xml_string(TWO_BODIES)
    other.opt.impratio = 10
    assert bench._arms.differences(model, other) == ["opt.impratio"]
    fewer = mujoco.MjModel.from_xml_string("<mujoco/>")
    assert {"nq", "nv", "nu", "body names"} <= set(bench._arms.differences(model, fewer))


def test_actuator_groups_and_keyframes_may_differ(bench: SimpleNamespace) -> None:
    model = mujoco.MjModel.from_xml_string(TWO_BODIES)
    spec = mujoco.MjSpec.from_string(TWO_BODIES)
    spec.add_key(name="home", qpos=[1.0])
    spec.actuator("m").group = 3
    other = spec.compile()
    assert model.actuator_group[0] != other.actuator_group[0]
    assert bench._arms.differences(model, other) == []


# Numbers


def test_spread_is_median_and_quartiles(bench: SimpleNamespace) -> None:
    values = [float(v) for v in np.random.default_rng(1).permutation(41)]
    found = bench._stats.spread(values)
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    assert (found.low, found.median, found.high) == pytest.approx((low, median, high))
    assert (found.least, found.count) == (0.0, 41)
    with pytest.raises(ValueError, match="no values"):
        bench._stats.spread([])


def test_pairs_cancel_what_both_share(bench: SimpleNamespace) -> None:
    slowness = [1.0, 9.0, 2.0, 30.0, 4.0]
    found = bench._stats.compare(times([1.2 * s for s in slowness]), times(slowness))
    assert found.ratio == pytest.approx(1.2)
    assert (found.pairs.low, found.pairs.high) == pytest.approx((1.2, 1.2))
    assert found.difference.median == pytest.approx(0.2 * 4.0)
    halves = bench._stats.compare(times([2.0, 4.0]), times([1.0, 1.0]), "cpu")
    assert halves.difference.median == pytest.approx((3.0 - 1.0) / 2)


def test_series_of_unlike_length_are_not_paired(bench: SimpleNamespace) -> None:
    with pytest.raises(ValueError, match="zip"):
        bench._stats.compare(times([1.0, 2.0]), times([1.0]))


def test_noise_is_the_ratio_of_odd_to_even_turns(bench: SimpleNamespace) -> None:
    assert bench._stats.noise([2.0, 3.0, 2.0, 3.0]) == pytest.approx(1.5)


# Targets


def results(bench: SimpleNamespace, ratio: float, turns: int) -> Any:
    """Made up: ten arms take mjscene ``ratio`` times as long as the better way by hand."""
    by_way = {
        "mjscene": times([ratio] * turns),
        "hand": times([1.0] * turns),
        "hand-parsing": times([1.1] * turns),
    }
    sizes = {1: {"mjscene": {"bytes": 100, "meshes": 1}}, 10: {"mjscene": {"bytes": 107}}}
    return bench._tables.Results(
        cold={10: by_way}, warm={10: by_way}, later={10: by_way}, facts=sizes
    )


def test_the_better_way_by_hand_is_held_against_the_limit(bench: SimpleNamespace) -> None:
    rows = {r["what"]: r for r in bench._tables.targets(results(bench, 1.1, 11))}
    assert [r["limit"] for r in rows.values()] == [1.05, None, 1.15, None, 1.15, None, 1.05]
    assert rows["cold, 10 arms, mjscene / hand"]["wall"] == pytest.approx(1.1)
    assert rows["warm, 10 arms, mjscene / hand-parsing"]["cpu"] == pytest.approx(1.0)
    assert rows["model bytes, 10 arms / 1"]["bytes"] == pytest.approx(1.07)
    verdicts = {what: bench._tables._target_line(row) for what, row in rows.items()}
    assert "wall MISSED, cpu MISSED" in verdicts["cold, 10 arms, mjscene / hand"]
    assert "wall met, cpu met" in verdicts["warm, 10 arms, mjscene / hand"]
    assert "bytes MISSED" in verdicts["model bytes, 10 arms / 1"]


def test_few_turns_are_held_against_no_limit(bench: SimpleNamespace) -> None:
    rows = bench._tables.targets(results(bench, 1.1, 10))
    assert [r["limit"] for r in rows] == [*[None] * 6, 1.05]
