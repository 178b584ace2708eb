"""Trees of drawn features and drawn cuts, each grown in one call of compiled code from a table that is laid out once for all.

The bag of a tree says how often each row was drawn, or how many of its cases if weights are counts. Calls release Python's lock,
so threads grow several trees at once.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
from attrs import astuple, define, evolve, frozen

from ftree import native
from ftree._lib.arrays import Array, Floats, exact_unit, first_largest, has_missing_cells, times_and_fractions
from ftree._lib.machine import ThreadPool, has_room, thread_pool
from ftree._lib.random_numbers import hashed, stream_of
from ftree.criteria.impurity import Impurity
from ftree.criteria.impurity_of_sums import Variance
from ftree.criteria.scores import gain
from ftree.data.dataset import Dataset
from ftree.growth.engine_choice import OF_NUMBERS, EngineChoice, is_worth_it, sums_fit
from ftree.growth.engines.engine import Criterion, EngineSetup, GrownSubtrees, StopLimits, stop_limits
from ftree.growth.kernels.records import (
    BEST,
    DRAWN,
    ENTROPY,
    GINI,
    NONE,
    OWN,
    THRESHOLD,
    DrawnSearch,
    impurity_code,
    whole_search,
)
from ftree.growth.of_numbers import fitting
from ftree.growth.search import Terms
from ftree.growth.split_arrays import Cuts
from ftree.policy import Policy
from ftree.splitters import by_score, random_features, random_threshold, threshold
from ftree.splitters.missing_policies import known_share
from ftree.splitters.runs import SLACK
from ftree.tree.schema import Feature, Schema

# Up to this sum of whole weights, logarithms are looked up; and squares of sums are exact.
_TABLE, _EXACT = 2**20, 2**26
# Bytes of a value and its rank.
_CELL = 12.0
_NOTHING = np.zeros(0)


@define(eq=False, slots=False)
class ThresholdNodes:
    """The nodes of a tree of thresholds, level by level: counts or sums (m, K), feature (-1: leaf), threshold, first child."""

    counts: Floats
    feature: Array
    at: Floats
    first: Array

    def grown(self) -> GrownSubtrees:
        """The same as growth notes it, from which nodes are made."""
        n, inner = len(self.feature), self.feature >= 0
        kind, none = np.where(inner, THRESHOLD, NONE).astype(np.int8), np.full(n, -1, np.int64)
        cuts = Cuts(kind, self.feature, self.at, np.zeros(n + 1, np.int64), np.zeros(0, np.int64), none)
        return GrownSubtrees(np.zeros(1, np.int64), np.arange(n), self.counts, cuts, self.first.astype(np.int64))

    @cached_property
    def walk_arrays_of_table(self) -> tuple[Array, ...]:
        """The tree for the native library, as `Flat` has it."""
        leaf = self.feature < 0
        first, at = np.where(leaf, np.arange(len(leaf)), self.first), np.where(leaf, np.inf, self.at)
        steps = native.filled(native.STEP, at=at, line=2 * np.maximum(self.feature, 0), first=first)
        return steps, np.zeros(0, native.QUESTION), np.zeros(0, np.int32), _NOTHING, np.zeros(0, np.int64)

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
        """Each feature's share of the decrease in an impurity, as `ftree.criteria.importances`."""
        inner = np.flatnonzero(self.feature >= 0)
        children = self.counts[self.first[inner, None] + np.arange(2)]
        decrease = schema.response.weight(self.counts[inner]) * gain(children, impurity)
        due = np.bincount(self.feature[inner], decrease, len(schema.features))
        return due / (due.sum() or 1.0)


@frozen(eq=False)
class DrawnGrowth:
    """What the trees of a policy share: the table, the search, and what grows a tree by a search from a bag of rows."""

    dataset: Dataset
    search: DrawnSearch
    grown: Callable[[DrawnSearch, Array], tuple[Array, ...]]

    def tree(self, splits: Sequence[Any], bag: Array | None = None) -> ThresholdNodes | None:
        """The tree of the policy with these splitters, from the rows, or cases, as often as a bag (n,) says; all without one.

        None if a choice is too close to call, or if there is no kernel for the splitters.
        """
        search = _with_splits(self.search, splits, self.dataset.schema.features)
        if search is None:
            return None
        counts = self.dataset.weights
        every = np.ones(len(self.dataset), np.int64) if counts is None or counts.dtype.kind == "f" else counts
        nodes = ThresholdNodes(*self.grown(search, every if bag is None else bag))
        return nodes if len(nodes.feature) else None


def _grown_of_classes(
    dataset: Dataset, table: tuple[Floats, Array, Array], limits: Floats, search: DrawnSearch, bag: Array
) -> tuple[Array, ...]:
    """A tree of classes, given the table as values and ranks (F, n) and labels (n,)."""
    from ftree.growth.kernels.grow_drawn import grow_drawn  # noqa: PLC0415  # it loads numba, which small tables do not need

    weights, whole = _weights(dataset, bag.astype(np.float64))
    total = int(weights.sum()) if whole else _EXACT
    logarithms = _n_log_n(total.bit_length()) if search.impurity == ENTROPY and total < _TABLE else _NOTHING
    search = search._replace(squares=search.impurity == GINI and total < _EXACT, table=logarithms)
    grown: tuple[Array, ...] = grow_drawn(*table, weights, search, limits)
    return grown


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


def draws(policy: Policy) -> bool:
    """Whether a policy draws features or cuts, so that `drawn_trees` may grow its trees."""
    return any(isinstance(splitter, (random_features, random_threshold)) for splitter in policy.splits)


def drawn_tree(dataset: Dataset, policy: Policy, terms: Terms, engine: EngineChoice, n_jobs: int | None) -> ThresholdNodes | None:
    """The tree of a policy that draws, if compiled code should grow it, and has kernels for it."""
    if not is_worth_it(kind_of_forest(dataset), len(dataset) * len(dataset.columns), engine):
        return None
    with thread_pool(n_jobs) as threads:
        growth = drawn_growth(dataset, policy, terms, threads)
        return None if growth is None else growth.tree(policy.splits)


def kind_of_forest(dataset: Dataset) -> str:
    """The kind of kernels that grow forests of a table."""
    return "forests" if dataset.schema.has_classes else OF_NUMBERS


def drawn_growth(dataset: Dataset, policy: Policy, terms: Terms, threads: ThreadPool) -> DrawnGrowth | None:
    """The table laid out for trees of a policy; None if there is no kernel for the policy or the table.

    Kernels know the library's impurities, gain, `threshold` and `random_threshold`, with or without `random_features`, for
    tables of numbers and ordinal values, all of them known, and the stopping rules that `stop_limits` knows.
    """
    of_classes, features = dataset.schema.has_classes, dataset.schema.features
    impurity, stop = impurity_code(policy.impurity), stop_limits(policy.stop, of_classes=of_classes)
    plain = policy.score is gain and isinstance(policy.choose, by_score) and terms.factors is None and not terms.gaps
    plain = plain and terms.variants is None and terms.discount is known_share
    if not of_classes:
        impurity = OWN if isinstance(terms.impurity, Variance) and sums_fit(dataset) else None
    if impurity is None or stop is None or not plain or not features or any(map(has_missing_cells, dataset.columns)):
        return None
    hashes = hashed(np.arange(len(features), dtype=np.uint64))
    given = whole_search(0)._replace(hashes=hashes, impurity=impurity, n_classes=len(dataset.schema.classes))
    search = _with_splits(given, policy.splits, features)
    if search is None or not has_room(_CELL * len(features) * len(dataset)):
        return None
    if impurity == OWN:
        return _growth_of_numbers(dataset, fitting(policy, dataset).impurity, search, stop, threads)
    x, ranks = np.empty((len(features), len(dataset))), np.empty((len(features), len(dataset)), np.uint32)

    def lay(first: int, last: int, _: int) -> None:
        for f in range(first, last):
            x[f] = dataset.columns[f]
            if search.ways[f] == BEST:
                ranks[f] = np.unique(x[f], return_inverse=True)[1]

    threads.share(lay, len(features), x.size)
    table = x, ranks, dataset.target_column.astype(np.int32)
    return DrawnGrowth(dataset, search, partial(_grown_of_classes, dataset, table, np.array(astuple(stop), np.float64)))


def _growth_of_numbers(
    dataset: Dataset, impurity: Any, search: DrawnSearch, stop: StopLimits, threads: ThreadPool
) -> DrawnGrowth:
    """The columns sorted once for all trees; values are laid out only where cuts are drawn."""
    from ftree.growth.engines.engine_of_numbers import compiled_numbers  # noqa: PLC0415  # it loads numba

    criterion = Criterion(np.full(len(search.ways), THRESHOLD), OWN, 0, impurity)
    x = np.array(dataset.columns, np.float64) if (search.ways == DRAWN).any() else np.zeros((0, 0))
    engine = compiled_numbers(evolve(dataset, weights=None), EngineSetup(criterion=criterion, threads=threads))
    return DrawnGrowth(dataset, search, partial(engine.drawn, stop, impurity, x))


def _with_splits(search: DrawnSearch, splits: Sequence[Any], features: Sequence[Feature]) -> DrawnSearch | None:
    """The search with these splitters; None if one has no kernel."""
    drawing = splits[0] if isinstance(splits[0], random_features) else None
    cutting, place = (splits, ()) if drawing is None else (drawing.splitters, (0,))
    of_kind = {kind: _only_splitter(kind, cutting) for kind in {feature.kind for feature in features}}
    if (drawing is not None and len(splits) > 1) or None in of_kind.values():
        return None
    mine: list[Any] = [of_kind[feature.kind] for feature in features]
    return search._replace(
        n=len(features) if drawing is None else min(drawing.n, len(features)),
        ways=np.array([BEST if isinstance(each, threshold) else DRAWN for each in mine], np.int8),
        least=np.array(list(map(_least, mine))),
        stream=_stream(drawing, place),
        cut_streams=np.array([_stream(each, (*place, cutting.index(each))) for each in mine], np.uint64),
    )


def _stream(part: Any, place: tuple[int, ...]) -> Any:
    return stream_of(part, part.seed, place)[0] if hasattr(part, "seed") else np.uint64(0)  # one that draws nothing


def _least(splitter: Any) -> float:
    return splitter.min_cases - SLACK if isinstance(splitter, threshold) else 0.0  # type: ignore[operator]  # it is a number here


def _only_splitter(kind: str, splitters: Sequence[Any]) -> Any:
    """The only splitter of features of a kind, None if kernels do not know it."""
    mine = [each for each in splitters if kind in each.kinds]
    if kind == "nominal" or len(mine) != 1 or not isinstance(mine[0], (threshold, random_threshold)):
        return None
    return None if isinstance(mine[0], threshold) and (mine[0].mdl or callable(mine[0].min_cases)) else mine[0]
