"""The sources of a file's bytes: a path, a glob of paths, or a buffer; gz and zst are decompressed while reading."""

import gzip
from collections.abc import Callable, Generator
from functools import partial
from glob import glob
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO, TextIOWrapper
from os import PathLike
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias

from attrs import field, frozen

from ftree._lib.messages import joined, short_repr

FileFormat: TypeAlias = Literal["csv", "parquet", "arrow", "jsonl", "arff"]

# File suffixes, and the format of each.
FORMATS = {
    "csv": "csv",
    "tsv": "csv",
    "tab": "csv",
    "txt": "csv",
    "data": "csv",
    "parquet": "parquet",
    "pq": "parquet",
    "arrow": "arrow",
    "feather": "arrow",
    "ipc": "arrow",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "arff": "arff",
}
_COMPRESSED = (".gz", ".zst")
_PATTERN = frozenset("*?[")


@frozen
class Source:
    """A file: its name for messages, its suffix without that of the compression, and a function that opens it as bytes.

    A local file that is not compressed has a path.
    """

    name: str
    suffix: str
    open: Callable[[], IO[bytes]]
    path: str | None = field(default=None, repr=False)

    def lines(self) -> Generator[str, None, None]:
        """The lines of UTF-8 text, one by one, without a byte order mark; they end as they do in the file.

        Raises a ValueError for another encoding.
        """
        try:
            with TextIOWrapper(self.open(), encoding="utf-8-sig", newline="") as text:
                yield from text
        except UnicodeDecodeError as error:
            message = f"{self} must be UTF-8 text, got {error.reason} at byte {error.start}. Save it as UTF-8."
            raise ValueError(message) from None

    def __str__(self) -> str:
        """The name."""
        return self.name


def sources_of(source: Any) -> list[Source]:
    """The files of a path, of a glob in sorted order, or of a buffer: bytes, or an open file of bytes or text.

    An existing path is never a glob. A buffer is read to its end, since a table may be read twice.

    Raises a FileNotFoundError that says which path was tried, a TypeError for anything else.

    >>> sources_of(b"a,b")[0]
    Source(name='the buffer', suffix='', open=...)
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        return [_of_bytes("the buffer", bytes(source))]
    if hasattr(source, "read"):
        content = source.read()
        return [_of_bytes(str(getattr(source, "name", "the buffer")), content.encode() if isinstance(content, str) else content)]
    if not isinstance(source, str | PathLike):
        message = f"path must be text, a path or an open file, got {short_repr(source)}. For a table in memory, use from_frame."
        raise TypeError(message)
    return list(map(_of_path, paths_of(source)))


def paths_of(path: str | PathLike[str]) -> list[Path]:
    """The files of a path, or of a glob in sorted order; an existing path is never a glob.

    Raises a FileNotFoundError that says which path was tried, an IsADirectoryError for a folder.

    >>> paths_of("nowhere/*.csv")
    Traceback (most recent call last):
    FileNotFoundError: path must match at least one file, got 'nowhere/*.csv', which matches no file below ...
    """
    one, text = Path(path), str(path)
    if one.is_file():
        return [one]
    if one.is_dir():
        message = f"path must be a file, got {text!r}, which is a directory. Write {str(one / '*')!r} for its files."
        raise IsADirectoryError(message)
    if not _PATTERN & set(text):
        message = f"path must be a file, got {text!r}, which does not exist. Looked for {one.absolute()}."
        raise FileNotFoundError(message)
    found = sorted(each for each in map(Path, glob(text, recursive=True)) if each.is_file())  # noqa: PTH207  # also of absolute paths
    if not found:
        message = f"path must match at least one file, got {text!r}, which matches no file below {Path.cwd()}."
        raise FileNotFoundError(message)
    return found


def format_of(sources: list[Source], wanted: str | None) -> str:
    """The format `wanted`, or that of the files' suffix, which all must share.

    Raises a ValueError for an unknown format or suffix.

    >>> format_of(sources_of(b""), "parquet")
    'parquet'
    """
    known = sorted(set(FORMATS.values()))
    if wanted is not None:
        if wanted not in known:
            message = f"format must be one of {joined(map(repr, known))}, got {short_repr(wanted)}."
            raise ValueError(message)
        return wanted
    formats = {FORMATS.get(source.suffix) for source in sources}
    if None in formats or len(formats) > 1:
        strange = next((source for source in sources if source.suffix not in FORMATS), sources[-1])
        suffixes = joined(f".{suffix}" for suffix in FORMATS)
        message = f"A file's name must end in one of {suffixes}, all alike, got {strange.name!r}. Or give format=."
        raise ValueError(message)
    return str(formats.pop())


def _of_path(path: Path) -> Source:
    compression = path.suffix.lower() if path.suffix.lower() in _COMPRESSED else ""
    plain = path.with_suffix("") if compression else path
    suffix = plain.suffix.lower().lstrip(".")
    return Source(str(path), suffix, partial(_open, path, compression), None if compression else str(path))


def _of_bytes(name: str, content: bytes) -> Source:
    return Source(name, Path(name).suffix.lower().lstrip("."), partial(BytesIO, content))


def _open(path: Path, compression: str) -> Any:
    if compression == ".gz":
        return gzip.open(path)
    return _open_zst(path) if compression else path.open("rb")


def _open_zst(path: Path) -> Any:
    if find_spec("compression"):  # Python 3.14 and later have it
        return import_module("compression.zstd").open(path)
    if find_spec("pyarrow"):
        import pyarrow as pa  # noqa: PLC0415  # loaded for compressed files only

        return pa.input_stream(path, compression="zstd")
    message = (
        f"A .zst file needs pyarrow, which is not installed, or Python 3.14, got {str(path)!r}. Run: pip install ftrees[files]"
    )
    raise ModuleNotFoundError(message)
