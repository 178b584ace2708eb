"""Split families: the ways in which a feature can divide the cases of a node, one concept a file."""

from ftree.families.choice import Candidates, Choice, by_gain_ratio, by_score, many_valued
from ftree.families.cut import cut_after, threshold
from ftree.families.intervals import intervals
from ftree.families.merging import merging, n_mergings
from ftree.families.runs import (
    ORDERED,
    TIE,
    UNORDERED,
    Build,
    Family,
    Found,
    JointFamily,
    Measure,
    Runs,
    best_cuts,
    every_cut,
    is_family,
    numbered,
    tenth_of_a_class,
    two_sides,
)
from ftree.families.sampling import random_threshold
from ftree.families.together import all_families, best_of, by_feature, random_features
from ftree.families.two import one_value, subset
from ftree.families.values import multiway

__all__ = [
    "ORDERED",
    "TIE",
    "UNORDERED",
    "Build",
    "Candidates",
    "Choice",
    "Family",
    "Found",
    "JointFamily",
    "Measure",
    "Runs",
    "all_families",
    "best_cuts",
    "best_of",
    "by_feature",
    "by_gain_ratio",
    "by_score",
    "cut_after",
    "every_cut",
    "intervals",
    "is_family",
    "many_valued",
    "merging",
    "multiway",
    "n_mergings",
    "numbered",
    "one_value",
    "random_features",
    "random_threshold",
    "subset",
    "tenth_of_a_class",
    "threshold",
    "two_sides",
]
