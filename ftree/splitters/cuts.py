"""Cuts of ordered rows: every cut of each run, the best one, divisions into several parts, and the least weight of a child.

A division is an array (R,): for each row of the runs, the number of the first row of its part.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve, field, frozen

from ftree import native
from ftree._lib.arrays import MANY_IN_A_ROW, Array, blocks_of, end_to_end, first_near_best, midpoint, run_starts
from ftree._lib.fields import QUIET, ConstructorRepr, a_finite_number, a_function, is_finite
from ftree._lib.messages import short_repr
from ftree.splitters.runs import BestSplits, Measure, Runs
from ftree.tree.splits import Groups, Intervals
from ftree.tree.splits.split import Split

# Splits that are measured at once.
_BLOCK = 1 << 13
# From this many values on, the native library lists cuts, if counts have one of these types.
_MANY, _NATIVE = 1000, (np.int64, np.float64)
# The option `min_cases`, the least weight of a child: a number, or a function of the weight known at each run and the number of
# classes, such as `c45_min_branch`. Each splitter says of which children: of all, in `multiway` of two, in `merging` of groups.
LeastWeight: TypeAlias = "float | Callable[[Array, int], Array]"
# A whole number, including those from arrays.
WholeNumber: TypeAlias = "int | np.integer[Any]"


@frozen(eq=False)
class BestCuts:
    """The best cut of each run: its score (-inf for none), the row below it, and the number of cuts to choose from."""

    score: Array
    below: Array
    n_cuts: Array


def best_cuts(runs: Runs, measure: Measure, least: LeastWeight = 0) -> BestCuts:
    """The best cut between two rows of each run, with `least` cases on both sides; the first of equal ones.

    >>> import numpy as np
    >>> from ftree import Feature, gain
    >>> from ftree.splitters import Runs
    >>> runs = Runs.of_one(Feature("x", "numeric"), [1.0, 2.0, 4.0], [[2, 0], [1, 1], [0, 3]])
    >>> best_cuts(runs, gain).score.round(3).tolist()
    [0.522]
    """
    if not least and len(runs.value) >= _MANY and runs.counts.dtype in _NATIVE and native.is_here():
        return _best_in_blocks(runs, measure)
    below, left, right = every_cut(runs)
    run = runs.run_of_row()[below]
    if least:
        admitted = reach_weight(np.minimum(runs.weight_of(left), runs.weight_of(right)), least_weight(runs, least)[run])
        below, left, right, run = below[admitted], left[admitted], right[admitted], run[admitted]
    return BestCuts(*best_rows(runs, below, left, right, measure), np.bincount(run, minlength=len(runs.start)))


def every_cut(runs: Runs) -> tuple[Array, Array, Array]:
    """Every cut between two rows of a run: the row below it, and the class counts on its two sides.

    >>> import numpy as np
    >>> from ftree import Feature
    >>> from ftree.splitters import Runs
    >>> runs = Runs.of_one(Feature("x", "numeric"), [1.0, 2.0, 4.0], [[2, 0], [1, 1], [0, 3]])
    >>> [part.tolist() for part in every_cut(runs)]
    [[0, 1], [[2, 0], [3, 1]], [[1, 4], [0, 3]]]
    """
    run = runs.run_of_row()
    below = np.flatnonzero(run[1:] == run[:-1])
    if not below.size:
        return below, runs.counts[below], runs.counts[below]
    counts = np.ascontiguousarray(runs.counts.T)
    upto = np.cumsum(counts, axis=1)
    before, n_cuts = upto.take(runs.start, axis=1) - counts.take(runs.start, axis=1), np.maximum(runs.size - 1, 0)
    left = upto.take(below, axis=1) - before.repeat(n_cuts, axis=1)
    return below, left.T, ((upto.take(runs.end - 1, axis=1) - before).repeat(n_cuts, axis=1) - left).T


def two_sides(runs: Runs, run: WholeNumber, below: WholeNumber) -> Array:
    """Class counts (2, K) of a run's rows up to `below`, and of those after it.

    >>> import numpy as np
    >>> from ftree import Feature
    >>> from ftree.splitters import Runs
    >>> runs = Runs.of_one(Feature("x", "numeric"), [1.0, 2.0, 4.0], [[2, 0], [1, 1], [0, 3]])
    >>> two_sides(runs, 0, 1).tolist()
    [[3, 1], [0, 3]]
    """
    rows = slice(runs.start[run], below + 1), slice(below + 1, runs.end[run])
    return np.stack([runs.counts[side].sum(axis=0) for side in rows])


def best_rows(runs: Runs, rows: Array, left: Array, right: Array, measure: Measure) -> tuple[Array, Array]:
    """The best score of each run, -inf for none, and the first row that reaches it.

    Each of `rows` stands for a binary split, whose children have the counts `left` and `right`.
    """
    scores, best = np.full(len(runs.start), -np.inf), np.zeros(len(runs.start), dtype=np.intp)
    if len(rows):
        score = measured_sides(left, right, measure)
        run = runs.run_of_row()[rows]
        first = first_near_best(score, run_starts(run), exact=runs.exact)
        scores[run[first]], best[run[first]] = score[first], rows[first]
    return scores, best


def _best_in_blocks(runs: Runs, measure: Measure) -> BestCuts:
    """The best cut of each run; counts are made in blocks that fit a processor's cache."""
    n_cuts = np.maximum(runs.size - 1, 0)
    scores, below = np.full(len(runs.start), -np.inf), np.zeros(len(runs.start), dtype=np.intp)
    cut = np.flatnonzero(n_cuts)
    if len(cut):
        score, first = end_to_end(list(_scores_in_blocks(runs, int(n_cuts.sum()), measure))), np.cumsum(n_cuts) - n_cuts
        best = first_near_best(score, first[cut], exact=runs.exact)
        scores[cut], below[cut] = score[best], best - first[cut] + runs.start[cut]
    return BestCuts(scores, below, n_cuts)


def _scores_in_blocks(runs: Runs, n: int, measure: Measure) -> Iterator[Array]:
    """The scores of all cuts, run after run, measured block by block."""
    counts, n_classes = np.ascontiguousarray(runs.counts), runs.counts.shape[1]
    place, so_far, total = np.array([-1, 0]), np.zeros(n_classes), np.zeros(n_classes)
    edges = (np.ascontiguousarray(each, np.int64) for each in (runs.start, runs.end))
    fill = native.prepared("fill_sides", counts.view(np.float64), counts.dtype != np.float64, *edges, place, so_far, total)
    for start in range(0, n, _BLOCK):
        sides = np.empty((n_classes, 2, min(_BLOCK, n - start)), counts.dtype)
        fill(sides.view(np.float64))
        yield measure(sides.T if n_classes < MANY_IN_A_ROW else np.ascontiguousarray(sides.T))


def measured_sides(left: Array, right: Array, measure: Measure) -> Array:
    """The score of each binary split, by the class counts of its sides, measured in blocks that fit a processor's cache.

    Few classes are put on the first axis, since NumPy adds up whole arrays many times faster than many short rows. With eight
    classes or more, this would change the order of addition.
    """
    n, n_classes = left.shape
    order: Any = "F" if n_classes < MANY_IN_A_ROW else "C"
    scores = []
    for rows in blocks_of(0, n, _BLOCK):
        children = np.empty((rows.stop - rows.start, 2, n_classes), left.dtype, order=order)
        children[:, 0], children[:, 1] = left[rows], right[rows]
        scores.append(measure(children))
    return end_to_end(scores)


# Divisions into several parts


def merged_rows(runs: Runs, first: Array) -> Runs:
    """The runs with one row for each part: the value of its first row, and the sum of its rows' counts."""
    leads = first == np.arange(len(first))
    rows = np.flatnonzero(leads)
    counts = sums_of_parts(runs.counts, (np.cumsum(leads) - 1)[first], len(rows))
    return evolve(runs, value=runs.value[rows], counts=counts, size=np.add.reduceat(leads, runs.start, dtype=np.intp))


def sums_of_parts(counts: Array, part: Array, n: int) -> Array:
    """The sum of the counts (R, K) in each of n parts, given each row's part (R,); sums of counts are exact in floats.

    >>> sums_of_parts(np.array([[1, 0], [0, 2], [3, 0]]), np.array([0, 1, 0]), 2).tolist()
    [[4, 0], [0, 2]]
    """
    return np.column_stack([np.bincount(part, of_class, n) for of_class in counts.T]).astype(counts.dtype)


def division_from(begins: Array) -> Array:
    """The division into parts that begin where the mask is true; it must be true in the first row.

    >>> division_from(np.array([True, False, True])).tolist()
    [0, 0, 2]
    """
    first: Array = np.flatnonzero(begins)[np.cumsum(begins) - 1]
    return first


def nested_division(first: Array, further: Array) -> Array:
    """The combination of two nested divisions: `further` merges the parts of `first`, each given as one row.

    >>> nested_division(np.array([0, 1, 0, 3]), np.array([0, 1, 1])).tolist()
    [0, 1, 0, 1]
    """
    rows, part = np.unique(first, return_inverse=True)
    nested: Array = rows[further[part]]
    return nested


def splits_into(runs: Runs, first: Array, score: Array) -> BestSplits:
    """The splits of each run into the given parts: intervals, or groups of values for a nominal feature."""
    parts = merged_rows(runs, first)

    def build(run: int) -> tuple[Split, Array]:
        return _split(runs, first, run), parts.counts[parts.start[run] : parts.end[run]]

    return BestSplits(score, build)


def _split(runs: Runs, first: Array, run: int) -> Split:
    rows, feature = slice(runs.start[run], runs.end[run]), int(runs.feature[run])
    value, part = runs.value[rows], first[rows]
    if runs.features[feature].kind == "nominal":
        return Groups(feature, [value[part == number].astype(np.intp).tolist() for number in np.unique(part)])
    last = np.flatnonzero(part[1:] != part[:-1])
    return Intervals(feature, midpoint(value[last], value[last + 1]).tolist())


# The option `min_cases` of splitters


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
