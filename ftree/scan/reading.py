"""One look at all rows: the kinds and values of the features, the classes, what is missing, and a sample for bins."""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import define, field, frozen

from ftree._lib.arrays import Array, Floats, missing_cells
from ftree._lib.fields import require_whole_number
from ftree.data.coding import classes_of, encode_all
from ftree.data.encoded import Encoded
from ftree.data.floats import floats
from ftree.data.kinds import KindChoice, column_kind, known_counts
from ftree.data.missing_values import MISSING_WORDS, missing_among
from ftree.data.series import read_column
from ftree.data.table import kind_of_each, read_labels, target_name
from ftree.data.times import time_kind
from ftree.data.values import as_column, is_number_array, is_time_array
from ftree.scan.batches import Batches, batches_of
from ftree.scan.bins import Bins, bins_of_sample
from ftree.scan.source import Part, SourceSummary
from ftree.tree.schema import Feature, Schema

# A sample for bins has at most twice as many numbers. Up to so many distinct numbers are noted one by one.
_SAMPLE, _FEW = 200_000, 4096


@frozen(eq=False)
class Reading:
    """How batches of a table are read: its batches, the target's column, the weights' column or None, what is missing."""

    batches: Batches
    target: str
    weights: str | None
    is_missing: missing_among
    summary: SourceSummary

    def part(self, batch: Mapping[str, Any]) -> Part:
        """A batch as codes. Raises a ValueError for a class or a weight that was not there in the survey."""
        schema, bins = self.summary.schema, self.summary.bins
        columns = [_read(feature.name, batch[feature.name]) for feature in schema.features]
        cells = encode_all(schema.features, columns, self.is_missing)
        labels = encode_all(
            [Feature(self.target, "nominal", schema.classes)], [read_labels(self.target, batch[self.target])], self.is_missing
        )[0]
        if (labels < 0).any():
            message = f"The target {self.target!r} must have the classes of the survey, got another one. Survey the source again."
            raise ValueError(message)
        codes = [codes_of(column, n, own) for column, n, own in zip(cells, self.summary.n_codes, bins, strict=True)]
        numbers = [column for column, own in zip(cells, bins, strict=True) if own is not None]
        n = len(labels)
        weights = None if self.weights is None else _weights(batch[self.weights])
        return Part(
            np.array(codes, dtype=self.summary.code_type).reshape(-1, n),
            np.array(numbers, dtype=np.float64).reshape(-1, n),
            labels.astype(self.summary.label_type),
            weights,
        )


def codes_of(column: Array, n_codes: int, bins: Bins | None) -> Array:
    """A column's codes: the number of a value or a bin, and `n_codes` where it is missing."""
    return np.where(missing_cells(column), n_codes, column) if bins is None else bins.codes(column.astype(np.float64))


def survey(
    source: Any,
    target: str | int = -1,
    *,
    features: Sequence[str] | None = None,
    kinds: "str | Mapping[str, KindChoice] | None" = None,
    classes: Sequence[Hashable] | None = None,
    missing: Collection[Hashable] = MISSING_WORDS,
    weights: str | None = None,
    bins: int = 4096,
) -> Reading:
    """What one look at all rows of a source finds; options as in `Dataset.from_frame`. Any number of `bins` gives the same tree.

    Raises what `Dataset.from_frame` raises, and a ValueError for weights that are not whole numbers.
    """
    require_whole_number("bins", bins, 2, most=60_000)
    batches = source if isinstance(source, Batches) else batches_of(source)
    name, is_missing = target_name(target, batches.names), missing_among(missing)
    used = tuple(features or (each for each in batches.names if each not in (name, weights)))
    kind_of = kind_of_each(kinds, used, name)
    found = {feature: _Column(feature, kind_of[feature], is_missing, bins) for feature in used}
    labels: Counter[Hashable] = Counter()
    n_rows = 0
    for batch in batches.read():
        own_weights = None if weights is None else _weights(batch[weights])
        counted = _label_counts(name, batch[name], own_weights, is_missing)
        labels.update(counted)
        n_rows += len(batch[name])
        for feature, column in found.items():
            column.look_at(_read(feature, batch[feature]))
    if not n_rows:
        message = "source must have a row, got none."
        raise ValueError(message)
    decided = [column.decided() for column in found.values()]
    ordered = classes_of(name, list(labels), is_missing, classes)
    schema = Schema([feature for feature, _ in decided], name, ordered)
    gaps = frozenset(number for number, column in enumerate(found.values()) if column.has_gaps)
    summary = SourceSummary(schema, tuple(labels[label] for label in ordered), gaps, tuple(own for _, own in decided), n_rows)
    return Reading(batches, name, weights, is_missing, summary)


@define(eq=False)
class _Column:
    """What is known of a column after some batches."""

    name: str
    wanted: Any
    is_missing: missing_among
    most_bins: int
    numeric: bool = True
    has_gaps: bool = False
    times: set[Any] = field(factory=set)
    counts: "Counter[Hashable]" = field(factory=Counter)
    ordered: Any = None
    sample: list[Floats] = field(factory=list)
    step: int = 1
    few: Floats | None = field(factory=lambda: np.zeros(0))

    def look_at(self, values: Any) -> None:
        """Note a batch's values."""
        if self.wanted == "numeric" or (self.wanted is None and (is_number_array(values) or is_time_array(values))):
            self._look_at_numbers(values)
            return
        self.numeric = False
        known = known_counts(self.name, values, self.is_missing)
        self.counts.update(known)
        self.has_gaps |= sum(known.values()) < len(values)
        if isinstance(values, Encoded) and values.ordered is not None:
            self.ordered = values

    def _look_at_numbers(self, values: Any) -> None:
        numbers = floats(self.name, values, self.is_missing).astype(np.float64, copy=False)
        self.times.add(time_kind(values, numbers))
        self.has_gaps |= bool(np.isnan(numbers).any())
        piece = numbers[:: self.step]
        self.sample.append(piece.copy())
        if self.few is not None:
            known = np.union1d(self.few, piece[:_FEW])
            known = np.union1d(known, numbers) if len(known) <= _FEW else known
            known = known[~np.isnan(known)]
            self.few = known if len(known) <= min(_FEW, self.most_bins - 1) else None
        if sum(map(len, self.sample)) > 2 * _SAMPLE:
            self.sample, self.step = [np.concatenate(self.sample)[::2]], self.step * 2

    def decided(self) -> tuple[Feature, Bins | None]:
        """The feature, and its bins if it is numeric."""
        if self.numeric and self.sample:
            # A batch whose times are all midnights is one of dates.
            midnights = "date" if "date" in self.times else None
            feature = Feature(self.name, "numeric", time=max(self.times - {None, "date"}, default=midnights))
            if self.few is not None:
                return feature, bins_of_sample(self.few, self.most_bins, whole=True)
            return feature, bins_of_sample(np.concatenate(self.sample), self.most_bins)
        values = list(self.counts)
        column = (
            values
            if self.ordered is None
            else Encoded(np.arange(len(values)), _in_order(self.ordered, values), self.ordered.ordered)
        )
        feature = column_kind(self.name, column, self.wanted, self.is_missing).feature
        if feature.kind != "numeric":
            return feature, None
        return feature, bins_of_sample(floats(self.name, values, self.is_missing).astype(np.float64), self.most_bins)


def _in_order(categories: Encoded, values: Iterable[Hashable]) -> list[Hashable]:
    """All categories in order, also those without a row."""
    return [*categories.values, *(value for value in values if value not in set(categories.values))]


def _read(name: str, values: Any) -> Any:
    return read_column(as_column(name, values))


def _label_counts(target: str, values: Any, weights: Array | None, is_missing: missing_among) -> Mapping[Hashable, int]:
    column = read_labels(target, values)
    counts = known_counts(target, column, is_missing)
    if sum(counts.values()) < len(column):
        message = f"The target {target!r} must have a label in every row, got none in some. Leave such rows out."
        raise ValueError(message)
    if weights is None:
        return counts
    order = list(counts)
    codes = encode_all([Feature(target, "nominal", order)], [column], is_missing)[0]
    return dict(zip(order, np.bincount(codes, weights, len(order)).astype(np.int64).tolist(), strict=True))


def _weights(values: Any) -> Array:
    weights = np.asarray(_read("weights", values))
    if weights.dtype.kind not in "iu" or (weights < 0).any():
        message = "weights of a source must be whole numbers from 0, got others."
        raise ValueError(message)
    return weights.astype(np.int64)
