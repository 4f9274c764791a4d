"""What an XML file itself says, read with lxml: where MuJoCo's message has no line, this finds it.

Files from outside are parsed without entities, network or DTD; a file that declares entities is
refused before any parser expands them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree

from mjscene.errors import ComposeError

__all__ = ["Document"]

_ENTITY = re.compile(rb"<!ENTITY", re.IGNORECASE)
_DOCTYPE = re.compile(rb"<!DOCTYPE[^>\[]*(?:\[|SYSTEM|PUBLIC)", re.IGNORECASE)
_DIRECTORIES = {
    "model": "",
    "mesh": "meshdir",
    "hfield": "meshdir",
    "texture": "texturedir",
    "skin": "meshdir",
}


def _parser() -> Any:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        remove_comments=True,
        huge_tree=False,
    )


def _refuse_entities(raw: bytes, file: Path | None, where: str | None) -> None:
    found = _ENTITY.search(raw) or _DOCTYPE.search(raw)
    if found:
        raise ComposeError(
            "XML entities and DTDs are not read, and a file that declares them is refused",
            where=where,
            file=file,
            line=raw.count(b"\n", 0, found.start()) + 1,
            element=found.group(0).split()[0].decode().lstrip("<"),
            hint="write the values themselves",
        )


@dataclass
class Document:
    """One XML text and the files it includes.

    Attributes:
        file: The file, if it is one.
        root: The root element, or None where lxml could not parse what MuJoCo may still accept.
        problem: Why lxml could not.
        line: The line of that problem.
    """

    file: Path | None
    root: Any = None
    problem: str | None = None
    line: int | None = None
    where: str | None = None
    _included: list[Document] | None = field(default=None, repr=False)

    @classmethod
    def read(cls, file: Path, where: str | None) -> Document:
        """The document of a file.

        Raises:
            ComposeError: The file cannot be read or declares entities.
        """
        try:
            raw = file.read_bytes()
        except OSError as error:
            raise ComposeError(
                f"cannot be read: {error.strerror}", where=where, file=file
            ) from error
        return cls.parse(raw, file, where)

    @classmethod
    def parse(cls, raw: bytes, file: Path | None, where: str | None) -> Document:
        """The document of a text.

        Raises:
            ComposeError: The text declares entities.
        """
        _refuse_entities(raw, file, where)
        try:
            return cls(file=file, root=etree.fromstring(raw, _parser()), where=where)
        except (etree.XMLSyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None)
            message = str(getattr(error, "msg", error))
            return cls(file=file, problem=message, line=line, where=where)

    def elements(self, *tags: str) -> Iterator[tuple[Path | None, Any]]:
        """All elements with one of the tags, with the file they are in, includes too."""
        if self.root is not None:
            for element in self.root.iter(*tags):
                yield self.file, element
        for document in self.included():
            yield from document.elements(*tags)

    def included(self) -> list[Document]:
        """The documents of the files it includes, each read once."""
        if self._included is None:
            self._included = []
            self._read_includes(self, self.file.parent if self.file else Path.cwd(), set())
        return self._included

    def _read_includes(self, top: Document, base: Path, seen: set[Path]) -> None:
        if self.root is None:
            return
        self._included = self._included if self._included is not None else []
        for element in self.root.iter("include"):
            file = self._find(element.get("file") or "", base)
            if file is not None and file not in seen:
                seen.add(file)
                document = Document.read(file, self.where)
                document._included = []
                self._included.append(document)
                document._read_includes(top, base, seen)

    def _find(self, name: str, base: Path) -> Path | None:
        bases = [base] + ([self.file.parent] if self.file else [])
        return next((b / name for b in bases if name and (b / name).is_file()), None)

    def missing_include(self) -> tuple[Path | None, Any] | None:
        """The first include, with its file, whose file is not there."""
        base = self.file.parent if self.file else Path.cwd()
        documents = [self, *self._all_included()]
        for document in documents:
            if document.root is None:
                continue
            for element in document.root.iter("include"):
                if document._find(element.get("file") or "", base) is None:
                    return document.file, element
        return None

    def _all_included(self) -> Iterator[Document]:
        for document in self.included():
            yield document
            yield from document._all_included()

    def missing_assets(self) -> Iterator[tuple[Path | None, Any, Path]]:
        """Meshes, textures, height fields and skins whose file is not there.

        Yields:
            The file that names it, the element, and the first place it was looked for at.
        """
        base = self.file.parent if self.file else Path.cwd()
        directories: dict[str, str] = {}
        for _, compiler in self.elements("compiler"):
            for key in ("meshdir", "texturedir"):
                value = compiler.get(key) or compiler.get("assetdir")
                if value:
                    directories[key] = value
        for file, element in self.elements(*_DIRECTORIES):
            folder = directories.get(_DIRECTORIES[element.tag], "")
            for key, name in element.attrib.items():
                if not key.startswith("file") or not name:
                    continue
                name = name.removeprefix("package://").removeprefix("file://")
                tries = [base / folder / name, base / name]
                if file is not None:
                    tries += [file.parent / folder / name, file.parent / name]
                if not any(t.is_file() for t in tries):
                    yield file, element, tries[0]

    def grouped_actuators(self) -> Iterator[tuple[Path | None, Any]]:
        """Actuators, or actuator defaults, that are given a group other than 0."""
        for file, element in self.elements():
            if element.get("group", "0").strip() in ("", "0"):
                continue
            parent = element.getparent()
            if parent is not None and parent.tag in ("actuator", "default"):
                if parent.tag == "default" and element.tag not in _ACTUATORS:
                    continue
                yield file, element

    def line_of(self, attribute: str, value: str) -> tuple[Path | None, Any] | None:
        """The first element whose ``attribute`` has that value, with its file."""
        for file, element in self.elements():
            if isinstance(element.tag, str) and element.get(attribute) == value:
                return file, element
        return None


_ACTUATORS = frozenset(
    "general motor position velocity intvelocity damper cylinder muscle adhesion plugin pid "
    "dcmotor orientation".split()
)
