"""Plain data as YAML text that a person reads and that YAML 1.1 and 1.2 read alike.

Short lists of scalars are in one line, texts of several lines are block scalars, and words that
either version takes for something else than text (``on``, ``1:30``, ``1e-3``) are in quotes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

__all__ = ["yaml_text"]

_WIDTH = 100
# Text that needs no quotes: words of letters, digits and what paths and names are made of.
_PLAIN = re.compile(r"(?:[A-Za-z_/]|\.\.?/)[\w./+-]*(?::?[\w./+-]+)*(?: [\w./+-]+)*", re.ASCII)
_RESERVED = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
# What a YAML file may not hold, and what PyYAML takes for the end of a line.
_UNSAFE = re.compile(
    "[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|[\u2028\u2029]"
)


def yaml_text(data: dict[str, Any]) -> str:
    """YAML text of a mapping.

    Args:
        data: Mappings with text as keys, lists, text, numbers, booleans and None.
    """
    return "\n".join(_mapping(data, 0)) + "\n" if data else "{}\n"


def _mapping(data: dict[str, Any], indent: int) -> Iterator[str]:
    for key, value in data.items():
        yield from _entry(f"{' ' * indent}{_text(key)}:", value, indent)


def _sequence(data: list[Any], indent: int) -> Iterator[str]:
    pad = " " * indent
    for item in data:
        if isinstance(item, dict) and item and _flow(item, indent + 2) is None:
            lines = _mapping(item, indent + 2)
            yield f"{pad}- {next(lines).lstrip(' ')}"
            yield from lines
        else:
            yield from _entry(f"{pad}-", item, indent)


def _entry(head: str, value: Any, indent: int) -> Iterator[str]:
    if isinstance(value, str) and "\n" in value and not _UNSAFE.search(value):
        yield from _block(head, value, indent)
        return
    flow = _flow(value, len(head) + 1)
    if flow is not None:
        yield f"{head} {flow}"
        return
    yield head
    yield from (_mapping if isinstance(value, dict) else _sequence)(value, indent + 2)


def _block(head: str, text: str, indent: int) -> Iterator[str]:
    body = text.rstrip("\n")
    first = next((line for line in text.split("\n") if line), "")
    # An explicit indentation where the first line would tell a wrong one.
    depth = "2" if first[:1] in (" ", "\t") or not body.strip() else ""
    ends = len(text) - len(body)
    chomp = "-" if ends == 0 else "+" if ends > 1 or not body.strip() else ""
    yield f"{head} |{depth}{chomp}"
    pad = " " * (indent + 2)
    for line in text.split("\n")[: -1 if ends else None]:
        yield pad + line if line else ""


def _flow(value: Any, column: int) -> str | None:
    """A value in one line, if it is a scalar or short and flat."""
    if isinstance(value, list):
        inner = [_scalar(v, in_flow=True) for v in value]
        text = None if None in inner else f"[{', '.join(map(str, inner))}]"
    elif isinstance(value, dict):
        if len(value) > 1:
            return None
        inner = [_scalar(v, in_flow=True) for v in value.values()]
        pairs = (f"{_text(k, in_flow=True)}: {v}" for k, v in zip(value, inner, strict=True))
        text = None if None in inner else f"{{{', '.join(pairs)}}}"
    else:
        return _scalar(value)
    return text if text is not None and (len(text) + column <= _WIDTH or not value) else None


def _scalar(value: Any, *, in_flow: bool = False) -> str | None:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return _number(value)
    if not isinstance(value, str) or (in_flow and "\n" in value):
        return None
    return _text(value, in_flow=in_flow)


def _number(value: float) -> str:
    if isinstance(value, int):
        return str(int(value))
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    if value == int(value) and abs(value) < 1e15 and math.copysign(1, value) * value >= 0:
        return str(int(value)) if value or math.copysign(1, value) > 0 else "-0.0"
    text = repr(float(value))
    mantissa, e, exponent = text.partition("e")
    # YAML 1.1 takes 1e-05 for text: it wants the point.
    return f"{mantissa}.0e{exponent}" if e and "." not in mantissa else text


def _text(text: str, *, in_flow: bool = False) -> str:
    is_plain = _PLAIN.fullmatch(text) and text.lower() not in _RESERVED
    if is_plain and not (in_flow and ":" in text) and not text.endswith(":"):
        return text
    escaped = "".join(_ESCAPES.get(c) or (_escaped(c) if _UNSAFE.match(c) else c) for c in text)
    return f'"{escaped}"'


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
