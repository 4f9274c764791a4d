"""What words of YAML mean, and where nodes stand."""

from __future__ import annotations

import math
from typing import Any

import pytest

from mjscene.yamlfile import parse_yaml
from mjscene.yamlnodes import resolve_word


@pytest.mark.parametrize(
    ("word", "value"),
    [
        *[("", None), ("~", None), ("null", None), ("true", True), ("False", False)],
        *[("0", 0), ("-7", -7), ("+3", 3), ("1.5", 1.5), (".5", 0.5), ("5.", 5.0), ("1e3", 1e3)],
        *[("1e-3", 1e-3), ("-1.5E+2", -150.0), ("-.inf", -math.inf), ("+.Inf", math.inf)],
        # Text, whatever YAML 1.1 says of it.
        *[(w, w) for w in "yes no on off Y n 1:30 12:30:45 2026-11-30 1_000 nan inf".split()],
        # Numbers that the two versions read differently are neither's.
        *[(w, w) for w in "010 -010 00 0o17 0x1F 0b1 1__0 01.5 e3 . + - -. 1e".split()],
        ("\uff11\uff12", "\uff11\uff12"),  # digits, but not of ASCII
    ],
)
def test_words(word: str, value: Any) -> None:
    found = resolve_word(word)
    assert found == value
    assert type(found) is type(value)


def test_not_a_number() -> None:
    assert math.isnan(resolve_word(".nan"))


def test_very_long_number_is_infinite() -> None:
    assert resolve_word("9" * 10_000) == math.inf


def test_nodes_know_where_they_stand_and_how_large_they_are() -> None:
    root = parse_yaml("a: 1\nb:\n  - {c: x}\n  - 'yes'\n").root
    assert root.plain == {"a": 1, "b": [{"c": "x"}, "yes"]}
    assert (root.line, root.column) == (1, 1)
    inner = root.value["b"].value[0]
    assert (inner.line, inner.column) == (3, 5)
    assert (inner.keys["c"].line, inner.keys["c"].column) == (3, 6)
    assert (inner.value["c"].line, inner.value["c"].column) == (3, 9)
    assert (inner.size, root.size) == (3, 9)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: [1]", "a list"),
        ("a: {}", "a mapping"),
        ("a:", "nothing"),
        ("a: True", "true"),
        ("a: 1.50", "1.5"),
        ("a: x", "'x'"),
        ("a: " + "x" * 500, "'" + "x" * 50 + "…'"),
    ],
)
def test_kinds_in_words(text: str, words: str) -> None:
    assert parse_yaml(text).root.value["a"].kind == words
