"""Nearest neighbours: distances, indices for searching, classifiers, and reduced training sets for classifiers.

Source: Fix & Hodges 1951; Cover & Hart 1967.
"""

from ftree.data.points import standard, unit_range, unscaled, weighted_features
from ftree.neighbors.indices import brute, scipy_tree
from ftree.neighbors.kdtree import Cell, Cut, KdTree, kd_tree
from ftree.neighbors.metric import broadcasts, chebyshev, euclidean, hamming, manhattan, minkowski
from ftree.neighbors.nearest_neighbours import Search, by_distance, condensed, edited, knn, nearest, uniform
from ftree.neighbors.plot_neighbors import plot_kd_tree, plot_nearest

__all__ = [
    "Cell",
    "Cut",
    "KdTree",
    "Search",
    "broadcasts",
    "brute",
    "by_distance",
    "chebyshev",
    "condensed",
    "edited",
    "euclidean",
    "hamming",
    "kd_tree",
    "knn",
    "manhattan",
    "minkowski",
    "nearest",
    "plot_kd_tree",
    "plot_nearest",
    "scipy_tree",
    "standard",
    "uniform",
    "unit_range",
    "unscaled",
    "weighted_features",
]
__dir__ = __all__.copy  # dir() shows public names only
