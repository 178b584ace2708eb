"""Tables of cases: datasets, their coding, delimited files, rows, and rows as points."""

from ftree.data.dataset import Dataset
from ftree.data.points import (
    Move,
    Points,
    Scaling,
    affine,
    ordinary,
    points_of,
    standard,
    training_points,
    unit_range,
    unscaled,
    weighted,
)
from ftree.data.rows import cells_of, columns_of

__all__ = [
    "Dataset",
    "Move",
    "Points",
    "Scaling",
    "affine",
    "cells_of",
    "columns_of",
    "ordinary",
    "points_of",
    "standard",
    "training_points",
    "unit_range",
    "unscaled",
    "weighted",
]
__dir__ = __all__.copy  # dir() shows public names only
