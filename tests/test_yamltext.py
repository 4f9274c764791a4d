"""Plain data as YAML: PyYAML's safe loader (YAML 1.1) and the project's reader give it back."""

from __future__ import annotations

import math
from typing import Any

import hypothesis.strategies as st
import pytest
import yaml
from hypothesis import given, settings
from spec_strategies import BREAKS, PIECES, TRAPS

from mjscene.yamlfile import parse_yaml
from mjscene.yamltext import yaml_text

text = st.one_of(
    st.text(max_size=12),
    st.text("ab:01-. \n\t#'\"", max_size=10),
    st.sampled_from(TRAPS),
    st.lists(st.sampled_from(PIECES + BREAKS), max_size=5).map("".join),
)
scalars = st.one_of(text, st.integers(), st.floats(allow_nan=False), st.booleans(), st.none())
data = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(text, inner, max_size=4)),
    max_leaves=8,
)


@settings(derandomize=True, database=None, deadline=None, max_examples=60)
@given(data=st.dictionaries(text, data, max_size=4))
def test_data_survives(data: dict[str, Any]) -> None:
    written = yaml_text(data)
    assert parse_yaml(written).root.plain == data
    # PyYAML takes a quoted << for a merge, too.
    if '"<<"' not in written:
        assert yaml.safe_load(written) == data


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.0, "0"),
        (-0.0, "-0.0"),
        (1.0, "1"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e-5, "1.0e-05"),
        (1.5e300, "1.5e+300"),
        (1e15, "1000000000000000.0"),
        (5e-324, "5.0e-324"),
        (math.inf, ".inf"),
        (-math.inf, "-.inf"),
        (math.nan, ".nan"),
        (True, "true"),
        (None, "null"),
        ("left/", "left/"),
        ("mjscene:panda", "mjscene:panda"),
        ("../a b/c.xml", "../a b/c.xml"),
        ("on", '"on"'),
        ("1:30", '"1:30"'),
        ("", '""'),
        ("a: b", '"a: b"'),
        ("tab\t", '"tab\\t"'),
        ("日本", '"日本"'),
        ("\x7f", '"\\u007F"'),
        ([], "[]"),
        ([1.0, 0.5], "[1, 0.5]"),
        ({"site": "a"}, "{site: a}"),
        (["a:b"], '["a:b"]'),
    ],
)
def test_values_are_written_as_a_person_would(value: Any, written: str) -> None:
    assert yaml_text({"a": value}) == f"a: {written}\n"
    back = parse_yaml(f"a: {written}\n").root.plain["a"]
    assert back == value or (back != back and value != value)


def test_long_lists_go_down_the_page_and_short_ones_along_the_line() -> None:
    assert yaml_text({"a": [0.125] * 12}).count("\n") == 1
    assert yaml_text({"a": [0.12345678] * 12}).count("\n") == 13
    assert max(map(len, yaml_text({"a": [0.12345] * 11, "b": {"c": "x" * 90}}).splitlines())) <= 100
    assert yaml_text({"a": [{"b": 1, "c": [1, 2]}, {"d": 1}]}) == (
        "a:\n  - b: 1\n    c: [1, 2]\n  - {d: 1}\n"
    )


@pytest.mark.parametrize("value", ["a\nb", "a\nb\n", "\n\n a\nb\n\n", "\n  \n", "\ta\n b", "\n"])
def test_texts_of_several_lines_are_blocks(value: str) -> None:
    written = yaml_text({"a": [{"k": value, "l": 1}]})
    assert "k: |" in written
    assert parse_yaml(written).root.plain == {"a": [{"k": value, "l": 1}]}
    assert yaml.safe_load(written) == {"a": [{"k": value, "l": 1}]}
