"""Prediction: labels, class counts and probabilities of rows.

Rows are a `Dataset`, a frame of any library or a mapping of columns (matched by name; other columns are ignored), an array of
two dimensions or sequences (in the schema's order), or dicts (an absent feature is missing). A single sequence or dict is one
row and gets one label. A value that a split does not know has no answer there.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, TypedDict, Unpack, overload

import numpy as np
import numpy.typing as npt

from ftree._lib.arrays import Array, Floats, first_largest, first_smallest, read_only
from ftree._lib.fields import require_function
from ftree._lib.messages import short_repr
from ftree.criteria.impurity import proportions
from ftree.data.frames import in_memory
from ftree.data.labelled import Unseen, check_unseen
from ftree.data.rows import Frame, Row, RowList, Rows, RowTable, answers_in_kind, columns_of, labels_in_kind, matrix_in_kind
from ftree.routing.flat import Flat, flat
from ftree.routing.missing_rules import MissingRule, adds_distributions, is_by_rule, rule_for, sees_rows
from ftree.routing.reach import Reached, leaf_of_known_row, reach, reached_counts, row_cells
from ftree.tree.nodes import PredictionRule, Tree, check_tree
from ftree.tree.response import Counts
from ftree.tree.response_protocol import ResponseOfSums
from ftree.tree.schema import by_task, require_classes, response_of_sums
from ftree.tree.splits.split import UNKNOWN, Columns

# A function of a tree, rows as `predict` takes them, and the rule for missing values, that returns counts (n, K) or (K,).
Leaves: TypeAlias = Callable[[Tree, Any, PredictionRule], Floats]
# Counts or probabilities of one row (K,), and of n rows (n, K).
_OfRow: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float64]]
_OfRows: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.float64]]


# The options of predictions, for type checkers: the functions themselves list them with their defaults.


class _Options(TypedDict, total=False):
    missing: MissingRule | None
    unseen: Unseen


class _OfCounts(_Options, total=False):
    leaves: Leaves | None


class _OfLabels(_OfCounts, total=False):
    priors: Iterable[float] | None
    costs: Iterable[Iterable[float]] | None
    threshold: float | None


class _OfShares(_Options, total=False):
    estimate: Callable[[Floats], Floats]


@overload
def predict(tree: Tree, rows: RowTable, **options: Unpack[_OfLabels]) -> npt.NDArray[Any]: ...
@overload
def predict(tree: Tree, rows: RowList, **options: Unpack[_OfLabels]) -> list[Any]: ...
@overload
def predict(tree: Tree, rows: Row | npt.NDArray[Any] | Frame, **options: Unpack[_OfLabels]) -> Any: ...
def predict(
    tree: Tree,
    rows: Any,
    *,
    missing: MissingRule | None = None,
    unseen: Unseen = "rule",
    leaves: Leaves | None = None,
    priors: Iterable[float] | None = None,
    costs: Iterable[Iterable[float]] | None = None,
    threshold: float | None = None,
) -> Any:
    """The label of one row, or the labels of rows; ties go to the first class in schema order. Other trees predict numbers.

    Labels come in the form of the rows: an array for a `Dataset`, an array or a mapping of columns, a list for a list of
    rows, a series of its library for a data frame, with pandas' index (for a relation or a stream, a PyArrow array).

    `missing` is the rule at a split without an answer for a row: `all_routes()` follows all children, `weighted()` follows
    all by their share of the cases, `heaviest()` follows one, `stop_here()` none. It may be given by its name, or be a
    function of yours from the sizes of the children to shares (`ftree.missing`). None is the tree's own rule. For a value that
    the schema does not know, `unseen` decides: by "rule", the split has no answer, whatever missing values did in growth; by
    "missing", the value counts as missing; by "raise", it is refused.

    `leaves` replaces the counts of leaves by those of a function, as for `predict_counts`. With `costs` (K, K), rows by true
    class, the label is the one with the least expected cost. With `priors` (K,), classes are weighted as if these were their
    shares at the root. With a `threshold`, the label is the second of two classes where its probability is at least the
    threshold; `study.threshold` chooses one.

    A type checker takes a list of lists, tuples, dicts or arrays for rows, and a list of other values for one row. It cannot
    decide for an empty list, nor for an array of unknown dimensions: the result's type is then Any, as is the
    type of a label.

    A regression tree predicts the mean of the leaf that a row reaches. Where a row follows several routes whole, as by
    `all_routes()`, that is the mean of all cases of its leaves; where it follows them in shares, as by `weighted()`, the mean of
    the leaves' means by these shares. A tree with another response predicts its answers: K numbers for a row make an array
    (n, K), or a frame with a column for each.

    Raises a ValueError for rows of another length, for a threshold beside priors or costs and, if `unseen` is "raise", for an
    unseen value; a KeyError for a column that the rows lack and a split uses: a table needs no other one.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"]))
    >>> predict(tree, ["sunny"]), predict(tree, [["rainy"], ["sunny"]])
    ('play', ['stay', 'play'])
    """
    check_tree(tree)
    rule = rule_for(tree, missing)
    if not tree.schema.classes:  # faster than to ask for the response, for a single row
        return _means(tree, rows, rule, unseen, {"leaves": leaves, "priors": priors, "costs": costs, "threshold": threshold})
    decide = _decision(tree, priors, costs, threshold)
    if leaves is None and decide is None:
        leaf = leaf_of_known_row(tree, rows) if is_by_rule(unseen) and not sees_rows(rule) else UNKNOWN
        if leaf != UNKNOWN:
            return tree.schema.classes[flat(tree).labels[leaf]]
        reached = reach(tree, rows, unseen)
        codes, single = label_numbers(reached, rule), reached.single
    else:
        counts = _counts(tree, rows, rule, unseen, leaves)
        codes, single = np.atleast_1d((decide or first_largest)(counts)), counts.ndim == 1
    return tree.schema.classes[codes[0]] if single else labels_in_kind(rows, tree.schema.target, tree.schema.classes, codes)


def _means(tree: Tree, rows: Any, rule: PredictionRule, unseen: Unseen, of_classes: dict[str, Any]) -> Any:
    """What a tree without classes predicts for one row, or for rows in their kind."""
    for name, value in of_classes.items():
        if value is not None:
            raise ValueError(f"{name} must be None for {by_task(tree.schema.response.kind)}, got {short_repr(value)}.")
    reached, response = reach(tree, rows, unseen), response_of_sums(tree.schema)
    answers = answers_of_rows(reached, response, rule)
    return answers_in_kind(rows, tree.schema, answers[0] if reached.single else answers, single=reached.single)


def _decision(tree: Tree, priors: Any, costs: Any, threshold: Any) -> Callable[[Floats], Any] | None:
    """How the class numbers follow from counts (n, K) or (K,); None for the class with the most cases."""
    if threshold is None:
        return None if priors is None and costs is None else lambda counts: cheapest_class(tree, counts, priors, costs)
    if not (priors is None and costs is None):
        raise ValueError("threshold must be None beside priors or costs, which decide too, got both. Leave one out.")
    from ftree.criteria.costs import by_threshold  # noqa: PLC0415  # few predictions have a threshold

    return by_threshold(threshold, len(tree.schema.classes)).labels


# Tuples are hashable, so a list of tuples fits both of the first overloads of these functions; it counts as rows.
@overload
def predict_counts(tree: Tree, rows: Rows, **options: Unpack[_OfCounts]) -> _OfRows: ...  # type: ignore[overload-overlap]
@overload
def predict_counts(tree: Tree, rows: Row, **options: Unpack[_OfCounts]) -> _OfRow: ...
@overload
def predict_counts(tree: Tree, rows: Frame, **options: Unpack[_OfCounts]) -> Any: ...
@overload
def predict_counts(tree: Tree, rows: npt.NDArray[Any], **options: Unpack[_OfCounts]) -> Floats: ...
def predict_counts(
    tree: Tree, rows: Any, *, missing: MissingRule | None = None, unseen: Unseen = "rule", leaves: Leaves | None = None
) -> Any:
    """The class counts for each row, (n, K), or one row, (K,); for a frame, a frame with a column for each class.

    They are the leaf's counts, or, if the leaf has no cases, those of its nearest ancestor with cases. A row that
    reaches several leaves gets the sum of their counts. If none of the leaves has cases, it gets the largest count of each
    class among the nearest ancestors. By `weighted()` each row gets shares: the mean of the leaves' distributions.

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
    require_classes(tree.schema, "predict_counts", remedy="Use predict.")
    counts = _counts(tree, rows, rule_for(tree, missing), unseen, leaves)
    return counts if counts.ndim == 1 else matrix_in_kind(rows, tree.schema.classes, counts)


def _counts(tree: Tree, rows: Any, rule: PredictionRule, unseen: Unseen, leaves: Leaves | None) -> Floats:
    """The class counts for each row (n, K), or one row (K,): those of leaves, or those that the function `leaves` returns."""
    if leaves is None:
        reached = reach(tree, rows, unseen)
        answer = counts_of_rows(reached, rule)
        return answer[0] if reached.single else answer
    check_unseen(tree.schema, rows, unseen)
    rows = in_memory(rows)
    require_function("leaves", leaves)
    _, n, single = columns_of(tree.schema, rows, needed=flat(tree).questions.all_features)
    n_classes = len(tree.schema.classes)
    return checked_answer("leaves", leaves(tree, rows, rule), (n_classes,) if single else (n, n_classes))


@overload
def predict_proba(tree: Tree, rows: Rows, **options: Unpack[_OfShares]) -> _OfRows: ...  # type: ignore[overload-overlap]
@overload
def predict_proba(tree: Tree, rows: Row, **options: Unpack[_OfShares]) -> _OfRow: ...
@overload
def predict_proba(tree: Tree, rows: Frame, **options: Unpack[_OfShares]) -> Any: ...
@overload
def predict_proba(tree: Tree, rows: npt.NDArray[Any], **options: Unpack[_OfShares]) -> Floats: ...
def predict_proba(
    tree: Tree,
    rows: Any,
    *,
    estimate: Callable[[Floats], Floats] = proportions,
    missing: MissingRule | None = None,
    unseen: Unseen = "rule",
) -> Any:
    """Class probabilities of each row, (n, K), or of one row, (K,), estimated from its counts.

    For a frame, the result is a frame with a column for each class.

    `estimate` is `proportions`, `laplace`, `m_estimate(m, prior)`, or any function from counts (..., K) to shares. By
    `weighted()`, it estimates the distribution of each leaf, as Weka's J48 does; a row gets their mean. Priors by which a tree
    grew play no part, as in `importances`; rpart's probabilities are weighed by them.

    Raises a TypeError for an estimate that is not a function, a ValueError for one that does not return finite numbers from 0
    in the counts' shape, and the errors of `predict_counts` for rows.

    >>> from ftree import Dataset, grow
    >>> from ftree.routing import laplace
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"], ["rainy"]], ["play", "stay", "stay"]))
    >>> predict_proba(tree, ["rainy"], estimate=laplace).tolist()
    [0.25, 0.75]
    """
    require_function("estimate", estimate)
    check_tree(tree)
    require_classes(tree.schema, "predict_proba", remedy="Use predict.")
    rule, reached = rule_for(tree, missing), reach(tree, rows, unseen)

    def shares_of(counts: Floats) -> Floats:
        return checked_answer("estimate", estimate(read_only(counts)), counts.shape)

    counts = counts_of_rows(reached, rule, shares_of)
    counts = counts[0] if reached.single else counts
    shares = counts if adds_distributions(rule) else shares_of(counts)
    return shares if reached.single else matrix_in_kind(rows, tree.schema.classes, shares)


# What the rows that reached leaves are answered


def label_numbers(reached: Reached, rule: PredictionRule) -> npt.NDArray[np.intp]:
    """The class number of each row's label."""
    nodes = reached.nodes

    def of_divided(columns: Columns, n: int) -> Array:
        labels: Array = first_largest(reached_counts(nodes, columns, n, rule, answers_of_nodes(nodes, rule)))
        return labels

    return reached.answers(nodes.labels.__getitem__, rule, of_divided)


def answers_of_leaves(reached: Reached, response: ResponseOfSums, rule: PredictionRule) -> Array:
    """The answer of the leaf that each row reaches in a tree without classes.

    The sums of several leaves are added, which weighs their means by their cases; by a rule that adds distributions, the answers
    are weighed by the row's shares, or, where answers are labels, the sums of a case.
    """
    if not adds_distributions(rule):
        return response.answers(counts_of_rows(reached, rule))
    shape, kind = (each := response.answers(reached.nodes.counts[:1])).shape[1:], each.dtype.kind
    if kind != "f":
        return response.answers(counts_of_rows(reached, rule, _sums_of_a_case))
    weighed = counts_of_rows(reached, rule, lambda sums: np.column_stack([np.ones(len(sums)), response.answers(sums)]))
    answers: Floats = weighed[:, 1:] / weighed[:, :1]
    return answers.reshape(-1, *shape)


def _sums_of_a_case(sums: Floats) -> Floats:
    """The sums of nodes (m, C) for each case of theirs."""
    return sums / np.where(sums[:, :1] > 0, sums[:, :1], 1.0)


def counts_of_rows(reached: Reached, rule: PredictionRule, estimate: Callable[[Floats], Floats] = proportions) -> Floats:
    """The class counts by which each row is predicted, (n, K); by a rule that adds distributions, those of `estimate`."""
    nodes = reached.nodes
    of_nodes = answers_of_nodes(nodes, rule, estimate)
    of_leaves = lambda leaf: of_nodes[nodes.answer[leaf]]  # noqa: E731  # two short functions
    return reached.answers(of_leaves, rule, lambda columns, n: reached_counts(nodes, columns, n, rule, of_nodes))


def answers_of_nodes(tree: Flat, rule: PredictionRule, estimate: Callable[[Floats], Floats] = proportions) -> Floats:
    """What each node adds for a whole row, (m, K): its counts, or the distribution that is estimated from them."""
    return estimate(tree.counts) if adds_distributions(rule) else tree.counts


# Answers may be functions of the row, such as linear models: `response.row` computes those of rows from those of their leaves.


def answer_of_row(tree: Tree, columns: Columns, counts: Counts) -> Any:
    """What `predict` answers for one row, given its columns, if a node with these counts answers it.

    >>> from ftree import Leaf, Schema
    >>> answer_of_row(Tree(Schema((), "ride", ("no", "yes")), Leaf((3, 1))), (), (3, 1))
    'no'
    """
    answer, cells = tree.schema.response.answer(counts), row_cells(tree.schema, columns)
    if not cells:
        return answer
    (own,) = response_of_sums(tree.schema).row(np.array([answer]), cells).tolist()
    return tuple(own) if isinstance(own, list) else own


def answers_of_rows(reached: Reached, response: ResponseOfSums, rule: PredictionRule) -> Array:
    """What is predicted for each row of a tree without classes, (n,) or (n, K)."""
    answers: Array = response.row(answers_of_leaves(reached, response, rule), reached.cells)
    return answers


def cheapest_class(tree: Tree, counts: Floats, priors: Iterable[float] | None, costs: Iterable[Iterable[float]] | None) -> Any:
    """The number of the class with the least expected cost; the first of several."""
    from ftree.criteria.costs import as_priors, costs_for, expected_costs, factors  # noqa: PLC0415  # few predictions have them

    weight = factors(tree.root.counts, as_priors(priors), None)
    matrix = costs_for(costs, len(tree.schema.classes))
    cost = expected_costs(counts if weight is None else counts * weight, matrix)
    return first_smallest(cost, counts.sum(axis=-1, keepdims=True) * np.max(matrix))


def checked_answer(name: str, answer: Any, shape: tuple[int, ...], *, of: str = "class") -> Floats:
    """The result of a user's function for rows, as an array; a number for each class, or each of something else.

    Raises a ValueError for anything but finite numbers from 0 of this shape.

    >>> checked_answer("estimate", [0.25, 0.75], (2,)).tolist()
    [0.25, 0.75]
    """
    try:
        numbers = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array(np.nan)
    if numbers.shape != shape or not (np.isfinite(numbers) & (numbers >= 0)).all():
        got = short_repr(answer) + (" with other numbers" if numbers.shape == shape else "")
        raise ValueError(f"{name} must return finite numbers from 0 of shape {shape}, one for each {of}, got {got}.")
    return numbers
