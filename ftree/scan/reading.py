"""How raw parts of a table become codes: one look at all rows decides, and each part is then encoded in the same way."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, missing_cells
from ftree._lib.fields import require_whole_number
from ftree.data.coding import classes_of, encode, encode_all
from ftree.data.kinds import KindChoice, known_counts
from ftree.data.missing_values import MISSING_WORDS, missing_among
from ftree.data.series import read_column
from ftree.data.table import kind_of_each, read_labels, target_name
from ftree.data.values import as_column
from ftree.scan.bins import Bins
from ftree.scan.column_look import ColumnLook, decided, look_at
from ftree.scan.parts import Part, SourceSummary
from ftree.tree.schema import Feature, Schema

Answer = TypeVar("Answer")
# A raw part: columns by name, of any library.
RawPart = Mapping[str, Any]


class RawTable(Protocol):
    """A table in raw parts, wherever these are."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns."""
        ...

    def fold(self, function: Callable[[RawPart], Answer], merge: Callable[[Answer, Answer], Answer], /) -> Answer:
        """The answers of a function for all parts, merged; both can be pickled. A ValueError for a table without a row."""
        ...


@frozen(eq=False)
class Reading:
    """How raw parts are encoded: the target's column, that of the weights or None, what is missing, what the look has found."""

    target: str
    weights: str | None
    is_missing: missing_among
    summary: SourceSummary

    def __call__(self, raw: RawPart) -> Part:
        """A raw part as codes. Raises a ValueError for a class that the first look has not found."""
        summary = self.summary
        features = summary.schema.features
        cells = encode_all(features, [read_named(raw, feature.name) for feature in features], self.is_missing)
        classes = Feature(self.target, "nominal", summary.schema.classes)
        labels = encode(classes, read_labels(self.target, raw[self.target]), self.is_missing)
        if (labels < 0).any():
            message = f"The target {self.target!r} must have the classes of the survey, got another one. Survey the source again."
            raise ValueError(message)
        codes = [codes_of(column, n, own) for column, n, own in zip(cells, summary.n_codes, summary.bins, strict=True)]
        numbers = [column for column, own in zip(cells, summary.bins, strict=True) if own is not None]
        return Part(
            np.array(codes, dtype=summary.code_type).reshape(-1, len(labels)),
            np.array(numbers, dtype=np.float64).reshape(-1, len(labels)),
            labels.astype(summary.label_type),
            None if self.weights is None else whole_weights(raw, self.weights),
        )


def codes_of(column: Array, n_codes: int, bins: Bins | None) -> Array:
    """A column's codes: the number of a value or a bin, and `n_codes` where it is missing."""
    return np.where(missing_cells(column), n_codes, column) if bins is None else bins.codes(column.astype(np.float64))


def look_over(
    table: RawTable,
    target: str | int = -1,
    *,
    features: Sequence[str] | None = None,
    kinds: "str | Mapping[str, KindChoice] | None" = None,
    classes: Sequence[Hashable] | None = None,
    missing: Collection[Hashable] = MISSING_WORDS,
    weights: str | None = None,
    bins: int = 4096,
) -> Reading:
    """What one look at all rows of a table finds, as `survey` explains."""
    require_whole_number("bins", bins, 2, most=60_000)
    name, is_missing = target_name(target, table.names), missing_among(missing)
    used = tuple(features or (each for each in table.names if each not in (name, weights)))
    kind_of = kind_of_each(kinds, used, name)
    look = table.fold(_LookAt(name, used, kind_of, is_missing, weights), _TableLook.merged)
    found = [decided(each, column, kind_of[each], is_missing, bins) for each, column in zip(used, look.columns, strict=True)]
    ordered = classes_of(name, list(look.labels), is_missing, classes)
    gaps = frozenset(number for number, column in enumerate(look.columns) if column.has_gaps)
    schema = Schema([feature for feature, _ in found], name, ordered)
    counts = tuple(look.labels[label] for label in ordered)
    return Reading(name, weights, is_missing, SourceSummary(schema, counts, gaps, tuple(own for _, own in found), look.n_rows))


@frozen(eq=False)
class _TableLook:
    """What is known of some rows: each column, the cases of each class, the number of rows."""

    columns: tuple[ColumnLook, ...]
    labels: Counter[Hashable]
    n_rows: int

    def merged(self, other: "_TableLook") -> "_TableLook":
        columns = tuple(one.merged(two) for one, two in zip(self.columns, other.columns, strict=True))
        labels = Counter(self.labels)
        labels.update(other.labels)
        return _TableLook(columns, labels, self.n_rows + other.n_rows)


@frozen(eq=False)
class _LookAt:
    """A look at a raw part."""

    target: str
    features: tuple[str, ...]
    kinds: Mapping[str, KindChoice]
    is_missing: missing_among
    weights: str | None

    def __call__(self, raw: RawPart) -> _TableLook:
        columns = tuple(look_at(name, read_named(raw, name), self.kinds[name], self.is_missing) for name in self.features)
        labels = read_labels(self.target, raw[self.target])
        return _TableLook(columns, self._cases(labels, raw), len(labels))

    def _cases(self, labels: Any, raw: RawPart) -> Counter[Hashable]:
        counts = known_counts(self.target, labels, self.is_missing)
        if sum(counts.values()) < len(labels):
            message = f"The target {self.target!r} must have a label in every row, got none in some. Leave such rows out."
            raise ValueError(message)
        if self.weights is None:
            return Counter(counts)
        order = list(counts)
        codes = encode(Feature(self.target, "nominal", order), labels, self.is_missing)
        sums = np.bincount(codes, whole_weights(raw, self.weights), len(order)).astype(np.int64).tolist()
        return Counter(dict(zip(order, sums, strict=True)))


def read_named(raw: RawPart, name: str) -> Any:
    """A column of a raw part, in a form that the coding of tables reads."""
    return read_column(as_column(name, raw[name]))


def whole_weights(raw: RawPart, name: str) -> Array:
    """A column of weights. Raises a ValueError unless they are whole numbers from 0."""
    weights = np.asarray(read_named(raw, name))
    if weights.dtype.kind not in "iu" or (weights < 0).any():
        message = f"The weights {name!r} of a source must be whole numbers from 0, got others."
        raise ValueError(message)
    return weights.astype(np.int64)
