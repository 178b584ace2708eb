"""Tables: datasets, the coding of their values, delimited files, rows to predict, and rows as points in space."""

from ftree.data.changes import binned, from_one_hot
from ftree.data.dataset import Dataset
from ftree.data.kinds import ColumnSummary, Origin, Summary
from ftree.data.labelled import require_known, unseen_values
from ftree.data.missing_values import MISSING_WORDS
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
    weighted_features,
)
from ftree.data.rows import cells_of, columns_of, labels_in_kind, matrix_in_kind, numbers_in_kind

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
    "weighted_features",
]
__dir__ = __all__.copy  # dir() shows public names only
