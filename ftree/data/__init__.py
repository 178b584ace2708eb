"""Tables: datasets, the coding of their values, delimited files, rows to predict, and rows as points in space."""

from ftree._lib import exported
from ftree.data.cases import DrawnCases as DrawnCases
from ftree.data.changes import binned as binned, from_one_hot as from_one_hot
from ftree.data.dataset import Dataset as Dataset
from ftree.data.kinds import ColumnSummary as ColumnSummary, Origin as Origin, Summary as Summary
from ftree.data.labelled import require_known as require_known, unseen_values as unseen_values
from ftree.data.missing_values import MISSING_WORDS as MISSING_WORDS
from ftree.data.points import (
    Points as Points,
    Scaling as Scaling,
    Transformation as Transformation,
    affine as affine,
    points_of as points_of,
    powers_are_finite as powers_are_finite,
    standard as standard,
    training_points as training_points,
    unit_range as unit_range,
    unscaled as unscaled,
    weighted_features as weighted_features,
)
from ftree.data.rows import (
    cells_of as cells_of,
    columns_of as columns_of,
    labels_in_kind as labels_in_kind,
    matrix_in_kind as matrix_in_kind,
    numbers_in_kind as numbers_in_kind,
)

__all__, __dir__ = exported(globals())  # dir() shows public names only
