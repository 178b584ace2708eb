"""Tables: datasets, the coding of their values, delimited files, rows to predict, and rows as points in space."""

from ftree.data.bins import binned
from ftree.data.dataset import Dataset
from ftree.data.in_kind import labels_in_kind, matrix_in_kind, numbers_in_kind
from ftree.data.missing_values import MISSING_WORDS
from ftree.data.one_hot import from_one_hot
from ftree.data.origins import Origin
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
from ftree.data.summary import ColumnSummary, Summary
from ftree.data.unseen import require_known, unseen_values

__all__ = [
    "MISSING_WORDS",
    "ColumnSummary",
    "Dataset",
    "Origin",
    "Points",
    "Scaling",
    "Summary",
    "Transformation",
    "affine",
    "binned",
    "cells_of",
    "columns_of",
    "from_one_hot",
    "labels_in_kind",
    "matrix_in_kind",
    "numbers_in_kind",
    "points_of",
    "powers_are_finite",
    "require_known",
    "standard",
    "training_points",
    "unit_range",
    "unscaled",
    "unseen_values",
    "weighted",
]
__dir__ = __all__.copy  # dir() shows public names only
