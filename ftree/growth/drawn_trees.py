"""Trees of drawn features and drawn cuts, each grown by the native library from a table that is laid out once for all.

The bag of a tree says how often each row was drawn, or how many of its cases if weights are counts. Calls release Python's lock,
so threads grow several trees at once.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, partial
from typing import Any, TypeAlias, cast

import numpy as np
from attrs import define, evolve, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats, exact_unit, first_largest, has_missing_cells, midpoint, times_and_fractions
from ftree._lib.machine import ThreadPool, has_room, thread_pool
from ftree._lib.random_numbers import hashed, stream_of
from ftree.criteria.impurity import Impurity
from ftree.criteria.impurity_of_sums import Variance
from ftree.criteria.scores import gain
from ftree.data.dataset import Dataset
from ftree.growth.engine_choice import EngineChoice, is_native
from ftree.growth.engines.engine import GrownTree, StopLimits, stop_limits
from ftree.growth.lanes import Subtree, rules_of, sorted_lanes
from ftree.growth.lanes_of_numbers import LanesOfNumbers, lanes_of, sums_fit
from ftree.growth.of_numbers import fitting
from ftree.growth.records import ENTROPY, NONE, THRESHOLD, impurity_code
from ftree.growth.search import Terms
from ftree.growth.split_arrays import Cuts
from ftree.policy import Policy
from ftree.splitters import random_features, random_threshold, threshold
from ftree.splitters.runs import SLACK
from ftree.tree.schema import Feature, Schema

# Up to this sum of whole weights, logarithms are looked up; and squares of sums are exact.
_TABLE, _EXACT = 2**20, 2**26
# The nodes of so few entries get copies of their columns, which stay in a processor's cache.
_NEAR = 1024
# Bytes of a value and its rank or key. A tree has 32 bits for the numbers of its nodes.
_CELL, _MOST_ROWS = 12.0, 2**29
# A call takes at most so many steps of entries through features, some tenths of a second, for which an interruption waits.
_STEPS = 1 << 24


@define(eq=False, slots=False)
class ThresholdNodes:
    """The nodes of a tree of thresholds, level by level: counts or sums (m, K), feature (-1: leaf), threshold, first child."""

    counts: Floats
    feature: Array
    at: Floats
    first: Array

    def grown(self) -> GrownTree:
        """The tree in the form of growth, from which nodes are made."""
        kind = np.where(self.feature >= 0, THRESHOLD, NONE).astype(np.int8)
        cuts = Cuts(kind, self.feature, self.at, np.zeros(len(kind) + 1, np.int64), np.zeros(0, np.int64))
        return GrownTree(self.counts, cuts, self.first.astype(np.int64))

    @cached_property
    def walk_arrays_of_table(self) -> tuple[Array, ...]:
        """The tree for the native library, as `Flat` has it."""
        leaf = self.feature < 0
        first, at = np.where(leaf, np.arange(len(leaf)), self.first), np.where(leaf, np.inf, self.at)
        steps = native.filled(native.STEP, at=at, line=2 * np.maximum(self.feature, 0), first=first)
        return steps, np.zeros(0, native.QUESTION), np.zeros(0, np.int32), np.zeros(0), np.zeros(0, np.int64)

    @cached_property
    def labels(self) -> Array:
        """The number of the class that each node predicts."""
        labels: Array = first_largest(self.counts)
        return labels

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.feature < 0))

    @property
    def depth(self) -> int:
        """Depth of the deepest leaf."""
        depth, begin, end = -1, 0, 1
        while begin < end:
            depth, begin, end = depth + 1, end, end + 2 * int(np.count_nonzero(self.feature[begin:end] >= 0))
        return depth

    def importances(self, impurity: Impurity, schema: Schema) -> Floats:
        """Each feature's share of the decrease in an impurity, as `ftree.explain.importances`."""
        inner = np.flatnonzero(self.feature >= 0)
        children = self.counts[self.first[inner, None] + np.arange(2)]
        decrease = schema.response.weight(self.counts[inner]) * gain(children, impurity)
        due = np.bincount(self.feature[inner], decrease, len(schema.features))
        return due / (due.sum() or 1.0)


# What a tree searches: how many features of all a node looks at, and how each is searched.
DrawnSearch: TypeAlias = tuple[Array, Array]


@frozen(eq=False)
class DrawnGrowth:
    """What the trees of a policy share: the table, and what grows a tree by a search from a bag of rows."""

    dataset: Dataset
    grown: Callable[[DrawnSearch, Array], ThresholdNodes | None]

    def tree(self, splits: Sequence[Any], bag: Array | None = None) -> ThresholdNodes | None:
        """The tree of the policy with these splitters, from the rows, or cases, as often as a bag (n,) says; all without one.

        None if a choice is too close to call, or if the library does not know the splitters.
        """
        search = _search(splits, self.dataset.schema.features)
        if search is None:
            return None
        counts = self.dataset.weights
        every = np.ones(len(self.dataset), np.int64) if counts is None or counts.dtype.kind == "f" else counts
        return self.grown(search, every if bag is None else bag)


def drawn_tree(dataset: Dataset, policy: Policy, terms: Terms, engine: EngineChoice, n_jobs: int | None) -> GrownTree | None:
    """The tree of a policy that draws, if the library should grow it, and knows the policy."""
    if not is_native(engine):
        return None
    with thread_pool(n_jobs) as threads:
        growth = drawn_growth(dataset, policy, terms, threads)
    nodes = None if growth is None else growth.tree(policy.splits)
    return None if nodes is None else nodes.grown()


def drawn_growth(dataset: Dataset, policy: Policy, terms: Terms, threads: ThreadPool) -> DrawnGrowth | None:
    """The table laid out for trees of a policy; None if the library does not know the policy or the table.

    It knows the library's impurities, gain, `threshold` and `random_threshold`, with or without `random_features`, for
    tables of numbers and ordinal values, all of them known, and the stopping rules that `stop_limits` knows.
    """
    of_classes, features = dataset.schema.has_classes, dataset.schema.features
    stop = stop_limits(policy.stop, of_classes=of_classes)
    if of_classes:
        known = impurity_code(policy.impurity) is not None and len(dataset) < _MOST_ROWS
    else:
        known = isinstance(terms.impurity, Variance) and sums_fit(dataset) and (stop is None or stop.errors <= 0)
    if stop is None or not known or not terms.is_by_gain or not features or any(map(has_missing_cells, dataset.columns)):
        return None
    search = _search(policy.splits, features)
    if search is None or not has_room(_CELL * len(features) * len(dataset)):
        return None
    lay_out = _growth_of_classes if of_classes else _growth_of_numbers
    return lay_out(dataset, policy, search, stop, threads)


def _search(splits: Sequence[Any], features: Sequence[Feature]) -> DrawnSearch | None:
    """The search of a policy with these splitters; None if the library does not know one."""
    drawing = splits[0] if isinstance(splits[0], random_features) else None
    cutting, place = (splits, ()) if drawing is None else (drawing.splitters, (0,))
    of_kind = {kind: _only_splitter(kind, cutting) for kind in {feature.kind for feature in features}}
    if (drawing is not None and len(splits) > 1) or None in of_kind.values():
        return None
    mine: list[Any] = [of_kind[feature.kind] for feature in features]
    n = len(features) if drawing is None else min(drawing.n, len(features))
    searched = native.filled(
        native.SEARCHED_FEATURE,
        hash=hashed(np.arange(len(features), dtype=np.uint64)),
        stream=np.array([_stream(each, (*place, cutting.index(each))) for each in mine], np.uint64),
        least=np.array(list(map(_least, mine))),
        is_drawn=np.array([not isinstance(each, threshold) for each in mine]),
    )
    return np.array([(n, False, _stream(drawing, place))], native.SEARCH), searched


def _stream(part: Any, place: tuple[int, ...]) -> int:
    return int(stream_of(part, part.seed, place)[0]) if hasattr(part, "seed") else 0  # one that draws nothing


def _least(splitter: Any) -> float:
    return splitter.min_cases - SLACK if isinstance(splitter, threshold) else 0.0  # type: ignore[operator]  # it is a number here


def _only_splitter(kind: str, splitters: Sequence[Any]) -> Any:
    """The only splitter of features of a kind, None if the library does not know it."""
    mine = [each for each in splitters if kind in each.kinds]
    if kind == "nominal" or len(mine) != 1 or not isinstance(mine[0], (threshold, random_threshold)):
        return None
    return None if isinstance(mine[0], threshold) and (mine[0].mdl or callable(mine[0].min_cases)) else mine[0]


# Classes: `native/draw.c`


def _growth_of_classes(
    dataset: Dataset, policy: Policy, search: DrawnSearch, stop: StopLimits, threads: ThreadPool
) -> DrawnGrowth:
    """The values of features whose cuts are drawn; of others the ranks of rows, and the values in order."""
    is_drawn, n = search[1]["is_drawn"], len(dataset)
    x, ranks = np.empty((len(is_drawn), n)), np.empty((len(is_drawn), n), np.uint32)
    no_class, alone = np.zeros(n, np.uint8), ThreadPool(1)

    def lay(first: int, last: int, _: int) -> None:
        for f in range(first, last):
            x[f] = dataset.columns[f]
            if not is_drawn[f]:
                keys = sorted_lanes([x[f]], no_class, 1, alone)[0][0]
                rows, is_new = keys >> 1, keys & 1
                ranks[f, rows] = np.cumsum(is_new) - 1
                values = x[f, rows[is_new > 0]]
                x[f, : len(values)] = values

    threads.share(lay, len(is_drawn), x.size)
    rules = rules_of(stop, 1.0, len(dataset.schema.classes), 1, cast("int", impurity_code(policy.impurity)))
    return DrawnGrowth(dataset, partial(_grown_of_classes, dataset, rules, (x, ranks)))


def _grown_of_classes(
    dataset: Dataset, rules: Array, table: tuple[Floats, Array], search: DrawnSearch, bag: Array
) -> ThresholdNodes | None:
    """A tree of classes, given the table as values and ranks (F, n)."""
    weights, is_whole = _weights(dataset, bag.astype(np.float64))
    (rows,) = weights.nonzero()
    labels, weights, (m, n_classes) = dataset.target_column[rows], weights[rows], (2 * len(rows), len(dataset.schema.classes))
    total = int(weights.sum()) if is_whole else _EXACT
    looked_up = rules["impurity"][0] == ENTROPY and total < _TABLE
    logarithms = _n_log_n(total.bit_length()) if looked_up else np.zeros(0)
    search[0]["exact"] = total < _EXACT
    state, open_, nodes = np.ones(2, np.int64), np.empty(m, native.OPEN), np.empty(m, native.DRAWN_NODE)
    counts = np.empty((m, n_classes))
    open_[0], nodes[0], counts[0] = (0, len(rows), 0, 0, 0, 0), (0.0, -1, 0), np.bincount(labels, weights, n_classes)
    entries = rows.astype(np.uint32), labels.astype(np.int32), weights
    room = _room(len(rows), len(dataset.columns), n_classes)
    given = rules, *search, *table, logarithms, _STEPS, state, open_, nodes, counts, *entries, *room
    while state[1]:
        if native.call("grow_drawn", *given) < 0:
            return None
    return _by_level(nodes[: state[0]], counts[: state[0]])


def _room(n: int, n_features: int, n_classes: int) -> tuple[Array, ...]:
    """Room for a tree of n entries, as `native/draw.c` names it."""
    near = n_features, min(n, _NEAR)
    return (
        np.empty(near),
        np.empty(near, np.uint32),
        np.empty(n_features, native.DRAWN),
        np.empty(n_features, native.CUT),
        np.empty((n_features + 1, n_classes)),
        np.empty(n, np.uint64),
        np.empty(n, np.uint64),
        np.empty(n),
    )


def _weights(dataset: Dataset, times: Floats) -> tuple[Floats, bool]:
    """How many cases each row of a bag stands for, and whether these are whole numbers."""
    given = dataset.weights
    if given is None or dataset.weights_are == "counts":
        return times, True
    total = sum(np.bincount(dataset.target_column, times * given).tolist())
    _, fractions = times_and_fractions(given, exact_unit(total, len(dataset.columns)))
    return times * np.asarray(fractions), False


@lru_cache(maxsize=4)
def _n_log_n(bits: int) -> Floats:
    """N log2 n for all n of so many bits."""
    n = np.arange(1 << bits, dtype=np.float64)
    table: Floats = n * np.log2(np.maximum(n, 1))
    return table


def _by_level(nodes: Array, counts: Floats) -> ThresholdNodes:
    """The nodes of a tree level by level."""
    ordered, own = np.empty_like(nodes), np.empty_like(counts)
    native.call("list_by_level", nodes, counts, ordered, own)
    return ThresholdNodes(own, *(np.ascontiguousarray(ordered[name]) for name in ("feature", "at", "first")))


# Numbers: `native/sums.c`


def _growth_of_numbers(
    dataset: Dataset, policy: Policy, search: DrawnSearch, stop: StopLimits, threads: ThreadPool
) -> DrawnGrowth:
    """The columns sorted once for all trees, and their values."""
    impurity, features = cast("Variance", fitting(policy, dataset).impurity), np.arange(len(dataset.columns))
    lanes = lanes_of(evolve(dataset, weights=None), features, search[1], stop, impurity, threads)
    x = np.array(dataset.columns, np.float64)
    return DrawnGrowth(dataset, partial(_grown_of_numbers, lanes, impurity, x))


def _grown_of_numbers(lanes: LanesOfNumbers, impurity: Variance, x: Floats, search: DrawnSearch, bag: Array) -> ThresholdNodes:
    """A regression tree, given the sorted columns of all rows, and their values (F, n)."""
    rules, absent, room = lanes.rules.copy(), (bag == 0).astype(np.uint8), np.empty(len(bag), np.int32)
    given = {"keys": lanes.keys.copy(), "times": bag.astype(np.int64), "searched": search[1], "right": absent, "room": room}
    own = evolve(lanes, rules=rules, **given)
    native.call("part_lanes", rules, own.keys, own.distinct, 0, len(bag), -1, absent, 0, len(own.keys), room)
    subtree = Subtree.below(own.root())
    rules["unit"] = impurity.relative_to(subtree.root.counts, None).scale
    at = np.empty(len(subtree.nodes))
    while subtree.state[1]:
        own.grow_drawn(subtree, search[0], x.ravel(), at)
    n = int(subtree.state[0])
    noted, found = subtree.nodes[:n], np.flatnonzero(subtree.nodes["feature"][:n] >= 0)
    grown, column = noted[found], noted["feature"][found]
    middle = midpoint(x[column, grown["below"]], x[column, grown["above"]])
    thresholds = np.zeros(n)
    thresholds[found] = np.where(np.isnan(at[found]), middle, at[found])
    nodes = native.filled(native.DRAWN_NODE, at=thresholds, feature=noted["feature"], first=noted["first"])
    return _by_level(nodes, subtree.counts[:n])
