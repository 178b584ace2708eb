"""The statistics of a column of raw parts, which a survey sums; and the feature, bins and doubt that follow from them."""

from collections import Counter
from collections.abc import Collection, Hashable
from typing import Any, NamedTuple

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Array, Floats, run_starts
from ftree._lib.messages import short_repr
from ftree.data.coding import encode, floats, time_kind
from ftree.data.columns import Encoded, is_number_array, is_time_array, known_counts, read_column
from ftree.data.doubts import Doubt, numeric_doubt
from ftree.data.frames import ROW_NAMES
from ftree.data.kinds import KindChoice, column_kind, with_times
from ftree.data.values import missing_among
from ftree.scan.bins import Bins, Sample, bins_of_sample
from ftree.tree.formats import TimeKind
from ftree.tree.schema import Feature

# A part gives this many numbers for each bin to the sample, within limits.
_PER_BIN, _LEAST_SAMPLE, _MOST_SAMPLE = 8, 10_000, 100_000
# Up to this many distinct numbers are kept individually.
_FEW = 4096


@frozen(eq=False, kw_only=True)
class ColumnStatistics:
    """The findings about some rows of a column.

    `counts` has the known values of a column that is not an array of numbers. Of numbers, there is a `sample`, `few` has all
    distinct ones if there are few, else None, `ends` the two lowest and the highest, and `times` the kinds of time, None for
    plain numbers. `ranges` has the lowest of a part's numbers, the highest, and how many are distinct, (parts, 3), of a column
    that may name the rows. `categories` are those of a category type, with its order.
    """

    has_missing: bool
    counts: Counter[Hashable] = field(factory=Counter)
    categories: tuple[Hashable, ...] = ()
    ordered: bool | None = None
    times: frozenset[TimeKind | None] = frozenset()
    sample: Sample = field(factory=Sample)
    few: Floats | None = field(factory=lambda: np.zeros(0))
    ends: Floats = field(factory=lambda: np.zeros(0))
    ranges: Floats = field(factory=lambda: np.zeros((0, 3)))

    def merged(self, other: "ColumnStatistics") -> "ColumnStatistics":
        """The findings about the rows of both."""
        few = None if self.few is None or other.few is None else np.union1d(self.few, other.few)
        return ColumnStatistics(
            has_missing=self.has_missing or other.has_missing,
            counts=self.counts + other.counts,
            categories=tuple(dict.fromkeys((*self.categories, *other.categories))),
            ordered=self.ordered if other.ordered is None else other.ordered,
            times=self.times | other.times,
            sample=self.sample.merged(other.sample),
            few=None if few is None or len(few) > _FEW else few,
            ends=_ends(np.union1d(self.ends, other.ends)),
            ranges=np.concatenate([self.ranges, other.ranges]),
        )

    def names_rows(self, n: int) -> bool:
        """Whether each of n rows has a value of its own; of more than a few numbers, only if no ranges of parts overlap."""
        known: Collection[Any] | Floats | None = self.counts or self.few
        if known is not None:
            return len(known) == n
        lowest, highest, n_distinct = self.ranges[self.ranges[:, 0].argsort()].T
        return bool(n_distinct.sum() == n and (highest[:-1] < lowest[1:]).all())


def sample_size(bins: int) -> int:
    """How many numbers of a column a part gives to the sample, at most, of which so many bins are made."""
    return min(max(_PER_BIN * bins, _LEAST_SAMPLE), _MOST_SAMPLE)


def statistics_of_column(
    name: str, values: Any, wanted: KindChoice, is_missing: missing_among, counted: Array | None = None, most: int = _MOST_SAMPLE
) -> ColumnStatistics:
    """The findings about a part of a column; `counted` (n,) is False for rows of weight 0, whose missing values are ignored.

    The sample of numbers has at most `most`.

    >>> statistics_of_column("x", np.array([1.0, np.nan, 1.0]), None, missing_among([])).few.tolist()
    [1.0]
    """
    if wanted == "numeric" or (wanted is None and (is_number_array(values) or is_time_array(values))):
        numbers = floats(name, values, is_missing).astype(np.float64, copy=False)
        missing = bool(np.isnan(numbers if counted is None else numbers[counted]).any())
        if wanted is None and is_number_array(values) and np.isnan(numbers).all():
            return ColumnStatistics(has_missing=missing)  # no type, as in `column_kind`
        return _of_numbers(name, numbers, time_kind(values, numbers), has_missing=missing, most=most)
    return _of_values(name, values, is_missing, counted)


def _of_numbers(name: str, numbers: Floats, time: TimeKind | None, *, has_missing: bool, most: int) -> ColumnStatistics:
    """The findings about numbers, of which the sample has at most `most`."""
    known = np.sort(numbers[~np.isnan(numbers)])
    sample, distinct = Sample.of(known, most), known[run_starts(known)]
    may_name = name == ROW_NAMES and len(distinct)
    return ColumnStatistics(
        has_missing=has_missing,
        times=frozenset({time}),
        sample=sample,
        few=distinct if len(distinct) <= _FEW else None,
        ends=_ends(distinct),
        ranges=np.array([[distinct[0], distinct[-1], len(distinct)]]) if may_name else np.zeros((0, 3)),
    )


def _of_values(name: str, values: Any, is_missing: missing_among, counted: Array | None) -> ColumnStatistics:
    """The findings about a column that is not an array of numbers."""
    counts = known_counts(name, values, is_missing)
    is_category = isinstance(values, Encoded) and values.ordered is not None
    categories = tuple(value for value in values.values if not is_missing(value)) if is_category else ()
    missing = sum(counts.values()) < len(values)
    if missing and counted is not None:
        missing = bool((encode(Feature(name, "nominal", list(counts)), values, is_missing)[counted] < 0).any())
    ordered = values.ordered if is_category else None
    return ColumnStatistics(has_missing=missing, counts=Counter(counts), categories=categories, ordered=ordered)


def _ends(distinct: Floats) -> Floats:
    """The two lowest of distinct numbers in order, and the highest."""
    return np.append(distinct[:2], distinct[2:][-1:])


class SurveyedColumn(NamedTuple):
    """What a survey knows of a column: its feature, bins if it is numeric, and a doubt about its kind."""

    feature: Feature
    bins: Bins | None
    doubt: Doubt | None


def surveyed_column(
    name: str, summary: ColumnStatistics, wanted: KindChoice, is_missing: missing_among, most_bins: int, n_rows: int
) -> SurveyedColumn:
    """The feature, bins and doubt of a column, which may number `n_rows`.

    Raises a ValueError for a column that has numbers in some parts, and other values in others.
    """
    if summary.times and not summary.counts:
        return _surveyed_numbers(name, summary, wanted, most_bins, n_rows)
    if summary.times:
        raise ValueError(
            f"The column {short_repr(name)} must have one type, got numbers in some parts and other values in others."
        )
    decided = column_kind(name, _distinct_values(summary, wanted, is_missing), wanted, is_missing)
    if decided.feature.kind != "numeric":  # whose doubt is about the rows of each value
        return SurveyedColumn(decided.feature, None, evolve(decided, counts=decided.counts and summary.counts).doubt)
    known = read_column(list(summary.counts))
    numbers = floats(name, known, is_missing).astype(np.float64)
    # Each number stands here for any number of rows.
    feature, bins = evolve(decided.feature, time=time_kind(known, numbers)), bins_of_sample(numbers, most_bins, error=1.0)
    return SurveyedColumn(feature, bins, _numeric_doubt(name, wanted, np.unique(numbers), n_rows))


def _surveyed_numbers(name: str, summary: ColumnStatistics, wanted: KindChoice, most_bins: int, n_rows: int) -> SurveyedColumn:
    """`surveyed_column`, where each part was an array of numbers: all distinct numbers are known if they are few."""
    # A part whose times are all midnights counts as dates.
    times: list[TimeKind] = [time for time in summary.times if time is not None]
    time = min(times, key=lambda time: (time == "date", time), default=None)
    few, sample = summary.few, summary.sample
    if few is not None and len(few) < most_bins:
        bins = bins_of_sample(few, most_bins, whole=True)
    else:
        bins = bins_of_sample(sample.numbers, most_bins, error=sample.error)
    doubt = _numeric_doubt(name, wanted, summary.ends if few is None else few, n_rows)
    return SurveyedColumn(Feature(name, "numeric", time=time), bins, doubt)


def _distinct_values(summary: ColumnStatistics, wanted: KindChoice, is_missing: missing_among) -> Any:
    """A column of each distinct value once: those of a category type in its order, also without a row; else those that occur."""
    values = list(dict.fromkeys([*summary.categories, *summary.counts]))
    if summary.ordered is not None:
        return Encoded(np.arange(len(values)), values, summary.ordered)
    column = read_column(values)
    return with_times(column, is_missing) if wanted is None else column


def _numeric_doubt(name: str, wanted: KindChoice, numbers: Floats, n_rows: int) -> Doubt | None:
    """A doubt about a feature with distinct numbers, or their ends, none of which number rows, if its kind is inferred."""
    inferred = wanted is None and len(numbers)
    return numeric_doubt(name, numbers, may_number_rows=len(numbers) == n_rows) if inferred else None
