"""What scikit-learn hands over, a table and labels, as a dataset; its own checks raise the errors that its users know."""

from typing import Any

import numpy as np
from attrs import evolve
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, validate_data

from ftree.data.dataset import Dataset
from ftree.data.frames import as_table
from ftree.estimator.weights import sample_weights


def training_data(estimator: Any, table: Any, labels: Any, weights: Any) -> Dataset:
    """A dataset of what `fit` is given; sets the estimator's classes, and the number and the names of its features.

    Raises a ValueError for what scikit-learn refuses, a TypeError for cells that are neither text nor numbers.
    """
    name = getattr(labels, "name", None)
    labels = validate_data(estimator, y=labels)
    check_classification_targets(labels)
    table = checked_table(estimator, table, reset=True)
    check_consistent_length(table, labels)
    estimator.classes_, codes = np.unique(labels, return_inverse=True)
    dataset = _coded(table, codes, str(name or "class"), sample_weights(weights, len(codes)))
    return evolve(dataset, schema=evolve(dataset.schema, classes=estimator.classes_.tolist()))


def _coded(table: Any, codes: Any, target: str, weights: Any) -> Dataset:
    """A dataset of the table, with numbers for classes: a label may be any text, also one that counts as missing in a feature."""
    columns = as_table(table).columns
    while target in columns:
        target += "_"
    try:
        return Dataset.from_columns({**columns, target: codes}, target=target, classes=range(max(codes) + 1), weights=weights)
    except TypeError as error:
        message = f"The X argument must be a table of strings and numbers. {error}"
        raise TypeError(message) from error


def checked_table(estimator: Any, table: Any, *, reset: bool) -> Any:
    """The table as a frame, if it is one, or as an array of two dimensions; its features are checked, or set by `reset`."""
    check: Any = validate_data
    if hasattr(table, "columns"):
        return check(estimator, table, reset=reset, skip_check_array=True)
    # NumPy would make text of all cells of a list that has some.
    dtype = object if isinstance(table, (list, tuple)) else None
    return check(estimator, table, reset=reset, dtype=dtype, ensure_all_finite=False)
