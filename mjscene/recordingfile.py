"""Recordings on disk: arrays and a header in one ``.npz``.

The same recording gives the same bytes, a file is there as a whole or not at all, and reading one
runs no code of it (``allow_pickle=False``) and checks a digest of all its bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import secrets
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mjscene.errors import MjsceneError

__all__ = [
    "FORMAT",
    "FORMAT_VERSION",
    "RecordingError",
    "check_header",
    "pack",
    "read_file",
    "replace_file",
    "sealed",
    "unpack",
]

FORMAT = "mjscene recording"
FORMAT_VERSION = 1
_HEADER = "header.json"
_SEAL = b"sha256:"
_SEAL_LENGTH = len(_SEAL) + 64
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest date of a zip entry: no clock in the bytes


class RecordingError(MjsceneError):
    """A recording that cannot be made, read or used."""


def replace_file(path: Path, content: bytes) -> None:
    """Write a file so that whoever reads it finds the old one or the new one, whole.

    Raises:
        RecordingError: It cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Another name in the same folder: a rename there is atomic.
        fresh = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        try:
            with fresh.open("xb") as file:
                file.write(content)
            fresh.replace(path)
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise RecordingError(f"cannot be written: {error.strerror}", file=path) from error


def pack(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """A header and arrays as the bytes of an ``.npz``, the same each time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:

        def put(name: str, content: bytes) -> None:
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # as on Unix, wherever it is written
            archive.writestr(entry, content)

        text = json.dumps(header, sort_keys=True, ensure_ascii=False, indent=1)
        put(_HEADER, text.encode("utf-8"))
        for name in sorted(arrays):
            stream = io.BytesIO()
            array = np.ascontiguousarray(arrays[name])
            little = array.astype(array.dtype.newbyteorder("<"), copy=False)
            np.lib.format.write_array(stream, little, allow_pickle=False)
            put(f"{name}.npy", stream.getvalue())
    return sealed(buffer.getvalue())


def sealed(archive: bytes) -> bytes:
    """An archive with the digest of its bytes as its comment.

    A zip file's own checksums leave out its headers and what follows its end.
    """
    body = archive[:-2] + _SEAL_LENGTH.to_bytes(2, "little")  # the comment's length comes last
    return body + _SEAL + hashlib.sha256(body).hexdigest().encode()


def _is_sealed(content: bytes) -> bool:
    body, seal = content[:-_SEAL_LENGTH], content[-_SEAL_LENGTH:]
    return seal == _SEAL + hashlib.sha256(body).hexdigest().encode()


def unpack(content: bytes, path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What ``pack`` packed.

    Raises:
        RecordingError: The bytes are damaged, or not its own.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            if _HEADER not in names:
                raise RecordingError("is no recording of mjscene: it has no header", file=path)
            if not _is_sealed(content):
                raise RecordingError(
                    "is damaged or no recording: its bytes are not those that were written",
                    file=path,
                )
            header = json.loads(archive.read(_HEADER))
            arrays = {
                name.removesuffix(".npy"): _array(archive.read(name), name)
                for name in names
                if name != _HEADER
            }
    except (
        *(zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, KeyError, MemoryError),
        *(NotImplementedError, RuntimeError),  # compressions and encryption that are not ours
    ) as error:
        raise RecordingError(f"is damaged or no recording: {error}", file=path) from error
    check_header(header, path)
    return header, arrays


def read_file(path: Path) -> bytes:
    """The bytes of a recording's file.

    Raises:
        RecordingError: There is none, or it cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise RecordingError("there is no such recording", file=path) from error
    except OSError as error:
        raise RecordingError(f"cannot be read: {error.strerror}", file=path) from error


def _array(content: bytes, name: str) -> NDArray[Any]:
    stream = io.BytesIO(content)
    array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    if stream.read(1):
        raise ValueError(f"{name} has more bytes than its shape says")
    return array


def check_header(header: Any, path: Path) -> None:
    """Refuse what is no header of this format.

    Raises:
        RecordingError: It is another file's, or a newer mjscene's.
    """
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise RecordingError("is no recording of mjscene", file=path)
    version = header.get("format_version")
    if version != FORMAT_VERSION:
        raise RecordingError(
            f"has format version {version!r}, this mjscene reads {FORMAT_VERSION}",
            file=path,
            given=version,
            allowed=(FORMAT_VERSION,),
            hint="record it anew, or use the mjscene that wrote it",
        )
