"""The values of a nominal feature in two parts: the best subset, or one value against the rest."""

from itertools import product

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Array
from ftree._lib.fields import QUIET, ConstructorRepr, a_whole_number
from ftree._lib.ties import TIE
from ftree.splitters.base import (
    UNORDERED,
    Found,
    Least,
    Measure,
    Runs,
    a_least_weight,
    asked_each,
    best_cuts,
    best_rows,
    least_weight,
    reaches,
)
from ftree.tree.splits import Split, Subset

_TWO = 2
# Beyond, the ways to divide the values of one node in two are too many to try, 2 to the power of so many less 1.
_MOST = 20


@frozen(repr=False)
class subset(ConstructorRepr):
    """Two children, the values present divided in two, each with `min_cases` cases; child 0 has the first of the values.

    For two classes values are put in the order of a class's share and cut, which is the best division for a concave
    impurity (Breiman et al. 1984, theorem 4.5). For more classes every division is tried where at most `exact` values are
    present, 2^(exact - 1) - 1 of them; beyond, the order of each class's share is tried, a heuristic.

    >>> subset()
    subset()
    """

    kinds = UNORDERED

    exact: int = field(default=10, kw_only=True, metadata=QUIET, validator=a_whole_number(0, most=_MOST, of="values"))
    min_cases: Least = field(default=0, kw_only=True, metadata=QUIET, validator=a_least_weight)

    def __call__(self, runs: Runs, measure: Measure) -> Found:
        """Score each run by its best division in two."""
        if runs.counts.shape[1] <= _TWO or not self.exact:
            return self._in_order(runs, measure)
        few = runs.size <= self.exact
        return asked_each(runs, [(self._every_way, np.flatnonzero(few)), (self._in_order, np.flatnonzero(~few))], measure)

    def _in_order(self, runs: Runs, measure: Measure) -> Found:
        n_classes = runs.counts.shape[1]
        orders = [_by_share(runs, label) for label in range(1 if n_classes <= _TWO else n_classes)]  # two mirror each other
        cuts = [best_cuts(ordered, measure, self.min_cases) for ordered in orders]
        scores = np.array([cut.score for cut in cuts])
        # The first order within a tie of the best, for each run.
        which = (scores >= scores.max(axis=0) - TIE).argmax(axis=0)

        def build(run: int) -> tuple[Split, Array]:
            ordered, below = orders[which[run]], cuts[which[run]].below[run]
            members = ordered.value[ordered.start[run] : below + 1]
            return _divided(runs, run, members)

        return Found(scores.max(axis=0), build)

    def _every_way(self, runs: Runs, measure: Measure) -> Found:
        scores = np.full(len(runs.start), -np.inf)
        ways = np.zeros(len(runs.start), dtype=np.intp)
        least = least_weight(runs, self.min_cases)
        for size in np.unique(runs.size[runs.size > 1]).tolist():
            same = np.flatnonzero(runs.size == size)
            children = _two_sides(runs.counts[runs.start[same, None] + np.arange(size)], _ways(size))
            enough = reaches(children.sum(axis=3).min(axis=2), least[same, None])
            score = np.where(enough, measure(children), -np.inf)
            scores[same] = score.max(axis=1)
            ways[same] = (score >= score.max(axis=1, keepdims=True) - TIE).argmax(axis=1)

        def build(run: int) -> tuple[Split, Array]:
            chosen = _ways(int(runs.size[run]))[ways[run]]
            return _divided(runs, run, runs.value[runs.start[run] : runs.end[run]][chosen.astype(bool)])

        return Found(scores, build)


@frozen(repr=False)
class one_value(ConstructorRepr):
    """Two children: one value of those present, and all others; each with `min_cases` cases.

    >>> one_value(min_cases=2)
    one_value(min_cases=2)
    """

    kinds = UNORDERED

    min_cases: Least = field(default=0, kw_only=True, metadata=QUIET, validator=a_least_weight)

    def __call__(self, runs: Runs, measure: Measure) -> Found:
        """Score each run by the best of its values against the rest."""
        run = runs.of_row()
        if not len(run):
            return Found(np.full(len(runs.start), -np.inf), lambda _: _divided(runs, 0, runs.value))
        rest = np.add.reduceat(runs.counts, runs.start)[run] - runs.counts
        least = np.minimum(runs.counts.sum(axis=1), rest.sum(axis=1))
        rows = np.flatnonzero((runs.size > 1)[run] & reaches(least, least_weight(runs, self.min_cases)[run]))
        scores, best = best_rows(runs, rows, runs.counts[rows], rest[rows], measure)
        return Found(scores, lambda number: _divided(runs, number, runs.value[best[number] : best[number] + 1]))


def _divided(runs: Runs, run: int, members: Array) -> tuple[Split, Array]:
    """The split with these members on one side, that side first which has the first value; and its children's counts."""
    rows = slice(runs.start[run], runs.end[run])
    inside = np.isin(runs.value[rows], members)
    inside = inside if inside[0] else ~inside
    counts = runs.counts[rows]
    split = Subset(int(runs.feature[run]), tuple(runs.value[rows][inside].astype(np.intp).tolist()))
    return split, np.stack([counts[inside].sum(axis=0), counts[~inside].sum(axis=0)])


def _ways(size: int) -> Array:
    """Every division of so many values in two, (ways, size): 1 for those on the side of the first value."""
    return np.array([(1, *others) for others in product((1, 0), repeat=size - 1)][1:], dtype=np.intp)


def _two_sides(counts: Array, inside: Array) -> Array:
    """Class counts of both sides of each division (ways, V) of each table (runs, V, K): (runs, ways, 2, K)."""
    left = np.einsum("wv,rvk->rwk", inside, counts)
    return np.stack([left, counts.sum(axis=1)[:, None] - left], axis=2)


def _by_share(runs: Runs, label: int) -> Runs:
    """The rows of each run in the order of one class's share; equal shares stay in value order."""
    share = runs.counts[:, label] / runs.counts.sum(axis=1)
    order = np.lexsort((share, runs.of_row()))
    return evolve(runs, value=runs.value[order], counts=runs.counts[order])
