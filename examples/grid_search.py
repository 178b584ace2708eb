"""Grid search over policies and passes
====================================

Needs ``pip install 'ftrees[plot,sklearn]'``. Search over policies and passes: they are values, so scikit-learn's grid
lists them, and their parts, as it lists numbers. The table has tic-tac-toe endgames in a frame. Needs pandas, too:
``pip install pandas``.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import GridSearchCV, StratifiedKFold

import ftree as ft
from ftree.estimator import TreeClassifier

frame = ft.datasets.tic_tac_toe().to_pandas()
boards, labels = frame.iloc[:, :-1], frame.iloc[:, -1]
settings = {
    "ID3": {"policy": [ft.ID3]},
    "C4.5, pruned": {"policy": [ft.C45], "prune": [ft.prune.error_based()]},
    "CHAID": {"policy": [ft.CHAID]},
    "at least 10 rows": {"policy__stop": [ft.stop.pure() | ft.stop.min_rows(10)]},
    "cost-complexity": {"prune": [ft.prune.cost_complexity(0)], "prune__alpha": [0.0005, 0.002]},
    "reduced error": {"prune": [ft.prune.reduced_error], "holdout": [0.2, 0.4]},
}
scores = {}
for name, grid in settings.items():
    found = GridSearchCV(TreeClassifier(), grid, cv=StratifiedKFold(3, shuffle=True, random_state=0)).fit(boards, labels)
    scores[name] = float(found.best_score_)
    print(f"{name:18} {scores[name]:6.1%}, {found.best_estimator_.get_n_leaves()} leaves on all boards")

ft.plot_importances(scores, label="accuracy in three folds").set(ylabel="", title="Settings of a grid")
plt.show()
