"""Wrong scenario files: the right error at the right place, before anything runs."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from bad_scenarios import CASES, BadScenario
from scenario_scene import SCENE

from mjscene import MjsceneError, SpecError
from mjscene.scenario import read_scenario
from mjscene.scenario.run import Run

SIGN = "«"
HEAD = f"duration: 1\nscene:\n{textwrap.indent(SCENE, '  ')}"


def test_table_has_each_case_once_and_one_sign_in_each() -> None:
    assert len(CASES) >= 80
    assert len({case.name for case in CASES}) == len(CASES)
    assert [case.name for case in CASES if case.text.count(SIGN) != 1] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_bad_scenario_is_refused_where_it_is_wrong(
    case: BadScenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def go(self: Run) -> None:
        raise AssertionError("it ran")

    monkeypatch.setattr(Run, "go", go)
    text = HEAD + case.text
    before = text[: text.index(SIGN)].split("\n")
    file = tmp_path / "bad.scenario.yaml"
    file.write_text(text.replace(SIGN, ""), encoding="utf-8")
    if case.reads:
        scenario = read_scenario(file)
        with pytest.raises(MjsceneError) as caught:
            scenario.run()
    else:
        with pytest.raises(SpecError) as caught:
            read_scenario(file)
    error = caught.value
    assert (error.where, error.line, error.column) == (
        case.where,
        len(before),
        len(before[-1]) + 1,
    ), str(error)
    assert error.file == str(file)
    assert case.says in str(error)
    assert "\n" not in str(error)
    if case.close is not None:
        assert case.close in error.close, str(error)
