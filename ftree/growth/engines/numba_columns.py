"""The compiled engine's columns at the root: few values as codes, many sorted as keys; tables of n log2 n."""

from collections.abc import Collection, Sequence
from functools import lru_cache

import numpy as np

from ftree._lib.arrays import Array, times_and_fractions
from ftree._lib.memory import has_room, require_memory
from ftree._lib.threads import ThreadPool
from ftree.data.dataset import Dataset
from ftree.growth.criterion_codes import EMPTY, EXACT, GAIN, MISCLASSIFICATION, N_OPTIONS
from ftree.growth.engines.fused import Criterion, SurrogateSearch
from ftree.growth.engines.numba_state import Fixed, Spare, State, product
from ftree.growth.engines.numba_surrogates import surrogate_tables
from ftree.growth.engines.protocol import MissingRows
from ftree.growth.engines.sharing import unit_of
from ftree.growth.kernels.keys import FLAGS, key_type
from ftree.growth.kernels.presort import few_values, put_codes, sort_column
from ftree.growth.kernels.records import CriterionTables, Entries, Features, Nodes, Sharing
from ftree.growth.kernels.scan import whole_table
from ftree.tree.schema import Feature

# A feature with up to this many values is counted from codes; one with more is sorted.
_FEW = 64
# Tables of n log2 n have up to this many rows; for more rows, each logarithm is computed.
_TABLE = 2**24
# Tables for up to this many rows are cached, longer than needed, so that several growths share them; others are too large.
_SHARED = 2**17

# Bytes of a number of 64 bits, or of two of 32.
_WORD = 8

_NOTHING = np.zeros(0)


def state_at_root(
    dataset: Dataset, missing: MissingRows, criterion: Criterion, threads: ThreadPool, surrogates: SurrogateSearch | None = None
) -> State:
    """All rows of positive weight in one node."""
    if dataset.weights is not None and not dataset.weights.all():
        dataset = dataset.take(dataset.weights > 0)
    n, n_classes = len(dataset), len(dataset.schema.classes)
    step = unit_of(dataset)
    times, fractions = (
        _NOTHING if part is None else part.astype(np.float64) for part in times_and_fractions(dataset.weights, step)
    )
    classes, weights = dataset.labels.astype(np.int32), product(times, fractions)
    options = np.zeros((len(criterion.ways), N_OPTIONS)) if criterion.options is None else criterion.options
    values, coded = _coded(dataset, options[:, EMPTY].tolist())
    features = _features(dataset, values, coded, criterion.ways, options)
    _require_room(features, n, n_threads=threads.n)
    keys = _sorted_keys(values, features, classes, threads)
    codes, gaps = _code_block(n, list(coded.values()), features.absent[features.coded])
    place = np.zeros(len(values), np.int64)
    place[features.in_order], place[features.coded] = -1 - np.arange(len(features.in_order)), np.arange(len(coded))
    measure = _measure(criterion, n if n <= _TABLE and not len(weights) else None)
    exact = np.bincount(dataset.labels, weights if len(weights) else None, n_classes)[None].astype(np.float64)
    one = np.zeros(1, np.int64)
    nodes = Nodes(one, one + n, exact)
    entries = Entries(place, keys, codes, classes, np.arange(n, dtype=np.int32), times, fractions, weights)
    sharing = Sharing(missing == "heaviest", step)
    tables = surrogate_tables(dataset.schema.features, values, coded, surrogates)
    fixed = Fixed(tuple(values), criterion, n_classes, missing, features, gaps, measure, sharing, threads, surrogates, tables)
    return State(fixed, entries, nodes, Spare(np.empty_like(codes), list(range(len(features.in_order), len(keys)))))


def codes_all_nominal(features: Sequence[Feature]) -> bool:
    """Whether all nominal features are kept as codes, as the search for surrogates requires."""
    return all(feature.kind != "nominal" or len(feature.values) <= _FEW for feature in features)


def _measure(criterion: Criterion, n: int | None) -> CriterionTables:
    """The criterion for kernels, with tables for n rows or, without a number or with factors, empty ones."""
    empty = np.zeros(0, np.int64), np.zeros(0, np.int64), np.inf, _NOTHING
    factors = _NOTHING if criterion.factors is None else criterion.factors.astype(np.float64)
    slack = np.nan if criterion.slack is None else float(criterion.slack)
    plain = criterion.slack is None and not len(factors) and (criterion.options is None or not criterion.options[:, :EXACT].any())
    fast = plain and criterion.impurity != MISCLASSIFICATION and criterion.score == GAIN
    tables = empty if n is None or len(factors) else _tables_for(n)
    return CriterionTables(criterion.impurity, criterion.score, fast, plain, slack, factors, *tables)


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


def _features(dataset: Dataset, values: list[Array], coded: Collection[int], ways: Array, options: Array) -> Features:
    """The storage of features; a missing value has the code after the last one, or, in a sorted feature, any larger number."""
    n, n_classes = len(dataset), len(dataset.schema.classes)
    known = [n if feature.kind == "numeric" else len(feature.values) for feature in dataset.schema.features]
    absent = np.array([len(values[f]) - 1 if f in coded else known[f] for f in range(len(known))], np.int64)
    in_order = np.array([f for f in range(len(values)) if f not in coded], np.int64)
    base = np.cumsum([0, *(len(values[f]) * n_classes for f in coded)], dtype=np.int64)
    shift = max(n_classes - 1, 1).bit_length() + FLAGS
    return Features(ways, absent, in_order, np.array(list(coded), np.int64), base, shift, options)


def _require_room(features: Features, n: int, *, n_threads: int) -> None:
    """Raise a MemoryError before the columns of n rows are made, if they would take more than is available."""
    keys = (len(features.in_order) + n_threads) * key_type(n, features.shift).itemsize + n_threads * _WORD
    codes = 2 * _code_width(len(features.coded))  # and as much room to move them
    rows = _WORD  # classes and row numbers
    needed = float(n) * (keys + codes + rows)
    if not has_room(needed):
        purpose = f"the columns of {n:,} rows by {len(features.absent):,} features, sorted or coded"
        require_memory(needed, purpose, "Use fewer rows or features, or round features to 64 values or fewer.")


def _sorted_keys(values: Sequence[Array], features: Features, classes: Array, threads: ThreadPool) -> Array:
    """The keys of sorted features, a row each, and a spare row for each thread."""
    n, in_order = len(classes), features.in_order.tolist()
    keys = np.empty((len(in_order) + threads.n, n), key_type(n, features.shift))
    room = np.empty((threads.n, n), np.uint64)

    def sort(first: int, last: int, worker: int) -> None:
        for row in range(first, last):
            column = values[in_order[row]]
            numbers = column if column.dtype.kind == "f" else np.where(column < 0, np.nan, column)
            sort_column(numbers, classes, features.shift, keys[row], room[worker])

    threads.share(sort, len(in_order), n * len(in_order))
    return keys


def _code_block(n: int, columns: Sequence[Array], absent: Array) -> tuple[Array, bool]:
    """Codes side by side, with some more bytes than there are columns; whether any is missing."""
    gaps = False
    codes = np.zeros((n, _code_width(len(columns))), np.uint8)
    for position, (column, code) in enumerate(zip(columns, absent.tolist(), strict=True)):
        gaps |= bool(put_codes(column, code, codes, position))
    return codes, gaps


def _code_width(n_columns: int) -> int:
    """The bytes of a row of codes: eight of them are a word."""
    return -(-n_columns // 8) * 8


@lru_cache(maxsize=256)
def _codes_and_none(n: int) -> Array:
    """The values of a feature with codes: the codes' values, and NaN for missing."""
    values: Array = np.append(np.arange(n, dtype=np.float64), np.nan)
    values.flags.writeable = False
    return values
