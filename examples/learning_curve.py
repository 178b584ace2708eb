"""Learning curve and most frequent root
=====================================

One learns to repeat: trees are grown on random subsets of several sizes, and each is tested on the rows left out. The picture
shows their mean accuracy with a standard deviation, and the features at the root of trees of small subsets, a tenth of the rows
each, since larger subsets nearly all agree. The rows are the congressional votes without missing
values, or boards of tic-tac-toe where no file of the votes is at hand.
"""

import sys
from typing import Any

from pictures import Place, picture
from votes import votes_or_endgames

from ftree import Dataset, learning_curve, plot_importances, plot_learning_curve, root_feature_counts
from ftree.study import Trial

SHARES = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8)  # at least a fifth of the rows is left to test on
REPEATS = 100


def curve(dataset: Dataset, *, repeats: int) -> tuple[Trial, ...]:
    return learning_curve(dataset, sizes=[round(share * len(dataset)) for share in SHARES], repeats=repeats)


def roots(dataset: Dataset, *, repeats: int) -> dict[str | None, int]:
    """How often each feature is at the root, over random tenths of the rows, most frequent first."""
    return root_feature_counts(dataset, size=len(dataset) // 10, repeats=repeats)


def draw(figure: Any, trials: tuple[Trial, ...], counted: dict[str | None, int]) -> None:
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    plot_learning_curve(trials, ax=left)
    left.set_title(f"Accuracy on rows left out\n(mean of {len(trials[0].accuracies)} trees)")
    left.set_xlim(0, None)
    plot_importances({str(name): times for name, times in counted.items()}, label="subsets", ax=right)
    right.set_title(f"Feature at the root,\nover {sum(counted.values())} random tenths of the rows")


def main(folder: Place = None, table: Place = None) -> None:
    dataset = votes_or_endgames(table).complete()
    trials, counted = curve(dataset, repeats=REPEATS), roots(dataset, repeats=2 * REPEATS)
    print(f"{dataset}\n\n  rows  accuracy on the others (mean of {len(trials[0].accuracies)} trees, with its standard error)")
    for trial in trials:
        print(f"  {trial.size:4}  {trial.mean:.1%} +- {trial.standard_error:.1%}")
    print(f"\nAt the root, in {sum(counted.values())} random tenths of the rows: {counted}")
    picture("learning_curve", folder, draw, trials, counted, size=(11, 4.2))


if __name__ == "__main__":
    main(*sys.argv[1:3])
