"""A table as the native library grows trees from it: columns as codes or sorted keys, and the measure of splits.

A feature of few values is a column of codes, one of many numbers a line of sorted keys (`native/table.c`).
"""

import math
from typing import Any

import numpy as np
from attrs import frozen

from ftree import native
from ftree._lib.arrays import Array, Floats, offsets, times_and_fractions
from ftree._lib.machine import ThreadPool
from ftree._lib.random_numbers import hashed, stream_of
from ftree.criteria.impurity import OWN, impurity_code, n_log_n
from ftree.criteria.scores import gain_ratio
from ftree.data.dataset import Dataset
from ftree.data.dataset_fields import unit_of
from ftree.growth.depth_first.sorted_columns import next_to, rules_of, side_by_side, sorted_keys
from ftree.growth.depth_first.what_c_knows import SPLIT_KINDS, StopLimits, drawing_of, has_surrogates, splitters_of
from ftree.growth.settings import SearchSettings
from ftree.growth.split_arrays import MULTIWAY, NONE, SUBSET
from ftree.policy import Policy
from ftree.routing.missing_rules import weighted
from ftree.splitters import by_gain_ratio, c45_min_branch, multiway, subset, threshold
from ftree.splitters.cuts import C45_SHARE
from ftree.splitters.missing_policies import hook
from ftree.tree.schema import Feature

# A numeric feature with up to so many values has codes.
_FEW = 254
# A key has bits for its row, one for a value that is new in its node, and one for a missing value.
SHIFT, NEW_VALUE, _MISSING = 2, 2, 1
# n log2 n has a table for so many rows.
_LONGEST = 2**20
_NOTHING = np.zeros(0)


@frozen(eq=False)
class TableColumns:
    """A table of n rows, as the library grows a tree from it; `native/table.h` says more of each array.

    Invariant: growth writes to `keys` and `fractions` only, which the root's part takes over, so a table grows one tree, and
    threads share the rest. A feature that is searched has its place either in `codes` or in `keys`, and its numbers in `values`,
    from its own `values_at` on.

    - `columns` (F,): how each feature is stored and searched; `search` and `searched` (F,): how many features a node looks at,
      and what decides which.
    - `codes` (n, C): features of few values; `values`: the numbers of all features; `begin` (F + 1,): the first cell of each
      feature, where all codes of a node are counted.
    - `labels` (n,): classes; `times` (n,): row weights, empty if all are 1; `whole` (n, A) and `channels` (n, Q): of a target
      without classes, what rows add to the sums of a run and of a node; `limbs`: the places of the limbs of the latter.
    - `keys` (L, n), `fractions` (n,) and `totals` (Q,): the rows of the root, those of each sorted feature, how much of each row
      is there (empty if no row is divided), and the counts of the root.
    - `rules`, `criterion`, `factors`: when nodes close, and what measures splits.
    - `sizes`: how large the table is, as the library's memory for a node needs to know.
    """

    dataset: Dataset
    columns: Array
    search: Array
    searched: Array
    keys: Array
    codes: Array
    begin: Array
    values: Floats
    labels: Array
    times: Floats
    whole: Array
    channels: Floats
    limbs: Array
    fractions: Floats
    totals: Floats
    rules: Array
    criterion: Array
    factors: Floats
    sizes: Array

    @property
    def given(self) -> dict[str, Array]:
        """What does not change in growth, as the library takes it."""
        n = len(self.labels) if not len(self.times) else int(self.times.sum())
        names = (
            "sizes", "rules", "criterion", "factors", "columns", "search", "searched",
            "codes", "labels", "times", "whole", "channels", "limbs", "values", "begin",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names} | {"entropies": n_log_n(min(n, _LONGEST))}

    def next_to(self, feature: int, at: float, rows: Array) -> tuple[int, int]:
        """What is next to a threshold in a node of some rows: two codes, or two rows if the feature has sorted keys."""
        column, names = self.columns[feature], rows
        if column["place"] >= 0:
            codes = self.codes[rows, column["place"]]
            names = codes[codes < column["n_codes"]].astype(np.int64)
        below, above = names[next_to(at, self.values[column["values_at"] + names])].tolist()
        return below, above


def table_columns(
    dataset: Dataset, policy: Policy, settings: SearchSettings, limits: StopLimits, threads: ThreadPool
) -> TableColumns:
    """The columns of a table that the library knows."""
    columns, unit = _columns(dataset, settings), unit_of(dataset)
    codes, keys, values = _coded(dataset, columns, bool(settings.with_surrogates), threads)
    is_divided = _divides_rows(dataset, policy, settings, columns)
    target, begin = _target(dataset), _first_cells(columns, len(dataset.schema.classes) or 1)
    return TableColumns(
        dataset=dataset,
        columns=columns,
        keys=keys,
        codes=codes,
        begin=begin,
        values=values,
        rules=rules_of(limits, 1.0, SHIFT, 0),
        criterion=_criterion(dataset, policy, settings, unit if is_divided else 0.0),
        factors=_NOTHING if settings.factors is None else settings.factors.astype(np.float64),
        sizes=_sizes(dataset, columns, n_sums=target["whole"].shape[1], n_cells=int(begin[-1]), keys=keys, divides=is_divided),
        **_search(settings, len(columns)),
        **target,
        **_weights(dataset, target["channels"], unit, is_divided=is_divided),
    )


# How features are stored and searched


def _columns(dataset: Dataset, settings: SearchSettings) -> Array:
    """How each feature is searched (F,), without its place."""
    features, options = dataset.schema.features, []
    for number, (feature, own) in enumerate(zip(features, splitters_of(features, settings), strict=True)):
        is_many, has_surrogates = number in settings.many, number in settings.with_surrogates
        options.append(_options(feature, own[0] if own else None, is_many=is_many, has_surrogates=has_surrogates))
    return np.array(options, native.COLUMN)


def _options(feature: Feature, splitter: Any, *, is_many: bool, has_surrogates: bool) -> tuple[Any, ...]:
    own = {"split_kind": NONE} if splitter is None else _options_of(splitter, feature)
    is_nominal, n_codes = feature.kind == "nominal", len(feature.values)
    return native.record(native.COLUMN, n_codes=n_codes, nominal=is_nominal, many=is_many, has_surrogates=has_surrogates, **own)


def _options_of(splitter: Any, feature: Feature) -> dict[str, Any]:
    """What a column keeps of its splitter: each of the options in `what_c_knows.OPTIONS` that C needs has a place here."""
    limit = splitter.min_cases
    is_c45 = isinstance(limit, c45_min_branch)
    own = {"least": limit.least, "share": C45_SHARE, "most": limit.most} if is_c45 else {"least": limit}
    own["split_kind"] = SPLIT_KINDS[type(splitter)]
    match splitter:
        case threshold():
            return own | {"mdl": splitter.mdl}  # thresholds are moved, and numbers binned, outside of C
        case multiway():
            return own | {"declared": len(feature.values) if splitter.empty else 0}
        case subset():
            return own | {"exact": splitter.exact}
    return own


def _coded(dataset: Dataset, columns: Array, has_surrogates: bool, threads: ThreadPool) -> tuple[Array, Array, Floats]:  # noqa: FBT001
    """Codes (n, C), lines of rows and sorted keys (L, n), and all values; fills in the places of columns.

    A feature that is not searched, and can be no surrogate, has no place.
    """
    n, codes, values = len(dataset), list[Array](), list[Floats]()
    numeric = np.array([feature.kind == "numeric" for feature in dataset.schema.features], bool)
    wanted = (columns["split_kind"] != NONE) | has_surrogates
    (sorted_,) = (numeric & wanted).nonzero()
    numbers_of = side_by_side([dataset.columns[f] for f in sorted_.tolist()])
    keys, _ = sorted_keys(numbers_of, np.zeros(n, np.uint8), SHIFT, threads)
    sorted_of, kept = dict(zip(sorted_.tolist(), zip(keys, numbers_of, strict=True), strict=True)), list[Array]()
    for f in np.flatnonzero(wanted).tolist():
        column = dataset.columns[f]
        found = _codes_of_few(*sorted_of[f]) if numeric[f] else _codes_of_values(column, int(columns["n_codes"][f]))
        columns["values_at"][f] = sum(map(len, values))
        if found is None:
            kept.append(sorted_of[f][0])
            columns["place"][f] = -len(kept)
            values.append(sorted_of[f][1])
        else:
            columns["place"][f], columns["n_codes"][f] = len(codes), len(found[0])
            codes.append(found[1])
            values.append(found[0])
    block = np.stack(codes, axis=1) if codes else np.zeros((n, 0), np.uint16)
    return block, np.stack([np.arange(n, dtype=np.int32), *kept]), np.concatenate([_NOTHING, *values])


def _codes_of_few(keys: Array, column: Array) -> tuple[Floats, Array] | None:
    """The values of a sorted column, and each row's code; None if they are many."""
    known = keys[: len(keys) - int(np.count_nonzero(keys & _MISSING))]
    is_new = (known & NEW_VALUE) != 0
    n_values, rows = int(np.count_nonzero(is_new)), known >> SHIFT
    if n_values > _FEW:
        return None
    codes = np.full(len(keys), n_values, np.uint16)
    codes[rows] = np.cumsum(is_new) - 1
    return column[rows[is_new]].astype(np.float64), codes


def _codes_of_values(column: Array, n: int) -> tuple[Floats, Array]:
    """The values of a feature that lists them, as numbers, and each row's code."""
    # Of unsigned numbers, -1 is the largest, and becomes the one after the last code.
    return np.arange(n, dtype=np.float64), np.minimum(column.astype(np.uint16), np.uint16(n))


def _first_cells(columns: Array, n_classes: int) -> Array:
    """The first cell of each feature where codes are counted, and the end of the last (F + 1,)."""
    is_counted = (columns["place"] >= 0) & (columns["split_kind"] != NONE)
    return offsets(np.where(is_counted, (columns["n_codes"] + 1) * n_classes, 0))


def _search(settings: SearchSettings, n: int) -> dict[str, Array]:
    """How many of n features a node looks at, and what decides which."""
    drawing, searched = drawing_of(settings), np.zeros(n, native.SEARCHED_FEATURE)
    if drawing is None:
        return {"search": np.array([native.record(native.SEARCH, n=n)], native.SEARCH), "searched": searched}
    stream = int(stream_of(drawing, drawing.seed, (0,))[0])
    searched["hash"] = hashed(np.arange(n, dtype=np.uint64))
    search = native.record(native.SEARCH, n=min(drawing.n, n), stream=stream)
    return {"search": np.array([search], native.SEARCH), "searched": searched}


# What rows count


def _target(dataset: Dataset) -> dict[str, Array]:
    """Classes (n,), what rows add to the sums of runs (n, A) and of nodes (n, Q), and their limbs; all sums empty for classes."""
    if dataset.schema.has_classes:
        channels, nothing = np.zeros((0, len(dataset.schema.classes))), np.zeros((0, 0), np.int64)
        labels = dataset.target_column.astype(np.int32)
        return {"labels": labels, "whole": nothing, "channels": channels, "limbs": nothing.ravel()}
    from ftree.data.channels import rows_in_channels  # noqa: PLC0415  # as above
    from ftree.growth.depth_first.target_sums import limb_places, whole_sums  # noqa: PLC0415

    labels, channels = np.zeros(len(dataset), np.int32), np.ascontiguousarray(rows_in_channels(dataset))
    return {"labels": labels, "whole": whole_sums(dataset), "channels": channels, "limbs": limb_places(dataset)}


def _divides_rows(dataset: Dataset, policy: Policy, settings: SearchSettings, columns: Array) -> bool:
    """Whether rows without an answer may be divided among children; of those with surrogates only a multiway split's are."""
    if not dataset.gaps() or hook(policy.missing, "shares") != weighted():
        return False
    return not settings.with_surrogates or bool((columns["split_kind"] == MULTIWAY).any())


def _weights(dataset: Dataset, channels: Floats, unit: float, *, is_divided: bool) -> dict[str, Floats]:
    """How often a row counts, and how much of it there is; the counts of the root."""
    times, parts = times_and_fractions(dataset.weights, unit)
    totals = _totals(dataset, channels, times if parts is None else parts)
    if not is_divided:
        times, parts = times if parts is None else parts, None
    fractions = (np.ones(len(dataset)) if parts is None else parts) if is_divided else _NOTHING
    return {"times": _NOTHING if times is None else times.astype(np.float64), "fractions": fractions, "totals": totals}


def _totals(dataset: Dataset, channels: Floats, weights: Array | None) -> Floats:
    """The counts or sums (Q,) of all rows."""
    if dataset.schema.has_classes:
        return np.bincount(dataset.target_column, weights, channels.shape[1]).astype(np.float64)
    totals: Floats = (np.ones(len(dataset)) if weights is None else weights.astype(np.float64)) @ channels
    return totals


# The measure of splits, and the sizes of memory


def _criterion(dataset: Dataset, policy: Policy, settings: SearchSettings, grid: float) -> Array:
    """The measure of splits, and what happens to rows without an answer."""
    missing: Any = policy.missing
    finds_surrogates = bool(settings.with_surrogates) and has_surrogates(policy)
    criterion = native.record(
        native.CRITERION,
        slack=settings.choose.slack if isinstance(settings.choose, by_gain_ratio) else math.nan,
        by_ratio=settings.score is gain_ratio,
        least_agreeing=float(missing.least) if finds_surrogates else 0.0,
        most_surrogates=missing.at_most if finds_surrogates else 0,
        grid=grid,
        **_measure_of(dataset, settings.impurity),
    )
    return np.array([criterion], native.CRITERION)


def _measure_of(dataset: Dataset, impurity: Any) -> dict[str, Any]:
    """The impurity in a criterion."""
    if not dataset.schema.has_classes:
        from ftree.growth.depth_first.target_sums import criterion_of_sums  # noqa: PLC0415  # as above

        return criterion_of_sums(dataset, impurity)
    code, usual = impurity_code(impurity), {"scale": 1.0, "lines": [(0.0, 1.0, 1.0)] * 3, "rate": 1.0}
    return usual | ({"impurity": OWN, "own": impurity.address} if code is None else {"impurity": code})


def _sizes(dataset: Dataset, columns: Array, *, n_sums: int, n_cells: int, keys: Array, divides: bool) -> Array:
    """How large a table is whose features have these columns and cells for their codes."""
    n_classes, longest = len(dataset.schema.classes) or 1, len(dataset) if len(keys) > 1 else 0
    most_values = max(int(columns["n_codes"].max(initial=1)), longest)
    exact = np.minimum(columns["exact"], columns["n_codes"])[columns["split_kind"] == SUBSET]
    mirrored = n_classes <= 2  # noqa: PLR2004  # two classes mirror each other, and sums are ordered
    widest = max(2, int(columns["n_codes"].max(initial=0)))
    sizes = native.record(
        native.TABLE_SIZES,
        rows=len(dataset),
        features=len(columns),
        classes=n_classes,
        sums=n_sums,
        widest=widest,
        most_values=most_values + 1,
        most_scores=max(most_values, 0 if mirrored else 1 << int(exact.max(initial=1))) + 1,
        cells=max(n_cells, 2 * (widest + 1)),  # counts by code and class, or weights by code and child
        divides=divides,
    )
    return np.array([sizes], native.TABLE_SIZES)
