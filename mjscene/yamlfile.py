"""YAML as a tree of nodes that know their line and column.

The scanner and parser are PyYAML's safe ones; nothing is constructed but text, numbers, booleans,
lists and mappings.

Aliases and merge keys (``<<``) are for reuse. What could make a small file large or endless is
refused: recursive aliases, more than :data:`MAX_NODES` values (:data:`MAX_EXPANDED` with aliases
expanded), nesting beyond :data:`MAX_DEPTH`, files beyond :data:`MAX_BYTES`. So are tags, all of
them but ``!!str``, and a second document.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from mjscene.errors import SpecError, close_matches, shown
from mjscene.yamlnodes import STR_TAG, Document, Node, resolve_word

__all__ = ["MAX_BYTES", "MAX_DEPTH", "MAX_EXPANDED", "MAX_NODES", "parse_yaml", "read_yaml"]

# PyYAML takes about 1 to 3 µs per character and 30 to 70 µs per value: what is within these limits
# is read or refused in some half a second, and they are far beyond what a scene by hand needs.
MAX_BYTES = 128 * 1024
MAX_NODES = 8_000  # values and aliases as written
MAX_EXPANDED = 60_000  # values with every alias expanded
MAX_DEPTH = 32


def read_yaml(path: str | Path) -> Document:
    """Read a YAML file.

    Raises:
        SpecError: It is missing, no file, too large, no UTF-8, or wrong (:func:`parse_yaml`).
    """
    file = Path(path)
    try:
        if not file.is_file():
            near = [p.name for p in file.parent.iterdir()] if file.parent.is_dir() else []
            problem = "is a folder, not a file" if file.is_dir() else "no such file"
            raise SpecError(
                problem, given=str(path), file=file, close=close_matches(file.name, near)
            )
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise SpecError(problem, given=str(path), file=file) from error
    if len(data) > MAX_BYTES:
        raise _too_large(str(file))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig", errors="replace")
        line, column = _place(before, len(before))
        problem = f"is not UTF-8: byte 0x{data[error.start]:02x}"
        raise SpecError(problem, file=file, line=line, column=column) from error
    return parse_yaml(text, file=str(file))


def parse_yaml(text: str, *, file: str | None = None) -> Document:
    """Parse YAML text: one document, a mapping.

    Args:
        text: The text.
        file: Its file, for messages.

    Raises:
        SpecError: It is no YAML, or none that is taken here; with line and column.
    """
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_BYTES:
        raise _too_large(file)
    builder = _Builder(file)
    try:
        # parse yields events, one after the other: what is refused is not read to its end.
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            builder.take(event)
    except SpecError:
        raise
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(error, file) from error
    except yaml.reader.ReaderError as error:
        line, column = _place(text, int(error.position))
        code = ord(error.character) if isinstance(error.character, str) else error.character
        problem = f"the character U+{code:04X} is not allowed in YAML"
        raise SpecError(problem, file=file, line=line, column=column) from error
    except (ValueError, OverflowError) as error:  # a \U escape beyond Unicode
        line = builder.last_line
        raise SpecError(f"is no YAML: {error}", file=file, line=line, column=1) from error
    if builder.root is None:
        raise SpecError("the file is empty", file=file, line=1, column=1)
    return Document(builder.root, file)


def _too_large(file: str | None) -> SpecError:
    return SpecError(
        f"is larger than {MAX_BYTES // 1024} KiB",
        file=file,
        line=1,
        column=1,
        hint="keep models in files of their own and name their paths",
    )


def _place(text: str, position: int) -> tuple[int, int]:
    before = text[:position]
    return before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1


def _syntax_error(error: yaml.MarkedYAMLError, file: str | None) -> SpecError:
    mark = error.problem_mark or error.context_mark
    hint = "indent with spaces" if "'\\t'" in (error.problem or "") else None
    if "mapping values are not allowed" in (error.problem or ""):
        hint = "a ':' needs a space after it, here or in the line above, or quotes around the text"
    if error.context and "block" in error.context:
        hint = "look at the indentation: entries of one list or mapping begin in one column"
    return SpecError(
        f"is no YAML: {error.context + ': ' if error.context else ''}{error.problem}",
        file=file,
        line=None if mark is None else mark.line + 1,
        column=None if mark is None else mark.column + 1,
        hint=hint,
    )


def _at(thing: Any) -> tuple[int, int]:
    """Line and column of a node or an event."""
    if isinstance(thing, Node):
        return thing.line, thing.column
    return thing.start_mark.line + 1, thing.start_mark.column + 1


class _Merge(str):
    """The key ``<<`` without quotes."""


@dataclass(eq=False)
class _Open:
    """A list or mapping that is being read."""

    node: Node
    anchor: str | None
    key: Node | None = None
    merged: list[Node] = field(default_factory=list)


class _Builder:
    """Makes nodes out of the parser's events, with a stack of its own instead of recursion."""

    def __init__(self, file: str | None) -> None:
        self.file = file
        self.root: Node | None = None
        self.last_line = 1
        self._open: list[_Open] = []
        self._anchors: dict[str, Node | None] = {}  # None while it is being read
        self._written = 0
        self._expanded = 0
        self._documents = 0

    def take(self, event: yaml.Event) -> None:
        """Take the next event."""
        self.last_line = _at(event)[0]
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise self._error("is a second document: one file is one mapping", event)
        elif isinstance(event, yaml.AliasEvent):
            self._add(self._alias(event), event)
        elif isinstance(event, yaml.ScalarEvent):
            self._check_tag(event)
            plain = event.implicit[0] and event.tag is None
            word = _Merge("<<") if event.value == "<<" else resolve_word(event.value)
            node = self._node(word if plain else event.value, event)
            if event.anchor is not None:
                self._name(event)
                self._anchors[event.anchor] = node
            self._add(node, event)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._check_tag(event)
            if len(self._open) >= MAX_DEPTH:
                raise self._error(f"is nested more than {MAX_DEPTH} deep", event)
            if event.anchor is not None:
                self._name(event)
                self._anchors[event.anchor] = None
            kind: Any = [] if isinstance(event, yaml.SequenceStartEvent) else {}
            self._open.append(_Open(self._node(kind, event), event.anchor))
        elif isinstance(event, yaml.CollectionEndEvent):
            self._close(event)

    def _error(self, message: str, at: Any, **facts: Any) -> SpecError:
        line, column = _at(at)
        return SpecError(message, file=self.file, line=line, column=column, **facts)

    def _node(self, value: Any, event: yaml.Event) -> Node:
        self._grow(1, event)
        return Node(value, *_at(event))

    def _grow(self, size: int, at: Any) -> None:
        """Count a value or alias that stands in the file and has ``size`` values in it."""
        self._written += 1
        if self._written > MAX_NODES:
            raise self._error(f"the file has more than {MAX_NODES} values", at)
        self._expanded += size
        if self._expanded > MAX_EXPANDED:
            message = f"the file has more than {MAX_EXPANDED} values with aliases expanded"
            raise self._error(message, at)

    def _check_tag(self, event: Any) -> None:
        if event.tag in (None, STR_TAG) and not (
            event.tag and isinstance(event, yaml.CollectionStartEvent)
        ):
            return
        tag = event.tag.replace("tag:yaml.org,2002:", "!!")
        raise self._error(
            f"the tag {shown(tag)} is not allowed", event, given=tag, hint="leave it out"
        )

    def _name(self, event: Any) -> None:
        if event.anchor in self._anchors:
            raise self._error(f"the anchor &{event.anchor} is defined twice", event)

    def _alias(self, event: Any) -> Node:
        if event.anchor not in self._anchors:
            raise self._error(
                f"there is no anchor &{event.anchor} before this",
                event,
                given=event.anchor,
                close=close_matches(event.anchor, self._anchors),
            )
        node = self._anchors[event.anchor]
        if node is None:
            raise self._error(f"&{event.anchor} contains itself", event, given=event.anchor)
        self._grow(node.size, event)
        return node

    def _add(self, node: Node, at: Any) -> None:
        if not self._open:
            if not isinstance(node.value, dict):
                raise self._error(f"expected a mapping, got {node.kind}", at)
            self.root = node
            return
        parent = self._open[-1]
        parent.node.size += node.size
        if isinstance(parent.node.value, list):
            parent.node.value.append(node)
        elif parent.key is None:
            parent.key = self._checked_key(parent, node, at)
        elif isinstance(parent.key.value, _Merge):
            parent.merged += self._merged(node)
            parent.key = None
        else:
            parent.node.value[parent.key.value] = node
            parent.key = None

    def _checked_key(self, parent: _Open, node: Node, at: Any) -> Node:
        key = node.value
        if not isinstance(key, str):
            hint = f"put it into quotes: '{key}'" if not isinstance(key, list | dict) else None
            raise self._error(f"expected a name as the key, got {node.kind}", at, hint=hint)
        if key in parent.node.keys:
            first = parent.node.keys[key]
            raise self._error(
                f"the key {shown(key)} is given twice, first in line {first.line}",
                at,
                given=key,
            )
        # An aliased key stands where the alias does.
        key_node = Node(key, *_at(at))
        parent.node.keys[key] = key_node
        return key_node

    def _merged(self, node: Node) -> list[Node]:
        sources = node.value if isinstance(node.value, list) else [node]
        for source in sources:
            if not isinstance(source.value, dict):
                raise self._error(f"<< takes mappings, got {source.kind}", source)
        return list(sources)

    def _close(self, event: yaml.Event) -> None:
        done = self._open.pop()
        node = done.node
        if isinstance(node.value, dict):
            own = dict(node.value)
            if "<<" not in own:
                node.keys.pop("<<", None)
            for source in done.merged:
                for key, value in source.value.items():
                    if key not in own:
                        own[key] = value
                        node.keys[key] = source.keys[key]
            node.value = own
        if done.anchor is not None:
            self._anchors[done.anchor] = node
        self._add(node, node)
