"""A part of a table, encoded as numbers, and the findings about the table as a whole; rows of a part as a dataset."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Array, Floats, read_only
from ftree.data.changes import with_none
from ftree.data.coding import smallest_integers
from ftree.data.dataset import Dataset
from ftree.scan.bins import Bins
from ftree.tree.response import Counts, numbers
from ftree.tree.schema import Schema

# The codes that the native library reads.
_CODES = np.uint16, np.uint32


@frozen(eq=False)
class Part:
    """Some rows of a table, encoded: codes (F, n), the numbers of numeric features (F', n), class codes (n,), weights (n,).

    Invariant: a code is the value's number in the schema, or a number's bin; the missing value has the code after the last one.
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


def part_with_weight(part: Part) -> Part:
    """A part without its rows of weight 0."""
    return part if part.weights is None or part.weights.all() else part.take(part.weights > 0)


@frozen(eq=False, kw_only=True)
class SourceSummary:
    """The findings of one scan of all rows: the schema, class counts, features with missing values, and bins of numeric ones.

    `gaps` are numbers of features, as those of `Dataset.gaps`. `bins` has None for features with listed values. `n_rows` is the
    number of rows with a weight above 0. For a target of numbers with a `response`, the classes of `schema` are its distinct
    numbers in order.

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
