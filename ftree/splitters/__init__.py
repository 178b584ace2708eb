"""Splitters: the ways in which a feature can divide the cases of a node.

A splitter finds splits: `threshold()` finds a `Threshold`, `subset()` a `Subset`, and so on.
"""

from ftree.splitters.chaid import merging, n_mergings
from ftree.splitters.combine import all_parts, per_feature, random_features
from ftree.splitters.constraints import interactions, monotonic
from ftree.splitters.cuts import best_cuts, every_cut, two_sides
from ftree.splitters.feature_choice import Candidates, FeatureChoice, by_cost, by_gain_ratio, by_score, many_valued
from ftree.splitters.missing_policies import Translate, as_branch, as_value, ignore
from ftree.splitters.nominal import multiway, one_value, subset
from ftree.splitters.ordered import cut_after, intervals, random_threshold, threshold, worth_its_description
from ftree.splitters.permutation_tests import by_permutation_test
from ftree.splitters.runs import (
    ORDERED,
    UNORDERED,
    BestSplits,
    Build,
    DistinctValues,
    JointSplitter,
    ListsCandidates,
    Measure,
    NodeVectors,
    Runs,
    Splitter,
    best_of,
    c45_min_branch,
    is_splitter,
)
from ftree.splitters.sums import NodePoints, WeightFinder, coordinates, logistic, oblique, perceptrons
from ftree.splitters.surrogates import CountsSides, splits_to_back, surrogates

__all__ = [
    "ORDERED",
    "UNORDERED",
    "BestSplits",
    "Build",
    "Candidates",
    "CountsSides",
    "DistinctValues",
    "FeatureChoice",
    "JointSplitter",
    "ListsCandidates",
    "Measure",
    "NodePoints",
    "NodeVectors",
    "Runs",
    "Splitter",
    "Translate",
    "WeightFinder",
    "all_parts",
    "as_branch",
    "as_value",
    "best_cuts",
    "best_of",
    "by_cost",
    "by_gain_ratio",
    "by_permutation_test",
    "by_score",
    "c45_min_branch",
    "coordinates",
    "cut_after",
    "every_cut",
    "ignore",
    "interactions",
    "intervals",
    "is_splitter",
    "logistic",
    "many_valued",
    "merging",
    "monotonic",
    "multiway",
    "n_mergings",
    "oblique",
    "one_value",
    "per_feature",
    "perceptrons",
    "random_features",
    "random_threshold",
    "splits_to_back",
    "subset",
    "surrogates",
    "threshold",
    "two_sides",
    "worth_its_description",
]
__dir__ = __all__.copy  # dir() shows public names only
