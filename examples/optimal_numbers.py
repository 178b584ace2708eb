"""Optimal trees of raw numbers
============================

Needs ``pip install 'ftrees[plot]'``. See that greedy growth can miss a rule that a tree of three levels can say: incomes that
count only within an age. ``optimal`` looks at all thresholds of all numbers and proves that no tree of this depth errs less.
Both trees have the same size, and the rows of the test are new.
"""

import matplotlib.pyplot as plt

import ftree as ft
from ftree.stop import max_depth

table, new = (ft.datasets.agrawal(1000, function=2, seed=seed) for seed in (1, 2))
greedy = ft.grow(table, ft.CART.stopping(max_depth(3)))
best = ft.optimal(table, max_depth=3)
print(f"proved: {best.proved}, after {best.states} states")
for name, tree in {"greedy": greedy, "optimal": best.tree}.items():
    found = f"{ft.n_leaves(tree)} leaves, {ft.exact.tree_cost(tree):.0f} errors of {len(table)}"
    print(f"{name:8} {found}, accuracy {ft.accuracy(tree, new):.1%} on new rows")

ft.plot_tree(best.tree).set_title("No tree of three levels errs less")
plt.show()
