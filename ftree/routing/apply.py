"""The leaf that each row reaches, by its number from left to right."""

from typing import Any

from ftree.data.in_kind import numbers_in_kind
from ftree.data.unseen import Unseen, check_unseen
from ftree.routing.ranks import leaf_ranks
from ftree.routing.reached import reach
from ftree.routing.rule_names import Missing, as_prediction_rule
from ftree.routing.shares import SIZES, one_route
from ftree.tree.nodes import Tree, check_tree


def apply(tree: Tree, rows: Any, *, missing: Missing = "heaviest", unseen: Unseen = "missing") -> Any:
    """The number of the leaf that each row reaches, in the order of `leaves(tree)`; rows and answers as for `predict`.

    At a split without an answer, a row goes to the child with the most cases (`heaviest`), or follows another rule that
    takes one route; a row that stops before a leaf (`stop_here`) has the number -1.

    Raises a ValueError for a rule that follows several routes and for rows of another length, a KeyError for a column that
    the rows lack.

    The path of each leaf, by its number:

    >>> from ftree import Dataset, Leaf, grow, walk
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"]))
    >>> apply(tree, [["sunny"], ["rainy"], [None]])
    [1, 0, 0]
    >>> [path for path, node in walk(tree) if isinstance(node, Leaf)]
    [(0,), (1,)]
    """
    check_tree(tree)
    rule = as_prediction_rule(missing)
    one_route(rule, SIZES)
    check_unseen(tree.schema, rows, unseen)
    reached = reach(tree, rows)
    numbers = leaf_ranks(reached, rule)
    return int(numbers[0]) if reached.single else numbers_in_kind(rows, "leaf", numbers)
