"""A part of a table, encoded as numbers, and the findings about the table as a whole; rows of a part as a dataset.

A `Reading` encodes a raw part as a survey has determined it: values as numbers in the schema, numbers as bins. Clusters keep and
send a part as a `PackedPart`.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Array, Floats, missing_as_last, read_only
from ftree._lib.messages import short_repr
from ftree.data.changes import with_none
from ftree.data.coding import encode, smallest_integers
from ftree.data.columns import read_column, read_labels
from ftree.data.dataset import Dataset
from ftree.data.table import MAX_TOTAL_WEIGHT, row_weights
from ftree.data.values import as_column, missing_among
from ftree.scan.bins import Bins
from ftree.scan.folding import RawPart
from ftree.tree.response import Counts, numbers
from ftree.tree.schema import Feature, Schema

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


@frozen(eq=False)
class Reading:
    """The encoding of raw parts: the target's column, that of weights or None, the missing values, the findings of the scan."""

    target: str
    weights: str | None
    is_missing: missing_among = field(repr=False)
    summary: SourceSummary

    def __call__(self, raw: RawPart) -> Part:
        """A raw part as codes. Raises a ValueError for a class that the survey has not found."""
        summary = self.summary
        classes = Feature(self.target, "nominal", summary.schema.classes)
        labels = encode(classes, read_labels(self.target, raw[self.target]), self.is_missing)
        if (labels < 0).any():
            remedy = "Survey the source again."
            message = f"The target {short_repr(self.target)} must have the classes of the survey, got another one. {remedy}"
            raise ValueError(message)
        weights = None if self.weights is None else whole_weights(raw, self.weights)
        columns = (encode(feature, read_named(raw, feature.name), self.is_missing) for feature in summary.schema.features)
        codes, numbers = encoded_cells(columns, len(labels), summary)
        self._check_values(codes, weights)
        return Part(codes, numbers, labels.astype(summary.label_type), weights)

    def _check_values(self, codes: Array, weights: Array | None) -> None:
        """Raise a ValueError for a missing or another value in a feature in which the survey has found none."""
        for number, n_codes in enumerate(self.summary.n_codes.tolist()):
            if number in self.summary.gaps or codes[number].max(initial=0) < n_codes:
                continue
            if weights is None or (weights[codes[number] == n_codes] > 0).any():
                name = self.summary.schema.features[number].name
                remedy = "Survey the source again."
                message = (
                    f"The column {short_repr(name)} must have the values of the survey, got a missing or another one. {remedy}"
                )
                raise ValueError(message)


def encoded_cells(columns: Iterable[Array], n: int, summary: SourceSummary) -> tuple[Array, Floats]:
    """The codes (F, n) and numbers (F', n) of a part, given each feature's column as datasets have it.

    One column after another is encoded, so that only one is in memory in another form.
    """
    codes = np.empty((len(summary.bins), n), dtype=summary.code_type)
    numbers = np.empty((sum(bins is not None for bins in summary.bins), n))
    each = zip(columns, summary.n_codes.tolist(), summary.bins, summary.numeric.tolist(), strict=True)
    for feature, (column, n_codes, bins, row) in enumerate(each):
        if bins is None:
            codes[feature] = missing_as_last(column, n_codes)
        else:
            numbers[row] = column
            codes[feature] = bins.codes(numbers[row])
    return codes, numbers


def read_named(raw: RawPart, name: str) -> Any:
    """A column of a raw part, in a form that the coding of tables reads."""
    return read_column(as_column(name, raw[name]))


def whole_weights(raw: RawPart, name: str) -> Array:
    """A column of weights. Raises a ValueError unless they are whole numbers from 0, of any type of number."""
    weights = np.asarray(row_weights(raw[name]))
    parted = weights[weights != np.floor(weights)]
    if len(parted):
        raise ValueError(f"The weights {short_repr(name)} of a source must be whole numbers from 0, got {parted[0]}.")
    return weights.astype(np.int64)


def check_total(n_cases: int) -> None:
    """Raise a ValueError unless the weights of all rows sum to a number that floats represent exactly."""
    if not 0 < n_cases < MAX_TOTAL_WEIGHT:
        raise ValueError(f"weights must sum to a number from 1 to 2**53, so that counts are exact, got a sum of {n_cases}.")


# If more than this share of the numbers is not 0, all are kept, since a place takes half as much as a number.
_FEW = 0.25


@frozen(eq=False)
class PackedPart:
    """A part whose codes take the fewest bytes, without its numbers if few are not 0: `some` has their shape, places, values."""

    part: Part
    kind: np.dtype[Any]
    some: tuple[tuple[int, ...], Array, Floats] | None

    def unpacked(self) -> Part:
        """The part as it was."""
        part = evolve(self.part, codes=self.part.codes.astype(self.kind, copy=False))
        if self.some is None:
            return part
        shape, places, values = self.some
        numbers = np.zeros(shape)
        numbers.ravel()[places] = values
        return evolve(part, numbers=numbers)


def packed(part: Part) -> PackedPart:
    """A part in less memory.

    >>> one = packed(Part(np.array([[0, 1]], dtype=np.uint16), np.zeros((1, 2)), np.array([0, 1])))
    >>> one.part.codes.dtype.name, one.part.numbers.shape, one.unpacked().codes.dtype.name, one.unpacked().numbers.shape
    ('uint8', (0, 2), 'uint16', (1, 2))
    """
    small: Array = part.codes.astype(np.uint8) if part.codes.max(initial=0) < 2**8 else part.codes
    places = np.flatnonzero(part.numbers)
    if len(places) > _FEW * part.numbers.size:
        return PackedPart(evolve(part, codes=small), part.codes.dtype, None)
    short = places.astype(np.uint32) if part.numbers.size < 2**32 else places
    some = part.numbers.shape, short, part.numbers.ravel()[places]
    return PackedPart(evolve(part, codes=small, numbers=part.numbers[:0]), part.codes.dtype, some)
