"""Prediction: labels, class counts and probabilities of rows, and the path of one row with its reasons in words.

Rows are a `Dataset` (matched by feature name), sequences (in the schema's order) or dicts (an absent feature is missing). A
single sequence or dict is one row and gets one answer. A value that a split does not know is treated as missing.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeAlias, overload

import numpy as np
import numpy.typing as npt
from attrs import frozen

from ftree._lib.arrays import Floats
from ftree._lib.ties import NEARLY, first_largest
from ftree.criteria.costs import as_priors, costs_for, expected_costs, factors
from ftree.criteria.impurity import proportions
from ftree.data.dataset import Dataset, recoded_columns
from ftree.data.rows import Row, Rows, columns_of
from ftree.routing.flat import flat
from ftree.routing.one_row import label_of_row
from ftree.routing.route import Missing, arrivals, check_dataset, check_missing
from ftree.tree.describe import condition, tested_expression
from ftree.tree.nodes import Branch, Leaf, Node, Path, Tree, check_tree, majority
from ftree.tree.schema import Schema
from ftree.tree.splits import UNKNOWN, Columns, Split, WithSurrogates, child_of, features_of, primary

# From so many rows with missing values on, compiled code saves more time than loading numba takes.
_MANY = 5_000
# A function of a tree, rows as `predict` takes them, and the rule for missing values, that returns counts (n, K) or (K,).
Leaves: TypeAlias = Callable[[Tree, Any, Missing], Floats]
# A function of a dataset that returns a label for each row.
Classifier: TypeAlias = Callable[[Dataset], Sequence[Any]]
# Counts or probabilities of one row (K,), and of n rows (n, K).
_OfRow: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float64]]
_OfRows: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.float64]]


@overload
def predict(
    tree: Tree,
    rows: Rows,
    *,
    missing: Missing = ...,
    leaves: Leaves | None = ...,
    priors: Iterable[float] | None = ...,
    costs: Iterable[Iterable[float]] | None = ...,
) -> list[Any]: ...
@overload
def predict(
    tree: Tree,
    rows: Row | npt.NDArray[Any],
    *,
    missing: Missing = ...,
    leaves: Leaves | None = ...,
    priors: Iterable[float] | None = ...,
    costs: Iterable[Iterable[float]] | None = ...,
) -> Any: ...
def predict(
    tree: Tree,
    rows: Any,
    *,
    missing: Missing = "all_routes",
    leaves: Leaves | None = None,
    priors: Iterable[float] | None = None,
    costs: Iterable[Iterable[float]] | None = None,
) -> Any:
    """The label of one row, or a list of the labels of rows; ties go to the first class in schema order.

    `missing` is the rule at a split without an answer for a row: follow `all_routes`, follow them all `weighted` by their
    cases, follow the `heaviest`, or `stop` there. `leaves` replaces the counts of leaves by other ones, such as
    `ftree.neighbors.nearest(dataset, k=3)`. With `costs` (K, K), rows by true class, the label is the one with the least
    expected cost. With `priors` (K,), classes are weighted as if these were their shares at the root.

    A type checker takes a list of lists, tuples, dicts or arrays for rows, and a list of other values for one row. It cannot
    tell for an empty list, nor for an array whose dimensions it does not know: the type of the answer is then Any, as is the
    type of a label.

    Raises a ValueError for rows of another length, a KeyError for a column that the schema does not have.

    >>> from ftree import grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"]))
    >>> predict(tree, ["sunny"]), predict(tree, [["rainy"], ["sunny"]])
    ('play', ['stay', 'play'])
    """
    check_tree(tree)
    check_missing(missing)
    if leaves is not None or priors is not None or costs is not None:
        counts = predict_counts(tree, rows, missing=missing, leaves=leaves)
        best = first_largest(counts) if priors is None and costs is None else _cheapest(tree, counts, priors, costs)
        return [tree.schema.classes[code] for code in best] if best.ndim else tree.schema.classes[best]
    label = label_of_row(tree, rows)
    if label is not None:
        return tree.schema.classes[label]
    columns, n, single = columns_of(tree.schema, rows)
    labels = _labels(tree, columns, n, missing)
    if single:
        return tree.schema.classes[labels[0]]
    classes = np.empty(len(tree.schema.classes), dtype=object)
    classes[:] = tree.schema.classes
    return classes[labels].tolist()


# Tuples are hashable, so a list of tuples fits both of the first overloads of these functions; it is taken for rows.
@overload
def predict_counts(  # type: ignore[overload-overlap]
    tree: Tree, rows: Rows, *, missing: Missing = ..., leaves: Leaves | None = ...
) -> _OfRows: ...
@overload
def predict_counts(tree: Tree, rows: Row, *, missing: Missing = ..., leaves: Leaves | None = ...) -> _OfRow: ...
@overload
def predict_counts(tree: Tree, rows: npt.NDArray[Any], *, missing: Missing = ..., leaves: Leaves | None = ...) -> Floats: ...
def predict_counts(tree: Tree, rows: Any, *, missing: Missing = "all_routes", leaves: Leaves | None = None) -> Floats:
    """The class counts that answer each row, (n, K), or one row, (K,).

    They are the leaf's counts, or, where the leaf has no cases, those of the nearest node above that has some. A row that
    reaches several leaves gets the sum of their counts (`all_routes`), or the mean of their distributions (`weighted`). Where
    none of the leaves has cases, `all_routes` takes the largest count of each class among the nearest nodes above.

    With `leaves`, a function of the tree, the rows and `missing`, the counts are what it returns. A type checker tells
    one row from rows as for `predict`.

    Raises a ValueError for rows of another length, a KeyError for a column that the schema does not have.

    >>> from ftree import grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"], ["rainy"]], ["play", "stay", "stay"]))
    >>> predict_counts(tree, [None]).tolist()
    [1.0, 2.0]
    """
    check_tree(tree)
    check_missing(missing)
    if leaves is not None:
        return _counts_by(leaves, tree, rows, missing)
    columns, n, single = columns_of(tree.schema, rows)
    nodes = flat(tree.root)
    leaf = nodes.leaf_numbers(columns, n)
    answer = nodes.counts[nodes.answer[leaf]]
    if missing == "weighted":
        answer = proportions(answer)
    unanswered = np.flatnonzero(leaf == UNKNOWN)
    if len(unanswered):
        answer[unanswered] = _gather_counts(tree, tuple(column[unanswered] for column in columns), len(unanswered), missing)
    return answer[0] if single else answer


@overload
def predict_proba(  # type: ignore[overload-overlap]
    tree: Tree, rows: Rows, *, estimate: Callable[[Floats], Floats] = ..., missing: Missing = ...
) -> _OfRows: ...
@overload
def predict_proba(tree: Tree, rows: Row, *, estimate: Callable[[Floats], Floats] = ..., missing: Missing = ...) -> _OfRow: ...
@overload
def predict_proba(
    tree: Tree, rows: npt.NDArray[Any], *, estimate: Callable[[Floats], Floats] = ..., missing: Missing = ...
) -> Floats: ...
def predict_proba(
    tree: Tree, rows: Any, *, estimate: Callable[[Floats], Floats] = proportions, missing: Missing = "all_routes"
) -> Floats:
    """Class probabilities of each row, (n, K), or of one row, (K,), estimated from the counts that answer it.

    `estimate` is `proportions`, `laplace`, `m_estimate(m, prior)`, or any function from counts (..., K) to shares.

    Raises a TypeError for an estimate that is no function, and as `predict_counts` for rows.

    >>> from ftree import grow, laplace
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"], ["rainy"]], ["play", "stay", "stay"]))
    >>> predict_proba(tree, ["rainy"], estimate=laplace).tolist()
    [0.25, 0.75]
    """
    if not callable(estimate):
        example = "such as laplace or m_estimate(2, prior=(0.6, 0.4))"
        message = f"estimate must be a function of counts, {example}, got a {type(estimate).__name__}."
        raise TypeError(message)
    return estimate(predict_counts(tree, rows, missing=missing))


def accuracy(
    tree: Tree | Classifier, dataset: Dataset, *, missing: Missing = "all_routes", leaves: Leaves | None = None
) -> float:
    """The share of the dataset's rows, by weight, that the tree labels correctly; rows of classes it does not have are errors.

    Instead of a tree, any classifier will do: a function of a dataset that returns a list of labels, such as one of
    `ftree.neighbors.knn`.

    Raises a ValueError for a dataset without a row of positive weight.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([["a"], ["a"], ["b"], ["b"]], [0, 1, 1, 1])
    >>> accuracy(grow(data), data)
    0.75
    """
    if not callable(tree):
        check_tree(tree)
    check_dataset(dataset)
    weights = np.ones(len(dataset)) if dataset.weights is None else dataset.weights
    _check_weight(weights)
    if not callable(tree) and leaves is None:
        check_missing(missing)
        code_of = {label: code for code, label in enumerate(dataset.schema.classes)}
        codes = np.array([code_of.get(label, UNKNOWN) for label in tree.schema.classes])
        labels = _labels(tree, recoded_columns(dataset, tree.schema.features), len(dataset), missing)
        return float(weights[codes[labels] == dataset.labels].sum() / weights.sum())
    predicted = tree(dataset) if callable(tree) else predict(tree, dataset, missing=missing, leaves=leaves)
    right = [label == dataset.schema.classes[code] for label, code in zip(predicted, dataset.labels, strict=True)]
    return float(weights[np.array(right, dtype=bool)].sum() / weights.sum())


def mean_cost(
    tree: Tree, dataset: Dataset, *, costs: Iterable[Iterable[float]], missing: Missing = "all_routes", decide: bool = True
) -> float:
    """The mean cost of the tree's answers to the dataset's rows, by weight, for a cost matrix (K, K) with rows by true class.

    The tree answers with the label of least expected cost, or, with `decide=False`, with the majority class.

    Raises a ValueError for a dataset without a row of positive weight, for costs of another number of classes, and for
    a row of a class that the tree does not have.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([["a"], ["a"], ["a"], ["b"]], [0, 1, 1, 1])
    >>> costs = [[0, 5], [1, 0]]
    >>> mean_cost(grow(data), data, costs=costs), mean_cost(grow(data), data, costs=costs, decide=False)
    (0.5, 1.25)
    """
    cost, weights = costs_of_answers(tree, dataset, costs=costs, missing=missing, decide=decide)
    return float((weights * cost).sum() / weights.sum())


def costs_of_answers(
    tree: Tree,
    dataset: Dataset,
    *,
    costs: Iterable[Iterable[float]] | None,
    priors: Iterable[float] | None = None,
    missing: Missing = "all_routes",
    decide: bool = True,
) -> tuple[Floats, Floats]:
    """The cost of the tree's answer to each row, (n,), and the rows' weights, (n,); without `costs` an error costs 1.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([["a"], ["a"], ["a"], ["b"]], [0, 1, 1, 1])
    >>> costs_of_answers(grow(data), data, costs=[[0, 5], [1, 0]])[0].tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    check_tree(tree)
    check_dataset(dataset)
    rows = dataset.recoded(tree.schema)
    matrix = costs_for(costs, len(tree.schema.classes))
    weights = np.ones(len(rows)) if rows.weights is None else rows.weights
    _check_weight(weights)
    counts = predict_counts(tree, rows, missing=missing)
    predicted = _cheapest(tree, counts, priors, matrix) if decide else first_largest(counts)
    return np.array(matrix)[rows.labels, predicted], weights


@frozen
class Route:
    """The way of one row down a tree: the path of child numbers, the reasons in words, the last node, the label."""

    path: Path
    reasons: tuple[str, ...]
    node: Node
    label: Any

    def __str__(self) -> str:
        """The rule of the row in one line."""
        return f"{' and '.join(self.reasons) or 'always'} -> {self.label}"


def path_of(tree: Tree, row: Row | npt.NDArray[Any], *, missing: Literal["heaviest", "stop"] = "heaviest") -> Route:
    """The way of one row down the tree, with the reasons in words.

    At a split without an answer the row goes to the child with the most cases, or stops.

    Raises a ValueError for several rows, another length or another rule, a KeyError for a column that the schema does not have.

    >>> from ftree import grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"], features=["sky"]))
    >>> print(path_of(tree, ["rainy"]))
    sky = rainy -> stay
    """
    check_tree(tree)
    if missing not in ("heaviest", "stop"):
        message = f"missing must be 'heaviest' or 'stop', got {missing!r}. A path cannot follow several routes."
        raise ValueError(message)
    columns, n, single = columns_of(tree.schema, row)
    if not single:
        message = f"row must be one row, a sequence or a dict of values, got {n} rows."
        raise ValueError(message)
    node, answer, path, reasons = tree.root, tree.root, [], []
    while isinstance(node, Branch):
        child = _child(node.split, columns)
        if child == UNKNOWN:
            if missing == "stop":
                break
            sizes = [sum(below.counts) for below in node.children]
            child = sizes.index(max(sizes))
        reasons.append(_reason(tree.schema, node.split, child, columns))
        path.append(child)
        node = node.children[child]
        answer = node if any(node.counts) else answer
    return Route(tuple(path), tuple(reasons), node, tree.schema.classes[majority(answer.counts)])


def leaf_of(tree: Tree, row: Row | npt.NDArray[Any], *, missing: Literal["heaviest", "stop"] = "heaviest") -> Leaf:
    """The leaf that one row reaches, or, where it stops before, its last node as a leaf; see `path_of`.

    >>> from ftree import grow
    >>> leaf_of(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"])), ["rainy"])
    Leaf(counts=(0, 1))
    """
    return Leaf(path_of(tree, row, missing=missing).node.counts)


def _child(split: Split, columns: Columns) -> int:
    """The child that one row goes to."""
    return int(child_of(split, *(columns[feature] for feature in features_of(split)))[0])


def _reason(schema: Schema, split: Split, child: int, columns: Columns) -> str:
    """Why one row goes to a child, in words: the split's condition, or that its value is unknown and what decides instead."""
    if _child(primary(split), columns) != UNKNOWN:
        return condition(schema, split, child)
    surrogates = [surrogate.split for surrogate in split.surrogates] if isinstance(split, WithSurrogates) else []
    answers = ((each, _child(each, columns)) for each in surrogates)
    known = (condition(schema, each, own) for each, own in answers if own != UNKNOWN)
    return f"{tested_expression(schema, split)} unknown, so {next(known, condition(schema, split, child))}"


def _labels(tree: Tree, columns: Columns, n: int, missing: Missing) -> npt.NDArray[np.intp]:
    """The number of the class that each row is labelled with."""
    nodes = flat(tree.root)
    leaf = nodes.leaf_numbers(columns, n)
    labels: npt.NDArray[np.intp] = nodes.labels[leaf]
    unanswered = np.flatnonzero(leaf == UNKNOWN)
    if len(unanswered):
        counts = _gather_counts(tree, tuple(column[unanswered] for column in columns), len(unanswered), missing)
        labels[unanswered] = first_largest(counts)
    return labels


def _check_weight(weights: Floats) -> None:
    """Raise a ValueError where rows weigh nothing, since their mean is not defined."""
    if not weights.sum():
        message = f"dataset must have a row with a weight above 0, got {len(weights)} rows without one."
        raise ValueError(message)


def _counts_by(leaves: Leaves, tree: Tree, rows: Any, missing: Missing) -> Floats:
    """The counts that `leaves` returns instead of those of the leaves."""
    if not callable(leaves):
        example = "such as ftree.neighbors.nearest(dataset)"
        message = f"leaves must be a function of a tree, rows and missing, {example}, got a {type(leaves).__name__}."
        raise TypeError(message)
    return np.asarray(leaves(tree, rows, missing), dtype=np.float64)


def _gather_counts(tree: Tree, columns: Columns, n: int, missing: Missing) -> Floats:
    """The class counts that answer rows which may reach several leaves, (n, K)."""
    nodes = flat(tree.root)
    if n >= _MANY and nodes.in_tables:
        return nodes.gather_counts(columns, n, missing)
    answer, from_above = np.zeros((n, len(tree.schema.classes))), np.zeros((n, len(tree.schema.classes)))
    for arrival in arrivals(tree.root, columns, np.ones(n), missing):
        if arrival.ends:
            counts = np.array(arrival.node.counts, dtype=np.float64)
            if missing == "weighted":
                answer[arrival.rows] += arrival.weights[:, None] * proportions(arrival.answer.counts)
            elif counts.any():
                answer[arrival.rows] += counts
            else:
                from_above[arrival.rows] = np.maximum(from_above[arrival.rows], arrival.answer.counts)
    without_cases = ~answer.any(axis=1)
    answer[without_cases] = from_above[without_cases]
    return answer


def _cheapest(tree: Tree, counts: Floats, priors: Iterable[float] | None, costs: Iterable[Iterable[float]] | None) -> Any:
    """The number of the class with the least expected cost, the first of ties."""
    weight = factors(tree.root.counts, as_priors(priors), None)
    matrix = costs_for(costs, len(tree.schema.classes))
    cost = expected_costs(counts if weight is None else counts * weight, matrix)
    tolerance = counts.sum(axis=-1, keepdims=True) * (np.max(matrix) * (1 - NEARLY))
    return (cost <= cost.min(axis=-1, keepdims=True) + tolerance).argmax(axis=-1)
