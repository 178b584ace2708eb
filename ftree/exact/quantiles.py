"""`quantiles`: candidate thresholds at quantiles, for columns with too many distinct values."""

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import midpoint
from ftree._lib.fields import ConstructorRepr, a_whole_number
from ftree.splitters import ORDERED, DistinctValues
from ftree.tree.splits import Threshold
from ftree.tree.splits.protocol import Split


@frozen(repr=False)
class quantiles(ConstructorRepr):
    """At most `n` thresholds a column, with about equally many cases between neighbouring ones; a splitter for `optimal` only.

    >>> column = DistinctValues(0, "age", np.array([1.0, 2.0, 3.0, 9.0]), np.array([1, 1, 1, 5]))
    >>> quantiles(1).candidates(column)
    [Threshold(feature=0, at=6.0)]
    """

    kinds = ORDERED

    n: int = field(validator=a_whole_number(1, of="thresholds"))

    def candidates(self, column: DistinctValues) -> list[Split]:
        """A threshold above the value at each quantile, except above the largest value."""
        values = column.values.astype(np.float64)
        below = np.cumsum(column.cases)[:-1]
        if len(below) > self.n:
            wanted = np.arange(1, self.n + 1) / (self.n + 1) * column.cases.sum()
            place = np.unique(np.abs(below[:, None] - wanted).argmin(axis=0))
        else:
            place = np.arange(len(below))
        return [Threshold(column.feature, float(at)) for at in midpoint(values[place], values[place + 1])]
