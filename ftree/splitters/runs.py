"""The input and output of a splitter: runs, the AVC-sets of one feature in one node (RainForest), and the best split of each.

A splitter is called once for all runs of a level. It returns each run's best score and a function that makes the split.
Any callable with `kinds` and this signature is a splitter, equivalent to the library's own.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array, least_tied, row_sums, run_starts
from ftree._lib.fields import QUIET, ConstructorRepr, a_finite_number, a_function, is_finite, name_of
from ftree._lib.messages import short_repr
from ftree._lib.random_numbers import generator_of, uniform_draws
from ftree.criteria.frontier import Avc, Frontier
from ftree.criteria.inherited_state import HasInheritedState
from ftree.tree.response import ResponseOfSums
from ftree.tree.schema import Feature, Kind
from ftree.tree.splits.split import Split

# Kinds of features whose values have no order.
UNORDERED: tuple[Kind, ...] = ("nominal",)
# Kinds of features whose values have an order.
ORDERED: tuple[Kind, ...] = ("numeric", "ordinal")
# From the number of a run to its best split and the class counts of the split's children (V, K).
Build: TypeAlias = Callable[[int], tuple[Split, Array]]
# From class counts of children (..., V, K) to scores (...).
Measure: TypeAlias = Callable[[Array], Array]


@frozen(eq=False)
class Runs:
    """Runs of known values, one for each open node and feature: rows `start` to `end` of `value` and `counts`.

    `value` (R,) holds distinct values in order within a run, `counts` (R, K) their class counts. `feature` numbers the
    schema's `features`. `key` is a number for each run's node, made from the path to the node, for splitters that draw at random;
    `place` is that of the splitter in the policy, as `best_of` sets it. `node` numbers the nodes of the `frontier`, which is
    None for runs that were made by hand. `floating` (runs, K) counts missing values that the first row of each run includes, and
    that `merging` moves to the group that they resemble; None if there are none.

    >>> import numpy as np
    >>> from ftree import Feature
    >>> one, counts = np.array([0]), np.array([[2, 0], [1, 1], [0, 3]])
    >>> runs = Runs(np.array([1.0, 2.0, 4.0]), counts, one, one + 3, one, one, (Feature("x", "numeric"),), one)
    >>> runs.size.tolist(), runs.weight.tolist(), runs.kind.tolist()
    ([3], [7], ['numeric'])
    """

    value: Array
    counts: Array
    start: Array
    end: Array
    node: Array
    feature: Array
    features: tuple[Feature, ...]
    key: Array
    frontier: Frontier | None = None
    place: tuple[int, ...] = ()
    floating: Array | None = None

    @property
    def size(self) -> Array:
        """Number of distinct values present in each run."""
        return self.end - self.start

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

    def inherited(self, part: HasInheritedState) -> Array:
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
        named = self.start, self.end, self.node, self.feature, self.features, self.key, self.frontier
        return Runs(self.value, self.counts, *named, (*self.place, number), self.floating)  # `evolve` takes eight times as long

    def only(self, numbers: Array) -> "Runs":
        """The runs with these numbers, with their rows."""
        if len(numbers) == len(self.start):
            return self
        rows = np.flatnonzero(np.isin(self.run_of_row(), numbers))
        end = np.cumsum(self.size[numbers])
        start = end - self.size[numbers]
        node, feature, key = self.node[numbers], self.feature[numbers], self.key[numbers]
        value, counts, floating = self.value[rows], self.counts[rows], None if self.floating is None else self.floating[numbers]
        return Runs(value, counts, start, end, node, feature, self.features, key, self.frontier, self.place, floating)


def runs_of(avc: Avc, features: Sequence[Feature], frontier: Frontier | None = None) -> Runs:
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
    first, size = start[some], size[some]
    node, feature, end = avc.node[first], avc.feature[first], np.cumsum(size)
    key = np.zeros(len(node), dtype=np.uint64) if frontier is None or frontier.keys is None else frontier.keys[node]
    return Runs(value, counts, end - size, end, node, feature, tuple(features), key, frontier)


def missing_counts(avc: Avc) -> Array:
    """Class counts of the cases whose value is missing, for each run of known values of `runs_of`, (runs, K)."""
    start, end, missing = avc.runs()
    some = end - start > missing
    return np.where(missing[some, None], avc.counts[end[some] - 1], 0)


@frozen(eq=False)
class BestSplits:
    """The best split of each run: its score (-inf for none), and `build`, which makes the split of the run with a number.

    >>> import numpy as np
    >>> from ftree import Feature, gain
    >>> from ftree.splitters import Runs, threshold
    >>> one, counts = np.array([0]), np.array([[2, 0], [1, 1], [0, 3]])
    >>> runs = Runs(np.array([1.0, 2.0, 4.0]), counts, one, one + 3, one, one, (Feature("x", "numeric"),), one)
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
    node: Frontier | None = None
    place: tuple[int, ...] = ()

    def inherited(self, part: HasInheritedState) -> Any:
        """The inherited state of a part of the policy at the node."""
        return (
            part.at_root(self.features) if self.node is None or self.node.inherited_state is None else self.node.inherited(part)
        )

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


# The option `min_cases` of splitters


# The least weight of a child: a number, or a function of the weight known at each run and the number of classes.
LeastWeight: TypeAlias = "float | Callable[[Array, int], Array]"
# C4.5's share of the mean class.
C45_SHARE = 0.1


@frozen
class c45_min_branch(ConstructorRepr):
    """C4.5's least weight of both children of a numeric cut: a tenth of the mean class, between `least` and `most` cases.

    If `least` is above `most`, `least` applies. Pass it as the `min_cases` of `threshold`.

    Source: Quinlan 1993, section 2.4 and release 8.

    >>> import numpy as np
    >>> c45_min_branch(2)(np.array([10.0, 150.0, 9000.0]), 3).tolist()
    [2.0, 5.0, 25.0]
    """

    least: float = field(default=2, validator=a_finite_number)
    most: float = field(default=25, kw_only=True, metadata=QUIET, validator=a_finite_number)

    def __call__(self, weight: Array, n_classes: int) -> Array:
        """The least weight for each weight known at a node."""
        return np.maximum(np.minimum(C45_SHARE * weight / n_classes, self.most), self.least)


def a_least_weight(_: Any, attribute: Any, value: Any) -> None:
    """A validator of fields that hold the least weight of a child."""
    if callable(value):
        a_function(_, attribute, value)
    elif not (is_finite(value) and value >= 0):
        wanted = "a finite number of cases from 0, or a function of the cases and the number of classes"
        raise ValueError(f"{attribute.name} must be {wanted}, got {short_repr(value)}.")


def least_weight(runs: Runs, least: LeastWeight) -> Array:
    """The least weight of a child in each run; a function may return one number for all runs."""
    weight = least(runs.weight, runs.counts.shape[1]) if callable(least) else least
    return np.broadcast_to(np.asarray(weight, dtype=np.float64), runs.start.shape)


def reach_weight(weights: Array, least: Array) -> Array:
    """Where weights reach a minimum, except for rounding errors."""
    return weights >= least - SLACK


# Weights may fall short of a minimum by this much, since fractional cases are sums of rounded numbers.
SLACK = 1e-6


# The best of several


def best_of(runs: Runs, splitters: Sequence[Splitter], measure: Measure) -> BestSplits:
    """The best split of each run among several splitters, each for the kinds that it takes; the first splitter wins ties.

    >>> import numpy as np
    >>> from ftree import Feature, gain
    >>> from ftree.splitters import Runs, threshold
    >>> one, counts = np.array([0]), np.array([[2, 0], [1, 1], [0, 3]])
    >>> runs = Runs(np.array([1.0, 2.0, 4.0]), counts, one, one + 3, one, one, (Feature("x", "numeric"),), one)
    >>> best_of(runs, [threshold(min_cases=3), threshold()], gain).score.round(3).tolist()
    [0.522]
    """
    kind = runs.kind
    taken = [np.flatnonzero(np.isin(kind, splitter.kinds)) for splitter in splitters]
    return best_placed(runs, zip(splitters, taken, strict=True), measure)


def best_placed(runs: Runs, parts: Iterable[tuple[Splitter, Array]], measure: Measure) -> BestSplits:
    """The best splits of several splitters, each for the runs with the given numbers; the first splitter wins ties.

    Each draws by its own place: that of the runs, and its number.
    """
    placed = [(partial(_at_place, number, splitter), taken) for number, (splitter, taken) in enumerate(parts)]
    return best_found(runs, placed, measure)


def _at_place(number: int, splitter: Splitter, runs: Runs, measure: Measure) -> BestSplits:
    """The splits of a splitter; it must have one score for each run."""
    found: Any = splitter(runs.at(number), measure)
    if not isinstance(found, BestSplits) or np.shape(found.score) != runs.start.shape:
        got = f"scores of shape {np.shape(found.score)}" if isinstance(found, BestSplits) else f"a {type(found).__name__}"
        wanted = f"BestSplits(score, build) with {len(runs.start)} scores, one for each run"
        raise TypeError(f"The result of the splitter {name_of(splitter)} must be {wanted}, got {got}.")
    return found


def best_found(runs: Runs, finders: Iterable[tuple[Finder, Array]], measure: Measure) -> BestSplits:
    """The best splits of several finders, each for the runs with the given numbers; the first finder wins ties."""
    n_runs = len(runs.start)
    score, finder_of, own = np.full(n_runs, -np.inf), np.zeros(n_runs, dtype=np.intp), np.zeros(n_runs, dtype=np.intp)
    builds: list[Build] = []
    for number, (finder, taken) in enumerate(finders):
        found = finder(runs.only(taken), measure)
        better = least_tied(found.score, exact=runs.exact) > score[taken]
        score[taken[better]] = found.score[better]
        finder_of[taken[better]], own[taken[better]] = number, np.flatnonzero(better)
        builds.append(found.build)

    def build(run: int) -> tuple[Split, Array]:
        make: Build = builds[finder_of[run]]
        return make(int(own[run]))

    return BestSplits(score, build)


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


def without_limits(splitter: Any, **limits: Any) -> None:
    """Raise a ValueError if a splitter has limits that a list of candidates cannot keep.

    >>> without_limits("threshold()", min_cases=5)
    Traceback (most recent call last):
    ValueError: min_cases must not be set where candidates are listed, got 5 for threshold(). optimal takes min_leaf.
    """
    for name, value in limits.items():
        if value:
            remedy = "optimal takes min_leaf."
            raise ValueError(f"{name} must not be set where candidates are listed, got {value!r} for {splitter}. {remedy}")
