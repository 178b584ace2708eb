"""What every split family works with: the runs of a level, the measure of a split, and the best cut of ordered rows.

A family looks at the values of one feature in one node, a *run* of the AVC-set, for all runs of a level at once, and
answers each run's best score and how to make that split. A frozen callable with `kinds` and the same signature is a
family as good as the library's own.
"""

from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array, first_near_best, run_starts
from ftree._lib.fields import QUIET, ConstructorRepr, a_finite_number, a_function
from ftree._lib.ties import TIE
from ftree.tree.schema import Feature, Kind
from ftree.tree.splits import Oblique, Split, Threshold

# The kinds of feature that have values without an order, and with one.
UNORDERED: tuple[Kind, ...] = ("nominal",)
ORDERED: tuple[Kind, ...] = ("numeric", "ordinal")
# What a weight may lack of a minimum and still reach it: fractions of cases are sums of rounded numbers.
_SLACK = 1e-6

Build: TypeAlias = Callable[[int], tuple[Split, Array]]
Measure: TypeAlias = Callable[[Array], Array]
# The least weight of a child: a number, or a function of the weight known at each run and the number of classes.
Least: TypeAlias = "float | Callable[[Array, int], Array]"


@frozen(eq=False)
class Runs:
    """Runs of known values, one for each open node and feature: row `start` to `end` of `value` and `counts`.

    `feature` numbers the schema's `features`. `key` is a number of each run's node that is made of the way to it, for
    families that draw at random.
    """

    value: Array
    counts: Array
    start: Array
    end: Array
    node: Array
    feature: Array
    features: tuple[Feature, ...]
    key: Array

    @property
    def size(self) -> Array:
        """Number of distinct values present in each run."""
        return self.end - self.start

    @property
    def weight(self) -> Array:
        """Cases of each run."""
        return np.add.reduceat(self.counts.sum(axis=1), self.start) if len(self.start) else np.zeros(0)

    @property
    def kind(self) -> Array:
        """Kind of each run's feature."""
        return np.array([feature.kind for feature in self.features], dtype=str)[self.feature]

    def of_row(self) -> Array:
        """The run that each row of `value` belongs to."""
        return np.repeat(np.arange(len(self.start)), self.size)

    def only(self, numbers: Array) -> "Runs":
        """Some of the runs, with their rows."""
        if len(numbers) == len(self.start):
            return self
        rows = np.flatnonzero(np.isin(self.of_row(), numbers))
        end = np.cumsum(self.size[numbers])
        start = end - self.size[numbers]
        node, feature, key = self.node[numbers], self.feature[numbers], self.key[numbers]
        return Runs(self.value[rows], self.counts[rows], start, end, node, feature, self.features, key)


@frozen(eq=False)
class Found:
    """The best split of each run: its score (-inf for none), and a function that makes it and its children's counts."""

    score: Array
    build: Build


class Family(Protocol):
    """A way to split: which kinds of feature it takes, and the best split of each run of such a feature."""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of feature it takes."""
        ...

    def __call__(self, runs: Runs, measure: Measure) -> Found:
        """Find each run's best split; `measure` scores children's counts (..., V, K)."""
        ...


# What answers each run's best split, whatever kinds of feature it takes.
Finder: TypeAlias = Callable[[Runs, Measure], Found]


@runtime_checkable
class JointFamily(Protocol):
    """A way to split by several features at once: the best split of one node's points."""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of feature it takes."""
        ...

    def best(self, vector: Array, counts: Array, measure: Measure) -> "tuple[float, Oblique | Threshold, Array] | None":
        """Score, split and children's counts of distinct points (U, F) with counts (U, K); None where nothing can be split.

        `vector` has the features of these kinds, NaN where a value is missing, and the split numbers them as its columns.
        """
        ...


def is_family(value: Any) -> bool:
    """Whether something is a split family of single features, and no class of them."""
    return callable(value) and hasattr(value, "kinds") and not isinstance(value, (type, JointFamily))


def numbered(split: Oblique | Threshold, features: Sequence[int], n_features: int) -> Split:
    """A split whose features are numbered as those of a table, in place of columns.

    >>> numbered(Oblique((1, 2), 0.5), (1, 3), 4)
    Oblique(weights=(0.0, 1.0, 0.0, 2.0), at=0.5)
    """
    if isinstance(split, Threshold):
        return Threshold(features[split.feature], split.at)
    weights = dict(zip(features, split.weights, strict=True))
    return Oblique([weights.get(number, 0.0) for number in range(n_features)], split.at)


@frozen(eq=False)
class Cut:
    """The best cut of each run: its score, the row below it, and how many cuts there were to choose from."""

    score: Array
    below: Array
    choices: Array


def best_cuts(runs: Runs, measure: Measure, least: Least = 0) -> Cut:
    """The best cut of each run's rows as they stand, of those with so much weight on both sides; the first of equals."""
    below, left, right = every_cut(runs)
    run = runs.of_row()[below]
    if least:
        admitted = reaches(np.minimum(left.sum(axis=1), right.sum(axis=1)), least_weight(runs, least)[run])
        below, left, right, run = below[admitted], left[admitted], right[admitted], run[admitted]
    return Cut(*best_rows(runs, below, left, right, measure), np.bincount(run, minlength=len(runs.start)))


def best_rows(runs: Runs, rows: Array, left: Array, right: Array, measure: Measure) -> tuple[Array, Array]:
    """Each run's best score of two children that some of its rows stand for, -inf without such rows, and the first best row."""
    scores, best = np.full(len(runs.start), -np.inf), np.zeros(len(runs.start), dtype=np.intp)
    if len(rows):
        score = measure(np.stack([left, right], axis=1))
        run = runs.of_row()[rows]
        first = first_near_best(score, run_starts(run), TIE)
        scores[run[first]], best[run[first]] = score[first], rows[first]
    return scores, best


def every_cut(runs: Runs) -> tuple[Array, Array, Array]:
    """Every cut between two rows of a run: the row below it, and the class counts on its two sides."""
    run = runs.of_row()
    below = np.flatnonzero(run[1:] == run[:-1])
    if not below.size:
        return below, runs.counts[below], runs.counts[below]
    upto = np.cumsum(runs.counts, axis=0)
    before = (upto[runs.start] - runs.counts[runs.start])[run[below]]
    left = upto[below] - before
    return below, left, upto[runs.end[run[below]] - 1] - before - left


def two_sides(runs: Runs, run: int, below: int) -> Array:
    """Class counts of a run's rows up to one, and of those after it."""
    rows = slice(runs.start[run], below + 1), slice(below + 1, runs.end[run])
    return np.stack([runs.counts[side].sum(axis=0) for side in rows])


def asked_each(runs: Runs, families: Iterable[tuple[Finder, Array]], measure: Measure) -> Found:
    """The best of what families find, each for the runs with the numbers it is given; the first family's of equals."""
    n_runs = len(runs.start)
    score, family_of, own = np.full(n_runs, -np.inf), np.zeros(n_runs, dtype=np.intp), np.zeros(n_runs, dtype=np.intp)
    builds: list[Build] = []
    for number, (family, taken) in enumerate(families):
        found = _found(family, runs.only(taken), measure)
        better = found.score > score[taken] + TIE
        score[taken[better]] = found.score[better]
        family_of[taken[better]], own[taken[better]] = number, np.flatnonzero(better)
        builds.append(found.build)

    def build(run: int) -> tuple[Split, Array]:
        make: Build = builds[family_of[run]]
        return make(int(own[run]))

    return Found(score, build)


def _found(family: Finder, runs: Runs, measure: Measure) -> Found:
    """What a family finds, refused with the remedy when it is not one score for each run."""
    found: Any = family(runs, measure)
    if not isinstance(found, Found) or np.shape(found.score) != runs.start.shape:
        came = f"shape {np.shape(found.score)}" if isinstance(found, Found) else repr(found)
        message = f"A split family answers Found(score, build) with a score for each run, {len(runs.start)} here; {came} came."
        raise TypeError(message)
    return found


def least_of_each(group: Array, figure: Array, n: int) -> Array:
    """Numbers of the rows with the least figures of each group, n at most; the first of equals.

    >>> least_of_each(np.array([0, 0, 0, 1]), np.array([3, 1, 2, 9]), 2).tolist()
    [1, 2, 3]
    """
    order = np.lexsort((figure, group))
    starts = run_starts(group[order])
    place = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    least: Array = order[place < n]
    return least


def least_weight(runs: Runs, least: Least) -> Array:
    """The least weight of a child in each run; a function of one's own may answer one number for all."""
    answer = least(runs.weight, runs.counts.shape[1]) if callable(least) else least
    return np.broadcast_to(np.asarray(answer, dtype=np.float64), runs.start.shape)


def reaches(weights: Array, least: Array) -> Array:
    """Where weights reach a minimum, but for rounding."""
    return weights >= least - _SLACK


def a_least_weight(_: Any, attribute: Any, value: Any) -> None:
    """A validator of fields that hold the least weight of a child."""
    if callable(value):
        a_function(_, attribute, value)
    elif not (isinstance(value, (int, float, np.number)) and isfinite(value) and value >= 0):
        message = (
            f"{attribute.name} is a number of cases from 0, or a function of the cases and the number of classes; {value!r} came."
        )
        raise ValueError(message)


@frozen(repr=False)
class c45_min_branch(ConstructorRepr):
    """C4.5's least weight on either side of a numeric cut: a tenth of the mean class, at least `least`, at most `most`.

    Source: Quinlan 1993, section 2.4 and release 8.

    >>> import numpy as np
    >>> c45_min_branch(2)(np.array([10.0, 150.0, 9000.0]), 3).tolist()
    [2.0, 5.0, 25.0]
    """

    least: float = field(default=2, validator=a_finite_number)
    most: float = field(default=25, kw_only=True, metadata=QUIET, validator=a_finite_number)

    def __call__(self, weight: Array, n_classes: int) -> Array:
        """The least weight for each weight known at a node; `least` wins over `most`."""
        return np.maximum(np.minimum(0.1 * weight / n_classes, self.most), self.least)
