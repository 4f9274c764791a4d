"""YAML read into nodes: as PyYAML's safe loader reads it, where it is taken at all."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import yaml

from mjscene import SpecError
from mjscene.yamlfile import MAX_EXPANDED, parse_yaml, read_yaml

TEXTS = [
    "a: {b: [1, 2.5, true, x]}\nc: |\n  two\n  lines\n",
    "a: \"\\u00e9\\n\"\nb: 'it''s'\nc: >-\n  folded\n  text\n",
    "a: &x [1, 2]\nb: *x\nc: {d: *x}\n",
    "base: &b {x: 1, y: 2}\none: {<<: *b, y: 3}\ntwo:\n  <<: [{y: 4}, *b]\n  z: 5\n",
    "a: &b {x: 1}\nc: &d {<<: *b, y: 2}\ne: {<<: *d, z: 3}\n",
    "'<<': 1\n",
    "%YAML 1.2\n---\na: 1\n...\n",
    "? a\n: 1\n",
    "a: !!str 1\n",
    "&k a: 1\nb: {*k : 2}\n",
]


@pytest.mark.parametrize("text", TEXTS)
def test_plain_data_is_what_the_safe_loader_gives(text: str) -> None:
    if "%YAML 1.2" in text or "<<': " in text:
        wanted = {"a": 1} if "%" in text else {"<<": 1}
    else:
        wanted = yaml.safe_load(text)
    assert parse_yaml(text).root.plain == wanted


def test_key_of_a_merge_stands_where_it_was_written() -> None:
    root = parse_yaml("a: &x {u: 1}\nb: {<<: *x, v: 2}\n").root
    assert root.value["b"].keys["u"].line == 1
    assert root.value["b"].keys["v"].line == 2


def test_size_counts_aliases_expanded() -> None:
    root = parse_yaml("a: &x [1, 2, 3]\nb: [*x, *x]\n").root
    assert root.value["b"].size == 9
    assert root.value["b"].value[0] is root.value["b"].value[1]  # and holds them once


def test_expansion_may_reach_its_limit_and_no_more() -> None:
    many = f"a: &x [{', '.join(['1'] * 99)}]\nb: [{', '.join(['*x'] * 590)}]\n"
    assert parse_yaml(many).root.size < MAX_EXPANDED
    with pytest.raises(SpecError, match="aliases expanded"):
        parse_yaml(many + f"c: [{', '.join(['*x'] * 10)}]\n")


def test_nothing_of_yaml_is_constructed(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("constructed")

    monkeypatch.setattr(yaml.constructor.BaseConstructor, "get_data", never)
    monkeypatch.setattr(yaml.constructor.BaseConstructor, "construct_document", never)
    assert parse_yaml("a: 1").root.plain == {"a": 1}


def test_recursion_limit_is_not_what_stops_it() -> None:
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(120 + len(__import__("inspect").stack()))
        with pytest.raises(SpecError, match="nested more"):
            parse_yaml("a: " + "[" * 400)
    finally:
        sys.setrecursionlimit(limit)


def test_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "é.yaml"
    file.write_bytes("\ufeffa: é\r\n".encode())
    document = read_yaml(file)
    assert document.file == str(file)
    assert document.root.plain == {"a": "é"}


def test_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("a: 1", encoding="utf-8")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(SpecError, match="cannot be read: Permission denied"):
        read_yaml(file)


def test_path_that_is_none(tmp_path: Path) -> None:
    for path in ("a\0b.yaml", tmp_path / ("a" * 5000)):
        with pytest.raises(SpecError):
            read_yaml(path)
