"""Answers of the search: a cost with a tree that is not made yet, or a lower bound; where they are kept; and their plans.

A sketch is a tree without rows. Trees of up to two levels are not even written down, since the rows' counts give them again: the
sketch 2 is "the best tree of two levels", and `(7, (2, None))` is split 7, with such a tree and a leaf below it.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from attrs import define, field

from ftree._lib.arrays import Array
from ftree.exact.listed.items import Items
from ftree.exact.listed.problem import Plan
from ftree.exact.listed.row_set import RowSet, rows_of_children
from ftree.exact.listed.shallow_trees import best_depth_one, best_depth_two

# The number of answers kept. Each takes some 500 bytes.
_MOST = 100_000
# None for a leaf; a depth at which the best tree of the rows is found again; or a split's number and its children's plans.
Sketch: TypeAlias = "int | tuple[int, tuple[Sketch, ...]] | None"


class Solution(NamedTuple):
    """The least cost of rows and the sketch of a tree with that cost; or, where none was `found`, a lower bound on all trees."""

    cost: float
    sketch: Sketch = None
    found: bool = True


NOTHING = Solution(np.inf, found=False)


def cheaper(one: Solution, other: Solution) -> Solution:
    """The solution that costs less; of equal costs, the first one."""
    return one if one.cost <= other.cost else other


def first_split(rows: RowSet, sketch: Sketch) -> tuple[int, tuple[Sketch, ...]] | None:
    """The number of a tree's first split, and the sketches of its children; None for a leaf. Shallow trees are found again."""
    if not isinstance(sketch, int):
        return sketch
    number = (best_depth_one, best_depth_two)[sketch - 1](rows)[1] if sketch else -1
    return None if number < 0 else over(rows.items, number, sketch - 1)


def over(items: Items, number: int, depth: int) -> tuple[int, tuple[Sketch, ...]]:
    """A split whose children are the best trees of a depth."""
    return number, (depth,) * items.problem.splits[number].n_children


def plan_of(rows: RowSet, sketch: Sketch) -> Plan:
    """The plan of a sketch, whose children are in the order of the split's own."""
    first = first_split(rows, sketch)
    if first is None:
        return None
    number, below = first
    return with_plans(rows.items, number, tuple(map(plan_of, rows_of_children(rows, number), below)))


def with_plans(items: Items, number: int, plans: tuple[Plan, ...]) -> Plan:
    """The plan of a split with those of its children, which are given as `rows_of_children` orders them."""
    turned = number < items.n_binary and not items.flipped[number]
    return number, plans[::-1] if turned else plans


@define(eq=False)
class Cache:
    """Answers by the hash of a row set and a depth. A hash is not trusted: the rows that led to the answer are made again.

    Beyond the limit, the oldest answer is dropped. Source: Nijssen & Fromont 2010 (DL8).
    """

    items: Items
    most: int = _MOST
    answers: dict[tuple[int, int], tuple[tuple[int, ...], Solution]] = field(factory=dict)

    def get(self, rows: RowSet, depth: int) -> Solution | None:
        """The answer for the same rows and depth, which may have been reached by other splits; None if there is none."""
        path, answer = self.answers.get((hash(rows.mask.tobytes()), depth), (None, None))
        return answer if path is not None and np.array_equal(mask_of_path(self.items, path), rows.mask) else None

    def put(self, rows: RowSet, depth: int, answer: Solution) -> None:
        """Keep an answer."""
        if len(self.answers) >= self.most:
            del self.answers[next(iter(self.answers))]
        self.answers[hash(rows.mask.tobytes()), depth] = rows.path, answer


def mask_of_path(items: Items, path: tuple[int, ...]) -> Array:
    """The rows (W,) with each item of a path, and without each item whose number is negated bit by bit."""
    mask = items.bits[:, items.n + 1]
    for item in path:
        mask = mask & (items.bits[:, item] if item >= 0 else ~items.bits[:, ~item])
    return mask
