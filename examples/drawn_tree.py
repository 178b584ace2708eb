"""A drawn tree
============

Needs ``pip install 'ftrees[plot]'``. See where most cases go, which splits leave them mixed, and which leaves are pure:
nodes have bars of class counts, and branches are as wide as their share of the cases. `plot_tree` makes a figure, or
draws on axes that it is given.
"""

import matplotlib.pyplot as plt

import ftree as ft

tree = ft.grow(ft.datasets.weather())
print(f"{tree}\n\nIts drawing is {ft.n_leaves(tree)} leaves wide and {ft.depth(tree)} questions deep.")
ft.plot_tree(tree).set_title("14 days: when to play")
plt.show()
