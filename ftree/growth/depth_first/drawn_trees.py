"""Trees of drawn features and drawn cuts, each grown by the native library from a table that is laid out once for all.

The bag of a tree says how often each row was drawn, or how many of its cases if weights are counts. Calls release Python's lock,
so threads grow several trees at once.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
from attrs import define, evolve, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats, exact_unit, first_largest, times_and_fractions
from ftree._lib.machine import ThreadPool, has_room
from ftree._lib.random_numbers import hashed, stream_of
from ftree.criteria.impurity import ENTROPY, Impurity, whole_n_log_n
from ftree.criteria.impurity_of_sums import default_impurity
from ftree.criteria.scores import gain
from ftree.data.dataset import Dataset
from ftree.growth.depth_first.presorted_columns import PresortedTable, presorted_classification, presorted_regression
from ftree.growth.depth_first.presorted_growth import Drawing, PresortedPart
from ftree.growth.depth_first.what_c_knows import is_known, known_limits, knows_draws, only_splitter
from ftree.growth.settings import SearchSettings
from ftree.growth.split_arrays import Cuts, GrownTree
from ftree.policy import Policy
from ftree.splitters import random_features, threshold
from ftree.splitters.cuts import SLACK
from ftree.tree.schema import Feature, Schema

# Up to this sum of whole weights, logarithms are looked up.
_TABLE = 2**20
# Bytes of a value and its key.
_CELL = 12.0


@define(eq=False, slots=False)
class ThresholdNodes:
    """The nodes of a tree of thresholds, level by level: counts or sums (m, K), feature (-1: leaf), threshold, first child.

    Invariant: a branch has two children, from `first` on, behind all nodes of its level; a leaf has the threshold 0.
    """

    counts: Floats
    feature: Array
    at: Floats
    first: Array

    def grown(self) -> GrownTree:
        """The tree in the form of growth, from which nodes are made."""
        return GrownTree(self.counts, Cuts.of_thresholds(self.feature, self.at), self.first.astype(np.int64))

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
    """What the trees of a policy share: the table, and what grows a tree by a search from a bag of rows.

    Invariant: no tree changes anything here, so threads may grow several at once.
    """

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


def drawn_tree(dataset: Dataset, policy: Policy, settings: SearchSettings, threads: ThreadPool) -> GrownTree | None:
    """The tree of a policy that draws; None if the library does not know the policy or the table."""
    growth = drawn_growth(dataset, policy, settings, threads)
    nodes = None if growth is None else growth.tree(policy.splits)
    return None if nodes is None else nodes.grown()


def drawn_growth(dataset: Dataset, policy: Policy, settings: SearchSettings, threads: ThreadPool) -> DrawnGrowth | None:
    """The table laid out for trees of a policy; None if the library does not know the policy or the table.

    It knows the library's impurities, gain, `threshold` and `random_threshold`, with or without `random_features`, for
    tables of numbers and ordinal values, all of them known, and the stopping rules that `stop_limits` knows.
    """
    limits = known_limits(policy, settings)
    if limits is None or not knows_draws(dataset, policy, settings, limits):
        return None
    search = _search(policy.splits, dataset.schema.features)
    if search is None or not has_room(_CELL * len(dataset.columns) * len(dataset)):
        return None
    every, table = np.arange(len(dataset.columns)), evolve(dataset, weights=None)
    lay: Callable[[Array, Array], PresortedTable]
    if dataset.schema.has_classes:
        presorted = presorted_classification(table, every, search[1], limits, policy.impurity, threads)
        lay = partial(_bag_for_classification, presorted, dataset)
    else:
        lay = partial(_bag_for_regression, presorted_regression(table, every, search[1], limits, settings.impurity, threads))
    x = np.array(dataset.columns, np.float64)
    return DrawnGrowth(dataset, lambda search, bag: _grown(lay(bag, search[1]), search[0], x))


def _search(splits: Sequence[Any], features: Sequence[Feature]) -> DrawnSearch | None:
    """The search of a policy with these splitters; None if the library does not know one."""
    drawing = splits[0] if is_known(splits[0], random_features) else None
    cutting, place = (splits, ()) if drawing is None else (drawing.splitters, (0,))
    of_kind = {kind: only_splitter(kind, cutting) for kind in {feature.kind for feature in features}}
    if (drawing is not None and len(splits) > 1) or None in of_kind.values():
        return None
    n = len(features) if drawing is None else min(drawing.n, len(features))
    how = {
        kind: (_stream(each, (*place, cutting.index(each))), _least(each), not isinstance(each, threshold))
        for kind, each in of_kind.items()
    }
    streams, least, is_drawn = zip(*(how[feature.kind] for feature in features), strict=True)
    searched = native.filled(
        native.SEARCHED_FEATURE,
        hash=hashed(np.arange(len(features), dtype=np.uint64)),
        stream=np.array(streams, np.uint64),
        least=np.array(least),
        is_drawn=np.array(is_drawn),
    )
    return np.array([native.record(native.SEARCH, n=n, stream=_stream(drawing, place))], native.SEARCH), searched


def _stream(part: Any, place: tuple[int, ...]) -> int:
    return int(stream_of(part, part.seed, place)[0]) if hasattr(part, "seed") else 0  # one that draws nothing


def _least(splitter: Any) -> float:
    return splitter.min_cases - SLACK if isinstance(splitter, threshold) else 0.0  # type: ignore[operator]  # it is a number here


# Trees of bags


def _bag_for_classification(presorted: PresortedTable, dataset: Dataset, bag: Array, searched: Array) -> PresortedTable:
    """The sorted columns of a bag, and its table of logarithms or the unit of its weights."""
    times, unit = _units(dataset, bag)
    total, rules, entropies = int(times.sum()), presorted.rules.copy(), presorted.entropies[:0]
    if unit == 1 and rules["impurity"][0] == ENTROPY and total < _TABLE:
        entropies, unit = whole_n_log_n(total)
    rules["unit"] = unit
    return presorted.of_bag(times, searched=searched, rules=rules, entropies=entropies)


def _units(dataset: Dataset, bag: Array) -> tuple[Array, float]:
    """The weights of rows in whole units, and the unit, where cases count one each."""
    given = dataset.weights
    if given is None or dataset.weights_are == "counts":
        return bag, 1.0
    unit = exact_unit(sum(np.bincount(dataset.target_column, bag * given).tolist()), len(dataset.columns))
    _, fractions = times_and_fractions(given, unit)
    return (bag * np.asarray(fractions) / unit).astype(np.int64), unit


def _bag_for_regression(presorted: PresortedTable, bag: Array, searched: Array) -> PresortedTable:
    """The sorted columns of a bag, whose variances are relative to its own."""
    own, response = presorted.of_bag(bag, searched=searched), presorted.dataset.schema.response
    impurity: Any = default_impurity(response)
    return evolve(own, scales=np.array(impurity.relative_to(own.totals()[1], response).factors))


def _grown(presorted: PresortedTable, search: Array, x: Floats) -> ThresholdNodes | None:
    """The tree of a bag, given the values (F, n) of all rows; None if a choice is too close to call."""
    tree = PresortedPart.of_root(presorted)
    drawing = Drawing(search, x, np.empty(len(tree.nodes)))
    while tree.n_open:
        if tree.grow(presorted, drawing):
            return None
    n = tree.n_nodes
    noted, order, first = tree.nodes[:n], np.empty(n, np.int32), np.empty(n, np.int32)
    native.call("list_by_level", noted, order, first)
    feature, at = noted["feature"][order], drawing.at[order]
    at[feature < 0] = 0.0
    return ThresholdNodes(tree.counts[order], feature, at, first)
