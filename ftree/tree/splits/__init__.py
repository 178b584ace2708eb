"""Split types, one file each, and the child that each value goes to."""

from ftree.tree.splits.base import OfOneFeature, Split, arity, bounds, features_of, primary
from ftree.tree.splits.child_of import UNKNOWN, Columns, Integers, child_of, children_of, is_high, weighted_sum
from ftree.tree.splits.groups import Groups
from ftree.tree.splits.intervals import Intervals
from ftree.tree.splits.multiway import Multiway
from ftree.tree.splits.oblique import Oblique
from ftree.tree.splits.subset import Subset
from ftree.tree.splits.threshold import Threshold
from ftree.tree.splits.with_surrogates import Surrogate, WithSurrogates

__all__ = [
    "UNKNOWN",
    "Columns",
    "Groups",
    "Integers",
    "Intervals",
    "Multiway",
    "Oblique",
    "OfOneFeature",
    "Split",
    "Subset",
    "Surrogate",
    "Threshold",
    "WithSurrogates",
    "arity",
    "bounds",
    "child_of",
    "children_of",
    "features_of",
    "is_high",
    "primary",
    "weighted_sum",
]
__dir__ = __all__.copy  # dir() shows public names only
