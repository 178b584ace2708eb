"""scikit-learn's arguments, a table and labels, as a dataset; its own checks raise the errors that its users know."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, validate_data

from ftree.data.dataset import Dataset
from ftree.data.frames import as_frame, as_table
from ftree.estimator.weights import sample_weights


def training_data(estimator: Any, table: Any, labels: Any, weights: Any) -> Dataset:
    """A dataset made from the arguments of `fit`; sets the estimator's classes, and the number and the names of its features.

    Raises a ValueError for whatever scikit-learn refuses, a TypeError for cells that are neither text nor numbers.
    """
    name = getattr(labels, "name", None)
    labels = validate_data(estimator, y=labels)
    check_classification_targets(labels)
    table = checked_table(estimator, table, reset=True)
    check_consistent_length(table, labels)
    estimator.classes_, codes = np.unique(labels, return_inverse=True)
    columns, target = as_table(table).columns, str(name or "class")
    while target in columns:
        target += "_"
    options = {"kinds": estimator.kinds, "weights": sample_weights(weights, len(codes))}
    dataset = _coded({**columns, target: codes}, target, range(len(estimator.classes_)), options)
    return evolve(dataset, schema=evolve(dataset.schema, classes=estimator.classes_.tolist()))


def checked_table(estimator: Any, table: Any, *, reset: bool) -> Any:
    """The table as a frame, if it is one, or as a two-dimensional array; its features are checked, or set if `reset`."""
    check: Any = validate_data
    frame = None if isinstance(table, (np.ndarray, list, tuple)) else as_frame(table)
    if frame is not None:
        return check(estimator, frame.to_native(), reset=reset, skip_check_array=True)
    # NumPy would turn all cells of a list into text if some are text, and scikit-learn would drop a mask.
    dtype = object if isinstance(table, (list, tuple)) else None
    unmasked = _unmasked(table) if isinstance(table, np.ma.MaskedArray) else table
    return check(estimator, unmasked, reset=reset, dtype=dtype, ensure_all_finite=False)


def _unmasked(array: Any) -> Any:
    """A masked array as a plain one, with NaN or None where it is masked."""
    return array.filled(np.nan) if array.dtype.kind == "f" else array.astype(object).filled(None)


def _coded(columns: Mapping[str, Any], target: str, classes: Sequence[int], options: Mapping[str, Any]) -> Dataset:
    """A dataset with numbers as classes: a label may be any text, including one that means missing in a feature."""
    try:
        return Dataset.from_columns(columns, target=target, classes=classes, **options)
    except TypeError as error:
        message = f"The X argument must be a table of strings and numbers. {error}"
        raise TypeError(message) from error
