"""Trees, policies, passes and decisions in JSON files, plain or compressed."""

import gzip
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from ftree._lib.messages import short_repr
from ftree.exchange.json_document import from_json, to_json

# A compressed file of a few kilobytes may contain gigabytes of blanks; the text may be at most this many times longer.
_MOST_TIMES = 100


def save(value: Any, path: str | PathLike[str]) -> None:
    """Write a tree, a part of the library or decisions as JSON, in UTF-8; compressed if the path ends in .gz.

    The same value makes the same file. An existing file is replaced. Raises the errors of `to_json`.

    >>> from tempfile import TemporaryDirectory
    >>> from ftree.stop import max_depth
    >>> with TemporaryDirectory() as folder:
    ...     save(max_depth(3), f"{folder}/rule.json")
    ...     load(f"{folder}/rule.json")
    max_depth(3)
    """
    file = _path(path)
    data = (to_json(value) + "\n").encode()
    file.write_bytes(gzip.compress(data, mtime=0) if file.suffix == ".gz" else data)


def load(path: str | PathLike[str], *, splits: Iterable[type] = ()) -> Any:
    """Read a value that `save` wrote; `splits` are users' split types that the tree may have. No code in the file is run.

    Raises a ValueError that names the fault for a damaged file, an OSError for a file that cannot be read.

    >>> import tempfile
    >>> from ftree import ID3, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(ID3, f"{folder}/policy.json")
    ...     load(f"{folder}/policy.json") == ID3
    True
    """
    file = _path(path)
    data = file.read_bytes()
    return from_json(_decompressed(file, data) if file.suffix == ".gz" else data, splits=splits)


def _path(path: Any) -> Path:
    if not isinstance(path, (str, PathLike)):
        message = f"path must be a str or a Path, got {short_repr(path)}."
        raise TypeError(message)
    return Path(path)


def _decompressed(file: Path, data: bytes) -> bytes:
    most = 1000 + _MOST_TIMES * len(data)
    try:
        with gzip.open(file) as opened:
            text = opened.read(most + 1)
    except (gzip.BadGzipFile, EOFError, OSError) as error:
        message = f"path must be a gzip file, as its name says, got {file.name}: {error}"
        raise ValueError(message) from error
    if len(text) > most:
        message = f"path must be a file of at most {_MOST_TIMES} times its compressed size, got {file.name}, which has more."
        raise ValueError(message)
    return text
