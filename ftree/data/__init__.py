"""Tables: datasets, the coding of their values, delimited files, rows to predict, and rows as points in space."""

from ftree.data.dataset import Dataset
from ftree.data.points import (
    Points,
    Scaling,
    Transformation,
    affine,
    points_of,
    powers_are_finite,
    standard,
    training_points,
    unit_range,
    unscaled,
    weighted,
)
from ftree.data.rows import cells_of, columns_of

__all__ = [
    "Dataset",
    "Points",
    "Scaling",
    "Transformation",
    "affine",
    "cells_of",
    "columns_of",
    "points_of",
    "powers_are_finite",
    "standard",
    "training_points",
    "unit_range",
    "unscaled",
    "weighted",
]
__dir__ = __all__.copy  # dir() shows public names only
