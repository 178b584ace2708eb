"""Prediction: labels, class counts and probabilities of rows.

Rows are a `Dataset`, a frame of any library or a mapping of columns (matched by name; other columns are ignored), an array of
two dimensions or sequences (in the schema's order), or dicts (an absent feature is missing). A single sequence or dict is one
row and gets one label. A value that a split does not know is treated as missing.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from ftree._lib.arrays import Array, Floats, read_only
from ftree._lib.messages import short_repr
from ftree._lib.ties import first_largest
from ftree.criteria.impurity import proportions
from ftree.data.in_kind import labels_in_kind, matrix_in_kind
from ftree.data.rows import Frame, Row, RowList, Rows, RowTable, columns_of
from ftree.data.unseen import Unseen, check_unseen
from ftree.routing.answers import cheapest_class, checked_answer, class_counts, label_numbers
from ftree.routing.one_row import label_of_row
from ftree.routing.reached import reach
from ftree.routing.rule_names import Missing, rule_for
from ftree.tree.nodes import Tree, check_tree
from ftree.tree.prediction_rule import PredictionRule

# A function of a tree, rows as `predict` takes them, and the rule for missing values, that returns counts (n, K) or (K,).
Leaves: TypeAlias = Callable[[Tree, Any, PredictionRule], Floats]
# Counts or probabilities of one row (K,), and of n rows (n, K).
_OfRow: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float64]]
_OfRows: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.float64]]


@overload
def predict(
    tree: Tree,
    rows: RowTable,
    *,
    missing: Missing | None = ...,
    unseen: Unseen = ...,
    leaves: Leaves | None = ...,
    priors: Iterable[float] | None = ...,
    costs: Iterable[Iterable[float]] | None = ...,
) -> npt.NDArray[Any]: ...
@overload
def predict(
    tree: Tree,
    rows: RowList,
    *,
    missing: Missing | None = ...,
    unseen: Unseen = ...,
    leaves: Leaves | None = ...,
    priors: Iterable[float] | None = ...,
    costs: Iterable[Iterable[float]] | None = ...,
) -> list[Any]: ...
@overload
def predict(
    tree: Tree,
    rows: Row | npt.NDArray[Any] | Frame,
    *,
    missing: Missing | None = ...,
    unseen: Unseen = ...,
    leaves: Leaves | None = ...,
    priors: Iterable[float] | None = ...,
    costs: Iterable[Iterable[float]] | None = ...,
) -> Any: ...
def predict(
    tree: Tree,
    rows: Any,
    *,
    missing: Missing | None = None,
    unseen: Unseen = "missing",
    leaves: Leaves | None = None,
    priors: Iterable[float] | None = None,
    costs: Iterable[Iterable[float]] | None = None,
) -> Any:
    """The label of one row, or the labels of rows; ties go to the first class in schema order.

    Labels come in the form of the rows: an array for a `Dataset`, an array or a mapping of columns, a list for a list of
    rows, a series of its library for a data frame, with pandas' index (for a relation or a stream, a PyArrow array).

    `missing` is the rule at a split without an answer for a row: `all_routes()` follows all children, `weighted()` follows
    all by their share of the cases, `heaviest()` follows one, `stop_here()` none. It may be given by its name, or be a
    function of yours from the sizes of the children to shares (`ftree.missing`). None is the tree's own rule. A value that
    the schema does not know counts as missing, unless `unseen` is "raise".

    `leaves` replaces the counts of leaves by others, such as
    `ftree.neighbors.nearest(dataset, k=3)`. With `costs` (K, K), rows by true class, the label is the one with the least
    expected cost. With `priors` (K,), classes are weighted as if these were their shares at the root.

    A type checker takes a list of lists, tuples, dicts or arrays for rows, and a list of other values for one row. It cannot
    decide for an empty list, nor for an array of unknown dimensions: the result's type is then Any, as is the
    type of a label.

    Raises a ValueError for rows of another length and, if `unseen` is "raise", for an unseen value; a KeyError for a column
    that the rows lack.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"]))
    >>> predict(tree, ["sunny"]), predict(tree, [["rainy"], ["sunny"]])
    ('play', ['stay', 'play'])
    """
    check_tree(tree)
    check_unseen(tree.schema, rows, unseen)
    rule = rule_for(tree, missing)
    label = label_of_row(tree, rows) if leaves is None and priors is None and costs is None else None
    if label is not None:
        return tree.schema.classes[label]
    codes, single = _class_numbers(tree, rows, rule, leaves, priors, costs)
    return tree.schema.classes[codes[0]] if single else labels_in_kind(rows, tree.schema.target, tree.schema.classes, codes)


def _class_numbers(tree: Tree, rows: Any, rule: PredictionRule, leaves: Any, priors: Any, costs: Any) -> tuple[Array, bool]:
    """The number of the class of each row, and whether a single row was given."""
    if leaves is None and priors is None and costs is None:
        reached = reach(tree, rows)
        return label_numbers(reached, rule), reached.single
    counts = _counts(tree, rows, rule, leaves)
    best = first_largest(counts) if priors is None and costs is None else cheapest_class(tree, counts, priors, costs)
    return np.atleast_1d(best), not np.ndim(best)


# Tuples are hashable, so a list of tuples fits both of the first overloads of these functions; it counts as rows.
@overload
def predict_counts(  # type: ignore[overload-overlap]
    tree: Tree, rows: Rows, *, missing: Missing | None = ..., unseen: Unseen = ..., leaves: Leaves | None = ...
) -> _OfRows: ...
@overload
def predict_counts(
    tree: Tree, rows: Row, *, missing: Missing | None = ..., unseen: Unseen = ..., leaves: Leaves | None = ...
) -> _OfRow: ...
@overload
def predict_counts(
    tree: Tree, rows: Frame, *, missing: Missing | None = ..., unseen: Unseen = ..., leaves: Leaves | None = ...
) -> Any: ...
@overload
def predict_counts(
    tree: Tree, rows: npt.NDArray[Any], *, missing: Missing | None = ..., unseen: Unseen = ..., leaves: Leaves | None = ...
) -> Floats: ...
def predict_counts(
    tree: Tree, rows: Any, *, missing: Missing | None = None, unseen: Unseen = "missing", leaves: Leaves | None = None
) -> Any:
    """The class counts for each row, (n, K), or one row, (K,); for a frame, a frame with a column for each class.

    They are the leaf's counts, or, if the leaf has no cases, those of its nearest ancestor with cases. A row that
    reaches several leaves gets the sum of their counts, or, by `weighted()`, the mean of their distributions. If counts
    are added and none of the leaves has cases, it gets the largest count of each class among the nearest ancestors.

    With `leaves`, a function of the tree, the rows and the rule for missing values, the counts are its result:
    finite numbers from 0, (n, K) or (K,).
    A type checker distinguishes one row from rows as for `predict`.

    Raises a ValueError for rows of another length, a KeyError for a column that the rows lack.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"], ["rainy"]], ["play", "stay", "stay"]))
    >>> predict_counts(tree, [None]).tolist()
    [1.0, 2.0]
    """
    check_tree(tree)
    check_unseen(tree.schema, rows, unseen)
    counts = _counts(tree, rows, rule_for(tree, missing), leaves)
    return counts if counts.ndim == 1 else matrix_in_kind(rows, tree.schema.classes, counts)


def _counts(tree: Tree, rows: Any, rule: PredictionRule, leaves: Leaves | None) -> Floats:
    """The class counts for each row (n, K), or one row (K,)."""
    if leaves is not None:
        return _counts_by(leaves, tree, rows, rule)
    reached = reach(tree, rows)
    answer = class_counts(reached, rule)
    return answer[0] if reached.single else answer


@overload
def predict_proba(  # type: ignore[overload-overlap]
    tree: Tree, rows: Rows, *, estimate: Callable[[Floats], Floats] = ..., missing: Missing | None = ..., unseen: Unseen = ...
) -> _OfRows: ...
@overload
def predict_proba(
    tree: Tree, rows: Row, *, estimate: Callable[[Floats], Floats] = ..., missing: Missing | None = ..., unseen: Unseen = ...
) -> _OfRow: ...
@overload
def predict_proba(
    tree: Tree, rows: Frame, *, estimate: Callable[[Floats], Floats] = ..., missing: Missing | None = ..., unseen: Unseen = ...
) -> Any: ...
@overload
def predict_proba(
    tree: Tree,
    rows: npt.NDArray[Any],
    *,
    estimate: Callable[[Floats], Floats] = ...,
    missing: Missing | None = ...,
    unseen: Unseen = ...,
) -> Floats: ...
def predict_proba(
    tree: Tree,
    rows: Any,
    *,
    estimate: Callable[[Floats], Floats] = proportions,
    missing: Missing | None = None,
    unseen: Unseen = "missing",
) -> Any:
    """Class probabilities of each row, (n, K), or of one row, (K,), estimated from its counts.

    For a frame, the result is a frame with a column for each class.

    `estimate` is `proportions`, `laplace`, `m_estimate(m, prior)`, or any function from counts (..., K) to shares.

    Raises a TypeError for an estimate that is not a function, a ValueError for one that does not return finite numbers from 0
    in the counts' shape, and the errors of `predict_counts` for rows.

    >>> from ftree import Dataset, grow, laplace
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"], ["rainy"]], ["play", "stay", "stay"]))
    >>> predict_proba(tree, ["rainy"], estimate=laplace).tolist()
    [0.25, 0.75]
    """
    if not callable(estimate):
        example = "such as laplace or m_estimate(2, prior=(0.6, 0.4))"
        message = f"estimate must be a function of counts, {example}, got {short_repr(estimate)}."
        raise TypeError(message)
    check_tree(tree)
    check_unseen(tree.schema, rows, unseen)
    counts = read_only(_counts(tree, rows, rule_for(tree, missing), None))
    shares = checked_answer("estimate", estimate(counts), counts.shape)
    return shares if shares.ndim == 1 else matrix_in_kind(rows, tree.schema.classes, shares)


def _counts_by(leaves: Leaves, tree: Tree, rows: Any, rule: PredictionRule) -> Floats:
    """The counts that the function `leaves` returns instead of those of the leaves."""
    if not callable(leaves):
        example = "such as ftree.neighbors.nearest(dataset)"
        message = f"leaves must be a function of a tree, rows and a rule for missing values, {example}, got {short_repr(leaves)}."
        raise TypeError(message)
    _, n, single = columns_of(tree.schema, rows)
    n_classes = len(tree.schema.classes)
    return checked_answer("leaves", leaves(tree, rows, rule), (n_classes,) if single else (n, n_classes))
