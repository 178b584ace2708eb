"""scikit-learn's arguments as a training set: the table, targets and weights as a dataset, and cases held back for pruning.

scikit-learn's own checks raise the errors that its users know.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve
from scipy.sparse import issparse
from sklearn.base import is_classifier
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, validate_data

from ftree._lib.fields import is_whole_number
from ftree._lib.messages import counted, short_repr
from ftree.data.dataset import Dataset, rows_with_weight
from ftree.data.frames import as_frame, as_table, floats_of_pandas

# Whole weights are divided case by case up to this many cases; more would take too much memory.
_MOST_CASES = 10_000_000


def training_data(estimator: Any, table: Any, labels: Any, weights: Any) -> Dataset:
    """A dataset made from the arguments of `fit`; sets a classifier's classes, and the number and the names of the features.

    Raises a ValueError for whatever scikit-learn refuses, a TypeError for cells that are neither text nor numbers.
    """
    name = getattr(labels, "name", None) or ("class" if is_classifier(estimator) else "number")
    labels = checked_targets(estimator, labels)
    table = checked_table(estimator, table, reset=True)
    check_consistent_length(table, labels)
    columns, target = as_table(table).columns, str(name)
    while any(each == target or each.startswith(f"{target}_") for each in columns):
        target += "_"
    given = sample_weights(weights, len(labels))
    few = given is None or given.sum() <= _MOST_CASES
    options = {"kinds": estimator.kinds, "weights": given, "weights_are": None if few else "importances"}
    if is_classifier(estimator):
        return _of_labels(estimator, columns, target, labels, options)
    if labels.ndim > 1:
        several = {f"{target}_{number}": column for number, column in enumerate(labels.T)}
        return _coded({**columns, **several}, list(several), options)
    return _coded({**columns, target: labels}, target, options | {"response": "numbers"})


def _of_labels(
    estimator: Any, columns: Mapping[str, Any], target: str, labels: npt.NDArray[Any], options: Mapping[str, Any]
) -> Dataset:
    """The dataset of a classifier, whose classes are set: coded by numbers, since a label may be a text that means missing."""
    try:
        check_classification_targets(labels)
        estimator.classes_, codes = np.unique(labels, return_inverse=True)
    except TypeError:  # labels that have no order
        one_each = {type(label): label for label in labels}.values()
        got = " and ".join(map(short_repr, one_each))
        raise TypeError(f"y must have labels of one type, texts or numbers, and none missing, got {got}.") from None
    dataset = _coded({**columns, target: codes}, target, {**options, "classes": range(len(estimator.classes_))})
    return evolve(dataset, schema=evolve(dataset.schema, classes=estimator.classes_.tolist()))


def _coded(columns: Mapping[str, Any], target: str | Sequence[str], options: Mapping[str, Any]) -> Dataset:
    try:
        return Dataset.from_columns(columns, target=target, **options)
    except TypeError as error:
        raise TypeError(f"The X argument must be a table of strings and numbers. {error}") from error


def checked_targets(estimator: Any, targets: Any) -> npt.NDArray[Any]:
    """Targets as scikit-learn checks them: labels (n,) of a classifier; numbers (n,), or several of each row (n, K).

    Raises a ValueError for two columns of labels, and for targets of a regressor that are no numbers.
    """
    if getattr(getattr(targets, "dtype", None), "names", None):
        raise ValueError(f"y must be one column of targets, got an array of the fields {', '.join(targets.dtype.names)}.")
    if len(getattr(targets, "shape", ())) > 1 and not isinstance(targets, np.ndarray):
        as_frame(targets)  # it refuses two columns of one name
    check: Any = validate_data
    if is_classifier(estimator):
        labels: npt.NDArray[Any] = check(estimator, y=targets)
        return labels
    is_table = np.asarray(targets).shape[1:] > (1,)
    checked: npt.NDArray[Any] = check(estimator, y=targets, multi_output=is_table)
    return checked.astype(np.float64) if checked.dtype.kind in "fiub" else np.array(list(map(_as_number, checked)))


def _as_number(target: Any) -> float:
    try:
        return float(target)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"y must be numbers for a regressor, got {short_repr(target)}. TreeClassifier takes labels.") from None


def checked_table(estimator: Any, table: Any, *, reset: bool) -> Any:
    """The table as a frame, if it is one, or as a two-dimensional array; its features are checked, or set if `reset`."""
    check: Any = validate_data
    if issparse(table):
        return check(estimator, table, reset=reset, accept_sparse=True, ensure_all_finite=False).toarray()
    frame = None if isinstance(table, (np.ndarray, list, tuple)) else as_frame(table)
    if frame is not None:
        checked = check(estimator, frame.to_native(), reset=reset, skip_check_array=True)
        return checked if reset else _by_features(estimator, checked)
    if type(table) is np.ndarray and table.dtype == np.float64 and table.ndim == 2 and table.size:  # noqa: PLR2004  # rows by columns
        # The check of its array would take half of the time of a row's prediction.
        return check(estimator, table, reset=reset, skip_check_array=True)
    # NumPy would turn all cells of a list into text if some are text, and scikit-learn would drop a mask.
    dtype = object if isinstance(table, (list, tuple)) else None
    unmasked = _unmasked(table) if isinstance(table, np.ma.MaskedArray) else table
    return check(estimator, unmasked, reset=reset, dtype=dtype, ensure_all_finite=False)


def _unmasked(array: Any) -> Any:
    """A masked array as a plain one, with NaN or None where it is masked."""
    return array.filled(np.nan) if array.dtype.kind == "f" else array.astype(object).filled(None)


def _by_features(estimator: Any, frame: Any) -> Any:
    """The columns of a frame by the names of the tree's features, which a fit to an array has made; or its floats."""
    floats = floats_of_pandas(frame)
    if floats is not None:
        return floats
    return dict(zip((each.name for each in estimator.tree.schema.features), as_table(frame).columns.values(), strict=True))


def sample_weights(weights: Any, n: int) -> npt.NDArray[np.float64] | None:
    """Sample weights of n rows as an array; None stays None. The dataset refuses negative ones.

    Raises a ValueError for another shape, and if all are zero.

    >>> sample_weights([1, 2], 2).tolist()
    [1.0, 2.0]
    """
    if weights is None:
        return None
    try:
        array = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.array(np.nan)
    if array.shape != (n,):
        raise ValueError(f"sample_weight must be one number for each of the {n} rows, got {short_repr(weights)}.")
    if not array.any():
        raise ValueError("sample_weight must be above zero in at least one row, got zero in all rows.")
    return array


# What multiplies the weights of classes, and the cases that are held back.


def class_factors(class_weight: Any, dataset: Dataset) -> npt.NDArray[np.float64]:
    """The factors that multiply the weights of each class's rows, (K,), or of all rows with numbers, (1,).

    `class_weight` is None, "balanced" (as in scikit-learn by the numbers of rows, so that classes weigh the same if their
    rows do) or a mapping of labels to weights. If the mean weight of rows is below 1, the factors raise it to 1: stopping rules
    compare numbers of cases, and weights such as AdaBoost's, which sum to 1, would leave every node too small.

    Raises a ValueError for any other class weight.

    >>> data = Dataset.from_rows([["a"], ["b"], ["b"]], ["no", "yes", "yes"])
    >>> class_factors("balanced", data).tolist(), class_factors({"no": 5}, data).tolist()
    ([1.5, 0.75], [5.0, 1.0])
    """
    labels, of_classes = np.array(dataset.schema.classes), dataset.schema.has_classes
    counts = np.array(dataset.class_counts() if of_classes else [dataset.n_cases], dtype=np.float64)
    factors = compute_class_weight(class_weight, classes=labels, y=labels[_groups(dataset)]) if of_classes else np.ones(1)
    if (factors < 0).any() or not counts @ factors:
        raise ValueError(f"class_weight must be numbers from 0, above 0 for a class with cases, got {short_repr(class_weight)}.")
    n_rows = len(dataset) if dataset.weights is None else np.count_nonzero(dataset.weights)
    raised: npt.NDArray[np.float64] = factors * max(1.0, n_rows / float(counts @ factors))
    return raised


def times(dataset: Dataset, factors: npt.NDArray[np.float64]) -> Dataset:
    """The dataset with the weights of each class's rows multiplied by a factor."""
    if (factors == 1).all():
        return dataset
    weights = factors[_groups(dataset)]
    return evolve(dataset, weights=weights if dataset.weights is None else weights * dataset.weights)


def split_off_pruning_set(dataset: Dataset, fraction: float, rng: Any) -> tuple[Dataset, Dataset]:
    """A training set, and a pruning set with `fraction` of the cases of each class, or of all cases of numbers, rounded.

    `rng` is a random number generator of NumPy. A row whose weight is an importance belongs to one set as a whole.

    Raises a ValueError if the pruning set has no case.

    >>> data = Dataset.from_rows([["a"], ["b"]] * 4, [0, 1] * 4)
    >>> [part.class_counts() for part in split_off_pruning_set(data, 0.25, np.random.RandomState(0))]
    [(3, 3), (1, 1)]
    """
    rows = rows_with_weight(dataset)
    # In sorted order, equal rows are neighbours, so the result does not depend on the order of the given rows.
    rows = rows.take(np.lexsort((*rows.columns, rows.target_column)))
    cases = rows.cases()
    held = np.isin(np.arange(len(cases)), _chosen(_groups(rows)[cases], fraction, rng))
    if not held.any():
        got = f"{fraction} of {counted(len(dataset), 'sample')}"
        raise ValueError(f"holdout must hold back at least one case to prune with, got {got}. Use a larger share.")
    return rows.take(rows.part(cases[~held])), rows.take(rows.part(cases[held]))


def _groups(dataset: Dataset) -> npt.NDArray[Any]:
    """The class number of each row; 0 for numbers."""
    return dataset.target_column if dataset.schema.has_classes else np.zeros(len(dataset), np.intp)


def _chosen(labels: npt.NDArray[Any], fraction: float, rng: Any) -> npt.NDArray[np.intp]:
    """The numbers of random cases, `fraction` of each class, given the cases' classes."""
    shuffled = rng.permutation(len(labels))
    groups = [shuffled[labels[shuffled] == label] for label in np.unique(labels)]
    return np.concatenate([group[: round(fraction * len(group))] for group in groups])


def random_numbers(random_state: Any) -> np.random.RandomState:
    """The random numbers of scikit-learn's `random_state`: of a seed, of a RandomState, or for None those of NumPy.

    Raises a ValueError for anything else.
    """
    is_seed = is_whole_number(random_state, 0, (1 << 32) - 1)
    if not (is_seed or random_state is None or random_state is np.random or isinstance(random_state, np.random.RandomState)):
        wanted = "a whole number from 0 to 4294967295, or None, or a RandomState of NumPy"
        raise ValueError(f"random_state must be {wanted}, got {short_repr(random_state)}. A number makes each run equal.")
    return check_random_state(random_state)  # type: ignore[no-any-return]
