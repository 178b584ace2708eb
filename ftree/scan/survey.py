"""The survey of a table: one scan, which finds kinds, values, classes, missing values, and the bins of numbers."""

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array
from ftree._lib.fields import require_whole_number
from ftree._lib.messages import short_repr, warn_of
from ftree.data.coding import encode
from ftree.data.columns import known_counts, read_labels
from ftree.data.doubts import Doubt
from ftree.data.frames import ROW_NAMES, doubt_of_row_names, feature_names, may_be_row_names, target_name
from ftree.data.kinds import KindChoice, Kinds
from ftree.data.table import MAX_TOTAL_WEIGHT, doubt_of_target, kind_of_each
from ftree.data.targets import ResponseChoice, coded_target
from ftree.data.values import MISSING_WORDS, missing_among
from ftree.scan.batches import batches_of
from ftree.scan.bins import Bins
from ftree.scan.column_statistics import ColumnStatistics, SurveyedColumn, sample_size, statistics_of_column, surveyed_column
from ftree.scan.folding import RawPart, RawTable
from ftree.scan.parts import SourceSummary
from ftree.scan.reading import Reading, read_named, whole_weights
from ftree.scan.source import Source
from ftree.scan.table_parts import TableParts
from ftree.tree.response import Counts, numbers
from ftree.tree.schema import Feature, Schema, unknown_name


def survey(
    table: Any,
    target: str | int = -1,
    *,
    features: Sequence[str] | None = None,
    kinds: "str | Mapping[str, KindChoice] | None" = None,
    classes: Sequence[Hashable] | None = None,
    missing: Collection[Hashable] = MISSING_WORDS,
    weights: str | None = None,
    response: ResponseChoice = None,
    bins: int = 4096,
) -> Source:
    """A source to grow from, after one scan of all rows of a table that need not fit in memory; options as in `from_frame`.

    A table is a path or a glob of Parquet files, a relation of DuckDB, anything that gives Arrow streams repeatedly, or
    another table in parts, such as `ftree.scan.dask_table`. Any number of `bins` gives the same tree.

    Of a target of numbers, the survey keeps each distinct one.

    Warns of columns in doubt as `from_frame` does, but a survey does not know whether what a column tells of the target is
    chance, nor whether more than 4,096 numbers number the rows; in a column without a name, which is left out, it knows this if
    they rise or fall from part to part.

    Raises the errors of `Dataset.from_frame`, and a ValueError for weights that are not whole numbers.

    >>> import pyarrow as pa
    >>> from ftree import grow
    >>> grow(survey(pa.table({"size": [1.5, 2.5, 3.5], "class": ["a", "a", "b"]})))
    <Tree for 'class': 3 nodes, 2 leaves>
    """
    require_whole_number("bins", bins, 2, most=60_000)
    raw: RawTable = table if hasattr(table, "fold") and hasattr(table, "names") else batches_of(table)
    name, is_missing = target_name(target, raw.names), missing_among(missing)
    used = used_columns(raw.names, name, features, weights)
    scan = SummariseRows(name, used, kind_of_each(kinds, used, name), is_missing, weights, sample_size(bins))
    found = raw.fold(scan, TableStatistics.merged)
    _check_total(found.labels.total())
    used, found, row_names = _without_row_names(used, found, kinds) if features is None else (used, found, None)
    names = zip(used, found.columns, strict=True)
    n_numbered = found.n_given if len(used) > 1 else 0  # row numbers alone are a feature
    columns = [surveyed_column(each, column, scan.kinds[each], is_missing, bins, n_numbered) for each, column in names]
    summary = _summary(scan, found, columns, classes, response)
    of_target = doubt_of_target(summary.schema_of_trees, np.array(summary.schema.classes), found.n_given, response)
    warn_of([row_names, *(each.doubt for each in columns), of_target if classes is None else None])
    return Source(summary, TableParts(raw, found.n_rows, Reading(name, weights, is_missing, _without_shares(summary))))


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


@frozen(eq=False)
class TableStatistics:
    """The findings about some rows: each column, the cases of each class, the number of rows.

    `n_rows` have a weight above 0; `n_given` are all.
    """

    columns: tuple[ColumnStatistics, ...]
    labels: Counter[Hashable]
    n_rows: int
    n_given: int

    def merged(self, other: "TableStatistics") -> "TableStatistics":
        """The findings about the rows of both."""
        columns = tuple(one.merged(two) for one, two in zip(self.columns, other.columns, strict=True))
        labels = Counter(self.labels)
        labels.update(other.labels)
        return TableStatistics(columns, labels, self.n_rows + other.n_rows, self.n_given + other.n_given)


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
        return TableStatistics(columns, self._cases(labels, weights), n_rows, len(labels))

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


def _check_total(n_cases: int) -> None:
    """Raise a ValueError unless the weights of all rows sum to a number that floats represent exactly."""
    if not 0 < n_cases < MAX_TOTAL_WEIGHT:
        raise ValueError(f"weights must sum to a number from 1 to 2**53, so that counts are exact, got a sum of {n_cases}.")


def _without_row_names(
    used: tuple[str, ...], found: TableStatistics, kinds: Kinds
) -> tuple[tuple[str, ...], TableStatistics, Doubt | None]:
    """The features, and the findings, without a column that has the names of rows, and the doubt about it if there is one."""
    place = used.index(ROW_NAMES) if may_be_row_names(used, kinds) else None
    if place is None or not found.columns[place].names_rows(found.n_given):
        return used, found, None
    columns = found.columns[:place] + found.columns[place + 1 :]
    return used[:place] + used[place + 1 :], evolve(found, columns=columns), doubt_of_row_names()


def _summary(
    scan: SummariseRows,
    found: TableStatistics,
    columns: Sequence[SurveyedColumn],
    classes: Sequence[Hashable] | None,
    choice: ResponseChoice,
) -> SourceSummary:
    """What the findings of a scan say of the whole table."""
    answers, cases, response = _answers(scan.target, found.labels, scan.is_missing, classes, choice)
    # A sample of rows shows nothing of the ranks of cases.
    bins = [own if scan.weights is None or own is None else evolve(own, error=1.0) for own in (each.bins for each in columns)]
    return SourceSummary(
        schema=Schema([each.feature for each in columns], scan.target, answers),
        class_counts=cases,
        gaps=frozenset(number for number, column in enumerate(found.columns) if column.has_missing),
        bins=tuple(bins),
        n_rows=found.n_rows,
        response=response,
    )


def _without_shares(summary: SourceSummary) -> SourceSummary:
    """The summary as other machines need it: with the bins, and without the shares of the sample."""
    return evolve(summary, bins=tuple(None if own is None else Bins(own.edges, own.single) for own in summary.bins))


def _answers(
    name: str, labels: Counter[Hashable], is_missing: missing_among, classes: Sequence[Hashable] | None, choice: ResponseChoice
) -> tuple[tuple[Hashable, ...], Counts, numbers | None]:
    """The classes, or the distinct numbers of a target of numbers, in order; the cases of each; and the response of numbers."""
    listed, cases = list(labels), np.array(list(labels.values()))
    chosen = numbers if choice == "numbers" else choice
    if not (chosen in (None, "classes", numbers) or isinstance(chosen, numbers)):
        got = f"got {short_repr(choice)}. None decides by the labels."
        raise ValueError(f"response must be 'numbers', 'classes' or None for a table in parts, {got}")
    ordered, response, answers = coded_target(name, listed, is_missing, classes, chosen, ())
    if response is None:
        return ordered, tuple(labels[label] for label in ordered), None
    if np.array(listed).dtype.kind not in "iuf":
        raise ValueError(f"The target {short_repr(name)} must be numeric for regression, got {short_repr(listed[0])}.")
    distinct, place = np.unique(answers, return_inverse=True)
    return tuple(distinct.tolist()), tuple(np.bincount(place, cases).astype(np.int64).tolist()), cast("numbers", response)
