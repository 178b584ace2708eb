"""What a splitter is, and what it returns: each run's best score, and a function that makes the split.

A splitter is called once for all runs of a level. Any callable with `kinds` and this signature is a splitter, equivalent to the
library's own. `best_of` has the best splits of several.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, least_tied, run_starts
from ftree._lib.fields import name_of
from ftree.splitters.runs import NodeVectors, Runs
from ftree.tree.schema import Kind
from ftree.tree.splits.split import Split

# From the number of a run to its best split and the class counts of the split's children (V, K).
Build: TypeAlias = Callable[[int], tuple[Split, Array]]
# From class counts of children (..., V, K) to scores (...).
Measure: TypeAlias = Callable[[Array], Array]


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


# The best of several


def best_of(runs: Runs, splitters: Sequence[Splitter], measure: Measure) -> BestSplits:
    """The best split of each run among several splitters, each for the kinds that it takes; the first splitter wins ties.

    >>> import numpy as np
    >>> from ftree import Feature, gain
    >>> from ftree.splitters import Runs, threshold
    >>> runs = Runs.of_one(Feature("x", "numeric"), [1.0, 2.0, 4.0], [[2, 0], [1, 1], [0, 3]])
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
