"""Learners compared on the same ten folds
=======================================

Needs ``pip install 'ftrees[plot,sklearn]'``. Compare learners fairly: ID3, C4.5 and CART with their pruning, a forest
and scikit-learn's trees get the same folds. A table shows several metrics, and a test that allows for overlapping
training sets says which differences may be chance. Over twelve tables, learners are compared by their ranks; the
picture joins those that do not differ.
"""

from functools import partial

import matplotlib.pyplot as plt
from sklearn.tree import DecisionTreeClassifier

import ftree as ft
from ftree.datasets import agrawal, balance_scale, led, monks, tic_tac_toe, waveform
from ftree.study import compare, plot_critical_difference, random_forest

FOLDS = 10
learners = {
    "ID3": ft.ID3,
    "C4.5 pruned": ft.c45,
    "CART pruned": ft.cart,
    "forest of 10": partial(random_forest, n_trees=10),
    "scikit-learn": DecisionTreeClassifier(random_state=0),
    "scikit-learn, ccp 0.01": DecisionTreeClassifier(ccp_alpha=0.01, random_state=0),
}
comparison = compare(learners, {"boards": tic_tac_toe()}, folds=FOLDS, metrics=("accuracy", "kappa", "auc", "leaves"))
print(f"{comparison}\n\nAccuracy of C4.5 minus that of each, and the p-value of the difference:")
for name in [each for each in learners if each != "C4.5 pruned"]:
    test = comparison.corrected_t_test("C4.5 pruned", name)
    print(f"  {name:23} {test.difference:+.3f}  p {test.p_value:.2f}")

few = {"ID3": ft.ID3, "C4.5 pruned": ft.c45, "CART": ft.CART, "CART, pessimistic": (ft.CART, ft.prune.pessimistic())}
noisy = [agrawal(300, function=number, noise=0.1) for number in range(1, 7)]
ranks = compare(few, [*map(monks, (1, 2, 3)), balance_scale(), led(300), waveform(200), *noisy], folds=FOLDS).friedman()
print(f"\n{ranks}")
plot_critical_difference(ranks)
plt.show()
