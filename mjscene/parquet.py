"""Recordings as Parquet tables, for programs that read tables: ``pip install 'mjscene[parquet]'``.

One row per recorded row and one column per number, named as in ``qpos: arm/joint1``. The header and
the model's values are in the table's metadata, so that it can be loaded and compared again.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import MjsceneError
from mjscene.layout import ARRAYS, columns
from mjscene.recording import Recording
from mjscene.recordingfile import (
    FORMAT,
    FORMAT_VERSION,
    RecordingError,
    check_header,
    pack,
    read_file,
    replace_file,
    unpack,
)

__all__ = ["read_parquet", "write_parquet"]

_HEADER, _MODEL, _SEAL = b"mjscene", b"mjscene.model", b"mjscene.sha256"
_LIKE = {"format": FORMAT, "format_version": FORMAT_VERSION}
_SINGLE = ("time", "contacts")


def write_parquet(path: Path, recording: Recording, model: Mapping[str, NDArray[Any]]) -> None:
    """Write a recording.

    Raises:
        RecordingError: The file cannot be written.
        MjsceneError: pyarrow is missing.
    """
    pa, pq = _pyarrow()
    names, values = list(_SINGLE), [recording.arrays[name] for name in _SINGLE]
    for kind in ARRAYS:
        for k, column in enumerate(columns(recording.header, kind)):
            names.append(f"{kind}: {column}")
            values.append(recording.arrays[kind][:, k])
    if len(set(names)) != len(names):
        raise RecordingError("two columns have the same name", where="save", file=path)
    table = pa.table([np.ascontiguousarray(v) for v in values], names=names)
    facts = {
        _HEADER: json.dumps(recording.header, sort_keys=True, ensure_ascii=False).encode("utf-8"),
        _MODEL: base64.b64encode(pack(_LIKE, model)),
    }
    table = table.replace_schema_metadata(facts | {_SEAL: _seal(table, facts)})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, write_page_checksum=True)
    replace_file(path, sink.getvalue().to_pybytes())


def read_parquet(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read a header and arrays.

    Raises:
        RecordingError: There is no such file, or it is damaged or no recording.
        MjsceneError: pyarrow is missing.
    """
    pa, pq = _pyarrow()
    content = read_file(path)
    try:
        table = pq.read_table(pa.BufferReader(content), page_checksum_verification=True)
        metadata = table.schema.metadata or {}
        if _HEADER not in metadata:
            raise RecordingError("is no recording of mjscene", file=path)
        if _SEAL not in metadata:
            raise RecordingError(
                "is damaged or no recording: it has no digest",
                file=path,
                hint="0.2.0 and earlier wrote none: record it anew",
            )
        if metadata[_SEAL] != _seal(table, metadata):
            raise RecordingError(
                "is damaged or no recording: its numbers are not those that were written", file=path
            )
        header = json.loads(metadata[_HEADER])
        check_header(header, path)
        arrays = {name: table[name].to_numpy() for name in _SINGLE}
        for kind in ARRAYS:
            parts = [table[f"{kind}: {c}"].to_numpy() for c in columns(header, kind)]
            empty = np.zeros((len(arrays["time"]), 0), np.int8 if kind == "modes" else np.float64)
            arrays[kind] = np.stack(parts, axis=1) if parts else empty
        _, model = unpack(base64.b64decode(metadata[_MODEL]), path)
    except (pa.ArrowException, ValueError, KeyError, TypeError, OSError) as error:
        raise RecordingError(f"is damaged or no recording: {error}", file=path) from error
    return header, {name: np.array(array) for name, array in (arrays | model).items()}


def _seal(table: Any, facts: Mapping[bytes, bytes]) -> bytes:
    """The digest of a table's names and numbers and of what is beside them."""
    digest = hashlib.sha256()
    for name in table.column_names:
        column = table[name].to_numpy()
        digest.update(f"{name}\0{column.dtype.str}\0{column.size}\0".encode())
        digest.update(column.tobytes())
    for key in (_HEADER, _MODEL):
        digest.update(len(facts[key]).to_bytes(8, "little") + facts[key])
    return digest.hexdigest().encode()


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MjsceneError(
            "Parquet needs pyarrow", where="recording", hint="pip install 'mjscene[parquet]'"
        ) from error
    return pyarrow, parquet
