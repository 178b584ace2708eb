"""The prediction for a row: the counts of the leaves that it may reach, the class of its label, the class of least cost."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ftree._lib.arrays import Array, Floats
from ftree._lib.compilation import compiled_code_is_due
from ftree._lib.messages import short_repr
from ftree._lib.ties import first_largest, first_smallest
from ftree.criteria.costs import as_priors, costs_for, expected_costs, factors
from ftree.criteria.impurity import proportions
from ftree.routing.alike import MANY_STEPS, alike
from ftree.routing.flat import flat
from ftree.routing.reached import Reached
from ftree.routing.route import arrivals
from ftree.routing.rule_names import adds_distributions
from ftree.tree.nodes import Tree
from ftree.tree.prediction_rule import PredictionRule
from ftree.tree.splits.protocol import Columns

# From this many rows with missing values on, compiled code saves more time than loading numba takes.
_MANY = 5_000
# Seconds that NumPy takes for a row at a node, on a machine of 2024.
_SECONDS_PER_STEP = 3e-9


def label_numbers(rows: Reached, rule: PredictionRule) -> npt.NDArray[np.intp]:
    """The class number of each row's label."""
    labels: npt.NDArray[np.intp] = flat(rows.tree.root).labels[rows.leaf]
    unanswered = rows.unanswered()
    if len(unanswered):
        labels[unanswered] = first_largest(_unanswered_counts(rows, unanswered, rule))
    return labels


def class_counts(rows: Reached, rule: PredictionRule) -> Floats:
    """The class counts by which each row is predicted, (n, K)."""
    nodes = flat(rows.tree.root)
    answer: Floats = nodes.counts[nodes.answer[rows.leaf]]
    if adds_distributions(rule):
        answer = proportions(answer)
    unanswered = rows.unanswered()
    if len(unanswered):
        answer[unanswered] = _unanswered_counts(rows, unanswered, rule)
    return answer


def _unanswered_counts(rows: Reached, unanswered: Array, rule: PredictionRule) -> Floats:
    return gather_counts(rows.tree, rows.columns_at(unanswered), len(unanswered), rule)


def gather_counts(tree: Tree, columns: Columns, n: int, rule: PredictionRule) -> Floats:
    """The class counts for rows that may reach several leaves, (n, K); of equal rows, one is routed."""
    nodes = flat(tree.root)
    # The features of splits without a table form are not listed.
    used = [columns[feature] for feature in nodes.questions.used_features.tolist()] if nodes.compiled else list(columns)
    groups = alike(used) if used and n * len(nodes.arity) >= MANY_STEPS else None
    if groups is None:
        return _gathered(tree, columns, n, rule)
    rows, which = groups
    answers: Floats = _gathered(tree, tuple(column[rows] for column in columns), len(rows), rule)[which]
    return answers


def _gathered(tree: Tree, columns: Columns, n: int, rule: PredictionRule) -> Floats:
    nodes = flat(tree.root)
    if n >= _MANY and nodes.compiled and compiled_code_is_due(n * len(nodes.arity) * _SECONDS_PER_STEP):
        return nodes.gather_counts(columns, n, rule)
    as_distributions = adds_distributions(rule)
    answer, from_above = np.zeros((n, len(tree.schema.classes))), np.zeros((n, len(tree.schema.classes)))
    for arrival in arrivals(tree.root, columns, np.ones(n), rule):
        if arrival.ends:
            counts = np.array(arrival.answer.counts, dtype=np.float64)
            part = arrival.weights[:, None] * (proportions(counts) if as_distributions else counts)
            if as_distributions or arrival.answer is arrival.node:
                answer[arrival.rows] += part
            else:
                from_above[arrival.rows] = np.maximum(from_above[arrival.rows], part)
    without_cases = ~answer.any(axis=1)
    answer[without_cases] = from_above[without_cases]
    return answer


def checked_answer(name: str, answer: Any, shape: tuple[int, ...]) -> Floats:
    """The result of a user's function for rows, as an array.

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
        message = f"{name} must return finite numbers from 0 of shape {shape}, one for each class, got {got}."
        raise ValueError(message)
    return numbers


def cheapest_class(tree: Tree, counts: Floats, priors: Iterable[float] | None, costs: Iterable[Iterable[float]] | None) -> Any:
    """The number of the class with the least expected cost; the first of several."""
    weight = factors(tree.root.counts, as_priors(priors), None)
    matrix = costs_for(costs, len(tree.schema.classes))
    cost = expected_costs(counts if weight is None else counts * weight, matrix)
    return first_smallest(cost, counts.sum(axis=-1, keepdims=True) * np.max(matrix))
