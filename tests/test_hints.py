"""Type hints taken apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Optional, Union

import pytest

from mjscene import AttachTarget, CtrlMode, FloorSpec, RobotSpec, SceneSpec
from mjscene.hints import Form, cls_hints, described, fits, form_of, mapping_in, members
from mjscene.spec.robots import Home
from mjscene.yamlnodes import Node


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        (float | None, "a number"),
        (float | Sequence[float] | None, "a number or a list of numbers"),
        (CtrlMode | None, "one of POSITION, TORQUE, VELOCITY"),
        (Literal["a", 1], "one of 'a', 1"),
        (bool | str | int, "true or false, a string or a whole number"),
        (FloorSpec | Mapping[str, int], "a mapping (FloorSpec) or a mapping"),
        (Home, "a string, a list of numbers, a list or a mapping"),
    ],
)
def test_hints_in_words(hint: Any, words: str) -> None:
    assert described(hint) == words


def test_members_of_either_union_and_of_unions_in_them() -> None:
    assert members(int | str) == (int, str)
    assert members(Union[int, Optional[str]]) == (int, str, type(None))  # noqa: UP007, UP045
    assert members(int) == (int,)


@pytest.mark.parametrize(
    ("value", "hint", "wanted"),
    [
        (1, float, True),
        (True, float, False),
        ("a", float, False),
        ("a", CtrlMode, True),
        (None, float | None, True),
        (None, float, False),
        ([], Sequence[float], True),
        ([1.0], Sequence[str], False),
        ([["a", 1]], Sequence[tuple[str, float]], True),
        ([["a", 1]], Sequence[float], False),
        ({"deg": 1}, float, True),
        ({"rad": 1}, float, False),
        ({"height": 1}, FloorSpec | bool, True),
    ],
)
def test_nodes_fit_hints(value: Any, hint: Any, wanted: bool) -> None:
    def node(item: Any) -> Node:
        if isinstance(item, list):
            return Node([node(i) for i in item], 1, 1)
        if isinstance(item, dict):
            return Node({k: node(v) for k, v in item.items()}, 1, 1)
        return Node(item, 1, 1)

    assert fits(node(value), hint) == wanted


def test_hints_are_those_of_the_dataclass() -> None:
    assert cls_hints(RobotSpec)["attach_to"] is AttachTarget
    assert mapping_in(members(cls_hints(RobotSpec)["home"])) is not None
    assert next(iter(cls_hints(SceneSpec))) == "robots"


def test_form_of_a_field_goes_before_that_of_its_type() -> None:
    one, two, three = Form(schema={}), Form(schema={}), Form(schema={})
    forms = {AttachTarget: one, (AttachTarget, "attach_to"): two, (RobotSpec, "attach_to"): three}
    assert form_of(forms, AttachTarget) is one
    assert form_of(forms, AttachTarget, SceneSpec, "attach_to") is two
    assert form_of(forms, AttachTarget, RobotSpec, "attach_to") is three
    assert form_of(forms, float, RobotSpec, "watchdog") is None
