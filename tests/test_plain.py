"""Dataclasses as plain data."""

from __future__ import annotations

import pytest

from mjscene import (
    CtrlMode,
    CtrlModeSpec,
    FloorSpec,
    LightSpec,
    PhysicsOptions,
    RobotSpec,
    SceneSpec,
    SpecError,
)
from mjscene.plain import plain_data


def test_defaults_are_left_out_and_the_rest_is_in_order() -> None:
    robot = RobotSpec("a.xml", watchdog=1, prefix="p/", initial_mode=CtrlMode.TORQUE)
    data = plain_data(robot, {})
    assert data == {"path": "a.xml", "prefix": "p/", "initial_mode": "TORQUE", "watchdog": 1.0}
    assert list(data) == ["path", "prefix", "initial_mode", "watchdog"]


def test_what_a_thing_is_is_written_though_default() -> None:
    assert plain_data(CtrlModeSpec(), {}) == {"mode": "TORQUE"}
    assert plain_data(LightSpec(castshadow=False), {}) == {"name": "light", "castshadow": False}


@pytest.mark.parametrize(
    ("light", "written"),
    [
        (True, True),
        (LightSpec(castshadow=False), [{"name": "light", "castshadow": False}]),
        ([LightSpec("a"), LightSpec("b")], [{"name": "a"}, {"name": "b"}]),
    ],
)
def test_true_stands_for_the_default_one(light: object, written: object) -> None:
    spec = SceneSpec(light=light, floor=FloorSpec(height=1))  # type: ignore[arg-type]
    assert plain_data(spec, {}) == {"light": written, "floor": {"height": 1.0}}


def test_pairs_are_a_mapping_where_the_field_takes_one() -> None:
    robot = RobotSpec("a.xml", home={"b": 1, "a": 2}, contact_exclusions=[("a", "b")])
    data = plain_data(robot, {})
    assert data["home"] == {"b": 1.0, "a": 2.0}
    assert data["contact_exclusions"] == [["a", "b"]]
    assert plain_data(PhysicsOptions(flags={"limit": False}), {}) == {"flags": {"limit": False}}


def test_zero_that_is_negative_is_no_default() -> None:
    assert str(plain_data(RobotSpec("a.xml", pos=(0, -0.0, 0)), {})["pos"]) == "[0.0, -0.0, 0.0]"
    assert "pos" not in plain_data(RobotSpec("a.xml", pos=(0, 0, 0)), {})


def test_what_no_file_holds_is_refused_by_its_path() -> None:
    class Element:
        def to_xml_string(self) -> str:
            return ""

    with pytest.raises(SpecError, match="cannot be written") as caught:
        plain_data(SceneSpec([RobotSpec(Element(), name="a")]), {})
    assert caught.value.where == "robots[0].path"
