"""The findings of one scan of a column in some of its rows; findings of several parts can be merged."""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Array, Floats, run_starts
from ftree.data.coding import encode
from ftree.data.encoded import Encoded
from ftree.data.floats import floats
from ftree.data.kinds import KindChoice, column_kind, known_counts
from ftree.data.missing_values import missing_among
from ftree.data.times import time_kind
from ftree.data.values import is_number_array, is_time_array
from ftree.scan.bins import Bins, bins_of_sample
from ftree.scan.samples import Sample
from ftree.tree.schema import Feature
from ftree.tree.times import TimeKind

# A part gives this many numbers for each bin to the sample, within limits.
_PER_BIN, _LEAST, _MOST = 8, 10_000, 100_000
# Up to this many distinct numbers are kept individually.
_FEW = 4096


@frozen(eq=False)
class ColumnLook:
    """The findings about some rows of a column.

    `counts` has the known values of a column that is not an array of numbers. Of numbers, there is a `sample`, `few` has all
    distinct ones if there are few, else None, and `times` the kinds of time. `categories` are those of a category type, with its
    order.
    """

    has_gaps: bool
    counts: Counter[Hashable] = field(factory=Counter)
    categories: tuple[Hashable, ...] = ()
    ordered: bool | None = None
    times: frozenset[TimeKind | None] = frozenset()
    sample: Sample = field(factory=Sample)
    few: Floats | None = field(factory=lambda: np.zeros(0))

    @property
    def is_numeric(self) -> bool:
        """Whether the column was an array of numbers or times."""
        return bool(self.times)

    def merged(self, other: "ColumnLook") -> "ColumnLook":
        """The findings about the rows of both."""
        few = None if self.few is None or other.few is None else np.union1d(self.few, other.few)
        return ColumnLook(
            self.has_gaps or other.has_gaps,
            self.counts + other.counts,
            (*self.categories, *(value for value in other.categories if value not in self.categories)),
            self.ordered if other.ordered is None else other.ordered,
            self.times | other.times,
            self.sample.merged(other.sample),
            None if few is None or len(few) > _FEW else few,
        )


def sample_size(bins: int) -> int:
    """The numbers that a part gives to the sample for bins, at most.

    >>> sample_size(255), sample_size(4096), sample_size(60_000)
    (10000, 32768, 100000)
    """
    return min(max(_PER_BIN * bins, _LEAST), _MOST)


def look_at(
    name: str, values: Any, wanted: KindChoice, is_missing: missing_among, counted: Array | None = None, most: int = _MOST
) -> ColumnLook:
    """The findings about a part of a column; `counted` (n,) is False for rows of weight 0, whose missing values are ignored.

    The sample of numbers has at most `most`.

    >>> look_at("x", np.array([1.0, np.nan, 1.0]), None, missing_among([])).few.tolist()
    [1.0]
    """
    if wanted == "numeric" or (wanted is None and (is_number_array(values) or is_time_array(values))):
        numbers = floats(name, values, is_missing).astype(np.float64, copy=False)
        known = np.sort(numbers[~np.isnan(numbers)])
        gaps = len(known) < len(numbers) if counted is None else bool(np.isnan(numbers[counted]).any())
        sample = Sample.of(known, most)
        return ColumnLook(gaps, times=frozenset({time_kind(values, numbers)}), sample=sample, few=_few(known))
    counts = known_counts(name, values, is_missing)
    is_category = isinstance(values, Encoded) and values.ordered is not None
    categories = tuple(value for value in values.values if not is_missing(value)) if is_category else ()
    gaps = sum(counts.values()) < len(values)
    if gaps and counted is not None:
        gaps = bool((encode(Feature(name, "nominal", list(counts)), values, is_missing)[counted] < 0).any())
    return ColumnLook(gaps, Counter(counts), categories, values.ordered if is_category else None)


def _few(ordered: Floats) -> Floats | None:
    """The distinct numbers, None if there are many."""
    starts = run_starts(ordered)
    return ordered[starts] if len(starts) <= _FEW else None


def decided(
    name: str, look: ColumnLook, wanted: KindChoice, is_missing: missing_among, most_bins: int
) -> tuple[Feature, Bins | None]:
    """The feature of a column, and its bins if it is numeric.

    Raises a ValueError for a column that has numbers in some parts, and other values in others.
    """
    if look.is_numeric and not look.counts:
        # A part whose times are all midnights counts as dates.
        times: list[TimeKind] = [time for time in look.times if time is not None]
        time = min(times, key=lambda time: (time == "date", time), default=None)
        feature = Feature(name, "numeric", time=time)
        if look.few is not None and len(look.few) < most_bins:
            return feature, bins_of_sample(look.few, most_bins, whole=True)
        return feature, bins_of_sample(look.sample.numbers, most_bins, error=look.sample.error)
    if look.is_numeric:
        message = f"The column {name!r} must have one type, got numbers in some parts and other values in others."
        raise ValueError(message)
    values = _values_in_order(look)
    column: Any = values if look.ordered is None else Encoded(np.arange(len(values)), values, look.ordered)
    feature = column_kind(name, column, wanted, is_missing).feature
    if feature.kind != "numeric":
        return feature, None
    known = list(look.counts)
    numbers = floats(name, known, is_missing).astype(np.float64)
    # Each number stands here for any number of rows.
    return evolve(feature, time=time_kind(known, numbers)), bins_of_sample(numbers, most_bins, error=1.0)


def _values_in_order(look: ColumnLook) -> Sequence[Hashable]:
    """The values of a category type in its order, including those without a row; else the values that occur."""
    return [*look.categories, *(value for value in look.counts if value not in set(look.categories))]
