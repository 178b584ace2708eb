"""One scan of all rows of a table in raw parts: the findings about each column, and the cases of each class."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from ftree._lib.messages import short_repr
from ftree.data.coding import encode
from ftree.data.kinds import KindChoice, known_counts
from ftree.data.missing_values import missing_among
from ftree.data.table import feature_names, read_labels
from ftree.scan.bins import Bins
from ftree.scan.column_look import ColumnLook, look_at
from ftree.scan.parts import SourceSummary
from ftree.scan.reading import RawPart, read_named, whole_weights
from ftree.tree.schema import Feature, Schema, unknown_name


@frozen(eq=False)
class TableLook:
    """The findings about some rows: each column, the cases of each class, the number of rows."""

    columns: tuple[ColumnLook, ...]
    labels: Counter[Hashable]
    n_rows: int

    def merged(self, other: "TableLook") -> "TableLook":
        """The findings about the rows of both."""
        columns = tuple(one.merged(two) for one, two in zip(self.columns, other.columns, strict=True))
        labels = Counter(self.labels)
        labels.update(other.labels)
        return TableLook(columns, labels, self.n_rows + other.n_rows)

    def summary(self, schema: Schema, bins: Sequence[Bins | None]) -> SourceSummary:
        """The summary of a source, given the features and bins decided for the columns."""
        gaps = frozenset(number for number, column in enumerate(self.columns) if column.has_gaps)
        return SourceSummary(schema, tuple(self.labels[label] for label in schema.classes), gaps, tuple(bins), self.n_rows)


@frozen(eq=False)
class LookAt:
    """A function that scans a raw part."""

    target: str
    features: tuple[str, ...]
    kinds: Mapping[str, KindChoice]
    is_missing: missing_among
    weights: str | None
    n_sample: int

    def __call__(self, raw: RawPart) -> TableLook:
        """The findings about the part. Raises a ValueError for a row without a label."""
        counted = None if self.weights is None else whole_weights(raw, self.weights) > 0
        cells = ((name, read_named(raw, name), self.kinds[name]) for name in self.features)
        columns = tuple(look_at(name, values, kind, self.is_missing, counted, self.n_sample) for name, values, kind in cells)
        labels = read_labels(self.target, raw[self.target])
        n_rows = len(labels) if counted is None else int(counted.sum())
        return TableLook(columns, self._cases(labels, raw), n_rows)

    def _cases(self, labels: Any, raw: RawPart) -> Counter[Hashable]:
        counts = known_counts(self.target, labels, self.is_missing)
        if sum(counts.values()) < len(labels):
            message = f"The target {self.target!r} must have a label in every row, got none in some. Omit such rows."
            raise ValueError(message)
        if self.weights is None:
            return Counter(counts)
        order = list(counts)
        codes = encode(Feature(self.target, "nominal", order), labels, self.is_missing)
        sums = np.bincount(codes, whole_weights(raw, self.weights), len(order)).astype(np.int64).tolist()
        return Counter(dict(zip(order, sums, strict=True)))


def used_columns(names: tuple[str, ...], target: str, features: Any, weights: Any) -> tuple[str, ...]:
    """The names of the features. Raises a KeyError for a column that does not exist, and an error for an invalid name."""
    if not (weights is None or isinstance(weights, str)):
        message = f"weights must be the name of a column, got {short_repr(weights)}."
        raise TypeError(message)
    if weights == target:
        message = f"weights must not be the target's column, got {weights!r}."
        raise ValueError(message)
    own = (target, weights)
    used = tuple(each for each in names if each not in own) if features is None else tuple(feature_names(features))
    for wanted in (*used, *(each for each in own if each is not None)):
        if wanted not in names:
            raise KeyError(unknown_name(wanted, names))
    return used
