"""The base of all splitters: the runs of a level, the measure of a split, and the best splits found.

A splitter examines the values of one feature at one node, a *run* of the AVC-set. It is called once for all runs of a
level. It returns each run's best score and a function that makes the split. Any callable with `kinds` and this signature
is a splitter, equivalent to the library's own.
"""

from collections.abc import Callable
from typing import Protocol, TypeAlias

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, row_sums
from ftree.tree.schema import Feature, Kind
from ftree.tree.splits.protocol import Split

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
    schema's `features`. `key` is a number for each run's node, made from the path to the node, for splitters that draw at random.

    >>> import numpy as np
    >>> from ftree import Feature
    >>> values, counts = np.array([1.0, 2.0, 4.0]), np.array([[2, 0], [1, 1], [0, 3]])
    >>> one = np.array([0])
    >>> runs = Runs(values, counts, one, np.array([3]), one, one, (Feature("x", "numeric"),), one)
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

    @property
    def size(self) -> Array:
        """Number of distinct values present in each run."""
        return self.end - self.start

    @property
    def weight(self) -> Array:
        """Cases of each run."""
        return np.add.reduceat(row_sums(self.counts), self.start) if len(self.start) else np.zeros(0)

    @property
    def kind(self) -> Array:
        """Kind of each run's feature."""
        return np.array([feature.kind for feature in self.features], dtype=str)[self.feature]

    def run_of_row(self) -> Array:
        """The run to which each row of `value` belongs."""
        return np.repeat(np.arange(len(self.start)), self.size)

    def only(self, numbers: Array) -> "Runs":
        """The runs with these numbers, with their rows."""
        if len(numbers) == len(self.start):
            return self
        rows = np.flatnonzero(np.isin(self.run_of_row(), numbers))
        end = np.cumsum(self.size[numbers])
        start = end - self.size[numbers]
        node, feature, key = self.node[numbers], self.feature[numbers], self.key[numbers]
        return Runs(self.value[rows], self.counts[rows], start, end, node, feature, self.features, key)


@frozen(eq=False)
class BestSplits:
    """The best split of each run: its score (-inf for none), and `build`, which makes the split of the run with a number.

    >>> from ftree import gain, threshold
    >>> import numpy as np
    >>> from ftree.splitters import Runs
    >>> from ftree import Feature
    >>> values, counts = np.array([1.0, 2.0, 4.0]), np.array([[2, 0], [1, 1], [0, 3]])
    >>> one = np.array([0])
    >>> runs = Runs(values, counts, one, np.array([3]), one, one, (Feature("x", "numeric"),), one)
    >>> best = threshold()(runs, gain)
    >>> best.score.round(3).tolist(), best.build(0)[0]
    ([0.522], Threshold(feature=0, at=3.0))
    """

    score: Array
    build: Build


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
