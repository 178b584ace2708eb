"""How raw parts of a table become codes: one look at all rows decides, and each part is then encoded in the same way."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array, missing_cells
from ftree._lib.fields import require_whole_number
from ftree._lib.messages import short_repr
from ftree.data.coding import classes_of, encode, encode_all
from ftree.data.kinds import KindChoice, known_counts
from ftree.data.missing_values import MISSING_WORDS, missing_among
from ftree.data.series import read_column
from ftree.data.table import MAX_TOTAL_WEIGHT, feature_names, kind_of_each, read_labels, target_name
from ftree.data.values import as_column
from ftree.scan.bins import Bins
from ftree.scan.column_look import ColumnLook, decided, look_at
from ftree.scan.parts import Part, SourceSummary
from ftree.tree.schema import Feature, Schema, unknown_name

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
    is_missing: missing_among = field(repr=False)
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


def rows_with_weight(part: Part) -> Part:
    """A part without its rows of weight 0, between whose values a threshold must not lie."""
    if part.weights is None or part.weights.all():
        return part
    rows = part.weights > 0
    return Part(part.codes[:, rows], part.numbers[:, rows], part.labels[rows], part.weights[rows])


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
    used = _used_columns(table.names, name, features, weights)
    kind_of = kind_of_each(kinds, used, name)
    look = table.fold(_LookAt(name, used, kind_of, is_missing, weights), _TableLook.merged)
    _check_total(look.labels.total())
    found = [decided(each, column, kind_of[each], is_missing, bins) for each, column in zip(used, look.columns, strict=True)]
    ordered = classes_of(name, list(look.labels), is_missing, classes)
    gaps = frozenset(number for number, column in enumerate(look.columns) if column.has_gaps)
    schema = Schema([feature for feature, _ in found], name, ordered)
    counts = tuple(look.labels[label] for label in ordered)
    return Reading(name, weights, is_missing, SourceSummary(schema, counts, gaps, tuple(own for _, own in found), look.n_rows))


def _used_columns(names: tuple[str, ...], target: str, features: Any, weights: Any) -> tuple[str, ...]:
    """The names of the features. Raises a KeyError for a column that there is not, and an error for what is no name."""
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


def _check_total(n_cases: int) -> None:
    if not 0 < n_cases < MAX_TOTAL_WEIGHT:
        message = f"weights must sum to a number from 1 to 2**53, so that counts are exact, got a sum of {n_cases}."
        raise ValueError(message)


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
        n_rows = len(labels) if self.weights is None else int((whole_weights(raw, self.weights) > 0).sum())
        return _TableLook(columns, self._cases(labels, raw), n_rows)

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
    column = read_named(raw, name)
    weights = np.asarray(column)
    if weights.dtype.kind not in "iu" or np.ma.getmaskarray(column).any() or (weights < 0).any():
        message = f"The weights {name!r} of a source must be whole numbers from 0, got others."
        raise ValueError(message)
    if (weights >= MAX_TOTAL_WEIGHT).any():
        _check_total(int(weights.max()))
    return weights.astype(np.int64)
