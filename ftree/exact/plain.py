"""The search in its plainest form, which examines every tree: slow and evidently right; tests compare the fast search with it."""

from typing import TypeAlias

import numpy as np

from ftree._lib.arrays import Array
from ftree.exact.problem import Problem, counted
from ftree.tree.build import new_tree
from ftree.tree.nodes import Branch, Leaf, Node, Tree, whole_numbers

# The plan of a node: None for a leaf, or the number of a candidate split and the plans of its children.
Plan: TypeAlias = "tuple[int, tuple[Plan, ...]] | None"


def plain(problem: Problem, depth: int) -> tuple[float, Plan]:
    """The least cost of a tree up to a depth, and the plan of the first tree that has it."""
    known: dict[tuple[bytes, int], tuple[float, Plan]] = {}

    def best(rows: Array, depth: int) -> tuple[float, Plan]:
        key = rows.tobytes(), depth
        if key not in known:
            known[key] = best_of(rows, depth)
        return known[key]

    def best_of(rows: Array, depth: int) -> tuple[float, Plan]:
        found: tuple[float, Plan] = float(problem.leaf_costs(problem.counts(rows))), None
        for number in range(len(problem.splits) if depth else 0):
            parts = [best(part, depth - 1) for part in divided(problem, rows, number)]
            cost = float(problem.prices[number]) + sum(cost for cost, _ in parts)
            if cost < found[0]:
                found = cost, (number, tuple(plan for _, plan in parts))
        return found

    return best(np.arange(len(problem.dataset)), depth)


def divided(problem: Problem, rows: Array, number: int) -> list[Array]:
    """The rows that go to each child of a candidate split."""
    child = problem.child_of(number, rows)
    return [rows[child == each] for each in range(problem.splits[number].n_children)]


def tree_of(problem: Problem, plan: Plan) -> Tree:
    """The tree of a plan, with the class counts of the rows that reach each node."""
    return new_tree(problem.dataset.schema, _node(problem, np.arange(len(problem.dataset)), plan))


def _node(problem: Problem, rows: Array, plan: Plan) -> Node:
    cases = counted(problem.dataset.labels[rows], problem.cases[rows], problem.n_classes)
    counts = tuple(whole_numbers(cases))
    if plan is None:
        return Leaf(counts)
    number, plans = plan
    children = [_node(problem, part, below) for part, below in zip(divided(problem, rows, number), plans, strict=True)]
    return Branch(counts, problem.splits[number], children)
