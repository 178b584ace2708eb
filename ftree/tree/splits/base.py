"""The union of all split types, and what holds for each: features, number of children, bounds.

A split holds numbers only: feature numbers, codes of nominal and ordinal values, thresholds. It holds no names and
no data. `child_of` defines the child of each value, for growth, prediction and recounting alike.
"""

from math import inf
from typing import TypeAlias

from ftree.tree.splits.groups import Groups
from ftree.tree.splits.intervals import Intervals
from ftree.tree.splits.multiway import Multiway
from ftree.tree.splits.oblique import Oblique
from ftree.tree.splits.subset import Subset
from ftree.tree.splits.threshold import Threshold
from ftree.tree.splits.with_surrogates import WithSurrogates

OfOneFeature: TypeAlias = Multiway | Threshold | Subset | Groups | Intervals


Split: TypeAlias = OfOneFeature | Oblique | WithSurrogates


def features_of(split: Split) -> tuple[int, ...]:
    """Numbers of the features that a split uses; the feature of the split itself comes before those of its surrogates.

    >>> features_of(Threshold(3, 0.5)), features_of(Oblique((1, 0, -0.5), 2))
    ((3,), (0, 2))
    """
    match split:
        case Oblique():
            return tuple(number for number, weight in enumerate(split.weights) if weight)
        case WithSurrogates():
            return (split.split.feature, *(surrogate.split.feature for surrogate in split.surrogates))
        case _:
            return (split.feature,)


def primary(split: Split) -> OfOneFeature | Oblique:
    """The split without its surrogates.

    >>> from ftree import Surrogate
    >>> primary(WithSurrogates(Threshold(0, 2.5), [Surrogate(Threshold(1, 0.5))]))
    Threshold(feature=0, at=2.5)
    """
    return split.split if isinstance(split, WithSurrogates) else split


def bounds(split: Threshold | Intervals | Oblique, child: int) -> tuple[float, float]:
    """The interval of a child: its values are above the first number, and at most the second.

    >>> bounds(Threshold(0, 2.5), 1), bounds(Intervals(0, (2, 5)), 1)
    ((2.5, inf), (2.0, 5.0))
    """
    cuts = (-inf, *(split.cuts if isinstance(split, Intervals) else (split.at,)), inf)
    return cuts[child], cuts[child + 1]


def arity(split: Split) -> int:
    """Number of children.

    >>> arity(Multiway(0, (0, 1, 4))), arity(Threshold(0, 0.5)), arity(Intervals(0, (1, 2)))
    (3, 2, 3)
    """
    match split:
        case Multiway():
            return len(split.values)
        case Groups():
            return len(split.groups)
        case Intervals():
            return len(split.cuts) + 1
        case _:
            return 2
