"""Encoded columns on disk: a folder of codes and numbers, read through memory maps, from which growth is many times faster.

`table.json` describes the files; it is written last, and the folder gets its name only when it is complete. Each block of
rows has a checksum, which is verified when the folder is opened.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, ClassVar
from zlib import crc32

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array
from ftree._lib.fields import require_n_jobs, require_path
from ftree._lib.machine import complete_or_nothing
from ftree._lib.messages import short_repr
from ftree.saving.json_trees import schema_of_plain, schema_to_plain
from ftree.scan.bins import Bins
from ftree.scan.folding import Answer, fold_in_threads, groups_up_to
from ftree.scan.parts import Part, SourceSummary, part_with_weight
from ftree.scan.source import Source
from ftree.scan.survey import survey
from ftree.scan.table_parts import TableParts
from ftree.tree.response import numbers

_FORMAT, _VERSION = "ftree encoded table", 3
_HEADER = "table.json"
# Cells of a block, at most, unless a batch has more: 100 MB of codes and numbers.
_CELLS = 10_000_000
_FILES = ("codes", "numbers", "labels", "weights")


@frozen(eq=False)
class EncodedParts:
    """Blocks of encoded columns in a folder; `n_jobs` threads count them, by default one for each processor."""

    in_this_process: ClassVar[bool] = True

    folder: Path
    summary: SourceSummary = field(repr=False)
    blocks: tuple[int, ...] = field(repr=False)
    weighted: bool = False
    n_jobs: int | None = None

    def fold(self, function: Callable[[Part], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results for all blocks, merged."""
        return fold_in_threads(len(self.blocks), lambda number: function(self.part(number)), merge, self.n_jobs)

    def part(self, number: int) -> Part:
        """A block of rows, mapped into memory."""
        begin, n = sum(self.blocks[:number]), self.blocks[number]
        files = ((self.folder / f"{name}.bin", name, kind, width) for name, kind, width in _layout(self.summary))
        arrays = {name: _mapped(path, kind, width, begin, n) for path, name, kind, width in files}
        return Part(arrays["codes"], arrays["numbers"], arrays["labels"][0], arrays["weights"][0] if self.weighted else None)


def encode_to(source: Any, folder: str | Path, target: str | int = -1, **options: Any) -> Source:
    """Encode a table into a new folder, and open it; this takes two scans of the rows, the survey and the encoding.

    Options are those of `survey`. The folder is made under another name and renamed when it is complete.

    Raises a FileExistsError for an existing folder, a TypeError for options with a source that has been surveyed, and
    the errors of `survey`.

    >>> import tempfile
    >>> import pyarrow as pa
    >>> from ftree import grow
    >>> fish = pa.table({"length": [12.5, 30.0, 28.5], "class": ["cod", "tuna", "tuna"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(grow(encode_to(fish, f"{folder}/fish")))
    length <= 20.5: cod (1.0)
    length > 20.5: tuna (2.0)
    """
    place = require_path(folder, "folder")
    if place.exists():
        raise FileExistsError(f"folder must be a new one, got {short_repr(str(folder))}, which exists. Remove it, or open it.")
    if isinstance(source, Source) and (target != -1 or options):
        raise TypeError("target and options must be omitted for a source that has been surveyed. Pass them to survey.")
    surveyed = source if isinstance(source, Source) else survey(source, target, **options)
    place.parent.mkdir(parents=True, exist_ok=True)
    with complete_or_nothing(place) as unfinished:
        unfinished.mkdir()
        header = _written(surveyed, unfinished)
        (unfinished / _HEADER).write_text(json.dumps(header, allow_nan=False), encoding="utf-8")
    return open_encoded(place, verify=False)


def open_encoded(folder: str | Path, *, verify: bool = True, n_jobs: int | None = None) -> Source:
    """A folder of encoded columns as a source; `verify` checks the checksums of all blocks.

    Raises a FileNotFoundError for anything but such a folder, a ValueError for one that is damaged or of another version.

    >>> import tempfile
    >>> import pyarrow as pa
    >>> from ftree.scan import encode_to
    >>> fish = pa.table({"length": [12.5, 30.0, 28.5], "class": ["cod", "tuna", "tuna"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = encode_to(fish, f"{folder}/fish")
    ...     open_encoded(f"{folder}/fish").summary.class_counts
    (1, 2)
    """
    require_n_jobs(n_jobs)
    place = require_path(folder, "folder")
    header = _header(place)
    try:
        summary = summary_from_fields(header["summary"])
        sums = {name: tuple(map(int, header["checksums"][name])) for name in _FILES}
        parts = EncodedParts(place, summary, tuple(map(int, header["blocks"])), bool(header["weighted"]), n_jobs)
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise ValueError(_damaged(place, f"{_HEADER} does not describe a table")) from error
    _check_sizes(parts)
    if verify:
        _verify(parts, sums)
    return Source(summary, TableParts(parts, summary.n_rows))


def _layout(summary: SourceSummary) -> Iterator[tuple[str, Any, int]]:
    """The files: their name, the type of their numbers, and the count of numbers for each row."""
    yield "codes", summary.code_type, len(summary.bins)
    yield "numbers", np.float64, sum(bins is not None for bins in summary.bins)
    yield "labels", summary.label_type, 1
    yield "weights", np.int64, 1


def _written(surveyed: Source, folder: Path) -> dict[str, Any]:
    """Write all blocks; the header."""
    blocks: list[int] = []
    sums: dict[str, list[int]] = {name: [] for name in _FILES}
    counts = np.zeros(len(surveyed.summary.schema.classes), dtype=np.int64)
    with ExitStack() as stack:
        files: dict[str, BinaryIO] = {name: stack.enter_context((folder / f"{name}.bin").open("wb")) for name in _FILES}
        width = max(len(surveyed.summary.bins), 1)
        parts = map(part_with_weight, surveyed.parts.in_order())
        for block in groups_up_to(parts, lambda part: len(part) * width, _CELLS):
            blocks.append(sum(map(len, block)))
            counts += sum(np.bincount(part.labels, part.weights, len(counts)).astype(np.int64) for part in block)
            for name in _FILES if block[0].weights is not None else _FILES[:-1]:
                sums[name].append(_write_rows(files[name], [np.atleast_2d(getattr(part, name)) for part in block]))
    if tuple(counts.tolist()) != surveyed.summary.class_counts:
        raise ValueError("source must have the same rows each time, got other class counts than in the survey.")
    fields = summary_to_fields(surveyed.summary)
    weighted = bool(sums["weights"])
    known = {"format": _FORMAT, "version": _VERSION, "blocks": blocks, "weighted": weighted}
    header = {**known, "checksums": sums, "summary": fields}
    return {**header, "own_checksum": _own_checksum(header)}


def _write_rows(file: BinaryIO, arrays: list[Array]) -> int:
    """Write arrays (width, n) as one, feature by feature, and return the checksum."""
    checksum = 0
    for pieces in zip(*arrays, strict=True):
        row = np.concatenate(pieces).data
        file.write(row)
        checksum = crc32(row, checksum)
    return checksum


def _own_checksum(header: dict[str, Any]) -> int:
    """The checksum of the header without this checksum."""
    own = {key: value for key, value in header.items() if key != "own_checksum"}
    return crc32(json.dumps(own, sort_keys=True).encode())


def _header(place: Path) -> dict[str, Any]:
    try:
        header = json.loads((place / _HEADER).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        message = f"folder must be one that encode_to has made, got {short_repr(str(place))} without {_HEADER}."
        raise FileNotFoundError(message) from None
    except ValueError as error:
        raise ValueError(_damaged(place, f"{_HEADER} is not JSON")) from error
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise ValueError(_damaged(place, f"{_HEADER} is not of the format {_FORMAT!r}"))
    if header.get("version") != _VERSION:
        message = f"folder must be of version {_VERSION}, got {short_repr(header.get('version'))}. Encode the table again."
        raise ValueError(message)
    if header.get("own_checksum") != _own_checksum(header):
        raise ValueError(_damaged(place, f"{_HEADER} has another checksum"))
    return header


def _check_sizes(parts: EncodedParts) -> None:
    for name, kind, width in _layout(parts.summary):
        expected = sum(parts.blocks) * width * np.dtype(kind).itemsize * (parts.weighted or name != "weights")
        path = parts.folder / f"{name}.bin"
        found = path.stat().st_size if path.exists() else 0
        if found != expected:
            raise ValueError(_damaged(parts.folder, f"{path.name} must have {expected:,} bytes, got {found:,}"))
    if sum(parts.blocks) != parts.summary.n_rows:
        raise ValueError(_damaged(parts.folder, f"{_HEADER} has other numbers of rows in its blocks than in all"))


def _verify(parts: EncodedParts, sums: Mapping[str, Sequence[int]]) -> None:
    """Check the checksums of all blocks, that codes are those of values, bins and classes, and the counts of classes."""
    summary = parts.summary
    counts = np.zeros(len(summary.schema.classes))
    may_miss = [n in summary.gaps for n in range(len(summary.bins))]
    for number in range(len(parts.blocks)):
        part = parts.part(number)
        for name in _FILES:
            array = getattr(part, name)
            if array is not None and sums[name][number : number + 1] != (crc32(array),):
                raise ValueError(_damaged(parts.folder, f"block {number} of {name}.bin has another checksum"))
        if (part.codes.max(axis=1) >= summary.n_codes + may_miss).any() or part.labels.max() >= len(counts):
            raise ValueError(_damaged(parts.folder, f"{_HEADER} lacks values of block {number}"))
        counts += np.bincount(part.labels, part.weights, len(counts))
    if tuple(map(int, counts)) != summary.class_counts:
        raise ValueError(_damaged(parts.folder, f"{_HEADER} has other counts of classes than the rows"))


def _damaged(place: Path, what: str) -> str:
    return f"folder must be as encode_to has written it, got {short_repr(str(place))}: {what}. Encode the table again."


def _mapped(path: Path, kind: Any, width: int, begin: int, n: int) -> Array:
    """Rows of a file as an array (width, n). Raises a ValueError for a file that was cut off or removed since it was opened."""
    try:
        if not width or not path.stat().st_size:
            return np.zeros((width, n), dtype=kind)
        return np.memmap(path, dtype=kind, mode="r", offset=begin * width * np.dtype(kind).itemsize, shape=(width, n))
    except (OSError, ValueError) as error:
        raise ValueError(_damaged(path.parent, f"{path.name} was changed since it was opened")) from error


def summary_to_fields(summary: SourceSummary) -> dict[str, Any]:
    """Plain values. Raises a TypeError for values of features or classes that JSON cannot represent."""
    return {
        "schema": schema_to_plain(summary.schema),
        "bins": [None if bins is None else _bins_to_fields(bins) for bins in summary.bins],
        "class_counts": list(map(int, summary.class_counts)),
        "gaps": sorted(summary.gaps),
        "n_rows": summary.n_rows,
        "response": None if summary.response is None else [summary.response.centre, summary.response.unit],
    }


def summary_from_fields(fields: dict[str, Any]) -> SourceSummary:
    """The summary made from plain values."""
    bins = tuple(None if each is None else _bins_from_fields(each) for each in fields["bins"])
    schema, gaps, response = schema_of_plain(fields["schema"]), frozenset(map(int, fields["gaps"])), None
    if len(bins) != len(schema.features):
        raise ValueError(f"bins must be one for each feature, got {len(bins)} for {len(schema.features)} features.")
    if not gaps <= set(range(len(bins))):
        raise ValueError(f"gaps must be numbers of features, got {sorted(gaps)} for {len(bins)} features.")
    if fields["response"] is not None:
        centre, unit = fields["response"]
        response = numbers(centre, unit)
        if not all(isinstance(label, (int, float)) for label in schema.classes):
            raise ValueError(f"a table with a numeric target must list its numbers, got {short_repr(schema.classes)}.")
    counts, n_rows = tuple(map(int, fields["class_counts"])), int(fields["n_rows"])
    return SourceSummary(schema=schema, class_counts=counts, gaps=gaps, bins=bins, n_rows=n_rows, response=response)


def _bins_to_fields(bins: Bins) -> dict[str, Any]:
    # As bytes, so that no digit is lost, and reading makes no object of each.
    return {"edges": b64encode(bins.edges.astype("<f8").tobytes()).decode(), "single": np.flatnonzero(bins.single).tolist()}


def _bins_from_fields(fields: dict[str, Any]) -> Bins:
    edges = np.frombuffer(b64decode(fields["edges"]), dtype="<f8").astype(np.float64)
    single = np.zeros(len(edges) + 1, dtype=bool)
    single[fields["single"]] = True
    return Bins(edges, single)
