"""Parts of a table that need not be in memory, the findings about the whole, and its bins.

Growth needs only sums over rows, such as class counts. So parts need one method: `fold` calls a function for
each part, and merges the results. It keeps no state, and parts may be on other machines.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from attrs import Factory, evolve, field, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats, offsets, read_only
from ftree._lib.messages import type_of
from ftree.data.changes import with_none
from ftree.data.dataset import Dataset
from ftree.tree.nodes import Counts
from ftree.tree.response import numbers
from ftree.tree.schema import Schema

Answer = TypeVar("Answer")
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


def _of_one_float(edges: Floats) -> Array:
    """Which bins can contain no float but their upper edge."""
    below = np.append(-np.inf, edges[:-1]) if len(edges) else edges
    return np.append(_next(below, np.inf) == edges, False)


def _next(numbers: Floats, towards: float) -> Floats:
    """The next float after each number; an infinity follows the largest float, which is no error here."""
    with np.errstate(over="ignore"):
        return np.nextafter(numbers, towards)


@frozen(eq=False)
class Bins:
    """Ranges of numbers: bin i has the numbers above `edges[i - 1]` and up to `edges[i]`; the last has those above all edges.

    `single` marks the bins in which the data have no number but the upper edge. Their values are known without a scan of rows.
    The last bin is marked if the data have no number above all edges. `shares` (n,) are those of a sample, None if unknown, and
    `error` is that of their sums.

    >>> bins = Bins(np.array([1.0, 2.0]))
    >>> bins.codes(np.array([0.5, 1.0, 1.5, 9.0, np.nan])).tolist(), bins.n, bins.upper.tolist()
    ([0, 0, 1, 2, 3], 3, [1.0, 2.0, inf])
    """

    edges: Floats
    single: Array = field(default=Factory(lambda self: _of_one_float(self.edges), takes_self=True))
    shares: Floats | None = None
    error: float = 0.0

    def __repr__(self) -> str:
        """The number of bins."""
        return f"<Bins, {self.n} of them>"

    @property
    def n(self) -> int:
        """Number of bins; it is also the code of missing values."""
        return len(self.edges) + 1

    @property
    def upper(self) -> Floats:
        """The upper edge of each bin, (n,)."""
        return np.append(self.edges, np.inf)

    @property
    def exact(self) -> bool:
        """Whether the bin of each number in the data determines the number."""
        return bool(self.single.all())

    def codes(self, numbers: Floats) -> Array:
        """The bin of each number, and `n` for NaN."""
        if len(numbers) >= max(_MANY, len(self.edges)) and native.is_here():
            return _native_codes(self.edges, numbers)
        # NaN sorts above every number, and would otherwise be in the last bin.
        return np.where(np.isnan(numbers), self.n, np.searchsorted(self.edges, numbers))


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


class PartFold(Protocol):
    """Parts of a table, wherever they are; `in_this_process = True` declares that `fold` reads them in this process."""

    def fold(self, function: Callable[[Part], Answer], merge: Callable[[Answer, Answer], Answer], /) -> Answer:
        """The results of a function for all parts, merged; the function can be pickled, and the order is arbitrary."""
        ...


@runtime_checkable
class RecodedParts(PartFold, Protocol):
    """Parts whose machines can keep them in another code."""

    def encoded(self, encode: Callable[[Part], Part], /) -> PartFold | None:
        """The parts in another code, which other machines keep; None if they cannot."""
        ...


@runtime_checkable
class CountedParts(PartFold, Protocol):
    """Parts of a table, and the findings about the table as a whole."""

    @property
    def summary(self) -> SourceSummary:
        """The findings of one scan of all rows."""
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


# From this many numbers on, and as many as edges, the native library is faster: it makes cells for each edge first.
_MANY = 5000
_CELLS_PER_BIN = 8


def _native_codes(edges: Floats, numbers: Floats) -> Array:
    low, high = (float(edges[0]), float(edges[-1])) if len(edges) else (0.0, 0.0)
    guide, codes = np.empty(_CELLS_PER_BIN * (len(edges) + 1) + 1, dtype=np.int32), np.empty(len(numbers), dtype=np.int32)
    scale = (len(guide) - 1) / (high - low) if np.isfinite(high - low) and high > low else 0.0
    native.call("bin_codes", np.ascontiguousarray(numbers), np.ascontiguousarray(edges), low, scale, guide, codes)
    return codes


def bins_of_sample(sample: Floats, most: int, *, whole: bool = False, error: float = 0.0) -> Bins:
    """At most `most` bins with about as many numbers of a sample each; a frequent number has a bin of its own.

    `whole` says that the sample has every number of the data; then each number has its own bin if there are few. `error` is that
    of the sample's shares.

    >>> bins_of_sample(np.array([1.0, 1.0, 2.0, 3.0]), 9, whole=True).single.tolist()
    [True, True, True, True]
    """
    values, counts = np.unique(sample[~np.isnan(sample)], return_counts=True)
    if whole and len(values) < most:
        return Bins(values, np.ones(len(values) + 1, dtype=bool))
    if 2 * len(values) < most:  # a bin for a single number takes two edges
        return _with_shares(_with_own_bins(values, values), values, counts, error)
    # At most a third of the edges is for numbers with a bin of their own, which takes two.
    upto = np.cumsum(counts)
    frequent = values[counts * (most // 3) >= upto[-1]]
    shares = np.searchsorted(upto, np.linspace(0, upto[-1], most - 2 * len(frequent) + 1)[1:-1])
    return _with_shares(_with_own_bins(np.unique(values[shares]), frequent), values, counts, error)


def _with_shares(edges: Floats, values: Floats, counts: Array, error: float) -> Bins:
    own = np.bincount(np.searchsorted(edges, values), counts, len(edges) + 1)
    return Bins(edges, shares=own / max(counts.sum(), 1), error=error)


def _with_own_bins(edges: Floats, numbers: Floats) -> Floats:
    """The edges, and two more around each of the numbers, so that its bin has that number only."""
    return np.unique(np.concatenate([edges, numbers, _next(numbers, -np.inf)]))


@frozen(eq=False)
class CellLayout:
    """The positions of each feature's cells in a node's row of counts: from `first` (F + 1,) on.

    A cell has 2 ** `shift` (F,) codes, and the last cell of a feature is for missing values. `n_codes` (F,) and
    `numeric` (F,) are those of the source.
    """

    n_codes: Array
    numeric: Array
    shift: Array
    first: Array

    @staticmethod
    def of(n_codes: Array, numeric: Array, most: int) -> "CellLayout":
        """Cells for a source, at most `most` for a numeric feature in addition to that of missing values."""
        needed = np.ceil(np.log2(np.maximum(n_codes, 1) / most)).astype(np.int64)
        shift = np.where(numeric >= 0, np.maximum(needed, 0), 0)
        sizes = ((np.maximum(n_codes, 1) - 1) >> shift) + 2
        return CellLayout(n_codes, numeric, shift, offsets(sizes))

    @property
    def width(self) -> int:
        """Number of cells of a node."""
        return int(self.first[-1])

    def cells(self, codes: Array, feature: int) -> Array:
        """The cell of each code of a feature."""
        cells: Array = np.where(
            codes == self.n_codes[feature], self.first[feature + 1] - 1, self.first[feature] + (codes >> self.shift[feature])
        )
        return cells
