"""A tree as a formula
===================

Needs ``pip install 'ftrees[plot]'``. Read a tree as logic: a path is a conjunction, a class the disjunction of its
paths, which is the disjunctive normal form (DNF). On six days Arya rode or did not. See how the tree predicts a value
that it never saw at that node, where a textbook draws a leaf "None": the row follows all branches below, and the class
counts there are added up by default.
"""

import matplotlib.pyplot as plt

import ftree as ft
from ftree.show import holds

days = ft.datasets.rides()
tree = ft.grow(days)
rides = ft.dnf(tree, "yes")
print(f"{tree}\n\nShe rides if {rides}.\nShe stays if {ft.dnf(tree, 'no')}.\nFor a paper: {ft.latex(rides)}")
print(f"The formula on the six days: {[holds(rides, day) for day in days.rows()]}")

# A hot day was seen in medium and in high wind, never in low wind.
unseen = {"Sky": "Sunny", "Temperature": "Hot", "Humidity": "Normal", "Wind": "Low"}
counts = ft.predict_counts(tree, unseen).tolist()
print(f"\n{unseen}: class counts {counts} by all routes below Wind = Low, so {ft.predict(tree, unseen)!r}")
print(f"Following the most frequent branch instead: {ft.path_of(tree, unseen)}")

ft.plot_tree(tree, leaf_charts=True).set_title("When Arya rides")
plt.show()
