"""Parts of a table that need not be in memory: one part, the findings about the whole, and a fold over all parts.

Growth needs only sums over rows, such as class counts. So a table in parts needs one method: `fold` calls a function for
each part, and merges the results. It keeps no state, and parts may be on other machines.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from threading import Lock
from typing import Any, Protocol, runtime_checkable

import numpy as np
from attrs import define, evolve, field, frozen
from toolz import compose, identity

from ftree._lib.arrays import Array, Floats, read_only
from ftree._lib.messages import type_of
from ftree._lib.waiting import Progress
from ftree.data.changes import with_none
from ftree.data.coding import smallest_integers
from ftree.data.dataset import Dataset
from ftree.scan.batches import Answer, Batches, Foldable, KeepsParts
from ftree.scan.bins import Bins
from ftree.tree.nodes import Counts
from ftree.tree.response import numbers
from ftree.tree.schema import Schema

# The codes that the native library reads.
_CODES = np.uint16, np.uint32


@frozen(eq=False)
class Part:
    """Some rows of a table, encoded: codes (F, n), the numbers of numeric features (F', n), class codes (n,), weights (n,).

    A code is the value's number in the schema, or a number's bin; the missing value has the code after the last one.
    `numbers` has a row for each numeric feature, in order. Weights are whole numbers; None means that all are 1.

    >>> import numpy as np
    >>> len(Part(np.array([[0, 1]]), np.zeros((0, 2)), np.array([0, 1])))
    2
    """

    codes: Array = field(converter=read_only)
    numbers: Floats = field(converter=read_only)
    labels: Array = field(converter=read_only)
    weights: Array | None = field(default=None, converter=read_only)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.labels)

    def take(self, rows: Array) -> "Part":
        """The rows given by a mask or by numbers."""
        weights = None if self.weights is None else self.weights[rows]
        return Part(self.codes[:, rows], self.numbers[:, rows], self.labels[rows], weights)

    def code_bytes(self) -> tuple[Array, int]:
        """The codes as bytes (F, n times their size), without a copy where they have 2 or 4 bytes, and this size."""
        codes = np.ascontiguousarray(self.codes, self.codes.dtype if self.codes.dtype in _CODES else np.uint32)
        return codes.view(np.uint8), codes.itemsize

    def __repr__(self) -> str:
        """Its size."""
        return f"<Part of {len(self):,} rows and {len(self.codes)} features>"


def joined_parts(parts: Sequence[Part]) -> Part:
    """The rows of several parts, of which either all have weights or none.

    >>> import numpy as np
    >>> joined_parts([Part(np.array([[0, 1]]), np.zeros((0, 2)), np.array([0, 1]))] * 2)
    <Part of 4 rows and 1 features>
    """
    names = ("codes", "numbers", "labels") if parts[0].weights is None else ("codes", "numbers", "labels", "weights")
    return Part(*(np.concatenate([getattr(part, name) for part in parts], axis=-1) for name in names))


@frozen(eq=False)
class SourceSummary:
    """The findings of one scan of all rows: the schema, class counts, features with missing values, and bins of numeric ones.

    `bins` has None for features with listed values. `n_rows` is the number of rows with a weight above 0. For a target of
    numbers with a `response`, the classes of `schema` are its distinct numbers in order.

    >>> import pyarrow as pa
    >>> from ftree.scan import survey
    >>> source = survey(pa.table({"length": [12.5, 30.0, 28.5], "class": ["cod", "tuna", "tuna"]}))
    >>> source.summary, source.summary.class_counts
    (<SourceSummary of 3 rows and 1 features for 'class'>, (1, 2))
    """

    schema: Schema
    class_counts: Counts
    gaps: frozenset[int]
    bins: tuple[Bins | None, ...]
    n_rows: int
    response: numbers | None = None

    @property
    def schema_of_trees(self) -> Schema:
        """The schema of trees that grow from the table."""
        return self.schema if self.response is None else evolve(self.schema, classes=(), response=self.response)

    def distinct_targets(self) -> Dataset:
        """The distinct numbers of a target of numbers, without features, each with the weight of all its cases."""
        columns = [np.full(len(self.class_counts), np.nan) if bins else np.full(len(self.class_counts), -1) for bins in self.bins]
        return Dataset(self.schema_of_trees, columns, np.array(self.schema.classes, np.float64), np.array(self.class_counts))

    def __repr__(self) -> str:
        """Its size."""
        schema = self.schema
        return f"<SourceSummary of {self.n_rows:,} rows and {len(schema.features)} features for {schema.target!r}>"

    def missing_as_value(self) -> "SourceSummary":
        """The summary with None as a value of each nominal feature with missing values; the code of missing becomes its code."""
        pairs = enumerate(self.schema.features)
        features = [with_none(feature) if number in self.gaps else feature for number, feature in pairs]
        left = frozenset(number for number in self.gaps if features[number].kind != "nominal")
        return evolve(self, schema=evolve(self.schema, features=features), gaps=left)

    @property
    def code_type(self) -> type[np.unsignedinteger[Any]]:
        """The smallest type of codes for all features."""
        return np.uint16 if self.n_codes.max(initial=0) < 2**16 else np.uint32

    @property
    def label_type(self) -> type[np.integer[Any]]:
        """The type of class codes."""
        return np.uint8 if len(self.schema.classes) <= 2**8 else np.int32

    @property
    def n_codes(self) -> Array:
        """Number of codes of each feature, (F,), which is the code of its missing value."""
        pairs = zip(self.schema.features, self.bins, strict=True)
        return np.array([len(feature.values) if bins is None else bins.n for feature, bins in pairs], dtype=np.int64)

    @property
    def numeric(self) -> Array:
        """The row of each feature in `Part.numbers`, (F,), -1 for features with listed values."""
        mask = np.array([bins is not None for bins in self.bins], dtype=bool)
        return np.where(mask, np.cumsum(mask) - 1, -1)


def dataset_of(part: Part, summary: SourceSummary) -> Dataset:
    """The rows of a part."""
    rows = zip(part.codes, summary.numeric.tolist(), summary.n_codes.tolist(), summary.bins, strict=True)
    columns = [_codes(codes, n) if bins is None else numbers_of(codes, part.numbers[row], bins) for codes, row, n, bins in rows]
    if summary.response is not None:
        return Dataset(summary.schema_of_trees, columns, np.array(summary.schema.classes, np.float64)[part.labels], part.weights)
    return Dataset(summary.schema, columns, smallest_integers(part.labels, len(summary.schema.classes)), part.weights)


def numbers_of(codes: Array, numbers: Floats, bins: Bins) -> Floats:
    """The numbers of a feature as growth sees them: if bins are exact, those of the bins."""
    return np.append(bins.upper, np.nan)[codes] if bins.exact else numbers


def _codes(codes: Array, n_values: int) -> Array:
    known = codes.astype(np.int64)
    return smallest_integers(np.where(known == n_values, -1, known), n_values)


# All parts


@define(eq=False)
class ScanProgress:
    """The rows read in a scan, of a known total, and the bytes read in all scans, for a line of progress."""

    line: Progress
    rows: int = 0
    n_bytes: int = 0
    lock: Any = field(factory=Lock)

    def of_scan(self, function: Callable[[Part], Answer], n_rows: int) -> Callable[[Part], Answer]:
        """The function for a new scan; it reports each part for which it has returned."""
        self.rows = 0

        def reporting(part: Part) -> Answer:
            answer = function(part)
            with self.lock:  # threads count one after another
                self.rows += len(part)
                self.n_bytes += part.codes.nbytes + part.labels.nbytes
                self.line.rows(min(self.rows, n_rows), n_rows, self.n_bytes)
            return answer

        return reporting


@frozen(eq=False)
class TableParts:
    """All parts of a table: `encode` makes each of a raw part, in each scan anew or once where other machines keep it.

    `n_rows` is the number of rows with a weight above 0. Others are left out: their values must not move thresholds.
    """

    table: Foldable
    n_rows: int
    encode: Callable[[Any], Part] = field(default=identity, repr=False)
    progress: ScanProgress | None = field(default=None, repr=False)

    def fold(self, function: Callable[[Part], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results of a function for all parts, merged.

        Raises a ValueError if the number of rows is not that of the survey.
        """
        parts = self._kept or self
        function = function if self.progress is None else self.progress.of_scan(function, self.n_rows)
        answer: Answer
        answer, found = parts.table.fold(partial(_counted, parts.encode, function), partial(_merged, merge))
        if found != self.n_rows:
            raise ValueError(f"source must have the same rows each time, got {found:,} after {self.n_rows:,} in the survey.")
        return answer

    @cached_property
    def _kept(self) -> "TableParts | None":
        """The parts as other machines keep them, if there are such machines and the parts are not kept already."""
        return None if self.encode is identity else self.kept(identity)

    def kept(self, encode: Callable[[Part], Part]) -> "TableParts | None":
        """The parts in another code, which other machines make once and keep; None if no machine can."""
        table = self.table.kept(compose(encode, self.encode), self.n_rows) if isinstance(self.table, KeepsParts) else None
        return None if table is None else TableParts(table, self.n_rows)

    def recoded(self, encode: Callable[[Part], Part]) -> "TableParts":
        """The parts in another code, which is made anew in each scan."""
        return evolve(self, encode=compose(encode, self.encode))

    def watched(self, line: Progress) -> "TableParts":
        """The parts that report to a progress line what is read, if it is read in this process."""
        here = getattr(self.table, "in_this_process", False)
        return evolve(self, progress=ScanProgress(line)) if here else self

    def in_order(self) -> Iterator[Part]:
        """The parts with all rows, one after another. Raises a TypeError for a table that is not read in batches."""
        if not isinstance(self.table, Batches):
            raise TypeError(f"source must be a table that is read in batches, got {type_of(self.table)}.")
        return map(self.encode, self.table.ahead())


def part_with_weight(part: Part) -> Part:
    """A part without its rows of weight 0."""
    return part if part.weights is None or part.weights.all() else part.take(part.weights > 0)


def _counted(encode: Callable[[Any], Part], function: Callable[[Part], Any], raw: Any) -> tuple[Any, int]:
    """The result for a raw part, and its number of rows."""
    part = part_with_weight(encode(raw))
    return function(part), len(part)


def _merged(merge: Callable[[Any, Any], Any], one: tuple[Any, int], other: tuple[Any, int]) -> tuple[Any, int]:
    """Results merged, and numbers of rows added."""
    return merge(one[0], other[0]), one[1] + other[1]


@runtime_checkable
class CountedParts(Protocol):
    """Parts of a table, and the findings about the table as a whole: a source, or `InChannels`."""

    @property
    def summary(self) -> SourceSummary:
        """The findings of one scan of all rows."""
        ...

    def fold(self, function: Callable[[Part], Any], merge: Callable[[Any, Any], Any], /) -> Any:
        """The results of a function for all parts, merged; the function can be pickled, and the order is arbitrary."""
        ...


def check_same_counts(parts: Array, whole: Array) -> None:
    """Raise a ValueError if counts of parts do not add up to those of an earlier scan.

    >>> check_same_counts(np.array([3, 1]), np.array([3, 2]))
    Traceback (most recent call last):
    ValueError: source must have the same rows each time, got other counts than in an earlier scan. Write it to a file first.
    """
    if not np.array_equal(parts, whole):
        remedy = "Write it to a file first."
        raise ValueError(f"source must have the same rows each time, got other counts than in an earlier scan. {remedy}")


def require_source(source: Any) -> None:
    """Raise a TypeError for anything that is not a source.

    >>> require_source(3)
    Traceback (most recent call last):
    TypeError: source must be a Source, got an int. Make one with survey, or with source_of for a Dataset.
    """
    if not isinstance(source, CountedParts):
        raise TypeError(f"source must be a Source, got {type_of(source)}. Make one with survey, or with source_of for a Dataset.")
