"""Real models: every file of four packages composes, alone and twice, but for stated rules."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest
from placement import Placement
from real_model_table import COLUMNS, ROW, table_lines
from real_models import BROKEN, GROUPED, RealModel, real_models

from mjscene import ComposeError, RobotSpec, Scene, SceneSpec, build_scene

pytestmark = pytest.mark.filterwarnings("ignore::mjscene.MjsceneWarning")

FIRST = Placement()
SECOND = Placement((3.0, 0.0, 0.0), 2.1)
SIZES = ("nq", "nv", "njnt", "nsensor", "ntendon", "neq", "npair", "nexclude", "nwrap")
RULE = "assigns actuator groups: composed with regroup=True"
Record = Callable[[str, object], None]


@pytest.mark.parametrize("model", [pytest.param(m, id=m.name) for m in real_models()])
def test_every_file_that_loads_composes_alone_and_twice_but_for_the_stated_rules(
    model: RealModel, record_property: Record
) -> None:
    file, loads, composed, twice, refused = COLUMNS
    row = {file: model.name, loads: "no", composed: "no", twice: "no"}
    record_property(ROW, row)
    if model.name in BROKEN:
        row[refused] = _broken_alone_and_in_a_scene(model)
        return
    started = time.perf_counter()
    alone = model.load()
    row[loads] = _took(started)
    if model.name in GROUPED:
        row[refused] = _refused_for_its_groups(model)
    started = time.perf_counter()
    scene = build_scene(SceneSpec([model.robot("a_")]))
    row[composed] = _took(started)
    _same_sizes(scene, alone, 1)
    _placed(scene, alone, {"a_": FIRST})
    started = time.perf_counter()
    scene = build_scene(
        SceneSpec([model.robot("a_", **FIRST.fields), model.robot("b_", **SECOND.fields)])
    )
    row[twice] = _took(started)
    _same_sizes(scene, alone, 2)
    _placed(scene, alone, {"a_": FIRST, "b_": SECOND})


def _took(started: float) -> str:
    return f"yes {time.perf_counter() - started:5.2f} s"


def _broken_alone_and_in_a_scene(model: RealModel) -> str:
    """MuJoCo does not load it, and mjscene says why and which file; returns the reason."""
    with pytest.raises(ValueError, match=BROKEN[model.name]):
        model.load()
    with pytest.raises(ComposeError) as caught:
        build_scene(SceneSpec([RobotSpec(str(model.path), prefix="a_", regroup=True)]))
    assert caught.value.file is not None
    return f"does not load alone: {BROKEN[model.name]}"


def _refused_for_its_groups(model: RealModel) -> str:
    with pytest.raises(ComposeError, match="assigns actuator group") as caught:
        build_scene(SceneSpec([RobotSpec(str(model.path), prefix="a_")]))
    assert "regroup=True" in (caught.value.hint or "")
    assert caught.value.line is not None
    return RULE


def _same_sizes(scene: Scene, alone: Any, copies: int) -> None:
    for size in SIZES:
        assert getattr(scene.model, size) == copies * getattr(alone, size), size
    for size in ("nbody", "nsite", "ngeom", "ncam", "nlight"):
        fixed = 1 if size == "nbody" else 0  # the world is nobody's
        expected = copies * (getattr(alone, size) - fixed) + fixed
        assert getattr(scene.model, size) == expected, size


def _placed(scene: Scene, alone: Any, places: dict[str, Placement]) -> None:
    """Every body stands where its file puts it, moved with the robot.

    The tolerance is rounding alone: positions of at most some 10 m, 1e-15 each of a dozen sums.
    """
    data = mujoco.MjData(alone)
    mujoco.mj_kinematics(alone, data)
    for k, place in enumerate(places.values()):
        first = 1 + k * (alone.nbody - 1)
        block = scene.data.xpos[first : first + alone.nbody - 1]
        np.testing.assert_allclose(block, place.points(data.xpos[1:]), rtol=0, atol=1e-12)
    names = [scene.model.body(i).name for i in range(1, scene.model.nbody)]
    expected = [prefix + name if name else "" for prefix in places for name in _body_names(alone)]
    assert names == expected


def _body_names(model: Any) -> list[str]:
    return [model.body(i).name for i in range(1, model.nbody)]


def test_the_stated_exceptions_are_files_that_are_there() -> None:
    names = [m.name for m in real_models()]
    assert len(names) == len(set(names))
    assert BROKEN.keys() | GROUPED <= set(names)
    assert not BROKEN.keys() & GROUPED


def test_the_table_sums_its_rows() -> None:
    rows = [
        {"file": "c", "loads alone": "yes 1 s", "composed": "yes 1 s", "twice": "no"},
        {"file": "b", "loads alone": "yes 1 s", "composed": "no", "refused, and why": "rule"},
        {"file": "a", "loads alone": "no", "refused, and why": "broken"},
    ]
    lines = table_lines(rows)
    assert [line.split()[0] for line in lines[2:5]] == ["a", "b", "c"]
    assert lines[2].endswith("broken")
    assert lines[5] == (
        "3 files: 2 load alone; of these 1 composed, 0 twice in one scene, 1 refused as they are"
    )
