"""The rows of the compiled engine: where a table's entries stand while a tree grows, in sorted and coded columns.

At the root, a column of few values becomes codes, one of many sorted keys. A kernel identifies a value by its code, or, in a
sorted feature, by the position of a key in its row, or by a row of the table that has it; this file converts such numbers to
values.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from attrs import define, frozen

from ftree._lib.arrays import Array, midpoint, run_starts, times_and_fractions
from ftree._lib.machine import ThreadPool, has_room, require_memory
from ftree.criteria.impurity_kernels import NO_ENTRY
from ftree.data.dataset import Dataset
from ftree.growth.engines.engine import Criterion, MissingRows, SurrogateSearch, unit_of
from ftree.growth.kernels.records import (
    ABSENT,
    BACKED,
    EMPTY,
    END,
    EXACT,
    FLAGS,
    N_OPTIONS,
    NOMINAL,
    NONE,
    PLACE,
    START,
    SUBSET,
    THRESHOLD,
    VALUES_AT,
    WAY,
    CriterionTables,
    EntryArrays,
    FeatureColumns,
    whole_table,
)
from ftree.growth.kernels.records import FEW as _FEW
from ftree.growth.kernels.sorted_cuts import key_type
from ftree.growth.kernels.stored_columns import few_values, put_codes, sort_column
from ftree.growth.split_arrays import Cuts
from ftree.tree.schema import Feature

# Tables of n log2 n have up to this many rows; for more rows, each logarithm is computed.
_TABLE = 2**24
# Tables for up to this many rows are cached, longer than needed, so that several growths share them; others are too large.
_SHARED = 2**17
# Bytes of a number of 64 bits, or of two of 32.
_WORD = 8
# The least classes with which subsets are divided in every way: with two, divisions mirror each other.
_MANY_CLASSES = 3
_NOTHING = np.zeros(0)


@frozen(eq=False)
class Fixed:
    """The constants of a growth: values, the criterion, the columns, tables, threads.

    `values` has those of a coded feature by code, NaN last, those of a sorted one by row: its column. `options` (F, 7) are those
    of the features' splitters; `in_order` numbers the features that are kept sorted, `coded` those kept as codes; of the former,
    `cuts` have thresholds that may be found in one pass, `runs` other splits. `shift` is the number of bits of a key below the
    entry's number.
    Entries without an answer go to the heaviest child if `heaviest`, else a share of each to every child, in multiples of
    `unit`. `known` are all values of all features, if surrogates are searched.
    """

    values: tuple[Array, ...]
    criterion: Criterion
    n_classes: int
    missing: MissingRows
    options: Array
    in_order: Array
    cuts: Array
    runs: Array
    cuts_and_runs: Array
    coded: Array
    shift: int
    measure: CriterionTables
    heaviest: bool
    unit: float
    threads: ThreadPool
    surrogates: SurrogateSearch | None
    known: Array


@define(eq=False)
class Spare:
    """Room to move columns into: a block of codes; for each thread the number of a row of keys."""

    codes: Array
    rows: list[int]


@frozen(eq=False)
class OpenRows:
    """The entries of the open nodes; those of node j are from `nodes[START, j]` to `nodes[END, j]` in every column.

    `features` (6, F), `nodes` (4, m) and the arrays of `entries` are as `kernels.records` describes them; `totals` (m, K) are the
    nodes' class counts; `divisible` (F, m), if known, marks coded features that may have several values in a node.
    """

    fixed: Fixed
    features: Array
    entries: EntryArrays
    nodes: Array
    totals: Array
    spare: Spare
    divisible: Array | None = None

    @property
    def sizes(self) -> Array:
        """The number of entries of each open node."""
        sizes: Array = self.nodes[END] - self.nodes[START]
        return sizes

    @property
    def in_one_pass(self) -> bool:
        """Whether thresholds of sorted features are found in one pass, for which rows that are counted need a table."""
        return self.fixed.measure.fast and (len(self.entries.weights) > 0 or len(self.fixed.measure.table) > 0)

    @cached_property
    def columns(self) -> FeatureColumns:
        """The features as kernels take them."""
        fixed = self.fixed
        cuts, runs = (fixed.cuts, fixed.runs) if self.in_one_pass else (fixed.cuts[:0], fixed.cuts_and_runs)
        return FeatureColumns(self.features, fixed.options, cuts, runs, fixed.coded, fixed.shift)

    @property
    def measure(self) -> CriterionTables:
        """The measure of splits; for weighted rows without the table, so that logarithms are taken one by one."""
        measure = self.fixed.measure
        return measure._replace(table=measure.table[:0]) if len(self.entries.weights) else measure

    def counts(self, exact: Array) -> Array:
        """Class counts as the engine returns them: whole numbers if rows have no weights."""
        return exact if len(self.entries.weights) else exact.astype(np.int64)

    def values_of(self, feature: int, entries: slice) -> Array:
        """The values of a feature for a range of entries, as floats, NaN where missing."""
        values, place = self.fixed.values[feature], int(self.features[PLACE, feature])
        found: Array = values[self.entries.codes[entries, place] if place >= 0 else self.entries.rows[1, entries]]
        return found.astype(np.float64, copy=False) if found.dtype.kind == "f" else np.where(found < 0, np.nan, found)

    def cuts(self, kind: Array, feature: Array, sides: tuple[Array, Array], first: Array, listed: Array, lower: Array) -> Cuts:
        """Splits, given the numbers that identify the values on both sides of each threshold, and the values that others list."""
        thresholds, is_sorted = kind == THRESHOLD, self.features[PLACE] < 0
        at, codes = np.zeros(len(kind)), listed
        if thresholds.any():
            at = midpoint(*(self._values(feature, side, thresholds) for side in sides))
        if len(listed) and is_sorted.any():
            which = np.repeat(feature, np.diff(first))
            codes = self._values(which, listed, is_sorted[which]).astype(np.int64)
        return Cuts(kind.astype(np.int8), feature.astype(np.int32), at, first, codes, lower)

    def _values(self, features: Array, found: Array, wanted: Array) -> Array:
        """The wanted values, each of a feature, given the numbers that identify them; other numbers stay unchanged."""
        values = found.astype(np.float64)
        for feature, places in by_feature(features, wanted):
            values[places] = self.fixed.values[feature][found[places]]
        return values


def by_feature(features: Array, wanted: Array) -> Iterator[tuple[int, Array]]:
    """The wanted nodes of each feature."""
    nodes = np.flatnonzero(wanted)
    nodes = nodes[np.argsort(features[nodes], kind="stable")]
    starts = run_starts(features[nodes]).tolist()
    for start, end in pairwise([*starts, len(nodes)]):
        yield int(features[nodes[start]]), nodes[start:end]


def product(times: Array, fractions: Array) -> Array:
    """Weights of entries: whole row weights times shares of a row; empty if all are 1."""
    if len(times) and len(fractions):
        return times * fractions
    return times if len(times) else fractions


def rows_at_root(
    dataset: Dataset, missing: MissingRows, criterion: Criterion, threads: ThreadPool, surrogates: SurrogateSearch | None = None
) -> OpenRows:
    """All rows of positive weight in one node."""
    if dataset.weights is not None and not dataset.weights.all():
        dataset = dataset.take(dataset.weights > 0)
    n, n_classes = len(dataset), len(dataset.schema.classes)
    unit = unit_of(dataset)
    times, fractions = (
        _NOTHING if part is None else part.astype(np.float64) for part in times_and_fractions(dataset.weights, unit)
    )
    rows, weights = np.stack([dataset.target_column.astype(np.int32), np.arange(n, dtype=np.int32)]), product(times, fractions)
    options = np.zeros((len(criterion.ways), N_OPTIONS)) if criterion.options is None else criterion.options
    values, coded = _coded(dataset, options[:, EMPTY].tolist())
    in_order = np.array([f for f in range(len(values)) if f not in coded], np.int64)
    shift = max(n_classes - 1, 1).bit_length() + FLAGS
    _require_room(n, len(in_order), len(coded), shift, threads.n)
    features = _feature_table(dataset, values, coded, in_order, criterion.ways, surrogates)
    keys = _sorted_keys(values, in_order, rows[0], shift, threads)
    codes = _code_block(n, list(coded.values()), features[ABSENT, list(coded)])
    measure = _measure(criterion, n if n <= _TABLE and not len(weights) else None)
    totals = np.bincount(dataset.target_column, weights if len(weights) else None, n_classes)[None].astype(np.float64)
    known = _NOTHING if surrogates is None else _known_values(values, [*coded, *in_order.tolist()])
    fixed = Fixed(
        tuple(values), criterion, n_classes, missing, options, in_order, *_divided(in_order, criterion.ways, measure.fast),
        np.array(list(coded), np.int64), shift, measure, missing == "heaviest", unit, threads, surrogates, known,
    )  # fmt: skip
    nodes, spare = np.array([[0], [n], [1], [0]], np.int64), Spare(np.empty_like(codes), list(range(len(in_order), len(keys))))
    return OpenRows(fixed, features, EntryArrays(keys, codes, rows, times, fractions, weights), nodes, totals, spare)


def codes_all_nominal(features: Sequence[Feature]) -> bool:
    """Whether all nominal features are kept as codes, as the search for surrogates requires."""
    return all(feature.kind != "nominal" or len(feature.values) <= _FEW for feature in features)


def most_values(rows: OpenRows) -> tuple[int, int]:
    """The most values of a feature that is searched by its values, in any node, and one for missing ones; the most divisions.

    No node below has more: its entries are some of its parent's, or copies of them.
    """
    fixed, (way, absent, *_) = rows.fixed, rows.features
    most, runs = int(absent[fixed.coded].max(initial=0)), rows.columns.runs
    if len(runs):
        most = max(most, min(int(absent[runs].max()), int(rows.sizes.max(initial=0))))
    n_ways = most + 1
    if fixed.n_classes >= _MANY_CLASSES:
        exact = np.minimum(fixed.options[:, EXACT], absent)[way == SUBSET]
        n_ways = max(n_ways, 1 << int(exact.max(initial=0)))
    return most + 1, n_ways


def _divided(in_order: Array, ways: Array, fast: bool) -> tuple[Array, Array, Array]:  # noqa: FBT001  # a property of the measure
    """The sorted features with thresholds that may be found in one pass, those with other splits, and all of these."""
    way = ways[in_order]
    cuts = (way == THRESHOLD) & fast
    return in_order[cuts], in_order[~cuts & (way != NONE)], in_order[way != NONE]


def _known_values(values: Sequence[Array], order: Sequence[int]) -> Array:
    """All values of all features, one after another, NaN where missing."""
    listed = [values[f] for f in order]
    return np.concatenate([each if each.dtype.kind == "f" else np.where(each < 0, np.nan, each) for each in listed])


def _measure(criterion: Criterion, n: int | None) -> CriterionTables:
    """The criterion for kernels, with tables for n rows or, without a number or with factors, empty ones."""
    empty = np.zeros(0, np.int64), np.zeros(0, np.int64), np.inf, _NOTHING
    factors = _NOTHING if criterion.factors is None else criterion.factors.astype(np.float64)
    slack = np.nan if criterion.slack is None else float(criterion.slack)
    plain = criterion.slack is None and not len(factors) and (criterion.options is None or not criterion.options[:, :EXACT].any())
    whole, steps, unit, table = empty if n is None or len(factors) else _tables_for(n)
    unit = unit if criterion.code is None else np.inf  # gains in a user's impurity are not rounded to whole numbers
    own = NO_ENTRY if criterion.code is None else criterion.code.entry
    return CriterionTables(criterion.impurity, criterion.score, plain, slack, factors, whole, steps, unit, table, own)


def _tables_for(n: int) -> tuple[Array, Array, float, Array]:
    """Tables for n rows: small ones are cached and as long as the next power of two, so that many growths share them."""
    return _cached_tables(1 << n.bit_length()) if n <= _SHARED else _tables(n)


def _tables(n: int) -> tuple[Array, Array, float, Array]:
    """N log2 n up to n, as whole numbers of a unit, their differences, the unit, and as floats."""
    whole, unit = whole_table(n)
    return whole, np.diff(whole), unit, _n_log_n(n)


_cached_tables = lru_cache(maxsize=8)(_tables)


def _n_log_n(n: int) -> Array:
    numbers = np.arange(n + 1, dtype=np.float64)
    product: Array = numbers * np.log2(np.maximum(numbers, 1))
    return product


def _coded(dataset: Dataset, declared: Sequence[float]) -> tuple[list[Array], dict[int, Array]]:
    """Each feature's values, and the codes of features with few: for these, values by code and NaN last, else the column.

    A feature whose splits list all `declared` values always has codes, since only codes represent absent values.
    """
    values, codes = list(dataset.columns), dict[int, Array]()
    for f, (feature, column) in enumerate(zip(dataset.schema.features, dataset.columns, strict=True)):
        if feature.kind != "numeric":
            if declared[f] or len(feature.values) <= _FEW:
                values[f], codes[f] = _codes_and_none(len(feature.values)), column
        elif found := few_values(column, _FEW):
            values[f], codes[f] = np.append(found[0], np.nan), found[1]
    return values, codes


def _feature_table(
    dataset: Dataset,
    values: list[Array],
    coded: Collection[int],
    in_order: Array,
    ways: Array,
    surrogates: SurrogateSearch | None,
) -> Array:
    """The table of features; a missing value has the code after the last one, or, in a sorted feature, any larger number."""
    table, n, schema = np.zeros((6, len(values)), np.int64), len(dataset), dataset.schema.features
    known = [n if feature.kind == "numeric" else len(feature.values) for feature in schema]
    table[WAY], table[ABSENT] = ways, [len(values[f]) - 1 if f in coded else known[f] for f in range(len(known))]
    table[PLACE, in_order], table[PLACE, list(coded)] = -1 - np.arange(len(in_order)), np.arange(len(coded))
    if surrogates is not None:
        table[BACKED] = np.isin(np.arange(len(values)), list(surrogates.features))
        table[NOMINAL] = [feature.kind == "nominal" for feature in schema]
        order = [*coded, *in_order.tolist()]
        table[VALUES_AT, order] = np.cumsum([0, *(len(values[f]) for f in order)])[:-1]
    return table


def _require_room(n: int, n_sorted: int, n_coded: int, shift: int, n_threads: int) -> None:
    """Raise a MemoryError before the columns of n rows are made, if they would take more than is available."""
    keys = (n_sorted + n_threads) * key_type(n, shift).itemsize + 2 * n_threads * _WORD
    codes = 2 * _code_width(n_coded)  # and as much room to move them
    rows = _WORD  # classes and row numbers
    needed = float(n) * (keys + codes + rows)
    if not has_room(needed):
        purpose = f"the columns of {n:,} rows by {n_sorted + n_coded:,} features, sorted or coded"
        require_memory(needed, purpose, "Use fewer rows or features, or round features to 64 values or fewer.")


def _sorted_keys(values: Sequence[Array], in_order: Array, classes: Array, shift: int, threads: ThreadPool) -> Array:
    """The keys of sorted features, a row each, and a spare row for each thread."""
    n, listed = len(classes), in_order.tolist()
    keys = np.empty((len(listed) + threads.n, n), key_type(n, shift))
    room = np.empty((threads.n, 2, n), np.uint64)

    def sort(first: int, last: int, worker: int) -> None:
        for row in range(first, last):
            column = values[listed[row]]
            numbers = column if column.dtype.kind == "f" else np.where(column < 0, np.nan, column)
            sort_column(numbers, classes, shift, keys[row], room[worker])

    threads.share(sort, len(listed), n * len(listed))
    return keys


def _code_block(n: int, columns: Sequence[Array], absent: Array) -> Array:
    """Codes side by side, with some more bytes than there are columns."""
    codes = np.zeros((n, _code_width(len(columns))), np.uint8)
    for position, (column, code) in enumerate(zip(columns, absent.tolist(), strict=True)):
        put_codes(column, code, codes, position)
    return codes


def _code_width(n_columns: int) -> int:
    """The bytes of a row of codes: eight of them are a word."""
    return -(-n_columns // 8) * 8


@lru_cache(maxsize=256)
def _codes_and_none(n: int) -> Array:
    """The values of a feature with codes: the codes' values, and NaN for missing."""
    values: Array = np.append(np.arange(n, dtype=np.float64), np.nan)
    values.flags.writeable = False
    return values
