"""Formulas: costs of leaves that kernels compute, for objectives other than errors.

| kind | objective | cost |
|---|---|---|
| JOINT | any, with two classes and whole weights of few cases | an entry of a table of all class counts |
| LOGS | `entropy()` | n log n of all cases minus that of each class, from a table where weights are whole |
| MATRIX | `costs(matrix)` | the least of the columns of the matrix, summed over classes |
"""

from typing import Any

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, Floats
from ftree.exact.kernels.shallow import JOINT, LOGS, MATRIX
from ftree.exact.objectives import costs, entropy, n_log_n
from ftree.exact.problem import Problem

_TWO = 2
# Tables have at most this many entries.
_MOST = 2**20


@frozen(eq=False)
class Formula:
    """The kind of a formula, its table, empty if there is none, a matrix (K, P), and the step of which costs are multiples."""

    kind: int
    table: Floats
    matrix: Floats
    step: float

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The arguments of kernels."""
        return self.kind, self.table, self.matrix, self.step


def formula_of(problem: Problem) -> Formula | None:
    """The formula of a problem's objective; None for errors, which have kernels of their own, and for all other objectives."""
    objective, none = problem.objective, np.zeros((1, 1))
    n = np.bincount(problem.dataset.labels, problem.weights, problem.n_classes)
    whole = bool((problem.weights == np.round(problem.weights)).all())
    if problem.class_weights is not None:
        return None
    if whole and len(n) == _TWO and (n + 1).prod() <= _MOST:
        return Formula(JOINT, _all_costs(problem, n.astype(np.int64) + 1), np.full((1, 1), n[1] + 1), problem.step)
    if isinstance(objective, entropy):
        logs = n_log_n(np.arange(n.sum() + 1)) if whole and n.sum() < _MOST else none[0, :0]
        return Formula(LOGS, np.round(logs / problem.step) * problem.step, none, problem.step)
    if isinstance(objective, costs):
        return Formula(MATRIX, none[0], np.array(objective.matrix), problem.step)
    return None


def _all_costs(problem: Problem, shape: Array) -> Floats:
    """The costs of leaves with all counts below a shape (2,), in one sequence."""
    counts = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1).reshape(-1, _TWO)
    return problem.leaf_costs(counts.astype(np.float64))
