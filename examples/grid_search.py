"""Grid search over policies and passes
====================================

One learns that policies and passes are values: scikit-learn's grid lists them, and their parts, as it lists numbers. The table
has tic-tac-toe endgames in a frame.
"""

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from ftree import C45, CHAID, ID3, c45, datasets, prune, stop
from ftree.estimator import TreeClassifier

GRID = [
    {"policy": [ID3, C45, CHAID], "prune": [None, prune.error_based()]},
    {"policy": [c45], "policy__confidence": [0.05, 0.5]},  # grows and prunes
    {"policy__stop": [stop.pure() | stop.min_rows(10), stop.pure() | stop.chi_squared(0.01)]},  # of the default: binary splits
    {"prune": [prune.cost_complexity(0)], "prune__alpha": [0.0005, 0.002]},
    {"prune": [prune.reduced_error], "holdout": [0.2, 0.4]},
]


def search(folds: int = 3) -> GridSearchCV:
    """All settings of the grid, each tested on the same folds."""
    frame = datasets.tic_tac_toe().to_pandas()
    boards, labels = frame.iloc[:, :-1], frame.iloc[:, -1]
    cv = StratifiedKFold(folds, shuffle=True, random_state=0)
    return GridSearchCV(TreeClassifier(), GRID, cv=cv).fit(boards, labels)


def name(setting: dict[str, object]) -> str:
    """A setting on one line, policies by their names."""
    known = {id(ID3): "ID3", id(C45): "C45", id(CHAID): "CHAID"}
    shown = {path: known.get(id(part), getattr(part, "__name__", part)) for path, part in setting.items()}
    return ", ".join(f"{path}={part}" for path, part in shown.items())


def main() -> None:
    found = search()
    scores, errors = found.cv_results_["mean_test_score"], found.cv_results_["std_test_score"]
    for number in np.argsort(-scores, kind="stable"):
        print(f"{scores[number]:6.1%} +- {errors[number]:.1%}  {name(found.cv_results_['params'][number])}")
    best = found.best_estimator_
    print(f"\nThe best, grown on all boards, has {best.get_n_leaves()} leaves and depth {best.get_depth()}.")


if __name__ == "__main__":
    main()
