"""Learning curve and most frequent root
=====================================

Needs ``pip install 'ftrees[plot]'``. Repeat an experiment: trees are grown on random subsets of several sizes, and each
is tested on the rows left out. The picture shows their mean accuracy with a standard deviation, and the features at the
root of trees of small subsets, a tenth of the rows each, since larger subsets nearly all agree. The rows are boards of
tic-tac-toe.
"""

import matplotlib.pyplot as plt

import ftree as ft

REPEATS = 30
boards = ft.datasets.tic_tac_toe()
sizes = [round(share * len(boards)) for share in (0.05, 0.1, 0.2, 0.4, 0.6, 0.8)]
curve = ft.learning_curve(boards, sizes=sizes, repeats=REPEATS)
for trial in curve:
    print(f"{trial.size:4} rows: accuracy {trial.mean:.1%} +- {trial.standard_error:.1%} on the others")
roots = ft.study.root_feature_counts(boards, size=len(boards) // 10, repeats=2 * REPEATS)
print(f"At the root, in {2 * REPEATS} random tenths of the rows: {roots}")

_, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), width_ratios=(3, 2), layout="constrained")
ft.study.plot_learning_curve(curve, ax=left).set_title("Accuracy on rows left out")
ft.plot_importances({str(name): times for name, times in roots.items()}, label="subsets", ax=right)
right.set_title("Feature at the root")
plt.show()
