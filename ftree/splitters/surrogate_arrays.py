"""Surrogates as arrays, which compiled code returns, and the splits made from them."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, offsets
from ftree._lib.unchecked import unchecked
from ftree.tree.splits import Groups, Surrogate, Threshold, WithSurrogates
from ftree.tree.splits.protocol import Split

# The codes of a side are bits of an integer.
_BITS = 64


@frozen(eq=False)
class SurrogateArrays:
    """The surrogates of N splits, up to S each, sorted by agreement, the best first.

    `default_child` (N,) is the larger child. The others are (N, S): the feature (-1: none), whether child 0 means child 1 of the
    split, the threshold of an ordered feature, the codes of a nominal one that go to child 0 (`low`) and to child 1
    (`high`) as bits, the agreement, and the adjusted agreement.
    """

    default_child: Array
    feature: Array
    reverse: Array
    threshold: Array
    low: Array
    high: Array
    agreement: Array
    adjusted: Array

    def splits(self, primary: Sequence[Split], nominal: Array) -> list[WithSurrogates]:
        """The splits with their surrogates; `nominal` (F,) marks the features without an order.

        >>> first = (np.array([[value]]) for value in (1, True, 0.5, 0, 0, 0.9, 0.5))
        >>> arrays = SurrogateArrays(np.array([1]), *first)
        >>> arrays.splits([Threshold(0, 2.5)], np.array([False, False]))[0].surrogates
        (Surrogate(split=Threshold(feature=1, at=0.5), reversed=True, agreement=0.9, adjusted=0.5),)
        """
        there = self.feature >= 0
        columns = [column[there].tolist() for column in (self.reverse, self.agreement, self.adjusted)]
        listed = unchecked(Surrogate, self._each(there, nominal), *columns)
        ends = offsets(there.sum(axis=1)).tolist()
        surrogates = [tuple(listed[start:end]) for start, end in pairwise(ends)]
        return unchecked(WithSurrogates, primary, surrogates, self.default_child.tolist())

    def _each(self, there: Array, nominal: Array) -> list[Any]:
        """The splits of the surrogates, one after another; equal groups are one object."""
        feature, has_groups = self.feature[there], nominal[self.feature[there]]
        cuts = unchecked(Threshold, feature[~has_groups].tolist(), self.threshold[there][~has_groups].tolist())
        sides = (side[there][has_groups].tolist() for side in (self.low, self.high))
        groups = map(_groups, feature[has_groups].tolist(), *sides)
        made: list[Any] = [None] * len(feature)
        for places, splits in ((np.flatnonzero(~has_groups), cuts), (np.flatnonzero(has_groups), groups)):
            for place, split in zip(places.tolist(), splits, strict=True):
                made[place] = split
        return made


@lru_cache(maxsize=4096)
def _groups(feature: int, low: int, high: int) -> Groups:
    return Groups(feature, (_codes(low), _codes(high)))


def _codes(bits: int) -> list[int]:
    return [code for code in range(_BITS) if bits >> code & 1]
