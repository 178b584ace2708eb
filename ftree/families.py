"""Split families: the ways in which a feature can divide the cases of a node.

A family (`multiway()`, `threshold()`, `subset()`) looks at the values of one feature in one node, a *run* of the
AVC-set, for all runs of a level at once, and answers each run's best score and how to make that split. Ties within
1e-9 go to the lowest threshold. A frozen callable with `kinds` and the same signature is a family as good as these.
"""

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol, TypeAlias, runtime_checkable

import numpy as np
from attrs import frozen

from ftree._fields import reads_like_its_constructor
from ftree._kernels import between, first_near_best, run_starts
from ftree.frontier import Array
from ftree.schema import Kind
from ftree.split import Multiway, Oblique, Split, Subset, Threshold

# Scores within this of each other are equal: a strict comparison picks wrongly on real data.
TIE = 1e-9

Build: TypeAlias = Callable[[int], tuple[Split, Array]]
Measure: TypeAlias = Callable[[Array], Array]


@frozen(eq=False)
class Runs:
    """Runs of known values, one for each open node and feature: row `start` to `end` of `value` and `counts`."""

    value: Array
    counts: Array
    start: Array
    end: Array
    node: Array
    feature: Array

    @property
    def size(self) -> Array:
        """Number of distinct values present in each run."""
        return self.end - self.start

    def of_row(self) -> Array:
        """The run that each row of `value` belongs to."""
        return np.repeat(np.arange(len(self.start)), self.size)


@frozen(eq=False)
class Found:
    """The best split of each run: its score (-inf for none), and a function that makes it and its children's counts."""

    score: Array
    build: Build


class Family(Protocol):
    """A way to split: which kinds of feature it takes, and the best split of each run of such a feature."""

    kinds: ClassVar[tuple[Kind, ...]]

    def __call__(self, runs: Runs, measure: Measure) -> Found:
        """Find each run's best split; `measure` scores children's counts (..., V, K)."""
        ...


@runtime_checkable
class JointFamily(Protocol):
    """A way to split by several features at once: the best split of one node's points."""

    kinds: ClassVar[tuple[Kind, ...]]

    def best(self, vector: Array, counts: Array, measure: Measure) -> "tuple[float, Oblique | Threshold, Array] | None":
        """Score, split and children's counts of distinct points (U, F) with counts (U, K); None where nothing can be split.

        `vector` has the features of these kinds, NaN where a value is missing, and the split numbers them as its columns.
        """
        ...


def numbered(split: Oblique | Threshold, features: Sequence[int], n_features: int) -> Split:
    """A split whose features are numbered as those of a table, in place of columns.

    >>> numbered(Oblique((1, 2), 0.5), (1, 3), 4)
    Oblique(weights=(0.0, 1.0, 0.0, 2.0), at=0.5)
    """
    if isinstance(split, Threshold):
        return Threshold(features[split.feature], split.at)
    weights = dict(zip(features, split.weights, strict=True))
    return Oblique([weights.get(number, 0.0) for number in range(n_features)], split.at)


@reads_like_its_constructor
@frozen(repr=False)
class multiway:
    """One child for each value present (Quinlan 1986).

    >>> multiway()
    multiway()
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("nominal",)

    def __call__(self, runs: Runs, measure: Measure) -> Found:
        """Score each run as a split into all its values, runs of equal size together."""
        scores = np.full(len(runs.start), -np.inf)
        for size in np.unique(runs.size[runs.size > 1]):
            same = np.flatnonzero(runs.size == size)
            scores[same] = measure(runs.counts[runs.start[same, None] + np.arange(size)])

        def build(run: int) -> tuple[Split, Array]:
            rows = slice(runs.start[run], runs.end[run])
            return Multiway(int(runs.feature[run]), tuple(runs.value[rows].tolist())), runs.counts[rows]

        return Found(scores, build)


@reads_like_its_constructor
@frozen(repr=False)
class threshold:
    """Two children, cut midway between neighbouring values (Breiman et al. 1984, section 2.4).

    >>> threshold()
    threshold()
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("numeric", "ordinal")

    def __call__(self, runs: Runs, measure: Measure) -> Found:
        """Score each run by its best cut."""
        score, cut = _best_cuts(runs, measure)

        def build(run: int) -> tuple[Split, Array]:
            below = cut[run]
            at = between(runs.value[below], runs.value[below + 1])
            return Threshold(int(runs.feature[run]), float(at)), _two_sides(runs, run, below)

        return Found(score, build)


@reads_like_its_constructor
@frozen(repr=False)
class subset:
    """Two children, the values present divided in two; child 0 has the first of them.

    Values are put in the order of a class's share and cut: the best division for two classes and a concave
    impurity (Breiman et al. 1984, theorem 4.5), a heuristic for more, where the order of each class is tried.

    >>> subset()
    subset()
    """

    kinds: ClassVar[tuple[Kind, ...]] = ("nominal",)

    def __call__(self, runs: Runs, measure: Measure) -> Found:
        """Score each run by its best division in two."""
        n_classes = runs.counts.shape[1]
        orders = [_by_share(runs, label) for label in range(1 if n_classes <= 2 else n_classes)]  # noqa: PLR2004  # two classes mirror each other
        cuts = [_best_cuts(ordered, measure) for ordered in orders]
        scores = np.array([score for score, _ in cuts])
        # The first order within a tie of the best, for each run.
        which = (scores >= scores.max(axis=0) - TIE).argmax(axis=0)

        def build(run: int) -> tuple[Split, Array]:
            ordered, (_, cut) = orders[which[run]], cuts[which[run]]
            sides = _two_sides(ordered, run, cut[run])
            low = ordered.value[ordered.start[run] : cut[run] + 1]
            high = ordered.value[cut[run] + 1 : ordered.end[run]]
            members, sides = (low, sides) if low.min() < high.min() else (high, sides[::-1])
            return Subset(int(ordered.feature[run]), tuple(members.tolist())), sides

        return Found(scores.max(axis=0), build)


def _best_cuts(runs: Runs, measure: Measure) -> tuple[Array, Array]:
    """The best cut of each run: its score, and the row below it (first of equals)."""
    scores, cuts = np.full(len(runs.start), -np.inf), np.zeros(len(runs.start), dtype=np.intp)
    run = runs.of_row()
    below = np.flatnonzero(run[1:] == run[:-1])
    if below.size:
        upto = np.cumsum(runs.counts, axis=0)
        before = (upto[runs.start] - runs.counts[runs.start])[run[below]]
        left = upto[below] - before
        right = upto[runs.end[run[below]] - 1] - before - left
        score = measure(np.stack([left, right], axis=1))
        starts = run_starts(run[below])
        best = first_near_best(score, starts, TIE)
        scores[run[below[best]]], cuts[run[below[best]]] = score[best], below[best]
    return scores, cuts


def _by_share(runs: Runs, label: int) -> Runs:
    """The rows of each run in the order of one class's share; equal shares stay in value order."""
    share = runs.counts[:, label] / runs.counts.sum(axis=1)
    order = np.lexsort((share, runs.of_row()))
    return Runs(runs.value[order], runs.counts[order], runs.start, runs.end, runs.node, runs.feature)


def _two_sides(runs: Runs, run: int, below: int) -> Array:
    rows = slice(runs.start[run], below + 1), slice(below + 1, runs.end[run])
    return np.stack([runs.counts[side].sum(axis=0) for side in rows])
