"""What a splitter gets and returns: runs, the AVC-sets of one feature in one node (RainForest), and the best split of each.

A splitter is called once for all runs of a level. It returns each run's best score and a function that makes the split.
Any callable with `kinds` and this signature is a splitter, equivalent to the library's own.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt
from attrs import Factory, evolve, field, frozen

from ftree._lib.arrays import Array, least_tied, row_sums, run_starts
from ftree._lib.random_numbers import generator_of, uniform_draws
from ftree.criteria.frontier import Avc, Nodes
from ftree.tree.response_protocol import ResponseOfSums
from ftree.tree.schema import Feature, Kind
from ftree.tree.splits.split import Split

if TYPE_CHECKING:
    from ftree.criteria.inherited_state import HasInheritedState

# Kinds of features whose values have no order.
UNORDERED: tuple[Kind, ...] = ("nominal",)
# Kinds of features whose values have an order.
ORDERED: tuple[Kind, ...] = ("numeric", "ordinal")
# From the number of a run to its best split and the class counts of the split's children (V, K).
Build: TypeAlias = Callable[[int], tuple[Split, Array]]
# From class counts of children (..., V, K) to scores (...).
Measure: TypeAlias = Callable[[Array], Array]


@frozen(eq=False, kw_only=True)
class Runs:
    """Runs of known values, one for each open node and feature; their rows stand one run after the other.

    ======================  ================  =================================================================================
    field                   shape             what
    ======================  ================  =================================================================================
    ``value``, ``counts``   (R,), (R, K)      distinct values, in order within a run; their class counts, or other sums
    ``size``                (runs,)           how many rows a run has
    ``start``, ``end``      (runs,)           its first row, and the one after its last
    ``node``, ``feature``   (runs,)           numbers of nodes in `frontier`, and of features in `features`
    ``key``                 (runs,)           a number made from the path to the node, for splitters that draw at random
    ``floating``            (runs, K)         counts of missing values that the first row has, and `merging` moves; or None
    ======================  ================  =================================================================================

    `frontier` is None for runs that were made by hand; `place` is that of the splitter in the policy, as `best_of` sets it.

    >>> runs = Runs.of_one(Feature("x", "numeric"), [1.0, 2.0, 4.0], [[2, 0], [1, 1], [0, 3]])
    >>> runs.size.tolist(), runs.weight.tolist(), runs.kind.tolist()
    ([3], [7], ['numeric'])
    """

    value: Array
    counts: Array
    size: Array
    node: Array
    feature: Array
    features: tuple[Feature, ...]
    key: Array
    frontier: Nodes | None = None
    place: tuple[int, ...] = ()
    floating: Array | None = None
    end: Array = field(init=False, default=Factory(lambda runs: np.cumsum(runs.size), takes_self=True))
    start: Array = field(init=False, default=Factory(lambda runs: runs.end - runs.size, takes_self=True))

    @classmethod
    def of_one(cls, feature: Feature, values: npt.ArrayLike, counts: npt.ArrayLike) -> "Runs":
        """The run of a single feature at a single node, given its distinct values in order and their class counts."""
        value, zero = np.asarray(values), np.zeros(1, np.intp)
        size, key = np.array([len(value)]), np.zeros(1, np.uint64)
        return cls(value=value, counts=np.asarray(counts), size=size, node=zero, feature=zero, features=(feature,), key=key)

    @property
    def weight(self) -> Array:
        """Cases of each run."""
        return np.add.reduceat(self.weight_of(self.counts), self.start) if len(self.start) else np.zeros(0)

    @property
    def response(self) -> ResponseOfSums | None:
        """What the counts are sums of; None for classes."""
        return None if self.frontier is None else self.frontier.response

    @property
    def exact(self) -> bool:
        """Whether scores tie by their ratio, as those of numbers, whose sums are exact."""
        return self.response is not None and self.response.squared > 0

    @property
    def in_order(self) -> bool:
        """Whether the best division in two of unordered values is one in the order of a figure, as for two classes and means."""
        if self.response is None:
            return bool(self.counts.shape[1] <= 2)  # noqa: PLR2004  # two classes
        return not self.response.options.any_division

    def weight_of(self, counts: Array) -> Array:
        """Cases of rows with such counts, (R, K) to (R,)."""
        cases: Array = row_sums(counts) if self.response is None else self.response.weight(counts)
        return cases

    @property
    def kind(self) -> Array:
        """Kind of each run's feature."""
        return np.array([feature.kind for feature in self.features], dtype=str)[self.feature]

    def inherited(self, part: "HasInheritedState") -> Array:
        """The inherited state of a part of the policy at each run's node, objects (runs,)."""
        if self.frontier is None or self.frontier.inherited_state is None:
            return np.fromiter((part.at_root(self.features) for _ in self.node), object, len(self.node))
        inherited: Array = self.frontier.inherited(part)[self.node]
        return inherited

    def draws(self, part: object, seed: int) -> Array:
        """Random numbers from 0 to below 1, one a run, by a part's type and place, its seed, the node and the feature."""
        return uniform_draws(part, seed, self.key, self.feature, self.place)

    def run_of_row(self) -> Array:
        """The run to which each row of `value` belongs."""
        return np.repeat(np.arange(len(self.start)), self.size)

    def at(self, number: int) -> "Runs":
        """The runs for the part with this number, for splitters made of parts."""
        return evolve(self, place=(*self.place, number))

    def only(self, numbers: Array) -> "Runs":
        """The runs with these numbers, with their rows."""
        if len(numbers) == len(self.size):
            return self
        return self.regrouped(numbers, self.size[numbers], np.flatnonzero(np.isin(self.run_of_row(), numbers)))

    def regrouped(self, run: Array, size: Array, places: Any = slice(None)) -> "Runs":
        """A run for each number in `run`, with the node and the feature of that run, and the next `size` rows, at these `places`.

        >>> runs = Runs.of_one(Feature("x", "numeric"), [1.0, 2.0, 4.0], [[2, 0], [1, 1], [0, 3]])
        >>> halves = runs.regrouped(np.array([0, 0]), np.array([1, 2]))
        >>> halves.feature.tolist(), halves.start.tolist(), halves.value.tolist()
        ([0, 0], [0, 1], [1.0, 2.0, 4.0])
        """
        return evolve(
            self,
            value=self.value[places],
            counts=self.counts[places],
            size=size,
            node=self.node[run],
            feature=self.feature[run],
            key=self.key[run],
            floating=None if self.floating is None else self.floating[run],
        )


def runs_of(avc: Avc, features: Sequence[Feature], frontier: Nodes | None = None) -> Runs:
    """The runs of known values among the counts of a level; keys are those of the frontier's nodes, zeros without any.

    >>> nan, zero = np.nan, np.array([0, 0, 0])
    >>> runs_of(Avc(zero, zero, np.array([1.0, 2.0, nan]), np.array([[2, 0], [0, 1], [1, 1]])), (Feature("x", "numeric"),)).value
    array([1., 2.])
    """
    start, end, missing = avc.runs()
    value, counts = avc.value, avc.counts
    if missing.any():
        value, counts = (np.delete(rows, end[missing] - 1, axis=0) for rows in (value, counts))
    some = (size := end - start - missing) > 0
    node, feature = avc.node[start[some]], avc.feature[start[some]]
    key = np.zeros(len(node), dtype=np.uint64) if frontier is None or frontier.keys is None else frontier.keys[node]
    of_nodes: Any = {"node": node, "key": key, "frontier": frontier}
    return Runs(value=value, counts=counts, size=size[some], feature=feature, features=tuple(features), **of_nodes)


def missing_counts(avc: Avc) -> Array:
    """Class counts of the cases whose value is missing, for each run of known values of `runs_of`, (runs, K)."""
    start, end, missing = avc.runs()
    some = end - start > missing
    return np.where(missing[some, None], avc.counts[end[some] - 1], 0)


# What splitters return


@frozen(eq=False)
class BestSplits:
    """The best split of each run: its score (-inf for none), and `build`, which makes the split of the run with a number.

    >>> import numpy as np
    >>> from ftree import Feature, gain
    >>> from ftree.splitters import Runs, threshold
    >>> runs = Runs.of_one(Feature("x", "numeric"), [1.0, 2.0, 4.0], [[2, 0], [1, 1], [0, 3]])
    >>> best = threshold()(runs, gain)
    >>> best.score.round(3).tolist(), best.build(0)[0]
    ([0.522], Threshold(feature=0, at=3.0))
    """

    score: Array
    _build: Build

    def build(self, run: int) -> tuple[Split, Array]:
        """The best split of a run, and the class counts of its children (V, K). Raises a ValueError for a run without a split."""
        if not self.score[run] > -np.inf:
            raise ValueError(f"run must be one with a split, got {run}, whose score is {self.score[run]}.")
        return self._build(run)


# A function that finds each run's best split, without stating the kinds of feature that it takes.
Finder: TypeAlias = Callable[[Runs, Measure], BestSplits]


class Splitter(Protocol):
    """A way in which a feature divides the cases of a node, such as `threshold()` or your own function with `kinds`."""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of feature that it takes."""
        ...

    def __call__(self, runs: Runs, measure: Measure, /) -> BestSplits:
        """Find each run's best split; `measure` scores children's counts (..., V, K)."""
        ...


# Splitters of several features


@frozen(eq=False)
class NodeVectors:
    """The distinct vectors of values at one node (U, F), NaN where a value is missing, with their class counts (U, K).

    `features` are those of the columns. `key` is a number made from the path to the node, for splitters that draw at random, and
    `node` the node itself; without growth, they are 0 and None. `place` is that of the splitter in the policy.

    >>> NodeVectors(np.array([[1.0, 2.0]]), np.array([[2, 0]]), (Feature("x", "numeric"), Feature("y", "numeric"))).key
    0
    """

    vector: Array
    counts: Array
    features: tuple[Feature, ...]
    key: int = 0
    node: Nodes | None = None
    place: tuple[int, ...] = ()

    def inherited(self, part: "HasInheritedState") -> Any:
        """The inherited state of a part of the policy at the node."""
        node = self.node
        return part.at_root(self.features) if node is None or node.inherited_state is None else node.inherited(part)

    def generator(self, part: object, seed: int) -> np.random.Generator:
        """Random numbers for this node, by a part's type and place, and its seed."""
        (draw,) = uniform_draws(part, seed, np.array([self.key], np.uint64), np.zeros(1, np.uint64), self.place)
        return generator_of(int(draw * 2.0**53))


@runtime_checkable
class JointSplitter(Protocol):
    """A splitter of several features at once, such as `oblique()`: it finds the best split of one node's points."""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of feature that it takes."""
        ...

    def best(self, vectors: NodeVectors, measure: Measure, /) -> "tuple[float, Split, Array] | None":
        """Score, split and children's counts for the vectors of one node; None if there is no split.

        The vectors have the features of these kinds; the split numbers features as their columns.
        """
        ...


def is_splitter(value: Any) -> bool:
    """Whether a value is a splitter of single features, and not a class that must be called first.

    >>> from ftree.splitters.thresholds import threshold
    >>> is_splitter(threshold()), is_splitter(threshold)
    (True, False)
    """
    return callable(value) and hasattr(value, "kinds") and not isinstance(value, (type, JointSplitter))


def first_best(scores: Array, axis: int = 0, *, exact: bool = False) -> Any:
    """Number of the best score along an axis; the first of those within a tie.

    >>> int(first_best(np.array([1.0, 3.0, 3.0 + 1e-12])))
    1
    """
    return (scores >= least_tied(scores.max(axis=axis, keepdims=True), exact=exact)).argmax(axis=axis)


def least_of_each(group: Array, figure: Array, n: int) -> Array:
    """Numbers of the rows with the n smallest figures of each group; the first of equal ones.

    >>> least_of_each(np.array([0, 0, 0, 1]), np.array([3, 1, 2, 9]), 2).tolist()
    [1, 2, 3]
    """
    order = np.lexsort((figure, group))
    starts = run_starts(group[order])
    rank = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    least: Array = order[rank < n]
    return least


# Candidate splits that are known before growth, which `ftree.exact.optimal` requests


@frozen(eq=False)
class DistinctValues:
    """The distinct known values of a column: `values` (V,) in order, codes or numbers, and the number of cases of each (V,).

    `feature` is the number of the feature in the schema, and `name` its name.

    >>> import numpy as np
    >>> from ftree.splitters import threshold
    >>> threshold().candidates(DistinctValues(0, "size", np.array([1.0, 2.0, 4.0]), np.array([5, 1, 3])))
    [Threshold(feature=0, at=1.5), Threshold(feature=0, at=3.0)]
    """

    feature: int
    name: str
    values: Array
    cases: Array


@runtime_checkable
class ListsCandidates(Protocol):
    """A splitter that can list the splits of a column; it needs no other method."""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of feature that it takes."""
        ...

    def candidates(self, column: DistinctValues, /) -> Sequence[Split]:
        """All splits of the column that it allows."""
        ...


def without_limits(splitter: Any, *, remedy: str = "optimal takes min_leaf.", **limits: Any) -> None:
    """Raise a ValueError if a splitter has limits that a list of candidates cannot keep.

    >>> without_limits("threshold()", min_cases=5)
    Traceback (most recent call last):
    ValueError: min_cases must not be set where candidates are listed, got 5 for threshold(). optimal takes min_leaf.
    """
    for name, value in limits.items():
        if value:
            raise ValueError(f"{name} must not be set where candidates are listed, got {value!r} for {splitter}. {remedy}")
