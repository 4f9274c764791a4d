"""Values of a YAML file with the line and column they stand at.

Plain words mean what YAML 1.2's core schema says: ``1e-3`` is a number; ``on``, ``yes``, ``1:30``
and ``2024-01-01`` are text. What 1.1 and 1.2 read as different numbers (``010``, ``0o17``,
``1_000``) is text, too, which no number field takes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from mjscene.errors import SpecError, shown

__all__ = ["STR_TAG", "Document", "Node", "resolve_word"]

_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
STR_TAG = "tag:yaml.org,2002:str"
_LONGEST_INT = 400  # digits: no float is longer, and Python refuses to read much longer ones


def resolve_word(word: str) -> Any:
    """What a plain scalar means: None, a bool, an int, a float or the text itself."""
    if word in _WORDS:
        return _WORDS[word]
    if _INT.fullmatch(word):
        return int(word) if len(word) <= _LONGEST_INT else float(word)
    return float(word) if _FLOAT.fullmatch(word) else word


@dataclass(eq=False)
class Node:
    """A value of a YAML file and where it stands.

    Attributes:
        value: None, a bool, int, float or str; a list of nodes; or nodes by key.
        line: Its line, counted from 1.
        column: Its column, counted from 1.
        keys: Of a mapping, where each key stands.
        size: Number of nodes in it, itself included, aliases expanded.
    """

    value: Any
    line: int
    column: int
    keys: dict[str, Node] = field(default_factory=dict)
    size: int = 1

    @property
    def plain(self) -> Any:
        """The value without places, as ``yaml.safe_load`` would give it."""
        if isinstance(self.value, list):
            return [item.plain for item in self.value]
        if isinstance(self.value, dict):
            return {key: item.plain for key, item in self.value.items()}
        return self.value

    @property
    def kind(self) -> str:
        """What it is, in words."""
        value = self.value
        if isinstance(value, list | dict):
            return "a list" if isinstance(value, list) else "a mapping"
        if value is None:
            return "nothing"
        return str(value).lower() if isinstance(value, bool) else shown(value)


@dataclass(eq=False)
class Document:
    """A parsed file: its root, a mapping, and its name for messages."""

    root: Node
    file: str | None = None

    def error(self, message: str, node: Node, where: str | None = None, **facts: Any) -> SpecError:
        """A SpecError at a node; ``where`` is its field's path."""
        place = {"file": self.file, "line": node.line, "column": node.column}
        return SpecError(message, where=where or None, **place | facts)
