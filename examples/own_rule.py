"""A stopping rule and an impurity of your own
===========================================

One learns that a rule is any function of the open nodes of a level, that an impurity is any function of class counts, and that
both combine with the library's own. The batteries of `ftree.testing` try them on hundreds of cases, and show a small one on
which a wrong impurity fails. Needs hypothesis: pip install 'ftrees[testing]'.
"""

from typing import Any

import numpy as np
from attrs import evolve

from ftree import ID3, accuracy, gini, grow, misclassification, n_leaves, stop
from ftree.criteria import Frontier, Impurity
from ftree.datasets import tic_tac_toe
from ftree.testing import check_impurity, check_policy, check_rule


def nearly_pure(frontier: Frontier) -> Any:
    """Stop where at most one case in ten is of another class; classes are on the last axis, nodes on the first."""
    return frontier.counts.max(axis=-1) >= 0.9 * frontier.weight


def root_gini(counts: Any) -> Any:
    """Square root of the Gini index: with two classes, the criterion of Kearns & Mansour (1996)."""
    return np.sqrt(gini(counts))


def squared_error_rate(counts: Any) -> Any:
    """Is not concave: a split may have a negative gain."""
    return misclassification(counts) ** 2


def complaint(impurity: Impurity) -> str:
    """The law that an impurity breaks, with a few counts that show it; nothing for a good one."""
    try:
        check_impurity(impurity)
    except AssertionError as error:
        return "\n".join([str(error).splitlines()[0], *getattr(error, "__notes__", ())])
    return ""


def main() -> None:
    own_rule, own_criterion = ID3.stopping(nearly_pure), evolve(ID3, impurity=root_gini)
    check_rule(nearly_pure)
    check_rule(stop.per_node(lambda node: max(node.counts) >= 0.9 * node.weight))  # the same, written for a single node
    check_impurity(root_gini)
    check_policy(own_criterion)
    print("The rule and the impurity, and growing by them, keep every law.\n")
    print(f"An impurity that does not:\n{complaint(squared_error_rate)}\n")
    known, others = tic_tac_toe().split(0.5, seed=0)
    for policy in (ID3, own_rule, own_criterion):
        tree = grow(known, policy)
        print(f"{n_leaves(tree)} leaves, accuracy {accuracy(tree, others):.1%} on new boards: {policy}")


if __name__ == "__main__":
    main()
