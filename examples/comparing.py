"""Learners compared on the same ten folds: ID3, C4.5 and CART with their pruning, a forest, and scikit-learn's trees.

One learns to compare fairly: all learners get the same folds, a table shows several metrics beside one another, and a test that
allows for overlapping training sets says which differences may be chance. The picture shows learning curves with bands.
The rows are the congressional votes where the file is at hand, tic-tac-toe endgames otherwise.
"""

import sys
from functools import partial
from importlib.util import find_spec
from typing import Any

from pictures import Place, bare, picture
from votes import votes_or_endgames

from ftree import CART, ID3, Dataset, c45, cart, learning_curve
from ftree.study import Comparison, Trial, compare, plot_learning_curves, random_forest

FOLDS, REPEATS = 10, 20
METRICS = ("accuracy", "kappa", "log_loss", "auc", "leaves")
SHARES = (0.05, 0.1, 0.2, 0.4, 0.8)


def learners() -> dict[str, Any]:
    ours = {"ID3": ID3, "C4.5 pruned": c45, "CART pruned": cart, "forest of 10": partial(random_forest, policy=CART, n_trees=10)}
    if find_spec("sklearn") is None:
        return ours
    from sklearn.tree import DecisionTreeClassifier  # noqa: PLC0415  # a peer, where it is installed

    theirs = {f"scikit-learn, ccp {alpha:g}": DecisionTreeClassifier(ccp_alpha=alpha, random_state=0) for alpha in (0, 0.01)}
    return ours | theirs


def compared(dataset: Dataset) -> Comparison:
    return compare(learners(), {f"{len(dataset)} rows": dataset}, folds=FOLDS, metrics=METRICS)


def draw(figure: Any, curves: dict[str, tuple[Trial, ...]]) -> None:
    axes = plot_learning_curves(curves, quantiles=(0.1, 0.9), axes=figure.subplots())
    axes.set_title(f"Accuracy on the other rows: mean of {REPEATS} random training sets, and the range of most")
    bare(axes)


def main(folder: Place = None, table: Place = None) -> None:
    dataset = votes_or_endgames(table)
    comparison = compared(dataset)
    print(f"{comparison}\n\nHow much less accurate than C4.5 each is, and how likely so large a difference is by chance:")
    for name in [each for each in comparison.learners if each != "C4.5 pruned"]:
        test = comparison.corrected_t_test("C4.5 pruned", name)
        print(f"  {name:23} {test.difference:+.3f}  p {test.p_value:.2f}")
    sizes = [round(share * len(dataset)) for share in SHARES]
    curves = {name: learning_curve(dataset, by, sizes=sizes, repeats=REPEATS) for name, by in {"ID3": ID3, "C4.5": c45}.items()}
    picture("comparing", folder, draw, curves, size=(8, 5))


if __name__ == "__main__":
    main(*sys.argv[1:3])
