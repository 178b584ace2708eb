"""The definition of an optimal tree: the recursion that looks at every tree, in a page. Both searches are held equal to it.

Write V(S, d) for the least cost of trees of rows S with at most d levels of splits, and S_f for the children of S by a split f:

    V(S, 0) = leaf(S)
    V(S, d) = min(leaf(S), least over f of price(f) + sum of V(C, d - 1) over C in S_f)

`branch_and_bound.py` finds the same cost: it counts rows instead of listing them, and leaves out what a lower bound excludes.
"""

from functools import cache

import numpy as np

from ftree.exact.listed.problem import Plan, Problem, rows_divided
from ftree.exact.task import problem_counts


def best_by_definition(problem: Problem, depth: int) -> tuple[float, Plan]:
    """The least cost of a tree up to a depth, and the plan of the first tree that has it.

    >>> from ftree.datasets import xor
    >>> from ftree.exact.listed.problem import problem_of
    >>> from ftree.exact.task import SearchTask
    >>> best_by_definition(problem_of(SearchTask(dataset=xor())), 2)
    (0.0, (0, ((1, (None, None)), (1, (None, None)))))
    """

    @cache
    def best(rows: tuple[int, ...], depth: int) -> tuple[float, Plan]:
        """V(`rows`, `depth`), and its plan: of equal costs a leaf, then the first split."""
        cost, plan = leaf_cost(problem, rows), None
        for number in range(len(problem.splits) if depth else 0):
            children = rows_divided(problem, np.array(rows, np.intp), number)
            costs, plans = zip(*(best(tuple(child.tolist()), depth - 1) for child in children), strict=True)
            with_split = float(problem.prices[number]) + sum(costs)
            if with_split < cost:
                cost, plan = with_split, (number, plans)
        return cost, plan

    return best(tuple(range(len(problem.dataset))), depth)


def leaf_cost(problem: Problem, rows: tuple[int, ...]) -> float:
    """The cost of a leaf with these rows; infinite if they are too few."""
    labels, weights = problem.dataset.target_column[list(rows)], problem.weights[list(rows)]
    return float(problem.leaf_costs(problem_counts(labels, weights, problem.n_classes)))
