"""Where models come from, and what their files say.

A source is named by a path to MJCF, URDF or ``.mjz``, by ``menagerie:NAME[/ENTRY]`` or
``mjscene:NAME``, or is an XML string, a PyMJCF element or a ``mujoco.MjSpec``.
"""

from __future__ import annotations

import os
from typing import Any

from mjscene.errors import SpecError
from mjscene.sources.base import KINDS, Source
from mjscene.sources.document import Document
from mjscene.sources.files import load_file
from mjscene.sources.mjspec import load_mjspec
from mjscene.sources.named import load_menagerie, load_shipped
from mjscene.sources.text import load_pymjcf, load_text, place_of

__all__ = ["KINDS", "Document", "Source", "load_source", "place_of", "source_key"]

_NAMED = {"menagerie:": load_menagerie, "mjscene:": load_shipped}


def _is_xml(given: str) -> bool:
    return given.lstrip("\ufeff \t\r\n").startswith("<")


def source_key(given: Any) -> Any:
    """What tells two sources apart: equal keys are one source."""
    if isinstance(given, str):
        if _is_xml(given) or given.startswith(tuple(_NAMED)):
            return given
        return os.path.abspath(os.path.expanduser(given))
    return id(given)


def load_source(given: Any, where: str | None = None) -> Source:
    """Load a source.

    Args:
        given: The path, name, XML, MjSpec or PyMJCF element.
        where: The spec's field that names it, for messages.

    Returns:
        The source, with a MjSpec of its own.

    Raises:
        ComposeError: It is missing, broken or not a model; the message has file and line.
        SpecError: It is none of the kinds of source.
    """
    if isinstance(given, str):
        if _is_xml(given):
            return load_text(given, where)
        for head, load in _NAMED.items():
            if given.startswith(head):
                return load(given[len(head) :], where)
        return load_file(given, where)
    if hasattr(given, "to_xml_string"):
        return load_pymjcf(given, where)
    if type(given).__name__ == "MjSpec":
        return load_mjspec(given, where)
    raise SpecError(f"no source of a model: {given!r}", where=where, given=given)
