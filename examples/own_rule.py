"""A stopping rule and an impurity of your own
===========================================

Needs ``pip install 'ftrees[plot,testing]'``. Write a rule and an impurity: a rule is any function of the open nodes of
a level, an impurity any function of class counts, and both combine with the library's own. The checks of
`ftree.testing` try them on hundreds of cases, and show a small case on which a wrong impurity fails.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import ftree as ft
from ftree.show import plot_impurities
from ftree.testing import check_impurity, check_rule


def nearly_pure(frontier: Any) -> Any:
    """Stop where at most one case in ten is of another class; classes are on the last axis, nodes on the first."""
    return frontier.counts.max(axis=-1) >= 0.9 * frontier.weight


def root_gini(counts: Any) -> Any:
    """Square root of the Gini index: with two classes, the criterion of Kearns & Mansour (1996)."""
    return np.sqrt(ft.gini(counts))


def squared_error_rate(counts: Any) -> Any:
    """Is not concave: a split may have a negative gain."""
    return ft.misclassification(counts) ** 2


check_rule(nearly_pure)
check_impurity(root_gini)
try:
    check_impurity(squared_error_rate)
except AssertionError as error:
    print(f"An impurity that breaks a law: {str(error).splitlines()[0]}")

known, others = ft.datasets.tic_tac_toe().split(0.5, seed=0)
for policy in (ft.ID3, ft.ID3.stopping(nearly_pure), ft.evolve(ft.ID3, impurity=root_gini)):
    tree = ft.grow(known, policy)
    print(f"{ft.n_leaves(tree)} leaves, accuracy {ft.accuracy(tree, others):.1%} on new boards: {policy}")

plot_impurities([ft.gini, root_gini, squared_error_rate]).set_title("A good impurity is concave")
plt.show()
