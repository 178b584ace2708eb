"""Raw parts of a table: the statistics of their columns, which a survey sums, and their encoding as it has determined."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Array, Floats, missing_as_last, run_starts
from ftree._lib.messages import short_repr
from ftree.data.coding import encode, floats, time_kind
from ftree.data.columns import Encoded, is_number_array, is_time_array, known_counts, read_column, read_labels
from ftree.data.frames import feature_names
from ftree.data.kinds import KindChoice, column_kind, with_times
from ftree.data.table import MAX_TOTAL_WEIGHT
from ftree.data.values import as_column, missing_among
from ftree.scan.batches import RawPart
from ftree.scan.bins import Bins, Sample, bins_of_sample
from ftree.scan.parts import Part, SourceSummary
from ftree.tree.formats import TimeKind
from ftree.tree.schema import Feature, unknown_name

# Statistics


@frozen(eq=False)
class ColumnStatistics:
    """The findings about some rows of a column.

    `counts` has the known values of a column that is not an array of numbers. Of numbers, there is a `sample`, `few` has all
    distinct ones if there are few, else None, and `times` the kinds of time, None for plain numbers. `categories` are those of
    a category type, with its order.
    """

    has_gaps: bool
    counts: Counter[Hashable] = field(factory=Counter)
    categories: tuple[Hashable, ...] = ()
    ordered: bool | None = None
    times: frozenset[TimeKind | None] = frozenset()
    sample: Sample = field(factory=Sample)
    few: Floats | None = field(factory=lambda: np.zeros(0))

    def merged(self, other: "ColumnStatistics") -> "ColumnStatistics":
        """The findings about the rows of both."""
        few = None if self.few is None or other.few is None else np.union1d(self.few, other.few)
        return ColumnStatistics(
            self.has_gaps or other.has_gaps,
            self.counts + other.counts,
            (*self.categories, *(value for value in other.categories if value not in self.categories)),
            self.ordered if other.ordered is None else other.ordered,
            self.times | other.times,
            self.sample.merged(other.sample),
            None if few is None or len(few) > _FEW else few,
        )


@frozen(eq=False)
class TableStatistics:
    """The findings about some rows: each column, the cases of each class, the number of rows."""

    columns: tuple[ColumnStatistics, ...]
    labels: Counter[Hashable]
    n_rows: int

    def merged(self, other: "TableStatistics") -> "TableStatistics":
        """The findings about the rows of both."""
        columns = tuple(one.merged(two) for one, two in zip(self.columns, other.columns, strict=True))
        labels = Counter(self.labels)
        labels.update(other.labels)
        return TableStatistics(columns, labels, self.n_rows + other.n_rows)


@frozen(eq=False)
class SummariseRows:
    """A function that scans a raw part."""

    target: str
    features: tuple[str, ...]
    kinds: Mapping[str, KindChoice]
    is_missing: missing_among
    weights: str | None
    n_sample: int

    def __call__(self, raw: RawPart) -> TableStatistics:
        """The findings about the part. Raises a ValueError for a row without a label."""
        weights = None if self.weights is None else whole_weights(raw, self.weights)
        counted = None if weights is None else weights > 0
        cells = ((name, read_named(raw, name), self.kinds[name]) for name in self.features)
        columns = tuple(
            statistics_of_column(name, values, kind, self.is_missing, counted, self.n_sample) for name, values, kind in cells
        )
        labels = read_labels(self.target, raw[self.target])
        n_rows = len(labels) if counted is None else int(counted.sum())
        return TableStatistics(columns, self._cases(labels, weights), n_rows)

    def _cases(self, labels: Any, weights: Array | None) -> Counter[Hashable]:
        counts = known_counts(self.target, labels, self.is_missing)
        if sum(counts.values()) < len(labels):
            raise ValueError(
                f"The target {short_repr(self.target)} must have a label in every row, got none in some. Omit such rows."
            )
        if weights is None:
            return Counter(counts)
        order = list(counts)
        codes = encode(Feature(self.target, "nominal", order), labels, self.is_missing)
        sums = np.bincount(codes, weights, len(order)).astype(np.int64).tolist()
        return Counter(dict(zip(order, sums, strict=True)))


def used_columns(names: tuple[str, ...], target: str, features: Any, weights: Any) -> tuple[str, ...]:
    """The names of the features. Raises a KeyError for a column that does not exist, and an error for an invalid name."""
    if not (weights is None or isinstance(weights, str)):
        raise TypeError(f"weights must be the name of a column, got {short_repr(weights)}.")
    if weights == target:
        raise ValueError(f"weights must not be the target's column, got {weights!r}.")
    own = (target, weights)
    used = tuple(each for each in names if each not in own) if features is None else tuple(feature_names(features))
    for wanted in (*used, *(each for each in own if each is not None)):
        if wanted not in names:
            raise KeyError(unknown_name(wanted, names))
    return used


# A part gives this many numbers for each bin to the sample, within limits.
PER_BIN, LEAST_SAMPLE, MOST_SAMPLE = 8, 10_000, 100_000
# Up to this many distinct numbers are kept individually.
_FEW = 4096


def statistics_of_column(
    name: str, values: Any, wanted: KindChoice, is_missing: missing_among, counted: Array | None = None, most: int = MOST_SAMPLE
) -> ColumnStatistics:
    """The findings about a part of a column; `counted` (n,) is False for rows of weight 0, whose missing values are ignored.

    The sample of numbers has at most `most`.

    >>> statistics_of_column("x", np.array([1.0, np.nan, 1.0]), None, missing_among([])).few.tolist()
    [1.0]
    """
    if wanted == "numeric" or (wanted is None and (is_number_array(values) or is_time_array(values))):
        numbers = floats(name, values, is_missing).astype(np.float64, copy=False)
        known = np.sort(numbers[~np.isnan(numbers)])
        gaps = len(known) < len(numbers) if counted is None else bool(np.isnan(numbers[counted]).any())
        if wanted is None and is_number_array(values) and not len(known):
            return ColumnStatistics(gaps)  # no type, as in `column_kind`
        sample = Sample.of(known, most)
        return ColumnStatistics(gaps, times=frozenset({time_kind(values, numbers)}), sample=sample, few=_few(known))
    counts = known_counts(name, values, is_missing)
    is_category = isinstance(values, Encoded) and values.ordered is not None
    categories = tuple(value for value in values.values if not is_missing(value)) if is_category else ()
    gaps = sum(counts.values()) < len(values)
    if gaps and counted is not None:
        gaps = bool((encode(Feature(name, "nominal", list(counts)), values, is_missing)[counted] < 0).any())
    return ColumnStatistics(gaps, Counter(counts), categories, values.ordered if is_category else None)


def _few(ordered: Floats) -> Floats | None:
    """The distinct numbers, None if there are many."""
    starts = run_starts(ordered)
    return ordered[starts] if len(starts) <= _FEW else None


def feature_and_bins(
    name: str, summary: ColumnStatistics, wanted: KindChoice, is_missing: missing_among, most_bins: int
) -> tuple[Feature, Bins | None]:
    """The feature of a column, and its bins if it is numeric.

    Raises a ValueError for a column that has numbers in some parts, and other values in others.
    """
    if summary.times and not summary.counts:
        # A part whose times are all midnights counts as dates.
        times: list[TimeKind] = [time for time in summary.times if time is not None]
        time = min(times, key=lambda time: (time == "date", time), default=None)
        feature = Feature(name, "numeric", time=time)
        if summary.few is not None and len(summary.few) < most_bins:
            return feature, bins_of_sample(summary.few, most_bins, whole=True)
        return feature, bins_of_sample(summary.sample.numbers, most_bins, error=summary.sample.error)
    if summary.times:
        raise ValueError(
            f"The column {short_repr(name)} must have one type, got numbers in some parts and other values in others."
        )
    # The values of a category type in its order, including those without a row; else the values that occur.
    values = list(dict.fromkeys([*summary.categories, *summary.counts]))
    column = read_column(values)
    column = with_times(column, is_missing) if wanted is None else column
    column = column if summary.ordered is None else Encoded(np.arange(len(values)), values, summary.ordered)
    feature = column_kind(name, column, wanted, is_missing).feature
    if feature.kind != "numeric":
        return feature, None
    known = read_column(list(summary.counts))
    numbers = floats(name, known, is_missing).astype(np.float64)
    # Each number stands here for any number of rows.
    return evolve(feature, time=time_kind(known, numbers)), bins_of_sample(numbers, most_bins, error=1.0)


# Encoding


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
    """A column of weights. Raises a ValueError unless they are whole numbers from 0."""
    column = read_named(raw, name)
    weights = np.asarray(column)
    if weights.dtype.kind not in "iu" or np.ma.getmaskarray(column).any() or (weights < 0).any():
        raise ValueError(f"The weights {short_repr(name)} of a source must be whole numbers from 0, got other numbers.")
    if (weights >= MAX_TOTAL_WEIGHT).any():
        check_total(int(weights.max()))
    return weights.astype(np.int64)


def check_total(n_cases: int) -> None:
    """Raise a ValueError unless the weights of all rows sum to a number that floats represent exactly."""
    if not 0 < n_cases < MAX_TOTAL_WEIGHT:
        raise ValueError(f"weights must sum to a number from 1 to 2**53, so that counts are exact, got a sum of {n_cases}.")
