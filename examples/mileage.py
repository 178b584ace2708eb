"""Miles per gallon in three classes
=================================

Needs ``pip install 'ftrees[plot]'``. Cut a measured target into classes first (bad, OK, good), split numeric features
by thresholds, and read class counts: a tree of limited depth has mixed leaves. The cars are 392 of 1970 to 1982, which come
with the library.
"""

import matplotlib.pyplot as plt

import ftree as ft

cars = ft.datasets.auto_mpg()
known, others = cars.split(0.7, seed=0)
tree = ft.grow(known, ft.ID3.stopping(ft.stop.max_depth(3)))
print(ft.text(tree, distributions=True))
print(f"Accuracy {ft.accuracy(tree, known):.1%} on {len(known)} cars, {ft.accuracy(tree, others):.1%} on {len(others)} others")
ft.plot_tree(tree).set_title("Miles per gallon: bad up to 19, good above 27")
plt.show()
