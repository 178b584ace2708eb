"""Learners compared on the same ten folds
=======================================

One learns to compare fairly: ID3, C4.5 and CART with their pruning, a forest and scikit-learn's trees get the same folds. A
table shows several metrics, and a test that allows for overlapping training sets says which differences may be chance. Over
twelve tables, learners are compared by their ranks; the picture joins those that do not differ. The first table is the
congressional votes, or tic-tac-toe where no file of the votes is at hand.
"""

import sys
from functools import partial
from importlib.util import find_spec
from typing import Any

from pictures import Place, picture
from votes import votes_or_endgames

from ftree import CART, ID3, Dataset, c45, cart, prune
from ftree.datasets import agrawal, balance_scale, led, monks, waveform
from ftree.study import Comparison, Friedman, compare, plot_critical_difference, random_forest

FOLDS = 10
METRICS = ("accuracy", "kappa", "log_loss", "auc", "leaves")


def learners() -> dict[str, Any]:
    ours = {"ID3": ID3, "C4.5 pruned": c45, "CART pruned": cart, "forest of 10": partial(random_forest, policy=CART, n_trees=10)}
    if find_spec("sklearn") is None:
        return ours
    from sklearn.tree import DecisionTreeClassifier  # noqa: PLC0415  # a peer, where it is installed

    theirs = {f"scikit-learn, ccp {alpha:g}": DecisionTreeClassifier(ccp_alpha=alpha, random_state=0) for alpha in (0, 0.01)}
    return ours | theirs


def compared(dataset: Dataset) -> Comparison:
    return compare(learners(), {f"{len(dataset)} rows": dataset}, folds=FOLDS, metrics=METRICS)


def ranked() -> Friedman:
    few = {"ID3": ID3, "C4.5 pruned": c45, "CART": CART, "CART, pessimistic": (CART, prune.pessimistic())}
    noisy = [agrawal(300, function=number, noise=0.1) for number in range(1, 7)]
    return compare(few, [*map(monks, (1, 2, 3)), balance_scale(), led(300), waveform(200), *noisy], folds=FOLDS).friedman()


def main(folder: Place = None, table: Place = None) -> None:
    comparison = compared(votes_or_endgames(table))
    print(f"{comparison}\n\nAccuracy of C4.5 minus that of each, and the p-value of the difference:")
    for name in [each for each in comparison.learners if each != "C4.5 pruned"]:
        test = comparison.corrected_t_test("C4.5 pruned", name)
        print(f"  {name:23} {test.difference:+.3f}  p {test.p_value:.2f}")
    found = ranked()
    print(f"\n{found}")
    picture("comparing", folder, lambda figure: plot_critical_difference(found, ax=figure.subplots()), size=(9, 2.5))


if __name__ == "__main__":
    main(*sys.argv[1:3])
