"""Small tables of one feature, for splitters: values, their class counts, and every cut and division of them."""

from collections.abc import Collection, Iterator
from itertools import pairwise, product

import numpy as np
from attrs import frozen
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from ftree._lib.arrays import Array
from ftree.splitters import Runs
from ftree.tree.schema import Feature, Kind
from ftree.tree.splits import Subset, Threshold
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.protocol import Split

_MOST = 5
_VALUES = tuple("abcdefg")


@frozen(eq=False)
class Table:
    """The cases of a node by one feature: its number, the distinct `values` present in order, their class `counts` (V, K).

    >>> import numpy as np
    >>> Table(0, Feature("x", "numeric"), (1.0, 2.0), np.array([[2, 0], [1, 1]])).values
    (1.0, 2.0)
    """

    number: int
    feature: Feature
    values: list[float]
    counts: Array

    def children(self, split: Split) -> Array:
        """Class counts (children, K) of a split, added up value by value."""
        counts = np.zeros((split.n_children, self.counts.shape[1]))
        for child, own in zip(child_of(split, np.array(self.values)).tolist(), self.counts, strict=True):
            counts[child] += own
        return counts

    def cuts(self) -> Iterator[Threshold]:
        """Every threshold midway between adjacent values, the lowest first."""
        return (Threshold(self.number, (low + high) / 2) for low, high in pairwise(self.values))

    def divisions(self) -> Iterator[Subset]:
        """Every division of the values in two; child 0 has the first value."""
        first, *others = map(int, self.values)
        for kept in list(product((True, False), repeat=len(others)))[1:]:
            yield Subset(self.number, (first, *(value for value, own in zip(others, kept, strict=True) if own)))


@st.composite
def tables(draw: DrawFn, kinds: Collection[Kind]) -> list[Table]:
    """One to three tables, for as many nodes of a level, each with its own feature; counts are halves of whole numbers."""
    n_classes = draw(st.integers(1, 3))
    counted = st.lists(st.integers(0, 9), min_size=n_classes, max_size=n_classes).filter(any)
    found = []
    for number in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(sorted(kinds)))
        values = sorted(draw(st.sets(st.integers(0, len(_VALUES) - 1), min_size=1, max_size=_MOST)))
        feature = Feature(f"f{number}", kind, () if kind == "numeric" else _VALUES)
        counts = draw(st.lists(counted, min_size=len(values), max_size=len(values)))
        found.append(Table(number, feature, list(map(float, values)), np.array(counts) / 2))
    return found


def as_runs(level: Collection[Table]) -> Runs:
    """The tables as a splitter gets them: one run each."""
    features = [Feature("none", "numeric")] * (1 + max(table.number for table in level))
    for table in level:
        features[table.number] = table.feature
    end = np.cumsum([len(table.values) for table in level])
    start = np.array([0, *end[:-1]])
    number = np.array([table.number for table in level])
    value, counts = np.concatenate([table.values for table in level]), np.concatenate([table.counts for table in level])
    return Runs(value, counts, start, end, np.arange(len(level)), number, tuple(features), number.astype(np.uint64))
