"""Splitters: the ways in which a feature can divide the cases of a node, one concept a file."""

from ftree.splitters.base import (
    ORDERED,
    UNORDERED,
    Build,
    Family,
    Found,
    JointFamily,
    Measure,
    Runs,
    best_cuts,
    c45_min_branch,
    every_cut,
    is_family,
    numbered,
    two_sides,
)
from ftree.splitters.chaid import merging, n_mergings
from ftree.splitters.combine import all_families, best_of, per_feature, random_features
from ftree.splitters.extra_trees import random_threshold
from ftree.splitters.intervals import intervals, worth_its_description
from ftree.splitters.multiway import multiway
from ftree.splitters.oblique import Cloud, WeightFinder, coordinates, logistic, oblique, perceptrons
from ftree.splitters.selection import Candidates, Choice, by_gain_ratio, by_score, many_valued
from ftree.splitters.subset import one_value, subset
from ftree.splitters.surrogates import surrogates, to_back
from ftree.splitters.threshold import cut_after, threshold

__all__ = [
    "ORDERED",
    "UNORDERED",
    "Build",
    "Candidates",
    "Choice",
    "Cloud",
    "Family",
    "Found",
    "JointFamily",
    "Measure",
    "Runs",
    "WeightFinder",
    "all_families",
    "best_cuts",
    "best_of",
    "by_gain_ratio",
    "by_score",
    "c45_min_branch",
    "coordinates",
    "cut_after",
    "every_cut",
    "intervals",
    "is_family",
    "logistic",
    "many_valued",
    "merging",
    "multiway",
    "n_mergings",
    "numbered",
    "oblique",
    "one_value",
    "per_feature",
    "perceptrons",
    "random_features",
    "random_threshold",
    "subset",
    "surrogates",
    "threshold",
    "to_back",
    "two_sides",
    "worth_its_description",
]
__dir__ = __all__.copy  # dir() shows public names only
