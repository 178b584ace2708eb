"""Five algorithms on one problem
==============================

Needs ``pip install 'ftrees[plot]'``. Compare five algorithms: each is a record of parts, a policy and a pruning pass.
The fifth combines C4.5's choice of features, CART's binary splits and pessimistic pruning. The problem is the first of
the MONK's: robots of six features, where the label is "head and body have one shape, or the jacket is red" (Thrun et
al. 1991). Trees are grown on a third of all 432 robots and are tested on the others.
"""

import matplotlib.pyplot as plt

import ftree as ft


def mixture(dataset: ft.Dataset) -> ft.Tree:
    """Binary splits, chosen by gain ratio, pruned by pessimistic errors."""
    return ft.prune.pessimistic()(ft.grow(dataset, ft.evolve(ft.C45, splits=(ft.splitters.subset(min_cases=2),))))


train, test = ft.datasets.monks(1).split(1 / 3, seed=1)
accuracies = {}
for name, learner in {"ID3": ft.id3, "C4.5": ft.c45, "CART": ft.cart, "CHAID": ft.chaid, "a mixture": mixture}.items():
    tree = learner(train)
    accuracies[name] = ft.accuracy(tree, test)
    print(f"{name:10} {ft.n_leaves(tree):3} leaves, accuracy {accuracies[name]:.1%}")
print(f"\nThe mixture:\n\n{tree}")

ft.plot_importances(accuracies, label="accuracy on 288 robots").set(ylabel="", title="Five algorithms")
plt.show()
