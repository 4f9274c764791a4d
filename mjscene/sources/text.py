"""Sources that are XML text: a string, or what a PyMJCF element exports."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import mujoco

from mjscene.errors import ComposeError
from mjscene.messages import element_of, first_line, line_of
from mjscene.sources.base import Source
from mjscene.sources.document import Document

__all__ = ["explain_parse_error", "load_pymjcf", "load_text", "place_of"]


def load_text(text: str, where: str | None, assets: dict[str, bytes] | None = None) -> Source:
    """A source from an XML string; relative files are looked for in the working directory.

    Raises:
        ComposeError: It is not XML, not MJCF or URDF, or something it includes is missing.
    """
    text = text.lstrip("\ufeff \t\r\n")  # a byte order mark is not XML's own
    document = Document.parse(text.encode(), None, where)
    try:
        if assets:
            with mujoco.MjVfs() as vfs:
                for name, data in assets.items():
                    vfs[name] = data
                spec = mujoco.MjSpec.from_string(text, vfs=vfs)
        else:
            spec = mujoco.MjSpec.from_string(text)
    except ValueError as error:
        raise explain_parse_error(str(error), document, where) from error
    named = spec.modelname and spec.modelname != mujoco.MjSpec().modelname
    label = spec.modelname if named else "XML string"
    return Source(label=label, spec=spec, document=document, assets=dict(assets or {}))


def load_pymjcf(element: Any, where: str | None) -> Source:
    """A source from a PyMJCF element: its whole model, assets in memory."""
    root = getattr(element, "root", element)
    source = load_text(root.to_xml_string(), where, root.get_assets())
    source.label = f"PyMJCF {root.model!r}" if root.model else "PyMJCF model"
    return source


def explain_parse_error(message: str, document: Document, where: str | None) -> ComposeError:
    """MuJoCo's parse error with the file and line that it may lack."""
    file: Path | None = document.file
    missing = document.missing_include()
    if missing is not None:
        named, element = missing
        return ComposeError(
            f"included file {element.get('file')!r} is missing",
            where=where,
            file=named,
            line=element.sourceline,
            element="include",
            hint="its path is relative to the folder of the file that includes it",
        )
    for part in (document, *document._all_included()):
        if part.problem is not None:
            problem = re.sub(r", line \d+, column (\d+)", r" (column \1)", part.problem)
            return ComposeError(
                f"not well-formed XML: {problem}", where=where, file=part.file, line=part.line
            )
    if document.root is not None and document.root.tag not in ("mujoco", "robot"):
        return ComposeError(
            f"the root element is <{document.root.tag}>",
            where=where,
            file=file,
            line=document.root.sourceline,
            element=str(document.root.tag),
            allowed=("<mujoco> (MJCF)", "<robot> (URDF)"),
        )
    for named, element, path in document.missing_assets():
        if path.name in message:
            name = element.get("name") or path.stem
            return ComposeError(
                f"the file of {element.tag} {name!r} is missing: {path}",
                where=where,
                file=named,
                line=element.sourceline,
                element=str(element.tag),
            )
    element_name = element_of(message)
    file, line = place_of(message, document)
    return ComposeError(
        first_line(message) + (f" (element {element_name!r})" if element_name else ""),
        where=where,
        file=file,
        line=line,
        element=element_name,
    )


def place_of(message: str, document: Document | None) -> tuple[Path | None, int | None]:
    """The file and line that a message of MuJoCo is about.

    It says the line of the top file; for what is in an included file it says 0, and the element is
    looked for by what the message quotes.
    """
    line = line_of(message)
    if document is None:
        return None, line or None
    if line:
        return document.file, line
    for quoted in re.findall(r"'([^']+)'", message):
        for attribute in ("name", "class", "file"):
            found = document.line_of(attribute, quoted)
            if found is not None:
                return found[0], int(found[1].sourceline)
        for file, element in document.elements():
            if isinstance(element.tag, str) and quoted in element.attrib:
                return file, int(element.sourceline)
    return document.file, None
