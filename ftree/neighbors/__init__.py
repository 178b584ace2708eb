"""Nearest neighbours: distances, indices for searching, classifiers, and reduced training sets for classifiers.

Source: Fix & Hodges 1951; Cover & Hart 1967.
"""

from ftree.data.points import standard, unit_range, unscaled, weighted
from ftree.neighbors.brute import brute
from ftree.neighbors.edit import condensed, edited
from ftree.neighbors.kdtree import Cell, Cut, KdTree, kd_tree
from ftree.neighbors.knn import Search, knn
from ftree.neighbors.leaves import nearest
from ftree.neighbors.metric import broadcasts, chebyshev, euclidean, hamming, manhattan, minkowski
from ftree.neighbors.plot_kd_tree import plot_kd_tree
from ftree.neighbors.plot_nearest import plot_nearest
from ftree.neighbors.scipy_tree import scipy_tree
from ftree.neighbors.votes import by_distance, uniform

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
    "weighted",
]
__dir__ = __all__.copy  # dir() shows public names only
