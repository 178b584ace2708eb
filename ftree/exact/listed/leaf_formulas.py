"""Formulas of what leaves cost, as `native/depth_two.c` has them: the same steps, so that both agree to the last bit.

`Problem.leaf_costs` is what they must equal: it asks the objective itself, as the search does for objectives without a formula.

| kind | of objectives | table |
|---|---|---|
| ERRORS | that count errors | the weights of classes, in one row |
| JOINT | any others of two classes and whole weights | the costs of all counts, penalties included |
| LOGS | `class_bits` | n log2(n) for whole n, in one row; empty where weights are fractions or too many: a series computes it |
| MATRIX | `costs` | the matrix |
| SQUARES | `squared_error` | centre and scale, in one row |
"""

from collections.abc import Callable
from enum import IntEnum
from functools import reduce
from typing import NamedTuple

import numpy as np

from ftree._lib.arrays import Array, Floats
from ftree._lib.objects import is_exactly
from ftree.exact.listed.problem import Problem
from ftree.exact.listed.sums_as_classes import additive_loss, squared_error
from ftree.exact.objectives import class_bits, costs, n_log2_n
from ftree.exact.task import problem_counts

# Kinds of formulas, as `native/depth_two.c` numbers them.
LeafKind = IntEnum("LeafKind", "ERRORS JOINT LOGS MATRIX SQUARES", start=0)


class LeafFormula(NamedTuple):
    """A kind of formula, and its table (rows, width)."""

    kind: LeafKind
    table: Floats


_TWO = 2
# Tables have at most this many entries.
_MOST = 2**20
# log2(x) is 2 / ln 2 times the sum of r^(2k+1) / (2k+1) with r = (x-1) / (x+1); 13 terms suffice from sqrt(1/2) to sqrt(2).
_TWO_BY_LN_2, _SQRT_HALF, _SERIES = 2.8853900817779268, 0.7071067811865476, 13


def formula_of(problem: Problem, cost_weights: Floats) -> LeafFormula | None:
    """The formula of what leaves cost, given the weights of each class's counts in errors (K,); None where there is none."""
    objective, step = problem.objective, problem.step
    if is_exactly(objective, squared_error):
        return LeafFormula(LeafKind.SQUARES, np.array([[objective.centre, objective.scale]]))
    if isinstance(objective, additive_loss):
        return None
    if problem.class_weights is not None:
        return LeafFormula(LeafKind.ERRORS, cost_weights[None])
    n = problem_counts(problem.dataset.target_column, problem.weights, problem.n_classes)
    whole = bool((problem.weights == np.round(problem.weights)).all())
    if whole and len(n) == _TWO and (n + 1).prod() <= _MOST:
        counts = np.stack(np.meshgrid(*map(np.arange, n + 1), indexing="ij"), axis=-1)
        return LeafFormula(LeafKind.JOINT, problem.leaf_costs(counts))
    if is_exactly(objective, class_bits):
        logs = n_log2_n(np.arange(n.sum() + 1)) if whole and n.sum() < _MOST else np.zeros(0)
        return LeafFormula(LeafKind.LOGS, np.round(logs / step)[None] * step)
    return LeafFormula(LeafKind.MATRIX, np.array(objective.matrix)) if is_exactly(objective, costs) else None


def costs_by_formula(problem: Problem, formula: LeafFormula | None, counts: Array) -> Floats:
    """The costs of leaves with these counts (..., K), penalties included; without a formula, the objective's."""
    return problem.leaf_costs(counts) if formula is None else COSTS[formula.kind](problem, formula.table, counts)


def _errors(problem: Problem, table: Floats, counts: Array) -> Floats:
    own = counts * table[0]
    return problem.charged(own.sum(axis=-1) - own.max(axis=-1), counts.sum(axis=-1))


def _joint(_: Problem, table: Floats, counts: Array) -> Floats:
    answer: Floats = table[tuple(np.moveaxis(counts.astype(np.int64), -1, 0))]
    return answer


def _logs(problem: Problem, table: Floats, counts: Array) -> Floats:
    cases = counts.sum(axis=-1)
    if table.size:
        logs = table[0].take(cases.astype(np.int64)) - table[0].take(counts.astype(np.int64)).sum(axis=-1)
        return problem.charged(logs, cases)
    terms = (-n_log2_n_by_series(each) for each in np.moveaxis(counts, -1, 0))
    bits: Floats = reduce(np.add, terms, n_log2_n_by_series(cases))
    return problem.charged(problem.on_grid(np.maximum(bits, 0.0)), cases)


def _matrix(problem: Problem, table: Floats, counts: Array) -> Floats:
    # Class by class, as the library does, since no product of matrices promises an order.
    expected: Floats = reduce(np.add, (counts[..., label, None] * own for label, own in enumerate(table)))
    return problem.charged(problem.on_grid(expected.min(axis=-1)), counts.sum(axis=-1))


# What leaves with some counts (..., K) cost, penalties included, given the table of each kind.
COSTS: dict[LeafKind, Callable[[Problem, Floats, Array], Floats]] = {
    LeafKind.ERRORS: _errors,
    LeafKind.JOINT: _joint,
    LeafKind.LOGS: _logs,
    LeafKind.MATRIX: _matrix,
    LeafKind.SQUARES: lambda problem, _, counts: problem.leaf_costs(counts),
}


def n_log2_n_by_series(n: Floats) -> Floats:
    """The products n log2(n), 0 for 0, by steps that the library repeats to the last bit: logarithms of C libraries differ.

    >>> n_log2_n_by_series(np.array([0.0, 0.5, 8.0])).tolist()
    [0.0, -0.5, 24.0]
    """
    part, exponent = np.frexp(np.where(n > 0, n, 1.0))
    low = part < _SQRT_HALF
    part, exponent = np.where(low, 2.0 * part, part), exponent - low
    ratio = (part - 1.0) / (part + 1.0)
    square, total = ratio * ratio, np.zeros_like(ratio)
    for k in reversed(range(_SERIES)):
        total = total * square + 1.0 / (2 * k + 1)
    product: Floats = n * (exponent + _TWO_BY_LN_2 * ratio * total)
    return product
