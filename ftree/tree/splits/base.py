"""The questions a branch can ask, and which child each answer leads to.

A split knows features' numbers and values as numbers (codes of nominal and ordinal values, floats of numeric
ones); it knows no name and no data. `child_of` is the only place that says which way a value goes: growth,
prediction and recounting all ask it.
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
    """Numbers of the features that a split asks.

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
    """The split that asks first: itself, or the one that surrogates stand in for. It divides the cases that are known.

    >>> from ftree import Surrogate
    >>> primary(WithSurrogates(Threshold(0, 2.5), [Surrogate(Threshold(1, 0.5))]))
    Threshold(feature=0, at=2.5)
    """
    return split.split if isinstance(split, WithSurrogates) else split


def bounds(split: Threshold | Intervals | Oblique, child: int) -> tuple[float, float]:
    """Above which number, and at most which, lies what goes to a child.

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
