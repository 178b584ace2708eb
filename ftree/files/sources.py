"""Files as users give them, a path, a glob of paths or a buffer; gz and zst are decompressed while reading.

A reader of them returns a `FileTable`.
"""

import gzip
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Collection, Generator, Hashable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from glob import glob
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO, TextIOWrapper
from itertools import zip_longest
from os import PathLike
from pathlib import Path
from typing import IO, Any

from attrs import evolve, field, frozen

from ftree._lib.messages import how_to_install, short_repr
from ftree.data.table import Origin
from ftree.data.values import MISSING_WORDS, in_order
from ftree.tree.schema import Feature, Schema

_COMPRESSED = (".gz", ".zst")
_SHEET, _UNPACKED = "Read it by pandas, and give the frame to from_frame.", "Decompress it, or give {} and format=."
# What to do about files that the library does not read, by suffix.
REMEDIES = {
    **dict.fromkeys(("xlsx", "xls", "ods", "sav", "dta"), _SHEET),
    "xz": _UNPACKED.format("lzma.open(path)"),
    "bz2": _UNPACKED.format("bz2.open(path)"),
    "zip": _UNPACKED.format("zipfile.ZipFile(path).open(name)"),
    "json": "Write one object in each line (.jsonl), or give the rows of json.load to from_frame.",
}
_PATTERN = frozenset("*?[")


@frozen
class InputFile:
    """A file: its name for messages, its suffix without that of the compression, and a function that opens it as bytes."""

    name: str
    suffix: str
    open: Callable[[], IO[bytes]]

    def lines(self) -> Generator[str, None, None]:
        """The lines of UTF-8 text, one by one, without a byte order mark; they end as they do in the file.

        Raises a ValueError for another encoding.
        """
        try:
            with TextIOWrapper(self.open(), encoding="utf-8-sig", newline="") as text:
                yield from text
        except UnicodeDecodeError as error:
            encoding = "utf-16" if error.object[:2] in {BOM_UTF16_LE, BOM_UTF16_BE} else "latin-1"
            remedy = REMEDIES.get(self.suffix, f"Write encoding={encoding!r}, or whatever its encoding is.")
            raise ValueError(f"{self} must be UTF-8 text, got {error.reason} at byte {error.start}. {remedy}") from None

    def __str__(self) -> str:
        """The name."""
        return self.name


def sources_of(source: Any) -> list[InputFile]:
    """The files of a path, of a glob in sorted order, or of a buffer: bytes, or an open file of bytes or text.

    An existing path is never a glob. A buffer is read to its end, since a table may be read twice.

    Raises a FileNotFoundError that says which path was tried, a TypeError for anything else.

    >>> sources_of(b"a,b")[0]
    InputFile(name='the buffer', suffix='', open=...)
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


def in_utf_8(source: InputFile, encoding: str) -> InputFile:
    """A file of text in another encoding as one in UTF-8, in memory.

    >>> list(in_utf_8(sources_of("café".encode("latin-1"))[0], "latin-1").lines())
    ['café']
    """
    try:
        with TextIOWrapper(source.open(), encoding=encoding, newline="") as text:
            content = text.read().encode()
    except (LookupError, UnicodeError, TypeError) as error:
        raise ValueError(f"encoding must be that of {source}, such as 'latin-1', got {short_repr(encoding)}: {error}.") from None
    return evolve(source, open=partial(BytesIO, content))


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
        raise FileNotFoundError(f"path must be a file, got {text!r}, which does not exist. Looked for {one.absolute()}.")
    found = sorted(each for each in map(Path, glob(text, recursive=True)) if each.is_file())  # noqa: PTH207  # also of absolute paths
    if not found:
        raise FileNotFoundError(f"path must match at least one file, got {text!r}, which matches no file below {Path.cwd()}.")
    return found


def _of_path(path: Path) -> InputFile:
    compression = path.suffix.lower() if path.suffix.lower() in _COMPRESSED else ""
    unpacked = path.with_suffix("") if compression else path
    suffix = unpacked.suffix.lower().lstrip(".")
    return InputFile(str(path), suffix, partial(_open, path, compression))


def _of_bytes(name: str, content: bytes) -> InputFile:
    return InputFile(name, Path(name).suffix.lower().lstrip("."), partial(BytesIO, content))


def _open(path: Path, compression: str) -> Any:
    if compression == ".gz":
        return gzip.open(path)
    return _open_zst(path) if compression else path.open("rb")


def _open_zst(path: Path) -> Any:
    with suppress(ImportError):  # Python 3.14 and later have it, unless they were built without
        return import_module("compression.zstd").open(path)
    if find_spec("pyarrow"):
        import pyarrow as pa  # noqa: PLC0415  # loaded for compressed files only

        return pa.input_stream(path, compression="zstd")
    wanted = "A .zst file needs pyarrow, which is not installed, or Python 3.14"
    raise ModuleNotFoundError(f"{wanted}, got {str(path)!r}. {how_to_install('files')}")


def check_same_columns(first: InputFile, names: Sequence[str], other: InputFile, others: Sequence[str]) -> None:
    """Raise a ValueError for two files with different columns.

    >>> check_same_columns(*sources_of(b""), ["a", "b"], *sources_of(b""), ["a", "c"])
    Traceback (most recent call last):
    ValueError: All files must have the columns of the buffer, got 'c' in place of 'b' in the buffer.
    """
    if list(names) != list(others):
        pairs = zip_longest(map(repr, names), map(repr, others), fillvalue="none")
        wanted, got = next((wanted, got) for wanted, got in pairs if wanted != got)
        raise ValueError(f"All files must have the columns of {first}, got {got} in place of {wanted} in {other}.")


@frozen(eq=False)
class FileTable:
    """Columns by name, and the values that mean missing.

    `texts` are the missing texts in columns that are read as floats, by name; `declared` are the values that the file
    itself declares for a column, in order; `weights` are those of rows, as texts.
    """

    columns: Mapping[str, Any]
    missing: Collection[Hashable] = MISSING_WORDS
    texts: Mapping[str, Collection[Hashable]] = field(factory=dict)
    declared: Mapping[str, Sequence[str]] = field(factory=dict)
    weights: Sequence[str] | None = None

    def origins(self, origins: Sequence[Origin]) -> list[Origin]:
        """Origins that do not depend on the reader of the numbers, with the texts for missing values."""
        return [self._origin(origin) if origin.name in self.texts else origin for origin in origins]

    def schema(self, inferred: Schema, *, keep_classes: bool) -> Schema:
        """The schema with the declared values of nominal features, and with the declared classes unless others are given.

        A target without classes keeps its response.
        """
        declared = evolve(inferred, features=[self._feature(feature) for feature in inferred.features])
        if keep_classes or not inferred.has_classes or inferred.target not in self.declared:
            return declared
        return evolve(declared, classes=self.declared[inferred.target])

    def _origin(self, origin: Origin) -> Origin:
        reason = "numbers" if origin.reason.startswith("numbers of type") else origin.reason
        return Origin(origin.name, reason, in_order(self.texts[origin.name]))

    def _feature(self, feature: Feature) -> Feature:
        declared = self.declared.get(feature.name)
        return feature if declared is None or feature.kind != "nominal" else evolve(feature, values=declared)
