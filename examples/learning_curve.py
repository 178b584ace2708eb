"""The learning curve: how many rows a tree needs, and whether it always asks the same question first.

One learns to repeat: trees are grown on random subsets of several sizes, and each is tried on the rows left out. The
picture shows their mean accuracy with its standard error, and which feature stood at the root in small subsets, a
tenth of the rows each, since larger ones nearly all agree. The rows are the congressional votes without gaps where the
file is at hand, tic-tac-toe endgames otherwise.
"""

import sys
from typing import Any

from pictures import COLOURS, Place, bare, picture
from votes import votes_or_endgames

from ftree import Dataset, learning_curve, root_feature_counts
from ftree.study import Trial

SHARES = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8)  # at least a fifth of the rows is left to test on
REPEATS = 100


def curve(dataset: Dataset, *, repeats: int) -> tuple[Trial, ...]:
    return learning_curve(dataset, sizes=[round(share * len(dataset)) for share in SHARES], repeats=repeats)


def roots(dataset: Dataset, *, repeats: int) -> dict[str | None, int]:
    """How often each feature is asked first, over random tenths of the rows, most frequent first."""
    return root_feature_counts(dataset, size=len(dataset) // 10, repeats=repeats)


def draw(figure: Any, trials: tuple[Trial, ...], counted: dict[str | None, int]) -> None:
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    means, errors = [100 * trial.mean for trial in trials], [100 * trial.standard_error for trial in trials]
    left.errorbar([trial.size for trial in trials], means, errors, color=COLOURS[0], marker="o", capsize=4)
    left.set(xlabel="rows to learn from", ylabel="right on the other rows (%)", xlim=(0, None))
    left.set_title(f"Right answers on rows not learned from\n(mean of {len(trials[0].accuracies)} trees, standard error)")
    names = [str(name) for name in counted]
    right.barh(names, list(counted.values()), color=COLOURS[1])
    right.bar_label(right.containers[0], padding=3)
    right.set(xlabel="subsets", xlim=(0, 1.12 * max(counted.values())), ylim=(max(len(names), 4) - 0.5, -0.5))
    right.set_title(f"What was asked first,\nover {sum(counted.values())} random tenths")
    bare(left)
    bare(right)


def main(folder: Place = None, table: Place = None) -> None:
    dataset = votes_or_endgames(table).complete()
    trials, counted = curve(dataset, repeats=REPEATS), roots(dataset, repeats=2 * REPEATS)
    print(f"{dataset}\n\n  rows  right on the others (mean of {len(trials[0].accuracies)} trees, with its standard error)")
    for trial in trials:
        print(f"  {trial.size:4}  {trial.mean:.1%} +- {trial.standard_error:.1%}")
    print(f"\nAsked first, in {sum(counted.values())} random tenths of the rows: {counted}")
    picture("learning_curve", folder, draw, trials, counted, size=(11, 4.2))


if __name__ == "__main__":
    main(*sys.argv[1:3])
