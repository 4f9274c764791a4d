"""Dataclasses of any kind read from YAML: the scene's are not the only ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal

import jsonschema
import pytest

from mjscene import SpecError
from mjscene.fields import Reader, locate
from mjscene.hints import Form
from mjscene.plain import plain_data
from mjscene.schema import dataclass_schema
from mjscene.yamlfile import parse_yaml
from mjscene.yamltext import yaml_text


class Phase(Enum):
    APPROACH = 1
    GRASP = 2


@dataclass(frozen=True, kw_only=True)
class Wait:
    """Wait.

    Args:
        seconds: How long [s].
    """

    seconds: float = field(kw_only=False)


@dataclass(frozen=True, kw_only=True)
class Move:
    """Move joints.

    Args:
        joints: Where to [rad], by name.
        speed: How fast.
        phase: What for.
    """

    joints: Mapping[str, float] = field(kw_only=False)
    speed: Literal["slow", "fast"] = "slow"
    phase: Phase | None = None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A plan.

    Args:
        steps: What happens, in order.
        bounds: Pairs of names and numbers.
        stamp: When, as hours and minutes.
        notes: Whatever else.
        retries: How often.
    """

    steps: Sequence[Wait | Move] = field(default=(), kw_only=False)
    bounds: tuple[tuple[str, float], ...] = ()
    stamp: float = 0.0
    notes: Any = None
    retries: int = 0
    labels: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.retries < 0:
            raise SpecError("expected no less than 0", where="Plan.retries")
        if self.bounds and self.bounds[-1][1] < 0:
            raise SpecError("expected no less than 0", where=f"bounds[{len(self.bounds) - 1}][1]")


def read_stamp(reader: Reader, node: Any, path: str) -> float:
    if not isinstance(node.value, str) or ":" not in node.value:
        raise reader.document.error("expected HH:MM", node, path)
    hours, minutes = node.value.split(":")
    return 60.0 * int(hours) + int(minutes)


FORMS = {
    (Plan, "stamp"): Form(
        read=read_stamp,
        write=lambda value, path: f"{int(value) // 60:02}:{int(value) % 60:02}",
        schema={"type": "string"},
    )
}


def read(text: str) -> Plan:
    plan = Reader(parse_yaml(text, file="plan.yaml"), FORMS).read(Plan)
    assert isinstance(plan, Plan)
    return plan


PLAN = Plan(
    (Wait(0.5), Move({"a": math.pi / 2, "b c": 1.0}, speed="fast", phase=Phase.GRASP)),
    bounds=(("x", 1.0), ("y", 2.0)),
    stamp=90.0,
    notes={"who": ["me", 1, None]},
    retries=2,
    labels=["a"],
)
TEXT = """
steps:
  - {seconds: 0.5}
  - joints: {a: {deg: 90}, b c: 1}
    speed: fast
    phase: grasp
bounds: [[x, 1], [y, 2]]
stamp: 1:30
notes: {who: [me, 1, ~]}
retries: 2.0
labels: [a]
"""


def test_unions_mappings_literals_enums_and_forms_are_read() -> None:
    plan = read(TEXT)
    assert plan.steps == PLAN.steps
    assert plan.stamp == 90.0
    assert plan.bounds == PLAN.bounds
    assert plan.notes == PLAN.notes
    assert isinstance(plan.retries, int)
    assert isinstance(plan.steps[0].seconds, float)  # type: ignore[union-attr]
    assert tuple(plan.labels) == ("a",)


def test_what_is_written_is_read_again() -> None:
    data = plain_data(PLAN, FORMS)
    assert data["stamp"] == "01:30"
    assert data["steps"][1]["phase"] == "GRASP"
    text = yaml_text(data)
    again = read(text)
    assert yaml_text(plain_data(again, FORMS)) == text
    jsonschema.validate(data, dataclass_schema(Plan, FORMS))


@pytest.mark.parametrize(
    ("text", "line", "column", "where", "says"),
    [
        ("steps:\n  - {second: 1}", 2, 6, "steps[0].second", "Wait has no field"),
        ("steps:\n  - {joints: {a: b}}", 2, 18, "steps[0].joints['a']", "expected a number"),
        ("steps:\n  - {joints: {}, speed: fst}", 2, 25, "steps[0].speed", "unknown value"),
        ("steps:\n  - {joints: {}, phase: grip}", 2, 25, "steps[0].phase", "unknown value"),
        ("steps: [1]", 1, 9, "steps[0]", "a mapping (Wait) or a mapping (Move)"),
        ("stamp: 90", 1, 8, "stamp", "expected HH:MM"),
        ("retries: -1", 1, 10, "retries", "no less than 0"),
        ("retries: 1.5", 1, 10, "retries", "a whole number"),
        ("bounds: [[x, 1, 2]]", 1, 10, "bounds[0]", "expected 2 items"),
        ("bounds: [[x, 1], [y, -1]]", 1, 22, "bounds[1][1]", "no less than 0"),
        ("labels: [a, 1]", 1, 13, "labels[1]", "put it into quotes: '1'"),
    ],
)
def test_errors_say_where(text: str, line: int, column: int, where: str, says: str) -> None:
    with pytest.raises(SpecError) as caught:
        read(text)
    error = caught.value
    assert says in str(error)
    assert (error.file, error.line, error.column) == ("plan.yaml", line, column)
    assert error.where == where


def test_place_of_a_field_is_the_deepest_that_is_there() -> None:
    root = parse_yaml("a:\n  - b: 1\n    'c.d[0]': 2\n").root
    assert locate(root, "a[0].b").line == 2
    assert locate(root, "a[0]['c.d[0]']").line == 3
    assert locate(root, "a[0].x.y").column == 5
    assert locate(root, "a[7]").line == 2
    assert locate(root, "") is root
    assert locate(root, "no path at all").line == 1
