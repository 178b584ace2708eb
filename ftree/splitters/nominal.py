"""Splitters of nominal features: `multiway` has a child for each value, `subset` and `one_value` divide the values in two."""

from itertools import compress, product

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Array
from ftree._lib.fields import QUIET, ConstructorRepr, a_whole_number, true_or_false
from ftree._lib.messages import short_repr
from ftree.splitters.combine import best_found
from ftree.splitters.cuts import LeastWeight, a_least_weight, best_cuts, best_rows, least_weight, reach_weight
from ftree.splitters.runs import UNORDERED, BestSplits, DistinctValues, Measure, Runs, first_best, without_limits
from ftree.tree.splits import Multiway, Subset
from ftree.tree.splits.split import Split


@frozen
class multiway(ConstructorRepr):
    """One child for each value present, or, with `empty=True`, for each value that the schema declares.

    At least two children have `min_cases` cases or more each (Quinlan 1993, section 2.4). Children without cases do not count in
    scores, and predict by the counts of their parent.

    `multiway()` is a splitter: it finds a `Multiway`, which is a split.

    Source: Quinlan 1986.

    >>> multiway()
    multiway()
    """

    kinds = UNORDERED

    empty: bool = field(default=False, kw_only=True, metadata=QUIET, validator=true_or_false)
    min_cases: LeastWeight = field(default=0, kw_only=True, metadata=QUIET, validator=a_least_weight)

    def __call__(self, runs: Runs, measure: Measure) -> BestSplits:
        """Each run's split into all its values; one call measures all runs of equal size."""
        scores = np.full(len(runs.start), -np.inf)
        enough = self._enough(runs)
        for size in np.unique(runs.size[enough]):
            same = np.flatnonzero((runs.size == size) & enough)
            scores[same] = measure(runs.counts[runs.start[same, None] + np.arange(size)])
        return BestSplits(scores, lambda run: self._split(runs, run))

    def candidates(self, column: DistinctValues) -> list[Split]:
        """The split into all values that are present."""
        without_limits(self, min_cases=self.min_cases, empty=self.empty)
        return [Multiway(column.feature, tuple(column.values.tolist()))] if len(column.values) > 1 else []

    def _enough(self, runs: Runs) -> Array:
        large = reach_weight(runs.weight_of(runs.counts), least_weight(runs, self.min_cases)[runs.run_of_row()])
        return np.bincount(runs.run_of_row()[large], minlength=len(runs.start)) >= _TWO

    def _split(self, runs: Runs, run: int) -> tuple[Split, Array]:
        rows = slice(runs.start[run], runs.end[run])
        feature, present, counts = int(runs.feature[run]), runs.value[rows].astype(np.intp), runs.counts[rows]
        if not self.empty:
            return Multiway(feature, tuple(present.tolist())), counts
        of_declared = np.zeros((len(runs.features[feature].values), counts.shape[1]), dtype=counts.dtype)
        of_declared[present] = counts
        return Multiway(feature, range(len(of_declared))), of_declared


# The largest `exact`: n values can be divided in two in 2^(n - 1) - 1 ways.
_MOST = 20
_TWO = 2


@frozen
class subset(ConstructorRepr):
    """Two children that divide the values present; each child has at least `min_cases` cases (rows by weight).

    For two classes, values are sorted by the share of one class and cut, which finds the best division for a concave
    impurity (Breiman et al. 1984, theorem 4.5). With `min_cases`, the best of these cuts that leave enough cases is found;
    another division with enough cases can be better, since the theorem is about all divisions. For more classes, all
    2^(n - 1) - 1 divisions of n values are tried if n is at most `exact`. For larger n, values are sorted by the share of each
    class in turn and cut, a heuristic. For a target of numbers or events, values are sorted by the mean or the rate and cut,
    which finds the best division of any number of values (Breiman et al. 1984, proposition 8.16); for linear models, divisions
    are tried as for more classes. Child 0 has the first value.

    Of a feature of dozens of values that mean nothing, some division fits a node's rows by chance, and is preferred to
    better features; where single values count, `one_value()` tries fewer.

    `subset()` is a splitter: it finds a `Subset`, which is a split.

    >>> subset()
    subset()
    """

    kinds = UNORDERED

    exact: int = field(default=10, kw_only=True, metadata=QUIET, validator=a_whole_number(0, most=_MOST, of="values"))
    min_cases: LeastWeight = field(default=0, kw_only=True, metadata=QUIET, validator=a_least_weight)

    def __call__(self, runs: Runs, measure: Measure) -> BestSplits:
        """Each run's best division in two."""
        if runs.in_order or not self.exact:
            return self._in_order(runs, measure)
        few = runs.size <= self.exact
        return best_found(runs, [(self._every_way, np.flatnonzero(few)), (self._in_order, np.flatnonzero(~few))], measure)

    def candidates(self, column: DistinctValues) -> list[Split]:
        """Every division of the values in two. Raises a ValueError for more than `exact` values."""
        without_limits(self, min_cases=self.min_cases)
        values = column.values.tolist()
        if len(values) > self.exact:
            remedy = "Use one_value() for that feature, or a larger exact."
            got = f"{len(values)} of {short_repr(column.name)}"
            raise ValueError(f"The values that subset() divides must be at most {self.exact}, got {got}. {remedy}")
        return [Subset(column.feature, tuple(compress(values, way))) for way in _ways(len(values)).tolist()] if values else []

    def _in_order(self, runs: Runs, measure: Measure) -> BestSplits:
        orders = _orders(runs)
        cuts = [best_cuts(ordered, measure, self.min_cases) for ordered in orders]
        scores = np.array([cut.score for cut in cuts])
        which = first_best(scores, exact=runs.exact)

        def build(run: int) -> tuple[Split, Array]:
            ordered, below = orders[which[run]], cuts[which[run]].below[run]
            members = ordered.value[ordered.start[run] : below + 1]
            return _splits_into(runs, run, members)

        return BestSplits(scores.max(axis=0), build)

    def _every_way(self, runs: Runs, measure: Measure) -> BestSplits:
        scores = np.full(len(runs.start), -np.inf)
        ways = np.zeros(len(runs.start), dtype=np.intp)
        least = least_weight(runs, self.min_cases)
        for size in np.unique(runs.size[runs.size > 1]).tolist():
            same = np.flatnonzero(runs.size == size)
            children = _two_sides(runs.counts[runs.start[same, None] + np.arange(size)], _ways(size))
            weight = children.sum(axis=3) if runs.response is None else runs.weight_of(children)
            enough = reach_weight(weight.min(axis=2), least[same, None])
            score = np.where(enough, measure(children), -np.inf)
            scores[same] = score.max(axis=1)
            ways[same] = first_best(score, axis=1, exact=runs.exact)

        def build(run: int) -> tuple[Split, Array]:
            chosen = _ways(int(runs.size[run]))[ways[run]]
            return _splits_into(runs, run, runs.value[runs.start[run] : runs.end[run]][chosen.astype(bool)])

        return BestSplits(scores, build)


@frozen
class one_value(ConstructorRepr):
    """Two children: one of the values present, and all others; each has at least `min_cases` cases (rows by weight).

    `one_value()` is a splitter: it finds a `Subset`, which is a split.

    >>> one_value(min_cases=2)
    one_value(min_cases=2)
    """

    kinds = UNORDERED

    min_cases: LeastWeight = field(default=0, kw_only=True, metadata=QUIET, validator=a_least_weight)

    def candidates(self, column: DistinctValues) -> list[Split]:
        """Each value against all others; child 0 has the first value."""
        without_limits(self, min_cases=self.min_cases)
        first, *others = column.values.tolist() or [None]
        rest = [tuple(value for value in (first, *others) if value != apart) for apart in others]
        alone = [(first,)] if len(others) > 1 else []
        return [Subset(column.feature, members) for members in [*alone, *rest]]

    def __call__(self, runs: Runs, measure: Measure) -> BestSplits:
        """Each run's best value to separate from the rest."""
        run = runs.run_of_row()
        if not len(run):
            return BestSplits(np.full(len(runs.start), -np.inf), lambda _: _splits_into(runs, 0, runs.value))
        rest = np.add.reduceat(runs.counts, runs.start)[run] - runs.counts
        least = np.minimum(runs.weight_of(runs.counts), runs.weight_of(rest))
        rows = np.flatnonzero((runs.size > 1)[run] & reach_weight(least, least_weight(runs, self.min_cases)[run]))
        scores, best = best_rows(runs, rows, runs.counts[rows], rest[rows], measure)
        return BestSplits(scores, lambda number: _splits_into(runs, number, runs.value[best[number] : best[number] + 1]))


def _splits_into(runs: Runs, run: int, members: Array) -> tuple[Split, Array]:
    """The split with these members on one side, and its children's counts; child 0 has the run's first value."""
    rows = slice(runs.start[run], runs.end[run])
    inside = np.isin(runs.value[rows], members)
    inside = inside if inside[0] else ~inside
    counts = runs.counts[rows]
    split = Subset(int(runs.feature[run]), tuple(runs.value[rows][inside].astype(np.intp).tolist()))
    return split, np.stack([counts[inside].sum(axis=0), counts[~inside].sum(axis=0)])


def _ways(size: int) -> Array:
    """Every division of `size` values in two, (ways, size): 1 for values on the side of the first value."""
    return np.array([(1, *others) for others in product((1, 0), repeat=size - 1)][1:], dtype=np.intp)


def _two_sides(counts: Array, inside: Array) -> Array:
    """Class counts of both sides of each division (ways, V) of each table (runs, V, K): (runs, ways, 2, K)."""
    left = np.einsum("wv,rvk->rwk", inside, counts)
    return np.stack([left, counts.sum(axis=1)[:, None] - left], axis=2)


def _orders(runs: Runs) -> list[Runs]:
    """The rows of each run in the order of the share of each class, or of the mean."""
    if runs.response is not None:
        from ftree.criteria.impurity_of_sums import without_limbs  # noqa: PLC0415  # trees of classes do without it

        return [_in_order_of(runs, runs.response.order(without_limbs(runs.counts, runs.response)))]
    n_classes, cases = runs.counts.shape[1], runs.counts.sum(axis=1)
    # Orders by the two classes mirror each other.
    return [_in_order_of(runs, runs.counts[:, label] / cases) for label in range(1 if n_classes <= _TWO else n_classes)]


def _in_order_of(runs: Runs, figure: Array) -> Runs:
    """The rows of each run in the order of a figure; those with equal figures stay in value order."""
    order = np.lexsort((figure, runs.run_of_row()))
    return evolve(runs, value=runs.value[order], counts=runs.counts[order])
