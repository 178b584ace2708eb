"""Splitters: the ways in which a feature can divide the cases of a node.

A splitter finds splits: `threshold()` finds a `Threshold`, `subset()` a `Subset`, and so on.
"""

from ftree.splitters.as_branch import Translate, as_branch
from ftree.splitters.as_value import as_value
from ftree.splitters.base import ORDERED, UNORDERED, BestSplits, Build, Measure, Runs, Splitter
from ftree.splitters.candidates import DistinctValues, ListsCandidates
from ftree.splitters.chaid import merging, n_mergings
from ftree.splitters.combine import all_splitters, best_of, per_feature, random_features
from ftree.splitters.coordinate_search import coordinates
from ftree.splitters.cuts import best_cuts, every_cut, two_sides
from ftree.splitters.extra_trees import random_threshold
from ftree.splitters.feature_costs import by_cost
from ftree.splitters.ignore import ignore
from ftree.splitters.intervals import intervals, worth_its_description
from ftree.splitters.joint import JointSplitter, is_splitter
from ftree.splitters.min_cases import c45_min_branch
from ftree.splitters.multiway import multiway
from ftree.splitters.oblique import oblique
from ftree.splitters.selection import Candidates, FeatureChoice, by_gain_ratio, by_score, many_valued
from ftree.splitters.subset import one_value, subset
from ftree.splitters.surrogates import CountsSides, splits_to_back, surrogates
from ftree.splitters.threshold import cut_after, threshold
from ftree.splitters.weight_finders import NodePoints, WeightFinder, logistic, perceptrons

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
    "Runs",
    "Splitter",
    "Translate",
    "WeightFinder",
    "all_splitters",
    "as_branch",
    "as_value",
    "best_cuts",
    "best_of",
    "by_cost",
    "by_gain_ratio",
    "by_score",
    "c45_min_branch",
    "coordinates",
    "cut_after",
    "every_cut",
    "ignore",
    "intervals",
    "is_splitter",
    "logistic",
    "many_valued",
    "merging",
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
